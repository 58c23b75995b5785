// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A core on an FPGA board, behind its UART: a serial port that speaks the frames of AESFab's boards.
//
// The board has no registers. They are made here of what it says: ID and INFO of its hello, KEY and
// CONTROL give it keys and resets, STATUS says whether it has a key. Blocks go both ways at a time,
// and several are on their way, so a USB adapter that waits costs nothing. Where an answer is
// missing, or an error, the host is silent until the board has forgotten what it had of a frame, and
// sends again what has no answer. A board answers in order, and an answer has the tag of its request.
//
// Results, key and key stream pass through the buffers of struct uart, which are overwritten before
// a call ends; what the operating system has in its own is out of reach.

#define _GNU_SOURCE  // flock, baud rates above 38,400, clock_gettime

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "aesfab.h"
#include "aesfab_registers.h"
#include "transport.h"

// The protocol, as the package aes_board_pkg has it.
enum {
  kSync = 0xa5,
  kVersion = 1,
  kReply = 0x80,
  kHeaderBytes = 5,
  kCrcBytes = 2,
  kMostPayload = 32,
};

enum command {
  kHello = 0x01,
  kReset = 0x02,
  kEncrypt = 0x03,
  kDecrypt = 0x04,
  kKey128 = 0x10,
  kError = 0xff,
};

enum code {
  kCrc = 1,
  kLength = 4,
  kNoKey = 5,
  kTimeout = 6,
  kBusy = 7,
  kFault = 8,
};

enum {
  kLog2Window = 5,  // blocks on their way at a time
  kWindow = 1 << kLog2Window,
  kTries = 4,       // how often the same is sent at most
  kTags = 255,      // from 1 on; 0 is the tag of an error that belongs to no frame
  kHelloBytes = 16,
  kFrameBytes = kHeaderBytes + kMostPayload + kCrcBytes,
  kBlockFrameBytes = kHeaderBytes + AESFAB_BLOCK_BYTES + kCrcBytes,
};

// The rate where an address names none.
static const uint32_t kBaud = 1000000;

// Silence after which a board has forgotten a frame that stopped: more than an adapter waits with
// bytes that it has, and a part of the time without a result where that is long.
static const uint32_t kSilenceUs = 50000;
enum { kSilencePart = 60 };

struct uart {
  int file;
  uint32_t timeout_us;  // longest time without an answer
  uint32_t info;        // the register INFO
  uint32_t key_bytes;   // of the payload of a key
  uint8_t key[kMostPayload];
  bool keyed;
  bool decrypting;
  bool silent;     // the last request has no answer, so the next one is tried once
  uint32_t tag;    // the last one
  uint64_t heard;  // bytes, and those of them that were in no frame
  uint64_t skipped;
  size_t filled;  // of received
  uint8_t received[512];
  uint8_t sent[kWindow * kBlockFrameBytes];
  char port[64];
  char message[192];
};

// A frame in the buffer of what was received, until more is.
struct frame {
  uint8_t version;
  uint8_t command;
  uint8_t tag;
  uint8_t length;
  const uint8_t *payload;
};

static uint64_t clock_us(void *context) {
  (void)context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static int fail(struct uart *uart, int status, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

static int fail(struct uart *uart, int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(uart->message, sizeof uart->message, format, arguments);
  va_end(arguments);
  return status;
}

static int gone(struct uart *uart) {
  return fail(uart, AESFAB_E_SYSTEM,
              "the port %s is gone: the cable was pulled, or the board switched off", uart->port);
}

// ------------------------------------------------------------------------------------- bytes

// Waits until the port is ready for what is wanted: AESFAB_E_TIMEOUT at that time without a message.
static int wait_until(struct uart *uart, short wanted, uint64_t end) {
  for (;;) {
    const uint64_t now = clock_us(NULL);
    const uint64_t left = now < end ? (end - now + 999) / 1000 : 0;
    struct pollfd waiting = {.fd = uart->file, .events = wanted};
    const int ready = poll(&waiting, 1, left > INT_MAX ? INT_MAX : (int)left);
    if (ready < 0 && errno != EINTR) return gone(uart);
    if (ready > 0 && (waiting.revents & wanted) != 0) return AESFAB_OK;
    if (ready > 0) return gone(uart);
    if (ready == 0 && left <= INT_MAX) return AESFAB_E_TIMEOUT;
  }
}

static int send_bytes(struct uart *uart, size_t bytes) {
  size_t done = 0;
  uint64_t end = clock_us(NULL) + uart->timeout_us;
  while (done < bytes) {
    const int status = wait_until(uart, POLLOUT, end);
    if (status == AESFAB_E_TIMEOUT) {
      return fail(uart, status, "the port %s takes no bytes", uart->port);
    }
    if (status != AESFAB_OK) return status;
    const ssize_t size = write(uart->file, uart->sent + done, bytes - done);
    if (size > 0) {
      done += (size_t)size;
      end = clock_us(NULL) + uart->timeout_us;
    } else if (size < 0 && errno != EAGAIN && errno != EINTR) {
      return gone(uart);
    }
  }
  return AESFAB_OK;
}

// More bytes behind those that there are.
static int receive_bytes(struct uart *uart, uint64_t end) {
  for (;;) {
    const int status = wait_until(uart, POLLIN, end);
    if (status != AESFAB_OK) return status;
    const ssize_t size =
        read(uart->file, uart->received + uart->filled, sizeof uart->received - uart->filled);
    if (size > 0) {
      uart->filled += (size_t)size;
      uart->heard += (uint64_t)size;
      return AESFAB_OK;
    }
    // Ready and empty: nobody is at the other side any more.
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) return gone(uart);
  }
}

// ------------------------------------------------------------------------------------ frames

// CRC-16/X-25.
static uint16_t crc_of(const uint8_t *data, size_t bytes) {
  uint32_t value = 0xffff;
  for (; bytes > 0; --bytes, ++data) {
    value ^= *data;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0x8408u : 0);
  }
  return (uint16_t)(value ^ 0xffff);
}

// A frame with a new tag into a buffer; how many bytes it has.
static size_t put_frame(struct uart *uart, uint8_t *to, unsigned command, const uint8_t *payload,
                        size_t length) {
  uart->tag = uart->tag % kTags + 1;
  to[0] = kSync;
  to[1] = kVersion;
  to[2] = (uint8_t)command;
  to[3] = (uint8_t)uart->tag;
  to[4] = (uint8_t)length;
  if (length > 0) memcpy(to + kHeaderBytes, payload, length);
  const uint16_t crc = crc_of(to + 1, kHeaderBytes - 1 + length);
  to[kHeaderBytes + length] = (uint8_t)crc;
  to[kHeaderBytes + length + 1] = (uint8_t)(crc >> 8);
  return kHeaderBytes + length + kCrcBytes;
}

static void drop(struct uart *uart, size_t bytes) {
  uart->filled -= bytes;
  memmove(uart->received, uart->received + bytes, uart->filled);
}

// The next whole frame of what was received, where there is one. It stands at the begin of the
// buffer until it is taken out by its size, which the result is; 0 where more must come.
static size_t next_frame(struct uart *uart, struct frame *frame) {
  for (;;) {
    const uint8_t *data = uart->received;
    const uint8_t *sync = memchr(data, kSync, uart->filled);
    const size_t before = sync != NULL ? (size_t)(sync - data) : uart->filled;
    uart->skipped += before;
    drop(uart, before);
    if (uart->filled < kHeaderBytes) return 0;
    const size_t length = data[4];
    const size_t whole = kHeaderBytes + length + kCrcBytes;
    if (length <= kMostPayload && uart->filled < whole) return 0;
    if (length <= kMostPayload) {
      const uint16_t crc = crc_of(data + 1, whole - kCrcBytes - 1);
      if (data[whole - 2] == (uint8_t)crc && data[whole - 1] == (uint8_t)(crc >> 8)) {
        *frame = (struct frame){data[1], data[2], data[3], data[4], data + kHeaderBytes};
        return whole;
      }
    }
    // The next frame may begin within what looked like one.
    ++uart->skipped;
    drop(uart, 1);
  }
}

// The next frame; AESFAB_E_TIMEOUT at that time.
static int receive_frame(struct uart *uart, struct frame *frame, size_t *size, uint64_t end) {
  while ((*size = next_frame(uart, frame)) == 0) {
    const int status = receive_bytes(uart, end);
    if (status != AESFAB_OK) return status;
    // Somebody may talk without an end.
    if (clock_us(NULL) >= end && next_frame(uart, frame) == 0) return AESFAB_E_TIMEOUT;
  }
  return AESFAB_OK;
}

// Is silent until the board is, and has forgotten what it had of a frame.
static int resynchronise(struct uart *uart) {
  const uint32_t part = uart->timeout_us / kSilencePart;
  const uint32_t silence = part > kSilenceUs ? part : kSilenceUs;
  const uint64_t end = clock_us(NULL) + uart->timeout_us + silence;
  for (;;) {
    uart->skipped += uart->filled;
    uart->filled = 0;
    const int status = receive_bytes(uart, clock_us(NULL) + silence);
    if (status == AESFAB_E_TIMEOUT) return AESFAB_OK;
    if (status != AESFAB_OK) return status;
    if (clock_us(NULL) >= end) {
      return fail(uart, AESFAB_E_NO_DEVICE, "what is at %s does not stop to talk: it is no board "
                  "of AESFab, or has another baud rate", uart->port);
    }
  }
}

// ------------------------------------------------------------------------------------ errors

// What a board means that answers in another way than it was asked; frame is null for no answer.
static int trouble(struct uart *uart, const struct frame *frame) {
  static const char *const kMeanings[] = {
      [kCrc] = "a frame was damaged",
      [2] = "the frame is of another version of the protocol",
      [3] = "the board has no such command, or its core cannot do it",
      [kLength] = "the payload has a length that the command does not have",
      [kTimeout] = "a frame stopped in the middle",
      [kBusy] = "a frame came before the one before it had been taken",
      [kFault] = "the core has seen a fault in itself",
  };
  const char *port = uart->port;
  if (frame == NULL && uart->heard == 0) {
    return fail(uart, AESFAB_E_TIMEOUT, "nothing answers at %s: is the bitstream loaded, the port "
                "that of the UART, and the baud rate right?", port);
  }
  if (frame == NULL && uart->skipped + uart->filled == uart->heard) {
    return fail(uart, AESFAB_E_NO_DEVICE,
                "what answers at %s is no board of AESFab, or has another baud rate", port);
  }
  if (frame == NULL) {
    return fail(uart, AESFAB_E_TIMEOUT, "the board at %s does not answer any more", port);
  }
  if (frame->version != kVersion) {
    return fail(uart, AESFAB_E_VERSION, "the board at %s speaks version %d of the protocol, and "
                "this library version %d", port, frame->version, kVersion);
  }
  if (frame->command != kError || frame->length != 1) {
    return fail(uart, AESFAB_E_BUS, "the board at %s gives answers to other questions", port);
  }
  const unsigned code = frame->payload[0];
  if (code == kNoKey) {
    uart->keyed = false;
    return fail(uart, AESFAB_E_RESET, "the board at %s was reset in the middle", port);
  }
  const bool known = code < sizeof kMeanings / sizeof *kMeanings && kMeanings[code] != NULL;
  const int status = code == kCrc || code == kLength || code == kTimeout || code == kBusy
                         ? AESFAB_E_BUS
                         : AESFAB_E_DEVICE;
  return known ? fail(uart, status, "the board at %s says: %s", port, kMeanings[code])
               : fail(uart, status, "the board at %s says: error %u", port, code);
}

// Whether that is what a disturbed line, or one flip in the core, gives: worth another try.
static bool passes(const struct frame *frame) {
  if (frame == NULL) return true;
  if (frame->version != kVersion) return false;
  if (frame->command != kError || frame->length != 1) return true;
  switch (frame->payload[0]) {
    case kCrc:
    case kLength:
    case kTimeout:
    case kBusy:
    case kFault:
      return true;
    default:
      return false;
  }
}

// ---------------------------------------------------------------------------------- requests

static void forget(struct uart *uart) {
  aesfab_wipe(uart->sent, sizeof uart->sent);
  aesfab_wipe(uart->received, sizeof uart->received);
  uart->filled = 0;
}

// Asks, and again where the line was disturbed; the payload of the answer into a buffer of its size.
static int request(struct uart *uart, unsigned command, const uint8_t *payload, size_t length,
                   uint8_t *answer, size_t size) {
  int status = uart->silent ? resynchronise(uart) : AESFAB_OK;
  for (int tries = uart->silent ? kTries : 1; status == AESFAB_OK; ++tries) {
    status = send_bytes(uart, put_frame(uart, uart->sent, command, payload, length));
    if (status != AESFAB_OK) break;
    const uint64_t end = clock_us(NULL) + uart->timeout_us;
    struct frame frame;
    size_t taken = 0;
    for (;;) {
      drop(uart, taken);
      status = receive_frame(uart, &frame, &taken, end);
      if (status != AESFAB_OK || frame.tag == uart->tag || frame.command == kError) break;
    }
    if (status != AESFAB_OK && status != AESFAB_E_TIMEOUT) break;
    const struct frame *got = status == AESFAB_OK ? &frame : NULL;
    if (got != NULL && got->version == kVersion && got->tag == uart->tag &&
        got->command == (command | kReply)) {
      if (got->length == size) {
        if (size > 0) memcpy(answer, got->payload, size);
        status = AESFAB_OK;
      } else {
        status = fail(uart, AESFAB_E_NO_DEVICE, "what answers at %s is no board of AESFab",
                      uart->port);
      }
      break;
    }
    status = trouble(uart, got);
    if (tries >= kTries || !passes(got)) break;
    status = resynchronise(uart);
  }
  forget(uart);
  uart->silent = status != AESFAB_OK;
  return status;
}

// Frames of blocks from the first without an answer on, until as many are on their way as may be.
static size_t put_blocks(struct uart *uart, const uint8_t *in, size_t from, size_t to) {
  size_t bytes = 0;
  for (; from < to; ++from) {
    bytes += put_frame(uart, uart->sent + bytes, uart->decrypting ? kDecrypt : kEncrypt,
                       in + from * AESFAB_BLOCK_BYTES, AESFAB_BLOCK_BYTES);
  }
  return bytes;
}

static int exchange_blocks(struct uart *uart, const uint8_t *in, uint8_t *out, size_t blocks,
                           uint32_t timeout_us) {
  const unsigned answer = (uart->decrypting ? kDecrypt : kEncrypt) | kReply;
  size_t window = kWindow;
  size_t sent = 0;
  size_t got = 0;
  uint32_t first = 0;  // tag of the first block on its way
  int tries = 1;
  while (got < blocks) {
    const size_t until = blocks - got < window ? blocks : got + window;
    if (until > sent) {
      if (sent == got) first = uart->tag % kTags + 1;
      const int status = send_bytes(uart, put_blocks(uart, in, sent, until));
      if (status != AESFAB_OK) return status;
      sent = until;
    }
    struct frame frame;
    size_t size;
    int status = receive_frame(uart, &frame, &size, clock_us(NULL) + timeout_us);
    if (status != AESFAB_OK && status != AESFAB_E_TIMEOUT) return status;
    const struct frame *reply = status == AESFAB_OK ? &frame : NULL;
    if (reply != NULL && reply->version == kVersion && reply->command == answer &&
        reply->tag == first && reply->length == AESFAB_BLOCK_BYTES) {
      memcpy(out + got * AESFAB_BLOCK_BYTES, reply->payload, AESFAB_BLOCK_BYTES);
      drop(uart, size);
      ++got;
      first = first % kTags + 1;
      tries = 1;
      continue;
    }
    status = trouble(uart, reply);
    if (tries >= kTries || !passes(reply)) return status;
    ++tries;
    // The host's bits are shorter than the board's, which fewer at a time make up for.
    if (reply != NULL && reply->command == kError && reply->payload[0] == kBusy && window > 1) {
      window /= 2;
    }
    status = resynchronise(uart);
    if (status != AESFAB_OK) return status;
    sent = got;
  }
  return AESFAB_OK;
}

// --------------------------------------------------------------------------------- transport

static int uart_exchange(void *context, const uint8_t *in, uint8_t *out, size_t bytes,
                         uint32_t timeout_us) {
  struct uart *uart = context;
  uart->message[0] = '\0';
  const int status = exchange_blocks(uart, in, out, bytes / AESFAB_BLOCK_BYTES, timeout_us);
  forget(uart);
  uart->silent = status != AESFAB_OK;
  return status;
}

static int uart_read32(void *context, uint32_t offset, uint32_t *value) {
  const struct uart *uart = context;
  switch (offset) {
    case AESFAB_ID:
      *value = AESFAB_ID_MAGIC_RESET;
      break;
    case AESFAB_INFO:
      *value = uart->info;
      break;
    case AESFAB_STATUS:
      *value = AESFAB_STATUS_IN_EMPTY | AESFAB_STATUS_OUT_EMPTY |
               (uart->keyed ? AESFAB_STATUS_KEYED : 0);
      break;
    default:
      *value = 0;
      break;
  }
  return AESFAB_OK;
}

static int load_key(struct uart *uart, uint32_t key_len) {
  uart->keyed = false;
  const int status = request(uart, kKey128 + key_len, uart->key, uart->key_bytes, NULL, 0);
  aesfab_wipe(uart->key, sizeof uart->key);
  uart->keyed = status == AESFAB_OK;
  return status;
}

static int uart_write32(void *context, uint32_t offset, uint32_t value) {
  struct uart *uart = context;
  uart->message[0] = '\0';
  if (offset >= AESFAB_KEY && offset - AESFAB_KEY < sizeof uart->key) {
    uint8_t *key = uart->key + (offset - AESFAB_KEY);
    for (int i = 0; i < 4; ++i) key[i] = (uint8_t)(value >> 8 * i);
    return AESFAB_OK;
  }
  if (offset != AESFAB_CONTROL) return AESFAB_OK;
  if ((value & (AESFAB_CONTROL_ERASE | AESFAB_CONTROL_RESET)) != 0) {
    aesfab_wipe(uart->key, sizeof uart->key);
    const int status = request(uart, kReset, NULL, 0, NULL, 0);
    if (status == AESFAB_OK) uart->keyed = false;
    return status;
  }
  uart->decrypting = (value & AESFAB_CONTROL_DECRYPT) != 0;
  if ((value & AESFAB_CONTROL_LOAD_KEY) == 0) return AESFAB_OK;
  return load_key(uart, (value & AESFAB_CONTROL_KEY_LEN) >> AESFAB_CONTROL_KEY_LEN_SHIFT);
}

static const char *uart_message(void *context) {
  const struct uart *uart = context;
  return uart->message[0] != '\0' ? uart->message : NULL;
}

static void uart_close(void *context) {
  struct uart *uart = context;
  // What is not sent is dropped, else closing would wait for a board that takes nothing.
  (void)tcflush(uart->file, TCOFLUSH);
  close(uart->file);
  aesfab_wipe(uart, sizeof *uart);
  free(uart);
}

static const struct aesfab_transport kUart = {
    .name = "uart",
    .read32 = uart_read32,
    .write32 = uart_write32,
    .clock_us = clock_us,
    .close = uart_close,
    .exchange = uart_exchange,
    .message = uart_message,
};

// ----------------------------------------------------------------------------------- opening

static const struct {
  uint32_t baud;
  speed_t value;
} kRates[] = {
    {9600, B9600},       {19200, B19200},     {38400, B38400},
#ifdef B57600
    {57600, B57600},     {115200, B115200},
#endif
#ifdef B230400
    {230400, B230400},
#endif
#ifdef B460800
    {460800, B460800},
#endif
#ifdef B500000
    {500000, B500000},
#endif
#ifdef B576000
    {576000, B576000},
#endif
#ifdef B921600
    {921600, B921600},
#endif
#ifdef B1000000
    {1000000, B1000000},
#endif
#ifdef B1152000
    {1152000, B1152000},
#endif
#ifdef B1500000
    {1500000, B1500000},
#endif
#ifdef B2000000
    {2000000, B2000000},
#endif
#ifdef B2500000
    {2500000, B2500000},
#endif
#ifdef B3000000
    {3000000, B3000000},
#endif
#ifdef B3500000
    {3500000, B3500000},
#endif
#ifdef B4000000
    {4000000, B4000000},
#endif
};

// Raw bytes at a rate, and nobody else at the line.
static int settle(int file, const char *path, uint32_t baud, speed_t rate,
                  const struct aesfab_complaint *complaint) {
  struct termios mode;
  if (tcgetattr(file, &mode) != 0) {
    aesfab_complain(complaint, "%s is no serial line", path);
    return AESFAB_E_NO_DEVICE;
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    aesfab_complain(complaint, "another program uses the port %s", path);
    return AESFAB_E_SYSTEM;
  }
  mode.c_iflag = IGNBRK;
  mode.c_oflag = 0;
  mode.c_cflag = CS8 | CREAD | CLOCAL;
  mode.c_lflag = 0;
  mode.c_cc[VMIN] = 0;
  mode.c_cc[VTIME] = 0;
  // A port that has not the rate may keep another one and say nothing.
  if (cfsetispeed(&mode, rate) != 0 || cfsetospeed(&mode, rate) != 0 ||
      tcsetattr(file, TCSANOW, &mode) != 0 || tcgetattr(file, &mode) != 0 ||
      cfgetospeed(&mode) != rate || tcflush(file, TCIOFLUSH) != 0) {
    aesfab_complain(complaint, "cannot set the port %s to %" PRIu32 " baud", path, baud);
    return AESFAB_E_SYSTEM;
  }
  return AESFAB_OK;
}

// Finds the board, and notes what it says of itself.
static int greet(struct uart *uart) {
  uint8_t said[kHelloBytes];
  int status = resynchronise(uart);
  if (status == AESFAB_OK) status = request(uart, kHello, NULL, 0, said, sizeof said);
  if (status != AESFAB_OK) return status;
  // Bit 0 encrypts, bit 1 decrypts, bits 2 to 4 keys of 128, 192, 256 bits.
  if ((said[0] & 3) == 0 || (said[0] & 28) == 0 || said[0] >> 5 != 0) {
    return fail(uart, AESFAB_E_NO_DEVICE, "what answers at %s is no board of AESFab", uart->port);
  }
  uart->key_bytes = (said[0] & 16) != 0 ? 32 : (said[0] & 8) != 0 ? 24 : 16;
  uart->info = AESFAB_INFO_VERSION_RESET | kLog2Window << AESFAB_INFO_LOG2_DEPTH_SHIFT |
               AESFAB_INFO_GUARDED | AESFAB_INFO_STREAM;
  static const uint32_t kBits[] = {AESFAB_INFO_ENCRYPTS, AESFAB_INFO_DECRYPTS, AESFAB_INFO_KEY_128,
                                   AESFAB_INFO_KEY_192, AESFAB_INFO_KEY_256};
  for (size_t i = 0; i < sizeof kBits / sizeof *kBits; ++i) {
    if ((said[0] >> i & 1) != 0) uart->info |= kBits[i];
  }
  return AESFAB_OK;
}

int aesfab_open_uart(const char *where, const struct aesfab_options *options,
                     const struct aesfab_transport **transport, void **context,
                     const struct aesfab_complaint *complaint) {
  char path[PATH_MAX];
  uint32_t baud = kBaud;
  const char *at = strrchr(where, '@');
  const size_t length = at != NULL ? (size_t)(at - where) : strlen(where);
  if (length == 0 || length >= sizeof path) {
    aesfab_complain(complaint, "the address '%s' names no port", where);
    return AESFAB_E_ARGUMENT;
  }
  memcpy(path, where, length);
  path[length] = '\0';
  size_t rate = 0;
  if (at != NULL) {
    char *end;
    const unsigned long number = strtoul(at + 1, &end, 10);
    baud = at[1] >= '0' && at[1] <= '9' && *end == '\0' && number <= UINT32_MAX ? (uint32_t)number
                                                                                : 0;
  }
  while (rate < sizeof kRates / sizeof *kRates && kRates[rate].baud != baud) ++rate;
  if (rate == sizeof kRates / sizeof *kRates) {
    aesfab_complain(complaint, "this system has no %s baud", at != NULL ? at + 1 : "1000000");
    return AESFAB_E_ARGUMENT;
  }
  struct uart *uart = calloc(1, sizeof *uart);
  if (uart == NULL) {
    aesfab_complain(complaint, "%s", aesfab_status_text(AESFAB_E_MEMORY));
    return AESFAB_E_MEMORY;
  }
  snprintf(uart->port, sizeof uart->port, "%.*s", (int)sizeof uart->port - 1, path);
  uart->timeout_us =
      options != NULL && options->timeout_us != 0 ? options->timeout_us : AESFAB_TIMEOUT_US;
  uart->file = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (uart->file < 0) {
    aesfab_complain(complaint, "cannot open the port %s: %s", path, strerror(errno));
    free(uart);
    return AESFAB_E_SYSTEM;
  }
  int status = settle(uart->file, path, baud, kRates[rate].value, complaint);
  if (status == AESFAB_OK) {
    status = greet(uart);
    if (status != AESFAB_OK) aesfab_complain(complaint, "%s", uart->message);
  }
  if (status != AESFAB_OK) {
    uart_close(uart);
    return status;
  }
  *transport = &kUart;
  *context = uart;
  return AESFAB_OK;
}
