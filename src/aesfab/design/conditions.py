# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Conditions on a design that Python evaluates and SystemVerilog is printed from.

A condition is built of fields (``Field``, an axis by its name in both languages) with ``&``, ``|``
and ``~``. It holds of a design or not, and its ``text`` says the same of a constant ``Cfg`` of type
``aes_pkg::cfg_t``. A ``Name`` declares one as a local parameter; a ``Rule`` checks one.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import textwrap
from collections.abc import Callable
from typing import Any

from aesfab.design.axes import Axis

_WIDTH = 100
_ATOM, _COMPARISON, _AND, _OR = range(4)

Holds = Callable[[object], bool]
"""Whether a condition holds of a design, any object with the axes as attributes."""


@dataclasses.dataclass(frozen=True)
class Condition:
    """What is true or false of a design.

    Attributes:
        holds: says which.
        text: the same as an expression in SystemVerilog.
        axes: of which it depends.
        level: how loosely the expression binds.
    """

    holds: Holds
    text: str
    axes: frozenset[str]
    level: int = _ATOM

    def __and__(self, other: Condition) -> Condition:
        mine, its = self.holds, other.holds
        text = f"{self._within(_AND)} && {other._within(_AND)}"
        return Condition(
            lambda design: mine(design) and its(design), text, self.axes | other.axes, _AND
        )

    def __or__(self, other: Condition) -> Condition:
        mine, its = self.holds, other.holds
        text = f"{self._within(_OR)} || {other._within(_OR)}"
        return Condition(
            lambda design: mine(design) or its(design), text, self.axes | other.axes, _OR
        )

    def __invert__(self) -> Condition:
        mine = self.holds
        text = f"!{self._within(_ATOM)}"
        return Condition(lambda design: not mine(design), text, self.axes)

    def differs(self, other: Condition) -> Condition:
        """Whether one holds and the other does not."""
        mine, its = self.holds, other.holds
        text = f"{self._within(_ATOM)} != {other._within(_ATOM)}"
        axes = self.axes | other.axes
        return Condition(lambda design: mine(design) != its(design), text, axes, _COMPARISON)

    def then(self, one: int, other: int) -> Choice:
        """A number: one where this holds, else the other."""
        mine = self.holds
        return Choice(
            lambda design: one if mine(design) else other,
            f"({self._within(_ATOM)} ? {one} : {other})",
            self.axes,
        )

    def _within(self, level: int) -> str:
        """The expression as part of one; parentheses where that mixes operators."""
        alone = self.level == level or self.level <= _COMPARISON < level or self.level == _ATOM
        return self.text if alone else f"({self.text})"


@dataclasses.dataclass(frozen=True)
class Choice:
    """A number that follows from a design, and its expression."""

    of: Callable[[object], Any]
    text: str
    axes: frozenset[str]


@dataclasses.dataclass(frozen=True)
class Field:
    """An axis of a design.

    Attributes:
        axis: its name, that of the attribute.
        rtl: the field of ``cfg_t``.
    """

    axis: str
    rtl: str

    def is_(self, value: Axis | Choice) -> Condition:
        """Whether the axis has this value, or this number."""
        return self._compared("==", operator.eq, value)

    def isnt(self, value: Axis | Choice) -> Condition:
        """Whether the axis has another value."""
        return self._compared("!=", operator.ne, value)

    def over(self, value: Axis | Choice) -> Condition:
        """Whether the number of the axis is greater."""
        return self._compared(">", operator.gt, value)

    def among(self, *values: Axis) -> Condition:
        """Whether the axis has one of these values."""
        get, every = operator.attrgetter(self.axis), frozenset(values)
        text = f"Cfg.{self.rtl} inside {{{', '.join(value.rtl for value in values)}}}"
        return Condition(lambda design: get(design) in every, text, self._axes, _COMPARISON)

    def flag(self, value: Axis) -> Condition:
        """Whether the axis, a bit of ``cfg_t``, has the value that sets it."""
        get = operator.attrgetter(self.axis)
        return Condition(lambda design: get(design) is value, f"Cfg.{self.rtl}", self._axes)

    def differs(self, other: Field) -> Condition:
        """Whether two axes, of one type in the RTL, have different values there."""
        mine, its = (operator.attrgetter(f"{axis}.rtl") for axis in (self.axis, other.axis))
        text = f"Cfg.{self.rtl} != Cfg.{other.rtl}"
        axes = self._axes | other._axes
        return Condition(lambda design: mine(design) != its(design), text, axes, _COMPARISON)

    def leaves(self, dividend: int) -> Condition:
        """Whether a number divided by that of the axis leaves a rest."""
        get = operator.attrgetter(f"{self.axis}.value")
        text = f"{dividend} % Cfg.{self.rtl} != 0"
        return Condition(lambda design: dividend % get(design) != 0, text, self._axes, _COMPARISON)

    @property
    def _axes(self) -> frozenset[str]:
        return frozenset({self.axis})

    def _compared(
        self, sign: str, compare: Callable[[Any, Any], bool], value: Axis | Choice
    ) -> Condition:
        # Members compare sooner than their values.
        number = sign == ">" or isinstance(value, Choice)
        mine = operator.attrgetter(f"{self.axis}.value" if number else self.axis)
        if isinstance(value, Axis):
            of = value.value if number else value
            # A width need not be said where constants are compared.
            value = Choice(lambda _: of, value.rtl.rpartition("'d")[2], frozenset())
        its, text = value.of, f"Cfg.{self.rtl} {sign} {value.text}"
        return Condition(
            lambda design: compare(mine(design), its(design)),
            text,
            self._axes | value.axes,
            _COMPARISON,
        )


@dataclasses.dataclass(frozen=True)
class Name:
    """A name for a condition: a local parameter of the RTL.

    Attributes:
        condition: what has the name.
        name: as the RTL writes it.
        comment: what is said of it there; with one, an empty one too, a paragraph begins.
    """

    condition: Condition
    name: str
    comment: str | None = None

    def lines(self) -> list[str]:
        """Its declaration."""
        said = _comment(self.comment) if self.comment else []
        return [*said, *_wrapped(f"  localparam bit {self.name} = ", self.condition.text, ";")]


@dataclasses.dataclass(frozen=True)
class Rule:
    """What no design may be.

    Attributes:
        label: of the block that checks it in the RTL, behind ``gen_illegal_``.
        broken: the condition under which a design is illegal.
        reason: why; what a user reads, from Python and from the RTL.
        within: what holds of every design that the checking module sees, and is not asked there.
    """

    label: str
    broken: Condition
    reason: str
    within: Condition | None = None

    @functools.cached_property
    def holds(self) -> Holds:
        """Whether a design breaks it."""
        return self._whole.holds

    @property
    def axes(self) -> frozenset[str]:
        """The axes that it is of."""
        return self._whole.axes

    @property
    def _whole(self) -> Condition:
        return self.within & self.broken if self.within else self.broken

    def lines(self) -> list[str]:
        """The check, which stops elaboration."""
        begin = f"begin : gen_illegal_{self.label}"
        head = f"  if ({self.broken.text}) {begin}"
        if len(head) > _WIDTH:
            head_lines = [*_wrapped("  if (", self.broken.text, ")"), f"  {begin}"]
        else:
            head_lines = [head]
        said = f'    $fatal(1, "{self.reason}");'
        body = [said]
        if len(said) > _WIDTH:
            body = ["    $fatal(", "        1,", f'        "{self.reason}"', "    );"]
        return [*head_lines, *body, "  end"]


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="  // ", subsequent_indent="  // ")


def _wrapped(before: str, text: str, behind: str) -> list[str]:
    """An expression in lines that are not too long, broken behind its operators.

    Lines go on under the first one's operand; in lines of their own where an operand is too long to
    stand behind ``before``. An operand that is longer than a line is broken within its parentheses.
    """
    if len(before + text + behind) <= _WIDTH:
        return [before + text + behind]
    parts = _split(text)
    parts[-1] += behind
    lines, line, column = [], before, len(before)
    if len(before + parts[0]) > _WIDTH and not before.endswith("("):
        lines, column = [before.rstrip()], 6
        line = " " * column
    for part in parts:
        if column + len(part) > _WIDTH and "(" in part:
            opened = len(line) + part.index("(") + 1
            first, *rest = _split(part[part.index("(") + 1 :])
            lines.append(line + part[: part.index("(") + 1] + first)
            line = " " * opened + " ".join(rest) + " "
            continue
        # Behind an operator that ends a line is a blank.
        if len(line + part) + 1 >= _WIDTH:
            lines.append(line.rstrip())
            line = " " * column
        line += part + " "
    return [*lines, line.rstrip()]


def _split(text: str) -> list[str]:
    """An expression cut behind its outermost operators."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "({") - (letter in ")}")
        if depth == 0 and text[at : at + 4] in (" && ", " || "):
            parts.append(text[start : at + 3])
            start = at + 4
    return [*parts, text[start:]]
