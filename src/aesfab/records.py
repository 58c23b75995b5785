# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measurements and evidence kept in files: one JSON object a line, the newest last.

Two records of the same *key* (``KEY``: what was measured, how, and with what) are the same
measurement, so a file holds one of each. A record has no time and no path of a machine in it, so
measuring again gives the same line.

Files grow, so nobody reads more of one than is asked: ``stream`` gives a record at a time and
parses those alone that are wanted, and ``put`` adds a line at the end.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import platformdirs

from aesfab.design import axes
from aesfab.devices import DEVICES
from aesfab.errors import AesfabError
from aesfab.measure import harness
from aesfab.system import files, process
from aesfab.system import shipped as shipped_files

Record = dict[str, Any]
"""One measurement; ``implement.implement`` says what is in it."""

Check = Callable[[Path, list[Record]], None]
"""Refuses records of a file by an AesfabError."""

Wanted = Mapping[str, Callable[[str], bool]]
"""Field of a record that is a text, to whether a value of it is wanted."""

KEY = (
    *("flow", "design", "netlist_hash", "tools"),
    *("device", "recipe_names", "seeds"),  # implement
    *("level", "seed"),  # verify
    *("kind", "bus", "data_width", "depth", "guarded", "interrupts"),  # host
)
"""The fields that identify a measurement or a verification.

The RTL is named by what it says (``yosys.netlist_hash``), not by its text, so a comment, or a
choice that a design does not make, leaves records of it. Its parameters follow from it. It is that
netlist in canonical form which is mapped, so its area and its clock follow from it too. ``flow`` is
the number of the way figures are taken (``implement.FLOW``); see ``superseded`` for earlier ones.
"""

_PIECE = 1 << 20  # bytes that are copied at a time

GOOD = ("ok", "does not fit")
"""Every status of a measurement that is final; others may have had a passing cause."""


def key(record: Mapping[str, Any]) -> str:
    """The identity of a record, as text; a field that is missing counts as null."""
    return json.dumps({name: record.get(name) for name in KEY}, sort_keys=True)


def same_recipe(record: Mapping[str, Any], identity: Mapping[str, Any]) -> bool:
    """Whether a record was made by the same commands (``recipe_hash``), as far as it knows them."""
    recipe = record.get("recipe_hash")
    return recipe is None or recipe == identity.get("recipe_hash")


def without_flow(record: Mapping[str, Any]) -> str:
    """``key`` of a record whatever the way in which its figures were taken."""
    return key({**record, "flow": None})


def superseded(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a record of the same measurement, taken in a later way, stands for an old one.

    Until then a figure of an earlier way is quoted as that of its netlist, and ``explore`` measures
    it again. A failure stands for nothing else.
    """
    earlier, later = old.get("flow"), new.get("flow")
    if not (isinstance(earlier, int) and isinstance(later, int) and earlier < later):
        return False
    return not _fails(new) and without_flow(old) == without_flow(new)


def default_path(kind: str = "implement") -> Path:
    """Where records of a kind (``implement``, ``verify``) go when the user names no file.

    ``results/KIND.jsonl`` of the AESFab checkout around the current folder; outside of one, the
    same name in the user's data folder.
    """
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "rtl" / "aes_pkg.sv").is_file() and (folder / "results").is_dir():
            return folder / "results" / f"{kind}.jsonl"
    return user_path(kind)


def user_path(kind: str) -> Path:
    """The file of a kind in the user's data folder."""
    return Path(platformdirs.user_data_dir("aesfab", appauthor=False), f"{kind}.jsonl")


def shipped_path(kind: str) -> Path | None:
    """The file of a kind that came with this installation or checkout; None without any files."""
    folder = shipped_files.find("results")
    return folder / f"{kind}.jsonl" if folder else None


def shipped(kind: str) -> list[Record]:
    """The records of a kind that came with this installation or checkout, and no others."""
    path = shipped_path(kind)
    return every([path]) if path else []


def places(kind: str, files: Sequence[Path] | None = None) -> list[Path]:
    """The files whose records of a kind count, in the order of their weight.

    Those that the user names. Else those that came with this installation or checkout, the user's
    own, and last the one that is written (``default_path``): the same for every command and in
    every folder. A file may not be there.
    """
    usual = (shipped_path(kind), user_path(kind), default_path(kind))
    # In a checkout two of them are one: it stands where it is written.
    found: dict[Path, Path] = {}
    for path in files or filter(None, usual):
        real = Path(
            os.path.realpath(path)
        )  # unlike resolve(), it takes a link that leads to itself
        found.pop(real, None)
        found[real] = path
    return list(found.values())


def _no_check(_path: Path, _records: list[Record]) -> None:
    """What refuses nothing."""


def _whole(record: Record) -> Record:
    return record


def known(
    kind: str,
    files: Sequence[Path] | None = None,
    check: Check = _no_check,
    wanted: Wanted | None = None,
    keep: Callable[[Record], Record] = _whole,
) -> list[Record]:
    """The records of a kind as every command sees them: of all its places, the newest last.

    Of several with one key, the one of the last place counts; a failure counts only where no
    other place holds more (``put``).

    Args:
        kind: ``implement``, ``verify``, ``components`` or ``host``.
        files: read these in place of the usual ones (``places``).
        check: is given each record that is read with its file, and refuses by an AesfabError.
        wanted: leave out other records, as ``stream`` does.
        keep: is given each record, and gives what is held of it in memory; what says which record
            counts (``KEY``, and the status and clocks of a measurement) must stay.

    Raises:
        AesfabError: a file that the user names is missing; or see ``read``.
    """
    for path in files or ():
        if not path.exists():
            raise AesfabError(f"cannot read the records in {path}: no such file")
    return every(places(kind, files), check, wanted, keep)


def every(
    paths: Iterable[Path],
    check: Check = _no_check,
    wanted: Wanted | None = None,
    keep: Callable[[Record], Record] = _whole,
) -> list[Record]:
    """The records of several files as one; see ``known``. A missing file has none."""
    groups = []
    for path in paths:
        group = []
        for record in stream(path, wanted):
            check(path, [record])
            group.append(keep(record))
        if group:
            groups.append(group)
    if len(groups) < 2:
        return _without_superseded(groups[0]) if groups else []
    found: dict[str, Record] = {}
    for record in (record for group in groups for record in group):
        same = key(record)
        old = found.get(same)
        if old is None or not _holds_more(old, record):
            found.pop(same, None)
            found[same] = record
    return _without_superseded(list(found.values()))


def _without_superseded(known: list[Record]) -> list[Record]:
    """The records that no other of them stands for."""
    flows: dict[tuple[str, str], set[Any]] = {}
    for record in known:
        netlist = (record["design"], record["netlist_hash"])
        flows.setdefault(netlist, set()).add(record.get("flow"))
    # A key is slow to make, and most netlists were measured in one way alone.
    several = {netlist for netlist, found in flows.items() if len(found) > 1}
    if not several:
        return known
    keys = [
        without_flow(record) if (record["design"], record["netlist_hash"]) in several else ""
        for record in known
    ]
    newest: dict[str, Record] = {}
    for same, record in zip(keys, known, strict=True):
        if same and (same not in newest or superseded(newest[same], record)):
            newest[same] = record
    return [
        record
        for same, record in zip(keys, known, strict=True)
        if not same or not superseded(record, newest[same])
    ]


def said(kind: str, files: Sequence[Path] | None = None) -> str:
    """Which files were read, and how many records each has: for an answer that is empty."""
    counts = [
        f"{path} ({sum(1 for _ in stream(path))} records)"
        if path.exists()
        else f"{path} (not there)"
        for path in places(kind, files)
    ]
    return f"read {', '.join(counts)}"


def read(path: Path) -> list[Record]:
    """All records of a file, oldest first; none for a file that does not exist.

    AesfabError for a file that cannot be read or a line that is no record, with its number.
    """
    return list(stream(path))


def stream(path: Path, wanted: Wanted | None = None) -> Iterator[Record]:
    """The records of a file, one at a time, oldest first; none for a file that does not exist.

    A line without an end that is no JSON is not there yet: it is being written, or the machine
    went down while it was (``put`` removes it).

    Args:
        path: the file.
        wanted: leave out records in which one of these fields has another value. Their lines are
            not parsed, so only the others are sure to be records.

    Raises:
        AesfabError: the file cannot be read, or a line is no record, with its number.
    """
    tests = {_pattern(name): fits for name, fits in (wanted or {}).items()}
    for number, _, line in _lines(path):
        if any(_is_other(line, pattern, fits) for pattern, fits in tests.items()):
            continue
        record = _parsed(path, number, line)
        if record is not None and all(
            isinstance(value := record.get(name), str) and fits(value)
            for name, fits in (wanted or {}).items()
        ):
            yield record


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """The lines of a file that hold something: number, offset, bytes with their end."""
    if path.exists() and not path.is_file():
        # A device would be read without end.
        raise AesfabError(f"cannot read the records in {path}: not a file")
    offset = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, offset, line
                offset += len(line)
    except FileNotFoundError:
        return
    except OSError as error:
        raise AesfabError(f"cannot read the records in {path}: {error.strerror}") from error


def _parsed(path: Path, number: int, line: bytes) -> Record | None:
    """The record of a line; None for one that is torn (``stream``)."""
    try:
        record = _DECODER.decode(line.decode())
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        if _is_torn(line):
            return None
        if isinstance(error, UnicodeDecodeError):
            raise AesfabError(f"cannot read the records in {path}: it is not UTF-8 text") from error
        raise AesfabError(f"{path}, line {number}: not JSON: {error}") from error
    except ValueError as error:
        raise AesfabError(f"{path}, line {number}: not JSON: {error}") from error
    if not _is_record(record):
        raise AesfabError(f"{path}, line {number}: not a record of a measurement")
    found: Record = record
    if isinstance(found.get("parameters"), dict):
        found["parameters"] = axes.renamed(found["parameters"])
    return found


def _is_torn(line: bytes) -> bool:
    """Whether a line that is no JSON is the beginning of a record: it has no end."""
    return not line.endswith(b"\n") and line.startswith(b"{")


def _pattern(name: str) -> re.Pattern[bytes]:
    """Finds the texts of a field in a line; a text with a backslash is not found."""
    return re.compile(rb'"%s"\s*:\s*"([^"\\]*)"' % re.escape(name).encode())


def _is_other(line: bytes, pattern: re.Pattern[bytes], fits: Callable[[str], bool]) -> bool:
    """Whether a line is surely of a record that is not wanted: known without parsing it."""
    found = pattern.findall(line)
    if not found or b"NaN" in line or not line.rstrip().endswith(b"}"):
        return False
    return not any(fits(text.decode(errors="replace")) for text in found)


def put(path: Path, record: Record, instead: Callable[[Record], bool] = lambda _: False) -> bool:
    """Add a record at the end of a file, in place of one with the same key and of ``instead``.

    And in place of those that it stands for (``superseded``). Only records of the same design are
    asked for, so only their lines are parsed.

    A failure does not take the place of a record that holds more: a final one, or a failure with
    figures of more seeds. Then the file stays as it is.

    The line is added at the end and reaches the disk before this returns; where that fails, the
    file is as before. Where a record goes, the file is replaced as a whole, so a crash leaves the
    old one. A line that a crash has left without its end is removed. Several processes may put
    records into one file. AesfabError when that is impossible, ValueError for an object that
    ``read`` would refuse.

    Returns:
        Whether the record is in the file.
    """
    # Behind a link is the file that is meant.
    path = path.resolve()
    if not _is_record(record):
        raise ValueError("a record needs the texts 'design' and 'netlist_hash'")
    text = _line(record).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.locked(path.parent):
            same, design = key(record), record["design"]
            pattern = _pattern("design")
            gone: list[tuple[int, int]] = []
            replaced: list[Record] = []
            torn = None
            for number, offset, line in _lines(path):
                if _is_other(line, pattern, lambda other: other == design):
                    continue
                old = _parsed(path, number, line)
                if old is None:
                    torn = offset
                elif old["design"] == design and (
                    key(old) == same or instead(old) or superseded(old, record)
                ):
                    replaced.append(old)
                    gone.append((offset, offset + len(line)))
            if any(_holds_more(old, record) for old in replaced):
                return False
            if gone or not path.exists():
                _rewrite(path, gone, torn, text)
            else:
                _append(path, torn, text)
    except OSError as error:
        raise AesfabError(f"cannot write records to {path}: {error.strerror}") from error
    return True


def _rewrite(path: Path, gone: Sequence[tuple[int, int]], end: int | None, text: bytes) -> None:
    """A file anew: without some of its bytes, up to ``end``, and with a line behind them."""
    with process.written_whole(path) as temporary, temporary.open("wb") as new:
        if path.exists():
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END) if end is None else end
                begins = [0, *(after for _, after in gone)]
                for begin, stop in zip(begins, [*(b for b, _ in gone), size], strict=True):
                    file.seek(begin)
                    _copy(file, new, stop - begin)
                    if begin < stop and not _ends(file):
                        new.write(b"\n")
        new.write(text)


def _copy(file: BinaryIO, new: BinaryIO, many: int) -> None:
    while many > 0 and (part := file.read(min(many, _PIECE))):
        new.write(part)
        many -= len(part)


def _ends(file: BinaryIO) -> bool:
    """Whether the byte before the position of a file ends a line."""
    file.seek(-1, os.SEEK_CUR)
    return file.read(1) == b"\n"


def _append(path: Path, torn: int | None, text: bytes) -> None:
    """Add a line to a file, in place of one that is torn; as before where that fails."""
    with path.open("r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END) if torn is None else torn
        file.truncate(size)
        file.seek(size)
        if size and not _ends(file):
            text = b"\n" + text
        try:
            left = memoryview(text)
            while left:
                left = left[os.write(file.fileno(), left) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(size)
            raise


def _fails(record: Mapping[str, Any]) -> bool:
    return "status" in record and record["status"] not in GOOD


def _holds_more(old: Record, new: Record) -> bool:
    """Whether a new record is a failure and an old one of the same measurement holds more."""
    return _fails(new) and _worth(old) > _worth(new)


def _worth(record: Record) -> tuple[bool, int]:
    """What a record of a measurement holds: whether it is final, and how many clocks."""
    clocks = (record.get("fmax_mhz") or {}).get("seeds", {})
    return not _fails(record), len(clocks)


def require_place(path: Path) -> None:
    """AesfabError when ``put`` cannot succeed: said before a long run and not after it."""
    for _ in stream(path):
        pass
    there = next(folder for folder in path.absolute().parents if folder.exists())
    if not there.is_dir():
        raise AesfabError(f"cannot write records to {path}: {there} is not a folder")
    try:
        # What a user may do does not say what a file system allows.
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise AesfabError(f"cannot write records to {path}: {error.strerror}") from error


def find(known: Iterable[Record], identity: Mapping[str, Any]) -> Record | None:
    """The newest of some records with the key of ``identity`` (a record or its first part)."""
    wanted = key(identity)
    # The design is compared first, for a key is much slower to make.
    design = identity.get("design")
    same = (r for r in reversed(list(known)) if r["design"] == design and key(r) == wanted)
    return next(same, None)


def latest(records: Iterable[Record], **fields: Any) -> Record | None:
    """The newest record with these fields, for example ``design="...", device="..."``."""
    matching = [
        record
        for record in records
        if all(record.get(name) == value for name, value in fields.items())
    ]
    return matching[-1] if matching else None


def seeds(record: Record) -> int:
    """How many place-and-route seeds a record has; 0 for one of synthesis alone."""
    return len(record.get("seeds") or [])


def spread(record: Mapping[str, Any]) -> float | None:
    """The range of the clock over the seeds as a part of its median; None without a clock."""
    fmax = record.get("fmax_mhz")
    return (fmax["max"] - fmax["min"]) / fmax["median"] if fmax else None


def limited_seeds(record: Mapping[str, Any]) -> list[str]:
    """The seeds whose longest path begins or ends at a register of the harness.

    Of a record of ``implement``, by the recipe that is quoted, or of a row of ``quoted``. Such a
    path depends on where the registers of the harness were placed, which no user of a core has.
    """
    if "limited_seeds" in record:
        return list(record["limited_seeds"])
    runs = record.get("recipes", {}).get(record.get("recipe"), {}).get("runs", {})
    return [
        seed
        for seed, run in runs.items()
        if run.get("fmax_mhz")
        and any(harness.is_outside(run.get(end) or "") for end in ("from", "to"))
    ]


def is_area_alone(record: Record) -> bool:
    """Whether a record has no clock though the device could be placed and routed."""
    device = DEVICES.get(record.get("device", ""))
    return bool(device and device.place_and_route) and record.get("stage") == "synthesis"


def unplaced(record: Record) -> list[str]:
    """Seeds with which a design that fits found no place, of the recipe that is quoted."""
    runs = record.get("recipes", {}).get(record.get("recipe"), {}).get("runs", {})
    fits = record.get("status") == "ok"
    return [seed for seed, run in runs.items() if fits and run["status"] == "does not fit"]


def clock_bound(record: Mapping[str, Any]) -> str:
    """Why the clock of a record is an upper bound only; empty where it is what the core reaches.

    It is one for a core with block RAM on a device whose block RAMs timing analysis does not cover
    (``Device.ram_clock``).
    """
    device = DEVICES.get(record.get("device", ""))
    return device.ram_clock if device and record.get("ram") and record.get("fmax_mhz") else ""


def headline(known: Iterable[Record]) -> Record | None:
    """The record that speaks for a design on a device, of those of ``implement``, oldest first.

    It may be of any recipe, so two of them are no comparison (``Study.by_recipe`` is for that).

    One that went well before one that did not, but no area alone before what was placed; then more
    seeds; then, as among the recipes of a record, the fastest, the smallest, at last the newest.
    """

    def order(record: Record) -> tuple[bool, int, float, float]:
        lut = record.get("lut")
        return (
            record.get("status") == "ok" and not is_area_alone(record),
            seeds(record),
            record.get("throughput_mbit_s") or 0.0,
            -math.inf if lut is None else -lut,
        )

    return max(reversed(list(known)), key=order, default=None)


def newest(known: Iterable[Record]) -> list[Record]:
    """One record of each design, parameters, device and recipes, of those of ``implement``.

    Of the newest RTL and tools; of several of those the one that speaks for them (``headline``):
    seeds and failures do not make another measurement.
    """
    groups: dict[str, list[Record]] = {}
    for record in known:
        names = ("design", "parameters", "device", "recipe_names")
        same = json.dumps([record.get(name) for name in names], sort_keys=True)
        groups.setdefault(same, []).append(record)
    return [_speaks(group) for group in groups.values()]


def _speaks(group: Sequence[Record]) -> Record:
    names = ("netlist_hash", "tools", "flow")
    last = [group[-1].get(name) for name in names]
    same = [record for record in group if [record.get(name) for name in names] == last]
    return headline(same) or group[-1]


PLAIN = "default"
"""The recipe that is the plain flow of the open tools, on every device."""


def quoted(known: Iterable[Record]) -> list[Record]:
    """What is quoted of a core, of its records: on each device the plain flow and the best recipe.

    One row of each recipe of a device: the fields that records and their recipes have (area,
    ``fmax_mhz``, ``status``), without single runs, but with ``limited_seeds``. Of several records
    of a recipe the row is of the one that speaks for it (``headline``).
    """
    of_device: dict[str, list[Record]] = {}
    for record in known:
        # One recipe of a record, as a record of its own.
        for recipe, result in record.get("recipes", {}).items():
            alone = {**record, **result, "recipe": recipe}
            alone |= {"limited_seeds": limited_seeds(alone), "recipes": {}, "runs": {}}
            for name in ("fmax_mhz", "throughput_mbit_s"):
                alone[name] = result.get(name)
            of_device.setdefault(record["device"], []).append(alone)
    rows = []
    for group in of_device.values():
        plain = headline(row for row in group if row["recipe"] == PLAIN)
        best = headline(group)
        rows += [row for row in (plain, best) if row is not None]
        if plain is best:
            rows.pop()
    return rows


def evidence(known: Iterable[Record]) -> Record | None:
    """The record that speaks for the RTL that those of ``verify``, oldest first, are all of.

    The newest, where that failed; else the newest full one that passed, if there is any.
    """
    newest_first = list(known)[::-1]
    if not newest_first or not newest_first[0]["passed"]:
        return next(iter(newest_first), None)
    full = (r for r in newest_first if r["passed"] and r.get("level") == "full")
    return next(full, newest_first[0])


def settled(known: Iterable[Record], identity: Mapping[str, Any]) -> Record | None:
    """The record, of those known, for which ``cached`` does not measure again; None without one."""
    found = find(known, identity)
    good = found is not None and found.get("status") in GOOD and same_recipe(found, identity)
    return found if good else None


def cached(
    places: Sequence[Path],
    identity: Mapping[str, Any],
    measure: Callable[[], Record],
    *,
    force: bool = False,
) -> Record:
    """The record with this identity; measured, and put into the last place, where it is missing.

    One by other commands is measured again (``same_recipe``).

    A failure or an exceeded limit is tried again, for it may have had a passing cause; that a
    design does not fit is final.

    Args:
        places: files of records, see ``places``.
        identity: what ``implement.identity`` gives for the measurement.
        measure: takes it.
        force: measure anyway.
    """
    known = None if force else settled(every(places), identity)
    if known is not None:
        return known
    record = measure()
    put(places[-1], record)
    return record


def _is_record(thing: Any) -> bool:
    """Whether a JSON value has what every record must have."""
    return isinstance(thing, dict) and all(
        isinstance(thing.get(name), str) for name in ("design", "netlist_hash")
    )


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _line(record: Record) -> str:
    # NaN and infinity are not JSON, and no figure is one.
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
