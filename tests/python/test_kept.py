# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is kept of a check is known by what the code does, not by how it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

import kept

PLAIN = '''
from aesfab import one


def double(x):
    """Twice a number."""
    return 2 * x  # as it says
'''


def _code(folder: Path, text: str, name: str = "code.py") -> str:
    path = folder / name
    path.write_text(text)
    return kept.code(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  # as it says", ""),
        ("Twice a number.", "The double of a number."),
        ("from aesfab import one", "from aesfab.other import one, two"),
        ("2 * x", "(2 * x)"),
    ],
)
def test_another_text_of_the_same_code(old: str, new: str, tmp_path: Path) -> None:
    assert old in PLAIN
    assert _code(tmp_path, PLAIN) == _code(tmp_path, PLAIN.replace(old, new))


@pytest.mark.parametrize(("old", "new"), [("2 * x", "3 * x"), ("double", "twice")])
def test_other_code(old: str, new: str, tmp_path: Path) -> None:
    assert old in PLAIN
    assert _code(tmp_path, PLAIN) != _code(tmp_path, PLAIN.replace(old, new))


def test_other_files_are_their_text(tmp_path: Path) -> None:
    assert _code(tmp_path, "// one\n", "bench.cpp") != _code(tmp_path, "// two\n", "bench.cpp")


VERILOG = """\
// A head.
module m; /* over
lines */
  initial $display("// no comment \\" // none");  // gone

  // verilator lint_off WIDTH
endmodule
"""


def test_verilog_without_comments() -> None:
    """Strings stay as they are, and so does what a tool reads in a comment."""
    assert kept.hdl_code(VERILOG).splitlines() == [
        "module m;",
        '  initial $display("// no comment \\" // none");',
        "  // verilator lint_off WIDTH",
        "endmodule",
    ]
    assert kept.hdl_code(VERILOG.replace("gone", "other")) == kept.hdl_code(VERILOG)
    for old, new in (("no comment", "other"), ("lint_off", "lint_on"), ("initial", "final")):
        assert kept.hdl_code(VERILOG.replace(old, new)) != kept.hdl_code(VERILOG)
