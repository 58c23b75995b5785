// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Random calls of libaesfab, each with the status that it must answer, for sanitizers:
//
//   fuzz MODE SEED SESSIONS|SECONDSs [TRACE]
//
//   model        a device in C that does as docs/registers.md says
//   faulty       the same, with one fault each time it is opened
//   hostile      a device whose answers are drawn
//   threads      model in four threads, with a device that they share under a lock
//   race         the same without the lock, which a thread sanitizer must find
//   sim:LIBRARY  a simulated device
//
// A session is a device and some dozens of calls; SEED is the first one's, and the number in a
// message gives that session again. Results are compared with the reference beside; TRACE gets some
// of them for another judge, a line each: mode, direction or first counter block, key, bytes before,
// in, out.

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aesfab.h"
#include "model.h"

enum { kMessages = 3, kThreads = 4, kLimit = 60, kMostTraced = 400 };

enum kind { MODEL, FAULTY, HOSTILE, SIM };

struct message {
  struct aesfab_counter counter;
  bool begun;
  uint8_t first[16];
  size_t done;
  bool bound;       // to the key that was set
  unsigned setting;
};

struct session {
  enum kind kind;
  uint64_t seed;
  struct random random;
  const char *address;  // SIM
  struct model model;
  struct aesfab *device;
  struct aesfab_info info;
  bool failed;  // the device has, as its status said
  uint8_t key[32];
  size_t key_bytes;  // 0: no key
  unsigned settings;
  struct message messages[kMessages];
  uint64_t calls, blocks;
  uint64_t statuses[AESFAB_E_TAG + 1];
  FILE *trace;
  int traced;
};

static void wrong(const struct session *session, const char *what, int status, int wanted) {
  fprintf(stderr, "fuzz: session %llu, call %llu: %s: got '%s', wanted '%s'\n",
          (unsigned long long)session->seed, (unsigned long long)session->calls, what,
          aesfab_status_text(status), aesfab_status_text(wanted));
  exit(1);
}

static void require(const struct session *session, bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "fuzz: session %llu, call %llu: %s\n", (unsigned long long)session->seed,
          (unsigned long long)session->calls, what);
  exit(1);
}

static uint32_t below(struct session *session, uint32_t number) {
  return random_below(&session->random, number);
}

static bool chance(struct session *session, uint32_t number) { return below(session, number) == 0; }

static void begin_call(struct session *session) {
  ++session->calls;
  session->model.most_accesses = session->model.accesses + 3000000;
}

// Whether a status is that of a device that does not work.
static bool of_device(int status) {
  return status == AESFAB_E_SYSTEM || status == AESFAB_E_MEMORY ||
         (status >= AESFAB_E_BUS && status <= AESFAB_E_TIMEOUT);
}

static bool may_fail(const struct session *session) {
  return session->kind == HOSTILE ||
         (session->kind == FAULTY && session->model.fired && session->model.fault != MODEL_NO_IRQ);
}

// A call must answer what was wanted; where that is success, the device may fail if it does that.
static void judge(struct session *session, const char *what, int status, int wanted) {
  if (status < 0 || status > AESFAB_E_FAILED) wrong(session, what, status, wanted);
  ++session->statuses[status];
  if (session->device != NULL && session->failed) wanted = AESFAB_E_FAILED;
  if (status == wanted) {
    if (status != AESFAB_OK) {
      const char *message = aesfab_message(session->device);
      require(session, message[0] != '\0' && strchr(message, '\n') == NULL, "a bad message");
    }
    return;
  }
  if (wanted != AESFAB_OK || !of_device(status) || !may_fail(session)) {
    wrong(session, what, status, wanted);
  }
  session->failed = true;
  session->key_bytes = 0;
}

///////////////////////////////////////////////////////////////////////////////
// Opening and closing
///////////////////////////////////////////////////////////////////////////////

static void draw_model(struct session *session) {
  struct model *model = &session->model;
  memset(model, 0, sizeof *model);
  random_seed(&model->random, random_next(&session->random));
  model->log2_depth = 1 + below(session, 9);
  do {
    model->encrypts = !chance(session, 5);
    model->decrypts = chance(session, 2);
  } while (!model->encrypts && !model->decrypts);
  do {
    model->key_128 = chance(session, 2);
    model->key_192 = chance(session, 2);
    model->key_256 = chance(session, 2);
  } while (!model->key_128 && !model->key_192 && !model->key_256);
  model->guarded = chance(session, 2);
  model->clocks_per_block = 1 + below(session, chance(session, 3) ? 2000 : 30);
}

static void plug_in(struct session *session) {
  struct model *model = &session->model;
  model->fired = model->stopped = model->gone = model->deaf = false;
  model->no_irq = model->late_clock = false;
  model->fault = MODEL_WHOLE;
  if (session->kind == FAULTY) {
    model->fault = (enum model_fault)(1 + below(session, MODEL_FAULTS - 1));
    model->fault_in = below(session, chance(session, 4) ? 20 : 2000);
  }
  model->errors = model->irq_enable = 0;
  model_reset(model);
}

static void end_messages(struct session *session) {
  for (size_t i = 0; i < kMessages; ++i) {
    aesfab_ctr_end(&session->messages[i].counter);
    session->messages[i].begun = false;
  }
}

static void close_device(struct session *session) {
  begin_call(session);
  end_messages(session);
  const uint32_t closed = session->model.closed;
  const bool was_open = session->device != NULL;
  aesfab_close(&session->device);
  require(session, session->device == NULL, "closed, and the device is not null");
  aesfab_close(&session->device);
  if (session->kind != SIM) {
    require(session, session->model.closed == closed + was_open, "the transport is closed once");
  }
}

// A transport with one function less is refused; with one less that need not be there, it is not.
static void open_partial(struct session *session) {
  struct aesfab_transport part = chance(session, 2) ? kModel : kModelExchange;
  static const size_t kFunctions = 6;
  switch (below(session, kFunctions)) {
    case 0:
      part.read32 = NULL;
      break;
    case 1:
      part.write32 = NULL;
      break;
    case 2:
      part.clock_us = NULL;
      break;
    case 3:
      part.push = NULL;
      part.exchange = NULL;
      break;
    case 4:
      part.pull = NULL;
      part.exchange = NULL;
      break;
    default:
      memset(&part, 0, sizeof part);
      break;
  }
  begin_call(session);
  const uint32_t closed = session->model.closed + (part.close != NULL);
  char message[80];
  struct aesfab *device = NULL;
  int status = aesfab_open_transport(&device, &part, &session->model, NULL, message,
                                     sizeof message);
  if (status != AESFAB_E_ARGUMENT || device != NULL) {
    wrong(session, "a transport without a function", status, AESFAB_E_ARGUMENT);
  }
  require(session, session->model.closed == closed, "a refused transport is closed");
  status = aesfab_open_transport(NULL, &kModel, &session->model, NULL, message, sizeof message);
  if (status != AESFAB_E_ARGUMENT) wrong(session, "no place", status, AESFAB_E_ARGUMENT);
  require(session, session->model.closed == closed + 1, "it is closed without a place, too");
  status = aesfab_open_transport(&device, NULL, NULL, NULL, NULL, 0);
  if (status != AESFAB_E_ARGUMENT) wrong(session, "no transport", status, AESFAB_E_ARGUMENT);
}

static int silent_read32(void *context, uint32_t offset, uint32_t *value) {
  (void)context;
  (void)offset;
  (void)value;
  return AESFAB_OK;
}

// A read that brings nothing is as one where nobody answers.
static void open_silent(struct session *session) {
  begin_call(session);
  struct aesfab_transport silent = kModel;
  silent.read32 = silent_read32;
  char message[120];
  struct aesfab *device;
  const int status = aesfab_open_transport(&device, &silent, &session->model, NULL, message,
                                           sizeof message);
  if (status != AESFAB_E_NO_DEVICE) wrong(session, "silent", status, AESFAB_E_NO_DEVICE);
  require(session, strstr(message, "0xffffffff") != NULL, "it reads as ones");
}

static void open_device(struct session *session) {
  close_device(session);
  begin_call(session);
  struct aesfab_options options = {
      .copy = (enum aesfab_copy)below(session, AESFAB_COPY_COUNT + (chance(session, 8) ? 9 : 0)),
      .interrupts = chance(session, 2),
      .batch = chance(session, 3),
      .chunk_blocks = chance(session, 2) ? 0 : below(session, 600),
      .timeout_us = session->kind == SIM       ? 0
                    : session->kind == HOSTILE ? 1 + below(session, 200)
                                               : 100 + below(session, 1000),
  };
  if (session->kind == MODEL && chance(session, 10)) options.timeout_us = UINT32_MAX;
  const bool supported = aesfab_copy_supported(options.copy);
  char message[64];
  memset(message, '.', sizeof message);
  const size_t size = below(session, sizeof message);
  // Without options a device that gives nothing has a second, which is many accesses.
  const bool none = supported && chance(session, 8) && session->kind != FAULTY;
  session->failed = false;
  session->key_bytes = 0;
  ++session->settings;
  int status;
  if (session->kind == SIM) {
    status = aesfab_open(&session->device, session->address, none ? NULL : &options, message, size);
  } else {
    if (session->kind == HOSTILE) {
      session->model.keyed = false;
      session->model.count = 0;
    } else {
      plug_in(session);
    }
    static const struct aesfab_transport *const kTransports[2][2] = {
        {&kModel, &kModelExchange}, {&kHostile, &kHostileExchange}};
    status = aesfab_open_transport(
        &session->device, kTransports[session->kind == HOSTILE][chance(session, 4)],
        &session->model, none ? NULL : &options, message, size);
  }
  require(session, size == 0 || memchr(message, '\0', size) != NULL || status == AESFAB_OK,
          "a message without an end");
  require(session, message[sizeof message - 1] == '.', "a message too long");
  require(session, (session->device != NULL) == (status == AESFAB_OK), "a device, or none");
  // Of itself a device that does not work may say anything.
  if (may_fail(session) && supported &&
      (status == AESFAB_E_NO_DEVICE || status == AESFAB_E_VERSION)) {
    ++session->statuses[status];
    return;
  }
  judge(session, "open", status, supported ? AESFAB_OK : AESFAB_E_UNSUPPORTED);
  if (session->device == NULL) return;
  status = aesfab_get_info(session->device, &session->info);
  if (status != AESFAB_OK) wrong(session, "info", status, AESFAB_OK);
  const struct aesfab_info *info = &session->info;
  require(session, info->depth >= 2 && info->depth <= 32768, "a depth that cannot be");
  require(session, info->encrypts || info->decrypts, "it can do nothing");
  require(session, info->key_128 || info->key_192 || info->key_256, "it takes no key");
  // What it can do may be what was read as anything: it is opened again, if at all.
  if (may_fail(session) && session->kind == FAULTY) close_device(session);
}

///////////////////////////////////////////////////////////////////////////////
// Keys
///////////////////////////////////////////////////////////////////////////////

static void set_key(struct session *session) {
  begin_call(session);
  static const size_t kLengths[] = {16, 24, 32, 16, 24, 32, 0, 15, 33, 20, SIZE_MAX, 1u << 31};
  const size_t bytes = kLengths[below(session, chance(session, 4) ? 12 : 3)];
  const bool none = chance(session, 30);
  const struct aesfab_info *info = &session->info;
  const size_t room = bytes < 40 ? bytes : 1;
  uint8_t *key = malloc(room + 3);
  // At the end of its memory, and at any alignment.
  uint8_t *const at = key + below(session, 4);
  random_bytes(&session->random, at, room + 3 - (size_t)(at - key));
  int wanted = AESFAB_OK;
  if (session->device == NULL || none || (bytes != 16 && bytes != 24 && bytes != 32)) {
    wanted = AESFAB_E_ARGUMENT;
  } else if (!(bytes == 16 ? info->key_128 : bytes == 24 ? info->key_192 : info->key_256)) {
    wanted = AESFAB_E_UNSUPPORTED;
  }
  const int status = aesfab_set_key(session->device, none ? NULL : at, bytes);
  if (status == AESFAB_OK || wanted == AESFAB_OK) ++session->settings;
  judge(session, "set_key", status, wanted);
  if (status == AESFAB_OK) {
    session->key_bytes = bytes;
    memcpy(session->key, at, bytes);
  }
  free(key);
}

static void erase(struct session *session) {
  begin_call(session);
  const int status = aesfab_erase(session->device);
  judge(session, "erase", status, session->device != NULL ? AESFAB_OK : AESFAB_E_ARGUMENT);
  session->key_bytes = 0;
  ++session->settings;
}

///////////////////////////////////////////////////////////////////////////////
// Blocks and messages
///////////////////////////////////////////////////////////////////////////////

static size_t draw_bytes(struct session *session) {
  switch (below(session, 12)) {
    case 0:
      return 0;
    case 1:
      return 1 + below(session, 100);
    case 2:
      return 16 * (size_t)(1 + below(session, session->kind == SIM ? 60 : 1300));
    case 3:
      return 16 * 256 + (size_t)below(session, 40);
    default:
      return 16 * (size_t)(1 + below(session, 12));
  }
}

// Two buffers, each in memory that ends with it; what calls do wrong with them on purpose.
struct buffers {
  uint8_t *memory[2];
  const uint8_t *in;
  uint8_t *out;
  uint8_t *copy;  // of in
  uint8_t *before;  // of out
  size_t bytes;   // of both, as they are
  size_t claimed;
  bool refused;
};

static void draw_buffers(struct session *session, size_t bytes, struct buffers *buffers) {
  memset(buffers, 0, sizeof *buffers);
  buffers->bytes = buffers->claimed = bytes;
  const size_t shifts[2] = {chance(session, 3) ? 0 : below(session, 17),
                            chance(session, 3) ? 0 : below(session, 17)};
  const bool overlapping = bytes > 1 && chance(session, 12);
  const size_t by = overlapping ? 1 + below(session, (uint32_t)(bytes - 1)) : 0;
  for (size_t i = 0; i < 2; ++i) {
    buffers->memory[i] = malloc(shifts[i] + bytes + by + 1);
    random_bytes(&session->random, buffers->memory[i], shifts[i] + bytes + by);
  }
  uint8_t *const in = buffers->memory[0] + shifts[0];
  buffers->in = in;
  buffers->out = buffers->memory[1] + shifts[1];
  if (overlapping) {
    buffers->out = in + by;
    if (chance(session, 2)) {
      buffers->in = in + by;
      buffers->out = in;
    }
    buffers->refused = true;
  } else if (chance(session, 3)) {
    buffers->out = in;
  }
  buffers->copy = malloc(bytes + 1);
  buffers->before = malloc(bytes + 1);
  memcpy(buffers->copy, buffers->in, bytes);
  memcpy(buffers->before, buffers->out, bytes);
  if (bytes > 0 && chance(session, 20)) {
    if (chance(session, 2)) {
      buffers->in = NULL;
    } else {
      buffers->out = NULL;
    }
    buffers->refused = true;
  } else if (chance(session, 20)) {
    // More than there can be; also so much that the end of one is before the other.
    buffers->claimed = chance(session, 2) ? SIZE_MAX - below(session, 64)
                                          : (size_t)PTRDIFF_MAX + 1 + below(session, 64);
    if (chance(session, 2)) buffers->claimed &= ~(size_t)15;
    buffers->refused = true;
  }
}

static void free_buffers(struct buffers *buffers) {
  free(buffers->memory[0]);
  free(buffers->memory[1]);
  free(buffers->copy);
  free(buffers->before);
}

static void trace(struct session *session, const char *mode, const uint8_t *first, size_t before,
                  const struct buffers *buffers) {
  if (session->trace == NULL || session->kind == HOSTILE || buffers->bytes == 0 ||
      buffers->bytes > 600 || session->traced++ >= kMostTraced) {
    return;
  }
  fprintf(session->trace, "%s ", mode);
  for (size_t i = 0; first != NULL && i < 16; ++i) fprintf(session->trace, "%02x", first[i]);
  fputs(first == NULL ? "- " : " ", session->trace);
  for (size_t i = 0; i < session->key_bytes; ++i) fprintf(session->trace, "%02x", session->key[i]);
  fprintf(session->trace, " %zu ", before);
  for (size_t i = 0; i < buffers->bytes; ++i) fprintf(session->trace, "%02x", buffers->copy[i]);
  fputc(' ', session->trace);
  for (size_t i = 0; i < buffers->bytes; ++i) fprintf(session->trace, "%02x", buffers->out[i]);
  fputc('\n', session->trace);
}

// What was refused has changed nothing.
static void check_untouched(struct session *session, const struct buffers *buffers) {
  if (buffers->out == NULL) return;
  require(session, memcmp(buffers->out, buffers->before, buffers->bytes) == 0,
          "a refused call has changed its output");
}

static void crypt(struct session *session) {
  begin_call(session);
  const bool decrypt = chance(session, 2);
  struct buffers buffers;
  draw_buffers(session, draw_bytes(session), &buffers);
  const struct aesfab_info *info = &session->info;
  int wanted = AESFAB_OK;
  if (session->device == NULL) {
    wanted = AESFAB_E_ARGUMENT;
  } else if (session->key_bytes == 0) {
    wanted = AESFAB_E_NO_KEY;
  } else if (buffers.refused) {
    wanted = AESFAB_E_ARGUMENT;
  } else if (buffers.bytes % 16 != 0) {
    wanted = AESFAB_E_LENGTH;
  } else if (!(decrypt ? info->decrypts : info->encrypts)) {
    wanted = AESFAB_E_UNSUPPORTED;
  }
  const bool was_failed = session->failed;
  const size_t key_bytes = session->key_bytes;
  const int status = (decrypt ? aesfab_decrypt : aesfab_encrypt)(
      session->device, buffers.in, buffers.out, buffers.claimed);
  judge(session, decrypt ? "decrypt" : "encrypt", status, wanted);
  if (status == AESFAB_OK && session->kind != HOSTILE) {
    for (size_t i = 0; i < buffers.bytes; i += 16) {
      uint8_t block[16];
      reference_block(session->key, key_bytes, decrypt, buffers.copy + i, block);
      require(session, memcmp(block, buffers.out + i, 16) == 0, "a wrong block");
    }
    session->blocks += buffers.bytes / 16;
    trace(session, decrypt ? "ecb-decrypt" : "ecb-encrypt", NULL, 0, &buffers);
  }
  if (wanted != AESFAB_OK || was_failed) check_untouched(session, &buffers);
  free_buffers(&buffers);
}

static void begin_message(struct session *session, struct message *message) {
  begin_call(session);
  random_bytes(&session->random, message->first, 16);
  if (chance(session, 2)) memset(message->first + 2, 0xff, 14 - below(session, 3));
  aesfab_ctr_begin(&message->counter, message->first);
  message->begun = true;
  message->done = 0;
  message->bound = false;
}

static void message_piece(struct session *session, struct message *message) {
  begin_call(session);
  struct buffers buffers;
  size_t bytes = draw_bytes(session);
  if (chance(session, 2)) bytes = below(session, 50);
  draw_buffers(session, bytes, &buffers);
  const bool none = chance(session, 40);
  const bool on_itself = !none && !buffers.refused && bytes > 0 && chance(session, 40);
  if (on_itself) buffers.out = (uint8_t *)&message->counter + 4;
  int wanted = AESFAB_OK;
  if (session->device == NULL) {
    wanted = AESFAB_E_ARGUMENT;
  } else if (session->key_bytes == 0) {
    wanted = AESFAB_E_NO_KEY;
  } else if (buffers.refused || none || !message->begun) {
    wanted = AESFAB_E_ARGUMENT;
  } else if (!session->info.encrypts) {
    wanted = AESFAB_E_UNSUPPORTED;
  } else if (on_itself || (message->bound && message->setting != session->settings)) {
    wanted = AESFAB_E_ARGUMENT;
  }
  const bool was_failed = session->failed;
  const int status = aesfab_ctr(session->device, none ? NULL : &message->counter, buffers.in,
                                buffers.out, buffers.claimed);
  judge(session, "ctr", status, wanted);
  if (status == AESFAB_OK && bytes > 0) {
    message->bound = true;
    message->setting = session->settings;
    if (session->kind != HOSTILE) {
      // Byte n of a message is under byte n of the key stream, however it was cut.
      uint8_t stream[16];
      for (size_t i = 0; i < bytes; ++i) {
        const size_t at = message->done + i;
        if (i == 0 || at % 16 == 0) {
          uint8_t counter[16];
          memcpy(counter, message->first, 16);
          size_t carry = at / 16;
          for (int n = 15; n >= 0; --n, carry >>= 8) {
            carry += counter[n];
            counter[n] = (uint8_t)carry;
          }
          reference_block(session->key, session->key_bytes, false, counter, stream);
        }
        require(session, (buffers.copy[i] ^ stream[at % 16]) == buffers.out[i], "a wrong byte");
      }
      session->blocks += bytes / 16;
      trace(session, "ctr", message->first, message->done, &buffers);
    }
    message->done += bytes;
  }
  // A device that fails ends the message.
  if (wanted == AESFAB_OK && status != AESFAB_OK && !was_failed) message->begun = false;
  if (!on_itself && (wanted != AESFAB_OK || was_failed)) check_untouched(session, &buffers);
  free_buffers(&buffers);
}

static void others(struct session *session) {
  begin_call(session);
  const int status = (int)random_next(&session->random);
  require(session, aesfab_status_text(status % 20)[0] != '\0', "a status without a text");
  require(session, aesfab_status_text(status)[0] != '\0', "a status without a text");
  require(session, aesfab_message(session->device)[0] != '\0', "a device without a message");
  (void)aesfab_copy_supported((enum aesfab_copy)status);
  aesfab_ctr_end(NULL);
  aesfab_ctr_begin(NULL, NULL);
  aesfab_close(NULL);
  if (aesfab_get_info(session->device, NULL) != AESFAB_E_ARGUMENT) exit(1);
  struct aesfab *none;
  char message[20];
  require(session, aesfab_open(&none, "\n:", NULL, message, sizeof message) != AESFAB_OK,
          "an address that is none");
  require(session, strchr(message, '\n') == NULL, "a message of two lines");
  // A window that is a place in memory: whole blocks only, to the last byte that is there.
  _Alignas(32) uint8_t window[96];
  uint8_t data[96];
  random_bytes(&session->random, data, sizeof data);
  const size_t bytes = below(session, sizeof data + 1);
  uint8_t *const exact = malloc(bytes + 1);
  memcpy(exact, data, bytes);
  memset(window, 0, sizeof window);
  const enum aesfab_copy copy = (enum aesfab_copy)below(session, AESFAB_COPY_COUNT + 3);
  aesfab_copy_to(window, exact, bytes, copy);
  require(session, memcmp(window, data, bytes / 16 * 16) == 0, "a copy to a window");
  memset(exact, 0x5a, bytes);
  aesfab_copy_from(exact, window, bytes, copy);
  require(session, memcmp(exact, data, bytes / 16 * 16) == 0, "a copy from a window");
  for (size_t i = bytes / 16 * 16; i < bytes; ++i) {
    require(session, window[i] == 0 && exact[i] == 0x5a, "a copy beyond its whole blocks");
  }
  free(exact);
}

///////////////////////////////////////////////////////////////////////////////
// Sessions
///////////////////////////////////////////////////////////////////////////////

// A device that threads share.
struct shared {
  pthread_mutex_t lock;
  bool locks;
  struct model model;
  struct aesfab *device;
  uint8_t key[16];
};

static void share(struct session *session, struct shared *shared) {
  uint8_t in[48];
  uint8_t out[48];
  random_bytes(&session->random, in, sizeof in);
  if (shared->locks) pthread_mutex_lock(&shared->lock);
  shared->model.most_accesses = UINT64_MAX;
  int status = aesfab_encrypt(shared->device, in, out, sizeof in);
  if (status == AESFAB_OK && aesfab_encrypt(shared->device, in, out, 17) == AESFAB_E_LENGTH &&
      strcmp(aesfab_message(shared->device), aesfab_status_text(AESFAB_E_LENGTH)) != 0) {
    status = -1;
  }
  if (shared->locks) pthread_mutex_unlock(&shared->lock);
  if (!shared->locks) return;
  if (status != AESFAB_OK) wrong(session, "the shared device", status, AESFAB_OK);
  for (size_t i = 0; i < sizeof in; i += 16) {
    uint8_t block[16];
    reference_block(shared->key, sizeof shared->key, false, in + i, block);
    require(session, memcmp(block, out + i, 16) == 0, "a wrong block of the shared device");
  }
}

static void run(struct session *session, uint64_t seed, struct shared *shared) {
  session->seed = seed;
  session->calls = 0;
  random_seed(&session->random, seed);
  draw_model(session);
  const uint32_t calls = 10 + below(session, 60);
  open_device(session);
  for (uint32_t i = 0; i < calls; ++i) {
    struct message *const message = &session->messages[below(session, kMessages)];
    switch (below(session, 16)) {
      case 0:
        if (chance(session, 3)) {
          close_device(session);
        } else {
          open_device(session);
        }
        break;
      case 1:
        if (session->failed) open_device(session);
        break;
      case 2:
      case 3:
        set_key(session);
        break;
      case 4:
        if (chance(session, 4)) erase(session);
        break;
      case 5:
        if (session->kind != SIM && chance(session, 4)) {
          open_partial(session);
          open_silent(session);
        }
        break;
      case 6:
        if (chance(session, 5)) {
          aesfab_ctr_end(&message->counter);
          message->begun = false;
        } else {
          begin_message(session, message);
        }
        break;
      case 7:
        if (chance(session, 4)) others(session);
        break;
      case 8:
      case 9:
      case 10:
      case 11:
        message_piece(session, message);
        break;
      default:
        if (session->device != NULL && session->key_bytes == 0 && !session->failed &&
            chance(session, 2)) {
          set_key(session);
        }
        crypt(session);
        break;
    }
    if (shared != NULL) share(session, shared);
  }
  close_device(session);
}

struct work {
  pthread_t thread;
  struct session session;
  uint64_t seed, sessions;  // the next one, and how many there are to be
  time_t until;              // or up to that time, if not 0
  uint64_t done, calls;
  struct shared *shared;
};

static void *work(void *argument) {
  struct work *work = argument;
  while (work->until != 0 ? time(NULL) < work->until : work->done < work->sessions) {
    // A call that does not end ends the program.
    alarm(kLimit);
    run(&work->session, work->seed++, work->shared);
    ++work->done;
    work->calls += work->session.calls;
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  reference_begin();
  const bool threads = strcmp(argv[1], "threads") == 0;
  const bool race = strcmp(argv[1], "race") == 0;
  const uint64_t seed = strtoull(argv[2], NULL, 0);
  char *unit;
  const unsigned long long number = strtoull(argv[3], &unit, 0);
  static struct work works[kThreads];
  static struct shared shared;
  const size_t count = threads || race ? kThreads : 1;
  if (count > 1) {
    pthread_mutex_init(&shared.lock, NULL);
    shared.locks = threads;
    shared.model = (struct model){.log2_depth = 4, .encrypts = true, .key_128 = true,
                                  .guarded = true, .clocks_per_block = 50,
                                  .most_accesses = UINT64_MAX};
    if (aesfab_open_transport(&shared.device, &kModel, &shared.model, NULL, NULL, 0) != AESFAB_OK ||
        aesfab_set_key(shared.device, shared.key, sizeof shared.key) != AESFAB_OK) {
      return 1;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    struct work *const one = &works[i];
    one->seed = seed + (i << 32);
    one->sessions = number;
    one->until = *unit == 's' ? time(NULL) + (time_t)number : 0;
    one->shared = count > 1 ? &shared : NULL;
    struct session *const session = &one->session;
    session->kind = strncmp(argv[1], "sim:", 4) == 0 ? SIM
                    : strcmp(argv[1], "faulty") == 0 ? FAULTY
                    : strcmp(argv[1], "hostile") == 0 ? HOSTILE
                                                      : MODEL;
    session->address = argv[1];
    if (argc > 4 && i == 0) {
      session->trace = fopen(argv[4], "w");
      if (session->trace == NULL) return 2;
    }
  }
  for (size_t i = 1; i < count; ++i) {
    if (pthread_create(&works[i].thread, NULL, work, &works[i]) != 0) return 1;
  }
  (void)work(&works[0]);
  for (size_t i = 1; i < count; ++i) pthread_join(works[i].thread, NULL);
  uint64_t sessions = 0, calls = 0, blocks = 0;
  uint64_t statuses[AESFAB_E_TAG + 1] = {0};
  for (size_t i = 0; i < count; ++i) {
    sessions += works[i].done;
    calls += works[i].calls;
    blocks += works[i].session.blocks;
    for (size_t s = 0; s <= AESFAB_E_TAG; ++s) statuses[s] += works[i].session.statuses[s];
  }
  aesfab_close(&shared.device);
  if (works[0].session.trace != NULL && fclose(works[0].session.trace) != 0) return 2;
  printf("fuzz: %llu sessions, %llu calls, %llu blocks; statuses", (unsigned long long)sessions,
         (unsigned long long)calls, (unsigned long long)blocks);
  for (size_t s = 0; s <= AESFAB_E_TAG; ++s) printf(" %llu", (unsigned long long)statuses[s]);
  putchar('\n');
  return 0;
}
