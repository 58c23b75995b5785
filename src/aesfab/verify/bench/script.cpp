// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The script: keys and blocks driven by two independent drivers, everything that happens recorded.
// Nothing is judged here; the Python side compares the record with the oracle and the contract.
//
// A script is a list of segments. Each begins with a reset and ends when all its blocks are done
// or, to reset the core at work, some clocks after a given number of blocks or keys was accepted.

#include <cstring>
#include <vector>

#include "bench.h"

namespace aesfab {
namespace {

constexpr uint32_t kMagic = 0x41455331;  // "1SEA"

struct ScriptHead {
  uint32_t magic;
  uint32_t num_segments;
  uint32_t patience;  // clocks without any progress after which the core is taken to hang
  uint32_t drain;     // clocks after the last result in which nothing more may come
  uint32_t key_offered;  // 1: a key is taken when it is expanded, and the current one then
  uint32_t watch;  // 1: record what out_block_o shows while out_valid_o is low, when it changes
};

enum EndKind : uint32_t { kEndWhenDone = 0, kEndAfterBlocks = 1, kEndAfterKeys = 2 };

struct SegmentHead {
  uint32_t reset_clocks;  // 0: the segment begins with a clock of clear_i instead
  uint32_t end_kind;
  uint32_t end_count;
  uint32_t end_delay;  // clocks from that acceptance to the reset
  uint32_t num_keys;
  uint32_t num_blocks;
};

struct KeyItem {
  uint32_t idle;          // clocks after the last acceptance in which nothing is offered
  uint32_t after_blocks;  // then wait until so many blocks of the segment were accepted
  uint32_t len;
  uint32_t gaps;  // narrow ports: clocks between its pieces, see Sender
  uint8_t key[32];
};

struct BlockItem {
  uint32_t idle;
  uint32_t after_keys;  // wait until so many keys of the segment are or were current
  uint32_t decrypt;
  uint32_t gaps;  // as above
  uint8_t block[16];
  uint8_t key[32];  // on-the-fly keys
};

enum Kind : uint32_t {
  kReset = 0,        // index: segment
  kRelease = 1,      // first clock without reset
  kKeyReady = 2,     // index: new level
  kOut = 3,          // data: result; narrow ports: a piece of it, at the top
  kRequest = 4,      // index: block; in_valid_i rises
  kAccept = 5,       // index: block; narrow ports, for each piece: its number in the first byte
  kKeyRequest = 6,   // index: key
  kKeyAccept = 7,    // index: key; narrow ports: with its last piece
  kSegmentEnd = 8,   // index: segment
  kHang = 9,         // index: segment; no progress
  kFault = 11,       // fault_o is high
  kKeyRefused = 12,  // index: key; taken with key_error_o
  kShown = 10,       // data: the output without a result; index 1: the first one seen
};

struct Event {
  uint32_t kind;
  uint32_t index;
  uint64_t clock;
  uint8_t data[16];
};

struct Segment {
  SegmentHead head;
  std::vector<KeyItem> keys;
  std::vector<BlockItem> blocks;
};

// One of the two drivers: offers its items one after the other.
struct Driver {
  size_t next = 0;         // item that is offered or comes next
  uint32_t idle_left = 0;  // clocks until it may be offered
  bool offered = false;
};

class Player {
 public:
  explicit Player(const Options& options) : bench_(options), noise_(options.seed) {}

  void play() {
    const auto head = read_struct<ScriptHead>(stdin);
    if (head.magic != kMagic) throw UserError("not a script");
    patience_ = head.patience;
    drain_ = head.drain;
    key_offered_ = head.key_offered != 0;
    watch_ = head.watch != 0;
    bench_.in.rst_n = true;
    bench_.settle();
    for (uint32_t s = 0; s < head.num_segments; ++s) {
      Segment segment;
      segment.head = read_struct<SegmentHead>(stdin);
      for (uint32_t i = 0; i < segment.head.num_keys; ++i) {
        segment.keys.push_back(read_struct<KeyItem>(stdin));
      }
      for (uint32_t i = 0; i < segment.head.num_blocks; ++i) {
        segment.blocks.push_back(read_struct<BlockItem>(stdin));
      }
      if (!play_segment(s, segment)) break;
    }
    std::fprintf(stderr, "clocks %llu\n", static_cast<unsigned long long>(bench_.clock()));
  }

 private:
  void record(Kind kind, size_t index, const Block* data = nullptr) {
    Event event{};
    event.kind = kind;
    event.index = static_cast<uint32_t>(index);
    event.clock = bench_.clock();
    if (data != nullptr) to_bytes(event.data, *data);
    write_struct(stdout, event);
  }

  // Noise on every pin that carries nothing, so that a core which looks at the wrong time is seen.
  void make_noise() {
    noise_.fill(bench_.in.key);
    noise_.fill(bench_.in.in_block);
    noise_.fill(bench_.in.in_key);
    const uint32_t bits = noise_.next();
    bench_.in.key_len = bits & 3;
    bench_.in.in_decrypt = (bits >> 2 & 1) != 0;
    bench_.in.key_valid = false;
    bench_.in.in_valid = false;
  }

  // Samples and records what comes out, the same in reset and out of it.
  void sample(bool watch_key_ready) {
    bench_.settle();
    if (watch_key_ready && bench_.options().stored_keys && bench_.out.key_ready != key_ready_) {
      key_ready_ = bench_.out.key_ready;
      record(kKeyReady, key_ready_ ? 1 : 0);
      if (key_ready_ && key_pending_) {
        key_pending_ = false;
        ++keys_current_;
        progress();
      }
    }
    if (bench_.out.out_valid) {
      record(kOut, 0, &bench_.out.out_block);
      if (bench_.has_result() && results_ < accepted_) {
        ++results_;
        progress();
      }
    } else if (watch_ && (!seen_ || bench_.out.out_block != shown_)) {
      record(kShown, seen_ ? 0 : 1, &bench_.out.out_block);
    }
    shown_ = bench_.out.out_block;
    seen_ = true;
    if (bench_.out.fault) record(kFault, 0);
  }

  void progress() { last_progress_ = bench_.clock(); }

  // The core has begun to expand another key, after which the segment may be to end.
  void count_key(const Segment& segment, size_t& begun, uint64_t& end_clock) {
    if (++begun == segment.head.end_count && segment.head.end_kind == kEndAfterKeys) {
      end_clock = bench_.clock() + segment.head.end_delay;
    }
  }

  void reset(uint32_t index, uint32_t clocks) {
    if (clocks == 0) {
      make_noise();
      // What is taken now must be lost, and what is due now must come.
      bench_.in.key_valid = true;
      bench_.in.in_valid = true;
      bench_.in.clear = true;
      sample(false);
      bench_.edge();
      bench_.forget();
      bench_.in.clear = false;
    }
    record(kReset, index);
    for (uint32_t i = 0; i < clocks; ++i) {
      make_noise();
      // Offers in reset must be lost.
      bench_.in.key_valid = true;
      bench_.in.in_valid = true;
      bench_.in.rst_n = false;
      sample(false);
      bench_.edge();
    }
    bench_.in.rst_n = true;
    record(kRelease, index);
  }

  bool play_segment(uint32_t index, const Segment& segment) {
    reset(index, segment.head.reset_clocks);
    Driver key, block;
    if (!segment.keys.empty()) key.idle_left = segment.keys[0].idle;
    if (!segment.blocks.empty()) block.idle_left = segment.blocks[0].idle;
    accepted_ = results_ = keys_current_ = 0;
    size_t keys_begun = 0;
    key_ready_ = key_pending_ = false;
    progress();
    uint64_t end_clock = UINT64_MAX;
    for (;;) {
      make_noise();
      if (!block.offered && block.next < segment.blocks.size()) {
        if (block.idle_left > 0) {
          --block.idle_left;
          progress();
        } else if (keys_current_ >= segment.blocks[block.next].after_keys) {
          block.offered = true;
          record(kRequest, block.next);
        }
      }
      if (block.offered) {
        const BlockItem& item = segment.blocks[block.next];
        bench_.in.in_valid = true;
        bench_.in.in_decrypt = item.decrypt != 0;
        bench_.in_gaps = item.gaps;
        from_bytes(bench_.in.in_block, item.block);
        from_bytes(bench_.in.in_key, item.key);
      }
      if (!key.offered && key.next < segment.keys.size()) {
        if (key.idle_left > 0) {
          --key.idle_left;
          progress();
        } else if (accepted_ >= segment.keys[key.next].after_blocks) {
          key.offered = true;
          record(kKeyRequest, key.next);
          if (key_offered_) count_key(segment, keys_begun, end_clock);
        }
      }
      if (key.offered) {
        const KeyItem& item = segment.keys[key.next];
        bench_.in.key_valid = true;
        bench_.in.key_len = static_cast<uint8_t>(item.len);
        bench_.key_gaps = item.gaps;
        from_bytes(bench_.in.key, item.key);
      }

      sample(true);

      if (block.offered && bench_.in_taken()) {
        const Block piece{0, 0, 0, bench_.in_piece() << 24};
        record(kAccept, block.next, &piece);
        progress();
      }
      if (block.offered && bench_.block_taken()) {
        block.offered = false;
        ++accepted_;
        if (++block.next < segment.blocks.size()) {
          block.idle_left = segment.blocks[block.next].idle;
        }
        if (segment.head.end_kind == kEndAfterBlocks && accepted_ == segment.head.end_count) {
          end_clock = bench_.clock() + segment.head.end_delay;
        }
      }
      if (bench_.key_refused() && !(key.offered && bench_.key_taken())) {
        record(kKeyRefused, segment.keys.size());
      }
      if (key.offered && bench_.key_taken()) {
        const bool refused = bench_.key_refused();
        record(refused ? kKeyRefused : kKeyAccept, key.next);
        key.offered = false;
        if (refused) {
          // The key before stays the current one.
        } else if (key_offered_) {
          ++keys_current_;
        } else {
          key_pending_ = true;
          count_key(segment, keys_begun, end_clock);
        }
        if (++key.next < segment.keys.size()) key.idle_left = segment.keys[key.next].idle;
        progress();
      }
      const bool done = block.next == segment.blocks.size() && results_ == accepted_;
      if (!done) last_work_ = bench_.clock();
      if (done && segment.head.end_kind == kEndWhenDone && bench_.clock() >= last_work_ + drain_) {
        end_clock = bench_.clock();
      }
      const bool ended = bench_.clock() >= end_clock;
      if (!ended && bench_.clock() > last_progress_ + patience_) {
        record(kHang, index);
        return false;
      }
      bench_.edge();
      if (ended) break;
    }
    record(kSegmentEnd, index);
    return true;
  }

  Bench bench_;
  Noise noise_;
  uint32_t patience_ = 0;
  uint32_t drain_ = 0;
  uint64_t last_progress_ = 0;
  uint64_t last_work_ = 0;  // clock in which a block was still wanted or under way
  size_t accepted_ = 0;      // blocks
  size_t results_ = 0;       // results, as far as blocks for them were accepted
  size_t keys_current_ = 0;  // keys that are or were the current one
  bool key_ready_ = false;
  bool key_pending_ = false;
  bool key_offered_ = false;
  bool watch_ = false;
  bool seen_ = false;  // shown_ holds what stood on the output in the clock before
  Block shown_{};
};

}  // namespace

void run_script(const Options& options) { Player(options).play(); }

}  // namespace aesfab
