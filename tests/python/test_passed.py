# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is kept of long checks: believed for the very same check of the very same design."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import keep
import passed
from aesfab import devices
from aesfab.design import catalogue
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.host.system import Bus, System
from aesfab.measure import subjects
from aesfab.verify import verify
from kept import KEEP

NAMED = catalogue.find("fab-tiny")


class Made(Exception):  # noqa: N818
    """The check was made."""


def _check() -> None:
    raise Made


def _other_check() -> None:
    """Like the first, with another text."""
    raise Made


def _passes() -> None:
    pass


@pytest.fixture(autouse=True)
def _keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks of this file are of nothing, whatever the run keeps."""
    monkeypatch.delenv(KEEP, raising=False)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a check of a text says; nothing is of the sample."""
    monkeypatch.setattr("kept.SAMPLE", 1 << 200)
    monkeypatch.delenv("AESFAB_PASSED", raising=False)
    path = tmp_path / "core.v"
    path.write_text("module core; endmodule\n")
    return path


def _know(monkeypatch: pytest.MonkeyPatch, identity: str) -> None:
    monkeypatch.setattr(passed.PASSED, "records", {identity: {}})


@pytest.mark.usefixtures("file")
def test_what_passed_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    identity = passed.of_netlist(NAMED, _check)
    for known in (identity.given, identity.exact()):
        _know(monkeypatch, known)
        passed.once(NAMED.module, identity, _check)
        monkeypatch.setattr("kept.SAMPLE", 1)
        with pytest.raises(Made):
            passed.once(NAMED.module, identity, _check)
        monkeypatch.setattr("kept.SAMPLE", 1 << 200)
    _know(monkeypatch, "other")
    with pytest.raises(Made):
        passed.once(NAMED.module, identity, _check)


@pytest.mark.usefixtures("file")
def test_what_is_known_by_its_texts_is_not_elaborated(monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> str:
        raise AssertionError

    _know(monkeypatch, "abc1")
    passed.once(NAMED.module, passed.Follows("abc1", never), _check)
    with pytest.raises(AssertionError):
        passed.once(NAMED.module, passed.Follows("abc2", never), _check)


def test_a_check_of_a_design_is_of_all_that_it_follows_from(
    monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    first = passed.of_netlist(NAMED, _check)
    same = passed.of_netlist(NAMED, _check)
    assert (same.given, same.exact()) == (first.given, first.exact())
    found = [
        first,
        passed.of_netlist(catalogue.find("fab-tiny-ram"), _check),
        passed.of_netlist(NAMED, _other_check),
        passed.of_netlist(NAMED, _check, _passes),
        passed.of_netlist(NAMED, _check, more=["more"]),
        passed.of_netlist(NAMED, _check, simulated=False),
        passed.of_netlist(dataclasses.replace(NAMED, overrides=(("key_bits", "128"),)), _check),
    ]
    keys = [(each.given, each.exact()) for each in found]
    changes = [
        (passed, "JUDGES", passed.JUDGES[1:]),
        (verify, "_tools", lambda: {"verilator": "other"}),
    ]
    for module, name, value in changes:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            other = passed.of_netlist(NAMED, _check)
            keys.append((other.given, other.exact()))
    for ways in zip(*keys, strict=True):
        assert len(set(ways)) == len(keys)
    # Another RTL of the same netlist is known by that alone, and the other way round.
    with monkeypatch.context() as patch:
        patch.setattr(generate, "netlist_hash", lambda _: "other")
        other = passed.of_netlist(NAMED, _check)
        assert other.given == first.given
        assert other.exact() != keys[0][1]
    copies = [shutil.copy(path, file.parent) for path in generate.sources(NAMED)]
    for added, alike in (("// a better comment\n", True), ("module more; endmodule\n", False)):
        with Path(copies[0]).open("a") as text:
            text.write(added)
        with monkeypatch.context() as patch:
            patch.setattr(generate, "sources", lambda _: list(map(Path, copies)))
            other = passed.of_netlist(NAMED, _check)
            assert (other.given == first.given) == alike
        assert other.exact() == keys[0][1]


def test_a_check_of_a_synthesis_is_of_all_that_it_follows_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = devices.find("ecp5-25k")
    first = passed.of_synthesis(device, "text", _check)
    assert passed.of_synthesis(device, "text", _check) == first
    recipes = {**device.recipes, "default": device.recipe("nowidelut")}
    others = [
        passed.of_synthesis(devices.find("ice40-hx8k"), "text", _check),
        passed.of_synthesis(dataclasses.replace(device, recipes=recipes), "text", _check),
        passed.of_synthesis(device, "other", _check),
        passed.of_synthesis(device, "text", _other_check),
    ]
    for name, value in (("SYNTHESIS", []), ("yosys.version", lambda: "other")):
        with monkeypatch.context() as patch:
            patch.setattr(f"passed.{name}", value)
            others.append(passed.of_synthesis(device, "text", _check))
    assert first not in others
    assert len(set(others)) == len(others)


def test_a_check_of_a_system_is_of_all_that_it_follows_from(
    monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    system = System(NAMED)
    first = passed.of_system(system, _check)
    assert passed.of_system(system, _check) == first
    others = [
        passed.of_system(System(catalogue.find("fab-tiny-ram")), _check),
        passed.of_system(System(NAMED, Bus.AXI4), _check),
        passed.of_system(System(NAMED, data_width=64), _check),
        passed.of_system(System(NAMED, depth=16), _check),
        passed.of_system(system, _other_check),
    ]
    for folder in ("include", "sim", "src"):
        (file.parent / "host" / folder).mkdir(parents=True)
    changes = [
        ("HOST", passed.HOST[1:]),
        ("JUDGES", passed.JUDGES[1:]),
        ("verify._tools", lambda: {"verilator": "other"}),
        ("host_system.sources", lambda _: [file]),
        ("host_system.c_folder", lambda: file.parent / "host"),
    ]
    for name, value in changes:
        with monkeypatch.context() as patch:
            patch.setattr(f"passed.{name}", value)
            others.append(passed.of_system(system, _check))
    assert first not in others
    assert len(set(others)) == len(others)


def test_a_check_of_a_text_is_of_all_that_it_follows_from(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keys(
        name: str = "fab-tiny", copies: int = 1, tool: str = "tool 1", check: Any = _check
    ) -> tuple[str, str]:
        found = passed.of_text(catalogue.find(name), lambda: copies * [file], tool, check)
        return found.given, found.exact()

    first = keys()
    assert keys() == first
    others = [keys("fab-tiny-ram"), keys(tool="tool 2"), keys(check=_other_check)]
    for ways in zip(first, *others, strict=True):
        assert len(set(ways)) == 4
    # What the files are made from is known before the files.
    with monkeypatch.context() as patch:
        patch.setattr("passed.yosys.version", lambda: "other")
        assert keys()[0] != first[0]
        assert keys()[1] == first[1]
    exact = [keys(copies=2)[1]]
    file.write_text("module core; // changed\nendmodule\n")
    exact.append(keys()[1])
    assert keys()[0] == first[0]
    file = file.rename(file.with_suffix(".sv"))
    exact.append(keys()[1])
    assert len({first[1], *exact}) == 4


@pytest.mark.usefixtures("file")
def test_only_what_passes_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With AESFAB_PASSED all is made, and what fails leaves no line."""
    lines = tmp_path / "passed.jsonl"
    monkeypatch.setenv("AESFAB_PASSED", str(lines))
    identity = passed.of_netlist(NAMED, _check)
    _know(monkeypatch, identity.given)
    with pytest.raises(Made):
        passed.once(NAMED.module, identity, _check)
    assert not lines.exists()
    passed.once(NAMED.module, identity, _passes)
    assert list(map(json.loads, lines.read_text().splitlines())) == [
        {"of": NAMED.module, "identity": key} for key in (identity.given, identity.exact())
    ]


@pytest.mark.usefixtures("file")
def test_what_passes_and_what_is_asked_for_is_kept_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With AESFAB_KEEP, and ``make keep`` puts the line of today in place of an older one."""
    old, known, passes = ({"of": f"tests/{n}", "identity": "1" * (n + 1)} for n in range(3))
    monkeypatch.setattr(passed.PASSED, "records", {known["identity"]: known})
    folder = tmp_path / "keep"
    folder.mkdir()
    monkeypatch.setenv(KEEP, str(folder))
    for record in (known, passes):
        passed.once(str(record["of"]), str(record["identity"]), _passes)
    with pytest.raises(Made):
        passed.once("tests/3", "3", _check)
    lines = [json.dumps(each) for each in (old, known, passes)]
    assert (folder / "passed.jsonl").read_text().splitlines() == lines[1:]

    file = tmp_path / "passed.jsonl"
    core = json.dumps({"of": "a core", "identity": "4"})
    file.write_text("\n".join([core, lines[0], json.dumps({**passes, "identity": "5"})]))
    keep.main(folder, tmp_path)
    assert file.read_text().splitlines() == sorted([core, *lines])
    assert not list(folder.iterdir())
    before = file.read_bytes()
    keep.main(folder, tmp_path)
    assert file.read_bytes() == before


def _of_test(node: pytest.Function, *parts: object) -> str:
    return passed.of_test(node, [pytest.mark.kept(*parts).mark])


@pytest.mark.parametrize("name", ["fab-tiny", "fab-tiny-ram"])
def test_a_whole_test_is_of_all_that_its_mark_names(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    node = request.node
    folder, file = tmp_path / "folder", tmp_path / "one.py"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "two.sv").write_text("module two; endmodule\n")
    file.write_text("ONE = 1\n")

    def sources(name: str) -> list[Path]:
        return generate.sources(catalogue.find(name))

    def identity() -> str:
        return _of_test(node, folder, file, "src/aesfab/verify", sources)

    first = identity()
    assert identity() == first
    file.write_text('"""A docstring."""\nimport os\n\nONE = 1  # as ever\n')
    assert identity() == _of_test(node, folder, file, "src/aesfab/verify", sources)
    others = [_of_test(node), _of_test(node, folder), _of_test(node, folder, file, sources)]
    others.append(_of_test(node, folder, file, "src/aesfab/eda", sources))
    file.write_text("ONE = 2\n")
    others.append(identity())
    file.write_text("ONE = 1\n")
    assert identity() == first
    two = folder / "inner" / "two.sv"
    two.write_text("// A better comment.\nmodule two; endmodule\n")
    assert identity() == first
    two.write_text("module two(); endmodule\n")
    others.append(identity())
    others.append((two.rename(folder / "inner" / "three.sv"), identity())[1])
    lock = tmp_path / "requirements.lock"
    lock.write_text("pyosys==9\n")
    monkeypatch.setattr(passed, "LOCK", lock)
    others.append(identity())
    lock.write_text("mkdocs==9 \\\n    --hash=sha256:0\npyosys==9\n")
    assert identity() == others[-1]
    assert first not in others
    assert len(set(others)) == len(others)
    with pytest.raises(FileNotFoundError):
        _of_test(node, "no/such/file")


@pytest.mark.parametrize("name", ["fab-tiny"])
def test_a_test_of_some_designs_is_of_their_cores_alone(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """Of the cores of its engines, too; the nearest mark says of which."""
    copy = tmp_path / "rtl"
    shutil.copytree(rtl.folder(), copy)
    monkeypatch.setattr(rtl, "folder", lambda: copy)
    whole = pytest.mark.kept(passed.cores, cores_of=("pilchard-unrolled-1",))
    kinds: dict[str, list[pytest.Mark]] = {
        "all": [pytest.mark.kept("LICENSE", passed.cores).mark],
        "module": [whole.mark],
        "parameter": [pytest.mark.kept(cores_of=passed.of_name).mark, whole.mark],
        "engine": [pytest.mark.kept(cores_of=("gcm-tiny core=fab-narrow",)).mark, whole.mark],
        "two": [pytest.mark.kept(cores_of=(catalogue.find(name), "qin-4sm")).mark, whole.mark],
    }

    def identities() -> dict[str, str]:
        return {kind: passed.of_test(request.node, marks) for kind, marks in kinds.items()}

    def changed(file: str, more: str) -> set[str]:
        before, path = identities(), copy / file
        path.write_text(path.read_text() + more)
        return {kind for kind, identity in identities().items() if identity != before[kind]}

    assert len(set(identities().values())) == len(kinds)
    logic = "\nmodule more; endmodule\n"
    assert changed("aes_pkg.sv", "// A comment.\n") == set()
    assert changed("aes_core.sv", logic) == set(kinds)
    assert changed("iterative/aes_core_iterative.sv", logic) == {"all", "module"}
    assert changed("narrow/aes_core_narrow_bytes.sv", logic) == {"all", "parameter", "two"}
    assert changed("narrow/aes_core_narrow_shared.sv", logic) == {"all", "engine"}
    assert changed("rolling/aes_core_rolling.sv", logic) == {"all", "two"}
    assert changed("staged/aes_core_pipelined.sv", logic) == {"all"}


@pytest.mark.kept(passed.cores, cores_of=("fab-tiny", "gcm-tiny"))
def test_no_test_takes_a_core_that_its_mark_does_not_name() -> None:
    assert generate.sources(NAMED)
    assert subjects.sources(subjects.find("gcm-tiny", ["slots=2"]))
    with pytest.raises(AssertionError, match=r"needs .*aes_core_iterative.sv.* cores_of of the"):
        generate.sources(catalogue.find("pilchard-unrolled-1"))
    with pytest.raises(AssertionError, match=r"needs .*aes_core_narrow_shared.sv"):
        subjects.sources(subjects.find("gcm-tiny", ["core=fab-narrow"]))


def test_comments_count_where_all_of_the_rtl_is_named(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Commands print them."""
    monkeypatch.setattr(passed, "ROOT", tmp_path)
    file = tmp_path / "rtl" / "key" / "one.sv"
    file.parent.mkdir(parents=True)
    file.write_text("module one; endmodule\n")
    parts = "rtl", "rtl/key"
    before = [_of_test(request.node, part) for part in parts]
    file.write_text("// What it is.\nmodule one; endmodule\n")
    after = [_of_test(request.node, part) for part in parts]
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, True]


OUTER = """
import pytest
@pytest.fixture
def long():
    print("made the fixture")
@pytest.mark.kept("LICENSE")
def test_it(long):
    pass
"""


def test_what_is_kept_is_left_out_before_its_fixtures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that passes is kept, then left out; one that fails or skips is not kept."""
    here = Path(__file__).parent
    (tmp_path / "conftest.py").write_text((here / "conftest.py").read_text())
    test, kept_file = tmp_path / "test_it.py", tmp_path / "passed.jsonl"

    def run(body: str, **environment: str) -> str:
        test.write_text(OUTER.replace("    pass", f"    {body}"))
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", test.name]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(here), **environment},
            capture_output=True,
            text=True,
            check=False,
        ).stdout

    monkeypatch.delenv("AESFAB_PASSED", raising=False)
    for body, outcome in (("assert False", "1 failed"), ("pytest.skip('no')", "1 skipped")):
        assert outcome in run(body, AESFAB_PASSED=str(kept_file))
        assert not kept_file.exists()
    assert "1 passed" in run("pass", AESFAB_PASSED=str(kept_file))
    (record,) = map(json.loads, kept_file.read_text().splitlines())
    assert record["of"] == "test_it.py::test_it"
    # Now it is of the repository's own file.
    (tmp_path / "sitecustomize.py").write_text(
        f"import kept\nkept.SAMPLE = 1 << 200\nimport passed\n"
        f"passed.PASSED.records = {{{record['identity']!r}: {{}}}}\n"
    )
    again = run("pass", PYTHONPATH=f"{tmp_path}:{here}")
    assert "1 skipped" in again
    assert "made the fixture" not in again
    assert "1 passed" in run("assert True", PYTHONPATH=f"{tmp_path}:{here}")


def test_parts_of_a_mark_have_what_they_import(tmp_path: Path) -> None:
    """Also what is imported inside of a function, by its whole name, and by what is imported."""
    module = tmp_path / "module.py"
    module.write_text("import aesfab.errors\ndef f() -> None:\n    from aesfab import records\n")
    names = {path.name for path in passed._imports(module)}
    assert names == {"errors.py", "records.py"}
    folders = passed.imported("folder")
    assert {"src/aesfab/folder/generate.py", "src/aesfab/verify/expansion.py"} <= {*folders}
    assert "src/aesfab/measure/implement.py" in folders
    assert "src/aesfab/choosing/answer.py" not in passed.MEASURING
    assert passed.imported("errors") == ("src/aesfab/errors.py",)
    assert not [part for part in passed.MEASURING if "engine" in str(part)]
    for part in (*passed.FOLDERS, *passed.MEASURING, *passed.HOST_FOLDERS):
        assert callable(part) or (passed.ROOT / str(part)).exists(), part
