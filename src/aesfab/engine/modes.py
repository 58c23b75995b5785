# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Modes of operation that engines are for: how long their texts are, and which engines have them.

An engine may have a mode beside what it is for, as GCM has CTR: see ``crypt.AnyJob.modes``.
"""

from __future__ import annotations

import dataclasses

from aesfab.engine.ccm.spec import MOST_TEXT


@dataclasses.dataclass(frozen=True)
class Way:
    """A direction of a mode.

    Attributes:
        example: name of an engine for it. The others are of the same kind.
        values: of the axis ``modes``, of engines for it.
    """

    example: str
    values: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Carried:
    """A mode that engines carry.

    Attributes:
        most: bytes of the longest packet, sector or message; of some the standard has no longest
            one (SP 800-38A to E).
        encrypt: of encryption.
        decrypt: of decryption. A tag of CMAC is made again, which is the same.
        least: bytes of the shortest one.
    """

    most: int
    encrypt: Way
    decrypt: Way
    least: int = 1

    def way(self, *, decrypt: bool) -> Way:
        """That of a direction."""
        return self.decrypt if decrypt else self.encrypt


_LONG = 16 * 2**20
_COUNTED = 16 * (2**32 - 2)
_CHAINED = Way("chained-streams-interleaved-ram", ("chained",))
_CTR = Way("ctr-interleaved-ram", ("ctr",))
_GCM = Way("gcm-interleaved-ram", ("gcm",))
_CCM = Way("ccm-iterative-ram", ("ccm",))
_XTS = Way("xts-iterative-ram-both", ("xts",))

MODES = {
    "cbc": Carried(
        _LONG,
        Way("cbc-streams-interleaved-ram", ("cbc", "chained")),
        Way("cbc-dec-iterative", ("cbc",)),
        least=16,
    ),
    "cfb": Carried(_LONG, _CHAINED, _CHAINED),
    "ofb": Carried(_LONG, _CHAINED, _CHAINED),
    "ctr": Carried(_COUNTED, _CTR, _CTR),
    "gcm": Carried(_COUNTED, _GCM, _GCM),
    "ccm": Carried(MOST_TEXT, _CCM, _CCM),
    "cmac": Carried(_LONG, _CHAINED, _CHAINED),
    "xts": Carried(_LONG, _XTS, _XTS, least=16),
}
"""By their names, as the command line has them."""


def example(mode: str, *, decrypt: bool) -> str:
    """An engine for one of ``MODES`` in a direction, as an option of the command line."""
    return f"--design {MODES[mode].way(decrypt=decrypt).example}"
