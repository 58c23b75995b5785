# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The mapping of a core as files for plain Yosys: the canonical netlist and a script for a recipe.

Who has these files and the Yosys of the records gets the area of the records, to the last cell,
without AESFab: ``yosys -s RECIPE.ys``. Commands of Yosys do all of it. Output registers of block
RAMs, which ``yosys.absorb_output_registers`` finds, are edits by name at the end of the script: the
names follow from the netlist and from the version of Yosys. With another version an edit whose
cell is not there ends the script with an error, and nothing wrong is written.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from aesfab.devices import Device
from aesfab.eda import yosys

MAPPED = "core.json"
"""What a script writes: the mapped netlist."""


def files(
    sources: Sequence[Path],
    top: str,
    device: Device,
    recipe: str,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, str]:
    """The files that map a core: ``yosys.CANONICAL``, ``RECIPE.ys`` and what that reads.

    Where the recipe has output registers, the core is mapped to see which there are.

    Args:
        sources: SystemVerilog files of the core, packages first.
        top: its top module, and the name of the module in the mapped netlist.
        device: what to map for.
        recipe: a recipe of the device.
        progress: hears of a long first start.

    Raises:
        AesfabError: an unknown recipe; else as ``yosys.canonical`` and ``yosys.run_script``.
    """
    chosen = device.recipe(recipe)
    netlist = yosys.canonical(sources, top, progress)
    commands = yosys.mapping(chosen, top, MAPPED)
    if chosen.output_registers:
        with yosys.workspace() as (folder, _):
            chosen.lay_out(folder)
            (folder / yosys.CANONICAL).write_text(netlist.text)
            yosys.run_script(commands, what=f"synthesis of {top}", cwd=folder, outputs=[MAPPED])
            before = yosys.load_netlist(folder / MAPPED)
        after = copy.deepcopy(before)
        yosys.absorb_output_registers(after, top)
        *mapping, write = commands
        commands = [*mapping, *edits(before, after, top), write]
    text = "".join(f"{command}\n" for command in commands)
    return {yosys.CANONICAL: netlist.text, **chosen.files, f"{recipe}.ys": text}


def edits(before: Mapping[str, Any], after: Mapping[str, Any], top: str) -> Iterator[str]:
    """Commands of Yosys that make one netlist from another, of cells changed and removed only."""
    old, new = before["modules"][top], after["modules"][top]
    nets: dict[int, str] = {}
    for name, net in old["netnames"].items():
        for index, bit in enumerate(net["bits"]):
            alone = len(net["bits"]) == 1
            nets.setdefault(bit, _escaped(name) + ("" if alone else f"[{index}]"))
    yield f"cd {top}"
    for name, cell in old["cells"].items():
        if name not in new["cells"]:
            yield f"delete c:{name}"
            continue
        changed = new["cells"][name]
        for key, value in changed["parameters"].items():
            if cell["parameters"].get(key) != value:
                yield f"setparam -set {key} {_value(value)} c:{name}"
        for key, value in changed.get("attributes", {}).items():
            if cell.get("attributes", {}).get(key) != value:
                yield f"setattr -set {key} {_value(value)} c:{name}"
        for port, bits in changed["connections"].items():
            if cell["connections"].get(port) != bits:
                signals = [f"1'{bit}" if isinstance(bit, str) else nets[bit] for bit in bits[::-1]]
                signal = signals[0] if len(signals) == 1 else f"{{{','.join(signals)}}}"
                yield f"connect -nomap -port {_escaped(name)} {_escaped(port)} {signal}"
    yield "cd .."


def _escaped(name: str) -> str:
    return name if name.startswith("$") else f"\\{name}"


def _value(value: str) -> str:
    """A parameter or attribute as ``setparam`` takes it."""
    return f"{len(value)}'{value}" if set(value) <= set("01xz") else json.dumps(value)
