// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// 32-bit ports: the jobs of the bench think in whole blocks and keys; this turns them into words on
// the pins and back, to the clock. A word port is connected to the top word of the wide port that
// it stands for (see the generated file), so the pins are those of Inputs and Outputs.
#pragma once

#include "dut.h"

namespace aesfab {

// The sending side of one port: the words of an item, with clocks between them in which no word is
// offered. Byte 0 is in the first word.
template <typename Words>
class WordSender {
 public:
  // Puts the word that is due on `pins`, or noise, and says whether a word is offered.
  bool drive(bool valid, const Words& item, Words& pins) const {
    const bool offered = valid && idle_left_ == 0;
    const uint32_t word = item[item.size() - 1 - next_];
    pins.fill(~word);
    pins.back() = offered ? word : ~word;
    return offered;
  }

  // Number of the word that is due.
  uint32_t next() const { return next_; }

  // The rising edge. `gaps` holds four bits for each word but the first, from the lowest ones up:
  // clocks without an offer before it.
  void edge(bool valid, bool taken, uint32_t num_words, uint32_t gaps) {
    if (taken) {
      next_ = (next_ + 1) % num_words;
      idle_left_ = next_ == 0 ? 0 : gaps >> 4 * (next_ - 1) & 15;
    } else if (valid && idle_left_ > 0) {
      --idle_left_;
    }
  }

 private:
  uint32_t next_ = 0;
  uint32_t idle_left_ = 0;
};

// The receiving side: the words of a result, which come one after the other.
class WordReceiver {
 public:
  // Whether the word on the pins is the last one of a result.
  bool complete(const Outputs& pins) const { return pins.out_valid && count_ == 3; }

  // The result, in the clock of its last word.
  Block result(const Outputs& pins) const {
    Block block = received_;
    block[0] = pins.out_block.back();
    return block;
  }

  void edge(const Outputs& pins) {
    if (pins.out_valid) received_[3 - count_] = pins.out_block.back();
    count_ = pins.out_valid ? (count_ + 1) % 4 : 0;
  }

 private:
  Block received_{};
  size_t count_ = 0;
};

}  // namespace aesfab
