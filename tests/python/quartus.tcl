# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Stand-ins for the commands of quartus_sh that our scripts use: they check their arguments and that
# files are there, and print what was called. A command that is not here is an error, as it is there.

proc package args { if {$args ne "require ::quartus::project"} { error "package: $args" } }

proc called {name arguments} { puts "$name $arguments" }

set open ""

proc project_new {name option} {
  if {$option ne "-overwrite"} { error "project_new: $option" }
  set ::open $name
  called project_new $name
}

proc assigned {command arguments needed} {
  if {$::open eq ""} { error "$command: no project is open" }
  foreach option $needed { if {$option ni $arguments} { error "$command: no $option" } }
  called $command $arguments
}

# A name, and behind it the value without an option.
proc set_global_assignment args {
  assigned set_global_assignment $args -name
  if {[llength $args] != 3} { error "set_global_assignment: $args" }
  lassign $args - name value
  if {[string match *_FILE $name] && ![file isfile $value]} { error "$name: no file $value" }
}

proc set_instance_assignment args {
  assigned set_instance_assignment $args {-name -to}
  if {[llength $args] != 5} { error "set_instance_assignment: $args" }
}

proc export_assignments {} { assigned export_assignments {} {} }
proc project_close {} {
  assigned project_close {} {}
  set ::open ""
}

set script [lindex $argv 0]
set quartus(args) [lrange $argv 1 end]
source $script
if {$open ne ""} { error "the project was not closed" }
