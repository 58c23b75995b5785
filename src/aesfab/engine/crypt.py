# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files through a simulated engine: GCM and CTR, with IV, additional data and tag."""

from __future__ import annotations

import abc
import dataclasses
import os
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any, Self

from aesfab.engine import bench
from aesfab.engine.bench import Model
from aesfab.engine.every import MODES, example
from aesfab.engine.packets import Error, Event, Kind, Mode, Packet, Result, key_step
from aesfab.engine.spec import Engine
from aesfab.errors import AesfabError, unknown
from aesfab.system import files
from aesfab.verify import cipher

GMAC = (
    "GMAC is GCM of additional data alone: with an engine of GCM "
    f"({example('gcm', decrypt=False)}) give --mode gcm --aad FILE, and /dev/null as IN"
)
"""How to get GMAC, which is no mode of its own."""

_LARGEST = 1 << 24
"""Bytes of a file, which is one packet and goes through a simulation in memory."""
_TAG_LENGTHS = (4, 8, 12, 13, 14, 15, 16)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What is said of a file that went through an engine.

    Attributes:
        text: in a line.
        facts: the same as data.
    """

    text: str
    facts: dict[str, int]


class TagError(AesfabError):
    """The tag of a file is wrong."""

    exit_status = 1


@dataclasses.dataclass(frozen=True)
class AnyJob(abc.ABC):
    """A file and what belongs to it, for an engine of any kind.

    Attributes:
        mode: one that the engine has; empty: the only one that it has.
        key: hexadecimal; for XTS the key of the data and then that of the tweaks.
        iv: hexadecimal: 1 to 128 bytes for GCM, else 16; for XTS the tweak.
        data_in: what is read.
        data_out: what is written, whole or not at all.
        aad: a file of additional data, GCM and CCM alone.
        tag: a file of the tag as raw bytes, of these alone: encryption writes it, decryption reads
            it.
        decrypt: the direction.
    """

    mode: str
    key: str
    iv: str | None
    data_in: Path
    data_out: Path
    aad: Path | None
    tag: Path | None
    decrypt: bool

    @classmethod
    def modes(cls, engine: Any) -> tuple[str, ...]:
        """The modes that files go through an engine in: that of its axis ``modes``, or several."""
        return (engine.modes.value,)

    def resolved(self, engine: Any) -> Self:
        """The job with a mode that an engine has.

        AesfabError, one line, for one that it has not, and for none where it has several.
        """
        has = self.modes(engine)
        if not self.mode:
            if len(has) > 1:
                raise AesfabError(f"this engine has several modes: --mode {' or '.join(has)}")
            return dataclasses.replace(self, mode=has[0])
        if self.mode == "gmac":
            raise AesfabError(GMAC)
        if self.mode not in MODES:
            raise unknown("mode of engines", self.mode, sorted(MODES))
        if self.mode == "cmac" and self.decrypt:
            raise AesfabError("cmac has no decryption: make the tag again, and compare")
        if self.mode not in has:
            raise AesfabError(
                f"this engine has no {self.mode}, but {', '.join(has)}; one that has it: "
                + example(self.mode, decrypt=self.decrypt)
            )
        return self

    @abc.abstractmethod
    def check(self, engine: Any) -> None:
        """Refuse whatever can be refused before a model is built, in one line (AesfabError).

        The mode is one that the engine has (``resolved``).
        """

    @abc.abstractmethod
    def run(self, model: Any) -> Outcome:
        """Send the file through an engine and write what comes out.

        Raises:
            AesfabError: files that cannot be read or written, a text that the engine refuses.
            ToolError: the simulation failed.
        """

    def without_tag(self) -> None:
        """AesfabError where there is additional data or a tag, for modes that have none."""
        if self.aad or self.tag:
            raise AesfabError("--aad and --tag go with --mode gcm or ccm")

    def check_hex_iv(self, wanted: str, digits: Container[int]) -> None:
        """AesfabError where the IV is no hexadecimal number of so many digits, told as wanted."""
        if self.iv is None:
            raise AesfabError(f"{self.mode} mode needs an iv of {wanted} hexadecimal digits")
        if any(c not in "0123456789abcdefABCDEF" for c in self.iv) or len(self.iv) % 2:
            raise AesfabError("the iv is not hexadecimal")
        if len(self.iv) not in digits:
            raise AesfabError(
                f"the iv has {len(self.iv)} hexadecimal digits; {self.mode} mode takes {wanted}"
            )

    def check_tag_files(self) -> None:
        """AesfabError where a mode with a tag has no file for it, or files are of no use."""
        if self.tag is None:
            raise AesfabError(f"{self.mode} mode needs --tag FILE, for the tag as raw bytes")
        cipher.check_files(self.data_in, self.data_out, whole=False, decrypt=self.decrypt)
        if not self.decrypt:
            cipher.check_files(self.data_in, self.tag, whole=False, decrypt=False)
            if not files.is_standard_output(self.tag) and (
                os.path.realpath(self.tag) == os.path.realpath(self.data_out)
            ):
                raise AesfabError("tag and ciphertext are one file; give one another name")


class Job(AnyJob):
    """A file as a packet."""

    @classmethod
    def modes(cls, engine: Engine) -> tuple[str, ...]:
        """See ``AnyJob``."""
        return ("gcm", "ctr") if engine.gcm else ("ctr",)

    def check(self, engine: Engine) -> None:
        """See ``AnyJob``."""
        cipher.check_key(engine.core.design, self.key)
        if self.mode == "gcm":
            self.check_hex_iv("2 to 256", range(2, 257))
            self.check_tag_files()
        else:
            self.check_hex_iv("32", (32,))
            if self.aad or self.tag:
                raise AesfabError("ctr mode has no --aad and no --tag")
            cipher.check_files(self.data_in, self.data_out, whole=False, decrypt=self.decrypt)

    def packet(self) -> Packet:
        """The packet that the files make.

        Raises AesfabError for files that cannot be read, are too large, and tags of no length.
        """
        text = read(self.data_in, "the input")
        aad = read(self.aad, "the additional data") if self.aad else b""
        tag = read(self.tag, "the tag") if self.tag and self.decrypt else b""
        if self.decrypt and self.mode == "gcm" and len(tag) not in _TAG_LENGTHS:
            raise AesfabError(f"{self.tag} has {len(tag)} bytes; a tag has 4, 8 or 12 to 16")
        return Packet(
            Mode.GCM if self.mode == "gcm" else Mode.CTR,
            0,
            bytes.fromhex(self.iv or ""),
            text,
            aad,
            self.decrypt,
            tag,
            len(tag) if tag else 16,
            after=1,
        )

    def run(self, model: Model) -> Outcome:
        """See ``AnyJob``; TagError where the tag is wrong, and then nothing is written."""
        self.check(model.named.engine)
        packet = self.packet()
        found = model.run(key_step(0, bytes.fromhex(self.key)) + packet.steps())
        (result,) = bench.results(found)
        return finish(self, result, found, model.named.engine.most_held)


def finish(job: AnyJob, result: Result, found: Sequence[Event], most_held: int | None) -> Outcome:
    """Write what came out of a packet with a tag; AesfabError where it is not to be written.

    Args:
        job: the files.
        result: what came out.
        found: all that was seen.
        most_held: of the engine.

    Raises:
        TagError: the tag is wrong.
    """
    if result.error is Error.TAG:
        given = (
            ""
            if most_held is not None
            else ("; with release=stream the engine gave the text out before it knew")
        )
        raise TagError(f"the tag is wrong, and nothing is written{given}")
    if result.error is Error.LENGTH:
        raise AesfabError(
            f"the packet is longer than the {most_held} blocks that wait for their tag; choose a "
            "larger release_depth, or release=stream"
        )
    if result.error is not Error.NONE:
        raise AesfabError(f"the engine refuses the packet: {result.error.name}")
    if not job.decrypt and job.tag:
        write(job.tag, result.tag, job.data_in, decrypt=job.decrypt)
    write(job.data_out, result.text, job.data_in, decrypt=job.decrypt)
    cycles = clocks(found)
    return Outcome(f"{cycles} cycles from descriptor to tag", {"cycles": cycles})


def clocks(found: Sequence[Event]) -> int:
    """Clocks from the first descriptor to the last result."""
    first = next(event.clock for event in found if event.kind is Kind.DESCRIPTOR)
    return found[-1].clock - first + 1


def write(path: Path, content: bytes, data_in: Path, *, decrypt: bool) -> None:
    """Write a result, whole or not at all; a decrypted one is as private as its source.

    Raises AesfabError for a file that cannot be written.
    """
    try:
        source = os.stat(data_in) if decrypt and data_in != Path("-") else None
        with files.whole_file(path, source) as output:
            output.write(content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise AesfabError(f"cannot write {path}: {error.strerror}") from error


def read(path: Path, what: str, most: int = _LARGEST) -> bytes:
    """A whole file of at most so many bytes; AesfabError if it is larger or cannot be read."""
    try:
        with files.open_input(path) as file:
            content = file.read(most + 1)
    except OSError as error:
        raise AesfabError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > most:
        said = f"{most >> 20} MiB" if most >> 20 else f"{most:,} bytes"
        raise AesfabError(f"{what} in {path} is larger than {said}")
    return content
