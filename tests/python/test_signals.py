# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A signal ends a command and all that it has started, and leaves nothing half written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import inside
import passed
from aesfab import records
from aesfab.design import catalogue
from aesfab.eda import simulate
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.study import papers, report
from aesfab.system import process, several
from aesfab.verify import verify
from processes import alive, soon

PROGRAM = str(Path(sys.executable).parent / "aesfab")
KEY = "000102030405060708090a0b0c0d0e0f"
DESIGN = ["--design", "kakarlapudi-sbox-both-128", "--mode", "ecb", "--key", KEY]

ENDINGS = [
    (signal.SIGINT, 130, "aesfab: interrupted"),
    (signal.SIGTERM, 143, "aesfab: ended by SIGTERM"),
    (signal.SIGHUP, 129, "aesfab: ended by SIGHUP"),
    (signal.SIGQUIT, 131, "aesfab: ended by SIGQUIT"),
    (signal.SIGPIPE, 141, ""),
    (signal.SIGKILL, -9, ""),
]


def _below(pid: int) -> list[int]:
    """Processes that a process has started, directly or not."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return found[1:]


def _defaults() -> None:
    """As from a terminal: what a test runner ignores is not ignored."""
    for how, _, _ in ENDINGS:
        if how is not signal.SIGKILL:
            signal.signal(how, signal.SIG_DFL)


class Started:
    """A command under way."""

    def __init__(self, command: Sequence[str], folder: Path, **more: str) -> None:
        self.process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **more}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_defaults,
        )  # fmt: skip

    def end(self, how: signal.Signals) -> tuple[int, str, list[int]]:
        """Status, standard error, and what it had started."""
        below = _below(self.process.pid)
        self.process.send_signal(how)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err, below


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    """The model is there, so that the bench runs at once."""
    named = catalogue.find("kakarlapudi-sbox-both-128")
    simulate.build(generate.sources(named), named.module, named.design.ports())


@pytest.mark.parametrize(("how", "status", "says"), ENDINGS)
def test_a_file_half_decrypted(how: signal.Signals, status: int, says: str, tmp_path: Path) -> None:
    """The bench waits for more, with plaintext of a first part behind it."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "out").write_text("old")
    started = Started([PROGRAM, "decrypt", *DESIGN, "pipe", "out"], tmp_path)
    with (tmp_path / "pipe").open("wb", buffering=0) as given:
        given.write(bytes(1 << 16))
        assert soon(lambda: any(b"bench" in _words(pid) for pid in _below(started.process.pid)))
        found, err, below = started.end(how)
    assert found == status, err
    lines = [line for line in err.splitlines() if line.startswith("aesfab: ")]
    assert lines == ([says] if says else [])
    assert "Traceback" not in err
    assert len(below) >= 2
    assert soon(lambda: not any(map(alive, below)), 10)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "pipe"]
    assert (tmp_path / "out").read_text() == "old"


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0]
    except (FileNotFoundError, ProcessLookupError):
        return b""


COMPILER = """\
#!/bin/sh
case "$1" in --version) echo made up; exit;; esac
sleep 601 &
wait
"""


@pytest.mark.kept(*passed.PRODUCT)
@pytest.mark.parametrize(("how", "status", "says"), ENDINGS)
def test_a_model_half_compiled(how: signal.Signals, status: int, says: str, tmp_path: Path) -> None:
    """Compilers go, and what they have started."""
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    (tmp_path / "in").write_bytes(bytes(16))
    cache = tmp_path / "cache"
    command = [PROGRAM, "encrypt", *DESIGN, "in", "out"]
    started = Started(command, tmp_path, CXX=str(compiler), AESFAB_CACHE=str(cache))

    def sleeping() -> bool:
        return any(_words(pid).endswith(b"sleep") for pid in _below(started.process.pid))

    assert soon(sleeping)
    found, err, below = started.end(how)
    assert found == status, err
    assert "Traceback" not in err
    assert len([line for line in err.splitlines() if line.startswith("aesfab: ")]) == bool(says)
    assert len(below) >= 3
    assert soon(lambda: not any(map(alive, below)), 10)
    assert not (tmp_path / "out").exists()
    if how is not signal.SIGKILL:
        assert not list(cache.rglob(".*.partial"))


def test_what_was_ignored_stays_ignored(tmp_path: Path) -> None:
    """As by nohup."""
    os.mkfifo(tmp_path / "pipe")
    command = ["nohup", PROGRAM, "encrypt", *DESIGN, "pipe", "out"]
    started = Started(command, tmp_path)
    with (tmp_path / "pipe").open("wb", buffering=0) as given:
        given.write(bytes(16))
        assert soon(lambda: any(b"bench" in _words(pid) for pid in _below(started.process.pid)))
        started.process.send_signal(signal.SIGHUP)
    _, err = started.process.communicate(timeout=60)
    assert started.process.returncode == 0, err
    assert (tmp_path / "out").stat().st_size == 32


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
@pytest.mark.parametrize(
    "command",
    [["--version"], ["list"], ["devices", "--json"], ["list", "--json"], ["show", "fab-tiny"],
     ["encrypt", *DESIGN, "in", "-"], ["explore", "fab-tiny", "--device", "gw1n-9", "--dry-run"]],
)  # fmt: skip
def test_a_reader_that_leaves_ends_it_quietly(
    closed: str, command: list[str], tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(bytes(1 << 17))
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [PROGRAM, *command], cwd=tmp_path, stdin=subprocess.DEVNULL, text=True, timeout=60,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
        stdout=writer if closed == "stdout" else subprocess.PIPE,
        stderr=writer if closed == "stderr" else subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(writer)
    assert "Traceback" not in (ran.stderr or "")
    assert "aesfab: " not in (ran.stderr or "")
    assert ran.returncode == 141 or (closed == "stderr" and ran.returncode == 0)


@pytest.mark.parametrize("command", [["--version"], ["list"], ["list", "--json"]])
def test_a_full_disk_behind_the_output_is_one_line(command: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": ""},
        )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr == "aesfab: cannot go on: No space left on device\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_no_encoding_stops_the_output(encoding: str, tmp_path: Path) -> None:
    """What it has no letter for is written as JSON writes it."""
    for command in (["devices"], ["show", "pilchard-unrolled-1"]):
        ran = subprocess.run(
            [PROGRAM, *command], capture_output=True, check=False,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
    name = "d\u00e9j\u00e0 \U0001f511"
    record = {**_record(), "design": name}
    (tmp_path / "r.jsonl").write_text(json.dumps(record) + "\n")
    ran = subprocess.run(
        [PROGRAM, "results", "--all", "--records", "r.jsonl", "--json"], capture_output=True, check=False,
        cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert [row["design"] for row in json.loads(ran.stdout.decode(encoding))] == [name]


def _record() -> dict[str, object]:
    line = (records.shipped_path("implement") or Path()).open().readline()
    return dict(json.loads(line))


# ------------------------------------------------------------------------------- tools


def test_tools_say_how_they_end(tmp_path: Path) -> None:
    """Through the process that watches over them."""
    assert process.run(["sh", "-c", "echo out; echo err >&2"], what="x") == "out\nerr\n"
    assert process.run(["pwd"], what="x", cwd=tmp_path) == f"{tmp_path}\n"
    assert process.run(["sh", "-c", "echo $A"], what="x", env={"A": "b c"}) == "b c\n"
    for script, says in [
        ("exit 3", "sh ended with 3"),
        ("kill -9 $$", "sh died of signal 9"),
        ("kill -11 $$", "sh died of signal 11"),
        ("kill -15 $$", "sh died of signal 15"),
    ]:
        with pytest.raises(ToolError, match=says):
            process.run(["sh", "-c", script], what="x")
    (tmp_path / "text").write_text("text")
    for command, says in [("no-such-tool", "No such file"), (str(tmp_path / "text"), "Permission")]:
        with pytest.raises(ToolError, match=f"x: cannot run {command}: {says}"):
            process.run([command], what="x")
    with pytest.raises(ToolError, match="no end after 1 s"):
        process.run(["sleep", "60"], what="x", timeout=1)
    # A reader that leaves ends a tool, as in a shell.
    process.run(["sh", "-c", "yes | head -1"], what="x", timeout=20)


def test_tools_leave_no_descriptor_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        process.run(["true"], what="x")
        with pytest.raises(ToolError):
            process.run(["false"], what="x")
        with pytest.raises(ToolError):
            process.run(["no-such-tool"], what="x")
    assert len(os.listdir("/proc/self/fd")) == before


# --------------------------------------------------------------------- several at a time


def test_several_at_a_time_come_as_they_end() -> None:
    """Of two threads the second takes the third as well while the first one waits for it."""
    third = threading.Event()

    def work(number: int) -> int:
        if number == 0:
            assert third.wait(20)
        if number == 2:
            third.set()
        return number * number

    assert next(iter(several.at_once(work, range(3), 2))) == (1, 1)
    for jobs in (1, 2, 8):
        third.set()
        assert sorted(several.at_once(work, range(3), jobs)) == [(0, 0), (1, 1), (2, 4)]
    assert list(several.at_once(work, (), 2)) == []


@pytest.mark.parametrize("ends", ["it fails", "nobody takes it"])
def test_where_one_ends_all_the_tools_of_others_end(ends: str, tmp_path: Path) -> None:
    def work(name: str) -> str:
        if name == "first":
            assert soon(lambda: (tmp_path / "second").exists())
            if ends == "it fails":
                raise AesfabError("no")
            return name
        process.run(["sh", "-c", f"echo $$ >{name}; exec sleep 600"], what=name, cwd=tmp_path)
        raise AssertionError("the tool was not ended")

    taken = several.at_once(work, ["first", "second", "third"], 2)
    if ends == "it fails":
        with pytest.raises(AesfabError, match="no"):
            next(taken)
    else:
        assert next(taken) == ("first", "first")
        taken.close()
    pid = int((tmp_path / "second").read_text())
    assert soon(lambda: not alive(pid))
    assert not (tmp_path / "third").exists() or ends == "nobody takes it"


@pytest.mark.parametrize(("how", "status", "says"), ENDINGS)
def test_models_half_compiled_at_a_time(
    how: signal.Signals, status: int, says: str, tmp_path: Path
) -> None:
    """Compilers of two verifications go at once, and what they have begun in the cache."""
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    words = ["verify", "fab-tiny", "pilchard-unrolled-1", "--jobs", "2", "--records", "r.jsonl"]
    cache = tmp_path / "cache"
    started = Started([PROGRAM, *words], tmp_path, CXX=str(compiler), AESFAB_CACHE=str(cache))

    def sleeping() -> int:
        return sum(_words(pid).endswith(b"sleep") for pid in _below(started.process.pid))

    assert soon(lambda: sleeping() >= 2)
    begun = time.monotonic()
    found, err, below = started.end(how)
    assert time.monotonic() - begun < 20
    assert found == status, err
    assert "Traceback" not in err
    assert len([line for line in err.splitlines() if line.startswith("aesfab: ")]) == bool(says)
    assert soon(lambda: not any(map(alive, below)), 10)
    assert not (tmp_path / "r.jsonl").exists()
    if how is not signal.SIGKILL:
        assert not list(cache.rglob(".*.partial"))


@pytest.mark.parametrize(("how", "status", "says"), ENDINGS)
def test_verifications_at_a_time(
    how: signal.Signals, status: int, says: str, tmp_path: Path
) -> None:
    """Two benches are under way, and nothing is recorded of what has not ended."""
    designs = ["kakarlapudi-sbox-both-128", "kakarlapudi-sbox-both-128"]
    words = ["--jobs", "2", "--records", "r.jsonl", "--level", "full"]
    started = Started([PROGRAM, "verify", *designs, *words], tmp_path)

    def benches() -> int:
        return sum(b"bench" in _words(pid) for pid in _below(started.process.pid))

    assert soon(lambda: benches() >= 2)
    found, err, below = started.end(how)
    assert found == status
    assert says in err
    assert soon(lambda: not any(map(alive, below)))
    assert not (tmp_path / "r.jsonl").exists()


# ---------------------------------------------------------------------------- leftovers


def test_folders_of_killed_programs_go_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of programs that live stay, and what is not ours."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = (
        "import time; from aesfab.system import process\n"
        "with process.temporary_folder() as folder:\n"
        "    (folder / 'netlist').write_text('x'); print(folder, flush=True); time.sleep(600)\n"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    folders = [Path(child.stdout.readline().strip()) for child in children if child.stdout]
    children[0].kill()
    children[0].communicate()
    other = tmp_path / "aesfab-run-file"
    other.write_text("not a folder")
    old = time.time() - 3600
    for path in (*folders, other):
        os.utime(path, (old, old))
    young = tmp_path / "aesfab-run-young"
    young.mkdir()
    process._remove_abandoned.cache_clear()
    with process.temporary_folder() as ours:
        assert ours.is_dir()
        assert set(tmp_path.iterdir()) == {folders[1], other, young, ours}
    children[1].terminate()
    children[1].communicate()
    assert not ours.exists()


@pytest.mark.parametrize(
    "name", ["file", "file/below", "loop", "nothing", "page", pytest.param("a" * 300, id="long")]
)
def test_an_unusable_folder_is_refused_before_the_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("file")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "nothing").symlink_to("no/where")
    (tmp_path / "page" / "index.html").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))

    def worked(*_: object, **__: object) -> None:
        raise AssertionError("it began to work")

    monkeypatch.setattr(report, "build", worked)
    monkeypatch.setattr(verify, "verify", worked)
    monkeypatch.setattr(papers, "reproduce", worked)
    ran = [inside.run("report", "-o", name)]
    if name != "page":
        ran.append(inside.run("papers", "--svg", name))
    if name not in ("page", "nothing"):  # records go to what a link will lead to
        ran.append(inside.run("verify", "fab-tiny", "--records", f"{name}/r.jsonl"))
    for each in ran:
        assert (each.status, each.traceback) == (2, ""), each
        assert each.err.count("\n") == 1
        assert "cannot" in each.err
    assert sorted(tmp_path.rglob("*")) == before
