// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Monte Carlo chains (AESAVS, section 6.4.1): every block is the result of the one before, and
// every so many blocks the key changes with the last two results.

#include "bench.h"

namespace aesfab {
namespace {

struct ChainHead {
  uint32_t outer;
  uint32_t inner;  // at least 2
  uint32_t key_len;
  uint32_t decrypt;
  uint32_t patience;
  uint32_t detail;  // an outer step of which every block is recorded; UINT32_MAX: none
  uint8_t key[32];
  uint8_t block[16];
};

// After each outer step. Latencies in clocks.
struct OuterResult {
  uint8_t last[16];
  uint64_t clock;
  uint32_t min_latency;
  uint32_t max_latency;
};

// Of each block of the step that is wanted in detail.
struct InnerResult {
  uint8_t in[16];
  uint8_t out[16];
  uint64_t accepted;
  uint64_t left;
};

}  // namespace

void run_chain(const Options& options) {
  const auto head = read_struct<ChainHead>(stdin);
  Bench bench(options);
  bench.reset();
  Key key;
  Block block;
  from_bytes(key, head.key);
  from_bytes(block, head.block);
  const size_t key_words = 4 + 2 * static_cast<size_t>(head.key_len);
  for (uint32_t outer = 0; outer < head.outer; ++outer) {
    if (options.stored_keys) {
      bench.load_key(key, static_cast<uint8_t>(head.key_len), head.patience);
    } else {
      bench.in.in_key = key;
    }
    bench.in.in_decrypt = head.decrypt != 0;
    OuterResult result{};
    result.min_latency = UINT32_MAX;
    Block previous{};
    for (uint32_t inner = 0; inner < head.inner; ++inner) {
      const uint64_t limit = bench.clock() + head.patience;
      bench.in.in_valid = true;
      bench.in.in_block = block;
      for (bench.settle(); !bench.block_taken(); bench.settle()) {
        if (bench.clock() > limit) throw CoreError("in_ready_o never rose for a block");
        bench.edge();
      }
      const uint64_t accepted = bench.block_began();
      bench.edge();
      bench.in.in_valid = false;
      for (bench.settle(); !bench.has_result(); bench.settle()) {
        if (bench.clock() > limit) throw CoreError("out_valid_o never rose for a block");
        bench.edge();
      }
      const auto latency = static_cast<uint32_t>(bench.result_clock() - accepted);
      if (latency < result.min_latency) result.min_latency = latency;
      if (latency > result.max_latency) result.max_latency = latency;
      const Block found = bench.result();
      if (outer == head.detail) {
        InnerResult detail{};
        to_bytes(detail.in, block);
        to_bytes(detail.out, found);
        detail.accepted = accepted;
        detail.left = bench.result_clock();
        write_struct(stdout, detail);
      }
      previous = block;
      block = found;
      bench.edge();
    }
    to_bytes(result.last, block);
    result.clock = bench.clock() - 1;
    if (head.detail == UINT32_MAX) {
      write_struct(stdout, result);
      std::fprintf(stderr, "progress %u\n", outer + 1);
    }
    // The last words of the two last results, joined, as many as the key has, are added to it.
    // `previous` is the input of the last block and so the result of the one before it.
    for (size_t i = 0; i < key_words; ++i) {
      key[8 - key_words + i] ^= i < 4 ? block[i] : previous[i - 4];
    }
  }
  std::fprintf(stderr, "clocks %llu\n", static_cast<unsigned long long>(bench.clock()));
}

}  // namespace aesfab
