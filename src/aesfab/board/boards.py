# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Boards as small text files (TOML): part, clock, pins, and what programs them.

A file has

- top level: ``title``; ``devices``, names of ``aesfab devices`` (one, or the sizes that the board
  is sold with); ``package`` and ``speed`` of the part, as nextpnr names them (those of the
  device, if not said); ``loader``, the name that openFPGALoader has for it;
- ``[clock]``: ``pin`` and ``mhz`` of the oscillator, which clocks everything;
- ``[uart]``: ``rx`` and ``tx``, pins of the FPGA as the FPGA sees them, and ``baud``;
- ``[leds]``, where there are any: ``pins``, of which three are used at most, and ``lit_by``, the
  level that lights them;
- ``standard`` in each of these sections, for pins that are not ``LVCMOS33``.

A board of several devices is known by its name and the size: ``ulx3s-85k``.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from aesfab.devices import DEVICES, Device
from aesfab.errors import AesfabError, unknown
from aesfab.system import files

_FOLDER = resources.files("aesfab.board") / "boards"

PACKERS = {"ice40": "icepack", "ecp5": "ecppack", "himbaechel-gowin": "gowin_pack"}
"""Which nextpnr places a part to the tool that makes its bitstream."""

LEDS = 3
"""LEDs that are used at most."""

_STANDARD = "LVCMOS33"
_FEWEST_CLOCKS = 4  # a bit: fewer, and its middle is missed
_MHZ = (1.0, 1000.0)
_BAUD = (9600, 12_000_000)
_PIN = re.compile(r"[A-Za-z0-9_]{1,16}")
_WORD = re.compile(r"[A-Za-z0-9_.-]{0,64}")


@dataclasses.dataclass(frozen=True)
class Pin:
    """A pin of the FPGA: its port in the design, its name in the package, its I/O standard."""

    port: str
    name: str
    standard: str


@dataclasses.dataclass(frozen=True)
class Board:
    """A board.

    Attributes:
        name: as the user types it.
        title: what it is called.
        device: its FPGA.
        package: of the FPGA, as nextpnr names it.
        speed: speed grade, empty where the family has none.
        loader: the name that openFPGALoader has for it.
        hz: frequency of its clock.
        baud: bits a second of the UART.
        pins: those that are used.
        leds: how many LEDs.
        lit_by: the level that lights them.
    """

    name: str
    title: str
    device: Device
    package: str
    speed: str
    loader: str
    hz: int
    baud: int
    pins: tuple[Pin, ...]
    leds: int
    lit_by: int

    @property
    def mhz(self) -> float:
        """Frequency of its clock."""
        return self.hz / 1e6

    @property
    def packer(self) -> str:
        """The tool that makes its bitstream."""
        return PACKERS[self.device.nextpnr]

    @property
    def ratio(self) -> tuple[int, int]:
        """Clock and baud rate without what divides both: clocks in so many bits of the UART."""
        common = math.gcd(self.hz, self.baud)
        return self.hz // common, self.baud // common

    @property
    def clocks_per_bit(self) -> float:
        """Clocks in a bit of the UART."""
        return self.hz / self.baud

    @property
    def bit_error(self) -> float:
        """By which part of a bit an edge is off at most: 0 where a bit is a whole number of clocks.

        It does not add up, for the divider is exact on average.
        """
        return 0.0 if self.ratio[1] == 1 else 1 / self.clocks_per_bit

    def with_baud(self, baud: int) -> Board:
        """The board with another baud rate; AesfabError for one that its clock cannot make."""
        changed = dataclasses.replace(self, baud=baud)
        _check_baud(changed.name, changed)
        return changed


def _check_baud(name: str, board: Board) -> None:
    if not _BAUD[0] <= board.baud <= _BAUD[1]:
        raise AesfabError(f"board {name}: baud must be from {_BAUD[0]} to {_BAUD[1]}")
    if board.clocks_per_bit < _FEWEST_CLOCKS:
        raise AesfabError(
            f"board {name}: {board.baud} baud are {board.clocks_per_bit:.2f} clocks a bit at "
            f"{board.mhz:g} MHz, and the UART needs {_FEWEST_CLOCKS}: "
            f"at most {board.hz // _FEWEST_CLOCKS} baud"
        )


def shipped() -> dict[str, Board]:
    """The boards that come with AESFab, by name."""
    return dict(_shipped())


@functools.cache
def _shipped() -> Mapping[str, Board]:
    found: dict[str, Board] = {}
    for file in sorted(_FOLDER.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".toml"):
            stem = Path(file.name).stem
            found |= {board.name: board for board in _boards(stem, file.read_text("utf-8"))}
    return found


def load(name: str) -> Board:
    """A board by the name of one that is shipped, or by the path of a file ending in .toml.

    AesfabError for an unknown name, with the list, and for anything in a file that is missing,
    unknown or out of range.
    """
    if not name.endswith(".toml"):
        if name not in shipped():
            raise unknown("board", name, shipped())
        return shipped()[name]
    found = _boards(Path(name).stem, files.small_text(Path(name), "the board"))
    if len(found) > 1:
        sizes = ", ".join(board.device.name for board in found)
        raise AesfabError(f"board {name}: a file that is named by its path has one device: {sizes}")
    return found[0]


class _Section:
    """A table of the file whose entries are taken one by one; what is left over is an error."""

    def __init__(self, board: str, path: str, content: Any) -> None:
        if not isinstance(content, dict):
            raise AesfabError(f"board {board}: no section [{path}]")
        self.board, self.path, self.left = board, path, dict(content)

    def error(self, what: str) -> AesfabError:
        where = f"[{self.path}] " if self.path else ""
        return AesfabError(f"board {self.board}: {where}{what}")

    def take(self, name: str, default: Any = None) -> Any:
        if name in self.left:
            return self.left.pop(name)
        if default is None:
            raise self.error(f"{name} is missing")
        return default

    def text(self, name: str, default: str | None = None) -> str:
        value = self.take(name, default)
        if not isinstance(value, str) or not (value.strip() or value == default):
            raise self.error(f"{name} must be a text")
        return value

    def word(self, name: str, default: str | None = None) -> str:
        """A text that goes into a command line or a constraint file as it is."""
        value = self.text(name, default)
        if not _WORD.fullmatch(value):
            raise self.error(f"{name} '{value}' must be letters, digits, dots and dashes")
        return value

    def number(self, name: str, least: float, most: float) -> float:
        value = self.take(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(f"{name} must be a number")
        if not least <= value <= most:
            raise self.error(f"{name} must be from {least:g} to {most:g}")
        return value

    def texts(self, name: str) -> list[str]:
        value = self.take(name)
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            raise self.error(f"{name} must be a list of texts")
        return value

    def pin(self, port: str, name: str, standard: str) -> Pin:
        if not _PIN.fullmatch(name):
            raise self.error(f"'{name}' is no name of a pin")
        return Pin(port, name, standard)

    def end(self) -> None:
        for name in self.left:
            raise self.error(f"unknown entry '{name}'")


def _boards(name: str, text: str) -> list[Board]:
    """The boards that a file describes, one for each of its devices."""
    try:
        content = tomllib.loads(text)
    except ValueError as error:
        raise AesfabError(f"board {name}: not TOML: {error}") from error
    except RecursionError as error:
        raise AesfabError(f"board {name}: nested too deeply") from error
    top = _Section(name, "", content)
    clock = _Section(name, "clock", top.take("clock", {}) or None)
    uart = _Section(name, "uart", top.take("uart", {}) or None)
    leds = _Section(name, "leds", top.left.pop("leds")) if "leds" in top.left else None

    pins = [clock.pin("clk_i", clock.text("pin"), clock.word("standard", _STANDARD))]
    mhz = clock.number("mhz", *_MHZ)
    standard = uart.word("standard", _STANDARD)
    pins.append(uart.pin("uart_rx_i", uart.text("rx"), standard))
    pins.append(uart.pin("uart_tx_o", uart.text("tx"), standard))
    baud = uart.number("baud", *_BAUD)
    number, lit_by = 0, 1
    if leds is not None:
        standard = leds.word("standard", _STANDARD)
        lit_by = int(leds.number("lit_by", 0, 1))
        lights = leds.texts("pins")[:LEDS]
        number = len(lights)
        for n, led in enumerate(lights):
            pins.append(leds.pin(f"led_o[{n}]" if number > 1 else "led_o", led, standard))
        leds.end()
    clock.end()
    uart.end()
    for pin in pins:
        if sum(each.name == pin.name for each in pins) > 1:
            raise top.error(f"pin {pin.name} is used twice")

    title, loader = top.text("title"), top.word("loader")
    package, speed = top.word("package", ""), top.word("speed", "")
    found = []
    names = top.texts("devices")
    for each in names:
        if each not in DEVICES:
            raise top.error(f"devices: {unknown('device', each, DEVICES)}")
        device = DEVICES[each]
        if device.nextpnr not in PACKERS:
            known = [d.name for d in DEVICES.values() if d.nextpnr in PACKERS]
            raise top.error(f"no open tool makes a bitstream for {each}; known: {', '.join(known)}")
        if "--package" not in device.arguments and package not in ("", device.package):
            raise top.error(f"{each} is placed in package {device.package} only, not {package}")
        if speed and "--speed" not in device.arguments:
            raise top.error(f"{each} has no speed grade to choose")
        size = f"-{each.rpartition('-')[2]}" if len(names) > 1 else ""
        board = Board(
            name=name + size, title=title + (f" {size[1:-1]}F" if size else ""), device=device,
            package=package or device.package, speed=speed or device.speed, loader=loader,
            hz=round(mhz * 1e6), baud=int(baud), pins=tuple(pins), leds=number, lit_by=lit_by,
        )  # fmt: skip
        _check_baud(board.name, board)
        found.append(board)
    top.end()
    return found
