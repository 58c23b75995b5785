// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Examples of the standards, with all key lengths.
#ifndef AESFAB_SOC_VECTORS_H
#define AESFAB_SOC_VECTORS_H

#include <stddef.h>
#include <stdint.h>

enum { VECTORS = 6, VECTOR_BYTES = 64 };  // how many, and bytes of the longest

struct vector {
  const char *source;
  size_t key_bytes;
  size_t bytes;
  const uint8_t *key;
  const uint8_t *plain;
  const uint8_t *cipher;
};

extern const struct vector kVectors[VECTORS];

#endif
