// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What calls of libaesfab leave in memory: no word of the key and of the key stream is in the handle,
// in a counter state that does not need it, or in the stack below the caller. For glibc, without
// sanitizers, which move the stack.
//
//   secrets
//
// The transport is one that leaves what it is given in its own stack, as real ones may.

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aesfab.h"
#include "aesfab_registers.h"
#include "model.h"

enum { kStack = 16384, kStream = 4096, kWord = 4 };

// Not on the stack, so that only what the library put there is.
static uint8_t key[32];
static uint8_t stream[kStream];  // what the device answers, again and again
static uint8_t in[20000];
static uint8_t out[sizeof in];
static uint32_t blocks;
static bool keyed;
static uint64_t now;
static int writes_left = -1;  // until one fails; -1: none does

static int read32(void *context, uint32_t offset, uint32_t *value) {
  (void)context;
  *value = offset == AESFAB_ID          ? AESFAB_ID_MAGIC_RESET
           : offset == AESFAB_INFO      ? AESFAB_INFO_VERSION_RESET |
                                         9u << AESFAB_INFO_LOG2_DEPTH_SHIFT | AESFAB_INFO_ENCRYPTS |
                                         AESFAB_INFO_KEY_128 | AESFAB_INFO_KEY_192 |
                                         AESFAB_INFO_KEY_256
           : offset == AESFAB_STATUS    ? (keyed ? AESFAB_STATUS_KEYED : 0)
           : offset == AESFAB_OUT_LEVEL ? blocks
                                        : 0;
  return AESFAB_OK;
}

static int write32(void *context, uint32_t offset, uint32_t value) {
  (void)context;
  volatile uint32_t left[8];
  for (size_t i = 0; i < 8; ++i) left[i] = value;
  if (offset == AESFAB_CONTROL) keyed = (value & AESFAB_CONTROL_SET) != 0;
  if (writes_left >= 0 && writes_left-- == 0) return AESFAB_E_BUS;
  return left[7] == value ? AESFAB_OK : AESFAB_E_BUS;
}

static int push(void *context, const uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  (void)context;
  (void)data;
  (void)copy;
  blocks += (uint32_t)(bytes / 16);
  return AESFAB_OK;
}

static int pull(void *context, uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  (void)context;
  (void)copy;
  volatile uint8_t left[16] = {0};
  for (size_t i = 0; i < bytes; ++i) left[i % 16] = data[i] = stream[i % kStream];
  blocks -= (uint32_t)(bytes / 16);
  (void)left[0];
  return AESFAB_OK;
}

static uint64_t clock_us(void *context) {
  (void)context;
  return ++now;
}

// Whether a word of the secret, in either order of its bytes, is in memory. Bytes are compared one by
// one: a word would be in the stack of this.
__attribute__((always_inline)) static inline bool holds(const volatile uint8_t *memory, size_t bytes,
                                                        const uint8_t *secret,
                                                        size_t secret_bytes) {
  for (size_t at = 0; at + kWord <= bytes; ++at) {
    for (size_t word = 0; word < secret_bytes; word += kWord) {
      size_t same = 0, turned = 0;
      while (same < kWord && memory[at + same] == secret[word + same]) ++same;
      while (turned < kWord && memory[at + turned] == secret[word + kWord - 1 - turned]) ++turned;
      if (same == kWord || turned == kWord) return true;
    }
  }
  return false;
}

#define REQUIRE(condition)                                                \
  do {                                                                    \
    if (!(condition)) {                                                   \
      fprintf(stderr, "secrets: line %d: %s\n", __LINE__, #condition);    \
      return 1;                                                           \
    }                                                                     \
  } while (0)

// All of the stack below this function is of what it called; nothing is called between.
#define BELOW ((const volatile uint8_t *)__builtin_frame_address(0) - kStack)
#define CLEAN(secret, bytes) REQUIRE(!holds(BELOW, kStack, secret, bytes))

__attribute__((noinline)) static void paint(void) {
  volatile uint8_t below[kStack + 1024];
  for (size_t i = 0; i < sizeof below; ++i) below[i] = 0x5a;
}

// The search finds what there is to be found.
__attribute__((noinline)) static void leave(const uint8_t *secret) {
  volatile uint8_t below[4000];
  for (size_t i = 0; i < sizeof below; ++i) below[i] = 0;
  for (size_t i = 0; i < kWord; ++i) below[1001 + i] = secret[8 + i];
}

int main(void) {
  static const struct aesfab_transport kTransport = {
      .read32 = read32, .write32 = write32, .push = push, .pull = pull, .clock_us = clock_us};
  static struct random random;
  static struct aesfab *device;
  random_seed(&random, 5);
  random_bytes(&random, key, sizeof key);
  random_bytes(&random, stream, sizeof stream);
  random_bytes(&random, in, sizeof in);
  paint();
  leave(key);
  REQUIRE(holds(BELOW, kStack, key, sizeof key));
  paint();
  CLEAN(key, sizeof key);
  REQUIRE(aesfab_open_transport(&device, &kTransport, NULL, NULL, NULL, 0) == AESFAB_OK);
  const size_t size = malloc_usable_size(device);
  for (size_t bytes = 16; bytes <= 32; bytes += 8) {
    paint();
    int status = aesfab_set_key(device, key, bytes);
    CLEAN(key, sizeof key);
    REQUIRE(status == AESFAB_OK);
    REQUIRE(!holds((const uint8_t *)device, size, key, sizeof key));
    static const size_t kPieces[] = {5, 20, 17, 1, 16, 48, 9000, 4096, 20000};
    static struct aesfab_counter counter;
    aesfab_ctr_begin(&counter, in);
    for (size_t i = 0; i < sizeof kPieces / sizeof *kPieces; ++i) {
      paint();
      status = aesfab_ctr(device, &counter, in, out, kPieces[i]);
      CLEAN(stream, sizeof stream);
      REQUIRE(status == AESFAB_OK);
      REQUIRE(!holds((const uint8_t *)device, size, stream, sizeof stream));
      for (size_t n = 0; n < 16 - counter.left; ++n) REQUIRE(counter.rest[n] == 0);
    }
    aesfab_ctr_end(&counter);
    REQUIRE(!holds((const uint8_t *)&counter, sizeof counter, stream, sizeof stream));
    for (size_t n = 0; n < sizeof counter; ++n) REQUIRE(((const uint8_t *)&counter)[n] == 0);
  }
  // Also where it ends in the middle.
  writes_left = 5;
  paint();
  const int status = aesfab_set_key(device, key, 32);
  CLEAN(key, sizeof key);
  REQUIRE(status == AESFAB_E_BUS);
  aesfab_close(&device);
  puts("secrets: nothing is left");
  return 0;
}
