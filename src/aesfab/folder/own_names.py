# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Names of a generated folder: its modules, packages, interfaces and macros get its own.

A project has one name space for all of them. So that several cores stand in one project, beside
each other and beside somebody else's ``aes_core``, what is inside a core carries the name of its
top module: ``aes_sub_bytes`` of the RTL is ``aes_fab_tiny_inner_v1_2_sub_bytes`` in the folder of
``aes_fab_tiny`` that version 1.2 writes. No name of the RTL has the word ``inner`` in it, so no two
top modules lead to one name inside. (Two underscores in a row would be shorter, but Verilator 5.048
does not find such a module where no instance of it is elaborated.)
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aesfab import __version__
from aesfab.design.catalogue import LONGEST_MODULE
from aesfab.errors import AesfabError
from aesfab.hdl import rtl

if TYPE_CHECKING:
    import pyslang

OF_RTL = "aes_"
"""What the names of the RTL begin with; macros in capitals."""

INNER = f"_inner_v{re.sub('[^0-9A-Za-z]+', '_', __version__)}_"
"""What stands between the name of a top module and that of a module inside: with the version, so
that cores of one name of two AESFab versions can stand in two libraries of a project."""

_LONGEST_PREFIX = LONGEST_MODULE + len("_inner_v_") + 20
"""Characters of a prefix: the longest top module, what stands behind it, and any version."""


@dataclasses.dataclass(frozen=True)
class Names:
    """The names of one folder.

    Attributes:
        top: its top module, which keeps its name.
        prefix: what the others have instead of ``aes_``.
        more: those inside that are not of the list of RTL sources, as they are called there.
    """

    top: str
    prefix: str
    more: tuple[str, ...] = ()

    @classmethod
    def of(cls, top: str, prefix: str = "", more: Sequence[str] = ()) -> Names:
        """The names for a top module; those inside begin with it and ``INNER`` by default.

        Args:
            top: the top module.
            prefix: what those inside begin with.
            more: see ``Names``.

        Raises AesfabError for what is no name, or where two modules would get one.
        """
        require_name(top)
        if prefix != OF_RTL and top in (*declared(), *more):
            raise AesfabError(f"'{top}' is a name of AESFab's own RTL; take another name")
        if not prefix and top.endswith("_"):
            raise AesfabError(f"'{top}' ends with an underscore; give a prefix with it")
        if prefix:
            require_name(prefix, "prefix", _LONGEST_PREFIX)
        names = cls(top, prefix or top + INNER, tuple(more))
        inside = set(names.renamed.values())
        for name in (top, f"tb_{top}"):
            if name in inside:
                raise AesfabError(
                    f"a module inside would be called '{name}' too; take another name or prefix"
                )
        return names

    @functools.cached_property
    def renamed(self) -> dict[str, str]:
        """Each name of the RTL to that in the folder."""
        return {
            name: (self.prefix + name.removeprefix(OF_RTL))
            if name.islower()
            else (self.prefix.upper() + name.removeprefix(OF_RTL.upper()))
            for name in (*declared(), *self.more)
        }

    def apply(self, text: str) -> str:
        """SystemVerilog with these names in code, comments and strings; the rest is as it was."""
        return "".join(
            self.renamed.get(piece, piece) if is_name else self.in_prose(piece)
            for piece, is_name in _pieces(text)
        )

    def in_prose(self, text: str) -> str:
        """A text with these names, wherever a name of the RTL is a word of it."""
        return re.sub(r"(?<![\w$])[A-Za-z]\w*", lambda m: self.renamed.get(m[0], m[0]), text)

    def file(self, path: Path) -> str:
        """The name of a file that is called as the module in it."""
        return self.renamed.get(path.stem, path.stem) + path.suffix


def require_name(text: str, what: str = "name", longest: int = LONGEST_MODULE) -> None:
    """AesfabError unless a text can name a module, in every tool."""
    if not re.fullmatch(r"[A-Za-z](_?[A-Za-z0-9])*_?", text, re.ASCII):
        raise AesfabError(
            f"'{text}' is no {what} of a module: a letter, then letters, digits and single "
            "underscores"
        )
    if len(text) > longest:
        raise AesfabError(f"a {what} of a module has {longest} characters at most")
    if not is_plain(text):
        raise AesfabError(f"'{text}' is a keyword of SystemVerilog and no {what} of a module")


def is_plain(text: str) -> bool:
    """Whether a text is an identifier of SystemVerilog that needs no escape."""
    return re.fullmatch(r"[A-Za-z_]\w*", text, re.ASCII) is not None and (
        _is_identifier(next(_tokens(text)))
    )


@functools.cache
def declared() -> tuple[str, ...]:
    """What the RTL declares in the name space of a project: its modules, packages, macros ...

    In the order of its files.
    """
    keywords = ("module", "package", "interface")
    found = []
    for path in rtl.sources():
        declares = False
        for token in _tokens(path.read_text()):
            if declares and _is_identifier(token):
                found.append(token.rawText)
            declares = token.rawText in (*keywords, "`define")
    return tuple(found)


def _is_identifier(token: pyslang.parsing.Token) -> bool:
    return token.kind.name == "Identifier"


def _tokens(text: str) -> Iterator[pyslang.parsing.Token]:
    """The tokens of a text as it stands, macros and directives among them, to the end of it."""
    import pyslang

    manager = pyslang.SourceManager()
    # The lexer looks into these as long as its tokens are used.
    memory, diagnostics = pyslang.BumpAllocator(), pyslang.Diagnostics()
    buffer = manager.assignText("text.sv", text)
    lexer = pyslang.parsing.Lexer(buffer, memory, diagnostics, manager)
    while True:
        token = lexer.lex()
        yield token
        if token.kind is pyslang.parsing.TokenKind.EndOfFile:
            return


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """A text in pieces; whether each is an identifier, or prose: a comment, a string, the rest."""
    for token in _tokens(text):
        for trivia in token.trivia:
            yield trivia.getRawText(), False
        if token.kind.name == "Directive":
            # A macro that is used: the mark before its name.
            yield token.rawText[:1], False
            yield token.rawText[1:], True
        else:
            yield token.rawText, _is_identifier(token)
