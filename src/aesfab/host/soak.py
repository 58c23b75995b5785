# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A long random session with a simulated device through the C library, judged by OpenSSL.

Every step is drawn from one seed: lengths from 1 to 2,000 blocks, directions, new keys of every
length that the device takes, in place or not, polling or sleeping, every transfer variant, erasures
and re-openings. The session stops at the first difference.
"""

from __future__ import annotations

import collections
import dataclasses
import random
import time
from typing import Any

from aesfab.eda import simulate, yosys
from aesfab.errors import AesfabError
from aesfab.host.driver import Copy, Device, DeviceError, Simulation, library
from aesfab.host.system import System, simulation, sources
from aesfab.system import process
from aesfab.verify import oracle

MOST_BLOCKS = 2000
"""The longest transfer of a session."""


@dataclasses.dataclass(frozen=True)
class Soak:
    """What a session was.

    Attributes:
        blocks: blocks that were compared.
        transfers: calls that moved them.
        keys: keys that were set.
        openings: times the device was opened.
        clocks: clocks simulated.
        accesses: transactions of the bus.
        seconds: wall time.
        chunks: transfers by length: up to 1, 10, 100, 1000, 2000 blocks.
    """

    blocks: int
    transfers: int
    keys: int
    openings: int
    clocks: int
    accesses: int
    seconds: float
    chunks: dict[int, int]

    def record(self, system: System, seed: int) -> dict[str, Any]:
        """The session as a record; the same system and seed give the same one."""
        return {
            "kind": "host-soak",
            "design": system.named.name,
            "parameters": system.named.design.axes(),
            "bus": system.bus.title,
            "data_width": system.width,
            "depth": system.depth,
            "guarded": system.guarded,
            "netlist_hash": yosys.netlist_hash(sources(system), system.module),
            "rtl_hash": process.content_key(sources(system)),
            "seed": seed,
            "blocks": self.blocks,
            "transfers": self.transfers,
            "keys": self.keys,
            "openings": self.openings,
            "clocks": self.clocks,
            "accesses": self.accesses,
            "transfers_up_to_blocks": {str(most): n for most, n in self.chunks.items()},
            "passed": True,
            "tools": {
                "verilator": f"verilator {simulate.verilator_version()}",
                **oracle.versions(),
            },
        }


class SoakError(AesfabError):
    """The device and OpenSSL differ, or the driver failed; the message says where."""

    exit_status = 1


def soak(
    system: System,
    blocks: int,
    *,
    seed: int = 1,
    progress: simulate.Progress = simulate.silent,
) -> Soak:
    """Run a session of at least that many blocks.

    Raises:
        SoakError: a difference or an error of the driver, with step and seed.
    """
    rng = random.Random(seed)
    done = transfers = keys = openings = 0
    chunks = collections.Counter[int]()
    start = time.monotonic()
    step = f"soak {system.named.name} on {system.bus.title}"
    with Simulation(simulation(system, progress=progress), seed) as sim:
        while done < blocks:
            openings += 1
            with _open(sim, rng) as device:
                info = device.info()
                lengths = [
                    size
                    for size, has in ((16, info.key_128), (24, info.key_192), (32, info.key_256))
                    if has
                ]
                directions = [
                    d for d, has in ((False, info.encrypts), (True, info.decrypts)) if has
                ]
                key = b""
                for _ in range(rng.randint(1, 12)):
                    if not key or rng.random() < 0.4:
                        if key and rng.random() < 0.1:
                            device.erase()
                        key = rng.randbytes(rng.choice(lengths))
                        device.set_key(key)
                        keys += 1
                    count = rng.choice([1, 2, rng.randint(1, 40), rng.randint(1, MOST_BLOCKS)])
                    decrypt = rng.choice(directions)
                    where = f"seed {seed}, transfer {transfers + 1} ({count} blocks)"
                    try:
                        _transfer(device, rng, key, count, decrypt, info.encrypts)
                    except DeviceError as error:
                        raise SoakError(f"{where}: {error}") from error
                    except _DifferenceError as error:
                        raise SoakError(f"{where}: {error}") from error
                    done += count
                    transfers += 1
                    chunks[next(m for m in (1, 10, 100, 1000, 2000) if count <= m)] += 1
                    progress(step, min(done, blocks), blocks)
                    if done >= blocks:
                        break
        clocks, accesses = sim.clocks, sim.accesses
    seconds = time.monotonic() - start
    counted = {most: chunks[most] for most in (1, 10, 100, 1000, 2000)}
    return Soak(done, transfers, keys, openings, clocks, accesses, seconds, counted)


class _DifferenceError(Exception):
    pass


def _open(sim: Simulation, rng: random.Random) -> Device:
    usable = [copy for copy in Copy if library().aesfab_copy_supported(int(copy))]
    return Device(
        sim,
        copy=rng.choice(usable),
        interrupts=rng.random() < 0.5,
        batch=rng.random() < 0.3,
        chunk_blocks=rng.choice([0, 0, 1, rng.randint(1, 600)]),
    )


def _transfer(
    device: Device, rng: random.Random, key: bytes, count: int, decrypt: bool, encrypts: bool
) -> None:
    if encrypts and not decrypt and rng.random() < 0.2:
        # Counter mode: any length, and a counter that runs over.
        data = rng.randbytes(16 * count - rng.randint(0, 15))
        counter = rng.choice([rng.randbytes(16), b"\xff" * 15 + rng.randbytes(1)])
        got, wanted = device.ctr(counter, data), oracle.crypt("ctr", key, counter, data)
    else:
        data = rng.randbytes(16 * count)
        wanted = oracle.ecb(key, data, decrypt=decrypt)
        if rng.random() < 0.5:
            buffer = bytearray(data)
            (device.decrypt_in_place if decrypt else device.encrypt_in_place)(buffer)
            got = bytes(buffer)
        else:
            got = device.decrypt(data) if decrypt else device.encrypt(data)
    if got != wanted:
        first = oracle.first_difference(got, wanted)
        raise _DifferenceError(f"block {first} differs from what OpenSSL says")
