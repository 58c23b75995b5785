// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What the bench knows of a core: its pins, and two steps of time. A small generated file per
// model connects a Verilated model to it, so that everything else is compiled once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace aesfab {

// 32-bit words as Verilator keeps them: word 0 holds bits 31:0 of the port, so the last word holds
// the first four bytes of FIPS 197, first byte at its top.
using Block = std::array<uint32_t, 4>;
using Key = std::array<uint32_t, 8>;  // a shorter key stands at the top, in the last words

struct Inputs {
  bool rst_n = false;
  bool clear = false;
  uint16_t flip = 0;  // see flips.cpp
  bool key_valid = false;
  uint8_t key_len = 0;  // 0, 1, 2: 128, 192, 256 bit; 3: a length that there is not
  Key key{};
  bool round_key_valid = false;
  uint64_t round_key = 0;  // one word, or two, the first one on top
  uint64_t mixed_round_key = 0;  // the same of the equivalent inverse cipher
  bool in_valid = false;
  bool in_decrypt = false;
  bool in_first = false;  // the byte offered is the first one of its block
  Block in_block{};
  Key in_key{};
};

struct Outputs {
  bool key_ready = false;
  bool key_error = false;  // the key offered is refused
  bool clearing = false;
  bool fault = false;  // the result is zero because of a fault
  bool round_key_ready = false;
  bool in_ready = false;
  bool out_valid = false;
  Block out_block{};
};

// A core. A port that it does not have is ignored as an input and constant as an output.
class Dut {
 public:
  virtual ~Dut() = default;

  // The low phase of a clock: applies the inputs, lets them settle and samples the outputs as they
  // are just before the rising edge.
  virtual void settle(const Inputs& inputs, Outputs& outputs) = 0;

  // The rising edge, with the inputs of the last settle(). A settle() follows.
  virtual void edge() = 0;

  // Starts or ends a waveform; false when the model was built without tracing.
  virtual bool open_wave(const std::string& path) = 0;
  virtual void close_wave() = 0;
};

// Defined by the generated file. State without a reset value starts at random, following the seed.
std::unique_ptr<Dut> make_dut(uint32_t seed);

}  // namespace aesfab
