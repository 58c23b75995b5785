# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What MkDocs calls while it builds the site: adds the pages that are made, and mends links.

The pages of ``docs`` are those that a reader of the repository sees. Links to the pages at its root
lead to their places in the site; links to other files of it become their names.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "src")]

from mkdocs.structure.files import File, Files  # noqa: E402

from aesfab.design import catalogue  # noqa: E402
from book import home, reference, schema, travel  # noqa: E402

AT_ROOT = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages at the root of the repository to their names in the site."""


def made() -> dict[str, str]:
    """Pages and files that are made when the site is built, by their names in it."""
    found = {
        "index.md": home.page(),
        "reference/cli.md": reference.cli_page(),
        "api.md": reference.python_page(),
        "reference/records.md": reference.schema_page(),
        "designs/index.md": reference.catalogue_page(),
    }
    found |= {f"reference/schema/{kind}.schema.json": reference.schema_text(kind)
              for kind in schema.KINDS}  # fmt: skip
    found |= {f"designs/{name}.md": reference.design_page(named)
              for name, named in catalogue.CATALOGUE.items()}  # fmt: skip
    found |= {f"theory/{page}.md": travel.page(page) for page in travel.SHOWN}
    for name, target in AT_ROOT.items():
        if target != "index.md":
            found[target] = (ROOT / name).read_text(encoding="utf-8")
    return found


def nav() -> list[Any]:
    """The contents of the site. A page of ``docs`` that is optional stands where it is there."""
    theory = [{travel.title(page): f"theory/{page}.md"} for page in travel.SHOWN]
    tutorials = [
        "tutorials/first-pipeline.md",
        "tutorials/ecp5-board.md",
        "tutorials/vivado.md",
        "tutorials/paper-to-plot.md",
        *(["litex.md"] if (ROOT / "docs" / "litex.md").exists() else []),
    ]
    guides = ["choosing.md", "board.md", "engines.md", "host.md", "exploring.md", "papers.md"]
    contents = [
        {"Home": "index.md"},
        {"Quick start": "quick-start.md"},
        {"Tutorials": tutorials},
        {"How-to guides": guides},
        {"Reference": [
            "designs/index.md", "figures.md", "classes.md", "designs.md", "reference/cli.md",
            "api.md", "reference/records.md", "registers.md", "host-link.md",
        ]},
        {"How it works": [
            "where.md", "architecture.md", *theory, "verification.md", "security.md",
        ]},
        {"Glossary": "glossary.md"},
        {"Contributing": ["first-change.md", "contributing.md", "changelog.md"]},
    ]  # fmt: skip
    # A new page is found before somebody has thought of its place.
    listed = set(listed_in(contents))
    guides += sorted(
        name
        for path in (ROOT / "docs").rglob("*.md")
        if (name := path.relative_to(ROOT / "docs").as_posix()) not in listed
    )
    return contents


def listed_in(contents: Any) -> Iterator[str]:
    """The pages of a table of contents."""
    if isinstance(contents, str):
        yield contents
    else:
        for each in contents.values() if isinstance(contents, dict) else contents:
            yield from listed_in(each)


def on_config(config: Any) -> Any:
    """Sets the contents."""
    config["nav"] = nav()
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are made, in the place of those of the same name."""
    for name, text in made().items():
        if old := files.get_file_from_path(name):
            files.remove(old)
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Mends links to files of the repository."""
    here = page.file.src_uri
    folder = "" if here in AT_ROOT.values() else posixpath.dirname(f"docs/{here}")
    return re.sub(
        r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", lambda found: _link(found, here, folder), markdown
    ).replace('src="docs/', 'src="')


def _link(found: re.Match[str], here: str, folder: str) -> str:
    """A link with its target in the site; its words alone where the site has no such file."""
    text, target = found[1], found[2]
    name, mark, anchor = target.partition("#")
    if not name or re.match(r"[a-z]+:", name):
        return found[0]
    path = posixpath.normpath(posixpath.join(folder, name))
    if path in AT_ROOT:
        inside = AT_ROOT[path]
    elif path.startswith("docs/"):
        inside = path.removeprefix("docs/")
    elif (ROOT / path).exists():
        return text if text.startswith("`") else f"{text} (`{path}`)"
    else:
        return found[0]
    start = posixpath.dirname(here) or "."
    return f"[{text}]({posixpath.relpath(inside, start)}{mark}{anchor})"
