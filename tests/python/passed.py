# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Long checks that passed, and what such a check follows from.

They are kept in ``tests/passed.jsonl``: simulations by the netlist of the design, the check that
was made, the bench, the contract of the design and the simulator; what looks at generated files by
their text instead of the netlist; sessions with a host system by all of its text, its driver and
its C library too; what is said of synthesis for a device by the row of that in the table, and by
the code that does it; a whole test that is marked as ``kept`` by its file and what the mark names.
One of them is made again only when one of these has changed, but for a sample, which always is.
``make checks`` makes all and writes the file anew.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import aesfab
from aesfab.design.catalogue import Named
from aesfab.devices import Device
from aesfab.eda import yosys
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.host import system as host_system
from aesfab.measure import subjects
from aesfab.system import process
from aesfab.verify import verify
from kept import HDL, Kept, code

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements.lock"
"""The versions of all tools."""
_OF_THE_SITE = ("mkdocs", "pymdown-extensions")

PASSED = Kept(ROOT / "tests" / "passed.jsonl", "AESFAB_PASSED", resumed=True)
_PACKAGE = Path(aesfab.__file__).parent
_ENGINE = _PACKAGE / "engine"
_OF_MEASURE = ("floorplan", "harness", "implement")
_OF_SYNTHESIS = ("eda/finish", "eda/yosys", *(f"measure/{name}" for name in _OF_MEASURE))
_OF_VERIFY = [f"verify/{name}" for name in ("oracle", "vectors", "verify")]
JUDGES = [
    *sorted(path for path in (_PACKAGE / "verify" / "bench").iterdir() if path.is_file()),
    *(_PACKAGE / f"{name}.py" for name in ("eda/simulate", "folder/plain", *_OF_VERIFY)),
]
"""What finds a fault and says so: bench, judge, and what translates for the four-state pass."""
HOST = [_PACKAGE / "host" / f"{name}.py" for name in ("driver", "soak", "system")]
"""What drives a host system, beside its C library."""
SYNTHESIS = [_PACKAGE / f"{name}.py" for name in _OF_SYNTHESIS]
"""What synthesises and counts."""


def contract(named: Named, *more: Any) -> str:
    """What the judge takes from the parameters of a design, with anything else behind it."""
    design = named.design
    clocks = [
        (b, design.latency(b), design.interval(b), design.key_setup(b), design.blocks_in_flight)
        for b in design.key_lengths
    ]
    accepted = [
        (rule.limit, rule.period, rule.direction_change, sorted(rule.conflicts))
        for rule in (design.acceptance(b) for b in design.key_lengths)
    ]
    return repr([clocks, accepted, design.ports(), named.overrides, *more])


@dataclasses.dataclass(frozen=True)
class Follows:
    """What a check of a design follows from, known in two ways.

    Attributes:
        given: the hash of texts, quickly at hand.
        exact: gives the hash of what these texts make, which other texts may make as well.
    """

    given: str
    exact: Callable[[], str]


def of_netlist(
    named: Named,
    *functions: Path | Callable[..., Any],
    more: Sequence[str] = (),
    simulated: bool = True,
    judges: Sequence[Path] | None = None,
) -> Follows:
    """Identity of a check of a design: of its netlist, and all else that the outcome follows from.

    Args:
        named: the design.
        functions: the check, and what it calls beside bench and judge; files of modules too.
        more: what else it is of.
        simulated: whether it is simulated; otherwise it looks at the netlist, with Yosys.
        judges: of a simulation, what drives it and finds a fault: by default bench and judge.
    """
    tools = repr(verify._tools()) if simulated else yosys.version()
    judged = _texts(JUDGES if judges is None else judges) if simulated else ""
    rest = [_texts(functions), judged, named.module, contract(named), tools]

    def exact() -> str:
        own = process.content_key(generate.netlist_hash(named), *rest)
        return process.content_key(own, *more) if more else own

    return Follows(process.content_key(*_given(named), *rest, *more), exact)


def of_text(
    named: Named, make: Callable[[], Sequence[Path]], tool: str, *functions: Callable[..., Any]
) -> Follows:
    """The same of a check of files that are generated for it, with the tools that it takes.

    ``make`` generates them, where what they are made from has not been seen yet.
    """
    rest = [tool, _texts([*functions, *JUDGES]), named.module, contract(named)]

    def exact() -> str:
        files = make()
        return process.content_key(files, repr([path.name for path in files]), *rest)

    made_by = [_texts(_files(_PACKAGE / "folder")), yosys.version()]
    return Follows(process.content_key(*_given(named), *made_by, *rest), exact)


def _given(named: Named) -> list[Any]:
    """What a design is made of, as text."""
    files = generate.sources(named)
    return [_texts(files), repr([path.name for path in files])]


def of_system(system: host_system.System, *functions: Callable[..., Any]) -> str:
    """The same of a check of a host system, simulated with its driver: of texts alone."""
    library = [
        path
        for folder in ("include", "sim", "src")
        for path in sorted((host_system.c_folder() / folder).iterdir())
    ]
    files = [*host_system.sources(system), *library]
    read = _texts(files)
    built = repr([verify._tools(), system.bus, system.width, _texts(HOST)])
    named, names = system.named, repr([path.name for path in files])
    texts = _texts([*functions, *JUDGES])
    return process.content_key(read, names, built, texts, named.module, contract(named))


def of_synthesis(device: Device, text: str, *functions: Callable[..., Any]) -> str:
    """The same of a check of what synthesis of a text gives for a device."""
    said = _texts([Device, *functions, *SYNTHESIS])
    return process.content_key(repr(device), text, yosys.version(), said)


def of_test(item: pytest.Function, marks: Iterable[pytest.Mark]) -> str:
    """The same of a whole test that is marked as ``kept``.

    It is of the test's file, of what that takes from other files of this folder, of the tools, and
    of what the marks name: paths in the repository, each of a file or of a folder with all that is
    in it, and functions that give such for the parameters of the test. Comments of RTL count where
    the whole of ``rtl`` is named, as in what a user has: commands print them.

    Where ``cores`` is named, ``cores_of`` of the nearest mark that has it says which of them count:
    those that these designs and engines need.
    """
    marks = list(marks)
    parts: list[str | Path] = [item.path, *_helpers(item.path)]
    for mark in marks:
        for part in mark.args:
            if part is cores:
                parts += _cores_of(item, marks)
            elif callable(part):
                parts += _called(item, part)
            else:
                parts.append(part)
    whole = "rtl" in parts
    files = [each for part in parts for each in _files(ROOT / part)]
    names = [path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name for path in files]
    said = repr(list(map(str, names)))
    # With several processes xdist puts its group behind the name of a test.
    group = item.get_closest_marker("xdist_group")
    behind = f"@{group.args[0]}" if group else ""
    name = item.nodeid.removesuffix(behind) + behind
    comments = [path for path in files if whole and path.suffix in HDL]
    return process.content_key(name, _locked(), said, _texts(files), comments)


def _called(item: pytest.Function, part: Callable[..., Any]) -> Any:
    """What a part of a mark gives for the parameters of a test."""
    given = getattr(item, "callspec", None)
    arguments: Mapping[str, Any] = given.params if given else {}
    return part(**{name: arguments[name] for name in inspect.signature(part).parameters})


def cores() -> list[Path]:
    """A part of a mark: the RTL of cores, without engines, buses, host systems and boards."""
    return [path for path in rtl.sources() if _is_of_cores(path)]


def _is_of_cores(path: Path) -> bool:
    return path.parent.name not in ("engine", "bus", "host", "board")


Of = Sequence[str | Named]
"""Designs and engines, by name with ``axis=value`` words behind it, or as they are."""


def of_name(name: str) -> Of:
    """``cores_of`` of a test with this parameter."""
    return (name,)


def of_point(name: str, overrides: Sequence[str]) -> Of:
    """The same with these."""
    return (" ".join((name, *overrides)),)


def _of(marks: Iterable[pytest.Mark]) -> Of | Callable[..., Of] | None:
    """Which designs and engines a test takes; None where its marks do not say."""
    found: list[Of | Callable[..., Of]] = [
        mark.kwargs["cores_of"] for mark in marks if "cores_of" in mark.kwargs
    ]
    return found[0] if found else None


def _cores_of(item: pytest.Function, marks: Iterable[pytest.Mark]) -> list[Path]:
    """The RTL of the cores that a test takes, and the top modules of these designs and engines."""
    of = _of(marks)
    if of is None:
        return cores()
    found: dict[str, Path] = {}
    for each in _called(item, of) if callable(of) else of:
        named = subjects.find(*_words(each)) if isinstance(each, str) else each
        found |= {path.name: path for path in subjects.present(named).sources()}
    return [found[name] for name in sorted(found)]


def _words(text: str) -> tuple[str, list[str]]:
    name, *overrides = text.split()
    return name, overrides


def _watch(item: pytest.Function, marks: Sequence[pytest.Mark]) -> None:
    """From now on, no RTL of a core counts as needed that the marks of a test do not name."""
    if _of(marks) is None:
        return
    needed_by, known = rtl.needed_by, {path.name for path in _cores_of(item, marks)}

    def checked(top_text: str, top: str, beside: Sequence[Path] = ()) -> list[Path]:
        found = needed_by(top_text, top, beside)
        others = [path.name for path in found if _is_of_cores(path) and path.name not in known]
        assert not others, f"{top} needs {', '.join(others)}, which cores_of of the test has not"
        return found

    rtl.needed_by = checked


EDA = ("src/aesfab/eda", "src/aesfab/hdl", "src/aesfab/devices.py")
"""Parts of a mark: what reads RTL and synthesises it."""
HOSTS = ("rtl/bus", "rtl/host", cores)
"""Parts of a mark: the RTL of host systems."""
RECORDS = (
    "src/aesfab/records.py",
    "src/aesfab/folder/generate.py",
    "src/aesfab/hdl",
    "results",
    cores,
)
"""Parts of a mark: records, and of which RTL they are."""
PRODUCT = ("src/aesfab", "rtl", "host", "results")
"""Parts of a mark: all that a user has, for commands that use much of it."""
BOOKS = (
    *("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs", "tools"),
    *("mkdocs.yml", "aesfab.core", "tests/layers.toml"),
)
"""Parts of a mark: documents, and what makes them."""
ENGINES = (
    *EDA,
    "src/aesfab/engine",
    "src/aesfab/folder",
    "src/aesfab/design",
    "src/aesfab/cli/cipher.py",
    "src/aesfab/verify/bench",
    "rtl/engine",
    cores,
)
"""Parts of a mark: engines, and what simulates them."""


def _locked() -> str:
    """The lock file, without what only the site is made with."""
    packages = re.split(r"^(?=\S)", LOCK.read_text(), flags=re.MULTILINE)
    return "".join(each for each in packages if not each.startswith(_OF_THE_SITE))


def _helpers(path: Path) -> list[Path]:
    """What a test takes from this folder, and what that takes from there.

    How tests are kept is no part of it.
    """
    found: dict[Path, None] = {}
    waiting = [path]
    while waiting:
        for word in re.findall(r"^(?:from|import) (\w+)", waiting.pop().read_text(), re.MULTILINE):
            helper = path.parent / f"{word}.py"
            if word not in ("kept", "passed") and helper.exists() and helper not in found:
                found[helper] = None
                waiting.append(helper)
    return sorted(found)


def _files(path: Path) -> list[Path]:
    """All files of a folder, or the file itself."""
    if not path.is_dir():
        return [path]
    every = sorted(each for each in path.rglob("*") if each.is_file())
    return [each for each in every if "__pycache__" not in each.parts]


def imported(*names: str) -> tuple[str, ...]:
    """Parts of a mark: modules and packages of ``aesfab``, and all of it that they import.

    Without engines: what imports them does so beside cores, of which nothing follows from them.
    """
    found: set[Path] = set()
    waiting = [file for name in names for file in _files(_module(name))]
    while waiting:
        path = waiting.pop()
        if path not in found and _ENGINE not in path.parents:
            found.add(path)
            waiting += _imports(path) if path.suffix == ".py" else []
    return tuple(str(path.relative_to(ROOT)) for path in sorted(found))


def _imports(path: Path) -> list[Path]:
    """Files of ``aesfab`` that one of its modules imports from, anywhere in it.

    Not that of ``aesfab`` itself, which offers all of it to others.
    """
    modules: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path}: an import that names no module"
            assert not node.level, f"{path}: an import by its place"
            modules += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    found = []
    for name in modules:
        package, *within = name.split(".")
        if package == "aesfab" and within:
            module = _PACKAGE.joinpath(*within)
            files = (module.with_suffix(".py"), module / "__init__.py")
            found += [file for file in files if file.is_file()]
    return found


def _module(name: str) -> Path:
    """The file of a module, or the folder of a package."""
    folder = _PACKAGE / name
    return folder if folder.is_dir() else folder.with_suffix(".py")


_WRITE = ("eda", "hdl", "devices", "folder", "design")
FOLDERS = (*imported(*_WRITE), cores)
"""Parts of a mark: what writes the folder of a core."""
MEASURING = (*imported(*_WRITE, "measure"), cores)
"""Parts of a mark: what synthesises, places and counts cores."""
HOST_FOLDERS = (*imported(*_WRITE, "host"), "host", "rtl/bus", "rtl/host", cores)
"""Parts of a mark: host systems, their drivers and what writes their folders."""


def _texts(parts: Iterable[Path | Callable[..., Any]]) -> str:
    """What functions and files say, beside comments."""
    return "\n".join(map(code, parts))


def once(name: str, identity: str | Follows, check: Callable[[], object]) -> None:
    """Make a check, unless it is known to have passed.

    Args:
        name: of what it is of, for who reads the file.
        identity: of the check, see ``of_netlist``, ``of_text``, ``of_system`` and ``of_synthesis``.
        check: raises where it fails.
    """
    given = identity.given if isinstance(identity, Follows) else identity
    if PASSED.find(given) is not None:
        return
    keys = [given]
    if isinstance(identity, Follows):
        keys.append(identity.exact())
        # A sample runs in any case.
        if not PASSED.sampled(given) and PASSED.find(keys[-1]) is not None:
            return
    check()
    for key in keys:
        PASSED.add({"of": name, "identity": key})


# ------------------------------------------------------------------- hooks of pytest

_IDENTITY = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """The mark of tests that are kept, for ``pytest --markers``."""
    config.addinivalue_line(
        "markers",
        "kept(*parts, cores_of): made again only when its file or a part has changed, see "
        "passed.of_test",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where all that is kept is made anew, nothing else is run."""
    if PASSED.anew is None:
        return
    long: list[pytest.Item] = []
    other: list[pytest.Item] = []
    for item in items:
        makes = isinstance(item, pytest.Function) and "passed.once(" in code(item.function)
        (long if makes or item.get_closest_marker("kept") else other).append(item)
    config.hook.pytest_deselected(items=other)
    items[:] = long


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """A test whose cores were watched leaves no trace of that."""
    needed_by = rtl.needed_by
    try:
        return (yield)
    finally:
        rtl.needed_by = needed_by


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that is kept is left out, before its fixtures are made, where it passed as it is."""
    marks = list(item.iter_markers("kept"))
    if marks and isinstance(item, pytest.Function):
        identity = of_test(item, marks)
        if PASSED.find(identity) is not None:
            pytest.skip("kept: it passed, and nothing that it follows from has changed")
        item.stash[_IDENTITY] = identity
        _watch(item, marks)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep that it passed."""
    report = yield
    identity = item.stash.get(_IDENTITY, None)
    if identity is not None and call.when == "call" and report.passed:
        PASSED.add({"of": item.nodeid, "identity": identity})
    return report
