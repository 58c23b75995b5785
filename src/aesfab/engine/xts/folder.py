# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a sector engine: its testbench and what its data sheet says."""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.engine.folder import AnyFolder, Sheet, key_change, table
from aesfab.engine.xts import catalogue, testbench
from aesfab.engine.xts.catalogue import NamedXts


class Folder(AnyFolder[NamedXts]):
    """The folder of a sector engine."""

    kind = "sector engine"

    @classmethod
    def find(cls, name: str, overrides: Sequence[str]) -> NamedXts:
        """See ``AnyFolder``."""
        return catalogue.find(name, overrides)

    def testbench(self) -> str:
        """See ``AnyFolder``."""
        return testbench.text(self.named)

    def sheet(self) -> Sheet:
        """See ``AnyFolder``."""
        engine = self.named.engine
        clocks = table(
            (f"bytes of a {'message' if engine.cbc else 'sector'}", "clocks to the next, at most"),
            list(engine.clocks_by_size.items()),
        )
        change = key_change(engine, "a message" if engine.cbc else "a sector")
        line = f"{clocks}\n\nThese come in line, all streams ready. {change}"
        bits = 8 * engine.key_port_bytes
        return self._of_cbc(bits, line) if engine.cbc else self._of_xts(bits, line)

    def _of_xts(self, bits: int, line: str) -> Sheet:
        engine = self.named.engine
        return Sheet(
            what=f"AES-XTS engine of sectors (IEEE 1619, XTS-AES-{bits})",
            channels=f"""\
- **Keys**: a slot has two, of {bits} bits each: the key of the data, then the key of the tweaks
  (Key1 and Key2 of the standard). The key of the data makes the other one of its slot unknown, so
  write both, in this order. Sectors whose descriptor was taken keep the old ones. Reset clears all
  slots; the first key is taken {engine.reset_clocks} clocks after it.
- **Beats**: a sector has 16 bytes or more, and 2^20 blocks at most. Its last beat, with `tlast`,
  may be partial: then bytes are stolen from the one before (ciphertext stealing).
- **Results**: as many bytes. A sector that makes no sense ends with a beat without a byte. Its
  other beats are dropped.""",
            clocks=f"""\
{line}
A sector with a partial beat takes up to {engine.steal_clocks} clocks more: its last block waits
for the one before.""",
            security="""\
XTS does not tell whether data were changed: it has no tag. The time that a sector takes follows
from its length alone. The engine does not see to it that the two keys of a slot differ, which FIPS
140-3 asks for (IG C.I), nor that a number is used for one sector. It has no protection against
power analysis or faults.""",
        )

    def _of_cbc(self, bits: int, line: str) -> Sheet:
        engine = self.named.engine
        return Sheet(
            what=f"AES-{bits} engine for CBC decryption (SP 800-38A)",
            channels=f"""\
- **Keys**: messages whose descriptor was taken keep the old key of their slot. Reset clears all
  slots; the first key is taken {engine.reset_clocks} clocks after it.
- **Beats**: a message has whole blocks, at least one; `tlast` is with the last.
- **Results**: as many blocks, padding included. A message that makes no sense ends with a beat
  without a byte. Its other beats are dropped.""",
            clocks=line,
            security="""\
CBC does not tell whether data were changed: check a tag before you decrypt, or padding tells an
attacker the text. The time that a message takes follows from its length alone. The engine has no
protection against power analysis or faults.""",
        )
