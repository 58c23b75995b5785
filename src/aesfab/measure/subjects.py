# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is measured under a name: the designs of the catalogue, and engines.

A pattern such as ``*`` or ``*-ram`` is of designs. It is of engines where no design is like it:
``gcm-*``, ``xts-narrow``. So a request for every design does not grow by engines.
"""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from aesfab.design import catalogue
from aesfab.design.axes import require_known
from aesfab.design.catalogue import CATALOGUE, Named
from aesfab.engine import every as engines
from aesfab.engine import hdl
from aesfab.engine.family import Entry
from aesfab.errors import unknown
from aesfab.folder import generate
from aesfab.measure import implement
from aesfab.records import Record

LISTED = "'aesfab list' shows them"
"""Where the names are that are too many for one line."""


class Subject(implement.Subject, Protocol):
    """What can be measured, with the axes that were changed of what has its name."""

    @property
    def overrides(self) -> tuple[tuple[str, str], ...]: ...  # noqa: D102


def names() -> list[str]:
    """The names of all designs, and of all engines behind them."""
    return [*CATALOGUE, *engines.names()]


@functools.cache
def known(name: str) -> Subject | None:
    """The design or engine of a name; None where there is none any more."""
    return find(name) if is_name(name) else None


def changed(record: Record) -> list[str] | None:
    """The axes of a record that are not its design's or engine's own, as ``generate`` takes them.

    None where there is no design or engine of its name any more.
    """
    of = known(record["design"])
    if of is None:
        return None
    usual = of.design.every_axis()
    return [f"{a}={v}" for a, v in record.get("parameters", {}).items() if usual.get(a, v) != v]


def is_engines(pattern: str) -> bool:
    """Whether a pattern is of engines: no design is like it."""
    return not fnmatch.filter(CATALOGUE, pattern)


def find(name: str, overrides: Sequence[str] = ()) -> Subject:
    """The design or engine of a name; AesfabError as ``catalogue.find`` and ``every.find``."""
    require_name(name)
    if engines.is_engine(name):
        return engines.find(name, overrides)
    return catalogue.find(name, overrides)


def is_name(name: str) -> bool:
    """Whether a design or an engine has a name."""
    return name in CATALOGUE or engines.is_engine(name)


def require_name(name: str) -> None:
    """AesfabError for a name of no design and no engine, with those of both that come near it."""
    if not is_name(name):
        raise unknown("design", name, names(), see=LISTED)


def require_axis(name: str, axis: str, value: str) -> None:
    """AesfabError where what has a name has no such axis, or the axis no such value."""
    if engines.is_engine(name):
        engines.find(name).engine.with_axis(axis, value)
    else:
        require_known(axis, value)


def present(of: Subject) -> generate.AnyPresent:
    """What tells which records are of a design or an engine as its RTL is."""
    if isinstance(of, Entry):
        return hdl.Present(of)
    assert isinstance(of, Named), of
    return generate.Present(of)


def sources(of: Subject) -> list[Path]:
    """The files of a design or engine in compilation order; AesfabError for one that is illegal."""
    return present(of).sources()
