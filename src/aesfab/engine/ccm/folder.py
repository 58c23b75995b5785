# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a CCM engine: its testbench and what its data sheet says."""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.engine.ccm import catalogue, testbench
from aesfab.engine.ccm.catalogue import NamedCcm
from aesfab.engine.folder import AnyFolder, Sheet, key_change, packet_table, release


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
        engine = self.named.engine
        compared = (
            "Tags are compared byte by byte, all of them in any case."
            if engine.serial
            else "Tags are compared in one clock."
        )
        return Sheet(
            what=f"AES-{8 * engine.key_port_bytes} CCM engine of packets (SP 800-38C)",
            channels=f"""\
- **Keys**: packets whose descriptor was taken keep the old key of their slot. Reset clears all
  slots; the first key is taken {engine.reset_clocks} clocks after it.
- **Beats**: AAD, then text, of the lengths of the descriptor, then with decryption the tag. A beat
  is partial only as the last one of its kind. `tlast` is with the last beat of the packet. The
  engine makes the first block, the length before the AAD and the padding.
- **Results**: text, then one beat with `tlast`: the tag of an encryption, else zero. A packet has
  beats if its descriptor says decryption, or a length that is not zero; those of one that makes no
  sense are dropped.""",
            clocks=f"""\
{packet_table(engine)}

These are packets in line without AAD, all streams ready. Each 16 bytes of AAD, with the two bytes
of its length, take up to {engine.aad_clocks} clocks more.
{key_change(engine, "a packet")}""",
            security=f"""\
{release(engine.most_held)}
{compared} The right tag of a decrypted packet does not leave the engine.
The time that a packet takes follows from its lengths alone. The engine does not see to it that a
nonce is used once for a key. It has no protection against power analysis or faults.""",
        )
