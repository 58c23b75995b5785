# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files through a simulated sector engine: XTS, a file as one sector."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from aesfab.engine.crypt import Outcome, clocks, read, write
from aesfab.engine.packets import BLOCK
from aesfab.engine.xts import bench
from aesfab.engine.xts.bench import Model
from aesfab.engine.xts.sectors import Sector, pair_steps
from aesfab.engine.xts.spec import Engine
from aesfab.engine.xts.verify import directions
from aesfab.errors import AesfabError
from aesfab.verify import cipher


@dataclasses.dataclass(frozen=True)
class Job:
    """A file and what belongs to it.

    Attributes:
        mode: xts.
        key: hexadecimal, the key of the data and that of the tweaks.
        iv: hexadecimal, the tweak.
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
        if self.mode != "xts":
            raise AesfabError(f"a sector engine has no {self.mode}; give --mode xts")
        if self.decrypt not in directions(engine):
            way = "decrypt" if self.decrypt else "encrypt"
            raise AesfabError(
                f"the core of this engine does not {way}; 'aesfab list' names engines that do, for "
                "example xts-iterative-ram-both"
            )
        cipher.check_hex_key(self.key)
        digits = 4 * engine.key_port_bytes
        if len(self.key) != digits:
            raise AesfabError(
                f"the key has {len(self.key)} hexadecimal digits; this engine takes {digits}, the "
                "key of the data and then that of the tweaks"
            )
        if self.key[: digits // 2].lower() == self.key[digits // 2 :].lower():
            raise AesfabError("key of the data and key of the tweaks are the same; XTS needs two")
        cipher.check_iv(self.mode, self.iv)
        cipher.check_files(self.data_in, self.data_out, whole=False, decrypt=False)

    def run(self, model: Model) -> Outcome:
        """Send the file through an engine and write what comes out.

        Raises:
            AesfabError: files that cannot be read or written, or are shorter than a block.
            ToolError: the simulation failed.
        """
        self.check(model.named.engine)
        text = read(self.data_in, "the input")
        if len(text) < BLOCK:
            raise AesfabError(f"{self.data_in} has {len(text)} bytes; xts needs 16 or more")
        sector = Sector(0, bytes.fromhex(self.iv or ""), text, self.decrypt)
        found = model.run(pair_steps(0, bytes.fromhex(self.key)) + sector.steps(2))
        (result,) = bench.results(found)
        if result.error:
            raise AesfabError(f"the engine refuses the sector: {result.error.name}")
        write(self.data_out, result.text, self.data_in, decrypt=self.decrypt)
        count, cycles = len(sector.beats()), clocks(found)
        facts = {"blocks": count, "cycles": cycles}
        return Outcome(f"{count} blocks of one sector in {cycles} cycles", facts)
