# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs by SAT over the clocks of a miter of ``tests/formal``, and damages to the RTL in it.

What long proofs say is kept in ``tests/formal/proved.jsonl``, by what is proved: the elaborated
netlist, the commands and the tool. Such a proof runs only when one of these has changed, but for a
sample, which always does. ``make proofs`` runs every one and writes the file anew.
"""

from __future__ import annotations

import json
import resource
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aesfab import fingerprint, process, rtl, yosys
from aesfab.errors import ToolError
from kept import Kept

MITERS = Path(__file__).parents[1] / "formal"
LONG = 0.5
"""Seconds of processor time from which on what a proof says is kept."""
_PREPARATION = ("memory_map", "opt -full", "async2sync")
"""What Yosys does between the netlist that a proof is known by and the proof."""
Damage = Callable[[Path], None]


def _claim(record: Mapping[str, Any]) -> str:
    """What is claimed, as text, of a claim or of a record, which holds one."""
    return json.dumps([record[name] for name in ("miter", "options", "proof", "tools")])


def _identity(record: Mapping[str, Any]) -> str:
    return process.content_key(_claim(record), record["netlist_hash"])


PROVED = Kept(MITERS / "proved.jsonl", "AESFAB_PROOFS", _identity)


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


def prove(
    miter: str, options: str, *proofs: str, damage: Damage | None = None, stub: bool = False
) -> None:
    """Prove something of a miter.

    Args:
        miter: the module, and its file without ``.sv``.
        options: for slang, parameters and macros.
        proofs: what, see ``sat``.
        damage: what is done to the files before.
        stub: the core is the one in ``stub``, which does what it likes within its contract.

    Raises:
        ToolError: it is not so, or the miter does not elaborate.
    """
    sources = [*rtl.sources(), *sorted(MITERS.glob("*_pkg.sv")), MITERS / f"{miter}.sv"]
    what = f"proof of {miter} {options}"
    proof = [*_PREPARATION, *proofs]
    tools = f"{yosys.version()}, fingerprint {fingerprint.VERSION}"
    claim = {"miter": miter, "options": options, "proof": proof, "tools": tools}
    known = _claim(claim) in map(_claim, PROVED.records.values())
    with yosys.workspace(sources) as (folder, names):
        if stub:
            shutil.copyfile(MITERS / "stub" / "aes_core.sv", folder / "aes_core.sv")
            names = [name for name in names if not name.startswith("aes_core_")]
        if damage:
            damage(folder)
        read = yosys.read_command(names, miter)
        commands = [
            read.replace("read_slang", f"read_slang {options}", 1),
            "hierarchy -check",
            "proc",
            "flatten",
            "opt_clean",  # mapping a memory that nothing reads takes long
        ]
        record: dict[str, Any] = claim
        if PROVED.anew or known:
            commands += ["write_rtlil miter.il", "memory_collect", "write_json miter.json"]
            yosys.run_script(commands, what=what, cwd=folder, outputs=["miter.il", "miter.json"])
            commands = ["read_rtlil miter.il"]
            netlist = yosys.load_netlist(folder / "miter.json")
            record = {**claim, "netlist_hash": netlist_hash(netlist, miter, proofs)}
            said = PROVED.find(_identity(record))
            if said is not None:
                if not said["holds"]:
                    raise ToolError(f"{what}: the proof did fail, says {PROVED.path.name}")
                return
        begin = _processor_time()
        failure = None
        try:
            yosys.run_script([*commands, *proof], what=what, cwd=folder, timeout=300)
        except ToolError as error:
            if "proof did fail" not in str(error):
                raise
            failure = error
        if _processor_time() - begin >= LONG:
            PROVED.add({**record, "holds": failure is None})
        if failure:
            raise failure


def netlist_hash(netlist: Mapping[str, Any], miter: str, proofs: Sequence[str]) -> str:
    """What an elaborated miter says, with the wires inside it that the proofs speak of."""
    module = netlist["modules"][miter]
    inner = {
        name: {"direction": "output", "bits": net["bits"]}
        for name, net in module["netnames"].items()
        if name not in module["ports"] and any(name in proof.split() for proof in proofs)
    }
    return fingerprint.of_module({**module, "ports": {**module["ports"], **inner}})


def _processor_time() -> float:
    """Seconds of the programs that ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def change(name: str, old: str, new: str) -> Damage:
    """A damage: the first ``old`` in a file becomes ``new``."""

    def apply(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return apply
