# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is in the cache is believed only when it is what was put there."""

from __future__ import annotations

import ast
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import inside
import passed
from aesfab.design import catalogue
from aesfab.eda import simulate, yosys
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.host import driver
from aesfab.measure import components, plan
from aesfab.system import cache, shipped

SOURCE = shipped.PACKAGE


# ------------------------------------------------------------------------------ damages


def _truncated(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def _altered(path: Path) -> None:
    content = bytearray(path.read_bytes() or b"\0")
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _a_full_folder(path: Path) -> None:
    _a_folder(path)
    (path / "x").write_text("x")


def _a_link_to_nothing(path: Path) -> None:
    path.unlink()
    path.symlink_to("nothing")


def _lost(path: Path) -> None:
    path.unlink()


def _nested(path: Path) -> None:
    path.write_text("[" * 100_000)


DAMAGES: list[Callable[[Path], None]] = [
    _truncated, _altered, _emptied, _a_folder, _a_full_folder, _a_link_to_nothing, _lost, _nested,
]  # fmt: skip


def _emptied_entry(entry: Path) -> None:
    shutil.rmtree(entry)
    entry.mkdir()


def _a_file(entry: Path) -> None:
    shutil.rmtree(entry)
    entry.write_text("file")


def _with_another_file(entry: Path) -> None:
    (entry / "more").write_text("more")


def _of_another_key(entry: Path) -> None:
    manifest = json.loads((entry / ".manifest.json").read_text())
    (entry / ".manifest.json").write_text(json.dumps({**manifest, "key": "other"}))


def _without_files(entry: Path) -> None:
    manifest = json.loads((entry / ".manifest.json").read_text())
    _emptied_entry(entry)
    (entry / ".manifest.json").write_text(json.dumps({**manifest, "files": {}}))


ENTRY_DAMAGES: list[Callable[[Path], None]] = [
    _emptied_entry, _a_file, _with_another_file, _of_another_key, _without_files,
]  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cache of the test's own."""
    monkeypatch.setenv("AESFAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kept"


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


# -------------------------------------------------------------------------- the mechanism


def _two_files(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "a").write_text("content of a")
    (folder / "sub" / "b").write_text("content of b")
    (folder / "sub" / "b").chmod(0o755)


def _entry(calls: list[int]) -> Path:
    def make(folder: Path) -> None:
        calls.append(1)
        _two_files(folder)

    return cache.folder("kind", "key", make)


def _is_right(entry: Path) -> bool:
    found = {str(p.relative_to(entry)): p.read_text() for p in _files(entry)}
    del found[".manifest.json"]
    right = {"a": "content of a", "sub/b": "content of b"}
    return found == right and os.access(entry / "sub" / "b", os.X_OK)


def test_an_entry_is_made_once(place: Path) -> None:
    calls: list[int] = []
    for _ in range(3):
        assert _is_right(_entry(calls))
    assert len(calls) == 1


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_makes_the_entry_anew(damage: Callable[[Path], None], place: Path) -> None:
    """Every file of an entry, its manifest, its lock and what a killed process left."""
    calls: list[int] = []
    entry = _entry(calls)
    partial = entry.with_name(".key.partial")
    partial.write_text("half")
    assert len(_files(entry.parent)) == 5
    for path in _files(entry.parent):
        made = len(calls)
        damage(path)
        assert _is_right(_entry(calls)), path
        assert len(calls) == made + (entry in path.parents)
    assert not partial.exists()


@pytest.mark.parametrize("damage", ENTRY_DAMAGES)
def test_a_damaged_entry_is_made_anew(damage: Callable[[Path], None], place: Path) -> None:
    calls: list[int] = []
    damage(_entry(calls))
    assert _is_right(_entry(calls))
    assert len(calls) == 2


def test_a_program_that_may_not_run_is_made_anew(place: Path) -> None:
    calls: list[int] = []
    (_entry(calls) / "sub" / "b").chmod(0o644)
    assert _is_right(_entry(calls))
    assert len(calls) == 2


def test_what_fails_leaves_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(folder: Path) -> None:
        (folder / "half").write_text("half")
        raise AesfabError("no")

    with pytest.raises(AesfabError, match="no"):
        cache.folder("kind", "key", fails)
    assert [p.name for p in (place / "kind").iterdir()] == [".key.lock"]

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(AesfabError, match=r"cannot write to the cache .*: No space left"):
        _entry([])
    assert [p.name for p in (place / "kind").iterdir()] == [".key.lock"]


def test_all_is_on_the_disk_before_it_has_its_name(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def watched(handle: int) -> None:
        synced.append(os.path.basename(os.readlink(f"/proc/self/fd/{handle}")))
        assert not (place / "kind" / "key").exists() or synced[-1] == "kind"
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    _entry([])
    assert set(synced) == {"a", "b", "sub", ".manifest.json", ".key.partial", "kind"}
    assert synced[-1] == "kind"


def test_a_kill_at_any_time_leaves_a_whole_entry_or_none(place: Path, tmp_path: Path) -> None:
    """Killed in the midst of making; what comes next has it right."""
    code = (
        "import os, sys, time; from pathlib import Path; from aesfab.system import cache\n"
        "def make(folder):\n"
        "    (folder / 'a').write_text('half'); print('half', flush=True); time.sleep(60)\n"
        "cache.folder('kind', 'key', make)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"half\n"
    child.kill()
    child.communicate()
    assert not (place / "kind" / "key").exists()
    calls: list[int] = []
    assert _is_right(_entry(calls))
    assert len(calls) == 1


def test_the_oldest_go(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cache._NUMBER, "kind", 2)
    for number in range(4):
        cache.text("kind", str(number), lambda: "x")
        os.utime(place / "kind" / str(number), (number, number))
    cache.text("kind", "new", lambda: "x")
    assert sorted(p.name for p in (place / "kind").iterdir() if p.name[0] != ".") == ["3", "new"]


# ------------------------------------------------------------------------------- users


def test_nothing_is_kept_in_another_way() -> None:
    """The folder of the cache is for this module, and for what an exploration has open."""
    users = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node, "attr", None) or getattr(node, "id", None)
            if name == "cache_dir":
                users.add(path.name)
    assert users == {"cache.py", "explore.py", "plan.py"}


NAMED = catalogue.find("pilchard-unrolled-1")


def _generated(folder: Path) -> dict[str, str]:
    ran = inside.run("generate", NAMED.name, "-o", str(folder))
    assert (ran.status, ran.traceback) == (0, ""), ran.err
    return {str(p.relative_to(folder)): p.read_text() for p in _files(folder)}


@pytest.mark.kept(*passed.EDA, "src/aesfab/system", "src/aesfab/folder", passed.cores)
def test_no_damage_reaches_a_generated_folder(place: Path, tmp_path: Path) -> None:
    first = _generated(tmp_path / "first")
    assert len([name for name in first if name.startswith("rtl/")]) > 5
    kinds = set()
    number = itertools.count()
    for damage in DAMAGES:
        for path in _files(place):
            if path.name.endswith(".lock") and damage is not _a_folder:
                continue
            kinds.add(path.relative_to(place).parts[0])
            damage(path)
            assert _generated(tmp_path / f"{next(number)}") == first, (damage, path)
    assert kinds == {"canonical", "needed", "wrappers"}
    for damage in ENTRY_DAMAGES:
        for entry in place.glob("*/[!.]*"):
            damage(entry)
            assert _generated(tmp_path / f"{next(number)}") == first, (damage, entry)


def test_no_damage_reaches_a_hash_or_a_list(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = rtl.file("aes_mixadd")
    monkeypatch.setattr(components, "modules", lambda: {"aes_mixadd": module})
    sources = generate.sources(NAMED)
    takes: dict[str, Callable[[], Any]] = {
        "components": components.discover.__wrapped__,
        "netlists": lambda: yosys.netlist_hash(sources, NAMED.module),
    }
    for kind, take in takes.items():
        right = take()
        for damage in (_emptied, _altered, _a_folder):
            for path in (place / kind).glob("*/content"):
                damage(path)
                assert take() == right, (damage, path)


CORE = """\
module tiny (
  input logic clk_i, rst_ni, in_valid_i, input logic [127:0] in_block_i, in_key_i,
  output logic in_ready_o, out_valid_o, output logic [127:0] out_block_o
);
  assign in_ready_o = 1;
  always_ff @(posedge clk_i) begin
    out_valid_o <= rst_ni && in_valid_i;
    out_block_o <= in_block_i ^ in_key_i;
  end
endmodule
"""


@pytest.mark.kept(*passed.EDA, "src/aesfab/system", "src/aesfab/host")
def test_no_damage_reaches_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of models and of the C library; what all models share is made once."""
    core = tmp_path / "tiny.sv"
    core.write_text(CORE)
    ports = [p for p in NAMED.design.ports() if p.name in CORE]
    place = cache.place
    monkeypatch.setattr(
        cache,
        "place",
        lambda kind: _made(tmp_path / kind) if kind in ("models", "libaesfab") else place(kind),
    )
    right: dict[str, bytes] = {}
    for damage in (None, _emptied, _altered, _a_folder):
        for kind in ("models", "libaesfab"):
            for path in _files(tmp_path / kind) if damage else []:
                if path.name in ("bench", "libaesfab.so"):
                    assert damage is not None
                    damage(path)
        program = simulate.build([core], "tiny", ports).program
        library = driver.build()
        found = {path.name: path.read_bytes() for path in (program, library)}
        right = right or found
        assert found == right
        assert os.access(program, os.X_OK)


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def test_damaged_runs_and_times_of_explorations_count_for_nothing(
    place: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    for content in (b'{"status": "ok", "fmax_mhz": 123.4}', b"", b"\n", b"a\nb"):
        path.write_bytes(cache.sealed(content))
        assert cache.unsealed(path.read_bytes()) == content
        for damage in (_truncated, _altered, _emptied, _nested):
            path.write_bytes(cache.sealed(content))
            damage(path)
            assert cache.unsealed(path.read_bytes()) is None
    times = tmp_path / "times"
    huge = "1" + 5000 * "0"
    wrong = ["1e999", "NaN", "-1", "0", "[1]", "null", huge]
    lines = ['["yosys", 1e-3]', *(f'["yosys", {w}]' for w in wrong), "[" * 9999, "7", '["y']
    times.write_text("\n".join(lines))
    assert plan.Times(times).seconds("yosys", 1) == pytest.approx(plan.Times.BASE + 1e-3)
    _a_folder(times)
    plan.Times(times).add("yosys", 1, 1.0)
