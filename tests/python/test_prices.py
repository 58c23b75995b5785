# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the family refuses has a price that is counted from records."""

from __future__ import annotations

import pytest

from aesfab import records
from aesfab.measure import components
from aesfab.study import prices
from aesfab.study.study import Study, find
from made_up import record


@pytest.mark.parametrize("refusal", prices.REFUSALS, ids=lambda refusal: refusal.what)
def test_it_is_refused_and_something_else_is_not(refusal: prices.Refusal) -> None:
    assert refusal.reason
    assert find(refusal.core).name
    assert find(refusal.instead).design.reasons() == []


def test_every_refusal_has_a_price_from_the_shipped_records() -> None:
    study, parts = Study(records.shipped("implement")), records.shipped("components")
    found = prices.prices(study, parts, ("virtex", "ecp5-85k"))
    assert {price.refusal for price in found} == set(prices.REFUSALS)
    # Four of fourteen rounds more: of a rolling core, which is all rounds, two fifths of its RAM.
    (longer,) = (p for p in found if p.refusal.what.startswith("256") and p.device == "virtex")
    assert longer.added["ram"] * 10 == longer.core["ram"] * 4
    assert not prices.prices(Study([]), [], ("virtex",))


def test_prices_follow_the_records() -> None:
    device = "ecp5-85k"
    cores = [
        record("fischer-fast-tbox-enc key_sbox=none", device, lut=400, ff=150, ram=20),
        record("fischer-fast-sbox-enc key_sbox=none", device, lut=600, ff=150, ram=12),
        record("standaert-ram-pipeline-21", device, lut=5000, ff=4000, ram=100),
        record("kakarlapudi-sbox-dec-128", device, lut=1100, ff=450, ram=4),
        record("kakarlapudi-sbox-enc-128", device, lut=1000, ff=450, ram=4, lut_ram=64),
        record("pilchard-unrolled-2", device, lut=9000, ff=432, ram=0),
    ]
    found = {p.refusal.core: p.added for p in prices.prices(Study(cores), [], (device,))}
    assert {name: found["standaert-ram-pipeline-21"][name] for name in prices.COLUMNS} == {
        "lut": -1800, "ff": 0, "ram": 72,
    }  # fmt: skip
    assert {name: found["pilchard-unrolled-2"][name] for name in prices.COLUMNS} == {
        "lut": 200 + 128, "ff": 0, "ram": 8,
    }  # fmt: skip
    assert {"aes_round_key_circuit", "aes_rolling_part", "aes_mix_columns"} == {
        part.name for part in components.parts(find("qin-4sm"))
    }
