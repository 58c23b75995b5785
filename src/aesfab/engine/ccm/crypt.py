# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files through a simulated CCM engine, a file as one packet."""

from __future__ import annotations

from aesfab.engine import bench
from aesfab.engine.ccm.bench import Model
from aesfab.engine.ccm.packets import NONCES, TAGS, Packet
from aesfab.engine.ccm.spec import MOST_AAD, MOST_TEXT, Engine
from aesfab.engine.crypt import AnyJob, Outcome, finish, read
from aesfab.engine.packets import key_step
from aesfab.errors import AesfabError
from aesfab.verify import cipher


class Job(AnyJob):
    """A file as a packet."""

    def check(self, engine: Engine) -> None:
        """See ``AnyJob``."""
        cipher.check_key(engine.core.design, self.key)
        self.check_hex_iv("14 to 26", [2 * length for length in NONCES])
        self.check_tag_files()

    def packet(self) -> Packet:
        """The packet that the files make.

        Raises AesfabError for files that cannot be read, are too large, and tags of no length.
        """
        text = read(self.data_in, "the input", MOST_TEXT)
        aad = read(self.aad, "the additional data", MOST_AAD) if self.aad else b""
        tag = read(self.tag, "the tag") if self.tag and self.decrypt else b""
        if self.decrypt and len(tag) not in TAGS:
            raise AesfabError(
                f"{self.tag} has {len(tag)} bytes; a tag has 4, 6, 8, 10, 12, 14 or 16"
            )
        nonce = bytes.fromhex(self.iv or "")
        return Packet(0, nonce, text, aad, self.decrypt, tag, len(tag) or 16, after=1)

    def run(self, model: Model) -> Outcome:
        """See ``AnyJob``; TagError where the tag is wrong, and then nothing is written."""
        self.check(model.named.engine)
        packet = self.packet()
        key = key_step(0, bytes.fromhex(self.key), length=0)
        found = model.run(key + packet.steps())
        (result,) = bench.results(found)
        return finish(self, result, found, model.named.engine.most_held)
