# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A top module for projects in VHDL: a component declaration, and an entity around it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aesfab.design.ports import Port
from aesfab.folder.collateral.top import Top

# Of IEEE 1076-2008, section 15.10: what no identifier may be.
_WORDS = """\
abs access after alias all and architecture array assert assume attribute begin block body
buffer bus case component configuration constant context cover default disconnect downto else
elsif end entity exit fairness file for force function generate generic group guarded if impure
in inertial inout is label library linkage literal loop map mod nand new next nor not null of on
open or others out package parameter port postponed procedure process property protected pure
range record register reject release rem report restrict return rol ror select sequence severity
shared signal sla sll sra srl strong subtype then to transport type unaffected units until use
variable view vmode vprop vunit wait when while with xnor xor
"""
_RESERVED = frozenset(_WORDS.split())


def files(top: Top) -> dict[str, str]:
    """The VHDL of a top module.

    Returns:
        ``vhdl/MODULE.vhd`` to its text: the package ``MODULE_pkg`` with the component MODULE, and
        the entity ``MODULE_entity`` with the same ports, which instantiates it.
    """
    module, ports = top.module, top.ports
    core, package, entity = (_name(f"{module}{end}") for end in ("", "_pkg", "_entity"))
    width = max(len(port.name) for port in ports)
    connections = ",\n".join(f"      {port.name:<{width}} => {port.name}" for port in ports)
    text = f"""\
-- Copyright AESFab contributors.
-- SPDX-License-Identifier: Apache-2.0
--
-- {module} for projects in VHDL (VHDL-93 and later).
-- {top.what}.
--
-- The RTL itself stays SystemVerilog or Verilog. Add its files and this one to a project of a tool
-- that takes both languages (Vivado, Quartus, Questa, Riviera), and instantiate
-- work.{entity}, or the component of the package work.{package}. The tool binds the
-- component to the module of the same name.

library ieee;
use ieee.std_logic_1164.all;

package {package} is

  component {core} is
    port (
{_declarations(ports, 6)}
    );
  end component;

end package;

library ieee;
use ieee.std_logic_1164.all;

library work;
use work.{package}.all;

entity {entity} is
  port (
{_declarations(ports, 4)}
  );
end entity;

architecture rtl of {entity} is
begin

  u_core : {core}
    port map (
{connections}
    );

end architecture;
"""
    return {f"vhdl/{module}.vhd": text}


def _declarations(ports: Sequence[Port], indent: int) -> str:
    """The ports, one a line, each with what it means."""
    width = max(len(port.name) for port in ports)
    lines = []
    for index, port in enumerate(ports):
        end = ";" if index < len(ports) - 1 else ""
        direction = "in " if port.is_input else "out"
        kind = "std_logic" if port.width == 1 else f"std_logic_vector({port.width - 1} downto 0)"
        lines.append(
            f"{' ' * indent}{port.name:<{width}} : {direction} {kind + end:<32}"
            + (f"  -- {port.meaning}" if port.meaning else "").rstrip()
        )
    return "\n".join(lines)


def _name(name: str) -> str:
    """A name as VHDL writes it: an extended identifier where it is no basic one."""
    basic = re.fullmatch(r"[A-Za-z](_?[A-Za-z0-9])*", name) and name.lower() not in _RESERVED
    return name if basic else f"\\{name}\\"
