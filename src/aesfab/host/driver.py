# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""libaesfab from Python: devices, and the simulated hardware behind them.

The library is compiled by the C compiler of the machine when it is used for the first time and
kept in the cache. The interpreter is free while a call of it runs.
"""

from __future__ import annotations

import abc
import ctypes
import dataclasses
import enum
import functools
import os
import shlex
import shutil
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aesfab.errors import AesfabError, ToolError
from aesfab.host.system import c_folder
from aesfab.system import cache, process

C_FLAGS = ("-std=c11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow")
_BUILD_LIMIT = 300.0  # seconds for one call of the compiler


class Status(enum.IntEnum):
    """What a call of the library answers; the values of ``enum aesfab_status``."""

    OK = 0
    ARGUMENT = 1
    LENGTH = 2
    MEMORY = 3
    SYSTEM = 4
    NO_DEVICE = 5
    VERSION = 6
    UNSUPPORTED = 7
    NO_KEY = 8
    BUS = 9
    DEVICE = 10
    RESET = 11
    TIMEOUT = 12
    FAILED = 13
    TAG = 14


class Copy(enum.IntEnum):
    """How blocks are moved to and from a device; the values of ``enum aesfab_copy``."""

    AUTO = 0
    WORD_64 = 1
    SSE = 2
    SSE_NT = 3
    AVX2_NT = 4
    STRING = 5


COPY_NAMES = {
    "auto": Copy.AUTO,
    "64": Copy.WORD_64,
    "sse": Copy.SSE,
    "sse-nt": Copy.SSE_NT,
    "avx2-nt": Copy.AVX2_NT,
    "string": Copy.STRING,
}
"""Transfer variants as the user writes them."""


class DeviceError(AesfabError):
    """A call of the library failed.

    Attributes:
        status: which way.
    """

    exit_status = 1

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = Status(status)


class _Options(ctypes.Structure):
    _fields_ = (
        ("copy", ctypes.c_int),
        ("interrupts", ctypes.c_bool),
        ("batch", ctypes.c_bool),
        ("chunk_blocks", ctypes.c_uint32),
        ("timeout_us", ctypes.c_uint32),
    )


class _Info(ctypes.Structure):
    _fields_ = (
        ("depth", ctypes.c_uint32),
        ("encrypts", ctypes.c_bool),
        ("decrypts", ctypes.c_bool),
        ("key_128", ctypes.c_bool),
        ("key_192", ctypes.c_bool),
        ("key_256", ctypes.c_bool),
        ("guarded", ctypes.c_bool),
        ("stream", ctypes.c_bool),
    )


class _Counter(ctypes.Structure):
    _fields_ = (
        ("next", ctypes.c_uint8 * 16),
        ("rest", ctypes.c_uint8 * 16),
        ("left", ctypes.c_uint32),
        ("state", ctypes.c_uint32),
        ("key", ctypes.c_uint32),
        ("device", ctypes.c_void_p),
    )


@dataclasses.dataclass(frozen=True)
class Info:
    """What a device can do: the fields of ``struct aesfab_info``."""

    depth: int
    encrypts: bool
    decrypts: bool
    key_128: bool
    key_192: bool
    key_256: bool
    guarded: bool
    stream: bool


@functools.cache
def compiler() -> tuple[str, ...]:
    """The command of the C compiler; AesfabError when there is none."""
    wanted = os.environ.get("CC", "")
    for candidate in [wanted] if wanted.strip() else ["cc", "gcc", "clang"]:
        command = tuple(shlex.split(candidate))
        if command and shutil.which(command[0]):
            return command
    raise AesfabError("a C compiler is missing; on Debian or Ubuntu: sudo apt install gcc")


def c_sources() -> list[Path]:
    """The C files of the library."""
    return sorted((c_folder() / "src").glob("*.c"))


def build() -> Path:
    """The library, from the cache or compiled now.

    Raises:
        AesfabError: no compiler, an unwritable cache.
        ToolError: the compiler fails.
    """
    folder = c_folder()
    headers = [*(folder / "include").glob("*.h"), *(folder / "src").glob("*.h")]
    version = process.run([*compiler(), "--version"], what="the C compiler")
    key = process.content_key(version, " ".join(C_FLAGS), [*c_sources(), *sorted(headers)])

    def make(path: Path) -> None:
        process.run(
            [*compiler(), *C_FLAGS, "-shared", "-I", folder / "include", *c_sources(),
             "-o", path, "-ldl"],
            what="compiling libaesfab",
            timeout=_BUILD_LIMIT,
        )  # fmt: skip

    return cache.file("libaesfab", key, "libaesfab.so", make)


@functools.cache
def library() -> ctypes.CDLL:
    """The library, loaded, with the types of its functions."""
    try:
        loaded = ctypes.CDLL(str(build()))
    except OSError as error:
        raise ToolError(f"cannot load libaesfab: {error}") from error
    pointer, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    options = ctypes.POINTER(_Options)
    device = ctypes.POINTER(pointer)
    counter = ctypes.POINTER(_Counter)
    types: dict[str, tuple[Any, list[Any]]] = {
        "aesfab_open": (ctypes.c_int, [device, text, options, text, size]),
        "aesfab_open_transport": (ctypes.c_int, [device, pointer, pointer, options, text, size]),
        "aesfab_close": (None, [device]),
        "aesfab_get_info": (ctypes.c_int, [pointer, ctypes.POINTER(_Info)]),
        "aesfab_set_key": (ctypes.c_int, [pointer, text, size]),
        "aesfab_encrypt": (ctypes.c_int, [pointer, pointer, pointer, size]),
        "aesfab_decrypt": (ctypes.c_int, [pointer, pointer, pointer, size]),
        "aesfab_ctr_begin": (None, [counter, text]),
        "aesfab_ctr": (ctypes.c_int, [pointer, counter, pointer, pointer, size]),
        "aesfab_ctr_end": (None, [counter]),
        "aesfab_erase": (ctypes.c_int, [pointer]),
        "aesfab_reset": (ctypes.c_int, [pointer]),
        "aesfab_message": (text, [pointer]),
        "aesfab_status_text": (text, [ctypes.c_int]),
        "aesfab_copy_supported": (ctypes.c_bool, [ctypes.c_int]),
        "aesfab_copy_to": (None, [pointer, pointer, size, ctypes.c_int]),
        "aesfab_copy_from": (None, [pointer, pointer, size, ctypes.c_int]),
    }
    for name, (result, arguments) in types.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def _bytes(data: bytes | bytearray | memoryview) -> Any:
    """A buffer as an argument: without a copy where it can be written."""
    view = memoryview(data)
    if view.readonly:
        return ctypes.c_char_p(bytes(view))
    return (ctypes.c_char * view.nbytes).from_buffer(view)


def _size(data: bytes | bytearray | memoryview) -> int:
    """Bytes of a buffer, whatever its elements are."""
    return memoryview(data).nbytes


class _Closes(abc.ABC):
    """What is closed at the end of a ``with`` block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abc.abstractmethod
    def close(self) -> None:
        """Release what is held; again is fine."""


class Device(_Closes):
    """An opened device; a context manager that closes it. It belongs to one thread at a time."""

    def __init__(
        self,
        address: str | Simulation,
        *,
        copy: Copy = Copy.AUTO,
        interrupts: bool = False,
        batch: bool = False,
        chunk_blocks: int = 0,
        timeout_us: int = 0,
    ) -> None:
        """Open and clean a device.

        Args:
            address: as for ``aesfab_open``, or simulated hardware.
            copy: the transfer variant.
            interrupts: sleep until results are there.
            batch: read only after a whole chunk is done.
            chunk_blocks: blocks under way at most; 0: as many as the buffers hold.
            timeout_us: longest time without progress; 0: a second.

        Raises:
            DeviceError: with the words of the library.
        """
        self._library = library()
        self._device = ctypes.c_void_p()
        options = _Options(int(copy), interrupts, batch, chunk_blocks, timeout_us)
        message = ctypes.create_string_buffer(256)
        if isinstance(address, Simulation):
            status = self._library.aesfab_open_transport(
                ctypes.byref(self._device),
                address.transport,
                address.handle,
                ctypes.byref(options),
                message,
                len(message),
            )
        else:
            status = self._library.aesfab_open(
                ctypes.byref(self._device),
                os.fsencode(address),
                ctypes.byref(options),
                message,
                len(message),
            )
        if status:
            raise DeviceError(status, message.value.decode(errors="replace"))

    def close(self) -> None:
        """Erase the key and close; again is fine."""
        self._library.aesfab_close(ctypes.byref(self._device))

    def _check(self, status: int) -> None:
        if status == Status.ARGUMENT and not self._device:
            raise DeviceError(status, "the device is closed")
        if status:
            message = self._library.aesfab_message(self._device)
            if status == Status.FAILED:
                message = self._library.aesfab_status_text(status)
            raise DeviceError(status, message.decode())

    def info(self) -> Info:
        """What the device can do."""
        info = _Info()
        self._check(self._library.aesfab_get_info(self._device, ctypes.byref(info)))
        return Info(*(getattr(info, name) for name, *_ in _Info._fields_))

    def set_key(self, key: bytes) -> None:
        """A key of 16, 24 or 32 bytes for all that follows."""
        self._check(self._library.aesfab_set_key(self._device, key, len(key)))

    def encrypt(self, data: bytes | bytearray | memoryview) -> bytes:
        """Whole blocks, each by itself."""
        return self._crypt(self._library.aesfab_encrypt, data)

    def decrypt(self, data: bytes | bytearray | memoryview) -> bytes:
        """Whole blocks, each by itself."""
        return self._crypt(self._library.aesfab_decrypt, data)

    def encrypt_in_place(self, data: bytearray | memoryview) -> None:
        """Whole blocks, each by itself, in the buffer they stand in."""
        buffer = _bytes(data)
        self._check(self._library.aesfab_encrypt(self._device, buffer, buffer, _size(data)))

    def decrypt_in_place(self, data: bytearray | memoryview) -> None:
        """Whole blocks, each by itself, in the buffer they stand in."""
        buffer = _bytes(data)
        self._check(self._library.aesfab_decrypt(self._device, buffer, buffer, _size(data)))

    def ctr(self, counter: bytes, data: bytes | bytearray | memoryview) -> bytes:
        """A whole message in counter mode; ``counter`` is the first counter block."""
        with CounterMode(self, counter) as message:
            return message.update(data)

    def erase(self) -> None:
        """Overwrite keys, round keys and buffers of the device."""
        self._check(self._library.aesfab_erase(self._device))

    def reset(self) -> None:
        """Put the core into reset and do what ``erase`` does: for one that a fault has stopped."""
        self._check(self._library.aesfab_reset(self._device))

    def _crypt(self, call: Any, data: bytes | bytearray | memoryview) -> bytes:
        out = ctypes.create_string_buffer(_size(data))
        self._check(call(self._device, _bytes(data), out, len(out)))
        return out.raw


class CounterMode(_Closes):
    """A message in counter mode, in pieces of any lengths; a context manager that ends it.

    Messages on one device may take turns. Setting a key, the same one too, ends those begun.
    """

    def __init__(self, device: Device, counter: bytes) -> None:
        """Begin a message.

        Args:
            device: with a key.
            counter: the first counter block, 16 bytes; never twice the same under a key.

        Raises:
            DeviceError: it has another length.
        """
        if len(counter) != 16:
            raise DeviceError(Status.ARGUMENT, "a counter block has 16 bytes")
        self._device = device
        self._state = _Counter()
        device._library.aesfab_ctr_begin(self._state, counter)

    def update(self, data: bytes | bytearray | memoryview) -> bytes:
        """The next bytes of the message, encrypted or decrypted.

        Raises:
            DeviceError: with the words of the library; the message has ended, for one.
        """
        device = self._device
        out = ctypes.create_string_buffer(_size(data))
        device._check(
            device._library.aesfab_ctr(device._device, self._state, _bytes(data), out, len(out))
        )
        return out.raw

    def close(self) -> None:
        """Overwrite what is left of the key stream; again is fine."""
        self._device._library.aesfab_ctr_end(self._state)


class Simulation(_Closes):
    """Simulated hardware that outlives the devices opened on it; a context manager."""

    def __init__(self, path: Path, seed: int = 1) -> None:
        """Load a library that ``system.simulation`` built and reset its hardware.

        Args:
            path: the library.
            seed: of the state that has no reset.
        """
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise ToolError(f"cannot load the simulation: {error}") from error
        pointer, u64 = ctypes.c_void_p, ctypes.c_uint64
        types: dict[str, tuple[Any, list[Any]]] = {
            "create": (pointer, [ctypes.c_uint32]),
            "destroy": (None, [pointer]),
            "transport": (pointer, []),
            "clocks": (u64, [pointer]),
            "step": (None, [pointer, u64]),
            "reset_after": (None, [pointer, u64]),
            "fail_after": (None, [pointer, u64]),
            "accesses": (u64, [pointer]),
            "irq": (ctypes.c_bool, [pointer]),
            "save": (ctypes.c_bool, [pointer, ctypes.c_char_p]),
        }
        for name, (result, arguments) in types.items():
            function = getattr(self._library, f"aesfab_sim_{name}")
            function.restype, function.argtypes = result, arguments
        self.transport = self._library.aesfab_sim_transport()
        self.handle = ctypes.c_void_p(self._library.aesfab_sim_create(seed))

    def close(self) -> None:
        """End the simulation; devices on it must be closed before."""
        handle, self.handle = self.handle, ctypes.c_void_p()
        if handle:
            self._library.aesfab_sim_destroy(handle)

    @property
    def clocks(self) -> int:
        """Clocks so far."""
        return int(self._library.aesfab_sim_clocks(self.handle))

    @property
    def accesses(self) -> int:
        """Transactions of the bus so far."""
        return int(self._library.aesfab_sim_accesses(self.handle))

    @property
    def irq(self) -> bool:
        """Whether the interrupt line is high."""
        return bool(self._library.aesfab_sim_irq(self.handle))

    def step(self, clocks: int) -> None:
        """Let time pass."""
        self._library.aesfab_sim_step(self.handle, clocks)

    def reset_after(self, clocks: int) -> None:
        """Reset the hardware now (0) or that many clocks later."""
        self._library.aesfab_sim_reset_after(self.handle, clocks)

    def fail_after(self, accesses: int) -> None:
        """Let the access after that many fail on the bus."""
        self._library.aesfab_sim_fail_after(self.handle, accesses)

    def save(self, path: Path) -> None:
        """All state of the hardware into a file; only of a simulation built savable."""
        if not self._library.aesfab_sim_save(self.handle, os.fsencode(path)):
            raise AesfabError(f"cannot save the state of the simulation to {path}")
