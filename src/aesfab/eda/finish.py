# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is done to a mapped netlist after Yosys and before nextpnr, for neither does it.

Flip-flops behind block RAMs become the RAMs' output registers, and some cells get a place.

A generated folder carries this file (``syn/finish.py``), so that a recipe with one of these steps
runs without AESFab: ``python3 finish.py STEP NETLIST TOP [PLAN]`` changes the netlist in the file
NETLIST, as Yosys writes it in JSON. It needs Python 3.10 and nothing else.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

# ---------------------------------------------------------------------- output registers


def absorb_output_registers(netlist: Mapping[str, Any], top: str) -> int:
    """Turn flip-flops behind ECP5 block RAMs into the RAMs' output registers, in place.

    A port of a DP16KD that reads has a register on its outputs that nextpnr knows of (REGMODE =
    OUTREG) and Yosys never uses: without it data come 5.8 ns after the clock. It takes the place of
    the flip-flops behind the port where each used output goes to one plain flip-flop and nowhere
    else: same clock, no enable and no value to start with (other than 0, which the register has
    too). An
    asynchronous reset to 0 that all of them have becomes the reset of the port. The outputs behind
    it are those of the flip-flops, clock for clock.

    Args:
        netlist: a flattened netlist, mapped for ECP5.
        top: its module.

    Returns:
        How many flip-flops are gone.
    """
    module = netlist["modules"][top]
    cells = module["cells"]
    uses: collections.Counter[int] = collections.Counter()
    reader: dict[int, str] = {}
    for name, cell in cells.items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] != "output":
                for bit in bits:
                    uses[bit] += 1
                    if cell["type"] == "TRELLIS_FF" and port == "DI":
                        reader[bit] = name
    for port in module["ports"].values():
        uses.update(port["bits"])

    gone = 0
    for ram in [cell for cell in cells.values() if cell["type"] == "DP16KD"]:
        for halves in _read_ports(ram):
            wires, parameters = ram["connections"], ram["parameters"]
            outputs = [
                port
                for port in wires
                if re.fullmatch(rf"DO[{halves}]\d+", port) and uses[_bit(wires[port])]
            ]
            taken = [reader.get(_bit(wires[port]), "") for port in outputs]
            # Clock and enable are those of the port that reads, the last half.
            clock, enable = f"CLK{halves[-1]}", f"OCE{halves[-1]}"
            if not outputs or not all(
                name
                and uses[_bit(wires[port])] == 1
                and _plain_register(cells[name])
                and _clock(cells[name], "CLK") == _clock(ram, clock)
                for port, name in zip(outputs, taken, strict=True)
            ):
                continue
            if wires[enable] != ["1"] or any(
                parameters[f"REGMODE_{half}"] != "NOREG" or wires[f"RST{half}"] != ["0"]
                for half in halves
            ):
                continue
            resets = {_reset(cells[name]) for name in taken}
            if len(resets) > 1:
                continue
            (reset,) = resets
            if reset != "0":
                parameters |= {"RESETMODE": "ASYNC", "ASYNC_RESET_RELEASE": "ASYNC"}
            for half in halves:
                parameters[f"REGMODE_{half}"] = "OUTREG"
                wires[f"RST{half}"] = [reset]
            for port, name in zip(outputs, taken, strict=True):
                wires[port] = cells.pop(name)["connections"]["Q"]
            gone += len(taken)
    return gone


def _read_ports(ram: Mapping[str, Any]) -> tuple[str, ...]:
    """The halves of the outputs of each port of a DP16KD that reads.

    With 36 bits the second port reads and both halves are its outputs: they have one REGMODE, as
    those of a PDPW16KD, which nextpnr makes such a DP16KD of.
    """
    widths = (int(str(ram["parameters"].get(f"DATA_WIDTH_{half}", "0")), 2) for half in "AB")
    return ("AB",) if set(widths) == {36} else ("A", "B")


def _bit(bits: Sequence[Any]) -> Any:
    return bits[0] if bits else None


def _plain_register(cell: Mapping[str, Any]) -> bool:
    """Whether a TRELLIS_FF takes its input in every clock, but for an asynchronous reset to 0.

    And is 0 at the start if anything.
    """
    parameters = cell["parameters"]
    return bool(
        parameters.get("CEMUX", "1").strip() == "1"
        and parameters.get("REGSET", "RESET") == "RESET"
        and parameters.get("LSRMUX", "LSR") == "LSR"
        and (_reset(cell) == "0" or parameters.get("SRMODE") == "ASYNC")
    )


def _reset(cell: Mapping[str, Any]) -> Any:
    """The net that resets a TRELLIS_FF, "0" where none does."""
    return _bit(cell["connections"].get("LSR", ["0"]))


def _clock(cell: Mapping[str, Any], port: str) -> tuple[Any, bool]:
    """The net at a clock port, and whether it is inverted there."""
    return _bit(cell["connections"][port]), cell["parameters"].get(f"{port}MUX") == "INV"


# ----------------------------------------------------------------------------- floorplan

_PLACE = re.compile(r"X(\d+)/Y(\d+)/")

_FIXED = 2
"""Flip-flops of an S-box that are fixed."""

_FILLED = 0.52
"""Share of the flip-flops of an area that are in use, with rows without slices among its own."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a floorplan follows from, besides the netlist: the device, and which part is which.

    Every attribute is what JSON has, so that a plan can be a file.

    Attributes:
        ram_rows: see ``devices.Fabric``, as the next five.
        columns: the same.
        middle: the same.
        gaps: the same.
        flip_flop: the same.
        flip_flops_a_tile: the same.
        rams: types of cells that are block RAMs.
        flip_flops: types of cells that are flip-flops, to how many each is.
        name: pattern of what a memory is called in the canonical netlist.
        names: what it is called there to its name in the source.
        middles: see ``canonical.Netlist``.
        round: pattern of names (``hdl.roles``), as the next two.
        keys: the same.
        sbox_middle: the same.
        core: the instance of the core in the netlist.
    """

    ram_rows: Sequence[Sequence[str]]
    columns: Sequence[int]
    middle: int
    gaps: Sequence[int]
    flip_flop: str
    flip_flops_a_tile: int
    rams: Sequence[str]
    flip_flops: Mapping[str, int]
    name: str
    names: Mapping[str, str]
    middles: Mapping[str, Sequence[Sequence[Any]]]
    round: str
    keys: str
    sbox_middle: str
    core: str

    def source_name(self, name: str) -> str:
        """A name of a mapped block RAM, with that of the source that it was made from."""
        return re.sub(self.name, lambda found: self.names.get(found[0], found[0]), name)

    def of_keys(self, name: str) -> bool:
        """Whether a part of the source belongs to the key and not to the state."""
        return re.search(self.keys, name) is not None


class _SboxName(NamedTuple):
    """An S-box: the round, whether it is one of the key's, and its number there."""

    round: int
    key: bool
    number: int


def place(netlist: Mapping[str, Any], top: str, plan: Plan) -> int:
    """Give some cells of a flattened, mapped netlist a place, with attribute ``BEL``.

    See ``measure.floorplan``. Returns the number of cells that were given a place.
    """
    module = netlist["modules"][top]
    rams: list[str] = []
    rounds: dict[int, list[str]] = {}
    called: dict[str, str] = {}
    for name, cell in module["cells"].items():
        if cell["type"] in plan.rams:
            known = plan.source_name(name)
            called[known] = name
            rams.append(known)
            if found := re.search(plan.round, known):
                rounds.setdefault(int(found[1]), []).append(known)
    if len(rounds) > 1:
        places = _ram_places(rounds, plan)
    elif rams:
        places = _loop_places(rams, plan)
    else:
        flip_flops = sum(plan.flip_flops.get(c["type"], 0) for c in module["cells"].values())
        places = _flip_flop_places(_sboxes(module, plan), plan, flip_flops)
    for name, bel in places.items():
        module["cells"][called.get(name, name)].setdefault("attributes", {})["BEL"] = bel
    return len(places)


def _ram_places(rounds: dict[int, list[str]], plan: Plan) -> dict[str, str]:
    """Cell to place: neighbouring columns for each round, in as few rows as hold all rounds."""
    widest = max(map(len, rounds.values()))
    for number in range(1, len(plan.ram_rows) + 1):
        rows = plan.ram_rows[:number]
        columns = -(-widest // number)
        if columns * len(rounds) > min(map(len, rows)):
            continue
        places: dict[str, str] = {}
        for band, index in enumerate(sorted(rounds)):
            # Column by column, so that what is in the middle of the list stays in the middle.
            part = slice(columns * band, columns * (band + 1))
            bels = [
                bel for column in zip(*(row[part] for row in rows), strict=True) for bel in column
            ]
            places.update(zip(_keys_inside(rounds[index], plan), bels, strict=False))
        return places
    return {}


def _loop_places(names: Sequence[str], plan: Plan) -> dict[str, str]:
    """Cell to place: neighbours in as few rows as hold them, and in the middle of each."""
    for number in range(1, len(plan.ram_rows) + 1):
        rows = plan.ram_rows[:number]
        if -(-len(names) // number) > min(map(len, rows)):
            continue
        order = sorted(names, key=lambda name: (plan.of_keys(name), _numbers(name)))
        keys = sum(plan.of_keys(name) for name in names)
        data, key = order[: len(order) - keys], order[len(order) - keys :]
        places: dict[str, str] = {}
        for index, row in enumerate(rows):
            part = _keys_inside(_share(data, index, number) + _share(key, index, number), plan)
            places.update(zip(part, _middle(row, len(part)), strict=True))
        return places
    return {}


def _share(names: list[str], index: int, number: int) -> list[str]:
    """One of so many parts of a list, of nearly the same length."""
    return names[len(names) * index // number : len(names) * (index + 1) // number]


def _middle(row: Sequence[str], length: int) -> Sequence[str]:
    """So many neighbours: those that are nearest to each other, of these the ones in the middle."""
    places = [tuple(map(int, match.groups())) for match in map(_PLACE.match, row) if match]

    def spread(start: int) -> tuple[int, int]:
        (left, low), (right, high) = places[start], places[start + length - 1]
        return right - left + high - low, abs(2 * start + length - len(row))

    start = min(range(len(row) - length + 1), key=spread)
    return row[start : start + length]


def _keys_inside(names: Sequence[str], plan: Plan) -> list[str]:
    """The RAMs of a round in the order of its bytes, those of its key in the middle."""
    keys = sorted((name for name in names if plan.of_keys(name)), key=_numbers)
    data = sorted((name for name in names if not plan.of_keys(name)), key=_numbers)
    return [*data[: len(data) // 2], *keys, *data[len(data) // 2 :]]


def _numbers(name: str) -> list[int]:
    """The numbers in a name, by which ``gen_pair[10]`` comes after ``gen_pair[8]``."""
    return [int(number) for number in re.findall(r"\d+", name)]


def _sboxes(module: Mapping[str, Any], plan: Plan) -> dict[_SboxName, list[str]]:
    """Some flip-flops in the middle of each S-box that no LUT feeds."""
    outputs: dict[int, str] = {}
    inputs: dict[str, list[int]] = {}
    for name, cell in module["cells"].items():
        if cell["type"] in plan.flip_flops:
            ports = cell["port_directions"]
            for port, bits in cell["connections"].items():
                if ports[port] == "output":
                    outputs.update((bit, name) for bit in bits)
                else:
                    inputs.setdefault(name, []).extend(bits)
    found: dict[_SboxName, list[str]] = {}
    inside = f"{plan.core}."
    bits_of = {net.removeprefix(inside): e["bits"] for net, e in module["netnames"].items()}
    for net, places in plan.middles.items():
        sbox = re.search(plan.sbox_middle, net)
        if sbox is None:
            continue
        nets = [bits_of[wire][index] for wire, index in places if wire in bits_of]
        names = [outputs[bit] for bit in nets if bit in outputs]
        plain = [name for name in names if any(bit in outputs for bit in inputs[name])]
        key = plan.of_keys(net)
        found[_SboxName(int(sbox[1]), key, int(sbox[2]))] = plain[:_FIXED]
    return found


def _flip_flop_places(
    sboxes: dict[_SboxName, list[str]], plan: Plan, flip_flops: int
) -> dict[str, str]:
    """Cell to place: two lanes of rounds, there and back, with their S-boxes in five rows.

    The S-boxes of a row go to the same column of MixColumns; those of the key are in the middle.
    """
    if not sboxes or not plan.flip_flop:
        return {}
    rounds = sorted({sbox.round for sbox in sboxes})
    lane = -(-len(rounds) // 2)
    width = len(plan.columns) // lane
    height = flip_flops / (len(rounds) * width * plan.flip_flops_a_tile * _FILLED)
    height = min(height, plan.middle - 1)
    places: dict[str, str] = {}
    for sbox, names in sboxes.items():
        index = rounds.index(sbox.round)
        back = index >= lane
        # Byte 0 of FIPS 197, in column 0 and row 0, has the highest number.
        column, row = divmod((3 if sbox.key else 15) - sbox.number, 4)
        mixed = (column - row) % 4
        across = 2 if sbox.key else mixed + (mixed >= 2)
        area = 2 * lane - 1 - index if back else index
        along = 3 - row if back else row
        x = plan.columns[int(width * (area + (along + 0.5) / 4))]
        y = int(plan.middle + height * ((across + 0.5) / 5 - (not back)))
        while y in plan.gaps:
            y += 1
        for n, name in enumerate(names):
            places[name] = plan.flip_flop.format(x=x, y=y, n=n)
    return places


# ------------------------------------------------------------------------------- program


def main(arguments: Sequence[str]) -> int:
    """Do a step to a netlist: ``registers NETLIST TOP`` or ``places NETLIST TOP PLAN``."""
    step, file, top, *plan = arguments
    path = Path(file)
    netlist = json.loads(path.read_bytes())
    if step == "registers":
        absorb_output_registers(netlist, top)
    else:
        place(netlist, top, Plan(**json.loads(Path(plan[0]).read_bytes())))
    # In lines, as Yosys writes it: the scripts beside this file read lines.
    path.write_text(json.dumps(netlist, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
