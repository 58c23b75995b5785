// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys for a core that does not make them: KeyExpansion (FIPS 197, section 5.2), and the ports
// on which their words go to the core, K0 first, one or two at a time: those of the cipher on one, and
// those of the equivalent inverse cipher (section 5.3.5) on the other. A core has one of them, or both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dut.h"

namespace aesfab {

// The words of all round keys; `key` and `key_len` as in Inputs.
inline std::vector<uint32_t> expand_key(const Key& key, uint8_t key_len) {
  // {03} generates the field: exponents and powers of it give every inverse.
  uint8_t powers[256], exponents[256] = {};
  uint8_t power = 1;
  for (int i = 0; i < 255; ++i) {
    powers[i] = power;
    exponents[power] = static_cast<uint8_t>(i);
    power = static_cast<uint8_t>(power ^ power << 1 ^ (power & 0x80 ? 0x1b : 0));
  }
  const auto sub_byte = [&](uint32_t byte) {
    const uint32_t b = byte == 0 ? 0 : powers[(255 - exponents[byte]) % 255];
    const uint32_t doubled = b << 8 | b;
    return (b ^ doubled >> 7 ^ doubled >> 6 ^ doubled >> 5 ^ doubled >> 4 ^ 0x63) & 0xff;
  };
  const auto sub_word = [&](uint32_t word) {
    return sub_byte(word >> 24) << 24 | sub_byte(word >> 16 & 0xff) << 16 |
           sub_byte(word >> 8 & 0xff) << 8 | sub_byte(word & 0xff);
  };
  const size_t nk = 4 + 2 * static_cast<size_t>(key_len);
  std::vector<uint32_t> words;
  for (size_t i = 0; i < nk; ++i) words.push_back(key[key.size() - 1 - i]);
  uint32_t round_constant = 1;
  for (size_t i = nk; i < 4 * (nk + 7); ++i) {
    uint32_t word = words[i - 1];
    if (i % nk == 0) {
      word = sub_word(word << 8 | word >> 24) ^ round_constant << 24;
      round_constant = (round_constant << 1 ^ (round_constant & 0x80 ? 0x1b : 0)) & 0xff;
    } else if (nk > 6 && i % nk == 4) {
      word = sub_word(word);
    }
    words.push_back(word ^ words[i - nk]);
  }
  return words;
}

// InvMixColumns of a column (FIPS 197, section 5.3.3).
inline uint32_t inv_mix_column(uint32_t column) {
  const auto doubled = [](uint32_t bytes) {
    return (bytes & 0x7f7f7f7f) << 1 ^ (bytes >> 7 & 0x01010101) * 0x1b;
  };
  const auto rotated = [](uint32_t word, int bytes) {
    return word << 8 * bytes | word >> (32 - 8 * bytes);
  };
  // {0e} = {08} + {04} + {02}, {0b} = {08} + {02} + {01}, {0d} = {08} + {04} + {01}.
  const uint32_t two = doubled(column), four = doubled(two), eight = doubled(four);
  return (eight ^ four ^ two) ^ rotated(eight ^ two ^ column, 1) ^
         rotated(eight ^ four ^ column, 2) ^ rotated(eight ^ column, 3);
}

// The sending side of the port. Words are offered from the clock on in which the key is, so that the
// first ones wait for it to be taken; with 0 words at a time nothing is done.
class RoundKeySender {
 public:
  explicit RoundKeySender(uint32_t at_a_time) : at_a_time_(at_a_time) {}

  // Puts what is due on the pins, or noise. `gaps`, of the key that is offered, holds four bits for
  // each offer of its words but the first, and from the ninth on the same again: clocks before it
  // without one.
  void drive(Inputs& in, uint32_t gaps) {
    if (at_a_time_ == 0) return;
    if (!in.rst_n) {
      // An offer in reset must be lost.
      in.round_key_valid = true;
      in.round_key = in.key[0];
      in.mixed_round_key = in.key[1];
      return;
    }
    if (next_ == words_.size() && in.key_valid) {
      words_ = expand_key(in.key, in.key_len);
      mixed_words_ = words_;
      for (size_t i = 4; i < words_.size() - 4; ++i) {
        mixed_words_[i] = inv_mix_column(words_[i]);
      }
      gaps_ = gaps;
      next_ = 0;
      idle_left_ = 0;
      count_ = 0;
    }
    in.round_key_valid = next_ < words_.size() && idle_left_ == 0;
    in.round_key = on_pins(words_, in, in.key[0]);
    in.mixed_round_key = on_pins(mixed_words_, in, in.key[2]);
  }

  // The rising edge.
  void edge(const Inputs& in, bool ready) {
    if (!in.rst_n) {
      words_.clear();
      next_ = 0;
    } else if (in.round_key_valid && ready) {
      next_ += at_a_time_;
      idle_left_ = gaps_ >> 4 * (count_++ % 8) & 15;
    } else if (idle_left_ > 0) {
      --idle_left_;
    }
  }

 private:
  // What is due of `words`, or noise.
  uint64_t on_pins(const std::vector<uint32_t>& words, const Inputs& in, uint32_t noise) const {
    uint64_t pins = static_cast<uint64_t>(in.key[1]) << 32 | noise;
    if (next_ < words.size()) {
      pins = words[next_];
      if (at_a_time_ == 2) pins = pins << 32 | words[next_ + 1];
    }
    if (!in.round_key_valid) pins = ~pins;
    return at_a_time_ == 1 ? pins & 0xffffffff : pins;
  }

  uint32_t at_a_time_;
  std::vector<uint32_t> words_;  // of the key that is on its way
  std::vector<uint32_t> mixed_words_;
  size_t next_ = 0;
  uint32_t gaps_ = 0;
  uint32_t idle_left_ = 0;
  uint32_t count_ = 0;
};

}  // namespace aesfab
