# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Damaged and made-up inputs: each command ends in time, in one line, with status 0, 1 or 2.

Inputs are made from a seed, so that a run can be made again: ``AESFAB_FUZZ_SEED`` (1 by default)
and ``AESFAB_FUZZ_SECONDS`` for each kind of input (``make fuzz`` takes minutes). A command runs
inside the test, with progress and tools off: only what reads inputs and refuses them is tried.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import inside
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.axes import AXES
from aesfab.measure import query
from aesfab.study.link import platform

SEED = int(os.environ.get("AESFAB_FUZZ_SEED", "1"))
SECONDS = float(os.environ.get("AESFAB_FUZZ_SECONDS", "5"))
LIMIT = 30.0
"""Seconds for one command, on a machine that does other things as well."""

WORDS = [
    *("", " ", "-", "--", "-1", "0", "1", "7", "128", "1e999", "nan", "inf", "-inf", "1_000"),
    *("0x7f", "9" * 25, "9" * 5000, "true", "null", "*", "?", "[", "[!a]", "**", "=", "==", ","),
    *(",,", "+", "../..", "/dev/null", "/dev/zero", "/proc/self/mem", ".", "none", "\u00e9"),
    *("\U0001f511", "\u2028", "\x1b[31m", "a\nb", "\t", "%s", "{}", "{0}", "'", '"', "\\", "$(x)"),
    *("a" * 300, "a" * 100_000, *list(catalogue.CATALOGUE)[:4], *AXES, *list(devices.DEVICES)[:4]),
    *("all", "default", "default+default", "rom", "table", "tower", "any", "both", "encrypt"),
]

VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 10**30, -(10**30), 1.5, -0.0, 1e308, "", "x", [], {}, [[]],
    {"a": {}}, [None], 0x7FFFFFFFFFFFFFFF, *WORDS[:30],
]  # fmt: skip


class _TooLong(BaseException):
    pass


def _stop(_number: int, _frame: object) -> None:
    raise _TooLong


def _survives(*arguments: str) -> int:
    """Run a command; its status, which is one that a user may see, or an assertion error."""
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        ran = inside.run(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    said = [a if len(a) < 200 else f"{a[:200]}..." for a in arguments]
    assert not ran.traceback, f"{said}: {ran.traceback[-3000:]}"
    assert ran.status in (0, 1, 2), (said, ran.status, ran.err)
    lines = [line for line in ran.err.splitlines() if line.startswith("aesfab: ")]
    if ran.status == 2:
        assert len(lines) == 1, (said, ran.err[:2000])
        assert ran.err.endswith(lines[0] + "\n"), (said, ran.err[:2000])
        assert lines[0].isprintable(), (said, lines)
        assert len(lines[0]) < 2500
        assert not ran.out, (said, ran.out[:500])
    return ran.status


def _rounds(kind: str, least: int = 20) -> Iterator[random.Random]:
    """Random numbers for one try after the other, until the time is over."""
    end = time.monotonic() + SECONDS
    number = 0
    while number < least or time.monotonic() < end:
        yield random.Random(f"{SEED} {kind} {number}")
        number += 1
    print(f"{kind}: {number} inputs")


# ----------------------------------------------------------------------------- damages


def _damaged(rng: random.Random, content: bytes) -> bytes:
    """A content with some bytes, lines or brackets changed."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(content) + 1)
        to = min(len(content), at + rng.choice([1, 2, 10, 200]))
        way = rng.randrange(9)
        if way == 0:
            content = content[:at]
        elif way == 1:
            content = content[:at] + content[to:]
        elif way == 2:
            content = content[:at] + rng.randbytes(to - at) + content[to:]
        elif way == 3:
            content = content[:to] + content[at:to] * rng.choice([1, 5]) + content[to:]
        elif way == 4:
            content = (
                content[:at]
                + rng.choice([b"[", b"{", b'"', b"(", b"- "]) * rng.choice([1, 5000, 100_000])
                + content[at:]
            )
        elif way == 5:
            content = content[:at] + rng.choice(WORDS).encode() + content[to:]
        elif way == 6:
            lines = content.split(b"\n")
            rng.shuffle(lines)
            content = b"\n".join(lines)
        elif way == 7:
            # A number becomes another one.
            digits = [i for i, byte in enumerate(content) if byte in b"0123456789"]
            if digits:
                i = rng.choice(digits)
                content = content[:i] + rng.choice(WORDS[:20]).encode() + content[i + 1 :]
        else:
            content = content.replace(b" = ", rng.choice([b" = ", b"=-", b" == ", b": "]), 3)
    return content


def _changed(rng: random.Random, value: Any, depth: int = 0) -> Any:
    """A value of JSON with a part of it replaced, dropped or added."""
    if isinstance(value, dict) and value and depth < 4 and rng.random() < 0.8:
        value = dict(value)
        name = rng.choice(list(value))
        way = rng.randrange(6)
        if way == 0:
            del value[name]
        elif way == 1:
            value[rng.choice(WORDS[:40])] = rng.choice(VALUES)
        else:
            value[name] = _changed(rng, value[name], depth + 1)
        return value
    if isinstance(value, list) and value and depth < 4 and rng.random() < 0.6:
        i = rng.randrange(len(value))
        return [*value[:i], _changed(rng, value[i], depth + 1), *value[i + 1 :]]
    return rng.choice(VALUES)


def _toml(value: Any) -> str:
    """A value as TOML, as far as that has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return "nan" if value is None else json.dumps(value)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own, and nothing of the user's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


# -------------------------------------------------------------------------------- files

PLAN: dict[str, Any] = {
    "designs": ["fab-tiny", "pilchard-unrolled-1"],
    "devices": ["gw1n-9", "ice40-*"],
    "recipes": ["default", "all"],
    "seeds": 3,
    "seeds_large": 1,
    "axes": {"sbox": ["rom", "tower"], "direction": ["encrypt"]},
}


def test_plans() -> None:
    """As text, with damages, and as values, with some replaced."""
    path = Path("plan.toml")
    right = "[[explore]]\n" + "".join(f"{k} = {_toml(v)}\n" for k, v in PLAN.items())
    path.write_text(right)
    how = ("explore", "--plan", str(path), "--dry-run", "--json", "--records", "none.jsonl")
    assert _survives(*how) == 0
    for rng in _rounds("plans"):
        if rng.random() < 0.5:
            path.write_bytes(_damaged(rng, right.encode()))
        else:
            table = _changed(rng, PLAN)
            tables = table.items() if isinstance(table, dict) else [("x", table)]
            text = "".join(f"{json.dumps(k)} = {_toml(v)}\n" for k, v in tables)
            path.write_text("[[explore]]\n" + text)
        _survives(*how)


def test_platforms() -> None:
    import tomllib
    from importlib import resources

    folder = resources.files("aesfab.study.link") / "platforms"
    texts = [(folder / f"{name}.toml").read_bytes() for name in platform.shipped()]
    path = Path("p.toml")
    for rng in _rounds("platforms"):
        text = rng.choice(texts)
        if rng.random() < 0.5:
            path.write_bytes(_damaged(rng, text))
        else:
            table = _changed(rng, tomllib.loads(text.decode()))
            tables = table.items() if isinstance(table, dict) else [("x", table)]
            path.write_text("".join(f"{json.dumps(k)} = {_toml(v)}\n" for k, v in tables))
        _survives("host", "bench", str(path), "--json")


START = """\
jobqueue:
  slurm:
    cores: 1
    processes: 1
    memory: 1GB
    interface: lo
    walltime: '00:10:00'
    worker-extra-args: ["--lifetime", "20s"]
"""


def test_start_files() -> None:
    path = Path("c.yaml")
    path.write_text(START)
    how = ("explore", "fab-tiny", "--device", "gw1n-9", "--dry-run", "--cluster", str(path))
    assert _survives(*how, "--json") == 0
    for rng in _rounds("start files"):
        if rng.random() < 0.5:
            path.write_bytes(_damaged(rng, START.encode()))
        else:
            path.write_text(json.dumps(_changed(rng, {"jobqueue": {"slurm": {"cores": 1}}})))
        _survives(*how, "--json")


def _record_lines() -> dict[str, list[bytes]]:
    """Some records of each kind that is shipped."""
    found = {}
    for kind in ("implement", "verify", "components"):
        path = records.shipped_path(kind)
        assert path is not None
        lines = path.read_bytes().splitlines(keepends=True)
        found[kind] = lines[:: max(1, len(lines) // 8)]
    return found


COMMANDS: dict[str, list[list[str]]] = {
    "implement": [
        ["results", "--records", "r", "--json"],
        ["results", "--records", "r", "--columns", "all"],
        ["results", "--records", "r", "--all"],
        ["results", "--records", "r", "-o", "rows.csv"],
        ["results", "--records", "r", "-o", "rows.parquet"],
        ["papers", "pilchard2002", "--records", "r"],
        ["explore", "fab-tiny", "--device", "gw1n-9", "--dry-run", "--records", "r", "--json"],
    ],
    "verify": [["list", "--records", "r"]],
    "components": [["papers", "standaert2003", "--components", "r", "--json"]],
}


def test_records() -> None:
    path = Path("r")
    lines = _record_lines()
    for rng in _rounds("records"):
        kind = rng.choice(list(COMMANDS))
        some = rng.sample(lines[kind], 3)
        if rng.random() < 0.4:
            path.write_bytes(_damaged(rng, b"".join(some)))
        else:
            changed = [_changed(rng, json.loads(some[0])), *map(json.loads, some[1:])]
            path.write_text("".join(json.dumps(record) + "\n" for record in changed))
        _survives(*rng.choice(COMMANDS[kind]))


# ---------------------------------------------------------------------- command lines


def _word(rng: random.Random) -> str:
    word = rng.choice(WORDS)
    if rng.random() < 0.2:
        cut = rng.randrange(len(word) + 1)
        word = word[:cut] + rng.choice(WORDS) + word[cut:]
    return word[:120_000]


def test_axis_values() -> None:
    """Of show and generate, and as conditions of results."""
    names = list(catalogue.CATALOGUE)
    for rng in _rounds("axis values"):
        axes = [f"{rng.choice([*AXES, _word(rng)])}={_word(rng)}" for _ in range(rng.randint(1, 3))]
        for axis in rng.sample(list(AXES), 2):
            axes.append(f"{axis}={rng.choice([member.value for member in AXES[axis]])}")
        rng.shuffle(axes)
        name = rng.choice([*names, *names, _word(rng)])
        way = rng.randrange(4)
        if way == 0:
            _survives("show", name, *axes[:2], "--json")
        elif way == 1:
            _survives("explore", name, *axes[1:3], "--device", "gw1n-9", "--dry-run", "--json")
        elif way == 2:
            sign = rng.choice(["<", "<=", "=", "!=", ">", ">="])
            column = rng.choice([*query.SCHEMA, _word(rng)])
            _survives("results", f"{column}{sign}{_word(rng)}", "--sort", _word(rng), "--json")
        else:
            _survives("show", name, *axes)


def test_options() -> None:
    """Numbers and names that options take; nothing here starts a tool."""
    options = ["--device", "--recipe", "--seeds", "--seeds-large", "--jobs", "--timeout", "--order"]
    for rng in _rounds("options"):
        given = [w for o in rng.sample(options, 2) for w in (o, _word(rng))]
        _survives("explore", "fab-tiny", "--device", "gw1n-9", "--dry-run", "--json", *given)


def test_keys_and_files() -> None:
    """What encrypt, decrypt and host run refuse before they start anything."""
    Path("in").write_bytes(bytes(17))
    Path("folder").mkdir()
    os.mkfifo("pipe")
    Path("link").symlink_to("nothing")
    Path("loop").symlink_to("loop")
    right = "000102030405060708090a0b0c0d0e0f"
    paths = ["in", "folder", "pipe", "link", "loop", "none", "no/where", "", "in/x", "a" * 300]
    before = sorted(os.listdir("."))
    for rng in _rounds("keys and files"):
        Path("key").write_bytes(_damaged(rng, right.encode() * rng.choice([1, 1, 3000])))
        key = rng.choice([
            ["--key", _word(rng)], ["--key-env", _word(rng).replace("\0", "") or "x"],
            ["--key-file", rng.choice(["key", *paths[1:2], *paths[3:]])],
            ["--key", right[: rng.randrange(32)]], ["--key", right, "--iv", _word(rng)],
        ])  # fmt: skip
        source, out = rng.choice([p for p in paths if p != "pipe"]), rng.choice(["folder", "pipe"])
        command = rng.choice([["encrypt"], ["decrypt"], ["host", "run"]])
        design = rng.choice(["kakarlapudi-sbox-both-128", _word(rng)])
        mode = rng.choice(["ecb", "cbc", "ctr", _word(rng)])
        words = [*command, "--design", design, "--mode", mode, *key, source, out]
        assert _survives(*words) == 2
        Path("key").unlink()
        assert sorted(os.listdir(".")) == before


def test_what_was_found_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of each kind, so that no seed need find it again."""
    Path("p.toml").write_text("a=" + "[" * 5000)
    assert _survives("explore", "--plan", "p.toml", "--dry-run") == 2
    assert _survives("host", "bench", "p.toml") == 2
    Path("r").write_text("[" * 100_000 + "\n")
    assert _survives("results", "--records", "r") == 2
    record = json.loads(_record_lines()["implement"][0])
    del record["stage"]
    Path("r").write_text(json.dumps(record) + "\n")
    assert _survives("report", "-o", "out", "--records", "r") == 2
    for cores in ("9999999999999999999999", "true", "-1", "1e9", "'x'"):
        Path("c.yaml").write_text(f"jobqueue: {{slurm: {{cores: {cores}, memory: 1GB}}}}")
        how = ("explore", "fab-tiny", "--device", "gw1n-9", "--dry-run", "--cluster", "c.yaml")
        assert _survives(*how, "--json") == 2
    every = [f"{axis}={','.join(str(member.value) for member in AXES[axis])}" for axis in AXES]
    assert _survives("explore", "*", *every, "--device", "*", "--dry-run", "--json") == 2
    for option in (["--seeds", "9" * 12], ["--timeout", "nan"], ["--jobs", "9" * 9]):
        assert _survives("explore", "fab-tiny", "--device", "gw1n-9", "--dry-run", *option) == 2
    brackets = "[" * 300_000
    Path("p.toml").write_text(f'[[explore]]\ndesigns = ["{brackets}"]\ndevices = ["virtex"]\n')
    assert _survives("explore", "--plan", "p.toml", "--dry-run") == 2
    assert _survives("results", f"device={brackets}") == 2
    assert _survives("components", "--design", brackets) == 2
