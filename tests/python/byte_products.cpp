// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Pairs of factors, one after the other, through GHASH that takes two bytes at a time: H, a sum that
// was zero, and their product. It returns the clocks of the longest multiplication.

#include <cstddef>
#include <cstdint>

#include "Vdut.h"
#include "verilated.h"

namespace {

void tick(Vdut& dut) {
  dut.clk_i = 0;
  dut.eval();
  dut.clk_i = 1;
  dut.eval();
}

}  // namespace

extern "C" size_t aesfab_multiply_bytes(const uint8_t* factors, size_t pairs, uint8_t* products) {
  VerilatedContext context;
  context.randReset(2);
  Vdut dut{&context};
  dut.key_i = dut.add_i = dut.start_i = dut.first_i = 0;
  dut.rst_ni = 0;
  tick(dut);
  dut.rst_ni = 1;
  size_t longest = 0;
  for (size_t pair = 0; pair < pairs; ++pair) {
    for (int factor = 0; factor < 2; ++factor) {
      for (int n = 0; n < 16; ++n) {
        dut.index_q_i = n;
        dut.byte_i = factors[32 * pair + 16 * factor + n];
        dut.key_i = factor == 0;
        dut.add_i = factor == 1;
        dut.first_i = 1;
        dut.start_i = factor == 1 && n == 15;
        tick(dut);
      }
    }
    dut.key_i = dut.add_i = dut.start_i = 0;
    size_t clocks = 1;
    for (dut.eval(); dut.busy_o && clocks < 1000; ++clocks) tick(dut);
    if (clocks > longest) longest = clocks;
    for (int n = 0; n < 16; ++n) {
      dut.index_i = n;
      tick(dut);
      products[16 * pair + n] = dut.sum_o;
    }
  }
  return longest;
}
