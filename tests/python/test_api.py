# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What `import aesfab` offers: what its page says, and no weight before it is used."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path

import pytest

import aesfab
from aesfab import api, records
from aesfab.engine import every

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


@pytest.mark.kept("src/aesfab", "rtl", "results", "docs/api.md")
def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    # A fence ends an example as an empty line does.
    tests = doctest.DocTestParser().get_doctest(PAGE.read_text(), {}, PAGE.name, str(PAGE), 0)
    assert len(tests.examples) > 12
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(tests, out=said.append)
    assert not runner.failures, "".join(said)


def test_the_page_names_all_of_it() -> None:
    text = PAGE.read_text()
    public = [name for name in aesfab.__all__ if not name.startswith("_")]
    own = {**vars(api.Core), **vars(api.Engine)}
    public += [name for name in own if not name.startswith("_")]
    for name in public:
        if name not in ("Core", "named", "name", "module"):
            assert f"{name}" in text, name
    for name in public:
        assert hasattr(aesfab, name) or name in own or name == "named"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        aesfab.nothing  # noqa: B018


def test_an_engine_is_told_from_a_core() -> None:
    """Each name is taken by one of two calls, and the other one says by which."""
    for name in every.names():
        assert aesfab.find_engine(name).name == name
        with pytest.raises(
            aesfab.AesfabError, match=r"is an engine .*; aesfab\.find_engine takes it"
        ):
            aesfab.core(name)
    for name in aesfab.names():
        with pytest.raises(aesfab.AesfabError, match=r"is a core .*; aesfab\.core takes it"):
            aesfab.find_engine(name)
    for call in (aesfab.core, aesfab.find_engine):
        with pytest.raises(aesfab.AesfabError, match="unknown"):
            call("nope")
    assert (aesfab.library() / "aesfab.core").is_file()


def test_import_is_light() -> None:
    """Not even the rest of the package comes with it."""
    code = (
        "import json, sys, typing, __future__; before = set(sys.modules); import aesfab;"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["aesfab"]


def test_figures_and_evidence_are_of_the_rtl_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    core = aesfab.core("fab-tiny")
    known = core.figures()
    assert known
    assert all(row["design"] == "fab-tiny" and row["runs"] == {} for row in known)
    recipes = [(row["device"], row["recipe"]) for row in known]
    assert len(set(recipes)) == len(recipes)
    other = [{**r, "netlist_hash": "other"} for r in records.shipped("implement")]
    monkeypatch.setattr(records, "known", lambda *_, **__: other)
    assert core.figures() == []
    assert core.evidence() is None
