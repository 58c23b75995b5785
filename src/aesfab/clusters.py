# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Where the runs of an exploration go: processes here, a Dask scheduler, a batch cluster.

Dask is imported only when it is needed, for it takes a second.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aesfab.errors import AesfabError

BATCH = {"slurm": "SLURMCluster", "lsf": "LSFCluster", "sge": "SGECluster", "pbs": "PBSCluster"}
"""Batch systems, as start files call them, and the class of dask-jobqueue of each."""

_PATIENCE = 10
"""Seconds in which a scheduler must answer."""


_CALM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "10s",
}
"""Settings of Dask for tasks of minutes.

By default a cluster of one worker looks at itself so often that it takes a tenth of a processor.
"""


def _quiet() -> None:
    """Leave the terminal to us: what matters of Dask's messages reaches the user as errors."""
    for name in ("distributed", "distributed.scheduler", "distributed.nanny", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


@contextlib.contextmanager
def local(jobs: int) -> Iterator[Any]:
    """A ``distributed.Client`` of processes on this machine, ``jobs`` runs at a time."""
    import dask
    import distributed

    _quiet()
    # Tools run in processes of their own, so the memory of a worker says nothing.
    with (
        dask.config.set(_CALM),  # its worker processes inherit it
        distributed.LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            processes=True,
            memory_limit=None,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
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
        yield client


@contextlib.contextmanager
def batch(path: Path, jobs: int) -> Iterator[Any]:
    """A ``distributed.Client`` of ``jobs`` jobs of a batch system, by a start file."""
    import distributed

    _quiet()
    with _cluster(path) as cluster, distributed.Client(cluster) as client:
        cluster.scale(jobs=jobs)
        yield client


def job_script(path: Path) -> str:
    """The script that a start file hands to its batch system for each job."""
    _quiet()
    with _cluster(path) as cluster:
        return str(cluster.job_script())


def _cluster(path: Path) -> Any:
    """The cluster of a start file: ``jobqueue: SYSTEM: ...`` in YAML, as dask-jobqueue has it."""
    import yaml

    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AesfabError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise AesfabError(f"{path}: not YAML: {error}") from error
    systems = found.get("jobqueue") if isinstance(found, dict) else None
    if not isinstance(systems, dict) or len(systems) != 1 or not set(systems) <= set(BATCH):
        raise AesfabError(f"{path}: wants 'jobqueue:' and under it one of {', '.join(BATCH)}")
    import dask_jobqueue

    system, settings = next(iter(systems.items()))
    words = {str(key).replace("-", "_"): value for key, value in (settings or {}).items()}
    try:
        return getattr(dask_jobqueue, BATCH[system])(
            **{"scheduler_options": {"dashboard_address": ":0"}, **words}
        )
    except (TypeError, ValueError, OSError) as error:
        raise AesfabError(f"{path}: {error}") from error
