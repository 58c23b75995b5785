# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The archive of a paper holds all that its tables and verdicts rest on."""

from __future__ import annotations

import csv
import json
import shlex
import tarfile
from pathlib import Path

import pytest

import passed
from aesfab import records
from aesfab.cli import bundle
from aesfab.design import catalogue
from aesfab.study import papers
from aesfab.study.study import Study
from conftest import Cli

pytestmark = pytest.mark.kept(
    "src/aesfab/cli/bundle.py",
    "src/aesfab/study",
    *passed.RECORDS,
    "src/aesfab/design",
)


@pytest.mark.parametrize("paper", ["qin2005", "fischer2001"])
def test_tables_and_verdicts_come_again_from_the_archive(paper: str, tmp_path: Path) -> None:
    measured = Study(records.shipped("implement"))
    parts = records.shipped("components")
    result = papers.reproduce(paper, measured, parts)
    path = tmp_path / f"{paper}.tar.gz"
    bundle.write(path, result, measured, parts, stale=False)
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / paper
    again = papers.reproduce(
        paper,
        Study(records.read(folder / "implement.jsonl")),
        records.read(folder / "components.jsonl"),
    )
    assert [table.to_json() for table in again.tables] == [t.to_json() for t in result.tables]
    assert json.dumps([v.to_json() for v in again.verdicts]) == json.dumps(
        [v.to_json() for v in result.verdicts]
    )
    assert 0 < len(records.read(folder / "implement.jsonl")) < len(records.shipped("implement"))

    # Every column has a type that its cells have; every run has its clock.
    package = json.loads((folder / "datapackage.json").read_text())
    for resource in package["resources"]:
        with (folder / resource["path"]).open() as file:
            rows = list(csv.DictReader(file))
        fields = {each["name"]: each["type"] for each in resource["schema"]["fields"]}
        assert rows
        assert list(rows[0]) == list(fields)
        for row in rows:
            for name, kind in fields.items():
                if kind != "string" and row[name]:
                    float(row[name])
        if resource["name"] == "seeds":
            assert all(row["fmax_mhz"] for row in rows if row["status"] == "ok")

    versions = json.loads((folder / "versions.json").read_text())
    assert versions["tools"]
    assert len(versions["commit"] or "0" * 40) == 40

    # The commands name designs and axes that there are.
    script = (folder / "measure.sh").read_text().splitlines()
    commands = [shlex.split(line) for line in script if line.startswith("aesfab implement")]
    assert commands
    for words in commands:
        until = words.index("--device")
        catalogue.find(words[2], words[3:until]).design.require_legal()

    same = tmp_path / "again" / path.name
    same.parent.mkdir()
    bundle.write(same, result, measured, parts, stale=False)
    assert same.read_bytes() == path.read_bytes(), "the bytes follow from the content"


def test_the_command_writes_it_or_says_why_not(aesfab: Cli, tmp_path: Path) -> None:
    path = tmp_path / "p.tar.gz"
    done = aesfab("papers", "chodowiec2003", "--csv", "--bundle", path)
    assert done.returncode == 0, done.stderr
    with tarfile.open(path) as archive:
        readme = archive.extractfile("p/README.md")
        assert readme is not None
        assert "https://www.scribd.com" in readme.read().decode()
        table = archive.extractfile("p/tables.csv")
        assert table is not None
        assert table.read().decode() == done.stdout
    refused = aesfab("papers", "--bundle", path)
    assert (refused.returncode, refused.stderr) == (
        2, "aesfab: --bundle is of one paper: name it\n",
    )  # fmt: skip
    refused = aesfab("papers", "chodowiec2003", "--bundle", tmp_path / "p.zip")
    assert refused.returncode == 2
    assert "is a .tar.gz file" in refused.stderr
    assert not (tmp_path / "p.zip").exists()
