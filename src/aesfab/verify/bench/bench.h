// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What the jobs of the bench (script, chain, crypt, flips) share: time, errors, bytes, numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "dut.h"
#include "round_keys.h"
#include "pieces.h"

namespace aesfab {

// The core did something, or failed to do something, that ends the job: exit status 3.
class CoreError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The data or the call is at fault, or the disk: exit status 2.
class UserError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  uint32_t seed = 1;
  std::string vcd;          // file for a waveform; empty: none
  uint64_t from = 0;        // first and last clock of the waveform
  uint64_t to = UINT64_MAX;
  bool stored_keys = false;  // the core has a key port of its own
  uint32_t piece = 16;       // bytes of a block that pass a port at a time: 16, 4 or 1
  uint32_t round_key_words = 0;  // of round keys that it takes at a time; 0: it makes them itself
};

// A core and its clock. Rising edges are numbered from 1; settle() samples before edge `clock()`.
//
// `in` and `out` are the pins of a core with 128-bit ports. Behind narrower ports `in` holds whole
// items all the same, offered until taken; key_ready, in_ready and out_valid are the pins', and
// out_block has the piece of the result at its top. What is true of blocks and keys is asked of the
// functions, which are the same for both. A core that takes round keys is given those of in.key, from
// the clock on in which that is offered.
class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options),
        dut_(make_dut(options.seed)),
        round_keys_(options.round_key_words),
        key_pieces_(options.piece),
        block_pieces_(options.piece),
        in_key_pieces_(options.piece),
        results_(options.piece) {}

  ~Bench() {
    if (wave_open_) dut_->close_wave();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  uint64_t clock() const { return clock_; }
  const Options& options() const { return options_; }

  // Applies `in` and samples `out` before the edge of this clock.
  void settle();

  // The rising edge; the next clock begins.
  void edge();

  // In this clock, after settle():
  // ... the key offered is taken, with its last piece;
  bool key_taken() const { return take_key_ && (whole() || last_key_piece()); }
  // ... it is refused with that;
  bool key_refused() const { return out.key_error; }
  // ... the block offered, or a piece of it, is taken;
  bool in_taken() const { return take_in_; }
  // ... the number of that piece;
  uint32_t in_piece() const { return whole() ? 0 : block_pieces_.next(); }
  // ... the block offered is taken, with its last piece;
  bool block_taken() const { return take_in_ && in_piece() + 1 == pieces(); }
  // ... there is a result, or the last piece of one.
  bool has_result() const { return whole() ? out.out_valid : results_.complete(out); }
  Block result() const { return whole() ? out.out_block : results_.result(out); }

  // The clock in which the block now taken, or its first piece, was.
  uint64_t block_began() const { return in_piece() == 0 ? clock_ : block_began_; }
  // The clock in which the result of this clock counts as there: that behind its last piece.
  uint64_t result_clock() const { return clock_ + (whole() ? 0 : 1); }

  // The senders of pieces begin anew, as after a reset.
  void forget();

  // A reset of so many clocks, with nothing offered.
  void reset(int clocks = 4);

  // Stored keys: loads a key and waits until it is the current one.
  void load_key(const Key& key, uint8_t key_len, uint64_t patience);

  Inputs in;
  Outputs out;
  // Clocks between the pieces of the items offered, see Sender and RoundKeySender.
  uint32_t in_gaps = 0;
  uint32_t key_gaps = 0;

 private:
  void follow_wave();
  bool whole() const { return options_.piece == sizeof(Block); }
  uint32_t pieces() const { return sizeof(Block) / options_.piece; }
  uint32_t key_pieces() const {
    return (in.key_len < 3 ? 16 + 8 * static_cast<uint32_t>(in.key_len) : 32) / options_.piece;
  }
  bool last_key_piece() const { return key_pieces_.next() + 1 == key_pieces(); }

  Options options_;
  std::unique_ptr<Dut> dut_;
  RoundKeySender round_keys_;
  Sender<Key> key_pieces_;
  Sender<Block> block_pieces_;
  Sender<Key> in_key_pieces_;  // of a key that comes with the block, piece by piece
  Receiver results_;
  bool take_key_ = false;
  bool take_in_ = false;
  uint64_t block_began_ = 0;
  uint64_t clock_ = 1;
  bool wave_open_ = false;
};

// xorshift64*: noise on pins that carry nothing.
class Noise {
 public:
  explicit Noise(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {}

  uint32_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<uint32_t>((state_ * 0x2545F4914F6CDD1Du) >> 32);
  }

  template <typename Words>
  void fill(Words& words) {
    for (auto& word : words) word = next();
  }

 private:
  uint64_t state_;
};

// Bytes of FIPS 197 order to words and back; `Words` is Block or Key.
template <typename Words>
void from_bytes(Words& words, const uint8_t* bytes) {
  for (size_t i = 0; i < words.size(); ++i) {
    const uint8_t* b = bytes + 4 * i;
    words[words.size() - 1 - i] = static_cast<uint32_t>(b[0]) << 24 |
                                  static_cast<uint32_t>(b[1]) << 16 |
                                  static_cast<uint32_t>(b[2]) << 8 | static_cast<uint32_t>(b[3]);
  }
}

template <typename Words>
void to_bytes(uint8_t* bytes, const Words& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const uint32_t word = words[words.size() - 1 - i];
    for (size_t k = 0; k < 4; ++k) bytes[4 * i + k] = static_cast<uint8_t>(word >> (24 - 8 * k));
  }
}

inline void xor_into(Block& into, const Block& other) {
  for (size_t i = 0; i < into.size(); ++i) into[i] ^= other[i];
}

// Plain structures as they lie in memory; the host is little-endian (checked by the Python side).
template <typename T>
T read_struct(std::FILE* file) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  if (std::fread(&value, sizeof value, 1, file) != 1) throw UserError("the bench's input is cut");
  return value;
}

template <typename T>
void write_struct(std::FILE* file, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (std::fwrite(&value, sizeof value, 1, file) != 1) throw UserError("cannot write: disk full?");
}

// The jobs; input on stdin, results on stdout, progress on stderr.
void run_script(const Options& options);
void run_chain(const Options& options);
void run_flips(const Options& options);

struct CryptOptions {
  std::string mode;
  bool decrypt = false;
  bool pad = true;
  bool core_decrypts = false;  // the core is run in its decryption direction
  std::string key;             // hex
  std::string iv;              // hex
};
void run_crypt(const Options& options, const CryptOptions& crypt);

}  // namespace aesfab
