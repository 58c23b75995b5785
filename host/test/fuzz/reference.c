// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// AES as FIPS 197 writes it, a byte at a time: what results of a test are compared with. OpenSSL
// judges it in turn, by the trace of a session.

#include <string.h>

#include "model.h"

static uint8_t sbox[256];
static uint8_t inverse_sbox[256];

void random_seed(struct random *random, uint64_t seed) {
  random->state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
  for (int i = 0; i < 8; ++i) (void)random_next(random);
}

uint64_t random_next(struct random *random) {
  uint64_t x = random->state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  random->state = x;
  return x * UINT64_C(0x2545f4914f6cdd1d);
}

uint32_t random_below(struct random *random, uint32_t below) {
  return (uint32_t)((random_next(random) >> 32) * below >> 32);
}

void random_bytes(struct random *random, uint8_t *data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) data[i] = (uint8_t)(random_next(random) >> 56);
}

static uint8_t times(uint8_t a, uint8_t b) {
  uint8_t product = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) product ^= a;
    a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
  }
  return product;
}

void reference_begin(void) {
  for (unsigned x = 0; x < 256; ++x) {
    uint8_t inverse = 1;  // x to the power 254
    for (int i = 0; i < 254; ++i) inverse = times(inverse, (uint8_t)x);
    uint8_t value = 0x63;
    for (int i = 0; i < 5; ++i) value ^= (uint8_t)(inverse << i | inverse >> (8 - i));
    sbox[x] = value;
    inverse_sbox[value] = (uint8_t)x;
  }
}

void reference_block(const uint8_t *key, size_t key_bytes, bool decrypt, const uint8_t in[16],
                     uint8_t out[16]) {
  uint8_t words[60][4];
  const size_t key_words = key_bytes / 4;
  const size_t rounds = key_words + 6;
  memcpy(words, key, key_bytes);
  uint8_t constant = 1;
  for (size_t i = key_words; i < 4 * (rounds + 1); ++i) {
    uint8_t word[4];
    memcpy(word, words[i - 1], 4);
    if (i % key_words == 0) {
      const uint8_t moved = word[0];
      for (int n = 0; n < 3; ++n) word[n] = sbox[word[n + 1]];
      word[3] = sbox[moved];
      word[0] ^= constant;
      constant = times(constant, 2);
    } else if (key_words > 6 && i % key_words == 4) {
      for (int n = 0; n < 4; ++n) word[n] = sbox[word[n]];
    }
    for (int n = 0; n < 4; ++n) words[i][n] = words[i - key_words][n] ^ word[n];
  }
  static const uint8_t kMix[2][4] = {{2, 3, 1, 1}, {14, 11, 13, 9}};
  uint8_t state[16];
  memcpy(state, in, 16);
  for (size_t step = 0; step <= rounds; ++step) {
    const size_t round = decrypt ? rounds - step : step;
    uint8_t moved[16];
    if (step > 0) {
      // ShiftRows and SubBytes, or both back.
      for (size_t i = 0; i < 16; ++i) {
        const size_t row = i % 4;
        const size_t from = (i + 4 * (decrypt ? 4 - row : row)) % 16;
        moved[i] = decrypt ? inverse_sbox[state[from]] : sbox[state[from]];
      }
      memcpy(state, moved, 16);
    }
    for (int pass = 0; pass < 2; ++pass) {
      if ((pass == 0) == decrypt) {
        for (size_t i = 0; i < 16; ++i) state[i] ^= words[4 * round + i / 4][i % 4];
      } else if (step > 0 && step < rounds) {
        for (size_t i = 0; i < 16; ++i) {
          moved[i] = 0;
          for (size_t n = 0; n < 4; ++n) {
            moved[i] ^= times(state[i / 4 * 4 + n], kMix[decrypt][(n + 4 - i % 4) % 4]);
          }
        }
        memcpy(state, moved, 16);
      }
    }
  }
  memcpy(out, state, 16);
}
