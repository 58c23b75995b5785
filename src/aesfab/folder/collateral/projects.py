# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Scripts that make a Vivado or a Quartus project of a folder.

Its top module is that of the project: without pins in Vivado (out of context), with virtual pins in
Quartus. A user who adds it to a design of his own takes the list of files from them.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesfab import devices
from aesfab.design.ports import Port
from aesfab.folder.collateral.top import Top

FOLDER = "projects"

_TCL = "# Copyright AESFab contributors.\n# SPDX-License-Identifier: Apache-2.0\n#\n"


def files(top: Top) -> dict[str, str]:
    """The scripts of a top module.

    Returns:
        Relative name to text: ``projects/vivado.tcl`` and ``projects/quartus.tcl``.
    """
    return {
        f"{FOLDER}/vivado.tcl": _vivado(top.module, top.rtl_files, top.testbench),
        f"{FOLDER}/quartus.tcl": _quartus(top.module, top.ports, top.rtl_files),
    }


def _vivado(module: str, rtl_files: Sequence[str], testbench: str) -> str:
    """Project commands of UG835 (Vivado Tcl commands)."""
    vendor = devices.find("7-series").vendor
    assert vendor
    listed = "".join(f"  $core/{name}\n" for name in rtl_files)
    return f"""{_TCL}# A Vivado project of {module}, in a folder of this name where it is started:
#
#   vivado -mode batch -source projects/vivado.tcl -tclargs PART [synth]
#
# PART is the ordering code of a device, {vendor.part} without one. With synth it is synthesised,
# too, and the area and the timing are reported beside the project.

set core [file normalize [file join [file dirname [info script]] ..]]
set part [expr {{[llength $argv] > 0 ? [lindex $argv 0] : "{vendor.part}"}}]

create_project -force -part $part {module} [file join [pwd] {module}]
add_files -norecurse [list \\
{_continued(listed)}]
add_files -fileset constrs_1 -norecurse [list $core/constraints/{module}.xdc]
add_files -fileset sim_1 -norecurse [list $core/{testbench}]
set_property top {module} [current_fileset]
set_property top tb_{module} [get_filesets sim_1]

# Blocks and keys are more bits than a device has pins, so it has none here.
set_property -name {{STEPS.SYNTH_DESIGN.ARGS.MORE OPTIONS}} -value {{-mode out_of_context}} \\
  -objects [get_runs synth_1]

if {{[lindex $argv 1] eq "synth"}} {{
  launch_runs synth_1
  wait_on_run synth_1
  open_run synth_1
  report_utilization -file {module}_utilization.txt
  report_timing_summary -file {module}_timing.txt
}}
"""


def _quartus(module: str, ports: Sequence[Port], rtl_files: Sequence[str]) -> str:
    """Assignments of the Quartus settings file reference."""
    vendor = devices.find("cyclone-v").vendor
    assert vendor
    kinds = {"v": "VERILOG_FILE", "sv": "SYSTEMVERILOG_FILE"}
    sources = "".join(
        f"set_global_assignment -name {kinds[name.rpartition('.')[2]]} $core/{name}\n"
        for name in rtl_files
    )
    pins = "".join(
        f"set_instance_assignment -name VIRTUAL_PIN ON -to {{{port.name}{_bits(port)}}}\n"
        for port in ports
        if port.name != "clk_i"
    )
    return f"""{_TCL}# A Quartus project of {module} where it is started:
#
#   quartus_sh -t projects/quartus.tcl [DEVICE] [FAMILY]
#   quartus_sh --flow compile {module}
#
# DEVICE is an ordering code, {vendor.part} ({vendor.family}) without one. With another one of
# another family name the family as well.

package require ::quartus::project

set core [file normalize [file join [file dirname [info script]] ..]]
set arguments $quartus(args)
set device [expr {{[llength $arguments] > 0 ? [lindex $arguments 0] : "{vendor.part}"}}]
set family [expr {{[llength $arguments] > 1 ? [lindex $arguments 1] : "{vendor.family}"}}]

project_new {module} -overwrite
set_global_assignment -name FAMILY $family
set_global_assignment -name DEVICE $device
set_global_assignment -name TOP_LEVEL_ENTITY {module}
{sources}set_global_assignment -name SDC_FILE $core/constraints/{module}.sdc

# Blocks and keys are more bits than a device has pins: all ports but the clock end in logic cells.
{pins}
export_assignments
project_close
"""


def _continued(lines: str) -> str:
    """Lines of one command of Tcl."""
    return lines.replace("\n", " \\\n")


def _bits(port: Port) -> str:
    """All bits of a port, for the ``-to`` of an assignment."""
    return "[*]" if port.width > 1 else ""
