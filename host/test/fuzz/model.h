// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A device in C for tests of the library: registers, buffers, time and AES as docs/registers.md has
// them, with faults on demand; and one that lies in everything.
#ifndef AESFAB_MODEL_H
#define AESFAB_MODEL_H

#include "aesfab.h"

// Numbers of a seed (xorshift64*).
struct random {
  uint64_t state;
};

void random_seed(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
// One of 0 to below - 1.
uint32_t random_below(struct random *random, uint32_t below);
void random_bytes(struct random *random, uint8_t *data, size_t bytes);

// AES by the text of FIPS 197. reference_begin() comes first, before there are threads.
void reference_begin(void);
void reference_block(const uint8_t *key, size_t key_bytes, bool decrypt, const uint8_t in[16],
                     uint8_t out[16]);

enum model_fault {
  MODEL_WHOLE = 0,
  MODEL_BUS_ERROR,   // one access is answered with a status, a sensible one or not
  MODEL_RESET,       // the device is reset in an access
  MODEL_STOPS,       // no result comes and nothing ends, for ever
  MODEL_GONE,        // all registers read as ones, for ever
  MODEL_GARBAGE,     // one register reads as anything
  MODEL_DEAF,        // what is written is lost, for ever
  MODEL_NO_IRQ,      // the interrupt never comes; no error of itself
  MODEL_LATE_CLOCK,  // the clock stands still and no result comes
  MODEL_FAULTS
};

enum { MODEL_MOST_DEPTH = 512 };

struct model {
  // What it is; set before it is opened.
  uint32_t log2_depth;
  bool encrypts, decrypts, key_128, key_192, key_256, guarded;
  uint32_t clocks_per_block;  // a microsecond has 100
  struct random random;

  // A fault, in the access after that many.
  enum model_fault fault;
  uint64_t fault_in;

  uint64_t accesses;  // so far
  uint64_t most_accesses;  // abort() beyond: the library does not end
  uint32_t opened, closed;

  // Its state.
  bool fired, stopped, gone, deaf, no_irq, late_clock;
  uint64_t clocks, busy_until, erasing_until, last_time;
  uint8_t key_register[32], key[32];
  size_t key_bytes;
  bool keyed, decrypting;
  uint32_t errors, irq_enable, out_mark;
  uint8_t results[2 * MODEL_MOST_DEPTH][16];
  uint64_t ready[2 * MODEL_MOST_DEPTH];
  uint32_t first, count;  // of results
};

// The state after a reset; what it is stays.
void model_reset(struct model *model);

// The context of these is a struct model. The second one moves blocks by exchange().
extern const struct aesfab_transport kModel;
extern const struct aesfab_transport kModelExchange;

// All that it answers is drawn, with a likeness to a device so that calls come far: registers,
// blocks, statuses, waits, time. The same context, of which it uses random and accesses.
extern const struct aesfab_transport kHostile;
extern const struct aesfab_transport kHostileExchange;

#endif
