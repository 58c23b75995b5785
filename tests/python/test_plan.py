# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Plans: the product, what cannot be built, what is recorded, how long it takes."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from aesfab import records
from aesfab.design import catalogue
from aesfab.devices import DEVICES
from aesfab.engine import every
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.measure import implement, plan, subjects
from aesfab.measure.plan import Request, Seeds

MATRIX = Path(__file__).parents[2] / "results" / "matrix.toml"


def _record(job: plan.Job, lut: int = 500, status: str = "ok", **more: Any) -> records.Record:
    seeds = job.seeds.of(lut)
    return {
        **job.identity_for(seeds),
        "status": status,
        "lut": lut,
        "ff": 100,
        "recipes": {name: {"lut": lut} for name in job.recipes},
        **more,
    }


def test_the_product() -> None:
    request = Request(
        designs=("pilchard-unrolled-[12]",),
        devices=("ecp5-25k", "virtex*"),
        axes={"sbox": ("rom", "tower"), "key_sbox": ("table",)},
        recipes=("default", "default+nobram"),
        seeds=Seeds(3, 3),
    )
    made = plan.make([request, request], [])
    devices = [name for name in DEVICES if name == "ecp5-25k" or name.startswith("virtex")]
    # Unrolled rounds take no S-boxes of block RAM.
    points = [("pilchard-unrolled-1", "rom"), ("pilchard-unrolled-1", "tower"),
              ("pilchard-unrolled-2", "tower")]  # fmt: skip
    expected = {
        (design, sbox, device, recipes)
        for design, sbox in points
        for device in devices
        for recipes in (("default",), ("default", "nobram"))
    }
    found = [
        (job.named.name, job.named.design.every_axis()["sbox"], job.device.name, job.recipes)
        for job in made.jobs
    ]
    assert len(found) == len(expected)
    assert set(found) == expected
    assert made.recorded == ()
    assert len(made.impossible) == 1
    assert "pilchard-unrolled-2 sbox=rom key_sbox=table: illegal" in made.impossible[0]
    # Virtex-E is served by the syntheses for Virtex.
    assert made.syntheses == len(points) * (len(devices) - 1) * 3
    assert made.placements(plan.Sizes([])) == len(points) * 3 * 3
    titles = {job.title for job in made.jobs}
    assert "pilchard-unrolled-2 sbox=tower on virtex" in titles
    assert "pilchard-unrolled-2 sbox=tower on ecp5-25k default+nobram" in titles


def test_the_rtl_of_a_design_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For all of its devices and recipes: only those are different in the identities."""
    asked, whole = [], implement.of_rtl

    def counted(named: implement.Subject, sources: list[Path]) -> records.Record:
        asked.append(named.name)
        return whole(named, sources)

    monkeypatch.setattr(implement, "of_rtl", counted)
    request = Request(("pilchard-unrolled-1",), ("ecp5-25k", "virtex*"), recipes=("default", "all"))
    assert len(plan.make([request], []).jobs) > 3
    assert asked == ["pilchard-unrolled-1"]


def test_a_recipe_that_only_some_devices_have() -> None:
    request = Request(("pilchard-unrolled-1",), ("ecp5-25k", "ice40-up5k"), recipes=("nolutram",))
    made = plan.make([request], [])
    assert [job.device.name for job in made.jobs] == ["ecp5-25k"]
    assert made.impossible == ("ice40-up5k has no recipe nolutram",)
    every = Request(("pilchard-unrolled-1",), ("ice40-up5k",), recipes=("all",))
    assert plan.make([every], []).jobs[0].recipes == tuple(DEVICES["ice40-up5k"].recipes)


def test_some_devices_and_designs_of_a_plan() -> None:
    requests = [
        Request(("pilchard-unrolled-1",), ("ecp5-25k", "virtex*")),
        Request(("fab-tiny",), ("ice40-hx8k",)),
    ]
    titles = [job.title for job in plan.make(requests, [], devices=["virtex", "ecp5-*"]).jobs]
    assert titles == ["pilchard-unrolled-1 on ecp5-25k", "pilchard-unrolled-1 on virtex"]
    titles = [job.title for job in plan.make(requests, [], designs=["fab-*"]).jobs]
    assert titles == ["fab-tiny on ice40-hx8k"]
    with pytest.raises(AesfabError, match="the plan has none of these"):
        plan.make(requests, [], devices=["gw2a-18"])
    with pytest.raises(AesfabError, match="the plan has none of these"):
        plan.make(requests, [], devices=["virtex"], designs=["fab-tiny"])
    with pytest.raises(AesfabError, match="unknown design 'fab-tiny-7'"):
        plan.make(requests, [], designs=["fab-tiny-7"])
    with pytest.raises(AesfabError, match="unknown device 'gw2b-18'"):
        plan.make(requests, [], devices=["gw2b-18"])


def test_what_is_recorded_is_not_planned() -> None:
    request = Request(("pilchard-unrolled-1",), ("ecp5-25k", "virtex"), seeds=Seeds(5, 3))
    jobs = plan.make([request], []).jobs
    known = [_record(job) for job in jobs]
    made = plan.make([request], known)
    assert (len(made.jobs), len(made.recorded)) == (0, 2)
    assert len(plan.make([request], known, force=True).jobs) == 2
    # A failure stands until it is to be tried again; that a design does not fit is final.
    known = [_record(jobs[0], status="timeout"), _record(jobs[1], status="does not fit")]
    assert plan.make([request], known).jobs == ()
    again = plan.make([request], known, retry=True).jobs
    assert [job.device.name for job in again] == ["ecp5-25k"]
    # Another tool, other seeds, another RTL: all to be made.
    changes: list[records.Record] = [
        *({"tools": {}}, {"seeds": [1]}, {"netlist_hash": "x"}, {"flow": 0})
    ]
    for change in changes:
        made = plan.make([request], [{**_record(jobs[0]), **change}])
        assert (len(made.jobs), made.earlier) == (2, int("flow" in change))
    # Another text of the same netlist is the same.
    known = [_record(jobs[0], rtl_hash="other")]
    assert len(plan.make([request], known).jobs) == 1


def test_large_designs_have_fewer_seeds() -> None:
    request = Request(("pilchard-unrolled-1",), ("ecp5-25k",), seeds=Seeds(5, 3))
    job = plan.make([request], []).jobs[0]
    assert job.seeds.of(None) == job.seeds.of(plan.LARGE - 1) == (1, 2, 3, 4, 5)
    assert job.seeds.of(plan.LARGE) == (1, 2, 3)
    assert plan.make([request], [_record(job, plan.LARGE)]).jobs == ()
    # Three seeds of a design that turned out to be small are not what was asked for.
    wrong = {**_record(job), "seeds": [1, 2, 3]}
    assert len(plan.make([request], [wrong]).jobs) == 1


def _spread(job: plan.Job, seeds: int, share: float) -> records.Record:
    """A record of a job with so many seeds, whose clock spreads by a part of its median."""
    made = {**_record(job), **job.identity_for(range(1, seeds + 1))}
    return {**made, "fmax_mhz": {"median": 100.0, "min": 95.0, "max": 95.0 + 100 * share}}


def test_seeds_that_spread_ask_for_more() -> None:
    request = Request(("pilchard-unrolled-1",), ("ecp5-25k",), seeds=Seeds(5, 3, 0.15))
    (job,) = plan.make([request], []).jobs
    assert job.seeds.sets() == [(1, 2, 3, 4, 5), (1, 2, 3)]
    near, far = _spread(job, 5, 0.15), _spread(job, 5, 0.16)
    assert plan.make([request], [near]).jobs == ()
    (more,) = plan.make([request], [far]).jobs
    assert more.seeds.sets() == [tuple(range(1, 16))]
    # Without a spread nobody asks; nor where there are as many already, which may spread.
    plain = dataclasses.replace(request, seeds=Seeds(5, 3))
    assert plan.make([plain], [far]).jobs == ()
    for seeds in (15, 51):
        assert plan.make([request], [far, _spread(job, seeds, 0.3)]).jobs == ()
    # Three seeds are of what takes too long.
    large = {**_record(job, plan.LARGE), "fmax_mhz": far["fmax_mhz"]}
    assert (records.seeds(large), plan.is_wide(large, 0.15)) == (3, False)
    assert plan.make([request], [large]).jobs == ()


def test_no_seed_is_an_area_alone() -> None:
    """A record of its own, beside that of a clock; nothing of place and route is in it."""
    request = Request(("pilchard-unrolled-1",), ("ecp5-25k", "virtex"), seeds=Seeds(0, 0))
    made = plan.make([request], [])
    assert [job.placed for job in made.jobs] == [False, False]
    assert (made.syntheses, made.placements(plan.Sizes([]))) == (2, 0)
    for job in made.jobs:
        assert job.identity["seeds"] == []
        assert set(job.identity["tools"]) == {"yosys"}
        assert job.recorded_in({records.key(_record(job)): _record(job)})
    alone, _ = made.jobs
    (clock,) = plan.make([Request(("pilchard-unrolled-1",), ("ecp5-25k",))], [_record(alone)]).jobs
    assert clock.placed
    assert clock.identity["recipe_hash"] != alone.identity["recipe_hash"]
    assert plan.make([request], [_record(clock)]).jobs == made.jobs


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (Request(("pilchard-unroled-1",), ("ecp5-25k",)), "unknown design.*did you mean"),
        (Request((), ("ecp5-25k",)), "name a design"),
        (Request(("pilchard-*",), ()), "name a device"),
        (Request(("pilchard-*",), ("ecp6*",)), "unknown device"),
        (Request(("pilchard-*",), ("ecp5*",), {"colour": ("red",)}), "unknown axis"),
        (Request(("pilchard-*",), ("ecp5*",), {"sbox": ("red",)}), "sbox"),
        (Request(("pilchard-*",), ("ecp5*",), recipes=("fast",)), "unknown recipe"),
        (
            Request(("pilchard-unrolled-2",), ("ecp5*",), {"sbox": ("rom",)}),
            "nothing to explore: .*illegal",
        ),
    ],
)
def test_requests_without_sense(request_: Request, says: str) -> None:
    with pytest.raises(AesfabError, match=says):
        plan.make([request_], [])


def test_an_old_name_of_a_value_goes_on_working(capsys: pytest.CaptureFixture[str]) -> None:
    axes = {"key_schedule": ("stored",), "doubled": ("no",), "key_register": ("staged",)}
    (job,) = plan.make([Request(("fab-interleaved",), ("ecp5-25k",), axes)], []).jobs
    assert job.named.design.every_axis()["key_expansion"] == "staged"
    assert ("key_expansion", "staged") in job.named.overrides
    assert capsys.readouterr().out == ""


def test_requests_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        '[[explore]]\ndesigns = ["pilchard-*"]\ndevices = ["ecp5-25k"]\nseeds = 4\n'
        'seeds_large = 2\nrecipes = ["default", "nobram"]\n[explore.axes]\nsbox = ["tower"]\n'
        '[[explore]]\ndesigns = ["qin-4sm"]\ndevices = ["virtex"]\n'
    )
    assert plan.read_requests(path) == [
        Request(
            ("pilchard-*",), ("ecp5-25k",), {"sbox": ("tower",)}, ("default", "nobram"), Seeds(4, 2)
        ),
        Request(("qin-4sm",), ("virtex",)),
    ]
    assert plan.spread_of(path) is None
    path.write_text(f"spread = 0.2\n{path.read_text()}")
    assert [request.seeds for request in plan.read_requests(path)] == [
        Seeds(4, 2, 0.2), Seeds(5, 5, 0.2)
    ]  # fmt: skip
    assert plan.spread_of(path) == 0.2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[explore]", "not TOML"),
        pytest.param("a = " + "[" * 5000, "plan.toml: nested too deeply", id="nested"),
        ("", "wants tables"),
        ("explore = 1", "wants tables"),
        ("explore = [1, 2]", "wants tables"),
        ('[[explore]]\ndesigns = ["a"]\ndevices = ["b"]\nseeds_large = 0', "0 for areas alone"),
        ('[[explore]]\ndesigns = ["a"]\ndevices = ["b"]\nseeds_large = 0', "1 to 10000 seeds"),
        ("x = 1\n[[explore]]", "wants tables"),
        ('spread = "x"\n[[explore]]', "'spread' wants a part"),
        ("spread = 15\n[[explore]]", "'spread' wants a part"),
        ('[[explore]]\ndesigns = ["a"]', "'devices' wants a list"),
        ('[[explore]]\ndesigns = "a"\ndevices = ["b"]', "'designs' wants a list"),
        ('[[explore]]\ndesigns = ["a"]\ndevices = ["b"]\nseeds = "c"', "'seeds' wants a number"),
        ('[[explore]]\ndesigns = ["a"]\ndevices = ["b"]\nseeds = -1', "1 to 10000 seeds"),
        ('[[explore]]\ndesigns = ["a"]\ndevices = ["b"]\naxes = 1', "'axes' wants a table"),
        ('[[explore]]\ndesigns = ["a"]\ndevices = ["b"]\nx = 1', "unknown key 'x'"),
    ],
)
def test_wrong_files_are_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(AesfabError, match=says):
        plan.read_requests(path)
    with pytest.raises(AesfabError, match="cannot read"):
        plan.read_requests(tmp_path / "missing.toml")


def test_the_committed_matrix_is_complete() -> None:
    """Every design on the devices that README and the papers' comparison want."""
    requests = plan.read_requests(MATRIX)
    routed = {"ecp5-85k", "ice40-hx8k", "gw1n-9"}
    mapped = {"virtex", "virtex-e", "virtex-ii", "spartan-3e", "virtex-5", "cyclone-iv"}
    for device in routed | mapped:
        patterns = [
            request.designs
            for request in requests
            if device in request.devices and (request.seeds.number or device in mapped)
        ]
        for name in catalogue.CATALOGUE:
            # Hardened designs stand beside those that they are made from on one device.
            if not name.endswith("-hardened"):
                assert any(plan.named_by(name, each) for each in patterns), (name, device)
    for request in requests:
        if set(request.devices) & routed and request.seeds.number:
            # More where these leave a conclusion open; none for an area alone.
            assert request.seeds.number >= 5
            assert request.seeds.large >= 3


# `make measure` makes these. A seed of them takes nextpnr three minutes to half an hour.
_STORED = "doubled=no key_schedule=stored key_register=sub-word key_expansion=staged"
_TO_MEASURE = [
    "fab-iterative on gw1n-9 nowidelut",
    "fab-iterative-ram-packed on gw1n-9 nowidelut",
    "fab-pipeline key_bits=256 on ecp5-85k floorplan",
    f"fab-pipeline {_STORED} key_memory=auto direction=decrypt on ecp5-85k nowidelut",
    f"fab-pipeline {_STORED} key_memory=auto direction=both on ecp5-85k nowidelut",
]


def test_the_committed_matrix_is_measured() -> None:
    """`make measure` makes what is missing, and what an earlier flow gave."""
    known = records.shipped("implement")
    made = plan.make(plan.read_requests(MATRIX), known)
    assert not made.impossible
    earlier = {records.without_flow(r) for r in known if r["flow"] < implement.FLOW}
    missing = [job for job in made.jobs if not job.earlier_in(earlier)]
    # Of these two the runs are made by whoever has the hours; what they are follows from records.
    waiting = [job for job in missing if _is_plain(job) or _is_wider(job, known)]
    assert sorted(job.title for job in missing if job not in waiting) == sorted(_TO_MEASURE)


def _is_plain(job: plan.Job) -> bool:
    """Whether a job is of the plain flow of one of our own designs."""
    ours = job.named.name.startswith("fab-") and job.device.name == "ecp5-85k"
    return ours and job.recipes == (records.PLAIN,) and not job.named.overrides


def _is_wider(job: plan.Job, known: list[records.Record]) -> bool:
    """Whether a job is of more seeds than a record has, whose seeds spread."""
    spread = plan.spread_of(MATRIX)
    assert spread is not None
    same = plan.without_seeds(job.identity)
    few = [record for record in known if plan.without_seeds(record) == same]
    return job.seeds.number == plan.MANY_SEEDS and any(plan.is_wide(r, spread) for r in few)


def test_the_plain_flow_of_our_own_designs_is_in_the_matrix() -> None:
    requests = [r for r in plan.read_requests(MATRIX) if records.PLAIN in r.recipes]
    of_ecp5 = [r.designs for r in requests if "ecp5-85k" in r.devices and not r.axes]
    for name in catalogue.CATALOGUE:
        if name.startswith("fab-"):
            assert any(plan.named_by(name, patterns) for patterns in of_ecp5), name


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["pilchard-unrolled-[12]"], {"pilchard-unrolled-1", "pilchard-unrolled-2"}),
        (["!*-2", "pilchard-unrolled-[12]"], {"pilchard-unrolled-1"}),
        (["pilchard-unrolled-[12]", "!*-2"], {"pilchard-unrolled-1"}),
    ],
)
def test_a_pattern_takes_designs_out(patterns: list[str], found: set[str]) -> None:
    jobs = plan.make([Request(tuple(patterns), ("virtex",))], []).jobs
    assert {job.named.name for job in jobs} == found


def test_patterns_that_only_take_out_are_refused() -> None:
    with pytest.raises(AesfabError, match="name a design"):
        plan.make([Request(("!*-2",), ("virtex",))], [])
    with pytest.raises(AesfabError, match="unknown design 'nothing'"):
        plan.make([Request(("pilchard-*", "!nothing"), ("virtex",))], [])


def test_engines_are_planned_by_names_of_their_own() -> None:
    """With axes of theirs and of their cores; patterns of designs are not of engines."""
    request = Request(("gcm-[nt]*",), ("ecp5-25k",), {"slots": ("16", "32"), "clear": ("no",)})
    jobs = plan.make([request], []).jobs
    found = {(job.named.name, job.identity["parameters"]["slots"]) for job in jobs}
    assert found == {(name, n) for name in ("gcm-narrow", "gcm-tiny") for n in ("16", "32")}
    one = next(job for job in jobs if job.title == "gcm-tiny slots=16 on ecp5-25k")
    assert one.identity["parameters"]["core"] == "fab-tiny"
    assert list(one.contents) == implement.read_sources(subjects.sources(one.named))
    assert one.frame().inputs > 128
    assert plan.make([request], [_record(one)]).recorded == (_record(one),)
    (job,) = plan.make([Request(("*-tiny",), ("ecp5-25k",))], []).jobs
    assert job.named.name == "fab-tiny"
    some = [n for n in every.names() if n.startswith("gcm-") and "pipeline" not in n]
    assert plan._names(["gcm-*", "fab-tiny", "!*-pipeline*"]) == ["fab-tiny", *some]


@pytest.mark.parametrize(
    ("axes", "says"),
    [
        ({"colour": ("red",)}, "unknown axis 'colour'"),
        ({"slots": ("5",)}, "unknown slots value '5'"),
        ({"hardened": ("yes",)}, "nothing to explore: gcm-tiny hardened=yes: illegal combination"),
    ],
)
def test_engines_without_sense(axes: dict[str, tuple[str, ...]], says: str) -> None:
    with pytest.raises(AesfabError, match=says):
        plan.make([Request(("gcm-tiny",), ("ecp5-25k",), axes)], [])


def test_sources_are_those_of_the_identity() -> None:
    job = plan.make([Request(("pilchard-unrolled-1",), ("virtex",))], []).jobs[0]
    named = catalogue.find("pilchard-unrolled-1")
    assert list(job.contents) == implement.read_sources(generate.sources(named))
    assert job.identity["rtl_hash"] == generate.rtl_hash(named)


def test_sizes() -> None:
    request = Request(("pilchard-unrolled-[12]",), ("ecp5-25k", "virtex"))
    jobs = plan.make([request], []).jobs
    first = [job for job in jobs if job.named.name == "pilchard-unrolled-1"]
    other = next(job for job in jobs if job.named.name == "pilchard-unrolled-2")
    sizes = plan.Sizes([_record(first[0], 700), {"design": "x", "lut": None, "device": "y"}])
    assert sizes.lut(first[0]) == 700
    assert sizes.lut(first[1]) == 700
    assert sizes.lut(other) is None
    # LUTs and flip-flops; another device, or the only design that is known, is better than nothing.
    assert [sizes.cells(job) for job in (*first, other)] == [800, 800, 800]
    assert sizes.known(first[1])
    assert not sizes.known(other)
    # A design that is large elsewhere is expected to get the seeds of a large one.
    request = dataclasses.replace(request, seeds=Seeds(5, 3))
    elsewhere = _record(next(job for job in first if job.device.name == "virtex"), plan.LARGE)
    made = plan.make([dataclasses.replace(request, devices=("ecp5-25k",))], [])
    assert made.placements(plan.Sizes([elsewhere])) == 3 + 5
    # A record from before an axis was added is of the same design all the same.
    older = {**_record(first[0], 650), "parameters": {"rounds": 1}}
    assert plan.Sizes([older]).lut(first[0]) == 650
    changed = plan.make([dataclasses.replace(request, axes={"sbox": ("tower",)})], []).jobs[0]
    assert not plan.Sizes([older]).known(changed)


def test_times_are_learnt(tmp_path: Path) -> None:
    path = tmp_path / "times.jsonl"
    times = plan.Times(path)
    job = plan.make([Request(("pilchard-unrolled-1",), ("ecp5-25k",), seeds=Seeds(4, 4))], []).jobs[
        0
    ]
    sizes = plan.Sizes([_record(job, 900)])
    before = times.job(job, sizes)
    for _ in range(3):
        times.add("yosys", 1000, 12.0)
        times.add("nextpnr-ecp5", 1000, 22.0)
    assert times.seconds("yosys", 1000) == pytest.approx(12, abs=0.1)
    assert times.job(job, sizes) == pytest.approx(12 + 4 * 22, rel=0.01)
    assert before != times.job(job, sizes)
    # Larger is longer, by more than in proportion.
    assert times.seconds("yosys", 10_000) > 10 * (12 - times.BASE)
    with path.open("a") as file:
        file.write('["yosys", 1.2')
    again = plan.Times(path)
    assert again.seconds("nextpnr-ecp5", 1000) == pytest.approx(22, abs=0.1)
    assert json.loads(path.read_text().splitlines()[0])[0] == "yosys"
