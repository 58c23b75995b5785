# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Engines of both kinds, of packets and of streams: by their names, and their folders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aesfab.engine import catalogue
from aesfab.engine.catalogue import NamedEngine
from aesfab.engine.folder import AnyFolder, Folder
from aesfab.engine.streams import catalogue as streams
from aesfab.engine.streams.catalogue import NamedStreams
from aesfab.engine.streams.folder import Folder as StreamsFolder
from aesfab.errors import unknown

FOLDERS: tuple[type[AnyFolder[Any]], ...] = (Folder, StreamsFolder)
"""The kinds of folders of engines."""


def names() -> list[str]:
    """The names of all engines."""
    return [*catalogue.CATALOGUE, *streams.CATALOGUE]


def is_engine(name: str) -> bool:
    """Whether a name is one of an engine."""
    return name in catalogue.CATALOGUE or name in streams.CATALOGUE


def find(name: str, overrides: Sequence[str] = ()) -> NamedEngine | NamedStreams:
    """The engine of a name, with ``axis=value`` overrides; AesfabError where there is none."""
    if not is_engine(name):
        raise unknown("engine", name, names())
    if name in streams.CATALOGUE:
        return streams.find(name, overrides)
    return catalogue.find(name, overrides)


def folder(
    named: NamedEngine | NamedStreams, output_format: str = "systemverilog", prefix: str = ""
) -> AnyFolder[Any]:
    """The folder of an engine, see ``folder.AnyFolder``."""
    if isinstance(named, NamedStreams):
        return StreamsFolder(named, output_format, prefix)
    return Folder(named, output_format, prefix)
