# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Running a plan: tasks by Dask, results stored as they come.

A record is made of one synthesis for each recipe, then one run of nextpnr for each seed::

    driver --- sources --> synthesis --- area, netlist --> driver (kept in the cache)
           --- netlist --> placement, a task for each seed --- MHz --> driver (kept in the cache)
           --- all there? --> one line in the file of records

Tasks take and return values, so workers need no common file system; the driver alone writes. A seed
is a task of its own, for the runs of one large design take hours and should fill all workers. The
netlist goes through the driver and not from worker to worker, so what a lost worker held is never
missed: the scheduler gives its tasks to others, and each result arrives once. What is finished of
an unfinished record is in the cache (``Store``), by the content of everything that it depends on,
so whenever the driver is killed, only the runs under way are lost.

A record whose seeds spread asks for more of them, where the plan says so (``plan.Seeds.spread``);
that is one job more, behind the others.

Two things are not run because they are known. Devices for which synthesis is the same (``devices.
Device.maps_like``) share one, also with a record that is there. And what is larger than all that
has been placed on a device goes there with its first seed alone: where it needs more cells than the
device has, which no seed changes, the others are not tried.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import itertools
import json
import queue
import shutil
import socket
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from aesfab import __version__, devices, records
from aesfab.errors import AesfabError, ToolError
from aesfab.measure import harness, implement
from aesfab.measure.plan import Job, Order, Plan, Sizes, Times, synthesis, together, without_seeds
from aesfab.records import Record
from aesfab.system import cache, process

_POLL = 0.5
_SPARE = 2
"""Tasks that wait at the scheduler for each worker, so that none is idle."""


# ------------------------------------------------------------------------------- tasks


@dataclasses.dataclass(frozen=True)
class Synthesis:
    """Everything that a worker needs to map a core."""

    module: str
    sources: tuple[tuple[str, bytes], ...]
    device: str
    recipe: str
    frame: harness.Harness | None
    timeout: float
    versions: dict[str, str]


@dataclasses.dataclass(frozen=True)
class Placement:
    """Everything that a worker needs to place and route a netlist."""

    netlist: bytes
    device: str
    recipe: str
    seed: int
    timeout: float
    versions: dict[str, str]


def versions(device: devices.Device) -> dict[str, str]:
    """What must be the same on every machine."""
    return {
        "aesfab": f"{__version__}, flow {implement.FLOW}",
        "recipes": f"recipes {implement.recipe_hash(device, device.recipes)}",
        **implement.tools(device),
    }


def work(task: Synthesis | Placement) -> tuple[Record, bytes, float]:
    """Do a task; runs on a worker.

    Returns:
        The outcome, the netlist (empty for a placement), and the seconds that it took.

    Raises:
        AesfabError: this worker has other versions than the driver, or no space left; or the
            driver is gone or has cancelled the task, and then no tool is left running.
    """
    device = devices.find(task.device)
    for name, wanted in task.versions.items():
        if (here := versions(device).get(name)) != wanted:
            raise AesfabError(f"worker {socket.gethostname()} has {here}, this machine {wanted}")
    start = time.monotonic()
    netlist = b""
    try:
        with process.while_wanted(_wanted()):
            if isinstance(task, Synthesis):
                outcome, netlist = implement.synthesise(
                    task.module, task.sources, device, task.recipe, task.frame, task.timeout
                )
            else:
                outcome = implement.place(
                    device, task.recipe, task.netlist, task.seed, task.timeout
                )
    except OSError as error:
        raise AesfabError(f"worker {socket.gethostname()}: {error.strerror or error}") from error
    return outcome, netlist, time.monotonic() - start


def _wanted() -> Callable[[], bool]:
    """Whether the scheduler still wants the task that this thread of a worker does.

    Dask does not interrupt a task that is cancelled or whose client is gone; it marks it.
    """
    import distributed

    try:
        worker = distributed.get_worker()
    except ValueError:  # not on a worker
        return lambda: True
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    return wanted


# ------------------------------------------------------------------------------- store


class Store:
    """Finished runs of unfinished records, in the user's cache.

    A folder for each record, named by the content of all that its runs depend on; a file for each
    run in it, written whole, with its digest.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or process.cache_dir("explore", "runs")

    def _of(self, job: Job) -> Path:
        same = {
            "netlist": job.identity["netlist_hash"],
            "design": job.identity["parameters"],
            "aesfab": f"{__version__}, flow {implement.FLOW}",
            "tools": implement.tools(job.device, placed=job.placed),
            "device": job.device.name,
            "recipes": implement.recipe_hash(job.device, job.recipes, placed=job.placed),
        }
        return self._folder / process.content_key(json.dumps(same, sort_keys=True))

    def same(self, job: Job, other: Job) -> bool:
        """Whether the runs of two jobs are in one folder."""
        alike = (job.device.name, job.recipes) == (other.device.name, other.recipes)
        return alike and self._of(job) == self._of(other)

    def get(self, job: Job, run: str) -> bytes | None:
        """What ``put`` has kept; None for what is not as it was."""
        try:
            return cache.unsealed((self._of(job) / run).read_bytes())
        except OSError:
            return None

    def put(self, job: Job, run: str, content: bytes) -> None:
        """Keep the content of a run; AesfabError when that is impossible."""
        folder = self._of(job)
        for last in (False, True):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                with process.written_whole(folder / run) as temporary:
                    temporary.write_bytes(cache.sealed(content))
            except FileNotFoundError as error:
                # Another exploration has made its record, and dropped the folder meanwhile.
                if last:
                    raise AesfabError(f"cannot keep runs in {folder}: {error.strerror}") from error
            except OSError as error:
                raise AesfabError(f"cannot keep runs in {folder}: {error.strerror}") from error
            else:
                return

    def forget(self, job: Job, seeds: Iterable[int] | None = None) -> None:
        """Drop the runs of a job: all, or those of some seeds.

        With the last of its seeds the syntheses go too. Other seeds are of a record that is not
        finished, of another exploration perhaps.
        """
        folder = self._of(job)
        if seeds is not None:
            for recipe, seed in itertools.product(job.recipes, seeds):
                (folder / f"{recipe}.{seed}.json").unlink(missing_ok=True)
            if any(folder.glob("*.*.json")):
                return
        shutil.rmtree(folder, ignore_errors=True)


# ------------------------------------------------------------------------------ driver


@dataclasses.dataclass
class Status:
    """How far an exploration is.

    Attributes:
        records: records to be made.
        records_done: of these, made.
        failed: of these, with a status other than ``ok`` and ``does not fit``.
        runs: runs of tools, as far as is known beforehand.
        runs_done: of these, ended, or taken from the cache.
        running: runs under way.
        workers: runs that can go at a time.
        remaining: estimate, in seconds; None before anything is known.
        event: what has just happened, a line; empty for nothing.
    """

    records: int
    records_done: int = 0
    failed: int = 0
    runs: int = 0
    runs_done: int = 0
    running: int = 0
    workers: int = 0
    remaining: float | None = None
    event: str = ""


@dataclasses.dataclass
class _Open:
    """A job that is under way, and others that its synthesis serves as well (``twins``)."""

    job: Job
    frame: harness.Harness
    twins: list[Job] = dataclasses.field(default_factory=list)
    results: dict[str, Record] = dataclasses.field(default_factory=dict)
    netlists: dict[str, bytes] = dataclasses.field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    probe: int | None = None
    waiting: int = 0
    seconds: float = 0.0


@dataclasses.dataclass(frozen=True)
class _Run:
    """A run of a tool for a job; ``seed`` is None for a synthesis."""

    open: _Open
    recipe: str
    seed: int | None = None

    @property
    def name(self) -> str:
        return self.recipe if self.seed is None else f"{self.recipe}.{self.seed}"


class Explorer:
    """One exploration: a plan, the file of its records, and a Dask client that runs it.

    Args:
        plan: what to do.
        path: file of records.
        client: ``distributed.Client``, see ``clusters``.
        known: records that are there, of this file and others; those of the file by default.
        timeout: limit for each run of a tool, in seconds.
        watch: hears of every change, and twice a second.
        store: where finished runs are kept; the user's cache by default.
        fresh: do not take runs from the store.
        order: long runs first, so that at the end all workers have something to do; short ones,
            or the plan as it is, for when time may end before the plan does.
    """

    def __init__(
        self,
        plan: Plan,
        path: Path,
        client: Any,
        *,
        known: Sequence[Record] | None = None,
        timeout: float = implement.DEFAULT_TIMEOUT,
        watch: Callable[[Status], None] = lambda _: None,
        store: Store | None = None,
        fresh: bool = False,
        order: Order = Order.LONGEST,
    ) -> None:
        self._path, self._client, self._timeout, self._watch = path, client, timeout, watch
        self._store = store or Store()
        self._times = Times()
        known = records.read(path) if known is None else known
        self._sizes = Sizes(known)
        usable = [] if fresh else known
        self._synthesised = _by(usable, "synthesis", synthesis)
        self._placed = _by(usable, "place and route", without_seeds)
        jobs = list(plan.jobs)
        if order is not Order.PLAN:
            longest = order is Order.LONGEST
            jobs.sort(key=lambda job: self._times.job(job, self._sizes), reverse=longest)
        self._jobs = collections.deque(
            _Open(first, first.frame(), twins) for first, *twins in together(jobs)
        )
        self._under_way = list(self._jobs)
        self._ready: collections.deque[_Run] = collections.deque()
        self._active: dict[Any, _Run] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._made: list[Record] = []
        self._started = time.monotonic()
        # Of this driver alone: one on another machine may have the same process number.
        self._id = uuid.uuid4().hex
        self._numbers = 0
        self._workers_at = 0.0
        if fresh:
            for job in plan.jobs:
                self._store.forget(job)
        self.status = Status(records=len(jobs), runs=plan.syntheses + plan.placements(self._sizes))
        # Seconds that are left of each job, by estimate.
        self._work = {id(o): self._times.job(o.job, self._sizes) for o in self._jobs}
        self._all_work = sum(self._work.values())

    def run(self) -> list[Record]:
        """Run it to its end and return the new records, in the order in which they were made.

        AesfabError when records cannot be written, the scheduler is lost, or a worker does not fit;
        what was finished until then is kept.
        """
        try:
            while self._jobs or self._ready or self._active:
                self._feed()
                if self._active:
                    with contextlib.suppress(queue.Empty):
                        future = self._ended.get(timeout=_POLL)
                        self._end(future)
                self._tell()
        finally:
            # Elsewhere others would work for nobody.
            with contextlib.suppress(Exception):
                self._client.cancel(list(self._active), force=True)
        return self._made

    # ------------------------------------------------------------------ running

    def _feed(self) -> None:
        """Hand tasks to the scheduler, seeds before new designs."""
        self._count_workers()
        while len(self._active) < _SPARE * max(1, self.status.workers):
            if not self._ready:
                if not self._jobs:
                    return
                self._open(self._jobs.popleft())
                continue
            run = self._ready.popleft()
            self._numbers += 1
            future = self._client.submit(
                work,
                self._task(run),
                key=f"aesfab-{self._id}-{self._numbers}",
                pure=False,
            )
            self._active[future] = run
            future.add_done_callback(self._ended.put)

    def _count_workers(self) -> None:
        now = time.monotonic()
        if now - self._workers_at > 1:
            self._workers_at = now
            if self._client.status != "running":
                raise self._lost()
            try:
                self.status.workers = sum(self._client.nthreads().values())
            except (OSError, TimeoutError, ValueError) as error:
                raise self._lost() from error

    def _lost(self) -> ToolError:
        return ToolError(
            f"lost the Dask scheduler; {len(self._made)} new records are in {self._path} and "
            "finished runs in the cache; the same command goes on"
        )

    def _task(self, run: _Run) -> Synthesis | Placement:
        job = run.open.job
        same = versions(job.device)
        if run.seed is not None:
            return Placement(
                netlist=run.open.netlists[run.recipe],
                device=job.device.name,
                recipe=run.recipe,
                seed=run.seed,
                timeout=self._timeout,
                versions=same,
            )
        return Synthesis(
            module=job.named.module,
            sources=job.contents,
            device=job.device.name,
            recipe=run.recipe,
            frame=run.open.frame if run.open.job.placed else None,
            timeout=self._timeout,
            versions=same,
        )

    def _end(self, future: Any) -> None:
        """A task ended, well or not."""
        import distributed

        run = self._active.pop(future, None)
        if run is None:
            return
        if future.cancelled():
            raise self._lost()
        error = future.exception()
        if isinstance(error, distributed.scheduler.KilledWorker | MemoryError):
            reason = "a worker had no memory left for this"
            if isinstance(error, distributed.scheduler.KilledWorker):
                reason = (
                    f"every worker that ran this died ({error.last_worker.address} the last), "
                    "perhaps for want of memory"
                )
            if run.seed is None:
                outcome = implement.failed_synthesis(reason)
            else:
                outcome = implement.failed_run(reason)
            netlist = b""
        elif isinstance(error, AesfabError):
            raise error
        elif error is not None:
            said = "".join(str(error).splitlines()[:1])
            raise AesfabError(f"a run ended with {type(error).__name__}: {said}") from error
        else:
            outcome, netlist, seconds = future.result()
            run.open.seconds += seconds
            device = run.open.job.device
            tool = "yosys" if run.seed is None else f"nextpnr-{device.nextpnr}"
            size = outcome if run.seed is None else run.open.results[run.recipe]
            if outcome["status"] == implement.OK:
                self._times.add(tool, size["lut"] + size["ff"], seconds)
        if netlist:
            self._store.put(run.open.job, f"{run.name}.netlist", netlist)
        self._store.put(run.open.job, f"{run.name}.json", json.dumps(outcome).encode())
        self._take(run, outcome, netlist)

    # ----------------------------------------------------------------- putting together

    def _open(self, open_: _Open) -> None:
        """Begin a job: what the store has of its syntheses, tasks for the others."""
        open_.waiting = len(open_.job.recipes)
        for recipe in open_.job.recipes:
            run = _Run(open_, recipe)
            kept = self._kept(run) or self._known(run)
            netlist = _whole(self._store.get(open_.job, f"{run.name}.netlist"))
            wants = open_.job.placed and kept and kept["status"] == implement.OK
            if kept is None or (wants and not netlist):
                self._ready.append(run)
            else:
                self._take(run, kept, netlist)

    def _kept(self, run: _Run) -> Record | None:
        content = self._store.get(run.open.job, f"{run.name}.json")
        try:
            found = json.loads(content) if content else None
        except ValueError:
            return None
        if not isinstance(found, dict) or found.get("status") in (None, *implement.TRANSIENT):
            # What failed may have had a passing cause, or a lower limit.
            return None
        return found

    def _known_run(self, run: _Run) -> Record | None:
        """What a record of other seeds says of a place-and-route run on the same netlist."""
        job, mapped = run.open.job, run.open.results[run.recipe]
        for record in self._placed.get(without_seeds(job.identity), []):
            result = record["recipes"].get(run.recipe, {})
            outcome: Record = dict(result.get("runs", {}).get(str(run.seed), {}))
            if result.get("mapped") != mapped.get("mapped"):
                continue
            if not records.same_recipe(record, job.identity):
                continue
            if outcome.get("status") not in records.GOOD:
                continue
            if outcome["status"] == implement.OK:
                return {**outcome, "utilisation": result.get("utilisation", {})}
            return {**outcome, "log_tail": result.get("log_tail", "")}
        return None

    def _known(self, run: _Run) -> Record | None:
        """What a record of a device with the same mapping says of a synthesis."""
        job = run.open.job
        for record in self._synthesised.get(synthesis(job.identity), []):
            device = devices.DEVICES.get(record["device"])
            if not device or not job.device.maps_like(device, run.recipe):
                continue
            result: Record | None = record["recipes"].get(run.recipe)
            if result and result["status"] == implement.OK and _by_our_recipes(record, device):
                return copy.deepcopy(result)
        return None

    def _seconds(self, run: _Run) -> float:
        """The estimate for a run."""
        device, cells = run.open.job.device, self._sizes.cells(run.open.job)
        tool = "yosys" if run.seed is None else f"nextpnr-{device.nextpnr}"
        return self._times.seconds(tool, cells)

    def _take(self, run: _Run, outcome: Record, netlist: bytes) -> None:
        """Put an outcome where it belongs, and go on when it was the last that was missing."""
        open_ = run.open
        open_.waiting -= 1
        self.status.runs_done += 1
        self._work[id(open_)] = max(0.0, self._work[id(open_)] - self._seconds(run))
        if run.seed is None:
            open_.results[run.recipe] = outcome
            if netlist:
                open_.netlists[run.recipe] = netlist
        else:
            open_.results[run.recipe]["runs"][str(run.seed)] = outcome
            if run.seed == open_.probe:
                others = [_Run(open_, run.recipe, seed) for seed in open_.seeds[1:]]
                if outcome.get("too_many"):
                    for other in others:
                        open_.waiting -= 1
                        self.status.runs_done += 1
                        open_.results[run.recipe]["runs"][str(other.seed)] = dict(outcome)
                elif others:
                    self._start(others)
                    return
        if open_.waiting:
            return
        if open_.seeds or not self._place(open_):
            self._record(open_)

    def _place(self, open_: _Open) -> bool:
        """All syntheses are done, so the size is known, and with it the seeds; False for no runs.

        The runs go to the scheduler, or come from the store; the last that does ends the job.
        """
        job = open_.job
        guess = len(job.seeds.of(self._sizes.lut(job))) * len(job.recipes)
        open_.seeds = job.seeds.of(max(r["lut"] or 0 for r in open_.results.values()))
        seeds = open_.seeds
        if seeds and not all(self._sizes.fits(job.device.name, r) for r in open_.results.values()):
            open_.probe, seeds = seeds[0], seeds[:1]
        open_.waiting = len(open_.netlists) * len(open_.seeds)
        if job.placed:
            self.status.runs += open_.waiting - guess
        runs = [_Run(open_, recipe, seed) for recipe in open_.netlists for seed in seeds]
        self._start(runs)
        return bool(runs)

    def _start(self, runs: Iterable[_Run]) -> None:
        """Runs that are to be done, or were done before."""
        for run in runs:
            if kept := self._kept(run) or self._known_run(run):
                self._take(run, kept, b"")
            else:
                self._ready.append(run)

    def _record(self, open_: _Open) -> None:
        """A job is done, and with it its twins."""
        open_.netlists.clear()
        self._work.pop(id(open_), None)
        for job in (open_.job, *open_.twins):
            results = {recipe: copy.deepcopy(open_.results[recipe]) for recipe in job.recipes}
            record = implement.assemble(
                job.identity_for(open_.seeds), job.named, job.device, open_.frame, results,
                open_.seeds,
            )  # fmt: skip
            kept = records.put(self._path, record, _failure_of(job))
            self._made.append(record)
            self._widen(job.wider(record))
            self.status.records_done += 1
            self.status.failed += record["status"] in implement.TRANSIENT
            said = headline(record) if kept else f"{headline(record)}; the record from before stays"
            self._tell(f"{job.title}: {said}")
        self._under_way = [other for other in self._under_way if other is not open_]
        # Another record of the same netlist, with other seeds, has its runs in the same place.
        if not any(self._store.same(open_.job, other.job) for other in self._under_way):
            self._store.forget(open_.job, open_.seeds)

    def _widen(self, job: Job | None) -> None:
        """One job more, where the seeds of a record spread; what was run of it is in the store."""
        if job is None:
            return
        open_ = _Open(job, job.frame())
        self._jobs.append(open_)
        self._under_way.append(open_)
        self._work[id(open_)] = self._times.job(job, self._sizes)
        self._all_work += self._work[id(open_)]
        self.status.records += 1
        self.status.runs += len(job.recipes) * (1 + len(job.seeds.of(self._sizes.lut(job))))

    def _tell(self, event: str = "") -> None:
        status = self.status
        status.event = event
        status.running = min(len(self._active), status.workers)
        gone = self._all_work - sum(self._work.values())
        remaining = sum(self._work.values()) / max(1, status.workers)
        if gone > 0:
            # As fast as until now, where that is known, and half as the estimate says.
            pace = (time.monotonic() - self._started) / gone
            remaining = (remaining + pace * sum(self._work.values())) / 2
        status.remaining = remaining if status.workers else None
        self._watch(status)


def _failure_of(job: Job) -> Callable[[Record], bool]:
    """Whether a record is a failure of a job, of before its size, and so its seeds, was known."""
    keys = {records.key(job.identity_for(seeds)) for seeds in job.seeds.sets()}
    return lambda old: old.get("status") in implement.TRANSIENT and records.key(old) in keys


def _by_our_recipes(record: Record, device: devices.Device) -> bool:
    """Whether a record was made by the commands that its recipes stand for now."""
    names = record["recipe_names"]
    placed = bool(records.seeds(record))
    return set(names) <= set(device.recipes) and records.same_recipe(
        record, {"recipe_hash": implement.recipe_hash(device, names, placed=placed)}
    )


def _whole(netlist: bytes | None) -> bytes:
    """A netlist of the store; nothing for one that is torn."""
    try:
        zlib.decompress(netlist or b"")
    except zlib.error:
        return b""
    return netlist or b""


def _by(
    known: Iterable[Record], stage: str, key: Callable[[Record], str]
) -> dict[str, list[Record]]:
    """Records of a stage, by a key of several."""
    found: dict[str, list[Record]] = {}
    for record in known:
        if record.get("stage") == stage:
            found.setdefault(key(record), []).append(record)
    return found


def headline(record: Record) -> str:
    """A record in some words."""
    words = [str(record["status"])]
    if record.get("lut") is not None:
        words.append(f"{record['lut']} LUT, {record['ff']} FF")
    if record.get("fmax_mhz"):
        words.append(f"{record['fmax_mhz']['median']:.1f} MHz")
    return ", ".join(words)
