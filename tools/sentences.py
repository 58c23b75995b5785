# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""How long the sentences of a page are: ``tools/sentences.py PAGE ...`` prints count and median.

Tables, code blocks, headings and HTML are no sentences. A word is what stands between blanks; code
in backticks is one word.
"""

from __future__ import annotations

import re
import statistics
import sys
from pathlib import Path


def lengths(page: str) -> list[int]:
    """Words of each sentence of a page in Markdown."""
    page = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    page = re.sub(r"^<picture>.*?^</picture>$", "", page, flags=re.MULTILINE | re.DOTALL)
    found = []
    for block in re.split(r"\n\s*\n", page):
        lines = [line for line in block.splitlines() if not re.match(r"\s*(\||#|<!--)", line)]
        # A point of a list begins a sentence.
        for item in re.split(r"^\s*(?:[-*]|\d+\.) ", "\n".join(lines), flags=re.MULTILINE):
            text = re.sub(r"`[^`]*`", "code", " ".join(item.split()))
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`*\[(]|code\b)", text):
                if words := sentence.split():
                    found.append(len(words))
    return found


def main() -> int:
    """Entry point."""
    for name in sys.argv[1:]:
        found = lengths(Path(name).read_text(encoding="utf-8"))
        median, longest = statistics.median(found or [0]), max(found, default=0)
        print(f"{name}: {len(found)} sentences, median {median:g} words, longest {longest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
