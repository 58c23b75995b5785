// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Pairs of factors through the multiplier of GHASH, one a clock, and its products as they come.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "Vdut.h"
#include "verilated.h"

extern "C" void aesfab_multiply(const uint8_t* factors, size_t pairs, size_t latency,
                                uint8_t* products) {
  VerilatedContext context;
  context.randReset(2);
  Vdut dut{&context};
  for (size_t clock = 0; clock < pairs + latency; ++clock) {
    dut.clk_i = 0;
    if (clock < pairs) {
      std::memcpy(&dut.a_i, factors + 32 * clock, 16);
      std::memcpy(&dut.b_i, factors + 32 * clock + 16, 16);
    }
    dut.eval();
    if (clock >= latency) std::memcpy(products + 16 * (clock - latency), &dut.product_o, 16);
    dut.clk_i = 1;
    dut.eval();
  }
}
