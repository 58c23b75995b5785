# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs by SAT over the clocks of a miter of ``tests/formal``, and damages to the RTL in it.

What proofs say is kept in ``tests/formal/proved.jsonl``, by what is proved: commands, tool and the
elaborated netlist; and by the text of the modules that a miter uses, so that an RTL that is as it
was is not even elaborated. A proof runs only when one of these has changed, but for a sample, which
always does. ``make proofs`` elaborates everything, runs what is new and writes the file anew.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aesfab.eda import yosys
from aesfab.errors import ToolError
from aesfab.hdl import fingerprint, rtl
from aesfab.system import process
from kept import Kept, code, in_sample

MITERS = Path(__file__).parents[1] / "formal"
_BESIDE = tuple(MITERS.parents[1] / "host" / name for name in ("rules", "soc/rtl"))
"""Folders with modules that a miter may use beside the RTL."""
_ELABORATION = (
    *("hierarchy -check", "proc", "flatten"),
    "opt_clean",  # mapping a memory that nothing reads takes long
    *("write_rtlil miter.il", "memory_collect", "write_json miter.json"),
)
_PREPARATION = ("memory_map", "opt -full", "async2sync")
"""What Yosys does between the netlist that a proof is known by and the proof."""
CORE = ("aes_core",)
"""The core of ``tests/formal/stub``, which does what it likes within its contract."""
Damage = Callable[[Path], None]


def _claim(record: Mapping[str, Any]) -> str:
    """What is claimed, as text, of a claim or of a record, which holds one."""
    return json.dumps([record[name] for name in ("miter", "options", "proof", "tools")])


def _identity(record: Mapping[str, Any]) -> str:
    """Of what is proved; of its text where there is no netlist of it."""
    return process.content_key(_claim(record), record["netlist_hash"] or record["text"])


def _text(record: Mapping[str, Any]) -> str:
    return str(record["text"])


PROVED = Kept(MITERS / "proved.jsonl", "AESFAB_PROOFS", _identity)
PROVED_TEXTS = Kept(PROVED.path, "AESFAB_PROOFS", _text)
HOLDS, REFUTED = "holds", "refuted"
"""What a proof says; anything else is what the RTL says to parameters that it does not offer."""


def sat(claim: str, clocks: int, *given: str, value: int = 1) -> str:
    """The command that proves that an output has a value in each of the first clocks.

    For every input; registers start with anything.

    Args:
        claim: the output.
        clocks: how many.
        given: more of the command: ``-prove-skip N`` leaves the first N clocks out.
        value: what the output has.
    """
    return f"sat -verify -seq {clocks} {' '.join(given)} -prove {claim} {value}"


def engine_proofs(claim: str) -> tuple[str, str]:
    """Proofs of a claim on a packet engine, in whose back a decision comes before what it does.

    The claim holds two clocks after any state, and in the clocks after a reset.
    """
    later = sat(claim, 4, "-set rst_ni 1", "-prove-skip 3")
    after = (f"-set-at {clock} rst_ni {int(clock > 1)}" for clock in range(1, 5))
    return later, sat(claim, 4, *after, "-prove-skip 1")


def prove(
    miter: str,
    options: str,
    *proofs: str,
    damage: Damage | None = None,
    stubs: Sequence[str] = (),
) -> None:
    """Prove something of a miter.

    Args:
        miter: the module, and its file without ``.sv``.
        options: for slang, parameters and macros.
        proofs: what, see ``sat``.
        damage: what is done to the files before.
        stubs: modules of the folder ``stub``, which stand for those of the RTL, see ``CORE``.

    Raises:
        ToolError: it is not so, or the miter does not elaborate.
    """
    packages = sorted(MITERS.glob("*_pkg.sv"))
    beside = [file for folder in _BESIDE for file in sorted(folder.glob("*.sv"))]
    sources = [*rtl.sources(), *packages, *beside, MITERS / f"{miter}.sv"]
    what = f"proof of {miter} {options}"
    proof = [*_PREPARATION, *proofs]
    tools = f"{yosys.version()}, fingerprint {fingerprint.VERSION}"
    record: dict[str, Any] = {"miter": miter, "options": options, "proof": proof, "tools": tools}
    with yosys.workspace(sources) as (folder, names):
        for module in stubs:
            shutil.copyfile(MITERS / "stub" / f"{module}.sv", folder / f"{module}.sv")
            names = [name for name in names if not name.startswith(f"{module}_")]
        if damage:
            damage(folder)
        names = _used(folder, names, options)
        read = yosys.read_command(names, miter).replace("read_slang", f"read_slang {options}", 1)
        elaboration = [read, *_ELABORATION]
        record["text"] = process.content_key(
            _claim(record), "\n".join(elaboration), *(code(folder / name) for name in names)
        )
        known = PROVED_TEXTS.find(record["text"])
        if known is None:
            try:
                yosys.run_script(elaboration, what=what, cwd=folder, outputs=["miter.il"])
            except ToolError as error:
                refusal = re.search(r"\$fatal encountered: (.+)", error.log_tail)
                if refusal:
                    PROVED.add({**record, "netlist_hash": None, "said": refusal[1]})
                raise
            netlist = yosys.load_netlist(folder / "miter.json")
            record["netlist_hash"] = netlist_hash(netlist, miter, proofs)
            # What is of the sample by its text runs, whatever its netlist.
            if not in_sample(record["text"]):
                known = PROVED.records.get(_identity(record))
            if known is not None:
                PROVED.add({**record, "said": known["said"]})
        if known is not None:
            if known["said"] != HOLDS:
                said = "the proof did fail" if known["said"] == REFUTED else known["said"]
                raise ToolError(f"{what}: {said}, says {PROVED.path.name}")
            return
        failure = None
        try:
            yosys.run_script(["read_rtlil miter.il", *proof], what=what, cwd=folder, timeout=300)
        except ToolError as error:
            if "proof did fail" not in str(error):
                raise
            failure = error
        PROVED.add({**record, "said": REFUTED if failure else HOLDS})
        if failure:
            raise failure


def _used(folder: Path, names: Sequence[str], options: str = "") -> list[str]:
    """Of files in a folder those that the last one uses, in order.

    A file has the name of its module or package, and is used where a file that is used names it, or
    where an option does.
    """
    words = {name: set(re.findall(r"\w+", (folder / name).read_text())) for name in names}
    words[names[-1]] |= set(re.findall(r"\w+", options))
    found, waiting = {names[-1]}, [names[-1]]
    while waiting:
        said = words[waiting.pop()]
        more = [name for name in names if Path(name).stem in said and name not in found]
        found.update(more)
        waiting += more
    return [name for name in names if name in found]


def netlist_hash(netlist: Mapping[str, Any], miter: str, proofs: Sequence[str]) -> str:
    """What an elaborated miter says, with the wires inside it that the proofs speak of."""
    module = netlist["modules"][miter]
    inner = {
        name: {"direction": "output", "bits": net["bits"]}
        for name, net in module["netnames"].items()
        if name not in module["ports"] and any(name in proof.split() for proof in proofs)
    }
    return fingerprint.of_module({**module, "ports": {**module["ports"], **inner}})


def change(name: str, old: str, new: str) -> Damage:
    """A damage: the first ``old`` in a file becomes ``new``."""

    def apply(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return apply
