// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The packet calls of the C library on a processor of its own: jobs that stand in memory before the
// program begins, one after the other, each with what it cost.
//
// Whoever loads the program writes the jobs and their buffers, and judges what stands there after its
// end. A line of text for what opening cost, and for an error of it:
//
//   cost open CLOCKS
//   error MESSAGE
//
// The exit status is 1 when the engine was not opened. Errors of jobs are in the jobs.

#include <stdbool.h>
#include <stdint.h>

#include "aesfab_engine.h"
#include "packet_dma.h"
#include "soc.h"

enum { JOBS = 400, POOL_BYTES = 98304 };

// What is not cleared before main().
#define KEPT __attribute__((section(".preserve"), aligned(4), used))

// What a job does, and what it did. Places are bytes of the pool.
struct job {
  uint32_t what;  // enum aesfab_mode, or one of those below
  uint32_t decrypt;
  uint32_t slot;
  uint32_t iv;  // or the key
  uint32_t iv_bytes;
  uint32_t aad;
  uint32_t aad_bytes;
  uint32_t in;
  uint32_t out;
  uint32_t bytes;
  uint32_t tag;
  uint32_t tag_bytes;
  uint32_t status;        // made: enum aesfab_status
  uint32_t clocks;        // made: from the call to its return
  uint32_t instructions;  // made: in this time
};

enum { kSetKey = 100, kClearKey = 101, kClearKeys = 102 };

KEPT uint32_t given_jobs;        // how many
KEPT uint32_t given_timeout_us;  // of the engine; 0: as the library has it
KEPT struct job jobs[JOBS];
KEPT uint8_t pool[POOL_BYTES];

static int call(struct aesfab_engine *engine, const struct job *job) {
  switch (job->what) {
    case kSetKey:
      return aesfab_engine_set_key(engine, job->slot, pool + job->iv, job->iv_bytes);
    case kClearKey: return aesfab_engine_clear_key(engine, job->slot);
    case kClearKeys: return aesfab_engine_clear_keys(engine);
    case AESFAB_CTR:
      return aesfab_engine_ctr(engine, job->slot, pool + job->iv, pool + job->in, pool + job->out,
                               job->bytes);
    default: {
      const struct aesfab_aead packet = {
          .mode = (enum aesfab_mode)job->what,
          .slot = job->slot,
          .iv = pool + job->iv,
          .iv_bytes = job->iv_bytes,
          .aad = pool + job->aad,
          .aad_bytes = job->aad_bytes,
          .in = pool + job->in,
          .out = pool + job->out,
          .bytes = job->bytes,
          .tag_bytes = job->tag_bytes,
      };
      return job->decrypt != 0 ? aesfab_aead_decrypt(engine, &packet, pool + job->tag)
                               : aesfab_aead_encrypt(engine, &packet, pool + job->tag);
    }
  }
}

int main(void) {
  struct aesfab_engine *engine;
  char message[100];
  const struct soc_counters before = soc_count();
  const int status = packet_dma_open(&engine, given_timeout_us, message, sizeof message);
  const struct soc_counters after = soc_count();
  if (status != AESFAB_OK) {
    soc_say("error %s", message);
    soc_exit(1);
  }
  soc_say("cost open %u", (unsigned)(after.clocks - before.clocks));
  for (uint32_t i = 0; i < given_jobs && i < JOBS; ++i) {
    struct job *const job = &jobs[i];
    const struct soc_counters begin = soc_count();
    const int done = call(engine, job);
    const struct soc_counters end = soc_count();
    job->status = (uint32_t)done;
    job->clocks = end.clocks - begin.clocks;
    job->instructions = end.instructions - begin.instructions;
  }
  aesfab_engine_close(&engine);
  soc_exit(0);
}
