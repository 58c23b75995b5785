# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Known answers of XTS, those of NIST (CAVS) that have whole bytes, and of CBC, as sectors."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import json
from collections.abc import Iterable
from pathlib import Path

from aesfab.engine.packets import BLOCK, Error
from aesfab.engine.streams import vectors as of_streams
from aesfab.engine.streams.messages import Mode, Result
from aesfab.engine.streams.vectors import records
from aesfab.engine.xts.sectors import CBC, XTS, Sector

TOTAL = 2800
"""Answers of NIST in the pinned package, of 4,000: the others do not have whole bytes."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """A known answer.

    Attributes:
        source: file and number.
        keys: key of the data, and with XTS key of the tweaks.
        sector: what goes in; its slot is 0.
        result: what has to come out.
    """

    source: str
    keys: bytes
    sector: Sector
    result: Result


@functools.cache
def nist() -> tuple[Answer, ...]:
    """All answers of NIST for XTS with whole bytes.

    Raises ValueError where their number is another: the package is not the one that we know.
    """
    place = importlib.resources.files("cryptography_vectors") / "ciphers" / "AES" / "XTS"
    found = []
    for folder in ("tweak-128hexstr", "tweak-dataunitseqno"):
        for bits in (128, 256):
            file = f"XTSGenAES{bits}.rsp"
            text = (place / folder / file).read_text(encoding="ascii")
            for fields in records(text):
                if int(fields["DataUnitLen"]) % 8:
                    continue
                if "i" in fields:
                    tweak = bytes.fromhex(fields["i"])
                else:
                    tweak = int(fields["DataUnitSeqNumber"]).to_bytes(BLOCK, "little")
                back = fields["direction"] == "DECRYPT"
                plain, sealed = (bytes.fromhex(fields[name]) for name in ("PT", "CT"))
                sent, out = (sealed, plain) if back else (plain, sealed)
                source = f"{file} {folder} {fields['direction'].lower()} {fields['COUNT']}"
                sector = Sector(0, tweak, sent, back)
                keys = bytes.fromhex(fields["Key"])
                found.append(Answer(source, keys, sector, Result(out, Error.NONE)))
    if len(found) != TOTAL:
        raise ValueError(f"cryptography_vectors holds {len(found)} answers of XTS, not {TOTAL}")
    return tuple(found)


@functools.cache
def cbc() -> tuple[Answer, ...]:
    """All answers of NIST for CBC, as decryption: each holds for both directions."""
    return _decrypted(of_streams.nist())


def _decrypted(answers: Iterable[of_streams.Answer]) -> tuple[Answer, ...]:
    found = []
    for answer in answers:
        message = answer.message
        if message.mode == Mode.CBC:
            sector = Sector(0, message.iv, answer.result.text, True, mode=CBC)
            found.append(
                Answer(answer.source, answer.key, sector, Result(message.text, Error.NONE))
            )
    return tuple(found)


def of_each_kind() -> list[Answer]:
    """Of those of XTS, the first of each key size, direction, length and kind of tweak."""
    found: dict[tuple[object, ...], Answer] = {}
    for answer in nist():
        sector = answer.sector
        folder = answer.source.split()[1]
        kind = (len(answer.keys), sector.decrypt, len(sector.text), folder)
        found.setdefault(kind, answer)
    return list(found.values())


SHIPPED = Path(__file__).with_name("answers.jsonl")
"""Those, a JSON object a line, so that a folder is written without the packages of answers."""


def line(answer: Answer) -> str:
    """An answer as it stands in ``SHIPPED``."""
    sector = answer.sector
    facts = {
        "source": answer.source,
        "keys": answer.keys.hex(),
        "decrypt": sector.decrypt,
        "tweak": sector.tweak.hex(),
        "text": sector.text.hex(),
        "result": answer.result.text.hex(),
    }
    return json.dumps(facts) + "\n"


@functools.cache
def shipped() -> tuple[Answer, ...]:
    """The answers of ``SHIPPED``, and those of CBC that travel with stream engines."""
    found = []
    for text in SHIPPED.read_text(encoding="ascii").splitlines():
        facts = json.loads(text)
        value = {name: bytes.fromhex(facts[name]) for name in ("keys", "tweak", "text", "result")}
        sector = Sector(0, value["tweak"], value["text"], facts["decrypt"], mode=XTS)
        result = Result(value["result"], Error.NONE)
        found.append(Answer(facts["source"], value["keys"], sector, result))
    return (*found, *_decrypted(of_streams.shipped()))
