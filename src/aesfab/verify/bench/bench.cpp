// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

namespace aesfab {

void Bench::settle() {
  if (!options_.vcd.empty()) follow_wave();
  if (!whole()) {
    Inputs pins = in;
    pins.key_valid = key_pieces_.drive(in.key_valid, in.key, pins.key);
    pins.in_valid = block_pieces_.drive(in.in_valid, in.in_block, pins.in_block);
    in_key_pieces_.drive(pins.in_valid, in.in_key, pins.in_key);
    // Length and direction are read with the first piece; with the others they are wrong.
    if (key_pieces_.next() != 0) pins.key_len = static_cast<uint8_t>((in.key_len + 1) % 3);
    if (block_pieces_.next() != 0) pins.in_decrypt = !in.in_decrypt;
    pins.in_first = pins.in_valid == (block_pieces_.next() == 0);
    dut_->settle(pins, out);
    take_key_ = pins.key_valid && out.key_ready;
    take_in_ = pins.in_valid && out.in_ready;
  } else {
    round_keys_.drive(in, key_gaps);
    dut_->settle(in, out);
    take_key_ = in.key_valid && out.key_ready;
    take_in_ = in.in_valid && out.in_ready;
  }
}

void Bench::edge() {
  if (!whole() && !in.rst_n) {
    forget();
  } else if (!whole()) {
    if (take_in_ && block_pieces_.next() == 0) block_began_ = clock_;
    key_pieces_.edge(in.key_valid, take_key_, key_pieces(), key_gaps);
    block_pieces_.edge(in.in_valid, take_in_, pieces(), in_gaps);
    in_key_pieces_.edge(in.in_valid, take_in_, pieces(), 0);
    results_.edge(out);
  } else {
    round_keys_.edge(in, out.round_key_ready);
  }
  dut_->edge();
  ++clock_;
}

void Bench::forget() {
  key_pieces_ = Sender<Key>(options_.piece);
  block_pieces_ = Sender<Block>(options_.piece);
  in_key_pieces_ = Sender<Key>(options_.piece);
  results_ = Receiver(options_.piece);
  round_keys_ = RoundKeySender(options_.round_key_words);
}

void Bench::reset(int clocks) {
  in = Inputs{};
  // Released first, so that models which act on the fall of the reset see one.
  in.rst_n = true;
  settle();
  in.rst_n = false;
  for (int i = 0; i < clocks; ++i) {
    settle();
    edge();
  }
  in.rst_n = true;
}

void Bench::load_key(const Key& key, uint8_t key_len, uint64_t patience) {
  const uint64_t limit = clock() + patience;
  in.key = key;
  in.key_len = key_len;
  in.key_valid = true;
  for (settle(); !key_taken(); settle()) {
    if (clock() > limit) throw CoreError("key_ready_o never rose for a key");
    edge();
  }
  edge();
  in.key_valid = false;
  for (settle(); !out.key_ready; settle()) {
    if (clock() > limit) throw CoreError("key_ready_o never rose after a key was taken");
    edge();
  }
}

void Bench::follow_wave() {
  if (!wave_open_ && clock_ >= options_.from && clock_ <= options_.to) {
    wave_open_ = dut_->open_wave(options_.vcd);
    if (!wave_open_) throw UserError("this model was built without waveforms");
  } else if (wave_open_ && clock_ > options_.to) {
    dut_->close_wave();
    wave_open_ = false;
    options_.vcd.clear();
  }
}

}  // namespace aesfab
