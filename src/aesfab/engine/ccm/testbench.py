# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-checking testbench of a generated CCM engine: official answers through its pins.

See ``engine.testbench`` for its processes and the beats of its results.
"""

from __future__ import annotations

import dataclasses

from aesfab.engine import testbench
from aesfab.engine.ccm import vectors, verify
from aesfab.engine.ccm.catalogue import NamedCcm
from aesfab.engine.ccm.vectors import Answer


def answers(named: NamedCcm) -> list[Answer]:
    """The answers that travel with an engine: of each direction, nonce, tag and end of the AAD."""
    return verify.fitting(vectors.shipped(), named.engine)


def text(named: NamedCcm) -> str:
    """The testbench of a CCM engine."""
    engine, size = named.engine, named.engine.key_port_bytes
    chosen = answers(named)
    keys, descriptors, beats, results = list[str](), list[str](), list[str](), list[str]()
    for number, answer in enumerate(chosen):
        slot = number % engine.num_slots
        after = max(0, number + 1 - engine.num_slots)
        packet = dataclasses.replace(answer.packet, slot=slot)
        keys.append(f"put_key({after}, 12'h{slot:03x}, {8 * size}'h{answer.key[::-1].hex()});")
        descriptors.append(f"describe({number}, 192'h{packet.data()[::-1].hex()});")
        beats += map(testbench.beat, packet.beats())
        held = engine.most_held is not None
        results += testbench.outcome(number, packet.text, answer.result, held)
    sources = sorted({answer.source.split()[0] for answer in chosen})
    return testbench.packets(
        named,
        f"{len(chosen)} official answers, from {', '.join(sources)}.",
        engine.packet_clocks(4, 4) * len(chosen) * 4 + 20000,
        keys=keys,
        descriptors=descriptors,
        beats=beats,
        results=results,
        passed=f"{len(chosen)} packets",
    )
