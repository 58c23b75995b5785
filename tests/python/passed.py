# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Long checks that passed, and what such a check follows from.

They are kept in ``tests/passed.jsonl``: simulations by the netlist of the design, the check that
was made, the bench, the contract of the design and the simulator; what looks at generated files by
their text instead of the netlist; sessions with a host system by all of its text, its driver and
its C library too; what is said of synthesis for a device by the row of that in the table, and by
the code that does it. One of them is made again only when one of these has changed, but for a
sample, which always is. ``make checks`` makes all and writes the file anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import aesfab
from aesfab.design.catalogue import Named
from aesfab.devices import Device
from aesfab.eda import yosys
from aesfab.folder import generate
from aesfab.host import system as host_system
from aesfab.system import process
from aesfab.verify import verify
from kept import Kept, code

PASSED = Kept(Path(__file__).parents[1] / "passed.jsonl", "AESFAB_PASSED")
_PACKAGE = Path(aesfab.__file__).parent
_OF_MEASURE = ("floorplan", "harness", "implement")
_OF_SYNTHESIS = ("eda/finish", "eda/yosys", *(f"measure/{name}" for name in _OF_MEASURE))
_OF_VERIFY = [f"verify/{name}" for name in ("oracle", "vectors", "verify")]
JUDGES = [
    *sorted(path for path in (_PACKAGE / "verify" / "bench").iterdir() if path.is_file()),
    *(_PACKAGE / f"{name}.py" for name in ("eda/simulate", "folder/plain", *_OF_VERIFY)),
]
"""What finds a fault and says so: bench, judge, and what translates for the four-state pass."""
HOST = [_PACKAGE / "host" / f"{name}.py" for name in ("driver", "soak", "system")]
"""What drives a host system, beside its C library."""
SYNTHESIS = [_PACKAGE / f"{name}.py" for name in _OF_SYNTHESIS]
"""What synthesises and counts."""


def contract(named: Named, *more: Any) -> str:
    """What the judge takes from the parameters of a design, with anything else behind it."""
    design = named.design
    clocks = [
        (b, design.latency(b), design.interval(b), design.key_setup(b), design.blocks_in_flight)
        for b in design.key_lengths
    ]
    accepted = [
        (rule.limit, rule.period, rule.direction_change, sorted(rule.conflicts))
        for rule in (design.acceptance(b) for b in design.key_lengths)
    ]
    return repr([clocks, accepted, design.ports(), named.overrides, *more])


def of_netlist(named: Named, *functions: Callable[..., Any]) -> str:
    """Identity of a check of a design: of all that its outcome follows from.

    Args:
        named: the design.
        functions: the check, and what it calls beside bench and judge.
    """
    tools = repr(verify._tools())
    return process.content_key(
        generate.netlist_hash(named),
        _texts(functions),
        _texts(JUDGES),
        named.module,
        contract(named),
        tools,
    )


def of_text(named: Named, files: Sequence[Path], tool: str, *functions: Callable[..., Any]) -> str:
    """The same of a check of files that were generated for it, with the tools that it takes."""
    names = repr([path.name for path in files])
    return process.content_key(
        list(files), names, tool, _texts([*functions, *JUDGES]), named.module, contract(named)
    )


def of_system(system: host_system.System, *functions: Callable[..., Any]) -> str:
    """The same of a check of a host system, simulated with its driver."""
    library = [
        path
        for folder in ("include", "sim", "src")
        for path in sorted((host_system.c_folder() / folder).iterdir())
    ]
    files = [*host_system.sources(system), *library]
    built = repr([verify._tools(), system.bus, system.width, _texts(HOST)])
    return of_text(system.named, files, built, *functions)


def of_synthesis(device: Device, text: str, *functions: Callable[..., Any]) -> str:
    """The same of a check of what synthesis of a text gives for a device."""
    said = _texts([Device, *functions, *SYNTHESIS])
    return process.content_key(repr(device), text, yosys.version(), said)


def _texts(parts: Iterable[Path | Callable[..., Any]]) -> str:
    """What functions and files say, beside comments."""
    return "\n".join(map(code, parts))


def once(name: str, identity: str, check: Callable[[], object]) -> None:
    """Make a check, unless one of this identity is known to have passed.

    Args:
        name: of what it is of, for who reads the file.
        identity: of the check, see ``of_netlist``, ``of_text`` and ``of_synthesis``.
        check: raises where it fails.
    """
    if PASSED.find(identity) is None:
        check()
        PASSED.add({"of": name, "identity": identity})
