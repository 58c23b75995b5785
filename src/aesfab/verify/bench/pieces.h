// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Narrow ports: the jobs of the bench think in whole blocks and keys; this turns them into pieces, words
// or bytes, on the pins and back, to the clock. A narrow port is connected to the top of the wide port
// that it stands for (see the generated file), so the pins are those of Inputs and Outputs.
#pragma once

#include "dut.h"

namespace aesfab {

// The sending side of one port: the pieces of an item, with clocks between them in which none is
// offered. Byte 0 is in the first one.
template <typename Words>
class Sender {
 public:
  explicit Sender(uint32_t bytes) : bytes_(bytes) {}

  // Puts the piece that is due on `pins`, or noise, and says whether one is offered.
  bool drive(bool valid, const Words& item, Words& pins) const {
    const bool offered = valid && idle_left_ == 0;
    const uint32_t at = next_ * bytes_;
    const uint32_t word = item[item.size() - 1 - at / 4] << 8 * (at % 4);
    pins.fill(~word);
    pins.back() = offered ? word : ~word;
    return offered;
  }

  // Number of the piece that is due.
  uint32_t next() const { return next_; }

  // The rising edge. `gaps` holds four bits for each word, or two for each byte, but for the first one,
  // from the lowest ones up: clocks without an offer before it.
  void edge(bool valid, bool taken, uint32_t num_pieces, uint32_t gaps) {
    const uint32_t bits = bytes_ == 1 ? 2 : 4;
    if (taken) {
      next_ = (next_ + 1) % num_pieces;
      idle_left_ = next_ == 0 ? 0 : gaps >> bits * (next_ - 1) & ((1u << bits) - 1);
    } else if (valid && idle_left_ > 0) {
      --idle_left_;
    }
  }

 private:
  uint32_t bytes_;
  uint32_t next_ = 0;
  uint32_t idle_left_ = 0;
};

// The receiving side: the pieces of a result, which come one after the other.
class Receiver {
 public:
  explicit Receiver(uint32_t bytes) : bytes_(bytes) {}

  // Whether the piece on the pins is the last one of a result.
  bool complete(const Outputs& pins) const {
    return pins.out_valid && (count_ + 1) * bytes_ == sizeof(Block);
  }

  // The result, in the clock of its last piece.
  Block result(const Outputs& pins) const {
    Block block = received_;
    put(block, pins);
    return block;
  }

  void edge(const Outputs& pins) {
    if (pins.out_valid) put(received_, pins);
    count_ = pins.out_valid ? (count_ + 1) % (sizeof(Block) / bytes_) : 0;
  }

 private:
  void put(Block& block, const Outputs& pins) const {
    const uint32_t at = count_ * bytes_;
    const uint32_t mask = ~0u << 8 * (4 - bytes_);
    uint32_t& word = block[3 - at / 4];
    word = (word & ~(mask >> 8 * (at % 4))) | (pins.out_block.back() & mask) >> 8 * (at % 4);
  }

  uint32_t bytes_;
  Block received_{};
  uint32_t count_ = 0;
};

}  // namespace aesfab
