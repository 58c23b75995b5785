// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// libaesfab: programs and an AES core behind its buffers (docs/registers.md).
//
//   program --> aesfab_encrypt() --> chunks, levels, errors --> transport --> bus --> device
//
// C11, no dependencies beside libc.
//
// Errors. Every call that can fail answers an enum aesfab_status, whatever its arguments are and
// whatever the device says; what a device says is checked against docs/registers.md before it is
// used. A call with a null device is AESFAB_E_ARGUMENT. After an error of the bus, the transport or
// the device, calls that would use it answer AESFAB_E_FAILED, and aesfab_message() still says what
// it was; close the device and open it again. All other errors change nothing.
//
// Time. No call blocks for ever: a device that gives no result, or does not end an erasure or a
// setting, in timeout_us is an error. A clock of a transport that stands still is one too. So a
// call takes at most about timeout_us for each of its blocks, and a few times timeout_us beside;
// how long a single access takes is up to the transport.
//
// Threads. The library has no variables of its own, so calls for different devices need no lock.
// One device, with its message and the counter states used with it, belongs to one thread at a
// time: threads that share a device take a lock of their own around each call and the reading of
// its message. Nothing here may be called from a signal handler.
//
// Secrets. The library keeps no key and no data. The key has left its stack when aesfab_set_key()
// returns, key stream when aesfab_ctr() does, also what functions of a transport left there in the
// 64 words below. A counter state holds up to 15 bytes of key stream until they are used or
// aesfab_ctr_end() is called.
#ifndef AESFAB_H
#define AESFAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { AESFAB_BLOCK_BYTES = 16 };

// What a call answers. Zero is success.
enum aesfab_status {
  AESFAB_OK = 0,
  AESFAB_E_ARGUMENT,     // a call that makes no sense: null, overlapping buffers, bad address, a
                         // transport without a function that it must have, another key in a message
  AESFAB_E_LENGTH,       // not a whole number of blocks
  AESFAB_E_MEMORY,       // out of memory
  AESFAB_E_SYSTEM,       // the operating system refused; on opening, the message has its words
  AESFAB_E_NO_DEVICE,    // what is at the address is no AES host system
  AESFAB_E_VERSION,      // it has a register map that this library does not know
  AESFAB_E_UNSUPPORTED,  // the device has not that direction, key length or transfer variant
  AESFAB_E_NO_KEY,       // no key was set
  AESFAB_E_BUS,          // the bus answered an access with an error
  AESFAB_E_DEVICE,       // the device reported an error, or said what cannot be; see the message
  AESFAB_E_RESET,        // the device was reset or erased by somebody else
  AESFAB_E_TIMEOUT,      // the device did not do its work in time
  AESFAB_E_FAILED,       // an earlier call failed; open the device again
  AESFAB_E_TAG,          // the tag of a packet is wrong (aesfab_engine.h)
};

// How blocks are moved to and from the data window.
enum aesfab_copy {
  AESFAB_COPY_AUTO = 0,   // AESFAB_COPY_64, the one that works on every processor and mapping
  AESFAB_COPY_64,         // 64-bit loads and stores, the width of MMX movq; on a processor of
                          // 32 bit, twice as many of its own
  AESFAB_COPY_SSE,        // 128-bit loads and stores
  AESFAB_COPY_SSE_NT,     // 128-bit non-temporal ones (movntps and, with SSE4.1, movntdqa)
  AESFAB_COPY_AVX2_NT,    // 256-bit non-temporal ones
  AESFAB_COPY_STRING,     // the processor's own copy (rep movsq), else as AESFAB_COPY_64
  AESFAB_COPY_COUNT
};

// The longest time without a result, if options say nothing.
#define AESFAB_TIMEOUT_US 1000000u

// Options of a device; all zero is a good choice.
struct aesfab_options {
  enum aesfab_copy copy;
  bool interrupts;        // sleep until results are there, where the transport can
  bool batch;             // read only after a whole chunk is done: for write-combining mappings,
                          // where a speculative read of the window would take a block
  uint32_t chunk_blocks;  // blocks under way at most; 0 or too many: as many as the buffers hold
  uint32_t timeout_us;    // longest time without a result; 0: AESFAB_TIMEOUT_US
};

struct aesfab_info {
  uint32_t depth;         // blocks that each buffer holds
  bool encrypts;
  bool decrypts;
  bool key_128;
  bool key_192;
  bool key_256;
  bool guarded;           // nothing is lost or read twice, whatever a program does
  bool stream;            // blocks go through stream ports
};

struct aesfab;

// How the library reaches a device. Functions answer AESFAB_OK or one of AESFAB_E_MEMORY, SYSTEM, BUS,
// DEVICE, RESET and TIMEOUT; anything else counts as AESFAB_E_BUS. Offsets are those of
// aesfab_registers.h. The structure lives as long as the device.
struct aesfab_transport {
  const char *name;
  int (*read32)(void *context, uint32_t offset, uint32_t *value);
  int (*write32)(void *context, uint32_t offset, uint32_t value);
  // Whole blocks, up to the size of the data window, in order.
  int (*push)(void *context, const uint8_t *data, size_t bytes, enum aesfab_copy copy);
  int (*pull)(void *context, uint8_t *data, size_t bytes, enum aesfab_copy copy);
  // Sleeps until the interrupt line is high, AESFAB_E_TIMEOUT after that time. It may wake earlier
  // with AESFAB_OK. May be null.
  int (*wait)(void *context, uint32_t timeout_us);
  // A clock in microseconds that runs while the device runs, and never back.
  uint64_t (*clock_us)(void *context);
  // May be null.
  void (*close)(void *context);
  // Moves whole blocks of any number both ways at a time and answers when all results are there, as
  // a DMA engine can; AESFAB_E_TIMEOUT after that time without a result. in and out are the same
  // or do not overlap. May be null; where it is not, push and pull may be.
  int (*exchange)(void *context, const uint8_t *in, uint8_t *out, size_t bytes,
                  uint32_t timeout_us);
  // One line on the last error of the transport, good until its next call, or null where it has
  // none. May be null.
  const char *(*message)(void *context);
};

// Opens a device and makes it clean: everything secret erased, no key, no error.
//
//   sim:LIBRARY          the Verilated system in a shared library that 'aesfab host' built
//   uio:/dev/uio0        Linux userspace I/O, with interrupts
//   devmem:0x43c00000    physical memory through /dev/mem; devmem:FILE@0x0 through another file
//   uart:/dev/ttyUSB1    a board of 'aesfab board' at a serial port, with 1,000,000 baud;
//                        uart:PORT@BAUD with another rate
//
// A board works as any other device, and what else it answers is:
//
//   AESFAB_E_ARGUMENT    on opening: the system has not that rate
//   AESFAB_E_SYSTEM      on opening: no such port, or another program uses it; later: the cable was
//                        pulled, or the board switched off
//   AESFAB_E_NO_DEVICE   what is at the port is no serial line, or no board, or has another rate
//   AESFAB_E_VERSION     the board speaks another version of the protocol
//   AESFAB_E_TIMEOUT     nothing answers; four times nothing in timeout_us, and the line was silent
//                        between for a twentieth of a second or a sixtieth of timeout_us
//   AESFAB_E_BUS         four times the same frame was broken
//   AESFAB_E_RESET       the board was reset by somebody else
//   AESFAB_E_DEVICE      its core has seen a fault four times, or refuses what it said it can do
//
// Erasing resets its core and clears its key; a RAM of the core keeps what it holds until it is
// written again. copy, interrupts, batch and chunk_blocks say nothing there.
//
// *device is null after an error. options may be null. message, if not null, gets one line of at
// most size bytes that says what is wrong.
int aesfab_open(struct aesfab **device, const char *address, const struct aesfab_options *options,
                char *message, size_t size);

// The same over a transport of the caller's. It is closed with the device, and when opening fails for
// whatever reason. It needs read32, write32, clock_us, and either exchange or both push and pull.
int aesfab_open_transport(struct aesfab **device, const struct aesfab_transport *transport,
                          void *context, const struct aesfab_options *options, char *message,
                          size_t size);

// Erases the key, closes and makes *device null, so that closing it again does nothing and other
// calls with it are AESFAB_E_ARGUMENT. Null is fine in both places.
void aesfab_close(struct aesfab **device);

int aesfab_get_info(struct aesfab *device, struct aesfab_info *info);

// A key of 16, 24 or 32 bytes for all that follows. It is not kept in memory. A key that is refused
// (AESFAB_E_ARGUMENT, AESFAB_E_UNSUPPORTED) leaves the one before in use.
int aesfab_set_key(struct aesfab *device, const uint8_t *key, size_t bytes);

// Whole blocks, each by itself (ECB). in and out are the same or do not overlap, at any alignment. No
// bytes are no error, and then the buffers may be null.
int aesfab_encrypt(struct aesfab *device, const void *in, void *out, size_t bytes);
int aesfab_decrypt(struct aesfab *device, const void *in, void *out, size_t bytes);

// A message in counter mode (NIST SP 800-38A). Its fields are the library's.
struct aesfab_counter {
  uint8_t next[16];             // the counter block that comes next
  uint8_t rest[16];             // key stream of the block before; only its last bytes are left
  uint32_t left;                // that many
  uint32_t state;               // says that it was begun
  uint32_t key;                 // the key of the device that the message began with
  const struct aesfab *device;  // null until a byte was done
};

// A message begins with this counter block. Never twice with the same one under a key.
void aesfab_ctr_begin(struct aesfab_counter *counter, const uint8_t block[16]);

// The next bytes of a message, any number of them, in both directions: pieces of 20 and 17 bytes give
// what one of 37 does. Messages on one device may take turns. AESFAB_E_ARGUMENT for a counter that
// was not begun or has ended, and when the device has another key since the message began, even one
// that is the same. An error after which the device answers AESFAB_E_FAILED ends the message.
int aesfab_ctr(struct aesfab *device, struct aesfab_counter *counter, const void *in, void *out,
               size_t bytes);

// Ends a message: overwrites what is left of its key stream. Null is fine.
void aesfab_ctr_end(struct aesfab_counter *counter);

// Overwrites keys, round keys and buffers of the device. A key must be set again.
int aesfab_erase(struct aesfab *device);

// Puts the core into reset, then does what aesfab_erase does: for a core that a fault has stopped. It
// also makes a device usable again that answers AESFAB_E_FAILED. A key must be set again.
int aesfab_reset(struct aesfab *device);

// One line on the last error of the device, good until the next call with it; never null.
const char *aesfab_message(const struct aesfab *device);

// One line on a status; never null.
const char *aesfab_status_text(int status);

// Whether this processor has what a variant needs.
bool aesfab_copy_supported(enum aesfab_copy copy);

// Copies of whole blocks to and from a window of a device that is in the address space. Every byte
// is touched once and in order, which memcpy() of a C library does not promise: it may store the
// end of a buffer twice, and a window would take a block twice. Stores are out of the processor's
// buffers when the call returns. The window is aligned to 32 bytes. Bytes beyond the last whole block
// are left, and a variant that the processor has not is done as AESFAB_COPY_64.
void aesfab_copy_to(volatile void *window, const uint8_t *data, size_t bytes,
                    enum aesfab_copy copy);
void aesfab_copy_from(uint8_t *data, const volatile void *window, size_t bytes,
                      enum aesfab_copy copy);

#ifdef __cplusplus
}
#endif

#endif
