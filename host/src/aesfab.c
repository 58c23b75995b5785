// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The driver: keys, chunks that never overrun the buffers, waiting, errors. It needs no operating
// system: what does is in open.c and the transports there.

#include "aesfab.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aesfab_registers.h"
#include "transport.h"

// What a compiler must not put into its caller: its stack would be the caller's then.
#ifdef __GNUC__
#define AESFAB_APART __attribute__((noinline))
#else
#define AESFAB_APART
#endif

// Looks at a device without the clock going on, after which the clock is said to stand still. A
// look takes a tenth of a microsecond at least, mostly one or more; clocks that go on once in ten
// milliseconds are fine.
#ifndef AESFAB_LOOKS
#define AESFAB_LOOKS (UINT32_C(1) << 24)
#endif

enum {
  kFewestLog2Depth = 1,  // of buffers, as docs/registers.md has it
  kMostLog2Depth = 15,
  kBurnt = 64,  // words of the stack
};

static const uint32_t kBegun = 0x6e676562;  // a counter state

struct aesfab {
  const struct aesfab_transport *transport;
  void *context;
  struct aesfab_options options;
  struct aesfab_info info;
  uint32_t limit;  // blocks that may be under way
  uint32_t keys;   // keys that were set or erased
  bool keyed;
  bool decrypting;  // the setting of the device
  struct aesfab_trouble trouble;
};

static const char *const kTexts[] = {
    [AESFAB_OK] = "success",
    [AESFAB_E_ARGUMENT] = "an argument makes no sense",
    [AESFAB_E_LENGTH] = "not a whole number of 16-byte blocks",
    [AESFAB_E_MEMORY] = "out of memory",
    [AESFAB_E_SYSTEM] = "the operating system refused",
    [AESFAB_E_NO_DEVICE] = "there is no AES host system at this address",
    [AESFAB_E_VERSION] = "the device has a register map that this library does not know",
    [AESFAB_E_UNSUPPORTED] = "the device or the processor cannot do that",
    [AESFAB_E_NO_KEY] = "no key was set",
    [AESFAB_E_BUS] = "the bus answered with an error",
    [AESFAB_E_DEVICE] = "the device reported an error",
    [AESFAB_E_RESET] = "the device was reset and has lost its key",
    [AESFAB_E_TIMEOUT] = "the device did not answer in time",
    [AESFAB_E_FAILED] = "an earlier call failed; open the device again",
    [AESFAB_E_TAG] = "the tag is wrong",
};

const char *aesfab_status_text(int status) {
  if (status < 0 || (size_t)status >= sizeof kTexts / sizeof *kTexts) return "unknown status";
  return kTexts[status];
}

const char *aesfab_message(const struct aesfab *device) {
  if (device == NULL || device->trouble.message[0] == '\0') return "no error";
  return device->trouble.message;
}

void aesfab_complain(const struct aesfab_complaint *complaint, const char *format, ...) {
  if (complaint == NULL || complaint->text == NULL || complaint->size == 0) return;
  complaint->text[0] = '\0';
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(complaint->text, complaint->size, format, arguments);
  va_end(arguments);
  // One line, whatever an address has in it.
  for (char *c = complaint->text; *c != '\0'; ++c) {
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
  }
}

// Words where they are aligned; the memset() of a small C library would take each byte.
void aesfab_wipe(void *memory, size_t bytes) {
  volatile uint8_t *byte = memory;
#ifdef __GNUC__
  typedef uintptr_t __attribute__((may_alias)) word;
  for (; bytes > 0 && (uintptr_t)byte % sizeof(word) != 0; --bytes) *byte++ = 0;
  for (; bytes >= sizeof(word); bytes -= sizeof(word), byte += sizeof(word)) {
    *(volatile word *)byte = 0;
  }
#endif
  for (; bytes > 0; --bytes) *byte++ = 0;
}

// Overwrites the stack below the caller's frame: that of the functions which it has called.
AESFAB_APART static void burn_stack(void) {
  uintptr_t below[kBurnt];
  aesfab_wipe(below, sizeof below);
}

// Errors of the bus and of the device leave the device in a state that is not known, so nothing goes
// on after them.
int aesfab_note(struct aesfab_trouble *trouble, int status, const char *detail) {
  snprintf(trouble->message, sizeof trouble->message, "%s%s%s", aesfab_status_text(status),
           detail != NULL ? ": " : "", detail != NULL ? detail : "");
  if (status >= AESFAB_E_BUS && status < AESFAB_E_FAILED) trouble->failed = true;
  return status;
}

// After whatever error of a transport something may be left in the device.
int aesfab_note_transport(struct aesfab_trouble *trouble, int status, const char *detail) {
  switch (status) {
    case AESFAB_E_MEMORY:
    case AESFAB_E_SYSTEM:
    case AESFAB_E_BUS:
    case AESFAB_E_DEVICE:
    case AESFAB_E_RESET:
    case AESFAB_E_TIMEOUT:
      break;
    default:
      status = AESFAB_E_BUS;
      break;
  }
  trouble->failed = true;
  return aesfab_note(trouble, status, detail);
}

static int fail(struct aesfab *device, int status, const char *detail) {
  return aesfab_note(&device->trouble, status, detail);
}

// The transport's own words on its last error, where it has any.
static const char *in_words(const struct aesfab *device, const char *otherwise) {
  const char *words = NULL;
  if (device->transport->message != NULL) words = device->transport->message(device->context);
  return words != NULL ? words : otherwise;
}

// Notes an error of the transport.
static int broken(struct aesfab *device, int status, const char *detail) {
  return aesfab_note_transport(&device->trouble, status, in_words(device, detail));
}

static int read_register(struct aesfab *device, uint32_t offset, uint32_t *value) {
  *value = UINT32_MAX;
  const int status = device->transport->read32(device->context, offset, value);
  if (status != AESFAB_OK) return broken(device, status, "reading a register");
  // What a bus reads where nobody answers; no register has all its bits.
  if (*value == UINT32_MAX && offset != AESFAB_ID) {
    return fail(device, AESFAB_E_BUS, "a register reads as ones, as if nobody were there");
  }
  return AESFAB_OK;
}

static int write_register(struct aesfab *device, uint32_t offset, uint32_t value) {
  const int status = device->transport->write32(device->context, offset, value);
  return status == AESFAB_OK ? status : broken(device, status, "writing a register");
}

static uint64_t now(struct aesfab *device) { return device->transport->clock_us(device->context); }

// Time that passes without progress.
struct patience {
  uint64_t start;
  uint64_t passed;
  uint32_t standing;  // looks since the clock went on
};

static struct patience patience(struct aesfab *device) {
  const struct patience begun = {.start = now(device)};
  return begun;
}

// Whether it was too long, after so many more looks at the device. Whoever asks looks once more
// then: the operating system may have let much time pass between a look and the clock.
static bool expired(struct aesfab *device, struct patience *patience, uint32_t looks) {
  const uint64_t passed = now(device) - patience->start;
  if (passed > patience->passed) {
    patience->passed = passed;
    patience->standing = 0;
  } else {
    patience->standing += looks;
  }
  return passed > device->options.timeout_us || patience->standing >= AESFAB_LOOKS;
}

// Waits until the masked bits of STATUS are zero.
static int wait_status_clear(struct aesfab *device, uint32_t mask, const char *what) {
  struct patience waiting = patience(device);
  for (bool last = false;; last = expired(device, &waiting, 1)) {
    uint32_t value;
    const int status = read_register(device, AESFAB_STATUS, &value);
    if (status != AESFAB_OK) return status;
    if ((value & mask) == 0) return AESFAB_OK;
    if (last) return fail(device, AESFAB_E_TIMEOUT, what);
  }
}

// The sticky errors of the device, if there are any.
static int check_errors(struct aesfab *device) {
  static const struct {
    uint32_t bit;
    const char *text;
  } kErrors[] = {
      {AESFAB_ERRORS_OVERFLOW, "a block was refused"},
      {AESFAB_ERRORS_UNDERFLOW, "a read without a block"},
      {AESFAB_ERRORS_SETTING, "a key or setting was refused"},
      {AESFAB_ERRORS_ILLEGAL, "an illegal access"},
  };
  uint32_t errors;
  const int status = read_register(device, AESFAB_ERRORS, &errors);
  if (status != AESFAB_OK) return status;
  for (size_t i = 0; i < sizeof kErrors / sizeof *kErrors; ++i) {
    if (errors & kErrors[i].bit) return fail(device, AESFAB_E_DEVICE, kErrors[i].text);
  }
  return AESFAB_OK;
}

// By a command that erases; the one that resets the core does not wait for an erasure under way.
static int erase_by(struct aesfab *device, uint32_t command) {
  int status = AESFAB_OK;
  device->keyed = false;
  ++device->keys;
  if (command == AESFAB_CONTROL_ERASE) {
    status = wait_status_clear(device, AESFAB_STATUS_ERASING, "erasing after a reset");
  }
  if (status == AESFAB_OK) {
    status = write_register(device, AESFAB_CONTROL, command);
  }
  if (status == AESFAB_OK) {
    status = wait_status_clear(device, AESFAB_STATUS_ERASING | AESFAB_STATUS_KEYED, "erasing");
  }
  return status;
}

static int erase(struct aesfab *device) { return erase_by(device, AESFAB_CONTROL_ERASE); }

static int identify(struct aesfab *device) {
  uint32_t value;
  int status = read_register(device, AESFAB_ID, &value);
  if (status != AESFAB_OK) return status;
  if (value != AESFAB_ID_MAGIC_RESET) {
    char detail[48];
    snprintf(detail, sizeof detail, "its identification is 0x%08" PRIx32, value);
    return fail(device, AESFAB_E_NO_DEVICE, detail);
  }
  status = read_register(device, AESFAB_INFO, &value);
  if (status != AESFAB_OK) return status;
  if ((value & AESFAB_INFO_VERSION) != AESFAB_INFO_VERSION_RESET) {
    return fail(device, AESFAB_E_VERSION, NULL);
  }
  struct aesfab_info *info = &device->info;
  const uint32_t log2 = (value & AESFAB_INFO_LOG2_DEPTH) >> AESFAB_INFO_LOG2_DEPTH_SHIFT;
  info->depth = UINT32_C(1) << log2;
  info->encrypts = (value & AESFAB_INFO_ENCRYPTS) != 0;
  info->decrypts = (value & AESFAB_INFO_DECRYPTS) != 0;
  info->key_128 = (value & AESFAB_INFO_KEY_128) != 0;
  info->key_192 = (value & AESFAB_INFO_KEY_192) != 0;
  info->key_256 = (value & AESFAB_INFO_KEY_256) != 0;
  info->guarded = (value & AESFAB_INFO_GUARDED) != 0;
  info->stream = (value & AESFAB_INFO_STREAM) != 0;
  const char *wrong = NULL;
  if (log2 < kFewestLog2Depth || log2 > kMostLog2Depth) wrong = "buffers of no possible depth";
  if (!info->encrypts && !info->decrypts) wrong = "neither encryption nor decryption";
  if (!info->key_128 && !info->key_192 && !info->key_256) wrong = "no key length";
  if (wrong != NULL) {
    char detail[64];
    snprintf(detail, sizeof detail, "it says of itself that it has %s", wrong);
    return fail(device, AESFAB_E_DEVICE, detail);
  }
  // One less than the buffers hold: without guards a full buffer looks empty.
  device->limit = info->depth - 1;
  if (device->limit > AESFAB_DATA_SIZE / AESFAB_BLOCK_BYTES) {
    device->limit = AESFAB_DATA_SIZE / AESFAB_BLOCK_BYTES;
  }
  const uint32_t wanted = device->options.chunk_blocks;
  if (wanted != 0 && wanted < device->limit) device->limit = wanted;
  return AESFAB_OK;
}

// What a transport must have and has not; null if it is whole.
static const char *missing(const struct aesfab_transport *transport) {
  if (transport->read32 == NULL) return "read32";
  if (transport->write32 == NULL) return "write32";
  if (transport->clock_us == NULL) return "clock_us";
  if (transport->exchange != NULL) return NULL;
  if (transport->push == NULL) return "push";
  return transport->pull == NULL ? "pull" : NULL;
}

int aesfab_open_transport(struct aesfab **device, const struct aesfab_transport *transport,
                          void *context, const struct aesfab_options *options, char *message,
                          size_t size) {
  const struct aesfab_complaint complaint = {message, size};
  if (device != NULL) *device = NULL;
  const char *lacks = device == NULL      ? "place for the device"
                      : transport == NULL ? "transport"
                                          : missing(transport);
  if (lacks != NULL) {
    aesfab_complain(&complaint, "%s: no %s", aesfab_status_text(AESFAB_E_ARGUMENT), lacks);
    if (transport != NULL && transport->close != NULL) transport->close(context);
    return AESFAB_E_ARGUMENT;
  }
  struct aesfab *opened = calloc(1, sizeof *opened);
  if (opened == NULL) {
    aesfab_complain(&complaint, "%s", aesfab_status_text(AESFAB_E_MEMORY));
    if (transport->close != NULL) transport->close(context);
    return AESFAB_E_MEMORY;
  }
  opened->transport = transport;
  opened->context = context;
  if (options != NULL) opened->options = *options;
  if (opened->options.timeout_us == 0) opened->options.timeout_us = AESFAB_TIMEOUT_US;
  if (opened->options.copy == AESFAB_COPY_AUTO) opened->options.copy = AESFAB_COPY_64;

  int status;
  if (!aesfab_copy_supported(opened->options.copy)) {
    status = fail(opened, AESFAB_E_UNSUPPORTED, "the transfer variant");
  } else {
    status = identify(opened);
    if (status == AESFAB_OK) status = erase(opened);
    if (status == AESFAB_OK) status = write_register(opened, AESFAB_ERRORS, UINT32_MAX);
    if (status == AESFAB_OK) status = write_register(opened, AESFAB_IRQ_ENABLE, 0);
  }
  if (status != AESFAB_OK) {
    aesfab_complain(&complaint, "%s", opened->trouble.message);
    if (transport->close != NULL) transport->close(context);
    free(opened);
    return status;
  }
  *device = opened;
  return AESFAB_OK;
}

void aesfab_close(struct aesfab **device) {
  if (device == NULL || *device == NULL) return;
  struct aesfab *closed = *device;
  *device = NULL;
  (void)erase(closed);  // as far as that is still possible
  if (closed->transport->close != NULL) closed->transport->close(closed->context);
  free(closed);
}

int aesfab_get_info(struct aesfab *device, struct aesfab_info *info) {
  if (device == NULL || info == NULL) return AESFAB_E_ARGUMENT;
  *info = device->info;
  return AESFAB_OK;
}

static int usable(struct aesfab *device) {
  if (device == NULL) return AESFAB_E_ARGUMENT;
  return device->trouble.failed ? AESFAB_E_FAILED : AESFAB_OK;
}

int aesfab_erase(struct aesfab *device) {
  const int status = usable(device);
  return status != AESFAB_OK ? status : erase(device);
}

int aesfab_reset(struct aesfab *device) {
  if (device == NULL) return AESFAB_E_ARGUMENT;
  device->trouble.failed = false;
  return erase_by(device, AESFAB_CONTROL_RESET);
}

// A setting. The one before is never under way: every transfer ends with all its results.
static int set(struct aesfab *device, uint32_t bits, bool decrypt) {
  int status = wait_status_clear(device, AESFAB_STATUS_SETTING, "the last setting");
  if (status == AESFAB_OK) {
    bits |= AESFAB_CONTROL_SET | (decrypt ? AESFAB_CONTROL_DECRYPT : 0);
    status = write_register(device, AESFAB_CONTROL, bits);
  }
  if (status == AESFAB_OK) device->decrypting = decrypt;
  return status;
}

// An error when the device has lost its key since that was set.
static int check_reset(struct aesfab *device) {
  uint32_t state;
  const int status = read_register(device, AESFAB_STATUS, &state);
  if (status != AESFAB_OK) return status;
  if ((state & AESFAB_STATUS_KEYED) == 0 || (state & AESFAB_STATUS_ERASING) != 0) {
    return fail(device, AESFAB_E_RESET, NULL);
  }
  return AESFAB_OK;
}

// Its stack is burnt by the caller, so it is a function apart, also from what it inlines.
AESFAB_APART static int write_key(struct aesfab *device, const uint8_t *key, size_t bytes) {
  int status = AESFAB_OK;
  for (size_t i = 0; i < bytes && status == AESFAB_OK; i += 4) {
    const uint32_t word = (uint32_t)key[i] | (uint32_t)key[i + 1] << 8 |
                          (uint32_t)key[i + 2] << 16 | (uint32_t)key[i + 3] << 24;
    status = write_register(device, AESFAB_KEY + (uint32_t)i, word);
  }
  return status;
}

int aesfab_set_key(struct aesfab *device, const uint8_t *key, size_t bytes) {
  int status = usable(device);
  if (status != AESFAB_OK) return status;
  if (key == NULL) return fail(device, AESFAB_E_ARGUMENT, "no key");
  uint32_t key_len;
  bool supported;
  switch (bytes) {
    case 16:
      key_len = 0;
      supported = device->info.key_128;
      break;
    case 24:
      key_len = 1;
      supported = device->info.key_192;
      break;
    case 32:
      key_len = 2;
      supported = device->info.key_256;
      break;
    default:
      return fail(device, AESFAB_E_ARGUMENT, "a key has 16, 24 or 32 bytes");
  }
  if (!supported) return fail(device, AESFAB_E_UNSUPPORTED, "a key of this length");
  // What a setting before left to do comes first: KEY must be free.
  status = wait_status_clear(device, AESFAB_STATUS_SETTING, "the last setting");
  ++device->keys;
  if (status == AESFAB_OK) {
    status = write_key(device, key, bytes);
    burn_stack();
  }
  if (status == AESFAB_OK) {
    status = set(device, AESFAB_CONTROL_LOAD_KEY | key_len << AESFAB_CONTROL_KEY_LEN_SHIFT,
                 !device->info.encrypts);
  }
  if (status == AESFAB_OK) status = check_errors(device);
  if (status == AESFAB_OK) status = check_reset(device);  // it says that the key is there
  device->keyed = status == AESFAB_OK;
  return status;
}

// The error of results that do not come in time: what the device says, if it says anything.
static int late(struct aesfab *device) {
  const int status = check_errors(device);
  return status != AESFAB_OK ? status : fail(device, AESFAB_E_TIMEOUT,
                                             in_words(device, "waiting for results"));
}

// Waits until that many blocks can be read, of those under way; how many there are.
static int wait_results(struct aesfab *device, uint32_t wanted, uint32_t under_way,
                        uint32_t *level) {
  struct patience waiting = patience(device);
  uint32_t before = 0;
  bool last = false;
  const bool sleep = device->options.interrupts && device->transport->wait != NULL;
  for (unsigned polls = 1;; ++polls) {
    int status = read_register(device, AESFAB_OUT_LEVEL, level);
    if (status != AESFAB_OK) return status;
    if (*level > under_way) {
      return fail(device, AESFAB_E_DEVICE, "more results than blocks were given");
    }
    if (*level >= wanted) return AESFAB_OK;
    // Most waits are short: what went wrong is looked for now and then only.
    if (!sleep && !last && polls % 64 != 0) continue;
    status = check_reset(device);
    if (status != AESFAB_OK) return status;
    if (*level > before) {
      before = *level;
      waiting = patience(device);
    } else if (last) {
      return late(device);
    }
    last = expired(device, &waiting, sleep ? 1 : 64);
    if (sleep && !last) {
      status = write_register(device, AESFAB_OUT_MARK, wanted);
      if (status == AESFAB_OK) {
        // A bit of ERRORS wakes us as well: results may then never come.
        status = write_register(device, AESFAB_IRQ_ENABLE,
                                AESFAB_IRQ_ENABLE_OUT_READY | AESFAB_IRQ_ENABLE_ERROR);
      }
      if (status != AESFAB_OK) return status;
      const uint64_t left = device->options.timeout_us - waiting.passed + 1;
      const int woken = device->transport->wait(
          device->context, left < UINT32_MAX ? (uint32_t)left : UINT32_MAX);
      status = write_register(device, AESFAB_IRQ_ENABLE, 0);
      if (status != AESFAB_OK) return status;
      // After a timeout everything is looked at once more, and the clock ends the loop. If it has
      // not gone on in all that time, it stands still.
      if (woken == AESFAB_E_TIMEOUT) waiting.standing += AESFAB_LOOKS / 4;
      if (woken != AESFAB_OK && woken != AESFAB_E_TIMEOUT) {
        return broken(device, woken, "waiting for the interrupt");
      }
      status = check_errors(device);
      if (status != AESFAB_OK) return status;
    }
  }
}

static uint32_t smaller(size_t a, uint32_t b) { return a < b ? (uint32_t)a : b; }

// Moves blocks through the device: writes while there is room for results, reads what is there.
static int transfer(struct aesfab *device, const uint8_t *in, uint8_t *out, size_t blocks) {
  size_t written = 0;
  size_t read = 0;
  while (read < blocks) {
    const uint32_t under_way = (uint32_t)(written - read);
    uint32_t count = smaller(blocks - written, device->limit - under_way);
    if (device->options.batch && under_way > 0) count = 0;
    if (count > 0) {
      const int status =
          device->transport->push(device->context, in + written * AESFAB_BLOCK_BYTES,
                                  (size_t)count * AESFAB_BLOCK_BYTES, device->options.copy);
      if (status != AESFAB_OK) return broken(device, status, "writing blocks");
      written += count;
    }
    uint32_t level;
    // Half of what is under way: the other half keeps the device busy meanwhile.
    const uint32_t outstanding = (uint32_t)(written - read);
    const bool last = device->options.batch || written == blocks;
    int status =
        wait_results(device, last ? outstanding : (outstanding + 1) / 2, outstanding, &level);
    if (status != AESFAB_OK) return status;
    count = level;
    status = device->transport->pull(device->context, out + read * AESFAB_BLOCK_BYTES,
                                     (size_t)count * AESFAB_BLOCK_BYTES, device->options.copy);
    if (status != AESFAB_OK) return broken(device, status, "reading blocks");
    read += count;
  }
  return check_errors(device);
}

// The same where the transport moves blocks both ways by itself.
static int exchange(struct aesfab *device, const uint8_t *in, uint8_t *out, size_t bytes) {
  const int status = device->transport->exchange(device->context, in, out, bytes,
                                                 device->options.timeout_us);
  if (status == AESFAB_OK) return check_errors(device);
  if (status != AESFAB_E_TIMEOUT) return broken(device, status, "exchanging blocks");
  const int reset = check_reset(device);
  return reset != AESFAB_OK ? reset : late(device);
}

static int check_buffers(struct aesfab *device, const void *in, const void *out, size_t bytes) {
  const int status = usable(device);
  if (status != AESFAB_OK) return status;
  if (!device->keyed) return fail(device, AESFAB_E_NO_KEY, NULL);
  if (bytes == 0) return AESFAB_OK;
  if (in == NULL || out == NULL) return fail(device, AESFAB_E_ARGUMENT, "no buffer");
  if (!aesfab_possible(in, bytes) || !aesfab_possible(out, bytes)) {
    return fail(device, AESFAB_E_ARGUMENT, "a buffer larger than memory");
  }
  if (in != out && aesfab_overlap(in, bytes, out, bytes)) {
    return fail(device, AESFAB_E_ARGUMENT, "the buffers overlap and are not the same");
  }
  return AESFAB_OK;
}

static int crypt(struct aesfab *device, const void *in, void *out, size_t bytes, bool decrypt) {
  int status = check_buffers(device, in, out, bytes);
  if (status != AESFAB_OK) return status;
  if (bytes % AESFAB_BLOCK_BYTES != 0) return fail(device, AESFAB_E_LENGTH, NULL);
  if (!(decrypt ? device->info.decrypts : device->info.encrypts)) {
    return fail(device, AESFAB_E_UNSUPPORTED, decrypt ? "decryption" : "encryption");
  }
  if (bytes == 0) return AESFAB_OK;
  if (device->decrypting != decrypt) {
    status = set(device, 0, decrypt);
    if (status != AESFAB_OK) return status;
  }
  if (device->transport->exchange != NULL) return exchange(device, in, out, bytes);
  return transfer(device, in, out, bytes / AESFAB_BLOCK_BYTES);
}

int aesfab_encrypt(struct aesfab *device, const void *in, void *out, size_t bytes) {
  return crypt(device, in, out, bytes, false);
}

int aesfab_decrypt(struct aesfab *device, const void *in, void *out, size_t bytes) {
  return crypt(device, in, out, bytes, true);
}

void aesfab_ctr_begin(struct aesfab_counter *counter, const uint8_t block[16]) {
  if (counter == NULL) return;
  aesfab_wipe(counter, sizeof *counter);
  if (block == NULL) return;
  memcpy(counter->next, block, sizeof counter->next);
  counter->state = kBegun;
}

void aesfab_ctr_end(struct aesfab_counter *counter) {
  if (counter != NULL) aesfab_wipe(counter, sizeof *counter);
}

static int check_counter(struct aesfab *device, const struct aesfab_counter *counter,
                         const void *in, const void *out, size_t bytes) {
  if (counter == NULL || counter->state != kBegun || counter->left >= AESFAB_BLOCK_BYTES) {
    return fail(device, AESFAB_E_ARGUMENT, "a counter that was not begun or has ended");
  }
  if (!device->info.encrypts) return fail(device, AESFAB_E_UNSUPPORTED, "encryption");
  if (bytes > 0 && (aesfab_overlap(counter, sizeof *counter, in, bytes) ||
                    aesfab_overlap(counter, sizeof *counter, out, bytes))) {
    return fail(device, AESFAB_E_ARGUMENT, "a buffer overlaps the counter");
  }
  if (counter->device != NULL && (counter->device != device || counter->key != device->keys)) {
    return fail(device, AESFAB_E_ARGUMENT, "the key was set after this message began");
  }
  return AESFAB_OK;
}

static void combine(const uint8_t *in, const uint8_t *stream, uint8_t *out, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out[i] = in[i] ^ stream[i];
}

// So many counter blocks, one after the other.
static void count_up(uint8_t next[AESFAB_BLOCK_BYTES], uint8_t *blocks, size_t number) {
  for (; number > 0; --number, blocks += AESFAB_BLOCK_BYTES) {
    memcpy(blocks, next, AESFAB_BLOCK_BYTES);
    for (int i = AESFAB_BLOCK_BYTES - 1; i >= 0 && ++next[i] == 0; --i) {
    }
  }
}

int aesfab_ctr(struct aesfab *device, struct aesfab_counter *counter, const void *in, void *out,
               size_t bytes) {
  enum { kBlocks = 256 };
  int status = check_buffers(device, in, out, bytes);
  if (status == AESFAB_OK) status = check_counter(device, counter, in, out, bytes);
  if (status != AESFAB_OK || bytes == 0) return status;
  counter->device = device;
  counter->key = device->keys;
  const uint8_t *from = in;
  uint8_t *to = out;
  // What is left of the block before. A byte of key stream is never used twice, so it goes.
  uint8_t *const rest = counter->rest + (AESFAB_BLOCK_BYTES - counter->left);
  size_t count = smaller(bytes, counter->left);
  combine(from, rest, to, count);
  aesfab_wipe(rest, count);
  counter->left -= (uint32_t)count;
  if (count == bytes) return AESFAB_OK;
  uint8_t stream[kBlocks * AESFAB_BLOCK_BYTES];
  size_t used = 0;  // of stream
  do {
    from += count;
    to += count;
    bytes -= count;
    count = smaller(bytes, sizeof stream);
    const size_t whole =
        (count + AESFAB_BLOCK_BYTES - 1) / AESFAB_BLOCK_BYTES * AESFAB_BLOCK_BYTES;
    if (whole > used) used = whole;
    count_up(counter->next, stream, whole / AESFAB_BLOCK_BYTES);
    status = crypt(device, stream, stream, whole, false);
    if (status != AESFAB_OK) break;
    combine(from, stream, to, count);
    counter->left = (uint32_t)(whole - count);
    memcpy(counter->rest + (AESFAB_BLOCK_BYTES - counter->left), stream + count, counter->left);
  } while (count < bytes);
  // Key stream is as secret as what it covers.
  aesfab_wipe(stream, used);
  burn_stack();
  if (status != AESFAB_OK) aesfab_ctr_end(counter);
  return status;
}
