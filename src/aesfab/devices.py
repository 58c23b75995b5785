# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The devices we measure on: how each is synthesized, placed, routed and counted.

One row of ``DEVICES`` is all that the rest of the tool knows about a device. To add one of a family
that is here, add a row; to add a family, say also what each of its cells costs.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
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

_NEXUS_CELLS = {
    "LUT4": _lut(),
    # Two LUTs joined by a multiplexer; nextpnr packs it into two OXIDE_COMB.
    "WIDEFN9": Counts(lut=2, lut_logic=2, wide_mux=1),
    # nextpnr makes a LUT of each inverter that it cannot absorb.
    "INV": _lut(),
    # As in ECP5: a carry cell is a slice of two LUTs, a distributed RAM takes a slice and a half
    # for its bits and its write port.
    "CCU2": Counts(lut=2, carry=1),
    "DPR16X4": _lut_ram(6),
    **{f"FD1P3{control}": _FF for control in ("BX", "DX", "IX", "JX")},
    **{kind: Counts(ram=1) for kind in ("DP16K", "PDP16K", "PDPSC16K")},
    "VHI": Counts(),
    "VLO": Counts(),
}

_GOWIN_CELLS = {
    **{f"LUT{inputs}": _lut() for inputs in range(1, 5)},
    "INV": _lut(),
    # A LUT in carry mode.
    "ALU": Counts(lut=1, carry=1),
    **{f"MUX2_LUT{inputs}": _MUX for inputs in range(5, 9)},
    # 16 x 1, 2 or 4 bit: six LUTs of a CFU, as Gowin's own reports count them.
    **{f"RAM16S{kind}{bits}": _lut_ram(6) for kind in ("", "DP") for bits in (1, 2, 4)},
    **{
        f"DFF{edge}{control}": _FF
        for edge in ("", "N")
        for control in ("", "E", "R", "RE", "S", "SE", "C", "CE", "P", "PE")
    },
    **{f"DL{edge}{control}": _FF for edge in ("", "N") for control in ("", "E", "C", "CE", "PE")},
    **{
        kind: Counts(ram=1)
        for kind in ("DPB", "DPX9B", "SDPB", "SDPX9B", "SP", "SPX9", "pROM", "pROMX9")
    },
    "VCC": Counts(),
    "GND": Counts(),
}

_GATEMATE_CELLS = {
    # Half a CPE is a tree of three LUT2, in place of any LUT; nextpnr packs each of these into one
    # CPE_LT and L2T5 and MX4 into two.
    "CC_LUT1": _lut(),
    "CC_LUT2": _lut(),
    "CC_L2T4": _lut(),
    "CC_L2T5": Counts(lut=2, lut_logic=2),
    "CC_MX2": _lut(),
    "CC_MX4": Counts(lut=2, lut_logic=2),
    "CC_ADDF": Counts(lut=1, carry=1),
    "CC_DFF": _FF,
    "CC_DLT": _FF,
    # A block of 40 kbit is two of 20 kbit.
    "CC_BRAM_20K": Counts(ram=1),
    "CC_BRAM_40K": Counts(ram=2),
}

_CYCLONE_IV_CELLS = {
    # A logic element: its LUT, and its flip-flop. Sums are LUTs too.
    "cycloneiv_lcell_comb": _lut(),
    "dffeas": _FF,
    "M9K_SINGLEPORT": Counts(ram=1),
    # Yosys leaves the inverters of resets as they are.
    "$not": _lut(),
    "VCC": Counts(),
    "GND": Counts(),
}

_CYCLONE_V_CELLS = {
    **{f"MISTRAL_ALUT{inputs}": _lut() for inputs in range(2, 7)},
    "MISTRAL_ALUT_ARITH": Counts(lut=1, carry=1),
    "MISTRAL_NOT": _lut(),
    # One of the twenty half ALMs of a MLAB: 32 x 1 bit.
    "MISTRAL_MLAB": _lut_ram(1),
    "MISTRAL_FF": _FF,
    "MISTRAL_M10K": Counts(ram=1),
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


_ULTRASCALE_CELLS = {
    **_XILINX_LUT6_CELLS,
    # Eight bits a cell; the CARRY4 of older families stays for what Yosys writes with it.
    "CARRY8": _CARRY,
    "MUXF9": _MUX,
    "RAM256X1D": _lut_ram(8),
    "RAM512X1S": _lut_ram(8),
    "RAM32M16": _lut_ram(8),
    "RAM64M8": _lut_ram(8),
    "RAM64X8SW": _lut_ram(8),
    "RAM32X16DR8": _lut_ram(8),
    "RAMB18E2": Counts(ram=1),
    "RAMB36E2": Counts(ram=2),
}


@dataclasses.dataclass(frozen=True)
class Slice:
    """The group of LUTs and flip-flops in which a vendor counts area.

    Attributes:
        name: what the vendor calls it.
        pairs: LUTs with a flip-flop behind each that it holds.
        shared_inputs: what two functions in one LUT, each with an output of its own, may have as
            different inputs together; 0 where a LUT has one output.
        function_inputs: what each of the two may have, where that is less. Such a LUT is also
            shared by two carry cells or two bits of distributed RAM.
        registers: flip-flops behind each LUT.
        registers_ram: whether these take what a distributed RAM reads, too; where it does not say
            so, the estimate is that much too high.
    """

    name: str
    pairs: int
    shared_inputs: int = 0
    function_inputs: int | None = None
    registers: int = 1
    registers_ram: bool = False


@dataclasses.dataclass(frozen=True)
class Sites:
    """How much a device has of what ``Counts`` counts, as nextpnr counts it.

    Attributes:
        lut: sites for LUTs.
        ff: flip-flops.
        ram: block RAMs, in the unit of ``Counts.ram``.
    """

    lut: int
    ff: int
    ram: int


@dataclasses.dataclass(frozen=True)
class VendorTool:
    """The vendor's tool for a device (``aesfab implement --flow``).

    Attributes:
        name: ``vivado`` or ``quartus``, as edalize calls it.
        family: device family, as the tool calls it; empty where it follows from the part.
        part: full ordering code, of a part that the free editions take where there is one.
    """

    name: str
    family: str
    part: str


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A way to map a design on a device.

    Attributes:
        name: as the user types it.
        summary: what it does, for listings.
        commands: Yosys commands from the elaborated to the flattened, mapped design; ``{top}``
            stands for the top module.
        output_registers: whether flip-flops behind block RAMs then become their output registers
            (``finish.absorb_output_registers``); Yosys does not do that by itself.
        floorplan: whether the rounds of a pipeline are then given their places
            (``floorplan.fix``).
        files: name to text of the files that the commands read.
        arguments: options of nextpnr besides those of the device.
    """

    name: str
    summary: str
    commands: tuple[str, ...]
    output_registers: bool = False
    floorplan: bool = False
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    arguments: tuple[str, ...] = ()

    def for_top(self, top: str) -> list[str]:
        """The commands for a top module."""
        return [command.format(top=top) for command in self.commands]

    def lay_out(self, folder: Path) -> None:
        """Write the files that the commands read; OSError as ``Path.write_text``."""
        for name, text in self.files.items():
            (folder / name).write_text(text)


_BY_ITSELF = "as Yosys maps by itself, distributed RAM as what there is instead"
_TABLES_FIRST = "as Yosys maps by itself, after tables meant for logic are logic"


def _recipes(
    synth: str,
    *,
    default: tuple[str, tuple[str, ...]] | None = None,
    **more: tuple[str, str | tuple[str, ...]],
) -> dict[str, Recipe]:
    """Recipes by name: the plain command, and variants as options or as whole command lists.

    ``default`` is a summary and a command list instead of the plain command.
    """
    recipes = [Recipe("default", *(default or ("as Yosys maps by itself", (synth,))))]
    for name, (summary, change) in more.items():
        commands = (f"{synth} {change}",) if isinstance(change, str) else change
        recipes.append(Recipe(name, summary, commands))
    return {recipe.name: recipe for recipe in recipes}


_SHAPED = 'abc -lut {inputs} -script "+strash;ifraig;scorr;if;mfs2;lutpack"'
"""What Yosys has ABC do by default, but without what changes the structure of the logic."""


def _tables_in_logic(fewest: int, most: int = 8) -> str:
    """For memory_libmap: tables in logic with addresses of so many bits, by their size."""
    sizes = "".join(
        f'\toption "ABITS" {bits} {{ abits {bits}; cost {2 ** (bits - 4)}; }}\n'
        for bits in range(fewest, most + 1)
    )
    return (
        "ram distributed $__AESFAB_TABLE_ {\n"
        f'{sizes}\twidth 1;\n\tinit any;\n\tport ar "R" {{ }}\n}}\n'
    )


# A table whose address goes in inverted is one with its entries from the end.
_INVERTED_TABLES_MAP = """\

module $__AESFAB_INVERTED_ (PORT_R_ADDR, PORT_R_RD_DATA);
  parameter OPTION_ABITS = 6;
  parameter [2**OPTION_ABITS-1:0] INIT = 0;
  input [OPTION_ABITS-1:0] PORT_R_ADDR;
  output PORT_R_RD_DATA;
  function [2**OPTION_ABITS-1:0] reversed(input [2**OPTION_ABITS-1:0] entries);
    integer k;
    for (k = 0; k < 2**OPTION_ABITS; k = k + 1) reversed[2**OPTION_ABITS-1-k] = entries[k];
  endfunction
  $__AESFAB_TABLE_ #(.OPTION_ABITS(OPTION_ABITS), .INIT(reversed(INIT))) table_ (
    .PORT_R_ADDR(~PORT_R_ADDR), .PORT_R_RD_DATA(PORT_R_RD_DATA)
  );
endmodule
"""

# What an ECP5 makes of a table in logic of 32 entries and more: LUTs of five to seven inputs,
# joined from those of a tile, and a LUT4 between two of these for 256. A larger one is several.
_ECP5_TABLES = _tables_in_logic(5)

_ECP5_TABLES_MAP = """\
module $__AESFAB_TABLE_ (PORT_R_ADDR, PORT_R_RD_DATA);
  parameter OPTION_ABITS = 8;
  parameter [2**OPTION_ABITS-1:0] INIT = 0;
  input [OPTION_ABITS-1:0] PORT_R_ADDR;
  output PORT_R_RD_DATA;
  generate
    if (OPTION_ABITS == 8) begin
      wire [1:0] half;
      \\$lut #(.WIDTH(7), .LUT(INIT[127:0])) low (.A(PORT_R_ADDR[6:0]), .Y(half[0]));
      \\$lut #(.WIDTH(7), .LUT(INIT[255:128])) high (.A(PORT_R_ADDR[6:0]), .Y(half[1]));
      \\$lut #(.WIDTH(3), .LUT(8'hca)) select (.A({PORT_R_ADDR[7], half}), .Y(PORT_R_RD_DATA));
    end else begin
      \\$lut #(.WIDTH(OPTION_ABITS), .LUT(INIT)) lut (.A(PORT_R_ADDR), .Y(PORT_R_RD_DATA));
    end
  endgenerate
endmodule
"""

_MAP_TABLES = (
    "select -set tables t:$mem_v2 a:rom_style=logic %i",
    'setattr -set rom_style "distributed" -set ram_style "distributed" @tables',
    "memory_libmap -lib tables.txt @tables",
    "techmap -map tables_map.v",
)
"""Tables that are to be logic, to the cells of ``tables.txt``; with it in the files of a recipe."""

_MAP_TABLES_OF_INVERTED = (
    *_MAP_TABLES[:-1],
    "clean",
    "select -set inverted t:$not %co1 %x1 t:$__AESFAB_TABLE_ %i",
    "chtype -set $__AESFAB_INVERTED_ @inverted",
    _MAP_TABLES[-1],
)
"""The same, with the inversion of an address made in the table."""

# What becomes of the multiplexer in an instance of aes_slice_mux.
_ECP5_SLICE_MUX = """\
module \\$mux (A, B, S, Y);
  parameter WIDTH = 1;
  input A, B, S;
  output Y;
  PFUMX _TECHMAP_REPLACE_ (.ALUT(B), .BLUT(A), .C0(S), .Z(Y));
endmodule
"""

_MAP_SLICE_MUX = "techmap -map slice_mux.v a:{mark}"
"""Does it to those that have an attribute (``hdl.roles``)."""


# What becomes of the sum in an instance of aes_slice_xor: bit 0 selects between the sum of the
# others and its complement.
_ECP5_SLICE_XOR = """\
module \\$reduce_xor (A, Y);
  parameter A_SIGNED = 0;
  parameter A_WIDTH = 5;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  output Y;
  wire sum, complement;
  LUT4 #(.INIT(16'h6996)) sum_lut (.A(A[1]), .B(A[2]), .C(A[3]), .D(A[4]), .Z(sum));
  LUT4 #(.INIT(16'h9669)) complement_lut (.A(A[1]), .B(A[2]), .C(A[3]), .D(A[4]), .Z(complement));
  PFUMX mux (.ALUT(complement), .BLUT(sum), .C0(A[0]), .Z(Y));
endmodule
"""


@dataclasses.dataclass(frozen=True)
class Fabric:
    """Where things are on a device, as nextpnr names them; what a floorplan needs to know.

    Attributes:
        ram_rows: block RAMs row by row, from left to right, in the order in which to fill them; or
            column by column, from the bottom.
        columns: the columns of slices that it uses.
        middle: the row of slices at half height.
        gaps: rows without slices.
        flip_flop: a flip-flop of a slice, from its column ``x``, row ``y`` and number ``n``; empty
            where a floorplan fixes block RAMs only.
        flip_flops_a_tile: flip-flops with the same column and row.
    """

    ram_rows: tuple[tuple[str, ...], ...]
    columns: range = range(0)
    middle: int = 0
    gaps: frozenset[int] = frozenset()
    flip_flop: str = ""
    flip_flops_a_tile: int = 0


_ECP5_85K_FABRIC = Fabric(
    columns=range(3, 123),
    middle=48,
    gaps=frozenset((10, 22, 34, 46, 58, 70, 82, 94)),
    flip_flop="X{x}/Y{y}/SLICEA.FF{n}",
    flip_flops_a_tile=8,
    # Four rows of 52, in groups of four with a wider gap in the middle.
    ram_rows=tuple(
        tuple(
            f"X{first + column}/Y{row}/EBR{column // 2}"
            for first in (*range(4, 60, 9), *range(69, 115, 9))
            for column in (0, 2, 4, 6)
        )
        for row in (70, 82, 46, 22)
    ),
)


_ICE40_HX8K_FABRIC = Fabric(
    ram_rows=tuple(tuple(f"X{x}/Y{y}/ram" for y in range(1, 33, 2)) for x in (8, 25))
)


_TIMED = ("--placer-heap-timingweight", "1000")
"""Pulls at the longest paths a hundred times as much as nextpnr does by itself."""


def _ecp5_recipes(size: str) -> dict[str, Recipe]:
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
        # Circuits that were shaped for LUTs lose their shape when their logic is restructured.
        shaped=(
            "LUTs only, mapped by classic ABC without restructuring",
            (
                f"{synth} -run begin:map_luts",
                _SHAPED.format(inputs=4),
                "clean",
                f"{synth} -run map_cells:",
            ),
        ),
        # Tables are mapped before the rest, so that ABC sees their inputs as ends of paths: it lets
        # every path be as long as the longest one.
        wide=(
            "tables of logic in LUTs of up to seven inputs, the rest as with shaped",
            (
                f"{synth} -run begin:map_ram",
                *_MAP_TABLES,
                "techmap -map +/lattice/cells_map_trellis.v t:$lut",
                f"{synth} -run map_ram:map_luts",
                _SHAPED.format(inputs=4),
                "clean",
                f"{synth} -run map_cells:",
            ),
        ),
        slicemux=(
            "as wide, with multiplexers of slices where the RTL has aes_slice_mux, and the longest "
            "paths pulled together",
            (
                _MAP_SLICE_MUX.format(mark="aesfab_urgent_mux"),
                "setattr -set aesfab_urgent 1 t:PFUMX",
                _MAP_SLICE_MUX.format(mark="aesfab_slice_mux"),
                f"{synth} -noccu2 -run begin:map_ram",
                *_MAP_TABLES_OF_INVERTED,
                "techmap -map +/lattice/cells_map_trellis.v t:$lut",
                f"{synth} -noccu2 -run map_ram:map_luts",
                # The mapper saves LUTs where a path is short, and does not see that a multiplexer
                # is in the middle of a long one; so what is before and behind it goes first.
                *(
                    f"{_SHAPED.format(inputs=4)} t:PFUMX a:aesfab_urgent %i {cone}*:-TRELLIS_FF"
                    ":-TRELLIS_DPR16X4"
                    for cone in ("%ci", "%co")
                ),
                _SHAPED.format(inputs=4),
                "clean",
                f"{synth} -run map_cells:",
            ),
        ),
        slicexor=(
            "as shaped, with sums of five bits in a slice where the RTL has aes_slice_xor, the "
            "output registers of block RAMs in use, and these side by side",
            (
                "techmap -map slice_xor.v a:aesfab_slice_xor",
                f"{synth} -run begin:map_luts",
                _SHAPED.format(inputs=4),
                "clean",
                f"{synth} -run map_cells:",
            ),
        ),
        dff=("logic optimised across flip-flops", "-dff"),
        nobram=("no block RAM", "-nobram"),
        nolutram=("no distributed RAM", "-nolutram"),
    )
    recipes["slicexor"] = dataclasses.replace(
        recipes["slicexor"], output_registers=True, floorplan=True
    )
    # In each round of the placer legal places count half as much beside wires; and see timed below.
    recipes["slicemux"] = dataclasses.replace(
        recipes["slicemux"],
        arguments=(*_TIMED, "--placer-heap-alpha", "0.05"),
    )
    for name, files in (
        ("wide", {"tables.txt": _ECP5_TABLES, "tables_map.v": _ECP5_TABLES_MAP}),
        (
            "slicemux",
            {
                "slice_mux.v": _ECP5_SLICE_MUX,
                "tables.txt": _ECP5_TABLES,
                "tables_map.v": _ECP5_TABLES_MAP + _INVERTED_TABLES_MAP,
            },
        ),
        ("slicexor", {"slice_xor.v": _ECP5_SLICE_XOR}),
    ):
        recipes[name] = dataclasses.replace(recipes[name], files=files)
    recipes[outreg.name] = outreg
    # router1, the default, takes an hour and more where wires run through most of a full device.
    recipes["router2"] = Recipe(
        "router2",
        "as Yosys maps by itself, routed by router2: for cores that fill most of the device",
        (synth,),
        arguments=("--router", "router2"),
    )
    if size == "85k":
        recipes["floorplan"] = dataclasses.replace(
            outreg,
            name="floorplan",
            summary="as outreg, with the rounds of a pipeline or the RAMs of a loop side by side",
            floorplan=True,
        )
    # By itself the placer pulls at a wire of a long path up to ten times as much as at another. In
    # what fills much of a device and is no pipeline throughout, that leaves long paths everywhere.
    like = recipes["floorplan"] if size == "85k" else outreg
    recipes["timed"] = dataclasses.replace(
        like,
        name="timed",
        summary=f"as {like.name}, with the longest paths pulled together a hundred times as much",
        arguments=_TIMED,
    )
    return recipes


_NO_LUT_RAM = "setattr -unset ram_style a:ram_style=distributed"
"""Before memory_libmap, which refuses such a memory where the device has no distributed RAM."""


def _without_lut_ram(
    synth: str, options: str = "", *, end: str = "", memories: str = "map_ram"
) -> tuple[str, ...]:
    """The steps of a synthesis up to ``end`` for a device that has no distributed RAM.

    ``memories`` is the step that memory_libmap is in.
    """
    command = f"{synth} {options}".rstrip()
    return (
        f"{command} -run begin:{memories}",
        _NO_LUT_RAM,
        f"{command} -run {memories}:{end}",
    )


def _ice40_recipes(kind: str, fabric: Fabric | None) -> dict[str, Recipe]:
    synth = f"synth_ice40 -device {kind} -top {{top}}"
    mapped = _without_lut_ram(synth, end="map_luts")
    recipes = _recipes(
        synth,
        default=(_BY_ITSELF, _without_lut_ram(synth)),
        abc=(
            "mapped by classic ABC",
            (
                *mapped,
                "abc -lut 4",
                "ice40_wrapcarry -unwrap",
                "techmap -map +/ice40/ff_map.v",
                "clean",
                "opt_lut -tech ice40",
                f"{synth} -run map_cells:",
            ),
        ),
        shaped=(
            "mapped by classic ABC without restructuring",
            (
                *mapped,
                _SHAPED.format(inputs=4),
                "ice40_wrapcarry -unwrap",
                "techmap -map +/ice40/ff_map.v",
                "clean",
                "opt_lut -tech ice40",
                f"{synth} -run map_cells:",
            ),
        ),
        dff=("logic optimised across flip-flops", _without_lut_ram(synth, "-dff")),
        nobram=("no block RAM", _without_lut_ram(synth, "-nobram")),
    )
    if fabric is not None:
        recipes["floorplan"] = dataclasses.replace(
            recipes["shaped"],
            name="floorplan",
            summary="as shaped, with the block RAMs of a loop side by side",
            floorplan=True,
        )
    return recipes


# What a slice of four LUT6 makes of a table in logic of 64 entries and more: up to four LUTs and
# the hard multiplexers between them for 256. A larger one is several.
_LUT6_TABLES = _tables_in_logic(6)

_LUT6_TABLES_MAP = """\
module $__AESFAB_TABLE_ (PORT_R_ADDR, PORT_R_RD_DATA);
  parameter OPTION_ABITS = 8;
  parameter [2**OPTION_ABITS-1:0] INIT = 0;
  input [OPTION_ABITS-1:0] PORT_R_ADDR;
  output PORT_R_RD_DATA;
  wire [2**(OPTION_ABITS-6)-1:0] part;
  genvar i;
  generate
    for (i = 0; i < 2**(OPTION_ABITS-6); i = i + 1) begin : parts
      LUT6 #(.INIT(INIT[64*i+:64])) lut (
        .I0(PORT_R_ADDR[0]), .I1(PORT_R_ADDR[1]), .I2(PORT_R_ADDR[2]),
        .I3(PORT_R_ADDR[3]), .I4(PORT_R_ADDR[4]), .I5(PORT_R_ADDR[5]), .O(part[i])
      );
    end
    if (OPTION_ABITS == 6) begin
      assign PORT_R_RD_DATA = part[0];
    end else if (OPTION_ABITS == 7) begin
      MUXF7 select (.I0(part[0]), .I1(part[1]), .S(PORT_R_ADDR[6]), .O(PORT_R_RD_DATA));
    end else begin
      wire [1:0] half;
      MUXF7 low (.I0(part[0]), .I1(part[1]), .S(PORT_R_ADDR[6]), .O(half[0]));
      MUXF7 high (.I0(part[2]), .I1(part[3]), .S(PORT_R_ADDR[6]), .O(half[1]));
      MUXF8 select (.I0(half[0]), .I1(half[1]), .S(PORT_R_ADDR[7]), .O(PORT_R_RD_DATA));
    end
  endgenerate
endmodule
"""


# What slices of two LUT4 make of a table in logic of 16 to 64 entries: up to four LUTs and the hard
# multiplexers between them. What joins tables to larger ones is a multiplexer of four: two LUTs and
# the hard multiplexer behind them. An inverter before a LUT that is there already stays a LUT of
# its own in Yosys, so a table with inverted addresses becomes the table in reverse order.
_LUT4_TABLES = _tables_in_logic(4, 6)

_LUT4_TABLES_MAP = (
    """\
module $__AESFAB_TABLE_ (PORT_R_ADDR, PORT_R_RD_DATA);
  parameter OPTION_ABITS = 6;
  parameter [2**OPTION_ABITS-1:0] INIT = 0;
  input [OPTION_ABITS-1:0] PORT_R_ADDR;
  output PORT_R_RD_DATA;
  wire [2**(OPTION_ABITS-4)-1:0] part;
  genvar i;
  generate
    for (i = 0; i < 2**(OPTION_ABITS-4); i = i + 1) begin : parts
      LUT4 #(.INIT(INIT[16*i+:16])) lut (
        .I0(PORT_R_ADDR[0]), .I1(PORT_R_ADDR[1]), .I2(PORT_R_ADDR[2]), .I3(PORT_R_ADDR[3]),
        .O(part[i])
      );
    end
    if (OPTION_ABITS == 4) begin
      assign PORT_R_RD_DATA = part[0];
    end else if (OPTION_ABITS == 5) begin
      MUXF5 select (.I0(part[0]), .I1(part[1]), .S(PORT_R_ADDR[4]), .O(PORT_R_RD_DATA));
    end else begin
      wire [1:0] half;
      MUXF5 low (.I0(part[0]), .I1(part[1]), .S(PORT_R_ADDR[4]), .O(half[0]));
      MUXF5 high (.I0(part[2]), .I1(part[3]), .S(PORT_R_ADDR[4]), .O(half[1]));
      MUXF6 select (.I0(half[0]), .I1(half[1]), .S(PORT_R_ADDR[5]), .O(PORT_R_RD_DATA));
    end
  endgenerate
endmodule
"""
    + _INVERTED_TABLES_MAP
)

_LUT4_MUX4_MAP = """\
(* techmap_celltype = "$bmux" *)
module aesfab_mux4 (A, S, Y);
  parameter WIDTH = 1;
  parameter S_WIDTH = 2;
  input [4*WIDTH-1:0] A;
  input [1:0] S;
  output [WIDTH-1:0] Y;
  wire [1023:0] _TECHMAP_FAIL_ = S_WIDTH != 2;
  genvar i;
  generate
    for (i = 0; i < WIDTH; i = i + 1) begin : bits
      wire low, high;
      LUT3 #(.INIT(8'hca)) low_lut (.I0(A[i]), .I1(A[WIDTH+i]), .I2(S[0]), .O(low));
      LUT3 #(.INIT(8'hca)) high_lut (.I0(A[2*WIDTH+i]), .I1(A[3*WIDTH+i]), .I2(S[0]), .O(high));
      MUXF5 select (.I0(low), .I1(high), .S(S[1]), .O(Y[i]));
    end
  endgenerate
endmodule
"""

_MAP_LUT4_TABLES = (*_MAP_TABLES_OF_INVERTED, "techmap -map mux4_map.v")


def _xilinx_recipes(family: str, inputs: int = 6) -> dict[str, Recipe]:
    synth = f"synth_xilinx -family {family} -flatten -noiopad -noclkbuf -top {{top}}"
    # What synth_xilinx does, with the mapper changed: its own weighs delays that it knows of
    # no family but the latest, and lets a path have more levels than it must.
    shaped = (
        "opt_expr -mux_undef -noclkinv",
        _SHAPED.format(inputs=inputs),
        "clean",
        f"techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH={inputs}",
        "xilinx_dffopt" + (" -lut4" if inputs == 4 else ""),
        "opt_lut_ins -tech xilinx",
        f"{synth} -run finalize:",
    )
    recipes = _recipes(
        synth,
        nowidelut=("LUTs only, no hard multiplexers", "-nowidelut"),
        shaped=(
            "LUTs only, mapped by classic ABC without restructuring",
            (f"{synth} -nowidelut -run begin:map_luts", *shaped),
        ),
        nobram=("no block RAM", "-nobram"),
        nolutram=("no distributed RAM or LUT shift registers", "-nolutram -nosrl"),
    )
    what = "tables"
    tables: tuple[str, ...] = _MAP_TABLES
    files = {"tables.txt": _LUT6_TABLES, "tables_map.v": _LUT6_TABLES_MAP}
    if inputs == 4:
        what, tables = "tables and indexed multiplexers", _MAP_LUT4_TABLES
        files = {
            "tables.txt": _LUT4_TABLES,
            "tables_map.v": _LUT4_TABLES_MAP,
            "mux4_map.v": _LUT4_MUX4_MAP,
        }
    recipes["wide"] = Recipe(
        "wide",
        f"{what} of logic in LUTs and hard multiplexers of a slice, the rest as with shaped",
        (
            f"{synth} -run begin:map_memory",
            *tables,
            f"{synth} -run map_memory:map_luts",
            *shaped,
        ),
        files=files,
    )
    return recipes


def _nexus_recipes() -> dict[str, Recipe]:
    return _recipes(
        "synth_nexus -family lifcl -noiopad -top {top}",
        nowidelut=("LUTs only, no hard multiplexers", "-nowidelut"),
        dff=("logic optimised across flip-flops", "-dff"),
        nobram=("no block RAM", "-nobram"),
        nolutram=("no distributed RAM", "-nolutram"),
    )


def _gowin_recipes(family: str) -> dict[str, Recipe]:
    return _recipes(
        f"synth_gowin -family {family} -noiopads -top {{top}}",
        nowidelut=("LUTs only, no hard multiplexers", "-nowidelut"),
        nobram=("no block RAM", "-nobram"),
        nolutram=("no distributed RAM", "-nolutram"),
    )


def _gatemate_recipes() -> dict[str, Recipe]:
    # nextpnr places trees of LUT2 (-luttree), and no multiplexer of eight.
    synth = "synth_gatemate -luttree -nomx8 -noiopad -noclkbuf -top {top}"
    mapped = functools.partial(_without_lut_ram, synth, memories="map_bram")
    return _recipes(
        synth,
        default=(_BY_ITSELF, mapped()),
        nomux=("no hard multiplexers", mapped("-nomx4")),
        dff=("logic optimised across flip-flops", mapped("-dff")),
        nobram=("no block RAM", "-nobram"),
    )


_TABLES_IN_LOGIC = "memory_map -rom-only -attr rom_style=logic"
"""What memory_bram would not see by itself, for it does not look at that attribute."""


# A block RAM as memory_bram leaves it: without its directions Yosys would take what it gives for
# undriven, and put zeros there.
_M9K = """\
(* blackbox *)
module M9K_SINGLEPORT (CLK2, CLK3, A1ADDR, A1DATA, A1EN, B1ADDR, B1DATA, B1EN);
  parameter CFG_ABITS = 13;
  parameter CFG_DBITS = 1;
  parameter CLKPOL2 = 1;
  parameter CLKPOL3 = 1;
  parameter INIT = 0;
  input CLK2, CLK3;
  input [CFG_ABITS-1:0] A1ADDR, B1ADDR;
  output [CFG_DBITS-1:0] A1DATA;
  input [CFG_DBITS-1:0] B1DATA;
  input A1EN, B1EN;
endmodule
"""


def _cyclone_iv_recipes() -> dict[str, Recipe]:
    synth = "synth_intel -family cycloneiv -top {top}"
    # What synth_intel does, without its last step for memories: that has no place for the contents
    # of a ROM. So a M9K, of one port, stays a cell of its own, which is enough to count it.
    default = (
        "read_verilog -lib m9k.v",
        f"{synth} -run begin:map_bram",
        _TABLES_IN_LOGIC,
        "memory_bram -rules +/intel/common/brams_m9k.txt",
        "chtype -set M9K_SINGLEPORT t:$__M9K_ALTSYNCRAM_SINGLEPORT_FULL",
        f"{synth} -run map_ffram:check",
    )
    shaped = (
        *default[:-1],
        f"{synth} -run map_ffram:map_luts",
        _SHAPED.format(inputs=4),
        "clean",
        f"{synth} -run map_cells:check",
    )
    recipes = _recipes(
        synth,
        default=(_TABLES_FIRST, default),
        nobram=("no block RAM", "-nobram"),
        shaped=("mapped by classic ABC without restructuring", shaped),
    )
    for name in ("default", "shaped"):
        recipes[name] = dataclasses.replace(recipes[name], files={"m9k.v": _M9K})
    return recipes


def _cyclone_v_recipes() -> dict[str, Recipe]:
    synth = "synth_intel_alm -family cyclonev -noiopad -noclkbuf -top {top}"

    def tables_first(options: str) -> tuple[str, ...]:
        """As for Cyclone IV: tables that are to be logic become that before memory_bram."""
        command = f"{synth} {options}".rstrip()
        return (f"{command} -run begin:map_bram", _TABLES_IN_LOGIC, f"{command} -run map_bram:")

    return _recipes(
        synth,
        default=(_TABLES_FIRST, tables_first("")),
        dff=("logic optimised across flip-flops", tables_first("-dff")),
        nobram=("no block RAM", "-nobram"),
        nolutram=("no distributed RAM", tables_first("-nolutram")),
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
        slice_: what the vendor calls a slice, for the estimate of ``slices``.
        nextpnr: which nextpnr places it (``ecp5``, ``himbaechel-gowin``); empty: none does.
        arguments: device, package and target frequency for nextpnr.
        target_mhz: the frequency that nextpnr aims at; set above what designs reach.
        harness: commands that map the harness, where they are not those of the default recipe:
            some nextpnr want pads and clock buffers to be in the netlist.
        files: constraints of the three pins of the harness, which ``arguments`` name; file name
            to text.
        vendor: the vendor's tool, where ``--flow`` offers it.
        fabric: where things are, for recipes with a floorplan.
        sites: how much it has; None for a family, of which nothing is placed.
        ram_clock: why the clock of a core with block RAM is no more than an upper bound; empty
            where timing analysis covers block RAMs.
        ram_count: why a design may need fewer block RAMs than are counted; empty where the count
            is what it takes.
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
    slice_: Slice
    nextpnr: str = ""
    arguments: tuple[str, ...] = ()
    target_mhz: int = 0
    harness: str = ""
    files: Mapping[str, str] = dataclasses.field(default_factory=lambda: MappingProxyType({}))
    vendor: VendorTool | None = None
    fabric: Fabric | None = None
    sites: Sites | None = None
    ram_clock: str = ""
    ram_count: str = ""

    @property
    def place_and_route(self) -> bool:
        """Whether an open tool places and routes it; else there is area and depth only."""
        return bool(self.nextpnr)

    @property
    def nextpnr_package(self) -> str:
        """The Python package with the nextpnr of this device."""
        return f"yowasp-nextpnr-{self.nextpnr}"

    @property
    def harness_recipe(self) -> Recipe:
        """How the harness around a core is mapped."""
        if not self.harness:
            return self.recipes["default"]
        return Recipe("harness", "with pads", (self.harness,))

    def maps_like(self, other: Device, recipe: str) -> bool:
        """Whether synthesis alone gives the same figures on both, for it is the same mapping."""
        ours, theirs = self.recipes.get(recipe), other.recipes.get(recipe)
        return (
            not (self.place_and_route or other.place_and_route)
            and ours is not None
            and ours == theirs
            and (self.cells, self.slice_) == (other.cells, other.slice_)
        )

    def slices(self, pairs: int) -> int:
        """Slices for a number of pairs (``yosys.lut_ff_pairs``), when each slice is full.

        An estimate: no packer fills every slice, and a good one also puts a LUT and a flip-flop
        that have nothing to do with each other into one pair.
        """
        return -(-pairs // self.slice_.pairs)

    @property
    def slice_unit(self) -> str:
        """What a slice holds, in words; slices of other sizes are other units of area."""
        each = f"LUT{self.lut_inputs}"
        return f"{self.slice_.name} of {self.slice_.pairs} {each}"

    def logic_share(self, lut: int, ff: int, slices: float) -> float | None:
        """The share of the device's logic that a netlist takes; more than 1 does not fit.

        Where a LUT and the flip-flop behind it are one cell, which is then what the vendor counts,
        a flip-flop that finds no LUT takes a cell of its own: the share is that of the cells
        (``slices``). Elsewhere it is that of LUTs or of flip-flops, whichever is the larger. None
        where it is not known what the device has.
        """
        if self.sites is None:
            return None
        if self.slice_.pairs == 1:
            return slices / self.sites.lut
        return max(lut / self.sites.lut, ff / self.sites.ff)

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


_PINS = ("clk_i", "scan_i", "scan_o")
"""Ports of the harness, in the order in which the rows below give their pins."""


# The device that is sold as LFE5U-12F is that of LFE5U-25F, and nextpnr offers all of it.
_ECP5_SITES = {
    **dict.fromkeys(("12k", "25k"), Sites(24288, 24288, 56)),
    "45k": Sites(43848, 43848, 108),
    "85k": Sites(83640, 83640, 208),
}

_ICE40_SITES = {
    "hx1k": Sites(1280, 1280, 16),
    "hx8k": Sites(7680, 7680, 32),
    "up5k": Sites(5280, 5280, 30),
}


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
        recipes=_ecp5_recipes(size),
        fabric=_ECP5_85K_FABRIC if size == "85k" else None,
        sites=_ECP5_SITES[size],
        slice_=Slice("slice", 2),
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
    fabric = _ICE40_HX8K_FABRIC if model == "hx8k" else None
    return Device(
        name=f"ice40-{model}",
        family="iCE40",
        part=part,
        package=package,
        speed="",
        lut_inputs=4,
        ram_kbit=4,
        cells=_ICE40_CELLS,
        recipes=_ice40_recipes(kind, fabric),
        fabric=fabric,
        sites=_ICE40_SITES[model],
        slice_=Slice("logic cell", 1),
        nextpnr="ice40",
        arguments=(
            f"--{model}",
            *("--package", package),
            *("--freq", str(target)),
            "--timing-allow-fail",
        ),
        target_mhz=target,
    )


def _nexus(part: str, package: str, speed: str, pins: tuple[str, ...]) -> Device:
    target = 250
    locations = "".join(
        f"ldc_set_location -site {{{pin}}} [get_ports {port}]\n"
        for port, pin in zip(_PINS, pins, strict=True)
    )
    return Device(
        name=f"nexus-{part.rpartition('-')[2]}k",
        family="Nexus",
        part=part,
        package=package,
        speed=speed,
        lut_inputs=4,
        ram_kbit=18,
        cells=_NEXUS_CELLS,
        recipes=_nexus_recipes(),
        sites=Sites(32256, 32256, 84),
        slice_=Slice("slice", 2),
        nextpnr="nexus",
        arguments=(
            *("--device", f"{part}-{speed}{package}C"),
            *("--pdc", "pins.pdc"),
            *("--freq", str(target)),
            # router2, the default, finds no way from a pin to the global clock network.
            *("--router", "router1"),
            "--timing-allow-fail",
        ),
        target_mhz=target,
        harness="synth_nexus -family lifcl -top {top}",
        files=MappingProxyType({"pins.pdc": locations}),
    )


# In himbaechel/uarch/gowin/gowin_arch_gen.py of nextpnr 0.11.1 the outputs of port B of a dual-port
# block RAM are called DO instead of DOB, and the set-up times of its addresses are those of another
# cell (nextpnr issue 1803, pull request 1786): no path begins or ends there. A ROM of two S-boxes
# is such a RAM, so every second S-box is on no path.
_GOWIN_RAM_CLOCK = (
    "nextpnr has no timing for port B of a dual-port block RAM of Gowin: paths to and from every "
    "second S-box are not analysed, so the clock is an upper bound"
)


def _gowin(
    name: str,
    family: str,
    part: str,
    package: str,
    speed: str,
    target: int,
    pins: tuple[str, ...],
    sites: Sites,
) -> Device:
    yosys_family = name.partition("-")[0]
    locations = "".join(f'IO_LOC "{port}" {pin};\n' for port, pin in zip(_PINS, pins, strict=True))
    return Device(
        name=name,
        family=f"Gowin {yosys_family.upper()}",
        part=part,
        package=package,
        speed=speed,
        lut_inputs=4,
        ram_kbit=18,
        cells=_GOWIN_CELLS,
        recipes=_gowin_recipes(yosys_family),
        sites=sites,
        ram_clock=_GOWIN_RAM_CLOCK,
        slice_=Slice("CLS", 2),
        nextpnr="himbaechel-gowin",
        arguments=(
            *("--device", f"{part}{package}{speed}"),
            *("--vopt", f"family={family}"),
            *("--vopt", "cst=pins.cst"),
            *("--freq", str(target)),
            "--timing-allow-fail",
        ),
        target_mhz=target,
        harness=f"synth_gowin -family {yosys_family} -top {{top}}",
        files=MappingProxyType({"pins.cst": locations}),
    )


def _gatemate() -> Device:
    target = 100
    return Device(
        name="gatemate-a1",
        family="GateMate",
        part="CCGM1A1",
        package="",
        speed="",
        lut_inputs=4,
        ram_kbit=20,
        cells=_GATEMATE_CELLS,
        recipes=_gatemate_recipes(),
        sites=Sites(40960, 40960, 64),
        slice_=Slice("CPE", 2),
        nextpnr="himbaechel-gatemate",
        arguments=(
            *("--device", "CCGM1A1"),
            *("--vopt", "allow-unconstrained"),
            *("--freq", str(target)),
            "--timing-allow-fail",
        ),
        target_mhz=target,
        harness="synth_gatemate -luttree -nomx8 -top {top}",
    )


def _synthesis_only(
    name: str,
    family: str,
    lut_inputs: int,
    ram_kbit: int,
    slice_: Slice,
    cells: Mapping[str, Counts],
    recipes: Mapping[str, Recipe],
    vendor: VendorTool | None = None,
    ram_count: str = "",
) -> Device:
    return Device(
        name=name,
        family=family,
        part=family,
        package="",
        speed="",
        lut_inputs=lut_inputs,
        ram_kbit=ram_kbit,
        cells=cells,
        recipes=recipes,
        slice_=slice_,
        vendor=vendor,
        ram_count=ram_count,
    )


_SLICE2 = Slice("slice", 2, registers_ram=True)
"""Two LUT4, two flip-flops: the slice of Virtex, Virtex-E, Virtex-II and Spartan-3E."""

_ALM = Slice("ALM", 1, shared_inputs=8, function_inputs=5, registers=4)
"""Of Cyclone V: one LUT of six inputs, or two of up to five with eight between them."""

_SLICE4 = Slice("slice", 4, shared_inputs=5, registers_ram=True)
"""Four LUT6, each with a second output for functions of the same five inputs, and four flip-flops:
Virtex-5 (UG190, chapter 5)."""

DEVICES: dict[str, Device] = {
    device.name: device
    for device in [
        _ecp5("12k", "CABGA381"),
        _ecp5("25k", "CABGA381"),
        _ecp5("45k", "CABGA381"),
        _ecp5("85k", "CABGA756"),
        _ice40("hx1k", "tq144", "iCE40HX1K", "hx", 150),
        _ice40("hx8k", "ct256", "iCE40HX8K", "hx", 150),
        _ice40("up5k", "sg48", "iCE40UP5K", "u", 60),
        _nexus("LIFCL-40", "BG400", "9", ("L16", "G19", "E17")),
        _gowin(
            *("gw1n-9", "GW1N-9C", "GW1NR-LV9", "QN88P", "C6/I5", 150, ("52", "3", "10")),
            Sites(8640, 6480, 26),
        ),
        _gowin(
            *("gw2a-18", "GW2A-18C", "GW2A-LV18", "PG256", "C8/I7", 200, ("H11", "T10", "C13")),
            Sites(20736, 15552, 46),
        ),
        _gowin(
            *("gw5a-25", "GW5A-25A", "GW5A-LV25", "MG121N", "C1/I0", 200, ("E2", "H11", "E8")),
            Sites(23040, 23040, 56),
        ),
        _gatemate(),
        # Yosys maps Virtex-E as it does Virtex, and Virtex-II as Spartan-3E: so they share recipes,
        # and what is measured on one holds for the other (``Device.maps_like``).
        _synthesis_only(
            "virtex", "Virtex", 4, 4, _SLICE2, _VIRTEX_CELLS, _xilinx_recipes("xcv", 4)
        ),
        _synthesis_only(
            "virtex-e", "Virtex-E", 4, 4, _SLICE2, _VIRTEX_CELLS, _xilinx_recipes("xcv", 4)
        ),
        _synthesis_only(
            "virtex-ii", "Virtex-II", 4, 18, _SLICE2, _SPARTAN3_CELLS, _xilinx_recipes("xc3se", 4)
        ),
        _synthesis_only(
            "spartan-3e", "Spartan-3E", 4, 18, _SLICE2, _SPARTAN3_CELLS, _xilinx_recipes("xc3se", 4)
        ),
        _synthesis_only(
            *("virtex-5", "Virtex-5", 6, 18, _SLICE4),
            *(_XILINX_LUT6_CELLS, _xilinx_recipes("xc5v")),
        ),
        _synthesis_only(
            *("7-series", "7 series", 6, 18, dataclasses.replace(_SLICE4, registers=2)),
            *(_XILINX_LUT6_CELLS, _xilinx_recipes("xc7")),
            VendorTool("vivado", "", "xc7a100tcsg324-1"),
        ),
        _synthesis_only(
            *(
                "ultrascale-plus",
                "UltraScale+",
                6,
                18,
                dataclasses.replace(_SLICE4, name="CLB", pairs=8, registers=2),
            ),
            *(_ULTRASCALE_CELLS, _xilinx_recipes("xcup")),
            VendorTool("vivado", "", "xczu3eg-sbva484-1-e"),
        ),
        _synthesis_only(
            *("cyclone-iv", "Cyclone IV", 4, 9, Slice("logic element", 1)),
            *(_CYCLONE_IV_CELLS, _cyclone_iv_recipes()),
            VendorTool("quartus", "Cyclone IV E", "EP4CE115F29C7"),
            "Yosys maps a M9K with one of its two ports, for one look-up a clock, though a M9K is "
            "two S-boxes: a design needs as little as half of the block RAMs that are counted",
        ),
        _synthesis_only(
            *("cyclone-v", "Cyclone V", 6, 10, _ALM),
            *(_CYCLONE_V_CELLS, _cyclone_v_recipes()),
            VendorTool("quartus", "Cyclone V", "5CSEBA6U23I7"),
        ),
    ]
}
"""Name to device, in the order of listings."""


def maps_alike(one: Device, other: Device) -> bool:
    """Whether two families, of which nothing is placed, get the same netlist of every design.

    The same commands map them, so a comparison that holds on one holds on the other: they are one
    witness of it, not two.
    """

    def mapping(device: Device) -> tuple[object, ...]:
        return dict(device.cells), dict(device.recipes), device.slice_, device.ram_kbit

    return not (one.place_and_route or other.place_and_route) and mapping(one) == mapping(other)


def find(name: str) -> Device:
    """The device called ``name``; AesfabError with the nearest names for any other."""
    if name not in DEVICES:
        raise unknown("device", name, DEVICES)
    return DEVICES[name]
