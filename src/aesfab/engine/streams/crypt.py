# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files through a simulated stream engine: CBC, CFB128, OFB, CMAC."""

from __future__ import annotations

from aesfab.engine.crypt import AnyJob, Outcome, clocks, read, write
from aesfab.engine.every import example
from aesfab.engine.packets import key_step
from aesfab.engine.streams import bench
from aesfab.engine.streams.bench import Model
from aesfab.engine.streams.messages import Message, Mode
from aesfab.engine.streams.spec import Engine
from aesfab.errors import AesfabError
from aesfab.verify import cipher

_MODES = {mode.name.lower(): mode for mode in Mode}
"""Modes of files through stream engines."""


class Job(AnyJob):
    """A file as a message. Of CMAC the result is the tag, as raw bytes."""

    @classmethod
    def modes(cls, engine: Engine) -> tuple[str, ...]:
        """See ``AnyJob``."""
        return tuple(_MODES) if engine.chained else ("cbc",)

    def check(self, engine: Engine) -> None:
        """See ``AnyJob``."""
        self.without_tag()
        if self.mode == "cbc" and self.decrypt:
            raise AesfabError(
                "an engine of streams encrypts blocks, and cbc decryption needs decryption; one "
                f"that has it: {example('cbc', decrypt=True)}"
            )
        cipher.check_key(engine.core.design, self.key)
        if self.mode != "cmac":
            cipher.check_iv(self.mode, self.iv)
        elif self.iv is not None:
            raise AesfabError("cmac mode takes no iv")
        cipher.check_files(self.data_in, self.data_out, whole=False, decrypt=self.decrypt)

    def run(self, model: Model) -> Outcome:
        """See ``AnyJob``."""
        self.check(model.named.engine)
        text = read(self.data_in, "the input")
        if self.mode == "cbc":
            rest = 16 - len(text) % 16
            text += bytes([rest]) * rest
        iv = bytes.fromhex(self.iv) if self.iv else bytes(16)
        message = Message(_MODES[self.mode], 0, iv, text, self.decrypt)
        beats = message.beats()
        steps = key_step(0, bytes.fromhex(self.key)) + message.describe(0, 1)
        found = model.run(steps + b"".join(beat.step(0, 1) for beat in beats))
        (result,) = bench.results(found)[0]
        if result.error:
            raise AesfabError(f"the engine refuses the message: {result.error.name}")
        write(self.data_out, result.text, self.data_in, decrypt=self.decrypt)
        count, cycles = len(beats), clocks(found)
        facts = {"blocks": count, "cycles": cycles}
        return Outcome(f"{count} blocks of one stream in {cycles} cycles", facts)
