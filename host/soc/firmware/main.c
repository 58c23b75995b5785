// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The C library on a processor of its own: examples of the standards, then messages of growing
// length with the clocks that they take, by processor copy and by the DMA engine.
//
// The key and the message stand in memory before the program begins, and what it made of them
// stands there after its end, so whoever loads it can judge it. A line a check and a measurement:
//
//   check PATH SOURCE KEY-BITS DIRECTION ok|WRONG
//   cost PATH open|key CLOCKS
//   cost copy sleeps NUMBER                                           (with interrupts)
//   measure PATH DIRECTION BLOCKS CLOCKS INSTRUCTIONS BUS-CLOCKS
//
// The exit status is the number of things that were wrong.

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "aesfab.h"
#include "soc.h"
#include "vectors.h"

enum { MESSAGE_BYTES = 16384, PATHS = 2 };

// What is not cleared before main().
#define KEPT __attribute__((section(".preserve"), aligned(4), used))

KEPT struct {
  uint32_t bytes;
  uint8_t key[32];
} given_key;
KEPT uint32_t given_interrupts;  // not 0: sleep, do not poll; by copy
KEPT uint8_t given_message[MESSAGE_BYTES];
KEPT uint8_t made_cipher[PATHS][MESSAGE_BYTES];  // of a core that encrypts
KEPT uint8_t made_plain[PATHS][MESSAGE_BYTES];   // of one that decrypts: of made_cipher if there is one

struct path {
  const char *name;
  int (*open)(struct aesfab **device, char *message, size_t size);
};

// aesfab_encrypt or aesfab_decrypt.
typedef int (*crypt_call)(struct aesfab *device, const void *in, void *out, size_t bytes);

static int open_copy(struct aesfab **device, char *message, size_t size) {
  return soc_open_copy(device, given_interrupts != 0, message, size);
}

static const struct path kPaths[PATHS] = {{"copy", open_copy}, {"dma", soc_open_dma}};

static int wrongs;

static bool done(const struct path *path, struct aesfab *device, int status) {
  if (status == AESFAB_OK) return true;
  ++wrongs;
  soc_say("error %s %s", path->name, aesfab_message(device));
  return false;
}

static void check(const struct path *path, const struct vector *vector, const char *direction,
                  bool equal) {
  soc_say("check %s %s %u %s %s", path->name, vector->source, (unsigned)(8 * vector->key_bytes),
          direction, equal ? "ok" : "WRONG");
  if (!equal) ++wrongs;
}

// One direction of an example: in place at an address that no word has, and from one buffer to
// another.
static void check_way(const struct path *path, struct aesfab *device, const struct vector *vector,
                      bool decrypt) {
  static uint8_t buffer[VECTOR_BYTES + 1];
  uint8_t *const odd = buffer + 1;
  static uint32_t words[VECTOR_BYTES / 4];
  const crypt_call crypt = decrypt ? aesfab_decrypt : aesfab_encrypt;
  const uint8_t *const given = decrypt ? vector->cipher : vector->plain;
  const uint8_t *const wanted = decrypt ? vector->plain : vector->cipher;
  memcpy(odd, given, vector->bytes);
  memset(words, 0, sizeof words);
  if (!done(path, device, crypt(device, odd, odd, vector->bytes)) ||
      !done(path, device, crypt(device, given, words, vector->bytes))) {
    return;
  }
  check(path, vector, decrypt ? "decrypt" : "encrypt",
        memcmp(odd, wanted, vector->bytes) == 0 && memcmp(words, wanted, vector->bytes) == 0);
}

static void check_vectors(const struct path *path, struct aesfab *device) {
  struct aesfab_info info;
  if (!done(path, device, aesfab_get_info(device, &info))) return;
  for (size_t i = 0; i < VECTORS; ++i) {
    const struct vector *vector = &kVectors[i];
    const size_t bytes = vector->key_bytes;
    if (!(bytes == 16 ? info.key_128 : bytes == 24 ? info.key_192 : info.key_256)) continue;
    if (!done(path, device, aesfab_set_key(device, vector->key, bytes))) continue;
    if (info.encrypts) check_way(path, device, vector, false);
    if (info.decrypts) check_way(path, device, vector, true);
  }
}

// Messages from a block to the whole buffer. The direction is set by a message of one block before:
// what is measured is a call of the library and nothing else.
static bool measure(const struct path *path, struct aesfab *device, bool decrypt, const uint8_t *in,
                    uint8_t *out) {
  const crypt_call crypt = decrypt ? aesfab_decrypt : aesfab_encrypt;
  if (!done(path, device, crypt(device, in, out, AESFAB_BLOCK_BYTES))) return false;
  for (size_t bytes = AESFAB_BLOCK_BYTES; bytes <= MESSAGE_BYTES; bytes *= 4) {
    const struct soc_counters before = soc_count();
    const int status = crypt(device, in, out, bytes);
    const struct soc_counters after = soc_count();
    if (!done(path, device, status)) return false;
    soc_say("measure %s %s %u %u %u %u", path->name, decrypt ? "decrypt" : "encrypt",
            (unsigned)(bytes / AESFAB_BLOCK_BYTES), (unsigned)(after.clocks - before.clocks),
            (unsigned)(after.instructions - before.instructions),
            (unsigned)(after.bus_clocks - before.bus_clocks));
  }
  return true;
}

static void measure_path(const struct path *path, struct aesfab *device, size_t number) {
  struct aesfab_info info;
  if (!done(path, device, aesfab_get_info(device, &info))) return;
  const struct soc_counters before = soc_count();
  const int status = aesfab_set_key(device, given_key.key, given_key.bytes);
  const struct soc_counters after = soc_count();
  if (!done(path, device, status)) return;
  soc_say("cost %s key %u", path->name, (unsigned)(after.clocks - before.clocks));
  uint8_t *const cipher = made_cipher[number];
  uint8_t *const plain = made_plain[number];
  const uint8_t *source = given_message;
  if (info.encrypts) {
    if (!measure(path, device, false, given_message, cipher)) return;
    source = cipher;
  }
  if (info.decrypts) {
    if (!measure(path, device, true, source, plain)) return;
    if (info.encrypts) {
      const bool equal = memcmp(plain, given_message, MESSAGE_BYTES) == 0;
      soc_say("check %s message %u both %s", path->name, (unsigned)(8 * given_key.bytes),
              equal ? "ok" : "WRONG");
      if (!equal) ++wrongs;
    }
  }
}

int main(void) {
  for (size_t i = 0; i < PATHS; ++i) {
    const struct path *path = &kPaths[i];
    struct aesfab *device;
    char message[100];
    const struct soc_counters before = soc_count();
    const int status = path->open(&device, message, sizeof message);
    const struct soc_counters after = soc_count();
    if (status != AESFAB_OK) {
      soc_say("error %s %s", path->name, message);
      ++wrongs;
      continue;
    }
    soc_say("cost %s open %u", path->name, (unsigned)(after.clocks - before.clocks));
    check_vectors(path, device);
    measure_path(path, device, i);
    if (i == 0 && given_interrupts != 0) soc_say("cost copy sleeps %u", (unsigned)soc_sleeps());
    aesfab_close(&device);
  }
  soc_exit(wrongs);
}
