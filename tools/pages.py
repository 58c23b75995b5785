# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Markdown of the pages that are made from records and descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    return [_row(head), "|---" * len(head) + "|", *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def between(page: str, begin: str, end: str, text: str) -> str:
    """A page with a text in the place of what is between two marks.

    Raises:
        ValueError: the page has not both of them once, in this order.
    """
    before, first, rest = page.partition(begin)
    _, second, after = rest.partition(end)
    if not (first and second) or begin in rest or end in before + after:
        raise ValueError(f"a page needs '{begin}' and '{end}' once")
    return f"{before}{begin}\n\n{text}\n{end}{after}"
