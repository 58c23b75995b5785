// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The Verilated system on a chip as a shared library: memory written and read from outside, clocks,
// console and end of the program. Functions are for ctypes.

#include <Vdut.h>
#include <Vdut___024root.h>
#include <verilated.h>

#include <cstring>
#include <memory>
#include <string>

struct aesfab_soc {
  explicit aesfab_soc(uint32_t seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
    top = std::make_unique<Vdut>(&context);
    top->rst_ni = 0;
    for (int i = 0; i < 4; ++i) tick();
    clocks = 0;
  }

  ~aesfab_soc() { top->final(); }

  void tick() {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
    ++clocks;
    if (top->rst_ni && top->console_valid_o) console += static_cast<char>(top->console_data_o);
  }

  // The words of the RAM, least significant byte first.
  uint8_t* memory() { return reinterpret_cast<uint8_t*>(&top->rootp->AESFAB_SOC_RAM[0]); }
  size_t size() const { return sizeof top->rootp->AESFAB_SOC_RAM; }

  VerilatedContext context;
  std::unique_ptr<Vdut> top;
  std::string console;
  uint64_t clocks = 0;
};

extern "C" {

// A system in reset, with random state where there is no reset.
aesfab_soc* aesfab_soc_create(uint32_t seed) { return new aesfab_soc(seed); }
void aesfab_soc_destroy(aesfab_soc* soc) { delete soc; }

// Memory while the clock stands; false when it is not there.
bool aesfab_soc_write(aesfab_soc* soc, uint32_t address, const uint8_t* data, uint32_t bytes) {
  if (address > soc->size() || bytes > soc->size() - address) return false;
  std::memcpy(soc->memory() + address, data, bytes);
  return true;
}

bool aesfab_soc_read(aesfab_soc* soc, uint32_t address, uint8_t* data, uint32_t bytes) {
  if (address > soc->size() || bytes > soc->size() - address) return false;
  std::memcpy(data, soc->memory() + address, bytes);
  return true;
}

// Out of reset, and on for that many clocks or until the program ends. 0: it goes on, 1: it ended,
// 2: the processor stopped at an instruction that it does not have or cannot do.
int aesfab_soc_run(aesfab_soc* soc, uint64_t clocks) {
  soc->top->rst_ni = 1;
  for (uint64_t i = 0; i < clocks; ++i) {
    soc->tick();
    if (soc->top->exit_valid_o) return 1;
    if (soc->top->trap_o) return 2;
  }
  return 0;
}

int32_t aesfab_soc_status(const aesfab_soc* soc) {
  return static_cast<int32_t>(soc->top->exit_status_o);
}

uint64_t aesfab_soc_clocks(const aesfab_soc* soc) { return soc->clocks; }

// What the program has said, as long as no clock passes.
const char* aesfab_soc_console(const aesfab_soc* soc) { return soc->console.c_str(); }

}  // extern "C"
