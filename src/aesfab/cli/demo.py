# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The main job from end to end on a real file; every step uses what the one before it left."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from aesfab import devices
from aesfab.design.catalogue import Named
from aesfab.eda import simulate
from aesfab.eda.simulate import Progress
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.measure import implement
from aesfab.records import Record
from aesfab.system import files
from aesfab.verify import cipher, oracle, verify

DEVICES = ("ecp5-25k", "ice40-hx8k")
"""Where the core is placed and routed."""

_KEYS = {
    bits: hashlib.sha256(f"aesfab demo key {bits}".encode()).hexdigest()[: bits // 4]
    for bits in (128, 192, 256)
}
_IV = hashlib.sha256(b"aesfab demo iv").hexdigest()[:32]


def check(named: Named, data: Path, output: Path) -> None:
    """Refuse what can be refused before the work, in one line (AesfabError); see ``run``."""
    files.require_folder(output)
    for decrypt in (False, True):
        cipher.check_core(named.design, "cbc", decrypt=decrypt)
    cipher.check_input(data)


def run(
    named: Named,
    data: Path,
    output: Path,
    *,
    seeds: int,
    step: Progress,
    line: Callable[[str], None],
) -> list[Record]:
    """Generate, verify, encrypt and decrypt a file, compare with OpenSSL, place and route.

    Args:
        named: a design that encrypts and decrypts.
        data: the file.
        output: folder for all that is made.
        seeds: place-and-route seeds a device.
        step: told of steps that count.
        line: told of results.

    Returns:
        One record a device.

    Raises:
        AesfabError: the design or the file does not serve, or a result is wrong.
        ToolError: a tool failed.
    """
    core = output / "core"
    line(f"1/5 generate {named.name} into {core}")
    generate.generate(named, core, force=True)
    sources = [core / name for name in (core / f"{named.module}.f").read_text().split()]

    line("2/5 verify the generated RTL: NIST vectors, Monte Carlo chains, random traffic")
    evidence = verify.verify(named, sources, level="full", waves=output / "waves", progress=step)
    with files.written_whole(output / "evidence.json") as temporary:
        temporary.write_text(json.dumps(evidence.to_json(), indent=1) + "\n")
    if not evidence.passed:
        raise AesfabError(f"the core is wrong: {evidence.failures[0]}")
    line(
        f"    passed: {evidence.vectors} vectors, {evidence.monte_carlo} chains, "
        f"{evidence.random_blocks} random blocks, {evidence.blocks_per_second:,.0f} blocks/s"
    )

    encrypted, decrypted = output / f"{data.name}.aes", output / data.name
    key = _KEYS[named.design.key_width]
    line(f"3/5 encrypt {data} (CBC) through the simulated RTL into {encrypted}, and back")
    model = simulate.build(sources, named.module, named.design.ports(), progress=step)
    forth = cipher.crypt(
        model, named.design, "cbc", key, _IV, data, encrypted, decrypt=False, progress=step
    )
    cipher.crypt(
        model, named.design, "cbc", key, _IV, encrypted, decrypted, decrypt=True, progress=step
    )
    line(f"    {forth.blocks} blocks, {forth.cycles_per_block:.2f} cycles per block")

    line("4/5 compare")
    original = data.read_bytes()
    by_openssl = oracle.crypt("cbc", bytes.fromhex(key), bytes.fromhex(_IV), original)
    if encrypted.read_bytes() != by_openssl:
        raise AesfabError(f"{encrypted} differs from what OpenSSL makes of {data}")
    if decrypted.read_bytes() != original:
        raise AesfabError(f"{decrypted} differs from {data}")
    line("    the ciphertext is OpenSSL's, and decrypting it gives the original")

    line(f"5/5 place and route, {seeds} seeds a device; this is the longest step")
    return [
        implement.implement(
            named,
            sources,
            devices.find(device),
            ["nowidelut" if device.startswith("ecp5") else "default"],
            range(1, seeds + 1),
            line,
            jobs=2,
        )
        for device in DEVICES
    ]
