# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files through a simulated stream engine: CBC, CFB128, OFB."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from aesfab.engine.streams import bench
from aesfab.engine.streams.bench import Model
from aesfab.engine.streams.messages import Kind, Message, Mode, key_step
from aesfab.engine.streams.spec import Engine
from aesfab.errors import AesfabError, unknown
from aesfab.system import files
from aesfab.verify import cipher

MODES = {"cbc": Mode.CBC, "cfb": Mode.CFB, "ofb": Mode.OFB}
"""Modes of files through stream engines."""

_LARGEST = 1 << 24
"""Bytes of a file, which goes through a simulation in memory."""


@dataclasses.dataclass(frozen=True)
class Job:
    """A file and what belongs to it.

    Attributes:
        mode: one of MODES.
        key: hexadecimal.
        iv: hexadecimal.
        data_in: what is read.
        data_out: what is written, whole or not at all.
        decrypt: the direction.
    """

    mode: str
    key: str
    iv: str | None
    data_in: Path
    data_out: Path
    decrypt: bool

    def check(self, engine: Engine) -> None:
        """Refuse whatever can be refused before a model is built, in one line (AesfabError)."""
        if self.mode not in MODES:
            raise unknown("mode of an engine of streams", self.mode, MODES)
        if self.mode == "cbc" and self.decrypt:
            raise AesfabError(
                "an engine of streams encrypts blocks, and cbc decryption needs decryption; choose "
                "a core that decrypts"
            )
        if self.mode != "cbc" and not engine.chained:
            raise AesfabError(f"this engine has no {self.mode}; choose one with modes=chained")
        cipher.check_key(engine.core.design, self.key)
        cipher.check_iv(self.mode, self.iv)
        cipher.check_files(self.data_in, self.data_out, whole=False, decrypt=self.decrypt)

    def run(self, model: Model) -> tuple[int, int]:
        """Send the file through an engine and write what comes out; blocks, and clocks they took.

        Raises:
            AesfabError: files that cannot be read or written.
            ToolError: the simulation failed.
        """
        self.check(model.named.engine)
        text = self._read()
        if self.mode == "cbc":
            rest = 16 - len(text) % 16
            text += bytes([rest]) * rest
        message = Message(MODES[self.mode], 0, bytes.fromhex(self.iv or ""), text, self.decrypt)
        beats = message.beats()
        steps = key_step(0, bytes.fromhex(self.key)) + message.describe(0, 1)
        found = model.run(steps + b"".join(beat.step(0, 1) for beat in beats))
        (result,) = bench.results(found)[0]
        if result.error:
            raise AesfabError(f"the engine refuses the message: {result.error.name}")
        self._write(result.text)
        starts = [event.clock for event in found if event.kind is Kind.DESCRIPTOR]
        return len(beats), found[-1].clock - starts[0] + 1

    def _read(self) -> bytes:
        try:
            with files.open_input(self.data_in) as file:
                content = file.read(_LARGEST + 1)
        except OSError as error:
            raise AesfabError(f"cannot read {self.data_in}: {error.strerror}") from error
        if len(content) > _LARGEST:
            raise AesfabError(f"the input in {self.data_in} is larger than {_LARGEST >> 20} MiB")
        return content

    def _write(self, content: bytes) -> None:
        try:
            source = os.stat(self.data_in) if self.decrypt and self.data_in != Path("-") else None
            with files.whole_file(self.data_out, source) as output:
                output.write(content)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise AesfabError(f"cannot write {self.data_out}: {error.strerror}") from error
