// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Examples of the standards, with all key lengths.
#ifndef AESFAB_SOC_VECTORS_H
#define AESFAB_SOC_VECTORS_H

#include <stddef.h>
#include <stdint.h>

enum { VECTORS = 6, VECTOR_BYTES = 64 };

struct vector {
  const char *source;
  size_t key_bytes;
  size_t bytes;
  uint8_t key[32];
  uint8_t plain[VECTOR_BYTES];
  uint8_t cipher[VECTOR_BYTES];
};

extern const struct vector kVectors[VECTORS];

#endif
