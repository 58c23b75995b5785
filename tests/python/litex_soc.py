# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Write the SoC of docs/litex.md for simulation; run by test_litex.py as a program of its own.

Arguments: the code of the page, the folder to write, the program for the ROM ("-": none yet, for
the headers that the program needs).
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.soc.integration import export

_SERIAL = {"source_valid": 1, "source_ready": 1, "source_data": 8}
_SERIAL |= {"sink_valid": 1, "sink_ready": 1, "sink_data": 8}
_PORTS = [
    ("sys_clk", 0, Pins(1)),
    ("serial", 0, *(Subsignal(name, Pins(width)) for name, width in _SERIAL.items())),
]


def main(page: Path, out: Path, program: str) -> None:
    """Write RTL, file list and headers."""
    code: dict[str, type] = {}
    exec(compile(page.read_text(), page, "exec"), code)
    image = b"" if program == "-" else Path(program).read_bytes()
    words = [word for (word,) in struct.iter_unpack("<I", image + bytes(-len(image) % 4))]
    platform = SimPlatform("SIM", _PORTS)
    soc = code["SoC"](
        platform,
        cpu_type="picorv32",
        uart_name="sim",
        integrated_rom_size=0x8000,
        integrated_rom_init=words,
        integrated_sram_size=0x4000,
    )
    soc.finalize()
    headers = out / "generated"
    headers.mkdir(exist_ok=True)
    (headers / "mem.h").write_text(export.get_mem_header(soc.mem_regions))
    (headers / "soc.h").write_text(export.get_soc_header(soc.constants))
    base = soc.mem_regions["csr"].origin
    (headers / "csr.h").write_text(export.get_csr_header(soc.csr_regions, soc.constants, base))
    platform.get_verilog(soc, name="top").write(str(out / "top.v"))
    (out / "top.f").write_text("".join(f"{source[0]}\n" for source in platform.sources))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
