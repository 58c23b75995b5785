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

struct aesfab {
  const struct aesfab_transport *transport;
  void *context;
  struct aesfab_options options;
  struct aesfab_info info;
  uint32_t limit;  // blocks that may be under way
  bool keyed;
  bool decrypting;  // the setting of the device
  bool failed;
  char message[160];
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
};

const char *aesfab_status_text(int status) {
  if (status < 0 || (size_t)status >= sizeof kTexts / sizeof *kTexts) return "unknown status";
  return kTexts[status];
}

const char *aesfab_message(const struct aesfab *device) {
  if (device == NULL || device->message[0] == '\0') return "no error";
  return device->message;
}

void aesfab_complain(const struct aesfab_complaint *complaint, const char *format, ...) {
  if (complaint == NULL || complaint->text == NULL || complaint->size == 0) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(complaint->text, complaint->size, format, arguments);
  va_end(arguments);
}

// Notes what is wrong. Errors of the bus and of the device leave the device in a state that is not
// known, so nothing goes on after them.
static int fail(struct aesfab *device, int status, const char *detail) {
  snprintf(device->message, sizeof device->message, "%s%s%s", aesfab_status_text(status),
           detail != NULL ? ": " : "", detail != NULL ? detail : "");
  if (status >= AESFAB_E_BUS && status < AESFAB_E_FAILED) device->failed = true;
  return status;
}

// The same of an error of the transport, whatever it is: blocks may be left in the device.
static int broken(struct aesfab *device, int status, const char *detail) {
  device->failed = true;
  return fail(device, status, detail);
}

static int read_register(struct aesfab *device, uint32_t offset, uint32_t *value) {
  const int status = device->transport->read32(device->context, offset, value);
  return status == AESFAB_OK ? status : broken(device, status, "reading a register");
}

static int write_register(struct aesfab *device, uint32_t offset, uint32_t value) {
  const int status = device->transport->write32(device->context, offset, value);
  return status == AESFAB_OK ? status : broken(device, status, "writing a register");
}

static uint64_t now(struct aesfab *device) { return device->transport->clock_us(device->context); }

// Waits until the masked bits of STATUS are zero.
static int wait_status_clear(struct aesfab *device, uint32_t mask, const char *what) {
  const uint64_t start = now(device);
  for (;;) {
    uint32_t value;
    const int status = read_register(device, AESFAB_STATUS, &value);
    if (status != AESFAB_OK) return status;
    if ((value & mask) == 0) return AESFAB_OK;
    if (now(device) - start > device->options.timeout_us) {
      return fail(device, AESFAB_E_TIMEOUT, what);
    }
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

static int erase(struct aesfab *device) {
  device->keyed = false;
  int status = wait_status_clear(device, AESFAB_STATUS_ERASING, "erasing after a reset");
  if (status == AESFAB_OK) {
    status = write_register(device, AESFAB_CONTROL, AESFAB_CONTROL_ERASE);
  }
  if (status == AESFAB_OK) {
    status = wait_status_clear(device, AESFAB_STATUS_ERASING, "erasing");
  }
  return status;
}

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
  info->depth = 1u << ((value & AESFAB_INFO_LOG2_DEPTH) >> AESFAB_INFO_LOG2_DEPTH_SHIFT);
  info->encrypts = (value & AESFAB_INFO_ENCRYPTS) != 0;
  info->decrypts = (value & AESFAB_INFO_DECRYPTS) != 0;
  info->key_128 = (value & AESFAB_INFO_KEY_128) != 0;
  info->key_192 = (value & AESFAB_INFO_KEY_192) != 0;
  info->key_256 = (value & AESFAB_INFO_KEY_256) != 0;
  info->guarded = (value & AESFAB_INFO_GUARDED) != 0;
  info->stream = (value & AESFAB_INFO_STREAM) != 0;
  // One less than the buffers hold: without guards a full buffer looks empty.
  device->limit = info->depth - 1;
  if (device->limit > AESFAB_DATA_SIZE / AESFAB_BLOCK_BYTES) {
    device->limit = AESFAB_DATA_SIZE / AESFAB_BLOCK_BYTES;
  }
  const uint32_t wanted = device->options.chunk_blocks;
  if (wanted != 0 && wanted < device->limit) device->limit = wanted;
  return AESFAB_OK;
}

int aesfab_open_transport(struct aesfab **device, const struct aesfab_transport *transport,
                          void *context, const struct aesfab_options *options, char *message,
                          size_t size) {
  const struct aesfab_complaint complaint = {message, size};
  if (device == NULL || transport == NULL) {
    aesfab_complain(&complaint, "%s", aesfab_status_text(AESFAB_E_ARGUMENT));
    return AESFAB_E_ARGUMENT;
  }
  *device = NULL;
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
    aesfab_complain(&complaint, "%s", opened->message);
    if (transport->close != NULL) transport->close(context);
    free(opened);
    return status;
  }
  *device = opened;
  return AESFAB_OK;
}

void aesfab_close(struct aesfab *device) {
  if (device == NULL) return;
  (void)erase(device);  // as far as that is still possible
  if (device->transport->close != NULL) device->transport->close(device->context);
  free(device);
}

int aesfab_get_info(struct aesfab *device, struct aesfab_info *info) {
  if (device == NULL || info == NULL) return AESFAB_E_ARGUMENT;
  *info = device->info;
  return AESFAB_OK;
}

static int usable(struct aesfab *device) {
  if (device == NULL) return AESFAB_E_ARGUMENT;
  return device->failed ? AESFAB_E_FAILED : AESFAB_OK;
}

int aesfab_erase(struct aesfab *device) {
  const int status = usable(device);
  return status != AESFAB_OK ? status : erase(device);
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
  for (size_t i = 0; i < bytes && status == AESFAB_OK; i += 4) {
    const uint32_t word = (uint32_t)key[i] | (uint32_t)key[i + 1] << 8 |
                          (uint32_t)key[i + 2] << 16 | (uint32_t)key[i + 3] << 24;
    status = write_register(device, AESFAB_KEY + (uint32_t)i, word);
  }
  if (status == AESFAB_OK) {
    status = set(device, AESFAB_CONTROL_LOAD_KEY | key_len << AESFAB_CONTROL_KEY_LEN_SHIFT,
                 !device->info.encrypts);
  }
  if (status == AESFAB_OK) status = check_errors(device);
  device->keyed = status == AESFAB_OK;
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

// The error of results that do not come in time: what the device says, if it says anything.
static int late(struct aesfab *device) {
  const int status = check_errors(device);
  return status != AESFAB_OK ? status : fail(device, AESFAB_E_TIMEOUT, "waiting for results");
}

// Waits until that many blocks can be read; how many there are.
static int wait_results(struct aesfab *device, uint32_t wanted, uint32_t *level) {
  uint64_t start = now(device);  // of the time without progress
  uint32_t before = 0;
  const bool sleep = device->options.interrupts && device->transport->wait != NULL;
  for (unsigned polls = 1;; ++polls) {
    int status = read_register(device, AESFAB_OUT_LEVEL, level);
    if (status != AESFAB_OK) return status;
    if (*level >= wanted) return AESFAB_OK;
    // Most waits are short: what went wrong is looked for now and then only.
    if (!sleep && polls % 64 != 0) continue;
    status = check_reset(device);
    if (status != AESFAB_OK) return status;
    const uint64_t time = now(device);
    if (*level > before) {
      before = *level;
      start = time;
    }
    const uint64_t passed = time - start;
    if (passed > device->options.timeout_us) return late(device);
    if (sleep) {
      status = write_register(device, AESFAB_OUT_MARK, wanted);
      if (status == AESFAB_OK) {
        // A bit of ERRORS wakes us as well: results may then never come.
        status = write_register(device, AESFAB_IRQ_ENABLE,
                                AESFAB_IRQ_ENABLE_OUT_READY | AESFAB_IRQ_ENABLE_ERROR);
      }
      if (status != AESFAB_OK) return status;
      const int woken = device->transport->wait(
          device->context, (uint32_t)(device->options.timeout_us - passed) + 1);
      status = write_register(device, AESFAB_IRQ_ENABLE, 0);
      if (status != AESFAB_OK) return status;
      // After a timeout everything is looked at once more, and the clock ends the loop.
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
    int status = wait_results(device, last ? outstanding : (outstanding + 1) / 2, &level);
    if (status != AESFAB_OK) return status;
    count = level < outstanding ? level : outstanding;
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

static bool overlap(const void *in, const void *out, size_t bytes) {
  const uintptr_t a = (uintptr_t)in;
  const uintptr_t b = (uintptr_t)out;
  return a != b && a < b + bytes && b < a + bytes;
}

static int check_buffers(struct aesfab *device, const void *in, const void *out, size_t bytes) {
  const int status = usable(device);
  if (status != AESFAB_OK) return status;
  if (!device->keyed) return fail(device, AESFAB_E_NO_KEY, NULL);
  if (bytes == 0) return AESFAB_OK;
  if (in == NULL || out == NULL) return fail(device, AESFAB_E_ARGUMENT, "no buffer");
  if (overlap(in, out, bytes)) {
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

int aesfab_ctr(struct aesfab *device, uint8_t counter[16], const void *in, void *out,
               size_t bytes) {
  enum { kBlocks = 256 };
  int status = check_buffers(device, in, out, bytes);
  if (status != AESFAB_OK) return status;
  if (counter == NULL) return fail(device, AESFAB_E_ARGUMENT, "no counter");
  const uint8_t *from = in;
  uint8_t *to = out;
  uint8_t stream[kBlocks * AESFAB_BLOCK_BYTES];
  while (bytes > 0 && status == AESFAB_OK) {
    const size_t count = bytes < sizeof stream ? bytes : sizeof stream;
    const size_t whole = (count + AESFAB_BLOCK_BYTES - 1) / AESFAB_BLOCK_BYTES;
    for (size_t block = 0; block < whole; ++block) {
      memcpy(stream + block * AESFAB_BLOCK_BYTES, counter, AESFAB_BLOCK_BYTES);
      for (int i = AESFAB_BLOCK_BYTES - 1; i >= 0 && ++counter[i] == 0; --i) {
      }
    }
    status = crypt(device, stream, stream, whole * AESFAB_BLOCK_BYTES, false);
    if (status == AESFAB_OK) {
      for (size_t i = 0; i < count; ++i) to[i] = from[i] ^ stream[i];
      from += count;
      to += count;
      bytes -= count;
    }
  }
  // Key stream is as secret as what it covers.
  volatile uint8_t *secret = stream;
  for (size_t i = 0; i < sizeof stream; ++i) secret[i] = 0;
  return status;
}
