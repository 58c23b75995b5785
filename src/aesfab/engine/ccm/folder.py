# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a CCM engine: its testbench and what its data sheet says."""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.engine.ccm import catalogue, testbench
from aesfab.engine.ccm.catalogue import NamedCcm
from aesfab.engine.ccm.spec import MOST_AAD, MOST_TEXT
from aesfab.engine.folder import AnyFolder, Sheet, release, table


class Folder(AnyFolder[NamedCcm]):
    """The folder of a CCM engine."""

    kind = "CCM engine"

    @classmethod
    def find(cls, name: str, overrides: Sequence[str]) -> NamedCcm:
        """See ``AnyFolder``."""
        return catalogue.find(name, overrides)

    def testbench(self) -> str:
        """See ``AnyFolder``."""
        return testbench.text(self.named)

    def sheet(self) -> Sheet:
        """See ``AnyFolder``."""
        engine, design = self.named.engine, self.named.engine.core.design
        packets = table(
            ("bytes of text", "clocks from packet to packet, at most"),
            [(size, engine.size_clocks(size)) for size in (16, 64, 512, 1500)],
        )
        compared = (
            "Tags are compared byte by byte, all of them in any case."
            if engine.serial
            else "Tags are compared in one clock."
        )
        change = (
            "The core stores one expanded key: a packet of another slot than the one before waits "
            f"until it is loaded, {engine.key_change_clocks} clocks at most."
            if design.stored_keys
            else "Keys travel with their blocks: a packet of another key costs no clock more."
        )
        return Sheet(
            what=f"AES-{8 * engine.key_port_bytes} CCM engine of packets (SP 800-38C)",
            channels=f"""\
- **Keys**: `s_key_tuser` is {{clear all, clear, 0, 0, slot (8 bits)}}. Packets whose descriptor was
  taken keep the old key of their slot. Reset clears all slots; the first key is taken
  {engine.reset_clocks} clocks after it.
- **Descriptors**: bits 127 to 0 the nonce (7 to 13 bytes, its first byte lowest), 131 to 128 the
  mode (8), 132 decryption, 143 to 136 slot, 151 to 144 bytes of the nonce, 159 to 152 bytes of the
  tag (4, 6, 8, 10, 12, 14, 16), 175 to 160 bytes of the text ({MOST_TEXT:,} at most), 191 to 176
  bytes of the AAD ({MOST_AAD:,} at most).
- **Beats**: AAD, then text, of the lengths of the descriptor, then with decryption the tag. A beat
  is partial only as the last one of its kind. `tlast` is with the last beat of the packet. The
  engine makes the first block, the length before the AAD and the padding.
- **Results**: text, then one beat with `tlast`: the tag of an encryption, else zero. Its `tuser`
  is {{error (4 bits), ok, last}}. Errors: 1 mode, 2 slot, 3 length of the nonce, 4 length of the
  tag, 5 a beat that the packet cannot have there, 6 length, 7 wrong tag. A packet has beats if its
  descriptor says decryption, or a length that is not zero; those of one that makes no sense are
  dropped.""",
            clocks=f"""\
{packets}

These are packets in line without AAD, all streams ready. Each 16 bytes of AAD, with the two bytes
of its length, take up to {engine.aad_clocks} clocks more. {change}""",
            security=f"""\
{release(engine.most_held)}
{compared} The right tag of a decrypted packet does not leave the engine.
The time that a packet takes follows from its lengths alone. The engine does not see to it that a
nonce is used once for a key. It has no protection against power analysis or faults.""",
        )
