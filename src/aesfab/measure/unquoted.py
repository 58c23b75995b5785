# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""``syn/`` of a folder that quotes no figures: of engines, host systems and cores without records.

The scripts are those of a core (``measure.scripts``), with the plain flow for each device. They
print area and clock, and compare them with nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from aesfab import records
from aesfab.design.ports import Port
from aesfab.devices import DEVICES, Device
from aesfab.measure import implement, scripts

ROW = f"| `{scripts.FOLDER}/` | area and clock, with plain Yosys and nextpnr |\n"
"""The line of these files in the table of a README."""

SEEDS = (1, 2, 3)
"""Seeds of place and route."""

_QUOTED = re.compile(r"^ *(?:quoted|range|note)=.*\n", re.M)

# What the scripts of a core say of the figures that its data sheet quotes.
_OF_SCRIPT = (
    (": the figures of the data sheet again.", ": area and clock."),
    (
        """\
# What is quoted of a recipe: LUTs, flip-flops, block RAMs and MHz; the range of the clock, and its
# seeds. And the steps of finish.py, and the options of nextpnr.
""",
        "# Of a recipe: seeds of the clock, steps of finish.py, options of nextpnr.\n",
    ),
)
_OF_FLOW = (
    ("which sets quoted, range, note, seeds\n# and steps", "which sets seeds and\n# steps"),
    ("Yosys and nextpnr; beside it the quoted figures, and the difference.", "Yosys and nextpnr."),
    ("(default: those of the quoted clock); empty: area only", "(empty: area only)"),
    ("that package of PYTHON, which took\n           the quoted figures", "that package of PYTHON"),
    (
        "The quoted figures are of $tools. Other versions give others.",
        "No figures of $top are quoted.",
    ),
)
_PRINTING = re.compile(r"^sort -n clocks \| awk .*?\n  \}'\n", re.M | re.S)
_PRINTED = """\
sort -n clocks | awk -v area="$lut $ff $ram" '
  { mhz[NR] = $1 }
  END {
    middle = int((NR + 1) / 2)
    median = NR % 2 ? mhz[middle] : (mhz[middle] + mhz[middle + 1]) / 2
    split(area, now, " ")
    clock = NR == 0 ? "-" : sprintf("%.2f", median)
    print "lut=" now[1] " ff=" now[2] " ram=" now[3] " mhz=" clock
    print "quoted: nothing"
  }'
"""
"""What they print at the end."""


def files(
    module: str,
    ports: Sequence[Port],
    sources: Sequence[Path],
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, str]:
    """The files of ``syn``, by their names in the folder.

    Args:
        module: the top module, on the clock ``clk_i``.
        ports: its ports.
        sources: its SystemVerilog files, packages first.
        progress: hears of what takes time.

    Raises:
        AesfabError, ToolError: as ``scripts.files``.
    """
    found = scripts.files(module, ports, sources, map(_row, DEVICES.values()), progress)
    for name in DEVICES:
        found[f"{name}.sh"] = _QUOTED.sub("", _replaced(found[f"{name}.sh"], _OF_SCRIPT))
    flow, times = _PRINTING.subn(_PRINTED, _replaced(found["flow.sh"], _OF_FLOW))
    if times != 1:
        raise ValueError("the script prints its figures elsewhere")
    found["flow.sh"] = flow
    return {f"{scripts.FOLDER}/{name}": text for name, text in found.items()}


def section(with_scripts: bool) -> str:
    """Markdown for the README of the folder: that nothing is quoted, and how to measure."""
    if not with_scripts:
        return """
## Area and clock

No figures are quoted. Folders that `aesfab` writes where Yosys is installed
(`pip install 'aesfab[verilog]'`) have scripts that measure, in `syn/`.
"""
    return f"""
## Area and clock

No figures are quoted. With Yosys and, for the clock, nextpnr, a script for each device measures:

```sh
sh {scripts.FOLDER}/ecp5-25k.sh
```

It prints `lut=N ff=N ram=N mhz=N`; `--help` says what it takes. Devices:
{", ".join(f"`{name}`" for name in DEVICES)}.
"""


def _row(device: Device) -> records.Record:
    """The plain flow of a device as a row of a data sheet, whose figures then go."""
    clock = {"median": 0.0, "min": 0.0, "max": 0.0, "seeds": {str(seed): 0.0 for seed in SEEDS}}
    return {
        **{"device": device.name, "recipe": records.PLAIN, "flow": implement.FLOW},
        **{"status": implement.OK, "lut": 0, "ff": 0, "ram": 0},
        "fmax_mhz": clock if device.place_and_route else None,
    }


def _replaced(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    for old, new in pairs:
        if text.count(old) != 1:
            raise ValueError(f"not once in a script: {old!r}")
        text = text.replace(old, new)
    return text
