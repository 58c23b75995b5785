// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The Verilated model behind the Dut interface. Included once, by the generated file, after it has
// defined the class Vdut and the functions drive() and sample(), which know the model's ports.
//
// A model with waveforms has the core itself on top. A waveform shows edge n at n x 10 ns: inputs
// change 1 ns after an edge, the clock falls 5 ns after it.
//
// Any other model has the core behind registers for its inputs (simulate.py, _pins). They take the
// inputs of a clock at the edge that begins it, so the core's logic is evaluated once a clock, and
// not again when its inputs change. They have a clock of their own, apply_i, for what is settled
// twice in one clock.
#pragma once

#include <verilated.h>
#if VM_TRACE
#include <verilated_vcd_c.h>
#endif

#include "dut.h"

namespace aesfab {

class Model final : public Dut {
 public:
  explicit Model(uint32_t seed) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
#if VM_TRACE
    context_.traceEverOn(true);
#endif
    vdut_ = std::make_unique<Vdut>(&context_);
#if !VM_TRACE
    // Inputs start at random, too: an edge is one only from here on.
    vdut_->clk_i = 0;
    vdut_->apply_i = 0;
    vdut_->eval();
#endif
  }

  ~Model() override {
    close_wave();
    vdut_->final();
  }

#if VM_TRACE
  void settle(const Inputs& inputs, Outputs& outputs) override {
    drive(*vdut_, inputs);
    vdut_->eval();
    dump(1);
    vdut_->clk_i = 0;
    vdut_->eval();
    dump(5);
    sample(*vdut_, outputs);
  }

  void edge() override {
    vdut_->clk_i = 1;
    vdut_->eval();
    ++edges_;
    dump(0);
  }
#else
  // The edge before this clock and the inputs of this clock, together: registers of the core take
  // what its inputs were before.
  void settle(const Inputs& inputs, Outputs& outputs) override {
    drive(*vdut_, inputs);
    vdut_->apply_i = 1;
    vdut_->clk_i = pending_;
    vdut_->eval();
    sample(*vdut_, outputs);
    vdut_->apply_i = 0;
    vdut_->clk_i = 0;
    vdut_->eval();
    pending_ = false;
  }

  void edge() override { pending_ = true; }
#endif

#if VM_TRACE
  bool open_wave(const std::string& path) override {
    close_wave();
    wave_ = std::make_unique<VerilatedVcdC>();
    vdut_->trace(wave_.get(), 99);
    wave_->open(path.c_str());
    last_ = 0;
    return true;
  }

  void close_wave() override {
    if (wave_) wave_->close();
    wave_.reset();
  }
#else
  bool open_wave(const std::string&) override { return false; }
  void close_wave() override {}
#endif

 private:
#if VM_TRACE
  void dump(uint64_t offset) {
    const uint64_t time = 10 * edges_ + offset;
    // A clock that is settled twice, as in a feedback loop, is shown as it was first.
    if (wave_ && time > last_) {
      wave_->dump(time);
      last_ = time;
    }
  }

  std::unique_ptr<VerilatedVcdC> wave_;
  uint64_t edges_ = 0;
  uint64_t last_ = 0;
#else
  bool pending_ = false;  // an edge that the next settle() does
#endif
  VerilatedContext context_;
  std::unique_ptr<Vdut> vdut_;
};

std::unique_ptr<Dut> make_dut(uint32_t seed) { return std::make_unique<Model>(seed); }

}  // namespace aesfab
