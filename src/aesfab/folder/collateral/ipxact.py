# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A top module as a component of IP-XACT (IEEE 1685-2014)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from aesfab import __version__
from aesfab.design.ports import Port
from aesfab.folder.collateral.buses import FULL, LITE, STREAM, Bus
from aesfab.folder.collateral.top import Top

NAMESPACE = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"
"""The XML namespace of the standard."""

_SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
_INTERRUPT = "irq_o"
_DEFINITIONS: dict[str, tuple[str, dict[str, str]]] = {
    STREAM: ("axis", {}),
    LITE: ("aximm", {"PROTOCOL": "AXI4LITE"}),
    FULL: ("aximm", {"PROTOCOL": "AXI4"}),
}
_TYPES = {".sv": "systemVerilogSource", ".v": "verilogSource"}
_COPYRIGHT = """\
<?xml version="1.0" encoding="UTF-8"?>
<!--
  Copyright AESFab contributors.
  SPDX-License-Identifier: Apache-2.0
-->
"""


def files(top: Top, buses: Sequence[Bus] = ()) -> dict[str, str]:
    """The component description of a top module.

    Args:
        top: the top module.
        buses: those among its ports; what IP-XACT has no definition of stays ports alone.

    Returns:
        ``ip-xact/MODULE.xml`` to its text.
    """
    module, rtl_files = top.module, top.rtl_files
    known = [bus for bus in buses if bus.kind in _DEFINITIONS]
    ElementTree.register_namespace("ipxact", NAMESPACE)
    ElementTree.register_namespace("xsi", _SCHEMA)
    root = Element(_tag("component"))
    location = f"{NAMESPACE} {NAMESPACE}/index.xsd"
    root.set(f"{{{_SCHEMA}}}schemaLocation", location)
    _texts(root, vendor="aesfab", library="core", name=module, version=__version__)

    interfaces = SubElement(root, _tag("busInterfaces"))
    associated = {"ASSOCIATED_RESET": "rst_ni"}
    if known:
        associated["ASSOCIATED_BUSIF"] = ":".join(bus.name for bus in known)
    _signal(interfaces, "clock", "CLK", "clk_i", associated)
    _signal(interfaces, "reset", "RST", "rst_ni", {"POLARITY": "ACTIVE_LOW"})
    if any(port.name == _INTERRUPT for port in top.ports):
        _signal(
            interfaces,
            "interrupt",
            "INTERRUPT",
            _INTERRUPT,
            {"SENSITIVITY": "LEVEL_HIGH"},
            "master",
        )
    for bus in known:
        kind, parameters = _DEFINITIONS[bus.kind]
        signals = {name.upper(): port.name for name, port in bus.signals.items()}
        mode = "slave" if bus.is_slave else "master"
        _interface(interfaces, bus.name, ("interface", kind), signals, parameters, mode)

    model = SubElement(root, _tag("model"))
    view = SubElement(SubElement(model, _tag("views")), _tag("view"))
    _texts(view, name="rtl", componentInstantiationRef="rtl")
    instantiation = SubElement(
        SubElement(model, _tag("instantiations")), _tag("componentInstantiation")
    )
    language = "Verilog" if rtl_files[-1].endswith(".v") else "SystemVerilog"
    _texts(instantiation, name="rtl", language=language, moduleName=module)
    _texts(SubElement(instantiation, _tag("fileSetRef")), localName="rtl")
    ports = SubElement(model, _tag("ports"))
    for port in top.ports:
        _port(ports, port)

    file_set = SubElement(SubElement(root, _tag("fileSets")), _tag("fileSet"))
    _texts(file_set, name="rtl")
    for name in rtl_files:
        path = PurePosixPath("..", name)
        _texts(SubElement(file_set, _tag("file")), name=str(path), fileType=_TYPES[path.suffix])

    _texts(root, description=top.what)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return {f"ip-xact/{module}.xml": f"{_COPYRIGHT}{body}\n"}


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _texts(parent: Element, **texts: str) -> None:
    """An element for each keyword, in order."""
    for name, text in texts.items():
        SubElement(parent, _tag(name)).text = text


def _signal(
    parent: Element,
    kind: str,
    logical: str,
    physical: str,
    parameters: dict[str, str],
    mode: str = "slave",
) -> None:
    """A bus interface of one wire: a clock, a reset or an interrupt."""
    _interface(parent, physical, ("signal", kind), {logical: physical}, parameters, mode)


def _interface(
    parent: Element,
    name: str,
    definition: tuple[str, str],
    signals: Mapping[str, str],
    parameters: Mapping[str, str],
    mode: str,
) -> None:
    """A bus interface, by one of the definitions that Vivado brings: their library and name.

    The standard has none of its own.
    """
    of, kind = definition
    library = {"vendor": "xilinx.com", "library": of, "version": "1.0"}
    interface = SubElement(parent, _tag("busInterface"))
    _texts(interface, name=name)
    SubElement(interface, _tag("busType"), library | {"name": kind})
    abstraction = SubElement(
        SubElement(interface, _tag("abstractionTypes")), _tag("abstractionType")
    )
    SubElement(abstraction, _tag("abstractionRef"), library | {"name": f"{kind}_rtl"})
    port_maps = SubElement(abstraction, _tag("portMaps"))
    for logical, physical in signals.items():
        port_map = SubElement(port_maps, _tag("portMap"))
        _texts(SubElement(port_map, _tag("logicalPort")), name=logical)
        _texts(SubElement(port_map, _tag("physicalPort")), name=physical)
    SubElement(interface, _tag(mode))
    if not parameters:
        return
    table = SubElement(interface, _tag("parameters"))
    for name, value in parameters.items():
        _texts(SubElement(table, _tag("parameter")), name=name, value=value)


def _port(parent: Element, port: Port) -> None:
    element = SubElement(parent, _tag("port"))
    _texts(element, name=port.name)
    if port.meaning:
        _texts(element, description=port.meaning)
    wire = SubElement(element, _tag("wire"))
    _texts(wire, direction="in" if port.is_input else "out")
    if port.width > 1:
        vector = SubElement(SubElement(wire, _tag("vectors")), _tag("vector"))
        _texts(vector, left=str(port.width - 1), right="0")
