# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""libaesfab attacked: random calls, lying devices, threads, what is left of secrets.

The programs are those of ``host/test/fuzz``, under the sanitizers of the compiler. Each check is
also made of a library with a piece taken out of it, and must then fail. AESFAB_FUZZ_SECONDS makes
the sessions of each kind of device take that long, from a seed of the time (``make host-fuzz``).
"""

from __future__ import annotations

import array
import concurrent.futures
import itertools
import mmap
import os
import random
import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import passed
from aesfab.design import catalogue
from aesfab.errors import ToolError
from aesfab.host import driver
from aesfab.host.driver import CounterMode, Device, DeviceError, Simulation, Status
from aesfab.host.system import Bus, System, c_folder, simulation
from aesfab.system import process
from aesfab.verify import oracle

pytestmark = pytest.mark.kept(
    *("src/aesfab/host", "src/aesfab/eda/simulate.py", "host", *passed.HOSTS),
    cores_of=("kakarlapudi-sbox-both-any", "pilchard-unrolled-1"),
)

FUZZ = c_folder() / "test" / "fuzz"
BOTH_ANY = System(catalogue.CATALOGUE["kakarlapudi-sbox-both-any"])
SYSTEMS = (
    BOTH_ANY,
    System(catalogue.CATALOGUE["pilchard-unrolled-1"], Bus.WISHBONE, depth=8),
    System(catalogue.CATALOGUE["pilchard-unrolled-1"], Bus.MEMORY_SLOT, guarded=False),
)
MEMORY = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
THREADS = ("-O1", "-fsanitize=thread")
_LIMIT = 600.0  # seconds for a program


class _Builder:
    """Compiles the library and the programs, each file once for each set of flags."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._objects: dict[tuple[object, ...], Path] = {}

    def _object(self, source: Path, flags: Sequence[str]) -> Path:
        headers = [path.read_bytes() for path in sorted(source.parent.glob("*.h"))]
        key = (source.read_bytes(), *headers, *flags)
        if key not in self._objects:
            target = self._folder / f"{source.stem}-{len(self._objects)}.o"
            process.run(
                [*driver.compiler(), *(f for f in driver.C_FLAGS if f not in ("-O2", "-fPIC")),
                 "-Werror", "-g", "-D_POSIX_C_SOURCE=200809L", "-DAESFAB_LOOKS=4096", *flags,
                 "-I", c_folder() / "include", "-I", FUZZ, "-I", source.parent,
                 "-I", c_folder() / "src",
                 "-c", source, "-o", target],
                what=f"compiling {source.name}",
                timeout=_LIMIT,
            )  # fmt: skip
            self._objects[key] = target
        return self._objects[key]

    def program(
        self,
        name: str,
        flags: Sequence[str],
        *,
        library: Sequence[str] | None = None,
        damage: tuple[str, str, str] | None = None,
    ) -> Path:
        """A program of the fuzz folder.

        Args:
            name: of its main file.
            flags: of the compiler, for all files.
            library: those for the library, if they are others.
            damage: a file of the library, and what in it is to be replaced by what.
        """
        beside = {"secrets": ("reference",)}.get(name, ("model", "reference"))
        own = [FUZZ / f"{stem}.c" for stem in beside]
        objects = [self._object(path, flags) for path in (FUZZ / f"{name}.c", *own)]
        sources = driver.c_sources()
        if damage is not None:
            folder = self._folder / "damaged"
            shutil.copytree(sources[0].parent, folder, dirs_exist_ok=True)
            text = (folder / damage[0]).read_text()
            assert text.count(damage[1]) == 1, damage[1]
            (folder / damage[0]).write_text(text.replace(damage[1], damage[2]))
            sources = [folder / path.name for path in sources]
        objects += [self._object(path, flags if library is None else library) for path in sources]
        target = self._folder / f"{name}-{len(list(self._folder.iterdir()))}"
        process.run(
            [*driver.compiler(), *flags, *objects, "-o", target, "-ldl", "-pthread"],
            what=f"linking {name}",
            timeout=_LIMIT,
        )
        return target


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> _Builder:
    return _Builder(tmp_path_factory.mktemp("fuzz"))


def _fuzz(program: Path, mode: str, seed: int, sessions: int, *more: str | Path) -> dict[str, int]:
    """Run sessions: how often each status was answered, with the number of calls and blocks."""
    seconds = int(os.environ.get("AESFAB_FUZZ_SECONDS", "0"))
    amount = str(sessions)
    if seconds:
        seed, amount = int(time.time()), f"{seconds}s"
    text = process.run(
        [program, mode, str(seed), amount, *more],
        what=f"fuzz {mode} {seed}",
        timeout=_LIMIT + seconds,
    )
    line = re.search(
        r"^fuzz: (\d+) sessions, (\d+) calls, (\d+) blocks; statuses (.*)$", text, re.M
    )
    assert line, text
    statuses = map(int, line[4].split())
    return {
        "calls": int(line[2]),
        "blocks": int(line[3]),
        **{status.name: number for status, number in zip(Status, statuses, strict=True)},
    }


REFUSALS = {"OK", "ARGUMENT", "LENGTH", "UNSUPPORTED", "NO_KEY"}
"""What calls answer on a device that works, if they are drawn."""


def _judge(trace: Path) -> set[str]:
    """Compare the results of a session with OpenSSL; which modes there were."""
    modes = set()
    for line in trace.read_text().splitlines():
        mode, first, key, before, given, made = line.split()
        modes.add(mode)
        data, result = bytes.fromhex(given), bytes.fromhex(made)
        if mode == "ctr":
            skipped = bytes(int(before))
            wanted = oracle.crypt("ctr", bytes.fromhex(key), bytes.fromhex(first), skipped + data)[
                len(skipped) :
            ]
        else:
            wanted = oracle.ecb(bytes.fromhex(key), data, decrypt=mode == "ecb-decrypt")
        assert result == wanted, line
    return modes


@pytest.mark.parametrize(("mode", "sessions"), [("model", 1500), ("faulty", 1500)])
def test_random_calls_answer_what_they_must(
    builder: _Builder, tmp_path: Path, mode: str, sessions: int
) -> None:
    """Each call has its status, each result is right, also where the device fails once."""
    trace = tmp_path / "trace"
    seen = _fuzz(builder.program("fuzz", MEMORY), mode, 1, sessions, trace)
    assert seen["calls"] > 10 * sessions
    assert seen["blocks"] > 10 * sessions
    answered = {status.name for status in Status if seen[status.name]}
    if mode == "model":
        assert answered == REFUSALS
    else:
        assert answered >= REFUSALS | {"SYSTEM", "BUS", "DEVICE", "RESET", "TIMEOUT", "FAILED"}
    assert _judge(trace) == {"ctr", "ecb-encrypt", "ecb-decrypt"}


def test_random_calls_on_a_lying_device_do_no_harm(builder: _Builder) -> None:
    """No crash, no access out of bounds, no call without an end, no status that is not one."""
    seen = _fuzz(builder.program("fuzz", MEMORY), "hostile", 1, 4000)
    for status in Status:
        assert seen[status.name] or status in (Status.MEMORY, Status.TAG), status


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.module)
def test_random_calls_on_simulated_hardware(
    builder: _Builder, tmp_path: Path, system: System
) -> None:
    trace = tmp_path / "trace"
    program = builder.program("fuzz", MEMORY)
    seen = _fuzz(program, f"sim:{simulation(system)}", 1, 40, trace)
    assert {status.name for status in Status if seen[status.name]} == REFUSALS
    assert seen["blocks"] > 100
    assert "ecb-encrypt" in _judge(trace)


@pytest.mark.parametrize(
    ("mode", "file", "old", "new"),
    [
        ("hostile", "aesfab.c", "log2 < kFewestLog2Depth || ", ""),
        ("hostile", "aesfab.c", " || log2 > kMostLog2Depth", ""),
        ("hostile", "aesfab.c", "if (!info->encrypts && !info->decrypts) ", "if (false) "),
        ("hostile", "aesfab.c", "*level > under_way", "false"),
        ("model", "aesfab.c", "  *value = UINT32_MAX;\n", ""),
        ("faulty", "aesfab.c", " || patience->standing >= AESFAB_LOOKS", ""),
        ("faulty", "aesfab.c", "      status = AESFAB_E_BUS;\n", ""),
        ("faulty", "aesfab.c", "trouble->failed = true;\n  return aesfab", "return aesfab"),
        ("model", "transport.h", "bytes <= PTRDIFF_MAX && ", ""),
        ("model", "transport.h", "a < b ? b - a < first_bytes : a - b < second_bytes", "a == b"),
        ("model", "aesfab.c", '  if (transport->push == NULL) return "push";\n', ""),
        ("model", "aesfab.c", "counter->left = (uint32_t)(whole - count)", "counter->left = 0"),
        ("model", "aesfab.c", " || counter->key != device->keys", ""),
        ("model", "aesfab.c", "counter->state != kBegun || ", ""),
        ("model", "aesfab.c", "aesfab_overlap(counter, sizeof *counter, out, bytes)", "false"),
        ("model", "aesfab.c", "  *device = NULL;\n  (void)erase", "  (void)erase"),
        ("model", "aesfab.c", "if (bytes % AESFAB_BLOCK_BYTES != 0) return", "if (false) return"),
        ("model", "aesfab.c", "*c = '?'", "continue"),
        ("model", "copy.c", "  bytes -= bytes % AESFAB_BLOCK_BYTES;\n  if (!aesfab_copy_supported"
         "(copy)) copy = AESFAB_COPY_64;\n  switch", "  switch"),
    ],
)  # fmt: skip
def test_a_check_taken_out_is_missed(
    builder: _Builder, mode: str, file: str, old: str, new: str
) -> None:
    # A check that is gone may leave a function or variable without use.
    program = builder.program("fuzz", (*MEMORY, "-Wno-error"), damage=(file, old, new))
    with pytest.raises(ToolError):
        process.run([program, mode, "1", "1500"], what="fuzz", timeout=_LIMIT)


def _packets(program: Path, mode: str, sessions: int) -> set[str]:
    """Random calls for engines: which statuses were answered."""
    text = process.run([program, mode, "1", str(sessions)], what="engine", timeout=_LIMIT)
    line = re.fullmatch(r"engine: \d+ sessions; statuses ([\d ]+)\n", text)
    assert line, text
    counts = map(int, line[1].split())
    return {status.name for status, count in zip(Status, counts, strict=True) if count}


def test_random_packet_calls_answer_what_they_must(builder: _Builder) -> None:
    """All of memory is as it must be afterwards, and a call that is refused reaches no engine."""
    program = builder.program("engine", MEMORY)
    refused = {"OK", "ARGUMENT", "LENGTH", "UNSUPPORTED", "NO_KEY", "TAG"}
    assert _packets(program, "model", 2000) == refused
    failed = {"MEMORY", "SYSTEM", "BUS", "DEVICE", "RESET", "TIMEOUT", "FAILED"}
    assert _packets(program, "faulty", 3000) == refused | failed


@pytest.mark.parametrize(
    ("mode", "old", "new"),
    [
        ("model", "if (info->slots < kFewestSlots || info->slots > kMostSlots) ", "if (false) "),
        ("model", "if (!info->ctr && !info->gcm && !info->ccm) ", "if (false) "),
        ("model", 'return transport->packet == NULL ? "packet" : NULL;', "return NULL;"),
        ("model", "if (slot < engine->info.slots) return", "if (true) return"),
        ("model", "if (!has) return fail(engine, AESFAB_E_UNSUPPORTED, \"that key", "if (false) "
         "return fail(engine, AESFAB_E_UNSUPPORTED, \"that key"),
        ("model", "(uint32_t)(bytes / 8 - 2) << 8 | slot", "slot"),
        ("model", "if (!has_key(engine, p->slot)) return", "if (false) return"),
        ("model", "  engine->keyed[slot / 32] &= ~(UINT32_C(1) << slot % 32);\n", ""),
        ("model", "  memset(engine->keyed, 0, sizeof engine->keyed);\n", ""),
        ("model", " || p->iv_bytes > kMostIv", ""),
        ("model", "(p->tag_bytes < 12 || p->tag_bytes > 16)", "p->tag_bytes > 16"),
        ("model", " || !even", ""),
        ("model", "p->in != p->out && aesfab_overlap(p->in, p->bytes, p->out, p->bytes)", "false"),
        ("model", "beside[i].bytes != 0 &&", "false &&"),
        ("model", "  if (bytes == 0) return;\n  const struct", "  const struct"),
        ("model", " && p->iv_bytes != kPlainIv;", ";"),
        ("model", "(uint32_t)p->aad_bytes << 16;", "0;"),
        ("model", "(uint32_t)(packet->number == 0) << 4", "0u"),
        ("model", "if (number > 3) word |= (uint32_t)bytes[3] << 24;", ""),
        ("model", "    aesfab_wipe(p->out, p->bytes);\n", ""),
        ("model", "case kErrorTag: return fail(engine, AESFAB_E_TAG, NULL);", ""),
        ("model", "if (!closed->trouble.failed) (void)send_key(closed, NULL, 0, kClearAll);", ""),
        ("faulty", " && answer->text_bytes == p->bytes) return", ") return"),
        ("faulty", "if (last && right && error == kErrorNone", "if (last && error == kErrorNone"),
        ("faulty", "return engine->trouble.failed ? AESFAB_E_FAILED : ", "return "),
    ],
)  # fmt: skip
def test_a_check_of_packets_taken_out_is_missed(
    builder: _Builder, mode: str, old: str, new: str
) -> None:
    program = builder.program("engine", (*MEMORY, "-Wno-error"), damage=("engine.c", old, new))
    with pytest.raises(ToolError):
        process.run([program, mode, "1", "3000"], what="engine", timeout=_LIMIT)


def test_random_calls_of_threads_are_independent(builder: _Builder) -> None:
    """Each thread has a device, and all share one under a lock: no race, as the header has it."""
    program = builder.program("fuzz", THREADS)
    seen = _fuzz(program, "threads", 1, 60)
    assert {status.name for status in Status if seen[status.name]} == REFUSALS
    with pytest.raises(ToolError) as error:
        process.run([program, "race", "1", "60"], what="without a lock", timeout=_LIMIT)
    assert "ThreadSanitizer" in error.value.log_tail


def test_library_has_no_variables(tmp_path: Path) -> None:
    """Nothing that two devices could share: all data of the objects is constant."""
    nm = shutil.which("nm")
    assert nm
    for source in driver.c_sources():
        target = tmp_path / "object.o"
        process.run(
            [*driver.compiler(), "-std=c11", "-fno-pie", "-fno-pic", "-I", c_folder() / "include",
             "-c", source, "-o", target],
            what="compiling",
        )  # fmt: skip
        kinds = {line.split()[-2] for line in process.run([nm, target], what="nm").splitlines()}
        assert kinds <= set("UTtRr"), source.name


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3", "-Os"])
def test_secrets_do_not_stay(builder: _Builder, level: str) -> None:
    program = builder.program("secrets", ("-O1",), library=(level,))
    assert process.run([program], what="secrets", timeout=_LIMIT) == "secrets: nothing is left\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  aesfab_wipe(below, sizeof below);\n", "  (void)below;\n"),
        ("    burn_stack();\n  }\n", "  }\n"),
        ("  aesfab_wipe(stream, used);\n", ""),
        ("*(volatile word *)byte = 0", "*(word *)byte = 0"),
        ("  aesfab_wipe(rest, count);\n", ""),
        ("if (counter != NULL) aesfab_wipe(counter, sizeof *counter)", "(void)counter"),
    ],
)
def test_a_secret_that_stays_is_found(builder: _Builder, old: str, new: str) -> None:
    """The compiler leaves out what sets memory that nobody reads again, if it may."""
    program = builder.program(
        "secrets", ("-O1", "-Wno-error"), library=("-O2",), damage=("aesfab.c", old, new)
    )
    with pytest.raises(ToolError):
        process.run([program], what="secrets", timeout=_LIMIT)


# --------------------------------------------------------------------------- from Python


def test_a_message_may_be_cut_anywhere() -> None:
    """20 and 17 bytes are what 37 are; random cuts, and messages that take turns."""
    rng = random.Random(11)
    with Simulation(simulation(BOTH_ANY)) as sim, Device(sim) as device:
        key = rng.randbytes(32)
        device.set_key(key)
        data, first = rng.randbytes(37), bytes(15) + b"\xff"
        with CounterMode(device, first) as message:
            made = message.update(data[:20]) + message.update(data[20:])
        assert made == device.ctr(first, data) == oracle.crypt("ctr", key, first, data)
        for _ in range(40):
            parts = []
            for _ in range(2):
                length = rng.randint(0, rng.choice([40, 40, 6000]))
                cuts = sorted(rng.randint(0, length) for _ in range(rng.randint(0, 12)))
                data, first = rng.randbytes(length), b"\xff" * 14 + rng.randbytes(2)
                pieces = [data[a:b] for a, b in itertools.pairwise([0, *cuts, length])]
                parts.append((CounterMode(device, first), first, data, pieces, bytearray()))
            for pair in itertools.zip_longest(*(part[3] for part in parts)):
                for (message, *_, result), piece in zip(parts, pair, strict=True):
                    if piece is not None:
                        result.extend(message.update(piece))
                if rng.random() < 0.2:
                    between = rng.randbytes(32)
                    assert device.encrypt(between) == oracle.ecb(key, between)
            for message, first, data, _, result in parts:
                assert result == oracle.crypt("ctr", key, first, data)
                message.close()


def test_buffers_of_words_are_taken_by_their_bytes() -> None:
    words = array.array("I", range(40))
    with Simulation(simulation(BOTH_ANY)) as sim, Device(sim) as device:
        device.set_key(bytes(16))
        data = words.tobytes()
        wanted = oracle.ecb(bytes(16), data)
        assert device.encrypt(memoryview(words)) == wanted
        assert device.ctr(bytes(16), memoryview(words)) == oracle.crypt(
            "ctr", bytes(16), bytes(16), data
        )
        device.encrypt_in_place(memoryview(words))
        assert words.tobytes() == wanted
        device.decrypt_in_place(memoryview(words))
        assert words.tobytes() == data


def test_a_message_ends_with_its_key() -> None:
    with Simulation(simulation(BOTH_ANY)) as sim, Device(sim) as device:
        device.set_key(bytes(16))
        message, unused = CounterMode(device, bytes(16)), CounterMode(device, bytes(16))
        start = message.update(bytes(5))
        device.set_key(bytes(16))
        with pytest.raises(DeviceError, match="key was set after this message began") as error:
            message.update(bytes(5))
        assert error.value.status is Status.ARGUMENT
        assert unused.update(bytes(5)) == start
        unused.close()
        with pytest.raises(DeviceError, match="not begun or has ended"):
            unused.update(bytes(5))
        with pytest.raises(DeviceError, match="16 bytes"):
            CounterMode(device, bytes(15))
        # None of these costs the device.
        assert device.encrypt(bytes(16)) == oracle.ecb(bytes(16), bytes(16))


_INFO = 1 | 9 << 8 | 1 << 16 | 1 << 18  # version, 512 blocks, encrypts, 128 bit


def _image(info: int = _INFO) -> bytearray:
    image = bytearray(0x4000)
    image[0:4] = b"AESF"
    image[8:12] = info.to_bytes(4, "little")
    return image


@pytest.mark.parametrize(
    ("info", "status", "match"),
    [
        (_INFO & ~0x1F00, Status.DEVICE, "buffers of no possible depth"),
        *((_INFO & ~0x1F00 | n << 8, Status.DEVICE, "no possible depth") for n in (16, 31)),
        (_INFO & ~(1 << 16), Status.DEVICE, "neither encryption nor decryption"),
        (_INFO & ~(1 << 18), Status.DEVICE, "no key length"),
        *((_INFO & ~0xFF | n, Status.VERSION, "register map") for n in (0, 2, 255)),
        (0xFFFFFFFF, Status.BUS, "reads as ones"),
        (_INFO | 1 << 22, Status.UNSUPPORTED, "stream ports"),
    ],
)
def test_a_device_that_cannot_be_is_refused(
    tmp_path: Path, info: int, status: Status, match: str
) -> None:
    path = tmp_path / "device"
    path.write_bytes(_image(info))
    for address in (f"devmem:{path}@0", f"uio:{path}"):
        with pytest.raises(DeviceError, match=match) as error:
            Device(address, timeout_us=1000)
        assert error.value.status is status


@pytest.mark.parametrize("depth", range(1, 16))
def test_every_depth_that_can_be_is_taken(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "device"
    path.write_bytes(_image(_INFO & ~0x1F00 | depth << 8))
    with Device(f"devmem:{path}@0") as device:
        assert device.info().depth == 1 << depth


def test_what_a_device_says_later_is_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "device"
    for place, value, status, match in (
        (0x18, 0xFFFFFFFF, Status.BUS, "nobody were there"),
        (0x30, 0xFFFFFFFF, Status.BUS, "nobody were there"),
        (0x30, 4, Status.DEVICE, "more results than blocks"),
        (0x18, 0, Status.RESET, "lost its key"),
        (0x18, 3, Status.RESET, "lost its key"),
        (0x18, 2, Status.TIMEOUT, "waiting for results"),
    ):
        path.write_bytes(_image())
        with (
            path.open("r+b") as file,
            mmap.mmap(file.fileno(), 0) as memory,
            Device(f"devmem:{path}@0", timeout_us=1000) as device,
        ):
            memory[0x20:0x24] = bytes(4)
            with pytest.raises(DeviceError, match="lost its key"):
                device.set_key(bytes(16))  # taken, and there is none
        path.write_bytes(_image())
        with (
            path.open("r+b") as file,
            mmap.mmap(file.fileno(), 0) as memory,
            Device(f"devmem:{path}@0", timeout_us=1000) as device,
        ):
            memory[0x20:0x24] = bytes(4)
            memory[0x18] = 2
            device.set_key(bytes(16))
            memory[place : place + 4] = value.to_bytes(4, "little")
            with pytest.raises(DeviceError, match=match) as error:
                device.encrypt(bytes(48))
            assert error.value.status is status
            with pytest.raises(DeviceError) as error:
                device.encrypt(bytes(48))
            assert error.value.status is Status.FAILED


def test_two_simulated_devices_run_in_two_threads() -> None:
    path = simulation(BOTH_ANY)

    def session(seed: int) -> bool:
        rng = random.Random(seed)
        with Simulation(path, seed) as sim, Device(sim, interrupts=seed % 2 == 0) as device:
            for _ in range(10):
                key, data = rng.randbytes(32), rng.randbytes(16 * 300)
                device.set_key(key)
                if device.encrypt(data) != oracle.ecb(key, data):
                    return False
        return True

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(session, range(8)))
