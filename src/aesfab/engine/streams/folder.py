# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a stream engine: RTL, file list, FuseSoC core, testbench, README."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from aesfab import __version__
from aesfab.engine.streams import hdl, testbench
from aesfab.engine.streams.catalogue import NamedStreams
from aesfab.errors import unknown
from aesfab.folder import generate, own_names
from aesfab.folder import manifest as manifests
from aesfab.folder import testbench as of_cores


@dataclasses.dataclass(frozen=True)
class Folder:
    """What a generated folder is of.

    Attributes:
        named: the engine.
        output_format: see ``generate.Folder``.
        prefix: see ``generate.Folder``.
    """

    named: NamedStreams
    output_format: str = "systemverilog"
    prefix: str = ""

    def names(self) -> own_names.Names:
        """The names in it; AesfabError where they are none or clash."""
        if self.output_format not in generate.FORMATS:
            raise unknown("format", self.output_format, generate.FORMATS)
        return own_names.Names.of(self.named.module, self.prefix)

    def contents(self, progress: Callable[[str], None] = lambda _: None) -> dict[str, str]:
        """The text of every file, by its name; the same input gives the same text.

        Raises AesfabError for an illegal engine or name, ToolError where Yosys fails.
        """
        own, named, module = self.names(), self.named, self.named.module
        needed = hdl.sources(named)
        files: dict[str, str] = {}
        is_verilog = self.output_format == "verilog"
        if is_verilog:
            progress(f"translating {named.name} to Verilog-2005")
            files[f"{module}.v"] = generate.plain_verilog(named.name, module, own, needed, needed)
        else:
            files |= {f"rtl/{own.file(path)}": own.apply(path.read_text()) for path in needed}
        rtl_files = list(files)
        bench = f"tb/tb_{module}.sv"
        files[bench] = testbench.text(named)
        files[f"{module}.f"] = "".join(f"{name}\n" for name in rtl_files)
        files[f"{module}.core"] = generate.fusesoc(
            module, f"AES stream engine {named.name}", rtl_files, bench
        )
        commands = of_cores.commands(module, bench, is_verilog)
        files["README.md"] = _data_sheet(named, rtl_files, bench, commands)
        files["LICENSE"] = generate.shipped_text("LICENSE")
        return files

    def write(
        self, folder: Path, force: bool, progress: Callable[[str], None] = lambda _: None
    ) -> list[Path]:
        """Write it, whole or not at all; the files, relative to the folder.

        Raises as ``contents``, and AesfabError for a folder that is not empty, unless ``force``.
        """
        generate.require_free(folder, force)
        files = self.contents(progress)
        files[manifests.FILE] = manifests.text(
            {
                "kind": "engine",
                "design": self.named.name,
                "overrides": dict(self.named.overrides),
                "axes": {**self.named.engine.axes(), **self.named.engine.core.design.axes()},
                "format": self.output_format,
                "name": self.named.module,
                "prefix": self.names().prefix,
            },
            files,
        )
        generate.write_all(folder, files)
        return [Path(name) for name in files]


def _table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (head, ("---",) * len(head), *rows)]
    return "\n".join(lines)


def _data_sheet(
    named: NamedStreams, rtl_files: list[str], bench: str, commands: dict[str, list[str]]
) -> str:
    """The README: streams, descriptor, clocks, what to run, what is not promised."""
    engine = named.engine
    words = "".join(f" {axis}={value}" for axis, value in named.overrides)
    ports = _table(
        ("port", "bits", "", "meaning"),
        [
            (f"`{p.name}`", p.width, "in" if p.is_input else "out", p.meaning)
            for p in engine.ports()
        ],
    )
    axes = _table(("axis", "value"), list(engine.axes().items()))
    clocks = _table(
        ("streams with text", "clocks from a block to the next one"),
        [
            (f"{engine.streams_that_fill} or more", engine.interval_number()),
            ("1", engine.turn_clocks),
        ],
    )
    runs = "\n\n".join(
        f"With {tool}, {of_cores.LEAST[tool]} or newer:\n\n```sh\n" + "\n".join(lines) + "\n```"
        for tool, lines in commands.items()
    )
    modes = (
        "3 CBC (encryption), 4 CFB128, 5 OFB, 6 CMAC" if engine.chained else "3 CBC (encryption)"
    )
    lengths = (
        "CBC takes whole blocks, at least one. A text of CFB128 and OFB and a message of CMAC have "
        "any length; one without a byte is a single beat with `tkeep` 0 and `tlast`."
        if engine.chained
        else "A text has whole blocks, at least one."
    )
    results = (
        "Text leaves beat by beat; the last one has `tlast`. The result of CMAC is one beat, the "
        "tag of 16 bytes."
        if engine.chained
        else "Text leaves beat by beat; the last one has `tlast`."
    )
    return f"""# {named.module}

AES engine of many streams, generated by AESFab {__version__} from the engine
`{named.name}{words}`. Apache-2.0.

{axes}

## Streams

All streams are AXI4-Stream; byte 0 is in the lowest lane; `tid` is the number of a stream.

{ports}

- **Keys**: `s_key_tuser` is {{clear all, clear, length (2 bits, ignored), slot (8 bits)}}. A key
  has taken its slot in the clock in which it is taken; messages that are open keep the old one.
  Reset clears all slots, in 258 clocks.
- **Descriptors**: bits 127 to 0 the IV, 130 to 128 the mode ({modes}), 131 decryption, 143 to 136
  slot. Two messages of a stream can be open; a descriptor waits until there is a place.
- **Beats**: a beat is partial only as the last one of its message. {lengths} Four beats of a
  stream wait in its buffer. A beat waits until its message is open: offer the first beats of
  messages in the order of their descriptors, or after these were taken.
- **Results**: {results} With `tlast`, `tuser` is {{error (4 bits), ok, last}}. A message that makes
  no sense ends with a beat without a byte; errors: 1 mode, 2 slot, 5 a beat that the message cannot
  have there. Its other beats are dropped.

## Clocks

{clocks}

Whatever keys and modes the blocks have. A descriptor takes three clocks.

## First check

{runs}

`fusesoc --cores-root . run --target sim aesfab:core:{named.module}` does the same.

## Security

The time that a message takes follows from its length and from what other streams do, never from
its data or keys. The engine does not see to it that an IV is fresh. It has no protection against
power analysis or faults.

| file | what it is |
|---|---|
| `{rtl_files[-1]}` | the top module |
| `{named.module}.f` | files in compilation order |
| `{named.module}.core` | FuseSoC core |
| `{bench}` | self-checking testbench |
| `{manifests.FILE}` | of what this folder is, and the hash of each file |
"""
