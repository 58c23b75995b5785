# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""No index of the RTL leaves its array or vector, or simulation says so.

Where an index is out of range, a simulator reads something else than synthesis makes. So each index
that is no constant is looked at, in every elaborated design. One that follows from variables of
loops, and from what functions are called with, is tried with all their values. One that follows
from signals either has no bit too many for the range, or an assertion in its module bounds it:
``assert (4'(index) < 4'(Number))``, which runs in simulation.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from pyslang import ast

from aesfab.board import boards
from aesfab.board import top as board_top
from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.design.combinations import combinations
from aesfab.engine import catalogue as engines
from aesfab.engine import every
from aesfab.engine import hdl as engine_hdl
from aesfab.engine.streams import catalogue as streams
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.host import system

pytestmark = pytest.mark.kept("src/aesfab/design", "src/aesfab/hdl", "src/aesfab/board", "rtl")

_LONGEST_LOOP = 4096


def _plain(expression: Any) -> Any:
    """An expression without conversions around it."""
    while isinstance(expression, ast.ConversionExpression):
        expression = expression.operand
    return expression


def _text(expression: Any) -> str:
    text = re.sub(r"\s", "", str(expression.syntax))
    return text[1:-1] if re.fullmatch(r"\(\w+\)", text) else text


_Looked = dict[tuple[str, ...], tuple[int, set[str]]]
"""A module and its parameters to what was found in it: many designs have it."""


class _Walk:
    """Looks at the indices of an elaborated module and of all below it.

    Attributes:
        found: number of indices that are no constants.
        wrong: those that can leave their range, as module and text.
    """

    def __init__(self, top: Any, looked: _Looked) -> None:
        self.looked = looked
        self.found = 0
        self.wrong: set[str] = set()
        self.module = ""
        self.bounds: dict[str, int] = {}
        self.context = ast.EvalContext(top)
        self.context.pushEmptyFrame()
        self._look_into(top)

    def _look_into(self, instance: Any) -> None:
        """A module: its assertions first, then everything in it, then the modules below."""
        below: list[Any] = []
        nodes: list[Any] = []

        def collect(node: Any) -> Any:
            if getattr(node, "isUninstantiated", False) or isinstance(node, ast.SubroutineSymbol):
                return ast.VisitAction.Skip
            if isinstance(node, ast.InstanceSymbol) and node is not instance:
                below.append(node)
                return ast.VisitAction.Skip
            if isinstance(node, ast.ImmediateAssertionStatement):
                nodes.append(node.cond)
            return ast.VisitAction.Advance

        instance.visit(collect)
        self.module = instance.definition.name
        self.bounds = {}
        for compared in map(_plain, nodes):
            if getattr(compared, "op", None) is ast.BinaryOperator.LessThan:
                limit = self._value(compared.right)
                if limit is not None:
                    self.bounds[_text(_plain(compared.left))] = limit
        values = [
            f"{each.name}={getattr(each, 'value', None)}" for each in instance.body.parameters
        ]
        key = (self.module, *values)
        if key not in self.looked:
            before, wrong = self.found, self.wrong
            self.wrong = set()
            self._look_at(instance, instance)
            for each in below:
                # What is connected to its ports stands outside of it.
                for connection in each.portConnections:
                    if connection.expression is not None:
                        self._look_at(connection.expression)
            self.looked[key] = (self.found - before, self.wrong)
            self.found, self.wrong = before, wrong
        found, wrong = self.looked[key]
        self.found += found
        self.wrong |= wrong
        for each in below:
            self._look_into(each)

    def _look_at(self, root: Any, instance: Any = None) -> None:
        """Everything below a node, with loops run and functions called."""

        def visit(node: Any) -> Any:
            if getattr(node, "isUninstantiated", False) or isinstance(node, ast.SubroutineSymbol):
                return ast.VisitAction.Skip
            if isinstance(node, ast.InstanceSymbol) and node is not instance:
                return ast.VisitAction.Skip
            match node:
                case ast.ForLoopStatement():
                    self._run(node)
                    return ast.VisitAction.Skip
                case ast.ConditionalStatement() | ast.ConditionalExpression():
                    return self._choose(node)
                case ast.CallExpression() if not node.isSystemCall:
                    self._call(node)
                case ast.ElementSelectExpression():
                    self._select(node, node.selector, 1)
                case ast.RangeSelectExpression():
                    if node.selectionKind is not ast.RangeSelectionKind.Simple:
                        self._select(node, node.left, self._value(node.right) or 1)
            return ast.VisitAction.Advance

        root.visit(visit)

    def _run(self, loop: Any) -> None:
        for variable in loop.loopVars:
            self.context.createLocal(variable, variable.initializer.eval(self.context))
        for _ in range(_LONGEST_LOOP):
            if not self._value(loop.stopExpr):
                break
            self._look_at(loop.body)
            for step in loop.steps:
                step.eval(self.context)
        else:
            self.wrong.add(f"{self.module}: a loop whose end is not known: {_text(loop)[:60]}")
        for variable in loop.loopVars:
            self.context.deleteLocal(variable)

    def _choose(self, node: Any) -> Any:
        """Of a choice that is known, what is chosen."""
        known = [self._value(each.expr) for each in node.conditions]
        if any(value is None for value in known):
            return ast.VisitAction.Advance
        statement = isinstance(node, ast.ConditionalStatement)
        yes, no = (node.ifTrue, node.ifFalse) if statement else (node.left, node.right)
        if (chosen := yes if all(known) else no) is not None:
            self._look_at(chosen)
        return ast.VisitAction.Skip

    def _call(self, call: Any) -> None:
        """The body of a function, with what is known of its arguments."""
        bound = []
        for formal, actual in zip(call.subroutine.arguments, call.arguments, strict=True):
            value = actual.eval(self.context)
            if value is not None and value.value is not None:
                self.context.createLocal(formal, value)
                bound.append(formal)
        self._look_at(call.subroutine.body)
        for formal in bound:
            self.context.deleteLocal(formal)

    def _select(self, node: Any, selector: Any, width: int) -> None:
        kind = node.value.type.canonicalType
        span = kind.range if hasattr(kind, "range") else kind.fixedRange
        low, high = sorted((span.left, span.right))
        value = self._value(selector)
        self.found += 1
        if value is None:
            bits = selector.effectiveWidth or selector.type.bitWidth
            least, most = 0, 2**bits - 1
            limit = self.bounds.get(_text(_plain(selector)))
            if limit is not None:
                most = min(most, limit - 1)
        else:
            least = most = value
        if isinstance(node, ast.RangeSelectExpression):
            if node.selectionKind is ast.RangeSelectionKind.IndexedUp:
                most += width - 1
            else:
                least -= width - 1
        if least < low or most > high:
            self.wrong.add(f"{self.module}: {_text(node)} of [{low}, {high}]")

    def _value(self, expression: Any) -> int | None:
        """The value of an expression where it follows from constants and what is bound here."""
        found = expression.eval(self.context)
        value = found.value if found is not None else None
        if value is None or getattr(value, "hasUnknown", False):
            return None
        return int(value)


def _walk(text: str, top: str, looked: _Looked | None = None) -> _Walk:
    compilation = rtl.elaborate(text, top)
    (instance,) = compilation.getRoot().topInstances
    return _Walk(instance, {} if looked is None else looked)


def test_no_index_leaves_its_range() -> None:
    """In no design of the catalogue or any combination of axes, host system or engine."""
    looked: _Looked = {}
    tops = [(generate.wrapper(named), named.module) for named in catalogue.CATALOGUE.values()]
    for number, combination in enumerate(combinations()):
        if not combination.reasons:
            named = Named(f"combination-{number}", "", "", combination.design)
            tops.append((generate.wrapper(named), named.module))
    # Choices that no combination needs: round keys made in stages, stored keys of one block.
    for name, words in (
        ("standaert-ram-pipeline-21", ("key_schedule=stored", "key_expansion=staged")),
        ("fab-narrow-both", ("sbox_levels=1", "key_sbox=tower")),
        ("fab-narrow-256", ("sbox_levels=1", "key_sbox=tower")),
    ):
        named = catalogue.find(name, words)
        tops.append((generate.wrapper(named), named.module))
    for bus, width in [(each, width) for each in system.Bus for width in each.widths]:
        host = system.System(catalogue.find("kakarlapudi-sbox-both-any"), bus, width)
        tops.append((system.wrapper(host), host.module))
    tops += [(engine_hdl.wrapper(named), named.module) for named in map(every.find, every.names())]
    chained = streams.find("cbc-streams-interleaved-ram", ("modes=chained",))
    tops.append((engine_hdl.wrapper(chained), chained.module))
    # Packets that wait until their tag is right are a choice that no named engine makes.
    held = engines.find("gcm-interleaved-ram", ("release=verified",))
    tops.append((engine_hdl.wrapper(held), held.module))
    # Boards, around cores with keys of both kinds.
    for board in boards.shipped().values():
        for name in ("fab-tiny", "pilchard-unrolled-1"):
            named = catalogue.find(name)
            text = board_top.text(board, named)
            tops.append((f"{generate.wrapper(named)}\n{text}", board_top.TOP))
    wrong: dict[str, str] = {}
    for text, top in tops:
        walk = _walk(text, top, looked)
        assert walk.found, top
        wrong |= dict.fromkeys(walk.wrong, top)
    assert not wrong
    modules = {key[0] for key in looked}
    everything = {path.stem for path in rtl.sources() if not path.stem.endswith(("_pkg", "_if"))}
    assert everything - modules == set()


_FOUND = {
    "a loop": ("for (int w = 0; w < 2; w++) q[w^1] = d[0];", "q[w^1] of [0, 0]"),
    "a signal": ("q = {1'b0, d[a]};", "d[a] of [0, 2]"),
    "a part": ("q = d[2*a[0]+:2];", "d[2*a[0]+:2] of [0, 2]"),
    "a write": ("q = '0; q[b[0]] = 1'b1;", "q[b[0]] of [0, 0]"),
    "a function": ("q[0] = pick(d);", "bits[i+1] of [0, 2]"),
    "an element": ("q[0] = table_q[b];", "table_q[b] of [0, 4]"),
    "an assertion with a bound too high": (
        "q[0] = table_q[b]; assert (4'(b) < 4'd6);", "table_q[b] of [0, 4]"
    ),
}  # fmt: skip
_RIGHT = {
    "a loop": "for (int w = 0; w < 3; w++) if (w > 0) q[0] ^= d[w-1];",
    "a loop in a loop": "for (int i = 0; i < 2; i++) for (int w = i; w < 2; w++) q[0] ^= d[w+i];",
    "a signal": "q[0] = d[a[0]];",
    "an assertion": "q[0] = table_q[b]; assert (4'(b) < 4'd5);",
    "a choice": "q[0] = ($bits(d) == 3) ? d[2] : d[4'd3 + 4'(a)];",
}


def _module(statement: str) -> str:
    return f"""
module aes_made_up (
  input logic [2:0] d,
  input logic [1:0] a,
  input logic [2:0] b,
  input logic table_q[5],
  output logic [0:0] q
);
  function automatic logic pick(logic [2:0] bits);
    pick = 1'b0;
    for (int i = 0; i < 3; i++) pick ^= bits[i+1];
  endfunction
  always_comb begin
    q = '0;
    {statement}
  end
endmodule
"""


@pytest.mark.parametrize("what", _FOUND)
def test_index_that_can_leave_its_range_is_found(what: str) -> None:
    """Of every kind; so the walk over the RTL says something."""
    statement, said = _FOUND[what]
    assert _walk(_module(statement), "aes_made_up").wrong == {f"aes_made_up: {said}"}


@pytest.mark.parametrize("what", _RIGHT)
def test_index_that_cannot_leave_its_range_is_not(what: str) -> None:
    """Loops end where they end, branches that are not taken do not count."""
    walk = _walk(_module(_RIGHT[what]), "aes_made_up")
    assert walk.found
    assert not walk.wrong
