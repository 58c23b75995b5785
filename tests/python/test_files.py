# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a user names is written whole, through links, with the mode it had; keys stay unseen.

No test gives a command a path outside of its own folder but for ``/dev/stdout`` and ``/dev/stdin``,
and those only where they are also refused or left as they are by ``os.path.realpath``.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

import inside
from aesfab import records
from aesfab.measure import query
from aesfab.study import charts, report, study
from aesfab.system import files
from conftest import Cli

KEY = "000102030405060708090a0b0c0d0e0f"
DESIGN = ["--design", "kakarlapudi-sbox-both-128", "--mode", "ecb"]
PROGRAM = str(Path(sys.executable).parent / "aesfab")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _by_file(path: Path) -> None:
    with files.whole_file(path) as file:
        file.write(b"new")


def _by_name(path: Path) -> None:
    with files.written_whole(path) as temporary:
        temporary.write_bytes(b"new")


def _by_named_file(path: Path) -> None:
    """As where the system has no files without a name."""
    with mock.patch.object(files, "_nameless", return_value=None):
        _by_file(path)


WAYS = pytest.mark.parametrize("write", [_by_file, _by_named_file, _by_name])


@WAYS
@pytest.mark.parametrize("there", [False, True])
def test_links_stay_and_what_is_behind_them_is_written(
    write: Callable[[Path], None], there: bool, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link, second = tmp_path / "elsewhere" / "t", tmp_path / "l", tmp_path / "m"
    if there:
        target.write_text("old")
    link.symlink_to("elsewhere/t")
    second.symlink_to(link)
    write(second)
    assert second.is_symlink()
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["elsewhere", "l", "m", "t"]


@WAYS
def test_what_is_no_plain_file_is_refused(write: Callable[[Path], None], tmp_path: Path) -> None:
    """Folders, pipes, sockets, devices and links to them stay as they are; none of this machine."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "socket"))
    if os.geteuid() == 0:
        with contextlib.suppress(PermissionError):
            # A second null device, in our folder.
            os.mknod(tmp_path / "device", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    (tmp_path / "loop").symlink_to("loop")
    kinds = {path.name: path.lstat().st_mode for path in tmp_path.iterdir()}
    for name in list(kinds):
        link = tmp_path / f"to-{name}"
        link.symlink_to(name)
        for path in (tmp_path / name, link):
            with pytest.raises(OSError, match=r"plain file|directory|symbolic links") as raised:
                write(path)
            assert raised.value.filename == str(path)
            assert raised.value.strerror
    listener.close()
    after = {p.name: p.lstat().st_mode for p in tmp_path.iterdir() if not p.name.startswith("to-")}
    assert after == kinds


@WAYS
def test_an_old_file_keeps_its_mode_and_a_new_one_has_the_usual_one(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for mode in (0o600, 0o640, 0o444, 0o755, 0o666):
        old.write_text("old")
        old.chmod(mode)
        write(old)
        assert (old.read_bytes(), oct(_mode(old))) == (b"new", oct(mode))
        old.unlink()
    for mask in (0o077, 0o022, 0o002):
        before = os.umask(mask)
        try:
            write(new)
        finally:
            os.umask(before)
        assert oct(_mode(new)) == oct(0o666 & ~mask)
        new.unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may own a file of another user")
@WAYS
def test_an_old_file_keeps_its_owner(write: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    path.write_text("old")
    os.chown(path, 12345, 54321)
    path.chmod(0o640)
    write(path)
    found = path.stat()
    assert (found.st_uid, found.st_gid, _mode(path)) == (12345, 54321, 0o640)


def test_a_secret_is_not_more_readable_than_its_source(tmp_path: Path) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    source.write_text("cipher")
    for mode, old, says in [
        (0o600, None, 0o600), (0o640, None, 0o640), (0o644, None, 0o644), (0o400, None, 0o600),
        (0o600, 0o644, 0o600), (0o644, 0o600, 0o600),
    ]:  # fmt: skip
        source.chmod(mode)
        out.unlink(missing_ok=True)
        if old is not None:
            out.write_text("old")
            out.chmod(old)
        with files.whole_file(out, source.stat()) as file:
            file.write(b"plain")
        assert oct(_mode(out)) == oct(says), (oct(mode), old)


def test_the_umask_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread would make files that all may write."""

    def touched(_: int) -> int:
        raise AssertionError("the umask was set")

    monkeypatch.setattr(os, "umask", touched)
    threads = [threading.Thread(target=_by_name, args=[tmp_path / str(n)]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(tmp_path.iterdir())) == 8


@WAYS
def test_what_fails_leaves_all_as_it_was(
    write: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("fsync", "fchmod"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fails)
            with pytest.raises(OSError, match="No space") as raised:
                write(path)
        assert raised.value.filename == str(path)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert path.read_text() == "old"


def test_a_kill_leaves_no_plaintext(tmp_path: Path) -> None:
    """Not even SIGKILL: the file has no name before it is whole."""
    if files._nameless(tmp_path) is None:
        pytest.skip("this file system has no files without a name")
    code = (
        "import sys, time; from pathlib import Path; from aesfab.system import files\n"
        "with files.whole_file(Path('out')) as file:\n"
        "    file.write(b'secret'); file.flush(); print('half', flush=True); time.sleep(60)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"half\n"
    child.kill()
    child.communicate()
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------- commands


def test_commands_write_through_links(tmp_path: Path) -> None:
    """Every module that writes what a user names keeps links and modes."""
    rows = [dict.fromkeys(query.SCHEMA)]
    record = {"design": "a", "netlist_hash": "b"}
    bar = {"data": {"values": []}, "mark": "bar", "encoding": {}}
    graph = charts.Chart("g", "G", (), {}, bar)

    def page(folder: Path) -> None:
        report.write(report.Figures(study.Study([]), [], []), folder, plots=False)

    written: dict[str, Callable[[Path], object]] = {
        "rows.csv": lambda path: query.write(path, rows, list(query.SCHEMA)),
        "records.jsonl": lambda path: records.put(path, record),
        "index.html": lambda path: page(path.parent),
        "g.svg": lambda path: charts.write([graph], path.parent),
    }
    for name, write in written.items():
        link, target = tmp_path / name, tmp_path / f"target-{name}"
        target.touch(0o600)
        target.chmod(0o600)
        link.symlink_to(target.name)
        write(link)
        assert link.is_symlink(), name
        assert target.stat().st_size > 0, name
        assert oct(_mode(target)) == "0o600", name


def test_encrypt_and_decrypt_through_pipes_links_and_modes(tmp_path: Path, aesfab: Cli) -> None:
    data = bytes(range(200))
    (tmp_path / "in").write_bytes(data)
    (tmp_path / "secret").write_text("old")
    (tmp_path / "secret").chmod(0o600)
    (tmp_path / "link").symlink_to("secret")
    done = aesfab("encrypt", *DESIGN, "--key", KEY, "in", "link")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "link").is_symlink()
    cipher = (tmp_path / "secret").read_bytes()
    assert len(cipher) == 208
    assert oct(_mode(tmp_path / "secret")) == "0o600"
    assert aesfab("decrypt", *DESIGN, "--key", KEY, "secret", "plain").returncode == 0
    assert (tmp_path / "plain").read_bytes() == data
    assert oct(_mode(tmp_path / "plain")) == "0o600"
    before = os.lstat("/dev/stdout")
    for source, out in [("-", "-"), ("/dev/stdin", "/dev/stdout")]:
        for direction, given, wanted in [("encrypt", data, cipher), ("decrypt", cipher, data)]:
            ran = subprocess.run(
                [PROGRAM, direction, *DESIGN, "--key", KEY, "--json", source, out],
                cwd=tmp_path, input=given, capture_output=True, check=False,
            )  # fmt: skip
            assert ran.returncode == 0, ran.stderr
            assert ran.stdout == wanted
            assert b'"blocks": 13' in ran.stderr
    # Wrong padding shows only at the end, and then nothing has left.
    ran = subprocess.run(
        [PROGRAM, "decrypt", *DESIGN, "--key", KEY, "-", "-"],
        cwd=tmp_path, input=bytes(1600), capture_output=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (2, b"")
    # Standard output is a file here, and stays that one.
    for name in ("/dev/stdout", "file"):
        with (tmp_path / "file").open("wb") as file:
            command = [PROGRAM, "encrypt", *DESIGN, "--key", KEY, "in", name]
            subprocess.run(
                command, cwd=tmp_path, stdout=file, stderr=subprocess.DEVNULL, check=True
            )
            assert os.path.samestat(os.fstat(file.fileno()), (tmp_path / "file").stat())
        assert (tmp_path / "file").read_bytes() == cipher
    after = os.lstat("/dev/stdout")
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


def test_host_run_through_pipes(tmp_path: Path) -> None:
    data = bytes(range(100))
    iv = ["--key-env", "K", "--iv", KEY]

    def run(given: bytes) -> bytes:
        command = [PROGRAM, "host", "run", "-", "-", *iv]
        ran = subprocess.run(
            command, cwd=tmp_path, input=given, capture_output=True, check=False,
            env={**os.environ, "K": KEY},
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        assert b"cycles" in ran.stderr
        return ran.stdout

    assert run(data) != data
    assert run(run(data)) == data


# --------------------------------------------------------------------------------- keys


def test_keys_that_no_list_of_processes_shows(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(bytes(16))
    (tmp_path / "key").write_text(f" {KEY}\n")
    wanted = None
    opened = os.open(tmp_path / "key", os.O_RDONLY)
    ways: list[tuple[list[str], bytes]] = [
        (["--key", KEY], b""),
        (["--key-file", "key"], b""),
        (["--key-file", f"/dev/fd/{opened}"], b""),
        (["--key-file", "-"], KEY.encode()),
        (["--key-env", "SECRET"], b""),
    ]
    for way, given in ways:
        ran = subprocess.run(
            [PROGRAM, "encrypt", *DESIGN, *way, "in", "-"],
            cwd=tmp_path, input=given, capture_output=True, check=False,
            pass_fds=[opened], env={**os.environ, "SECRET": KEY},
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        wanted = wanted or ran.stdout
        assert ran.stdout == wanted, way
    os.close(opened)


@pytest.mark.parametrize("command", [["encrypt", *DESIGN], ["decrypt", *DESIGN], ["host", "run"]])
@pytest.mark.parametrize(
    ("way", "says"),
    [
        ([], "give a key"),
        (["--key", KEY, "--key-env", "SECRET"], "exclude each other"),
        (["--key-file", "key", "--key-env", "SECRET"], "exclude each other"),
        (["--key-file", "none"], "cannot read the key in none: No such file"),
        (["--key-file", "."], "cannot read the key in .: Is a directory"),
        (["--key-file", "binary"], "binary holds no key"),
        (["--key-file", "empty"], "empty holds no key"),
        (["--key-file", "/dev/zero"], "/dev/zero holds no key"),
        (["--key-env", "NO_SUCH_NAME"], "no variable 'NO_SUCH_NAME'"),
        (["--key-file", "words"], "he"),
    ],
)
def test_wrong_keys_are_one_line_without_the_key(
    command: list[str],
    way: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_bytes(bytes(16))
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "binary").write_bytes(b"\x80\xff" * 8)
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "words").write_text("correct horse battery staple xyz")
    ran = inside.run(*command, *way, "in", "out")
    assert (ran.status, ran.traceback) == (2, "")
    assert ran.err.count("\n") == 1
    assert says in ran.err
    assert KEY not in ran.err
    assert "horse" not in ran.err
    assert not (tmp_path / "out").exists()


def test_the_help_says_why() -> None:
    for command in (["encrypt"], ["decrypt"], ["host", "run"]):
        said = " ".join(inside.run(*command, "--help").out.split())
        assert "list of processes" in said
        assert "--key-file" in said
        assert "--key-env" in said
