// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

namespace aesfab {

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
  for (settle(); !out.key_ready; settle()) {
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
