# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files of records: replaced by key, read with care, written whole."""

from __future__ import annotations

import concurrent.futures
import functools
import json
import os
from pathlib import Path

import pytest

from aesfab import records
from aesfab.errors import AesfabError
from aesfab.records import Record
from aesfab.system import process

ROOT = Path(__file__).parents[2]


def _record(design: str = "d", lut: int | None = 1, **fields: object) -> Record:
    return {
        "flow": 1,
        "design": design,
        "parameters": {"rounds": 1},
        "netlist_hash": "abc",
        "device": "ecp5-25k",
        "recipe_names": ["default"],
        "seeds": [1],
        "tools": {"yosys": "x"},
        "status": "ok",
        "lut": lut,
        **fields,
    }


def test_put_replaces_the_same_measurement_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "r.jsonl"
    records.put(path, _record("a", 1))
    records.put(path, _record("b", 2))
    records.put(path, _record("a", 3))
    assert [(r["design"], r["lut"]) for r in records.read(path)] == [("b", 2), ("a", 3)]
    for field, value in (
        ("netlist_hash", "def"),
        ("parameters", {"rounds": 2}),
        ("device", "ice40-hx8k"),
        ("recipe_names", ["default", "dff"]),
        ("seeds", [1, 2]),
        ("tools", {"yosys": "y"}),
        ("flow", 0),
        ("level", "quick"),
        ("seed", 2),
    ):
        records.put(path, _record("a", 4, **{field: value}))
    assert len(records.read(path)) == 2 + 8
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("staged", {"key_register": "sub-word", "key_expansion": "staged"}),
        ("offered", {"key_register": "sub-word", "key_expansion": "word-serial"}),
        ("ahead", {"key_register": "ahead", "key_expansion": "double-word"}),
    ],
)
def test_a_record_from_before_key_expansion(
    tmp_path: Path, old: str, new: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is read under the names of today, and nothing is said of it."""
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(_record(parameters={"rounds": 1, "key_register": old})) + "\n")
    (found,) = records.read(path)
    assert found["parameters"] == {"rounds": 1, **new}
    assert capsys.readouterr().err == ""


def test_same_record_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    records.put(path, _record(design="täst"))
    before = path.read_bytes()
    records.put(path, _record(design="täst"))
    assert path.read_bytes() == before
    assert before.endswith(b"}\n")
    assert before.count(b"\n") == 1


def test_key_does_not_depend_on_the_order_of_fields() -> None:
    record = _record()
    assert records.key(record) == records.key(dict(reversed(record.items())))
    assert records.key(record) != records.key(_record(seeds=[2]))


def test_find_and_latest(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    assert records.read(path) == []
    assert records.find(records.read(path), _record()) is None
    for lut, rtl in ((1, "old"), (2, "new")):
        records.put(path, _record(lut=lut, netlist_hash=rtl))
    found = records.find(records.read(path), _record(lut=99, netlist_hash="old"))
    assert found is not None
    assert found["lut"] == 1
    newest = records.latest(records.read(path), design="d", device="ecp5-25k")
    assert newest is not None
    assert newest["lut"] == 2
    assert records.latest(records.read(path), design="e") is None


def test_headline_went_well_with_most_seeds_and_is_the_best_of_these() -> None:
    """Each record beats those before it; of two alike it is the newer one."""
    better = [
        # Areas alone: nobody has tried to place them.
        _record(status="ok", seeds=[], throughput_mbit_s=None, lut=4, stage="synthesis"),
        _record(status="ok", seeds=[], throughput_mbit_s=None, lut=3, stage="synthesis"),
        _record(status="does not fit", seeds=[1, 2, 3, 4, 5], throughput_mbit_s=None, lut=None),
        _record(status="ok", seeds=[], throughput_mbit_s=None, lut=7, device="virtex"),
        _record(status="ok", seeds=[], throughput_mbit_s=None, lut=6, device="virtex"),
        _record(status="ok", seeds=[1, 2, 3], throughput_mbit_s=90.0, lut=5),
        _record(status="ok", seeds=[1, 2, 3, 4, 5], throughput_mbit_s=70.0, lut=5),
        _record(status="ok", seeds=[1, 2, 3, 4, 5], throughput_mbit_s=80.0, lut=9),
        _record(status="ok", seeds=[1, 2, 3, 4, 5], throughput_mbit_s=80.0, lut=8),
    ]
    assert records.headline([]) is None
    for number, best in enumerate(better, 1):
        assert records.headline(better[:number]) is best
        assert records.headline(better[:number][::-1]) is best
    alike = {**better[-1]}
    assert records.headline([*better, alike]) is alike
    assert records.headline([alike, *better]) is better[-1]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[1]", "not a record"),
        ('{"design": "d"}', "not a record"),
        ('{"design": 1, "netlist_hash": "y"}', "not a record"),
        ('{"design": "d", "netlist_hash": "y", "lut": NaN}', "not JSON: NaN is no number"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(_record()) + "\n\n" + line + "\n")
    with pytest.raises(AesfabError, match=rf"r\.jsonl, line 3: {says}"):
        records.read(path)
    before = path.read_bytes()
    with pytest.raises(AesfabError, match="line 3"):
        records.put(path, _record())
    assert path.read_bytes() == before


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(AesfabError, match="cannot read the records"):
        records.read(tmp_path / "folder")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AesfabError, match="not UTF-8"):
        records.read(tmp_path / "binary")
    (tmp_path / "file").write_text("")
    with pytest.raises(AesfabError, match="cannot write records"):
        records.put(tmp_path / "file" / "r.jsonl", _record())


def test_a_figure_that_is_no_number_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    records.put(path, _record())
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        records.put(path, _record(fmax=float("nan"), design="e"))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_record_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="netlist_hash"):
        records.put(tmp_path / "r.jsonl", {"design": "d"})
    assert list(tmp_path.iterdir()) == []


def test_cached(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    runs: list[int] = []

    def measure(status: str = "ok") -> Record:
        runs.append(1)
        return _record(lut=len(runs), status=status)

    assert records.cached([path], _record(), measure)["lut"] == 1
    assert records.cached([path], _record(), measure)["lut"] == 1
    assert records.cached([path], _record(), measure, force=True)["lut"] == 2
    assert records.cached([path], _record(seeds=[7]), measure)["lut"] == 3
    for status, measured_again in (
        ("failed", True),
        ("timeout", True),
        ("does not fit", False),
    ):
        path.unlink()
        records.cached([path], _record(), functools.partial(measure, status), force=True)
        before = len(runs)
        records.cached([path], _record(), measure)
        assert (len(runs) > before) is measured_again


def test_another_recipe_is_measured_again_and_another_text_is_not(tmp_path: Path) -> None:
    """What is mapped follows from the netlist; the record takes the place of the old one."""
    path = tmp_path / "r.jsonl"

    def measure(lut: int, **more: object) -> int:
        identity = {**_record(), **more}
        return int(records.cached([path], identity, lambda: {**identity, "lut": lut})["lut"])

    assert measure(1, status="ok", rtl_hash="a") == 1
    assert measure(2, status="ok", rtl_hash="b") == 1
    # One of before recipes had a hash stands; one of another does not.
    assert measure(3, status="ok", rtl_hash="b", recipe_hash="r") == 1
    assert measure(4, status="ok", netlist_hash="c", recipe_hash="r") == 4
    assert measure(5, status="ok", netlist_hash="c", recipe_hash="s") == 5
    assert [record["lut"] for record in records.read(path)] == [1, 5]


def test_a_record_of_a_later_flow_stands_for_an_earlier_one(tmp_path: Path) -> None:
    """In one file and between files; a failure does not, nor another netlist, device or tool."""
    old = _record(flow=2, status="ok", lut=1)
    new = _record(flow=3, status="ok", lut=2)
    changes: list[records.Record] = [
        *({"status": "failed"}, {"netlist_hash": "x"}, {"device": "x"}, {"tools": {}}),
        *({"seeds": [7]}, {"flow": 2}, {"flow": None}),
    ]
    others = [{**new, **change} for change in changes]
    assert records.superseded(old, new)
    assert not records.superseded(new, old)
    assert not any(records.superseded(old, other) for other in others)

    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    records.put(one, old)
    records.put(two, new)
    assert records.every([one, two]) == records.every([two, one]) == [new]
    failed = {**new, "status": "failed"}
    records.put(one, failed)
    assert records.every([one]) == [old, failed]
    records.put(one, new)
    assert records.read(one) == [new]


def test_a_failure_takes_the_place_of_nothing_that_holds_more(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    clocks: dict[str, object] = {"seeds": {"1": 9.0, "2": 8.0}}
    assert records.put(path, _record(status="timeout", fmax_mhz=None))
    assert records.put(path, _record(status="failed", fmax_mhz=clocks))
    assert not records.put(path, _record(status="timeout", fmax_mhz=None))
    assert not records.put(path, _record(status="failed", fmax_mhz={"seeds": {"1": 9.0}}))
    assert records.put(path, _record(status="does not fit", fmax_mhz=None))
    assert not records.put(path, _record(status="failed", fmax_mhz=clocks))
    assert records.put(path, _record(status="ok", fmax_mhz=clocks, lut=3))
    # Nor of one of other seeds that it would drop.
    other = _record(status="failed", seeds=[1, 2])
    assert not records.put(path, other, lambda old: old["seeds"] != [1, 2])
    (record,) = records.read(path)
    assert (record["status"], record["lut"]) == ("ok", 3)


def test_a_link_to_a_file_stays_one(tmp_path: Path) -> None:
    file, link = tmp_path / "r.jsonl", tmp_path / "link.jsonl"
    records.put(file, _record())
    link.symlink_to(file)
    records.put(link, _record(seeds=[2]))
    assert link.is_symlink()
    assert len(records.read(file)) == 2


def test_texts_with_ends_of_lines_of_unicode(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    record = _record(log_tail="one\u2028two\x85three")
    records.put(path, record)
    records.put(path, _record(seeds=[2]))
    assert records.read(path)[0] == record


def test_default_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    inside = tmp_path / "checkout" / "deep" / "er"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert (tmp_path / "checkout") not in records.default_path().parents
    (tmp_path / "checkout" / "results").mkdir()
    (tmp_path / "checkout" / "rtl").mkdir()
    (tmp_path / "checkout" / "rtl" / "aes_pkg.sv").touch()
    results = tmp_path / "checkout" / "results"
    assert records.default_path() == results / "implement.jsonl"
    assert records.default_path("verify") == results / "verify.jsonl"


def _shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path, Path]:
    """The files of shipped records, of the user's and of a checkout around the current folder."""
    checkout = tmp_path / "checkout"
    (checkout / "results").mkdir(parents=True)
    (checkout / "rtl").mkdir()
    (checkout / "rtl" / "aes_pkg.sv").touch()
    shipped = tmp_path / "program" / "implement.jsonl"
    monkeypatch.setattr(records, "shipped_path", lambda kind: shipped.with_stem(kind))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "data" / "aesfab" / "implement.jsonl"
    return shipped, own, checkout / "results" / "implement.jsonl"


def test_shipped_and_own_records_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, own, here = _shelf(tmp_path, monkeypatch)
    assert records.known("implement") == []
    records.put(shipped, _record("a", 1))
    records.put(shipped, _record("b", 1))
    records.put(shipped, _record("c", 1))
    records.put(own, _record("a", 2))
    records.put(own, _record("d", 2))
    # A failure of one's own is no reason to forget what the program knows.
    records.put(own, _record("c", None, status="timeout", fmax_mhz=None))
    records.put(here, _record("d", 3))

    def seen() -> list[tuple[str, int]]:
        return [(record["design"], record["lut"]) for record in records.known("implement")]

    assert records.places("implement") == [shipped, own]
    assert seen() == [("b", 1), ("c", 1), ("a", 2), ("d", 2)]
    monkeypatch.chdir(here.parent)
    assert records.places("implement") == [shipped, own, here]
    assert seen() == [("b", 1), ("c", 1), ("a", 2), ("d", 3)]
    # The checkout that the program is from: its file is the one that is written.
    monkeypatch.setattr(records, "shipped_path", lambda kind: here.with_stem(kind))
    assert records.places("implement") == [own, here]
    assert seen() == [("a", 2), ("c", None), ("d", 3)]


def test_files_that_are_named_are_read_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, own, here = _shelf(tmp_path, monkeypatch)
    for lut, file in enumerate((shipped, own, here)):
        records.put(file, _record("a", lut))
    assert [record["lut"] for record in records.known("implement", [here])] == [2]
    assert [record["lut"] for record in records.known("implement", [here, own])] == [1]
    checked: list[Path] = []
    records.known("implement", check=lambda path, _: checked.append(path))
    assert checked == [shipped, own]
    with pytest.raises(AesfabError, match=r"none\.jsonl: no such file"):
        records.known("implement", [tmp_path / "none.jsonl"])
    own.unlink()
    assert records.said("implement") == f"read {shipped} (1 records), {own} (not there)"


def test_what_is_recorded_anywhere_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, own, _ = _shelf(tmp_path, monkeypatch)
    records.put(shipped, _record(lut=1))
    places = records.places("implement")
    assert records.cached(places, _record(), lambda: _record(lut=2))["lut"] == 1
    assert not own.exists()
    assert records.cached(places, _record(), lambda: _record(lut=2), force=True)["lut"] == 2
    assert [record["lut"] for record in records.read(own)] == [2]
    assert [record["lut"] for record in records.read(shipped)] == [1]
    assert records.cached(places, _record(), lambda: _record(lut=3))["lut"] == 2


def _put_some(path: Path, start: int) -> None:
    for number in range(start, start + 10):
        records.put(path, _record(f"design-{number}"))


def test_several_processes_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with concurrent.futures.ProcessPoolExecutor(3) as pool:
        list(pool.map(_put_some, [path] * 3, [0, 10, 20]))
    assert {r["design"] for r in records.read(path)} == {f"design-{n}" for n in range(30)}


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.jsonl"
    records.put(path, _record())
    before = path.read_bytes()

    write, calls = os.write, []

    def full(handle: int, part: bytes) -> int:
        calls.append(len(part))
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return write(handle, bytes(part[:7]))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(AesfabError, match="No space left"):
        records.put(path, _record("e"))
    assert len(calls) == 2  # some of the line was there already
    monkeypatch.undo()
    assert path.read_bytes() == before

    def none(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(records, "_copy", none)
    with pytest.raises(AesfabError, match="No space left"):
        records.put(path, _record(lut=2))  # in place of the one that is there
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    assert process.content_key(path)


def _watched(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[object]:
    """A function goes on as it is, and what it is called with is listed."""
    calls: list[object] = []
    function = getattr(owner, name)

    def watched(*arguments: object) -> object:
        calls.append(arguments)
        return function(*arguments)

    monkeypatch.setattr(owner, name, watched)
    return calls


def test_a_new_record_is_added_behind_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is the same one, with a line more that has reached the disk; no other is parsed."""
    path = tmp_path / "r.jsonl"
    for number in range(50):
        records.put(path, _record(f"d-{number}"))
    before, inode = path.read_bytes(), path.stat().st_ino
    synced = _watched(monkeypatch, os, "fsync")
    parsed = _watched(monkeypatch, records, "_parsed")
    records.put(path, _record("d-7", netlist_hash="other"))
    assert synced
    assert len(parsed) == 1
    assert path.stat().st_ino == inode
    after = path.read_bytes()
    assert after.startswith(before)
    assert after[len(before) :] == records._line(_record("d-7", netlist_hash="other")).encode()


def test_a_torn_line_is_not_there_and_goes(tmp_path: Path) -> None:
    """What is left of a line when the machine went down; the other lines count as ever."""
    path = tmp_path / "r.jsonl"
    whole = "".join(records._line(_record(name)) for name in "ab")
    for line in (records._line(_record("täst")).encode(), records._line(_record("b", 7)).encode()):
        for cut in (1, 12, len(line) // 2, line.index(b"abc") + 1, len(line) - 2):
            path.write_bytes(whole.encode() + line[:cut])
            assert [r["design"] for r in records.read(path)] == ["a", "b"], cut
            assert records.put(path, _record("c"))
            assert path.read_text() == whole + records._line(_record("c")), cut
            path.write_bytes(whole.encode() + line[:cut])
            assert records.put(path, _record("a", 5))
            assert [(r["design"], r["lut"]) for r in records.read(path)] == [("b", 1), ("a", 5)]
    # One that is whole but for its end is a record.
    path.write_text(whole.rstrip("\n"))
    assert len(records.read(path)) == 2
    records.put(path, _record("c"))
    assert path.read_text() == whole + records._line(_record("c"))


def test_only_what_is_wanted_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.jsonl"
    odd = [_record('a"b'), _record("x", log_tail='"design": "a"'), _record("täst")]
    for record in [_record(f"d-{number}") for number in range(20)] + odd:
        records.put(path, record)
    parsed = _watched(monkeypatch, records, "_parsed")
    everything = records.read(path)
    assert len(everything) == 23
    for name in ("d-3", 'a"b', "x", "a", "täst", "no"):
        parsed.clear()
        found = list(records.stream(path, {"design": name.__eq__}))
        assert found == [record for record in everything if record["design"] == name], name
        assert len(parsed) < 5
    one = {"design": "d-3".__eq__, "device": "no".__eq__}
    assert not list(records.stream(path, one))


def test_a_device_is_no_file_of_records() -> None:
    with pytest.raises(AesfabError, match="/dev/full: not a file"):
        records.read(Path("/dev/full"))


@pytest.mark.parametrize("path", sorted(ROOT.glob("results/*.jsonl")), ids=lambda path: path.name)
def test_each_line_that_is_shipped_is_a_record(path: Path) -> None:
    """Also for who reads them a line at a time: none is empty."""
    text = path.read_text()
    assert text.endswith("\n")
    assert all(isinstance(json.loads(line), dict) for line in text.splitlines())
