// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A session with libaesfab, for sanitizers and valgrind, and an example of its use:
//
//   session LIBRARY FILE [spoil]
//
// LIBRARY is a simulation that takes every key and both directions, or the address of a board that
// does, as 'uart:/dev/ttyUSB1'. FILE is no device. With a third argument one result is spoilt, which
// must be found.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aesfab.h"

#define EXPECT(condition)                                                    \
  do {                                                                       \
    if (!(condition)) {                                                      \
      fprintf(stderr, "session: line %d: %s\n", __LINE__, #condition);       \
      return 1;                                                              \
    }                                                                        \
  } while (0)

// FIPS 197, appendix C: one plaintext under three keys.
static const uint8_t kPlain[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                   0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
static const uint8_t kCipher[3][16] = {
    {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a},
    {0xdd, 0xa9, 0x7c, 0xa4, 0x86, 0x4c, 0xdf, 0xe0, 0x6e, 0xaf, 0x70, 0xa0, 0xec, 0x0d, 0x71, 0x91},
    {0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89},
};

static int session(const char *address, const struct aesfab_options *options, size_t most,
                   bool spoil) {
  struct aesfab *device;
  char message[64];
  int status = aesfab_open(&device, address, options, message, sizeof message);
  if (status != AESFAB_OK) {
    fprintf(stderr, "session: %s\n", message);
    return 1;
  }
  EXPECT(aesfab_encrypt(device, kPlain, message, 16) == AESFAB_E_NO_KEY);
  for (size_t k = 0; k < 3; ++k) {
    uint8_t key[32];
    for (size_t i = 0; i < sizeof key; ++i) key[i] = (uint8_t)i;
    EXPECT(aesfab_set_key(device, key, 16 + 8 * k) == AESFAB_OK);
    uint8_t block[16];
    EXPECT(aesfab_encrypt(device, kPlain, block, 16) == AESFAB_OK);
    if (spoil) block[0] ^= 1;
    EXPECT(memcmp(block, kCipher[k], 16) == 0);
    EXPECT(aesfab_decrypt(device, block, block, 16) == AESFAB_OK);
    EXPECT(memcmp(block, kPlain, 16) == 0);
  }
  for (size_t blocks = 1; blocks <= most; blocks = 3 * blocks + 1) {
    // Exactly as large as it must be, so that a byte too far is seen.
    uint8_t *data = malloc(16 * blocks);
    uint8_t *copy = malloc(16 * blocks);
    EXPECT(data != NULL && copy != NULL);
    for (size_t i = 0; i < 16 * blocks; ++i) data[i] = (uint8_t)(i * 7 + (i >> 8));
    memcpy(copy, data, 16 * blocks);
    EXPECT(aesfab_encrypt(device, data, data, 16 * blocks) == AESFAB_OK);
    EXPECT(memcmp(data, copy, 16 * blocks) != 0);
    EXPECT(aesfab_decrypt(device, data, data, 16 * blocks) == AESFAB_OK);
    EXPECT(memcmp(data, copy, 16 * blocks) == 0);
    uint8_t first[16];
    memset(first, 0xff, sizeof first);
    struct aesfab_counter counter;
    aesfab_ctr_begin(&counter, first);
    EXPECT(aesfab_ctr(device, &counter, data, data, 16 * blocks - 5) == AESFAB_OK);
    aesfab_ctr_end(&counter);
    // Back again in two pieces.
    aesfab_ctr_begin(&counter, first);
    EXPECT(aesfab_ctr(device, &counter, data, data, 9) == AESFAB_OK);
    EXPECT(aesfab_ctr(device, &counter, data + 9, data + 9, 16 * blocks - 14) == AESFAB_OK);
    aesfab_ctr_end(&counter);
    EXPECT(aesfab_ctr(device, &counter, data, data, 1) == AESFAB_E_ARGUMENT);
    EXPECT(memcmp(data, copy, 16 * blocks) == 0);
    EXPECT(aesfab_encrypt(device, data, data + 1, 16) == AESFAB_E_ARGUMENT);
    free(copy);
    free(data);
  }
  EXPECT(aesfab_erase(device) == AESFAB_OK);
  EXPECT(aesfab_encrypt(device, kPlain, message, 16) == AESFAB_E_NO_KEY);
  EXPECT(strcmp(aesfab_message(device), aesfab_status_text(AESFAB_E_NO_KEY)) == 0);
  aesfab_close(&device);
  EXPECT(device == NULL);
  aesfab_close(&device);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const bool line = strncmp(argv[1], "uart:", 5) == 0;
  // The line has no transfer variants, and takes its time where it is simulated.
  const size_t most = line ? 4 : 1100;
  const int variants = line ? AESFAB_COPY_64 : AESFAB_COPY_COUNT;
  char address[4096];
  snprintf(address, sizeof address, "%s%s", line ? "" : "sim:", argv[1]);
  for (int copy = 0; copy < variants; ++copy) {
    if (!aesfab_copy_supported((enum aesfab_copy)copy)) continue;
    const struct aesfab_options options = {
        .copy = (enum aesfab_copy)copy,
        .interrupts = copy % 2 == 0,
        .batch = copy % 3 == 0,
        .timeout_us = line ? 30u * AESFAB_TIMEOUT_US : 0};
    if (session(address, &options, most, argc > 3) != 0) return 1;
  }
  if (!line && session(address, NULL, most, false) != 0) return 1;
  struct aesfab *device;
  char message[16];
  snprintf(address, sizeof address, "devmem:%s@0x0", argv[2]);
  EXPECT(aesfab_open(&device, address, NULL, message, sizeof message) == AESFAB_E_NO_DEVICE);
  EXPECT(device == NULL && strlen(message) == sizeof message - 1);
  EXPECT(aesfab_open(&device, "sim:/no", NULL, NULL, 0) == AESFAB_E_SYSTEM);
  EXPECT(aesfab_open(NULL, address, NULL, NULL, 0) == AESFAB_E_ARGUMENT);
  EXPECT(aesfab_encrypt(NULL, message, message, 16) == AESFAB_E_ARGUMENT);
  EXPECT(strcmp(aesfab_status_text(-1), "unknown status") == 0);
  aesfab_close(NULL);
  puts("session: all as it should be");
  return 0;
}
