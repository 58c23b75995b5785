# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Packets of a program: libaesfab on a RISC-V system beside an engine, every clock counted.

The system is ``host/soc/rtl/aes_soc_packets.sv``, the program ``host/soc/packets``. It does the
jobs that stand in its memory: official answers, random packets at every alignment, packets with a
wrong tag, calls that are refused, and packets whose clocks are the figures. Afterwards every byte
of the memory that the jobs can reach must be what OpenSSL says, or what it was.
"""

from __future__ import annotations

import dataclasses
import random
import struct
import time
from collections.abc import Iterator, Sequence
from typing import Any

from aesfab.eda import simulate, yosys
from aesfab.engine import every, hdl, vectors
from aesfab.engine.catalogue import NamedEngine
from aesfab.engine.ccm import packets as ccm
from aesfab.engine.ccm import vectors as ccm_vectors
from aesfab.engine.ccm.catalogue import NamedCcm
from aesfab.engine.packets import Error, Mode, Packet
from aesfab.errors import AesfabError
from aesfab.host import soc
from aesfab.host.driver import Status
from aesfab.system import cache, process

AnyNamed = NamedEngine | NamedCcm
"""An engine that takes packets."""
AnyPacket = Packet | ccm.Packet

SIZES = (64, 512, 1500)
"""Bytes of text of the packets whose clocks are the figures."""
HEADER = 13
"""Bytes of their AAD, as a record of TLS has."""

_GCM_CTR = frozenset((Mode.CTR, Mode.GCM))
_KEY_BITS = {128: 1 << 24, 192: 1 << 25, 256: 1 << 26}
_VERIFIED = 1 << 27
_JOB = struct.Struct("<15I")
_FILL = 0xA5
_SET_KEY, _CLEAR_KEY, _CLEAR_KEYS = 100, 101, 102
_RANDOM = 120  # packets
_LENGTHS = (0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 47, 64, 100, 255)


def names() -> list[str]:
    """The names of the engines that take packets."""
    return [*every.PACKETS.catalogue, *every.CCM.catalogue]


def find(name: str, overrides: Sequence[str] = ()) -> AnyNamed:
    """The engine of packets of a name, with ``axis=value`` overrides.

    Raises AesfabError for one of another kind, and for one that is illegal.
    """
    named = every.find(name, overrides)
    if not isinstance(named, NamedEngine | NamedCcm):
        raise AesfabError(f"'{name}' takes no packets; engines that do: {', '.join(names())}")
    named.engine.require_legal()
    return named


# --------------------------------------------------------------------------- hardware


def modes(named: AnyNamed) -> frozenset[int]:
    """The modes of its descriptors."""
    if isinstance(named, NamedCcm):
        return frozenset((ccm.CCM,))
    return _GCM_CTR if named.engine.gcm else frozenset((Mode.CTR,))


def info(named: AnyNamed) -> int:
    """What the register INFO says of an engine (``host/include/aesfab_engine.h``)."""
    engine = named.engine
    value = sum(1 << mode for mode in modes(named)) | engine.num_slots - 1 << 16
    value |= sum(_KEY_BITS[bits] for bits in engine.key_lengths)
    return value | (_VERIFIED if engine.most_held is not None else 0)


def module(named: AnyNamed) -> str:
    """Name of the top module."""
    return f"{named.module}_soc"


def wrapper(named: AnyNamed) -> str:
    """The top module: processor, packet DMA and engine."""
    parameters = f"""\
    .Info       (32'h{info(named):08x}),
    .RamWords   ({soc.RAM_BYTES // 4}),
    .ClocksPerUs({soc.CLOCK_MHZ})
"""
    device = f"aes_soc_packets #(\n{parameters}  ) u_soc"
    return soc.top_module(module(named), named.name, around(named, device, soc.CONSOLE))


def around(named: AnyNamed, device: str, ports: Sequence[str]) -> str:
    """What stands in a top module of an engine and the packet DMA that serves it, on one clock.

    Args:
        named: the engine.
        device: module, parameters and name of the instance that has the packet DMA.
        ports: its ports beside clock, reset and streams: those of the top module.
    """
    width = {port.name: port.width for port in named.engine.ports()}
    key, descriptor = width["s_key_tdata_i"], width["s_desc_tdata_i"]
    unused = "".join(
        f", {name}[255:{bits}]"
        for name, bits in (("key", key), ("descriptor", descriptor))
        if bits < 256
    )
    others = ",\n".join(f"    .{port}" for port in ports)
    return f"""  logic key_valid, key_ready, descriptor_valid, descriptor_ready;
  logic in_valid, in_ready, in_last, out_valid, out_ready, out_last;
  logic [255:0] key, descriptor;
  logic [11:0] key_user;
  logic [127:0] in_data, out_data;
  logic [15:0] in_keep, out_keep;
  logic [1:0] in_user;
  logic [5:0] out_user;
  logic unused;

  assign unused = ^{{out_last{unused}}};

  {device} (
    .clk_i,
    .rst_ni,
    .m_key_tvalid_o (key_valid),
    .m_key_tready_i (key_ready),
    .m_key_tdata_o  (key),
    .m_key_tuser_o  (key_user),
    .m_desc_tvalid_o(descriptor_valid),
    .m_desc_tready_i(descriptor_ready),
    .m_desc_tdata_o (descriptor),
    .m_data_tvalid_o(in_valid),
    .m_data_tready_i(in_ready),
    .m_data_tdata_o (in_data),
    .m_data_tkeep_o (in_keep),
    .m_data_tlast_o (in_last),
    .m_data_tuser_o (in_user),
    .s_data_tvalid_i(out_valid),
    .s_data_tready_o(out_ready),
    .s_data_tdata_i (out_data),
    .s_data_tkeep_i (out_keep),
    .s_data_tuser_i (out_user),
{others}
  );

  {named.module} u_engine (
    .clk_i,
    .rst_ni,
    .s_key_tvalid_i (key_valid),
    .s_key_tready_o (key_ready),
    .s_key_tdata_i  (key[{key - 1}:0]),
    .s_key_tuser_i  (key_user),
    .s_desc_tvalid_i(descriptor_valid),
    .s_desc_tready_o(descriptor_ready),
    .s_desc_tdata_i (descriptor[{descriptor - 1}:0]),
    .s_data_tvalid_i(in_valid),
    .s_data_tready_o(in_ready),
    .s_data_tdata_i (in_data),
    .s_data_tkeep_i (in_keep),
    .s_data_tlast_i (in_last),
    .s_data_tuser_i (in_user),
    .m_data_tvalid_o(out_valid),
    .m_data_tready_i(out_ready),
    .m_data_tdata_o (out_data),
    .m_data_tkeep_o (out_keep),
    .m_data_tlast_o (out_last),
    .m_data_tuser_o (out_user)
  );
"""


def sources(named: AnyNamed) -> list[Any]:
    """The files of a system in compilation order: engine, system, processor, top module.

    Raises AesfabError for an illegal engine.
    """
    top = module(named)
    beside = soc.rtl_files(("aes_soc_packet_dma", "aes_soc_packets"))
    text = cache.source(wrapper(named), f"{top}.sv")
    return [*hdl.sources(named), *beside, soc.processor(), text]


# --------------------------------------------------------------------------- jobs


@dataclasses.dataclass(frozen=True)
class Job:
    """What the program does, and what has to come of it.

    Attributes:
        what: a mode, or a call about keys.
        said: in words.
        slot: of the key.
        decrypt: the direction.
        iv: it, or the key.
        aad: additional data.
        text: what goes in.
        tag: what is given with decryption, as long as the tag with encryption.
        shift: bytes from a word, of AAD, text and tag.
        in_place: text comes out where it went in.
        status: that the call must answer.
        text_out: what comes out.
        tag_out: the tag that comes out.
        official: it is an answer of a standard.
        figure: of a job whose clocks are a figure, direction and clocks of the engine alone.
    """

    what: int
    said: str
    slot: int = 0
    decrypt: bool = False
    iv: bytes = b""
    aad: bytes = b""
    text: bytes = b""
    tag: bytes = b""
    shift: tuple[int, int, int] = (0, 0, 0)
    in_place: bool = False
    status: Status = Status.OK
    text_out: bytes | None = None
    tag_out: bytes | None = None
    official: bool = False
    figure: tuple[str, int] | None = None


def descriptor(packet: AnyPacket) -> bytes:
    """The bytes of a descriptor, as ``s_desc`` takes them."""
    if isinstance(packet, ccm.Packet):
        return packet.data()
    return packet.descriptor(empty=not packet.beats())[12:32]


def _set_key(slot: int, key: bytes) -> Job:
    return Job(_SET_KEY, f"key of {len(key)} bytes for slot {slot}", slot, iv=key)


_STATUS = {Error.NONE: Status.OK, Error.TAG: Status.TAG, Error.LENGTH: Status.LENGTH}


def of_packet(named: AnyNamed, packet: AnyPacket, key: bytes, said: str, **more: Any) -> Job:
    """A packet as a job; what has to come of it, OpenSSL computes.

    Args:
        named: the engine.
        packet: it; its slot has the key.
        key: that.
        said: what it is, in words.
        more: fields of the job.
    """
    gcm = isinstance(packet, Packet)
    mode = packet.mode if isinstance(packet, Packet) else ccm.CCM
    iv = packet.iv if isinstance(packet, Packet) else packet.nonce
    result = packet.expected(key, named.engine.most_held)
    status = _STATUS[result.error]
    tagged = not gcm or mode == Mode.GCM
    text = result.text if status is Status.OK else bytes(len(packet.text))
    return Job(
        *(mode, said, packet.slot, packet.decrypt and tagged, iv, packet.aad, packet.text),
        tag=packet.tag if packet.decrypt else bytes(packet.tag_length if tagged else 0),
        status=status,
        text_out=text,
        tag_out=result.tag[: packet.tag_length] if tagged and not packet.decrypt else None,
        **more,
    )


def answers(named: AnyNamed) -> list[Any]:
    """The answers that folders of engines have, for its modes and key lengths, each in a slot."""
    lengths = [bits // 8 for bits in named.engine.key_lengths]
    has = modes(named)
    found: list[Any] = list(vectors.counter()) if Mode.CTR in has else []
    if Mode.GCM in has:
        found += vectors.shipped()
    if ccm.CCM in has:
        found += ccm_vectors.shipped()
    return [
        dataclasses.replace(
            answer, packet=dataclasses.replace(answer.packet, slot=number % named.engine.num_slots)
        )
        for number, answer in enumerate(a for a in found if len(a.key) in lengths)
    ]


def _official(named: AnyNamed) -> Iterator[Job]:
    """The official answers of an engine."""
    for answer in answers(named):
        packet = answer.packet
        job = of_packet(named, packet, answer.key, answer.source, official=True)
        if answer.result.error is Error.NONE:
            # What is printed, not what OpenSSL says.
            tag = answer.result.tag if job.tag_out is not None else None
            job = dataclasses.replace(job, text_out=answer.result.text, tag_out=tag)
        yield _set_key(packet.slot, answer.key)
        yield job


def _packet(named: AnyNamed, rng: random.Random, slot: int, text: int, aad: int) -> AnyPacket:
    """A random packet for encryption."""
    body, header = rng.randbytes(text), rng.randbytes(aad)
    if isinstance(named, NamedCcm):
        nonce = rng.randbytes(rng.choice(ccm.NONCES))
        return ccm.Packet(slot, nonce, body, header, tag_length=rng.choice(ccm.TAGS))
    mode = Mode(rng.choice(sorted(modes(named))))
    if mode == Mode.CTR:
        return Packet(mode, slot, rng.randbytes(16), body, tag_length=0)
    iv = rng.randbytes(rng.choice((12, 12, 12, 8, 16, 17, 60, 128)))
    return Packet(mode, slot, iv, body, header, tag_length=rng.choice((4, 8, *range(12, 17))))


def opened(packet: AnyPacket, key: bytes) -> AnyPacket:
    """The packet that is decrypted to the text of one that is encrypted."""
    result = packet.expected(key)
    return dataclasses.replace(
        packet, text=result.text, tag=result.tag[: packet.tag_length], decrypt=True
    )


def _random(named: AnyNamed, rng: random.Random) -> Iterator[Job]:
    """Packets of all lengths at all alignments, some in place, some with a wrong tag."""
    lengths = [bits // 8 for bits in named.engine.key_lengths]
    slots = [*range(3), named.engine.num_slots - 1]
    keys: dict[int, bytes] = {}
    for number in range(_RANDOM):
        slot = rng.choice(slots[: named.engine.num_slots])
        if slot not in keys or rng.random() < 0.1:
            keys[slot] = rng.randbytes(rng.choice(lengths))
            yield _set_key(slot, keys[slot])
        packet = _packet(named, rng, slot, rng.choice(_LENGTHS), rng.choice((0, 1, 13, 16, 20, 40)))
        if rng.random() < 0.5:
            packet = opened(packet, keys[slot])
            if packet.tag and rng.random() < 0.25:
                wrong = bytearray(packet.tag)
                wrong[rng.randrange(len(wrong))] ^= 1 << rng.randrange(8)
                packet = dataclasses.replace(packet, tag=bytes(wrong))
        yield of_packet(
            named,
            packet,
            keys[slot],
            f"random packet {number}",
            shift=(rng.randrange(4), rng.randrange(4), rng.randrange(4)),
            in_place=rng.random() < 0.5,
        )


def _refused(named: AnyNamed, rng: random.Random) -> Iterator[Job]:
    """Calls that the library refuses, or the engine; the one after each must work."""
    key = rng.randbytes(min(named.engine.key_lengths) // 8)
    slot = named.engine.num_slots - 1
    packet = opened(_packet(named, rng, slot, 40, 13), key)
    right = of_packet(named, packet, key, "a packet after one that was refused")
    nothing: dict[str, Any] = {"text_out": None, "tag_out": None}
    yield _set_key(slot, key)
    for said, status, changed in (
        ("a slot that is not there", Status.ARGUMENT, {"slot": named.engine.num_slots}),
        ("an IV of no length", Status.ARGUMENT, {"iv": b""}),
        ("a mode that the engine has not", Status.UNSUPPORTED, {"what": 7}),
        ("a tag of three bytes", Status.ARGUMENT, {"tag": bytes(3)}),
    ):
        if right.tag or "tag" not in changed:
            # Of CTR, the block has no length in the call.
            if not right.tag and "iv" in changed:
                continue
            yield dataclasses.replace(right, said=said, status=status, **changed, **nothing)
            yield right
    yield Job(_CLEAR_KEY, "a slot is cleared", slot)
    no_key = dataclasses.replace(right, said="a slot without a key", status=Status.NO_KEY)
    yield dataclasses.replace(no_key, **nothing)
    other = {16: 24, 24: 16, 32: 16}
    if other[len(key)] * 8 not in named.engine.key_lengths:
        wrong = _set_key(slot, bytes(other[len(key)]))
        yield dataclasses.replace(wrong, status=Status.UNSUPPORTED)
    yield _set_key(slot, key)
    yield right
    yield Job(_CLEAR_KEYS, "all slots are cleared")
    yield dataclasses.replace(no_key, **nothing)


def _measured(named: AnyNamed, rng: random.Random) -> Iterator[Job]:
    """The packets whose clocks are the figures, in both directions."""
    key = rng.randbytes(min(named.engine.key_lengths) // 8)
    yield _set_key(0, key)
    for size in SIZES:
        for decrypt in (False, True):
            packet = _figure(named, rng, size)
            if decrypt:
                packet = opened(packet, key)
            aad = HEADER + (2 if isinstance(packet, ccm.Packet) else 0)
            blocks = -(-aad // 16) if packet.aad else 0
            clocks = named.engine.packet_clocks(blocks, -(-size // 16), decrypt=decrypt)
            way = "decrypt" if decrypt else "encrypt"
            said = f"{size} bytes to {way}"
            yield of_packet(named, packet, key, said, figure=(way, clocks))


def _figure(named: AnyNamed, rng: random.Random, size: int) -> AnyPacket:
    text, aad = rng.randbytes(size), rng.randbytes(HEADER)
    if isinstance(named, NamedCcm):
        return ccm.Packet(0, rng.randbytes(12), text, aad)
    if not named.engine.gcm:
        return Packet(Mode.CTR, 0, rng.randbytes(16), text, tag_length=0)
    return Packet(Mode.GCM, 0, rng.randbytes(12), text, aad)


def jobs(named: AnyNamed, seed: int) -> list[Job]:
    """All jobs for an engine."""
    rng = random.Random(seed)
    makers = (_official(named), _random(named, rng), _refused(named, rng), _measured(named, rng))
    return [job for maker in makers for job in maker]


# --------------------------------------------------------------------------- running


class _Pool:
    """The memory of jobs: before, and as it has to be afterwards."""

    def __init__(self, size: int) -> None:
        self.given = bytearray([_FILL]) * size
        self.wanted = bytearray(self.given)
        self._next = 0

    def place(self, data: bytes, shift: int = 0) -> int:
        """Where these bytes stand, so many bytes behind a word, with room around them."""
        at = self._next + shift
        self._next = at + len(data) + 8 - (at + len(data)) % 4
        if self._next > len(self.given):
            raise OverflowError
        for memory in (self.given, self.wanted):
            memory[at : at + len(data)] = data
        return at

    def expect(self, at: int, data: bytes | None) -> None:
        """What stands there afterwards, where it is something else."""
        if data is not None:
            self.wanted[at : at + len(data)] = data

    def add(self, job: Job) -> bytes:
        """A job as the program reads it; OverflowError where it has no place."""
        aad_shift, text_shift, tag_shift = job.shift
        iv = self.place(job.iv, aad_shift)
        aad = self.place(job.aad, aad_shift)
        text = self.place(job.text, text_shift)
        out = text if job.in_place else self.place(bytes(len(job.text)), tag_shift)
        tag = self.place(job.tag, tag_shift)
        self.expect(out, job.text_out)
        self.expect(tag, job.tag_out)
        return _JOB.pack(
            *(job.what, job.decrypt, job.slot, iv, len(job.iv), aad, len(job.aad)),
            *(text, out, len(job.text), tag, len(job.tag), 0xFFFF, 0, 0),
        )


@dataclasses.dataclass(frozen=True)
class Row:
    """A packet: one call of the library.

    Attributes:
        direction: ``encrypt`` or ``decrypt``.
        bytes: of text; AAD of HEADER bytes is beside it where the mode has it.
        cycles: from the call to its return.
        instructions: of the processor in this time.
        engine_cycles: from packet to packet of the engine alone.
    """

    direction: str
    bytes: int
    cycles: int
    instructions: int
    engine_cycles: int

    @property
    def mbit_s(self) -> float:
        """Throughput of text at CLOCK_MHZ."""
        return 8 * self.bytes * soc.CLOCK_MHZ / self.cycles


@dataclasses.dataclass(frozen=True)
class Result:
    """What a run was.

    Attributes:
        key_bits: length of the key of all rows.
        official: official answers.
        packets: packets in all.
        costs: cycles of opening the engine and of setting a key.
        rows: the figures.
        clocks: clocks simulated.
        seconds: wall time.
        firmware: the program.
    """

    key_bits: int
    official: int
    packets: int
    costs: dict[str, int]
    rows: tuple[Row, ...]
    clocks: int
    seconds: float
    firmware: soc.Firmware

    def record(self, named: AnyNamed, seed: int) -> dict[str, Any]:
        """The run as a record; the same system, program and seed give the same one."""
        files = sources(named)
        return {
            "kind": "host-packets",
            "design": named.name,
            "parameters": named.engine.axes(),
            "netlist_hash": yosys.netlist_hash(files, module(named)),
            "rtl_hash": process.content_key(files),
            "firmware_hash": process.content_key(self.firmware.image),
            "seed": seed,
            "clock_mhz": soc.CLOCK_MHZ,
            "key_bits": self.key_bits,
            "official": self.official,
            "packets": self.packets,
            "costs": self.costs,
            "aad_bytes": HEADER if modes(named) != {Mode.CTR} else 0,
            "messages": [
                {**dataclasses.asdict(row), "mbit_s": round(row.mbit_s, 1)} for row in self.rows
            ],
            "clocks": self.clocks,
            "passed": True,
            "tools": soc.tools(self.firmware),
        }


def firmware() -> soc.Firmware:
    """The program of packets; see ``soc.firmware``."""
    return soc.firmware("packets")


def run(
    named: AnyNamed,
    *,
    seed: int = 1,
    timeout_us: int = 0,
    program: soc.Firmware | None = None,
    progress: simulate.Progress = simulate.silent,
) -> Result:
    """Build a system around an engine, run the program on it and judge what it did.

    Args:
        named: the engine.
        seed: of packets, keys, and of state without a reset value.
        timeout_us: of the engine, as the library takes it; 0 is a second.
        program: another program than ``firmware()``.
        progress: told of each step.

    Raises:
        SocError: a call answered something else, or memory is not as OpenSSL says.
        AesfabError: an illegal engine, no compiler, an unwritable cache.
        ToolError: a tool fails.
    """
    program = program or firmware()
    path = soc.build(sources(named), module(named), progress)
    size, most = program.symbols["pool"][1], program.symbols["jobs"][1] // _JOB.size
    todo = jobs(named, seed)
    packets = sum(job.what not in (_SET_KEY, _CLEAR_KEY, _CLEAR_KEYS) for job in todo)
    official = sum(job.official for job in todo)
    start = time.monotonic()
    costs: dict[str, int] = {}
    rows: list[Row] = []
    clocks = 0
    keys: dict[int, Job] = {}
    while todo:
        chosen, words, pool = _fill([*keys.values(), *todo][:most], size)
        todo = todo[len(chosen) - len(keys) :]
        keys = _keys(chosen)
        with soc.Machine(path, seed) as machine:
            machine.write(0, program.image)
            machine.write(program.symbols["given_jobs"][0], len(chosen).to_bytes(4, "little"))
            machine.write(program.symbols["given_timeout_us"][0], timeout_us.to_bytes(4, "little"))
            machine.write(program.symbols["jobs"][0], words)
            machine.write(program.symbols["pool"][0], bytes(pool.given))
            status = machine.run(progress)
            if status:
                raise soc.SocError(
                    f"the program on the processor: status {status}: {machine.last_line}"
                )
            costs["open"] = int(machine.console.split()[-1])
            done = list(_JOB.iter_unpack(machine.read(program.symbols["jobs"][0], len(words))))
            memory = machine.read(program.symbols["pool"][0], size)
            clocks += machine.clocks
        for job, made in zip(chosen, done, strict=True):
            got = made[12]
            if got != job.status:
                said = Status(got).name if got in list(Status) else f"{got:#x}"
                raise soc.SocError(f"{job.said}: the call answered {said}, not {job.status.name}")
            if job.what == _SET_KEY and job.status is Status.OK:
                costs["key"] = made[13]
            if job.figure is not None:
                way, alone = job.figure
                rows.append(Row(way, len(job.text), made[13], made[14], alone))
        _compare(memory, chosen, done, pool)
    return Result(
        key_bits=min(named.engine.key_lengths),
        official=official,
        packets=packets,
        costs=costs,
        rows=tuple(rows),
        clocks=clocks,
        seconds=time.monotonic() - start,
        firmware=program,
    )


def _keys(done: Sequence[Job]) -> dict[int, Job]:
    """The keys that slots have after these jobs, as the jobs that set them."""
    keys: dict[int, Job] = {}
    for job in done:
        if job.what == _CLEAR_KEYS:
            keys = {}
        elif job.what == _CLEAR_KEY:
            keys.pop(job.slot)
        elif job.what == _SET_KEY and job.status is Status.OK:
            keys[job.slot] = job
    return keys


def _fill(todo: Sequence[Job], size: int) -> tuple[list[Job], bytes, _Pool]:
    """As many jobs as the memory of the program has room for, as it reads them."""
    pool, chosen, words = _Pool(size), list[Job](), b""
    for job in todo:
        try:
            words += pool.add(job)
        except OverflowError:
            break
        chosen.append(job)
    return chosen, words, pool


def _compare(memory: bytes, chosen: Sequence[Job], done: Sequence[Any], pool: _Pool) -> None:
    """SocError where a byte is neither what OpenSSL says nor what it was."""
    wrong = next(
        (n for n, (a, b) in enumerate(zip(memory, pool.wanted, strict=True)) if a != b), -1
    )
    if wrong < 0:
        return
    # Places grow from job to job: it is of the last one that begins before it, or beside it.
    number = max(n for n, made in enumerate(done) if made[3] <= wrong or n == 0)
    job = chosen[number]
    raise soc.SocError(f"{job.said}: byte {wrong} of the memory is {memory[wrong]:#04x}, not "
                       f"{pool.wanted[wrong]:#04x}")  # fmt: skip
