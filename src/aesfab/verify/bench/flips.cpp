// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Flips: one bit of control is inverted in one clock of a block, for every bit and every clock. The
// model has an input more than its core, flip_i: the number of the bit that is inverted in this clock,
// counted from 1 (flips.py). Nothing is judged here.

#include <cstring>

#include "bench.h"

namespace aesfab {
namespace {

struct FlipsHead {
  uint32_t first;     // bits, from the first to the last
  uint32_t last;
  uint32_t span;      // clocks from the acceptance of the block on in which one of them is inverted
  uint32_t traffic;   // clocks from that acceptance in which a block is offered all the time
  uint32_t settle;    // clocks from that acceptance to the offer of the next block
  uint32_t patience;  // clocks that an offer waits
  uint32_t latency;   // that are waited for the second result
  uint32_t key_len;
  uint32_t decrypt;
  uint8_t key[32];
  uint8_t blocks[3][16];
};

constexpr uint32_t kNever = UINT32_MAX;

// What came of an offer.
struct Answer {
  uint32_t waited;   // clocks to the acceptance; kNever
  uint32_t latency;  // from there to the first result; kNever
  uint32_t fault;    // it came with fault_o
  uint32_t more;     // results behind it, or before the acceptance
  uint8_t block[16];
  uint8_t last[16];  // the last one of the results behind it
};

// The block that meets the flip, the next one, and one under a key loaded anew; with 8-bit ports the
// third one after the flip.
struct FlipResult {
  Answer answers[3];
};

class Flipper {
 public:
  Flipper(const Options& options, const FlipsHead& head) : bench_(options), head_(head) {
    from_bytes(key_, head.key);
  }

  // A run from a reset on: the flip comes so many clocks after the acceptance of the block.
  void run(uint32_t bit, uint32_t after) {
    FlipResult result{};
    bench_.reset();
    if (bench_.options().stored_keys) {
      bench_.load_key(key_, static_cast<uint8_t>(head_.key_len), head_.patience);
    }
    bench_.in.in_key = key_;
    bench_.in.in_decrypt = head_.decrypt != 0;
    const uint64_t start = bench_.clock();
    if (bit == 0) {
      result.answers[0] = offer(0, head_.settle, head_.traffic);
      waited_ = result.answers[0].waited;
      if (waited_ == kNever) throw CoreError("a block is not accepted");
    } else {
      bit_ = bit;
      flip_at_ = start + waited_ + after;
      result.answers[0] = offer(0, head_.settle, head_.traffic);
    }
    result.answers[1] = offer(1, head_.latency);
    if (bench_.options().stored_keys) {
      try {
        bench_.load_key(key_, static_cast<uint8_t>(head_.key_len), head_.patience);
        result.answers[2] = offer(2, head_.latency);
      } catch (const CoreError&) {
        result.answers[2].waited = result.answers[2].latency = kNever;
      }
    } else {
      // A byte that is lost with 8-bit ports costs two blocks: the flip may have come behind the first.
      if (bench_.options().piece == 1) offer(1, head_.latency);
      result.answers[2] = offer(2, head_.latency);
    }
    write_struct(stdout, result);
  }

  uint64_t clock() const { return bench_.clock(); }

 private:
  // Offers a block until it is taken, then goes on for some clocks, in the first of which it is offered
  // again and again.
  Answer offer(size_t number, uint32_t clocks, uint32_t traffic = 0) {
    Answer answer{};
    answer.waited = answer.latency = kNever;
    const uint64_t start = bench_.clock();
    uint64_t end = start + head_.patience;
    uint64_t accepted = UINT64_MAX;
    from_bytes(bench_.in.in_block, head_.blocks[number]);
    bench_.in.in_valid = true;
    for (; bench_.clock() < end; bench_.edge()) {
      if (accepted != UINT64_MAX && bench_.clock() > accepted + traffic) bench_.in.in_valid = false;
      bench_.in.flip = bench_.clock() == flip_at_ ? bit_ : 0;
      bench_.settle();
      if (bench_.has_result() && (accepted == UINT64_MAX || answer.latency != kNever)) {
        ++answer.more;
        to_bytes(answer.last, bench_.result());
      } else if (bench_.has_result()) {
        answer.latency = static_cast<uint32_t>(bench_.result_clock() - accepted);
        answer.fault = bench_.out.fault ? 1 : 0;
        to_bytes(answer.block, bench_.result());
      }
      if (accepted == UINT64_MAX && bench_.in.in_valid && bench_.block_taken()) {
        accepted = bench_.block_began();
        answer.waited = static_cast<uint32_t>(bench_.clock() - start);
        end = bench_.clock() + clocks + 1;
      }
    }
    bench_.in.in_valid = false;
    return answer;
  }

  Bench bench_;
  FlipsHead head_;
  Key key_;
  uint32_t bit_ = 0;
  uint32_t waited_ = 0;
  uint64_t flip_at_ = 0;
};

}  // namespace

void run_flips(const Options& options) {
  const auto head = read_struct<FlipsHead>(stdin);
  Flipper flipper(options, head);
  flipper.run(0, 0);
  for (uint32_t bit = head.first; bit <= head.last; ++bit) {
    for (uint32_t after = 0; after < head.span; ++after) flipper.run(bit, after);
  }
  std::fprintf(stderr, "clocks %llu\n", static_cast<unsigned long long>(flipper.clock()));
}

}  // namespace aesfab
