# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The devices we measure on: how each is synthesized, placed, routed and counted.

One row of ``DEVICES`` is all that the rest of the tool knows about a device. To add one of a family
that is here, add a row; to add a family, say also what each of its cells costs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

from aesfab.errors import unknown


@dataclasses.dataclass(frozen=True)
class Counts:
    """Area of a netlist, one column for each kind of resource.

    Attributes:
        lut: LUT sites taken: ``lut_logic``, ``lut_ram`` and the sites that carry cells occupy.
        lut_logic: LUT cells that compute logic.
        lut_ram: LUT sites taken by distributed RAM and shift registers.
        carry: carry cells.
        wide_mux: hard multiplexers that join LUTs.
        ff: flip-flops and latches.
        ram: block RAMs, in the smallest unit that the device has.
        other: cells that no column counts (multipliers, buffers), type to number.
    """

    lut: int = 0
    lut_logic: int = 0
    lut_ram: int = 0
    carry: int = 0
    wide_mux: int = 0
    ff: int = 0
    ram: int = 0
    other: Mapping[str, int] = dataclasses.field(default_factory=lambda: MappingProxyType({}))

    def columns(self) -> dict[str, int]:
        """The numbers by column name, without ``other``."""
        return {name: getattr(self, name) for name in COLUMNS}


COLUMNS = ("lut", "lut_logic", "lut_ram", "carry", "wide_mux", "ff", "ram")
"""The columns of Counts, in the order of tables."""


def _lut() -> Counts:
    return Counts(lut=1, lut_logic=1)


def _lut_ram(sites: int) -> Counts:
    return Counts(lut=sites, lut_ram=sites)


_FF = Counts(ff=1)
_MUX = Counts(wide_mux=1)
_CARRY = Counts(carry=1)

_ECP5_CELLS = {
    "LUT4": _lut(),
    # A CCU2C is a slice of two LUTs in carry mode.
    "CCU2C": Counts(lut=2, carry=1),
    # 16 x 4 bit take six LUT sites: the four of slices A and B hold the bits, and the two of
    # slice C become their write port (TRELLIS_RAMW), which leaves no LUT there. nextpnr 0.11.1
    # says so itself: for one such cell it packs 4 TRELLIS_COMB in mode DPRAM and 2 in mode
    # RAMW_BLOCK; eight of them take 32 and 16.
    "TRELLIS_DPR16X4": _lut_ram(6),
    "PFUMX": _MUX,
    "L6MUX21": _MUX,
    "TRELLIS_FF": _FF,
    "DP16KD": Counts(ram=1),
    "PDPW16KD": Counts(ram=1),
}

_ICE40_CELLS = {
    "SB_LUT4": _lut(),
    # Stands beside a LUT and takes no site of its own where that LUT uses the sum.
    "SB_CARRY": _CARRY,
    **{
        f"SB_DFF{edge}{enable}{control}": _FF
        for edge in ("", "N")
        for enable in ("", "E")
        for control in ("", "R", "S", "SR", "SS")
    },
    **{f"SB_RAM40_4K{edges}": Counts(ram=1) for edges in ("", "NR", "NW", "NRNW")},
}

_XILINX_CELLS = {
    **{f"LUT{inputs}": _lut() for inputs in range(1, 7)},
    # Most inverters vanish in the LUT or flip-flop that they feed; counted so as not to flatter.
    "INV": _lut(),
    "CARRY4": _CARRY,
    "MUXCY": _CARRY,
    # The gate of the sum beside each MUXCY belongs to the same carry cell.
    "XORCY": Counts(),
    **{f"MUXF{inputs}": _MUX for inputs in range(5, 9)},
    **{
        name + edge: _FF
        for name in ("FDCE", "FDPE", "FDRE", "FDSE", "FDCPE", "LDCE", "LDPE", "LDCPE")
        for edge in ("", "_1")
    },
    "SRL16": _lut_ram(1),
    "SRL16E": _lut_ram(1),
    "SRLC16E": _lut_ram(1),
    "RAM16X1S": _lut_ram(1),
    "RAM16X1D": _lut_ram(2),
}

_XILINX_LUT4_CELLS = {
    **_XILINX_CELLS,
    "RAM32X1S": _lut_ram(2),
    "RAM32X1D": _lut_ram(4),
    "RAM64X1S": _lut_ram(4),
    "RAM64X1D": _lut_ram(8),
    "RAM128X1S": _lut_ram(8),
}

_VIRTEX_CELLS = {
    **_XILINX_LUT4_CELLS,
    **{f"RAMB4_S{a}": Counts(ram=1) for a in (1, 2, 4, 8, 16)},
    **{f"RAMB4_S{a}_S{b}": Counts(ram=1) for a in (1, 2, 4, 8, 16) for b in (1, 2, 4, 8, 16)},
}

_SPARTAN3_CELLS = {
    **_XILINX_LUT4_CELLS,
    **{f"RAMB16_S{a}": Counts(ram=1) for a in (1, 2, 4, 9, 18, 36)},
    **{
        f"RAMB16_S{a}_S{b}": Counts(ram=1)
        for a in (1, 2, 4, 9, 18, 36)
        for b in (1, 2, 4, 9, 18, 36)
    },
}

_XILINX_LUT6_CELLS = {
    **_XILINX_CELLS,
    "SRLC32E": _lut_ram(1),
    "RAM32X1S": _lut_ram(1),
    "RAM32X1D": _lut_ram(2),
    "RAM64X1S": _lut_ram(1),
    "RAM64X1D": _lut_ram(2),
    "RAM128X1S": _lut_ram(2),
    "RAM128X1D": _lut_ram(4),
    "RAM256X1S": _lut_ram(4),
    "RAM32M": _lut_ram(4),
    "RAM64M": _lut_ram(4),
    # A 36-kbit block is two of 18 kbit.
    **{f"RAMB18{kind}": Counts(ram=1) for kind in ("", "SDP", "E1")},
    **{f"RAMB36{kind}": Counts(ram=2) for kind in ("", "SDP", "E1")},
}


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A way to map a design on a device.

    Attributes:
        name: as the user types it.
        summary: what it does, for listings.
        commands: Yosys commands from the elaborated to the flattened, mapped design; ``{top}``
            stands for the top module.
        output_registers: whether flip-flops behind block RAMs then become their output registers
            (``yosys.absorb_output_registers``); Yosys does not do that by itself.
    """

    name: str
    summary: str
    commands: tuple[str, ...]
    output_registers: bool = False

    def for_top(self, top: str) -> list[str]:
        """The commands for a top module."""
        return [command.format(top=top) for command in self.commands]


def _recipes(synth: str, **more: tuple[str, str | tuple[str, ...]]) -> dict[str, Recipe]:
    """Recipes by name: the plain command, and variants as options or as whole command lists."""
    recipes = [Recipe("default", "as Yosys maps by itself", (synth,))]
    for name, (summary, change) in more.items():
        commands = (f"{synth} {change}",) if isinstance(change, str) else change
        recipes.append(Recipe(name, summary, commands))
    return {recipe.name: recipe for recipe in recipes}


def _ecp5_recipes() -> dict[str, Recipe]:
    synth = "synth_ecp5 -top {top}"
    outreg = Recipe(
        "outreg",
        "LUTs only, and the output registers of block RAMs in use",
        (f"{synth} -nowidelut",),
        output_registers=True,
    )
    recipes = _recipes(
        synth,
        nowidelut=("LUTs only, no hard multiplexers", "-nowidelut"),
        # What synth_ecp5 does, with the mapper changed; smaller by some percent for wide tables.
        abc=(
            "LUTs only, mapped by classic ABC",
            (f"{synth} -run begin:map_luts", "abc -lut 4", "clean", f"{synth} -run map_cells:"),
        ),
        dff=("logic optimised across flip-flops", "-dff"),
        nobram=("no block RAM", "-nobram"),
        nolutram=("no distributed RAM", "-nolutram"),
    )
    return {**recipes, outreg.name: outreg}


def _ice40_recipes(kind: str) -> dict[str, Recipe]:
    synth = f"synth_ice40 -device {kind} -top {{top}}"
    return _recipes(
        synth,
        abc=(
            "mapped by classic ABC",
            (
                f"{synth} -run begin:map_luts",
                "abc -lut 4",
                "ice40_wrapcarry -unwrap",
                "techmap -map +/ice40/ff_map.v",
                "clean",
                "opt_lut -tech ice40",
                f"{synth} -run map_cells:",
            ),
        ),
        dff=("logic optimised across flip-flops", "-dff"),
        nobram=("no block RAM", "-nobram"),
    )


def _xilinx_recipes(family: str) -> dict[str, Recipe]:
    synth = f"synth_xilinx -family {family} -flatten -noiopad -noclkbuf -top {{top}}"
    return _recipes(
        synth,
        nowidelut=("LUTs only, no hard multiplexers", "-nowidelut"),
        nobram=("no block RAM", "-nobram"),
        nolutram=("no distributed RAM or LUT shift registers", "-nolutram -nosrl"),
    )


@dataclasses.dataclass(frozen=True)
class Device:
    """A device of the table.

    Attributes:
        name: as the user types it.
        family: for headings.
        part: ordering code without package and grade, or the family for synthesis only.
        package: as nextpnr names it.
        speed: speed grade, as nextpnr takes it; empty where it has none.
        lut_inputs: inputs of a LUT.
        ram_kbit: size of the block RAM that ``Counts.ram`` counts, in kbit.
        cells: what each cell type costs.
        recipes: the ways to map, by name.
        nextpnr: which nextpnr places it (``ecp5``, ``ice40``); empty: none does.
        arguments: device, package and target frequency for nextpnr.
        target_mhz: the frequency that nextpnr aims at; set above what designs reach.
    """

    name: str
    family: str
    part: str
    package: str
    speed: str
    lut_inputs: int
    ram_kbit: int
    cells: Mapping[str, Counts]
    recipes: Mapping[str, Recipe]
    nextpnr: str = ""
    arguments: tuple[str, ...] = ()
    target_mhz: int = 0

    @property
    def place_and_route(self) -> bool:
        """Whether an open tool places and routes it; else there is area and depth only."""
        return bool(self.nextpnr)

    def recipe(self, name: str) -> Recipe:
        """The recipe called ``name``; AesfabError for one that this device does not have."""
        if name not in self.recipes:
            raise unknown(f"recipe for {self.name}", name, self.recipes)
        return self.recipes[name]

    def count(self, cells: Mapping[str, int]) -> Counts:
        """The area of a flattened netlist from its cells, type to number."""
        totals = dict.fromkeys(COLUMNS, 0)
        other = {}
        for kind, number in sorted(cells.items()):
            if kind in self.cells:
                for name, each in self.cells[kind].columns().items():
                    totals[name] += number * each
            elif not kind.startswith("$scopeinfo"):
                other[kind] = number
        return Counts(**totals, other=MappingProxyType(other))


def _ecp5(size: str, package: str) -> Device:
    target = 300
    return Device(
        name=f"ecp5-{size}",
        family="ECP5",
        part=f"LFE5U-{size.removesuffix('k')}F",
        package=package,
        speed="6",
        lut_inputs=4,
        ram_kbit=18,
        cells=_ECP5_CELLS,
        recipes=_ecp5_recipes(),
        nextpnr="ecp5",
        arguments=(
            f"--{size}",
            *("--package", package),
            *("--speed", "6"),
            *("--freq", str(target)),
            "--lpf-allow-unconstrained",
            "--timing-allow-fail",
        ),
        target_mhz=target,
    )


def _ice40(model: str, package: str, part: str, kind: str, target: int) -> Device:
    return Device(
        name=f"ice40-{model}",
        family="iCE40",
        part=part,
        package=package,
        speed="",
        lut_inputs=4,
        ram_kbit=4,
        cells=_ICE40_CELLS,
        recipes=_ice40_recipes(kind),
        nextpnr="ice40",
        arguments=(
            f"--{model}",
            *("--package", package),
            *("--freq", str(target)),
            "--timing-allow-fail",
        ),
        target_mhz=target,
    )


def _synthesis_only(
    name: str, family: str, yosys_family: str, ram_kbit: int, cells: Mapping[str, Counts]
) -> Device:
    return Device(
        name=name,
        family=family,
        part=family,
        package="",
        speed="",
        lut_inputs=6 if cells is _XILINX_LUT6_CELLS else 4,
        ram_kbit=ram_kbit,
        cells=cells,
        recipes=_xilinx_recipes(yosys_family),
    )


DEVICES: dict[str, Device] = {
    device.name: device
    for device in [
        _ecp5("25k", "CABGA381"),
        _ecp5("45k", "CABGA381"),
        _ecp5("85k", "CABGA756"),
        _ice40("hx8k", "ct256", "iCE40HX8K", "hx", 150),
        _ice40("up5k", "sg48", "iCE40UP5K", "u", 60),
        _synthesis_only("virtex", "Virtex", "xcv", 4, _VIRTEX_CELLS),
        _synthesis_only("virtex-e", "Virtex-E", "xcve", 4, _VIRTEX_CELLS),
        _synthesis_only("spartan-3e", "Spartan-3E", "xc3se", 18, _SPARTAN3_CELLS),
        _synthesis_only("virtex-5", "Virtex-5", "xc5v", 18, _XILINX_LUT6_CELLS),
        _synthesis_only("7-series", "7 series", "xc7", 18, _XILINX_LUT6_CELLS),
    ]
}
"""Name to device, in the order of listings."""


def find(name: str) -> Device:
    """The device called ``name``; AesfabError with the nearest names for any other."""
    if name not in DEVICES:
        raise unknown("device", name, DEVICES)
    return DEVICES[name]
