# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files through a simulated sector engine: XTS, or CBC decryption, a file as one sector."""

from __future__ import annotations

from aesfab.engine.crypt import AnyJob, Outcome, clocks, read, write
from aesfab.engine.every import example
from aesfab.engine.packets import BLOCK
from aesfab.engine.xts import bench
from aesfab.engine.xts.bench import Model
from aesfab.engine.xts.sectors import Sector, key_steps
from aesfab.engine.xts.spec import Engine
from aesfab.errors import AesfabError
from aesfab.verify import cipher


class Job(AnyJob):
    """A file as a sector."""

    def check(self, engine: Engine) -> None:
        """See ``AnyJob``."""
        self.without_tag()
        if self.decrypt not in engine.directions:
            way = "decrypt" if self.decrypt else "encrypt"
            other = example(self.mode, decrypt=self.decrypt)
            raise AesfabError(f"this engine does not {way}; one that does: {other}")
        if engine.cbc:
            cipher.check_key(engine.core.design, self.key)
        else:
            self._check_pair(4 * engine.key_port_bytes)
        cipher.check_iv(self.mode, self.iv)
        cipher.check_files(
            self.data_in, self.data_out, whole=engine.cbc, decrypt=engine.cbc, least=BLOCK
        )

    def _check_pair(self, digits: int) -> None:
        """Refuse what is no pair of keys of so many digits."""
        cipher.check_hex_key(self.key)
        if len(self.key) != digits:
            raise AesfabError(
                f"the key has {len(self.key)} hexadecimal digits; this engine takes {digits}, the "
                "key of the data and then that of the tweaks"
            )
        if self.key[: digits // 2].lower() == self.key[digits // 2 :].lower():
            raise AesfabError("key of the data and key of the tweaks are the same; XTS needs two")

    def run(self, model: Model) -> Outcome:
        """See ``AnyJob``."""
        engine = model.named.engine
        self.check(engine)
        text = read(self.data_in, "the input")
        cipher.require_size(self.data_in, len(text), BLOCK)
        iv, of_slot = bytes.fromhex(self.iv or ""), engine.keys_of_slot
        sector = Sector(0, iv, text, self.decrypt, mode=engine.mode)
        steps = key_steps(0, bytes.fromhex(self.key), of_slot) + sector.steps(of_slot)
        found = model.run(steps)
        (result,) = bench.results(found)
        if result.error:
            raise AesfabError(f"the engine refuses the sector: {result.error.name}")
        out = _unpadded(result.text) if engine.cbc else result.text
        write(self.data_out, out, self.data_in, decrypt=self.decrypt)
        count, cycles = len(sector.beats()), clocks(found)
        facts = {"blocks": count, "cycles": cycles}
        return Outcome(f"{count} blocks of one sector in {cycles} cycles", facts)


def _unpadded(text: bytes) -> bytes:
    """A text without its padding (PKCS#7); AesfabError where it has none."""
    count = text[-1] if text else 0
    if not 1 <= count <= BLOCK or text[-count:] != bytes([count]) * count:
        raise AesfabError("bad padding: a wrong key, IV or mode, or damaged input")
    return text[:-count]
