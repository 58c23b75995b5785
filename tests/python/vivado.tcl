# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Stand-ins for the commands of Vivado that our scripts use: they check their arguments and that files
# are there, and print what was called. A command that is not here is an error, as it is in Vivado.

proc called {name arguments} { puts "$name $arguments" }

# The arguments without options: those of `flags` stand alone, those of `pairs` take a word.
proc rest {name arguments flags pairs} {
  set found {}
  for {set at 0} {$at < [llength $arguments]} {incr at} {
    set word [lindex $arguments $at]
    if {$word in $flags} continue
    if {$word in $pairs} {
      incr at
      if {$at >= [llength $arguments]} { error "$name: $word wants a word" }
      continue
    }
    if {[string match -* $word]} { error "$name: unknown option $word" }
    lappend found $word
  }
  return $found
}

proc files_of {name arguments flags pairs} {
  set files [rest $name $arguments $flags $pairs]
  if {![llength $files]} { error "$name: no file" }
  foreach file $files { if {![file isfile $file]} { error "$name: no file $file" } }
  called $name $files
}

proc none_of {name arguments flags pairs} {
  if {[llength [rest $name $arguments $flags $pairs]]} { error "$name: $arguments" }
  called $name $arguments
}

proc read_verilog args { files_of read_verilog $args {-sv} {-library} }
proc read_vhdl args { files_of read_vhdl $args {-vhdl2008} {-library} }
proc read_xdc args { files_of read_xdc $args {-unmanaged} {-ref -cells -mode} }
proc synth_design args {
  none_of synth_design $args {-flatten_hierarchy} {-top -part -mode}
  foreach needed {-top -part} { if {$needed ni $args} { error "synth_design: no $needed" } }
}
proc opt_design args { none_of opt_design $args {} {-directive} }
proc place_design args { none_of place_design $args {} {-directive} }
proc route_design args { none_of route_design $args {} {-directive} }
proc report_utilization args { none_of report_utilization $args {} {-file} }
proc report_timing_summary args { none_of report_timing_summary $args {} {-file} }
proc write_checkpoint args {
  if {[llength [rest write_checkpoint $args {-force} {}]] != 1} { error "write_checkpoint: $args" }
  called write_checkpoint $args
}
proc create_project args { called create_project [rest create_project $args {-force} {-part}] }
proc set_property args {
  if {[lindex $args 0] eq "-name"} {
    set args [list [dict get $args -name] [dict get $args -value] [dict get $args -objects]]
  }
  if {[llength $args] != 3} { error "set_property: $args" }
  called set_property [lrange $args 0 1]
}
# It takes lists of files: a name with a blank in it is one of a list only.
proc add_files args {
  files_of add_files [concat [lrange $args 0 end-1] [lindex $args end]] {-norecurse} {-fileset}
}
proc get_runs name { return $name }
proc launch_runs args { called launch_runs [rest launch_runs $args {} {-jobs -to_step}] }
proc wait_on_run run { called wait_on_run $run }
proc open_run run { called open_run $run }
proc current_project args { return project }
proc current_fileset args { return sources_1 }
proc get_filesets name { return $name }

# XDC files are Tcl, too.
proc create_clock args {
  set ports [rest create_clock $args {-add} {-name -period -waveform}]
  if {"-period" ni $args} { error "create_clock: no period" }
  called create_clock $ports
}
proc get_ports name { return $name }
proc get_drc_checks names { return $names }
foreach name {set_false_path set_input_delay set_output_delay set_max_delay} {
  proc $name args [list called $name {$args}]
}
proc get_clocks args { return $args }
proc all_inputs args { return inputs }
proc all_outputs args { return outputs }

set script [lindex $argv 0]
set argv [lrange $argv 1 end]
source $script
