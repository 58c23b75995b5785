# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Where the runs of an exploration go: processes here, a Dask scheduler, a batch cluster.

Dask is imported only when it is needed, for it takes a second.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aesfab.errors import AesfabError, ToolError
from aesfab.system import files

BATCH = {"slurm": "SLURMCluster", "lsf": "LSFCluster", "sge": "SGECluster", "pbs": "PBSCluster"}
"""Batch systems, as start files call them, and the class of dask-jobqueue of each."""

_PATIENCE = 10
"""Seconds in which a scheduler must answer."""


_RESUBMIT = 30
"""Seconds between looks at whether jobs of a batch system have ended."""

_MOST_CORES = 4096
"""Of a job: more than any machine has."""

_LISTS = {
    *("worker_extra_args", "job_script_prologue", "job_extra_directives"),
    *("job_directives_skip", "worker_command_prologue"),
}
"""Settings of start files that are lists of texts."""

_CALM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "10s",
}
"""Settings of Dask for tasks of minutes.

By default a cluster of one worker looks at itself so often that it takes a tenth of a processor.
"""


_LOUD = ("distributed", "tornado", "asyncio")
"""Where loggers of libraries begin that say what the user hears from us."""


def _quiet() -> None:
    """Leave the terminal to us: what matters of Dask's messages reaches the user as errors."""
    # Dask gives some of its loggers levels and outputs of their own when it is imported.
    known = [name for name in logging.root.manager.loggerDict if name.startswith(_LOUD)]
    for name in (*_LOUD, *known):
        logging.getLogger(name).setLevel(logging.CRITICAL)


@contextlib.contextmanager
def local(jobs: int) -> Iterator[Any]:
    """A ``distributed.Client`` of processes on this machine, ``jobs`` runs at a time."""
    import dask
    import distributed

    _quiet()
    # Tools run in processes of their own, so the memory of a worker says nothing.
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(_CALM))  # its worker processes inherit it
        try:
            cluster = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    processes=True,
                    memory_limit=None,
                    # None would look for the usual port, and warn where another exploration is.
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
            )
            client = stack.enter_context(distributed.Client(cluster))
        except (OSError, RuntimeError, ValueError, TimeoutError) as error:
            raise ToolError(f"cannot start {jobs} workers here: {_line(error)}") from error
        yield client


@contextlib.contextmanager
def connect(address: str) -> Iterator[Any]:
    """A ``distributed.Client`` of a scheduler (``tcp://host:8786``).

    AesfabError when nothing answers there.
    """
    import distributed

    _quiet()
    try:
        client = distributed.Client(address, timeout=_PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise AesfabError(f"no Dask scheduler answers at {address}") from error
    with client:
        _require_aesfab(client, address)
        yield client


def _require_aesfab(client: Any, address: str) -> None:
    """AesfabError where the scheduler or one of the workers that are there has no AESFab."""
    version, package = importlib.metadata.version, "aesfab"
    try:
        client.run_on_scheduler(version, package)
    except Exception as error:
        raise AesfabError(f"the scheduler at {address} has no AESFab ({_line(error)})") from error
    for worker, said in client.run(version, package, on_error="return").items():
        if isinstance(said, Exception):
            raise AesfabError(f"the worker {worker} has no AESFab ({_line(said)})")


@contextlib.contextmanager
def batch(path: Path, jobs: int) -> Iterator[Any]:
    """A ``distributed.Client`` of ``jobs`` jobs of a batch system, by a start file.

    A job that ends, at its walltime for example, is followed by another. AesfabError when the first
    ones cannot be submitted.
    """
    import distributed
    import tornado.ioloop

    async def submit() -> None:
        cluster.scale(jobs=jobs)
        await cluster._correct_state()

    async def again() -> None:
        # Refused now, it may be taken the next time; what runs goes on.
        with contextlib.suppress(Exception):
            await submit()

    async def watch() -> tornado.ioloop.PeriodicCallback:
        periodic = tornado.ioloop.PeriodicCallback(again, 1000 * _RESUBMIT)
        periodic.start()
        return periodic

    async def stop(periodic: tornado.ioloop.PeriodicCallback) -> None:
        periodic.stop()

    _quiet()
    with _cluster(path) as cluster:
        try:
            cluster.sync(submit)
        except Exception as error:
            # What was never started cannot be ended.
            cluster._created.clear()
            cluster.workers.clear()
            raise AesfabError(f"{path}: cannot submit jobs: {_line(error)}") from error
        with distributed.Client(cluster) as client:
            periodic = cluster.sync(watch)
            try:
                yield client
            finally:
                cluster.sync(stop, periodic)


def job_script(path: Path) -> str:
    """The script that a start file hands to its batch system for each job."""
    _quiet()
    with _cluster(path) as cluster:
        try:
            return str(cluster.job_script())
        except Exception as error:
            raise AesfabError(f"{path}: {_line(error)}") from error


def _line(error: Exception) -> str:
    """An error of a library in a line."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def runs_of_a_job(path: Path) -> int:
    """How many runs at a time a job of a start file does: its ``cores``, 1 where it says none."""
    return int(_settings(path)[1].get("cores", 1))


def _settings(path: Path) -> tuple[str, dict[str, Any]]:
    """System and settings of a start file: ``jobqueue: SYSTEM: ...`` in YAML."""
    import yaml

    try:
        found = yaml.safe_load(files.small_text(path, "the start file"))
    except (yaml.YAMLError, ValueError) as error:
        raise AesfabError(f"{path}: not YAML: {error}") from error
    except RecursionError as error:
        raise AesfabError(f"{path}: nested too deeply") from error
    systems = found.get("jobqueue") if isinstance(found, dict) else None
    if not isinstance(systems, dict) or len(systems) != 1 or not set(systems) <= set(BATCH):
        raise AesfabError(f"{path}: wants 'jobqueue:' and under it one of {', '.join(BATCH)}")
    system, settings = next(iter(systems.items()))
    settings = {} if settings is None else settings
    if not isinstance(settings, dict):
        raise AesfabError(f"{path}: '{system}' wants settings, not {reprlib.repr(settings)}")
    words = {str(key).replace("-", "_"): value for key, value in settings.items()}
    if "n_workers" in words:
        raise AesfabError(f"{path}: 'n-workers' is what --jobs says")
    for key in ("cores", "processes"):
        number = words.get(key, 1)
        if type(number) is not int or not 1 <= number <= _MOST_CORES:
            raise AesfabError(f"{path}: '{key}' wants a number from 1 to {_MOST_CORES}")
    for key in _LISTS & set(words):
        if not isinstance(words[key], list) or any(type(v) is not str for v in words[key]):
            raise AesfabError(f"{path}: '{key.replace('_', '-')}' wants a list of texts")
    return system, words


def _cluster(path: Path) -> Any:
    """The cluster of a start file, as dask-jobqueue has it."""
    import dask_jobqueue

    system, words = _settings(path)
    try:
        return getattr(dask_jobqueue, BATCH[system])(
            **{"scheduler_options": {"dashboard_address": ":0"}, **words}
        )
    except Exception as error:
        # Dask takes the settings as they are, and falls over them in many ways.
        raise AesfabError(f"{path}: {_line(error)}") from error
