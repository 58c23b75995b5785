# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Plain Yosys and the files of ``scripts`` give the netlist of the records, to the last cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aesfab import devices
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.errors import ToolError
from aesfab.folder import generate
from aesfab.measure import scripts


def _netlist(path: Path, top: str) -> dict[str, Any]:
    """What is in a mapped netlist: cells by name with type, parameters and connections."""
    module = yosys.load_netlist(path)["modules"][top]
    names: dict[Any, str] = {}
    for net, entry in sorted(module["netnames"].items()):
        for index, bit in enumerate(entry["bits"]):
            names.setdefault(bit, f"{net}[{index}]")
    return {
        name: (
            cell["type"],
            cell["parameters"],
            {p: [names.get(b, b) for b in bits] for p, bits in cell["connections"].items()},
        )
        for name, cell in module["cells"].items()
    }


def _written(files: dict[str, str], folder: Path) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "device", "recipe"),
    [
        ("fab-tiny", "ecp5-25k", "default"),
        ("fab-tiny", "ice40-hx8k", "shaped"),
        ("fab-iterative", "ecp5-25k", "wide"),
        ("fab-interleaved-ram", "ecp5-85k", "outreg"),
        ("fab-iterative-ram-packed", "ecp5-85k", "slicexor"),
        ("fab-tiny-ram", "cyclone-iv", "default"),
    ],
)
def test_a_script_gives_the_netlist_of_the_records(
    name: str, device: str, recipe: str, tmp_path: Path
) -> None:
    named, target = catalogue.find(name), devices.find(device)
    sources = generate.sources(named)
    ours = tmp_path / "ours.json"
    yosys.synthesize(sources, named.module, target, target.recipe(recipe), ours)
    _written(scripts.files(sources, named.module, target, recipe), tmp_path)
    yosys.run_script([f"script {recipe}.ys"], what="plain script", cwd=tmp_path)
    found = _netlist(tmp_path / scripts.MAPPED, named.module)
    assert found == _netlist(ours, named.module)
    if target.recipe(recipe).output_registers:
        assert any(cell[1].get("REGMODE_A") == "OUTREG" for cell in found.values())


def test_an_edit_without_its_cell_is_an_error(tmp_path: Path) -> None:
    """Where another Yosys calls cells otherwise, nothing is written."""
    named, target = catalogue.find("fab-iterative-ram-packed"), devices.find("ecp5-85k")
    files = scripts.files(generate.sources(named), named.module, target, "slicexor")
    assert "connect -nomap -port \\m" in files["slicexor.ys"]
    files["slicexor.ys"] = files["slicexor.ys"].replace("-port \\m", "-port \\other")
    _written(files, tmp_path)
    with pytest.raises(ToolError, match="Can't find cell"):
        yosys.run_script(["script slicexor.ys"], what="plain script", cwd=tmp_path)
    assert not (tmp_path / scripts.MAPPED).exists()
