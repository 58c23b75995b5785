# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files through the RTL equal OpenSSL's, and everything wrong is refused in one line."""

from __future__ import annotations

import functools
import os
import random
import threading
from pathlib import Path

import pytest

import passed
from aesfab.design import catalogue
from aesfab.design.design import Design
from aesfab.eda import simulate
from aesfab.eda.simulate import Model
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.verify import cipher, oracle

_BOTH = "kakarlapudi-sbox-both-any"
_ENC = "kakarlapudi-sbox-enc-128"
_DEC = "kakarlapudi-sbox-dec-128"
_FLY = "pilchard-unrolled-1"
_WORDS = "kakarlapudi-sbox-both-any-io32"

pytestmark = pytest.mark.kept(
    *(*passed.EDA, "src/aesfab/design", "src/aesfab/folder", "src/aesfab/verify", passed.cores),
    *("src/aesfab/system", "src/aesfab/errors.py"),
    cores_of=(_BOTH, _ENC, _DEC, _FLY, _WORDS),
)

_KEY = bytes(range(32))
# All but the last bits set, so that the CTR counter runs over.
_IV = b"\xff" * 15 + b"\xfd"


@functools.cache
def _core(name: str) -> tuple[Model, Design]:
    named = catalogue.find(name)
    model = simulate.build(generate.sources(named), named.module, named.design.ports())
    return model, named.design


def _iv(mode: str) -> str | None:
    return None if mode == "ecb" else _IV.hex()


def _crypt(
    name: str,
    folder: Path,
    data: bytes,
    *,
    mode: str = "ecb",
    key: bytes = _KEY[:16],
    decrypt: bool = False,
    pad: bool = True,
) -> tuple[bytes, cipher.Stats]:
    data_in, data_out = folder / "in", folder / "out"
    data_in.write_bytes(data)
    stats = cipher.crypt(
        *_core(name), mode, key.hex(), _iv(mode), data_in, data_out, decrypt=decrypt, pad=pad
    )
    return data_out.read_bytes(), stats


@pytest.mark.parametrize("mode", oracle.MODES)
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 65535, 65536, 65552, 200_001])
def test_like_openssl_there_and_back(mode: str, size: int, tmp_path: Path) -> None:
    """Every mode at sizes around blocks and buffers."""
    data = random.Random(size).randbytes(size)
    key = _KEY[: (16, 24, 32)[size % 3]]
    encrypted, _ = _crypt(_BOTH, tmp_path, data, mode=mode, key=key)
    assert encrypted == oracle.crypt(mode, key, _IV, data)
    assert _crypt(_BOTH, tmp_path, encrypted, mode=mode, key=key, decrypt=True)[0] == data


@pytest.mark.parametrize("mode", oracle.PADDED_MODES)
def test_without_padding(mode: str, tmp_path: Path) -> None:
    """Whole blocks stay as many; anything else is refused."""
    data = bytes(range(64))
    encrypted, stats = _crypt(_BOTH, tmp_path, data, mode=mode, pad=False)
    assert encrypted == oracle.crypt(mode, _KEY[:16], _IV, data, pad=False)
    assert stats.blocks == 4
    back, _ = _crypt(_BOTH, tmp_path, encrypted, mode=mode, pad=False, decrypt=True)
    assert back == data
    with pytest.raises(AesfabError, match="65 bytes, not a whole number of 16-byte blocks"):
        _crypt(_BOTH, tmp_path, data + b"x", mode=mode, pad=False)


@pytest.mark.parametrize(
    ("mode", "decrypt", "per_block"),
    [
        ("ecb", False, 11), ("ecb", True, 11), ("ctr", False, 11), ("cbc", True, 11),
        ("cfb", True, 11), ("cbc", False, 12), ("cfb", False, 12), ("ofb", False, 12),
    ],
)  # fmt: skip
def test_cycles(mode: str, decrypt: bool, per_block: int, tmp_path: Path) -> None:
    """A block every interval, or every latency + 1 where a result goes back in."""
    blocks = 1000
    _, stats = _crypt(_BOTH, tmp_path, bytes(16 * blocks), mode=mode, decrypt=decrypt, pad=False)
    assert stats.blocks == blocks
    assert stats.cycles == (blocks - 1) * per_block + 11
    assert stats.cycles_per_block == pytest.approx(per_block, rel=0.001)


@pytest.mark.parametrize("mode", oracle.MODES)
def test_over_32_bit_ports(mode: str, tmp_path: Path) -> None:
    """The same bytes; a block every latency, results going back in or not."""
    data = random.Random(7).randbytes(1000)
    encrypted, stats = _crypt(_WORDS, tmp_path, data, mode=mode, key=_KEY)
    assert encrypted == oracle.crypt(mode, _KEY, _IV, data)
    assert stats.cycles == 24 * stats.blocks
    assert _crypt(_WORDS, tmp_path, encrypted, mode=mode, key=_KEY, decrypt=True)[0] == data


@pytest.mark.parametrize("mode", ["ctr", "cfb", "ofb"])
def test_stream_modes_decrypt_on_an_encrypting_core(mode: str, tmp_path: Path) -> None:
    """They never need the inverse cipher; on-the-fly keys."""
    data = os.urandom(333)
    encrypted, _ = _crypt(_FLY, tmp_path, data, mode=mode)
    assert encrypted == oracle.crypt(mode, _KEY[:16], _IV, data)
    assert _crypt(_FLY, tmp_path, encrypted, mode=mode, decrypt=True)[0] == data


def test_decrypting_core(tmp_path: Path) -> None:
    """A core for decryption alone decrypts ECB and CBC."""
    data = os.urandom(100)
    for mode in oracle.PADDED_MODES:
        encrypted = oracle.crypt(mode, _KEY[:16], _IV, data)
        assert _crypt(_DEC, tmp_path, encrypted, mode=mode, decrypt=True)[0] == data


@pytest.mark.parametrize(
    ("name", "mode", "decrypt", "reason"),
    [
        (_ENC, "ecb", True, "only encrypts"),
        (_ENC, "cbc", True, "only encrypts"),
        (_DEC, "ecb", False, "only decrypts"),
        (_DEC, "cbc", False, "only decrypts"),
        (_DEC, "ctr", False, "uses encryption in both directions"),
        (_DEC, "ofb", True, "uses encryption in both directions"),
        (_ENC, "xts", False, "unknown mode 'xts'"),
    ],
)
def test_direction_refused(
    name: str, mode: str, decrypt: bool, reason: str, tmp_path: Path
) -> None:
    """What a core cannot do is said before anything runs."""
    with pytest.raises(AesfabError, match=reason):
        _crypt(name, tmp_path, bytes(16), mode=mode, decrypt=decrypt)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "key", "reason"),
    [
        (_ENC, "00" * 24, r"48 hexadecimal digits; this design takes 32 \(128 bit\)"),
        (_BOTH, "00" * 15, r"takes 32 or 48 or 64 \(128 or 192 or 256 bit\)"),
        (_BOTH, "", "0 hexadecimal digits"),
        (_BOTH, "0" * 31, "31 hexadecimal digits"),
        (_BOTH, "0x" + "0" * 30, "key is not hexadecimal"),
        (_BOTH, "é" * 32, "key is not hexadecimal"),
    ],
)
def test_bad_key(name: str, key: str, reason: str, tmp_path: Path) -> None:
    """Key length and form."""
    data_in = tmp_path / "in"
    data_in.write_bytes(b"text")
    with pytest.raises(AesfabError, match=reason):
        cipher.crypt(*_core(name), "ecb", key, None, data_in, tmp_path / "out", decrypt=False)


@pytest.mark.parametrize(
    ("mode", "iv", "reason"),
    [
        ("ecb", "00" * 16, "takes no iv"),
        ("cbc", None, "needs an iv"),
        ("ctr", "00" * 8, "iv has 16 hexadecimal digits; it must have 32"),
        ("cfb", "zz" * 16, "iv is not hexadecimal"),
    ],
)
def test_bad_iv(mode: str, iv: str | None, reason: str, tmp_path: Path) -> None:
    """IV missing, in the way, or malformed."""
    data_in = tmp_path / "in"
    data_in.write_bytes(b"text")
    with pytest.raises(AesfabError, match=reason):
        cipher.crypt(*_core(_BOTH), mode, "00" * 16, iv, data_in, tmp_path / "out", decrypt=False)


def _refused(
    data_in: Path, data_out: Path, reason: str, *, mode: str = "ecb", decrypt: bool = False
) -> None:
    with pytest.raises(AesfabError, match=reason) as caught:
        cipher.crypt(*_core(_BOTH), mode, "00" * 16, _iv(mode), data_in, data_out, decrypt=decrypt)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_status == 2


def test_bad_files(tmp_path: Path) -> None:
    """Input and output that cannot be."""
    data_in, data_out = tmp_path / "in", tmp_path / "out"
    _refused(data_in, data_out, "cannot read .*No such file")
    _refused(tmp_path, data_out, "it is a folder")
    data_in.write_bytes(b"text")
    _refused(data_in, tmp_path, "it is a folder")
    _refused(data_in, tmp_path / "none" / "out", "there is no folder")
    _refused(data_in, Path(os.devnull), "not a plain file")
    _refused(data_in, data_in, "output is the input")
    _refused(data_in, tmp_path / "." / "in", "output is the input")
    link = tmp_path / "link"
    link.symlink_to(data_in)
    _refused(data_in, link, "output is the input")
    _refused(link, data_in, "output is the input")
    hard = tmp_path / "hard"
    hard.hardlink_to(data_in)
    _refused(data_in, hard, "output is the input")
    assert data_in.read_bytes() == b"text"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hard", "in", "link"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_forbidden_files(tmp_path: Path) -> None:
    """Files and folders without permission."""
    data_in = tmp_path / "in"
    data_in.write_bytes(b"text")
    data_in.chmod(0)
    _refused(data_in, tmp_path / "out", "cannot read .*Permission denied")
    data_in.chmod(0o600)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    _refused(data_in, locked / "out", "cannot write .*Permission denied")


@pytest.mark.parametrize("mode", oracle.PADDED_MODES)
def test_bad_ciphertext(mode: str, tmp_path: Path) -> None:
    """Truncated, empty, or under another key: no output, and an old one stays."""
    data_in, data_out = tmp_path / "in", tmp_path / "out"
    data_out.write_bytes(b"old")
    good = oracle.crypt(mode, bytes(16), _IV, b"some text of more than a block")
    for data, reason in (
        (good[:-1], "truncated"),
        (b"", "empty"),
        (good[:-16] + bytes(16), "bad padding"),
        (oracle.crypt(mode, bytes(16), _IV, bytes(16), pad=False), "bad padding"),
        (oracle.crypt(mode, bytes(16), _IV, b"\x11" * 16, pad=False), "bad padding"),
        (oracle.crypt(mode, bytes(16), _IV, b"\x03" * 15 + b"\x04", pad=False), "bad padding"),
    ):
        data_in.write_bytes(data)
        _refused(data_in, data_out, reason, mode=mode, decrypt=True)
        assert data_out.read_bytes() == b"old"
        assert sorted(p.name for p in tmp_path.iterdir()) == ["in", "out"]


def test_input_that_is_no_plain_file(tmp_path: Path) -> None:
    """Data from a pipe, whose size nobody knows before."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = os.urandom(200_000)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    cipher.crypt(*_core(_BOTH), "ctr", _KEY.hex(), _IV.hex(), pipe, tmp_path / "out", decrypt=False)
    writer.join()
    assert (tmp_path / "out").read_bytes() == oracle.crypt("ctr", _KEY, _IV, data)


def test_progress_and_speed(tmp_path: Path) -> None:
    """A megabyte tells how it goes on, and takes about a second."""
    data_in = tmp_path / "in"
    data_in.write_bytes(bytes(1 << 20))
    seen: list[tuple[int, int]] = []
    stats = cipher.crypt(
        *_core(_ENC), "ctr", "00" * 16, _IV.hex(), data_in, tmp_path / "out",
        decrypt=False, progress=lambda _, done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen[0] == (0, 65536)
    assert seen[-1] == (65536, 65536)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert stats.blocks_per_second > 20_000  # a loaded machine; several times that otherwise
