# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The records in ``results`` as JSON Schema (draft 2020-12), a schema for each kind of record.

Tests hold every committed record to it, and every field of the schema to the records: a field that
came, went or changed its type shows here.
"""

from __future__ import annotations

import dataclasses
from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number", "minimum": 0}
_BOOL: Schema = {"type": "boolean"}
_HASH: Schema = {"type": "string", "pattern": "^[0-9a-f]{24}$"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_OBJECT: Schema = {"type": "object"}
_VERSIONS: Schema = {"type": "object", "additionalProperties": _TEXT}
_COUNTS: Schema = {"type": "object", "additionalProperties": _COUNT}
_CYCLES: Schema = {
    "type": "object",
    "propertyNames": {"enum": ["128", "192", "256"]},
    "additionalProperties": {"type": "array", "items": _NUMBER},
}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a record.

    Attributes:
        what: its meaning, for the page.
        schema: what it may be.
        always: whether every record has it.
    """

    what: str
    schema: Schema
    always: bool = True


_FMAX: Schema = {
    "type": "object",
    "required": ["median", "min", "max", "seeds"],
    "additionalProperties": False,
    "properties": {
        **dict.fromkeys(("median", "min", "max"), _NUMBER),
        "seeds": {"type": "object", "additionalProperties": _NUMBER},
    },
}
_STATUS: Schema = {"enum": ["ok", "does not fit", "failed", "timeout"]}
_DESIGN = {
    "design": Field("name of the design, or module of the RTL (`components`)", _TEXT),
    "netlist_hash": Field("hash of what the RTL means: the identity of a record", _HASH),
}
_POINT = {
    **_DESIGN,
    "parameters": Field("axis or RTL parameter to its value", _OBJECT),
    "rtl_hash": Field("hash of the text of the RTL", _HASH),
    "tools": Field("tool to its name and version", _VERSIONS),
}
_MEASURED = {
    **_POINT,
    "flow": Field("number of the way in which figures are taken", _COUNT),
    "device": Field("a name of `aesfab devices`", _TEXT),
    "part": Field("the part that was placed on, or the family", _TEXT),
    "recipe_names": Field("recipes that were tried", _TEXTS),
    "recipe": Field("the recipe that the figures are of", _TEXT),
    "recipe_hash": Field("hash of the commands of the recipes", _HASH, always=False),
    "mapped": Field("hash of the netlist that was placed", _HASH, always=False),
    "seeds": Field("place-and-route seeds", {"type": "array", "items": _COUNT}),
    "stage": Field("how far the flow went", {"enum": ["synthesis", "place and route"]}),
    "status": Field("how it ended", _STATUS),
    "lut": Field("LUTs, those of RAM and carry among them", _COUNT),
    "lut_logic": Field("LUTs of logic", _COUNT),
    "lut_ram": Field("LUTs that are RAM", _COUNT),
    "carry": Field("carry cells", _COUNT),
    "wide_mux": Field("multiplexers behind LUTs", _COUNT),
    "ff": Field("flip-flops", _COUNT),
    "ram": Field("block RAMs", _COUNT),
    "other": Field("cells of other types, by type", _COUNTS),
    "slices_estimate": Field("slices or cells, estimated: LUTs and flip-flops in pairs", _COUNT),
    "lut_levels": Field("LUTs on the longest path", _COUNT),
    "log_tail": Field("the tool's last words, where it failed", _TEXT),
    "fmax_mhz": Field("clock over the seeds; null without place and route", _or_null(_FMAX)),
    "recipes": Field("each recipe with its area and its runs", _OBJECT),
    "harness": Field("what stands around the core in place and route", _OBJECT),
}
_SESSION = {
    **_POINT,
    "kind": Field("`host-soak`, `host-soc` or, of an engine, `host-packets`",
                  {"enum": ["host-soak", "host-soc", "host-packets"]}),
    "bus": Field("the bus of the host system", _TEXT, always=False),
    "data_width": Field("bits of the bus", _COUNT, always=False),
    "depth": Field("blocks in a buffer", _COUNT, always=False),
    "guarded": Field("whether an output is kept until it is read", _BOOL, always=False),
    "seed": Field("of the random session", _COUNT),
    "clocks": Field("clocks that were simulated", _COUNT),
    "passed": Field("whether every block was right", _BOOL),
    **{
        name: Field(what, _COUNT, always=False)
        for name, what in {
            "blocks": "blocks that were compared with OpenSSL",
            "transfers": "calls of the C library with data",
            "keys": "keys that were loaded",
            "openings": "times that the device was opened",
            "accesses": "accesses of the bus",
            "clock_mhz": "clock of the system, MHz",
            "key_bits": "bits of the key",
            "checks": "known answers of the program",
            "packets": "packets that were judged by OpenSSL",
            "official": "official answers among these",
            "aad_bytes": "bytes of AAD of the packets whose clocks are counted",
        }.items()
    },
    "transfers_up_to_blocks": Field("transfers by their size", _COUNTS, always=False),
    "firmware_hash": Field("hash of the program on the processor", _HASH, always=False),
    "interrupts": Field("whether the program waits for interrupts", _BOOL, always=False),
    "interval": Field("clocks a block of the core", _NUMBER, always=False),
    "costs": Field("cycles of opening and of a key; of a core by path", _OBJECT, always=False),
    "messages": Field("cycles of messages or packets of each size", {"type": "array"},
                      always=False),
    "summary": Field("the same as a line: one block, and each more", {"type": "array"},
                     always=False),
}  # fmt: skip

KINDS: dict[str, tuple[str, dict[str, Field]]] = {
    "implement": (
        "Area and clock of a design on a device",
        {
            **_MEASURED,
            "latency_cycles": Field("clocks from a block to its result", _COUNT),
            "interval_cycles": Field("clocks a block, as a mean", _NUMBER),
            "blocks_in_flight": Field("blocks under way at a time", _COUNT),
            "throughput_mbit_s": Field("128 bit x clock / interval", _or_null(_NUMBER)),
            "throughput_by_key_bits": Field(
                "the same for each key size",
                _or_null({"type": "object", "additionalProperties": _NUMBER}),
            ),
            "mbit_s_per_lut": Field("throughput over LUTs", _or_null(_NUMBER)),
        },
    ),
    "components": (
        "Area and delay of a part of designs, measured alone",
        {
            **_MEASURED,
            "kind": Field("always `components`", {"const": "components"}),
            "slices_estimate": dataclasses.replace(_MEASURED["slices_estimate"], always=False),
            "delay_ns": Field("delay from register to register, ns", _or_null(_NUMBER)),
            "harness_limited": Field("whether the harness sets the clock", _BOOL),
        },
    ),
    "verify": (
        "Evidence that a design is right",
        {
            **_POINT,
            "passed": Field("whether everything was right", _BOOL),
            "level": Field("how much was run", {"enum": ["quick", "full"]}),
            "seed": Field("of the random traffic", _COUNT),
            "vectors": Field("NIST vectors that were run", _COUNT),
            "monte_carlo": Field("AESAVS Monte Carlo chains that were run", _COUNT),
            "random_blocks": Field("random blocks, compared with OpenSSL", _COUNT),
            "failures": Field("what was wrong", {"type": "array"}),
            "counts": Field("what was wanted and done, in detail", _OBJECT),
            "latency_cycles": Field("latencies that were seen, by key bits", _CYCLES),
            "interval_cycles": Field("intervals that were seen, by key bits", _CYCLES),
            "key_setup_cycles": Field("key set-ups that were seen, by key bits", _CYCLES),
            "four_state": Field("the run with unknown registers", _OBJECT, always=False),
        },
    ),
    "engines": (
        "Evidence that an engine is right",
        {
            **_DESIGN,
            "parameters": Field("axis of the engine or of its core to its value", _OBJECT),
            "tools": Field("tool to its name and version", _VERSIONS),
            "passed": Field("whether everything was right", _BOOL),
            "level": Field("how much was run", {"enum": ["quick", "full"]}),
            "seed": Field("of what is random", _COUNT),
            "answers": Field("known answers that went through", _COUNT),
            "random": Field("random packets, messages or sectors, compared with OpenSSL", _COUNT),
            "wrong": Field("those that make no sense", _COUNT),
            "clocks": Field("those whose clocks were counted", _COUNT),
            "failures": Field("what was wrong", _TEXTS),
        },
    ),
    "host": ("A session of the C library with a core on a bus", _SESSION),
    "flips": (
        "What a flip of a bit of control does",
        {
            **_DESIGN,
            "bits": Field("bits of control", _COUNT),
            "clocks": Field("clocks of a block in which each was flipped", _COUNT),
            **{
                name: Field(what, _COUNT)
                for name, what in {
                    "right": "flips after which the result was right",
                    "zero": "a zero block with `fault_o`",
                    "reduced": "the result of fewer rounds",
                    "wrong": "another result, or one in another clock",
                    "missing": "no result",
                    "unasked": "a result that nobody asked for",
                    "recovered": "flips after which the next block was right",
                    "next_key": "right again with the next key",
                    "hung": "not right before a reset",
                    "longest": "most clocks until the core came back",
                }.items()
            },
            "hanging": Field("registers whose flip hung the core", _TEXTS),
        },
    ),
    "netlists": (
        "The netlist hash of a point, which takes long to make",
        {**_DESIGN, "key": Field("hash of all that it follows from", _HASH)},
    ),
}
"""Kind (``results/KIND.jsonl``) to what a record of it is and its fields."""


def schema(kind: str) -> Schema:
    """The JSON Schema of a record of a kind."""
    what, fields = KINDS[kind]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"aesfab {kind} record",
        "description": f"{what}. A line of results/{kind}.jsonl.",
        "type": "object",
        "required": [name for name, field in fields.items() if field.always],
        "additionalProperties": False,
        "properties": {
            name: {"description": field.what, **field.schema} for name, field in fields.items()
        },
    }
