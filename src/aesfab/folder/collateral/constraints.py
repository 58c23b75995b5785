# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Examples of timing constraints for a top module: SDC, XDC, LPF and PCF.

They name its ports as if it were the top of the project. In a project in which it is
not, the user changes the names, and the files say so.
"""

from __future__ import annotations

from aesfab.folder.collateral.top import Top

DEFAULT_MHZ = 100.0
"""The example frequency where no measurement of the design is known."""

_CLOCK, _RESET = "clk_i", "rst_ni"


def files(top: Top, mhz: float | None = None) -> dict[str, str]:
    """The constraint files of a top module.

    Args:
        top: the top module.
        mhz: the clock of the best record of the design, in MHz; None where there is none.

    Returns:
        Relative name to text: ``constraints/MODULE.sdc``, ``.xdc``, ``.lpf`` and ``.pcf``.
    """
    target = DEFAULT_MHZ if mhz is None else mhz
    if not target > 0:
        raise ValueError(f"a clock of {target} MHz")
    frequency = f"{target:.2f}"
    period = f"{1000 / target:.3f}"
    module = top.module
    head = _head(top, frequency, mhz is not None)
    clock = f"create_clock -name {_CLOCK} -period {period} [get_ports {{{_CLOCK}}}]\n"
    false_path = f"set_false_path -from [get_ports {{{_RESET}}}]\n"
    texts = {
        "sdc": (
            "SDC: Quartus, Gowin EDA, Efinity, Libero, Radiant, and nextpnr with --sdc.",
            f"{clock}\n{_RESET_TEXT}"
            "#\n# nextpnr times no path from a pin, and takes no false path without -to. Where\n"
            "# another tool reads this file, remove the '#' in front of the next line.\n"
            f"# {false_path}",
        ),
        "xdc": (
            "XDC: Vivado.",
            f"{clock}\n{_RESET_TEXT}{false_path}\n"
            "# Every port of a top module wants a pin and a standard, for example:\n"
            "# set_property -dict {PACKAGE_PIN E3 IOSTANDARD LVCMOS33} "
            f"[get_ports {{{_CLOCK}}}]\n",
        ),
        "lpf": (
            "LPF: nextpnr-ecp5 with --lpf, and Diamond.",
            f'FREQUENCY PORT "{_CLOCK}" {frequency} MHZ;\n\n{_RESET_TEXT}'
            "BLOCK ASYNCPATHS;\nBLOCK RESETPATHS;\n\n"
            "# Every port of a top module wants a pin and a standard, for example:\n"
            f'# LOCATE COMP "{_CLOCK}" SITE "P3";\n'
            f'# IOBUF PORT "{_CLOCK}" IO_TYPE=LVCMOS33;\n',
        ),
        "pcf": (
            "PCF: nextpnr-ice40 with --pcf. icecube2 knows set_io alone.",
            f"set_frequency {_CLOCK} {frequency}\n\n{_RESET_TEXT}"
            "#\n# nextpnr-ice40 times no path from a pin, so PCF has no line for this.\n\n"
            "# Every port of a top module wants a pin, for example:\n"
            f"# set_io {_CLOCK} 35\n",
        ),
    }
    return {
        f"constraints/{module}.{kind}": f"{head}#\n# {who}\n\n{body}"
        for kind, (who, body) in texts.items()
    }


_RESET_TEXT = f"""\
# {_RESET} resets flip-flops asynchronously. As a pin it has no relation to the clock, so no path
# that begins there can be timed. Its release must not come near a rising edge: bring it through two
# flip-flops of {_CLOCK}, which the reset clears and which shift in a one. A path that begins at
# these must be timed, so name the pin in front of them here, and not their output.
"""


def _head(top: Top, frequency: str, measured: bool) -> str:
    if measured:
        why = (
            "the best clock that was measured for it\n"
            "#   on any device. README.md has that of yours. Write the clock of your board."
        )
    else:
        why = (
            "a round number, for no clock was measured for it.\n#   Write the clock of your board."
        )
    return f"""\
# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Example constraints of {top.module}.
# {top.what}.
#
# What you must change:
# - The frequency. {frequency} MHz is an example: {why}
# - The names, where it is not the top of your project: {_CLOCK} becomes the port or net of your top
#   that carries its clock, {_RESET} the pin of your reset. Inside a project it needs no constraint
#   of its own beside these.
"""
