# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Where the rounds of a pipeline, or the block RAMs of a loop, stand on a device.

A placer that knows nothing of rounds lets them run into each other, and spreads the block RAMs of
one over half of the device; a few wires across all of it then set the clock. Here each round gets
an area of its own beside those of its neighbours by the places of very few cells, and the placer
brings the others there by itself::

    with block RAMs                         without

    RAM row  | 1 | 2 | 3 | .. | 10 |        +- 10 -+-  9 -+-  8 -+-  7 -+-  6 -+
    RAM row  | 1 | 2 | 3 | .. | 10 |        +-  1 -+-  2 -+-  3 -+-  4 -+-  5 -+

Block RAMs are fixed, all of each round. Without any, two flip-flops in the middle of each S-box
are, which take their bits from other flip-flops and so need not stand behind a LUT.

Block RAMs of a pipeline that belong to no round are left to the placer. Those of a core without
rounds side by side are neighbours in the middle of as few rows (or columns, where a device has its
RAMs in columns) as hold them, those of the key between those of the state.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from aesfab.devices import Device, Fabric
from aesfab.hdl import canonical, roles
from aesfab.measure import harness

_PLACE = re.compile(r"X(\d+)/Y(\d+)/")

_FIXED = 2
"""Flip-flops of an S-box that are fixed."""

_FILLED = 0.52
"""Share of the flip-flops of an area that are in use, with rows without slices among its own."""


class _SboxName(NamedTuple):
    """An S-box: the round, whether it is one of the key's, and its number there."""

    round: int
    key: bool
    number: int


def fix(netlist: Mapping[str, Any], top: str, device: Device, source: canonical.Netlist) -> int:
    """Give some cells of each round of a pipeline a place, with attribute ``BEL``.

    Nothing changes in a netlist that has neither such rounds nor block RAMs, and on a device whose
    ``fabric`` is not known or has too few block RAMs.

    Args:
        netlist: a flattened, mapped netlist of Yosys; changed in place.
        top: its top module.
        device: the device.
        source: what the netlist was mapped from, with the names of the RTL that say which part is
            which (``hdl.roles``).

    Returns:
        The number of cells that were given a place.
    """
    if device.fabric is None:
        return 0
    module = netlist["modules"][top]
    rams: list[str] = []
    rounds: dict[int, list[str]] = {}
    called: dict[str, str] = {}
    for name, cell in module["cells"].items():
        kind = device.cells.get(cell["type"])
        if kind is not None and kind.ram:
            known = source.source_name(name)
            called[known] = name
            rams.append(known)
            if found := roles.ROUND.search(known):
                rounds.setdefault(int(found[1]), []).append(known)
    if len(rounds) > 1:
        places = _ram_places(rounds, device.fabric)
    elif rams:
        places = _loop_places(rams, device.fabric)
    else:
        flip_flops = device.count(Counter(cell["type"] for cell in module["cells"].values())).ff
        places = _flip_flop_places(_sboxes(module, device, source), device.fabric, flip_flops)
    for name, bel in places.items():
        module["cells"][called.get(name, name)].setdefault("attributes", {})["BEL"] = bel
    return len(places)


# ---------------------------------------------------------------------------- block RAMs


def _ram_places(rounds: dict[int, list[str]], fabric: Fabric) -> dict[str, str]:
    """Cell to place: neighbouring columns for each round, in as few rows as hold all rounds."""
    widest = max(map(len, rounds.values()))
    for number in range(1, len(fabric.ram_rows) + 1):
        rows = fabric.ram_rows[:number]
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
            places.update(zip(_keys_inside(rounds[index]), bels, strict=False))
        return places
    return {}


def _loop_places(names: Sequence[str], fabric: Fabric) -> dict[str, str]:
    """Cell to place: neighbours in as few rows as hold them, and in the middle of each."""
    for number in range(1, len(fabric.ram_rows) + 1):
        rows = fabric.ram_rows[:number]
        if -(-len(names) // number) > min(map(len, rows)):
            continue
        order = sorted(
            names, key=lambda name: (roles.KEYS.search(name) is not None, _numbers(name))
        )
        keys = sum(roles.KEYS.search(name) is not None for name in names)
        data, key = order[: len(order) - keys], order[len(order) - keys :]
        places: dict[str, str] = {}
        for index, row in enumerate(rows):
            part = _keys_inside(_share(data, index, number) + _share(key, index, number))
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


def _keys_inside(names: Sequence[str]) -> list[str]:
    """The RAMs of a round in the order of its bytes, those of its key in the middle."""
    keys = sorted((name for name in names if roles.KEYS.search(name)), key=_numbers)
    data = sorted((name for name in names if not roles.KEYS.search(name)), key=_numbers)
    return [*data[: len(data) // 2], *keys, *data[len(data) // 2 :]]


def _numbers(name: str) -> list[int]:
    """The numbers in a name, by which ``gen_pair[10]`` comes after ``gen_pair[8]``."""
    return [int(number) for number in re.findall(r"\d+", name)]


# ---------------------------------------------------------------------------- flip-flops


def _sboxes(
    module: Mapping[str, Any], device: Device, source: canonical.Netlist
) -> dict[_SboxName, list[str]]:
    """Some flip-flops in the middle of each S-box that no LUT feeds."""
    outputs: dict[int, str] = {}
    inputs: dict[str, list[int]] = {}
    for name, cell in module["cells"].items():
        kind = device.cells.get(cell["type"])
        if kind is not None and kind.ff:
            ports = cell["port_directions"]
            for port, bits in cell["connections"].items():
                if ports[port] == "output":
                    outputs.update((bit, name) for bit in bits)
                else:
                    inputs.setdefault(name, []).extend(bits)
    found: dict[_SboxName, list[str]] = {}
    inside = f"{harness.CORE}."
    bits_of = {net.removeprefix(inside): e["bits"] for net, e in module["netnames"].items()}
    for net, places in source.middles.items():
        sbox = roles.SBOX_MIDDLE.search(net)
        if sbox is None:
            continue
        nets = [bits_of[wire][index] for wire, index in places if wire in bits_of]
        names = [outputs[bit] for bit in nets if bit in outputs]
        plain = [name for name in names if any(bit in outputs for bit in inputs[name])]
        key = roles.KEYS.search(net) is not None
        found[_SboxName(int(sbox[1]), key, int(sbox[2]))] = plain[:_FIXED]
    return found


def _flip_flop_places(
    sboxes: dict[_SboxName, list[str]], fabric: Fabric, flip_flops: int
) -> dict[str, str]:
    """Cell to place: two lanes of rounds, there and back, with their S-boxes in five rows.

    The S-boxes of a row go to the same column of MixColumns; those of the key are in the middle.
    """
    if not sboxes or not fabric.flip_flop:
        return {}
    rounds = sorted({sbox.round for sbox in sboxes})
    lane = -(-len(rounds) // 2)
    width = len(fabric.columns) // lane
    height = flip_flops / (len(rounds) * width * fabric.flip_flops_a_tile * _FILLED)
    height = min(height, fabric.middle - 1)
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
        x = fabric.columns[int(width * (area + (along + 0.5) / 4))]
        y = int(fabric.middle + height * ((across + 0.5) / 5 - (not back)))
        while y in fabric.gaps:
            y += 1
        for n, name in enumerate(names):
            places[name] = fabric.flip_flop.format(x=x, y=y, n=n)
    return places
