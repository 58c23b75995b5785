// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A Verilated host system as a device for libaesfab: a master of its bus in C++ around the model.
//
// Compiled once for each model, with one of the macros AESFAB_BUS_* and the model's header Vdut.h.
// Each access of the program (a store or load of the width of the transfer variant) is a
// transaction: a burst on AXI4, single transfers elsewhere. Variants that gather in combining
// buffers of 64 bytes reach the bus in pieces of that size.

#include <Vdut.h>
#include <verilated.h>
#ifdef AESFAB_SIM_SAVABLE
#include <verilated_save.h>
#endif

#include <cstring>
#include <memory>

#include "aesfab_registers.h"
#include "aesfab_sim.h"

namespace {

constexpr uint64_t kHang = 1000000;  // clocks in which every access ends, far beyond any wait
constexpr uint32_t kClocksPerUs = 100;
constexpr uint64_t kNever = UINT64_MAX;

// Ports have the width of their type: 8, 16, 32 or 64 bits, or an array of words.
template <typename Port>
void put(Port& port, const uint8_t* bytes, size_t size) {
  std::memset(static_cast<void*>(&port), 0, sizeof port);
  std::memcpy(static_cast<void*>(&port), bytes, size);
}

template <typename Port>
void get(const Port& port, uint8_t* bytes, size_t size) {
  std::memcpy(bytes, static_cast<const void*>(&port), size);
}

}  // namespace

struct aesfab_sim {
  explicit aesfab_sim(uint32_t seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
    top = std::make_unique<Vdut>(&context);
    idle();
    reset();
  }

  ~aesfab_sim() { top->final(); }

  // One clock. What the device answers is sampled before its edge, by the caller after settle().
  void settle() {
    top->clk_i = 0;
    top->eval();
  }

  void edge() {
    top->clk_i = 1;
    top->eval();
    ++clocks;
    if (reset_in != kNever && reset_in-- == 0) {
      reset_in = kNever;
      reset();
      was_reset = true;
    }
  }

  void tick() {
    settle();
    edge();
  }

  void reset() {
    idle();
    top->rst_ni = 0;
    for (int i = 0; i < 2; ++i) {
      settle();
      top->clk_i = 1;
      top->eval();
      ++clocks;
    }
    top->rst_ni = 1;
    settle();
  }

  // Begins an access; false when it is to fail on the bus.
  bool begin() {
    ++accesses;
    was_reset = false;
    if (fail_in == kNever) return true;
    if (fail_in-- > 0) return true;
    fail_in = kNever;
    tick();
    return false;
  }

  void idle();
  int write(uint32_t address, const uint8_t* data, size_t bytes);
  int read(uint32_t address, uint8_t* data, size_t bytes);
#ifdef AESFAB_BUS_WISHBONE
  int cycle(uint32_t address, size_t bytes, bool write, uint8_t* answer);
#endif

  VerilatedContext context;
  std::unique_ptr<Vdut> top;
  uint64_t clocks = 0;
  uint64_t accesses = 0;
  uint64_t fail_in = kNever;
  uint64_t reset_in = kNever;
  bool was_reset = false;
  uint32_t lower_half = 0;
};

#if defined(AESFAB_BUS_AXI4) || defined(AESFAB_BUS_AXI_LITE) || defined(AESFAB_BUS_AXI_STREAM)

namespace {
constexpr size_t kBusBytes = AESFAB_BUS_BITS / 8;
#ifdef AESFAB_BUS_AXI4
constexpr size_t kMostBytes = 64;  // of a transaction
#else
constexpr size_t kMostBytes = kBusBytes;
#endif
}  // namespace

void aesfab_sim::idle() {
  top->s_axi_awvalid = 0;
  top->s_axi_wvalid = 0;
  top->s_axi_bready = 0;
  top->s_axi_arvalid = 0;
  top->s_axi_rready = 0;
#ifdef AESFAB_BUS_AXI_STREAM
  top->s_axis_tvalid = 0;
  top->m_axis_tready = 0;
#endif
}

int aesfab_sim::write(uint32_t address, const uint8_t* data, size_t bytes) {
  if (!begin()) return AESFAB_E_BUS;
  const size_t beats = (bytes + kBusBytes - 1) / kBusBytes;
  const size_t lane = address % kBusBytes;
  const size_t per_beat = bytes < kBusBytes ? bytes : kBusBytes;
  top->s_axi_awaddr = address;
#ifdef AESFAB_BUS_AXI4
  top->s_axi_awid = 0;
  top->s_axi_awlen = static_cast<uint8_t>(beats - 1);
  top->s_axi_awsize = static_cast<uint8_t>(__builtin_ctzll(per_beat));
  top->s_axi_awburst = 1;
#endif
  top->s_axi_awvalid = 1;
  top->s_axi_bready = 1;
  size_t beat = 0;
  int status = AESFAB_E_TIMEOUT;
  for (const uint64_t start = clocks; clocks - start < kHang;) {
    uint8_t word[kBusBytes] = {};
    if (beat < beats) std::memcpy(word + lane, data + beat * kBusBytes, per_beat);
    top->s_axi_wvalid = beat < beats;
    put(top->s_axi_wdata, word, kBusBytes);
    top->s_axi_wstrb = static_cast<uint32_t>(((1ull << per_beat) - 1) << lane);
#ifdef AESFAB_BUS_AXI4
    top->s_axi_wlast = beat + 1 == beats;
#endif
    settle();
    const bool address_taken = top->s_axi_awvalid && top->s_axi_awready;
    const bool beat_taken = top->s_axi_wvalid && top->s_axi_wready;
    const bool answered = top->s_axi_bvalid;
    if (answered) status = top->s_axi_bresp == 0 ? AESFAB_OK : AESFAB_E_BUS;
    edge();
    if (was_reset) return AESFAB_E_BUS;
    if (address_taken) top->s_axi_awvalid = 0;
    if (beat_taken) ++beat;
    if (answered) break;
  }
  idle();
  return status;
}

int aesfab_sim::read(uint32_t address, uint8_t* data, size_t bytes) {
  if (!begin()) return AESFAB_E_BUS;
  const size_t beats = (bytes + kBusBytes - 1) / kBusBytes;
  const size_t lane = address % kBusBytes;
  const size_t per_beat = bytes < kBusBytes ? bytes : kBusBytes;
  top->s_axi_araddr = address;
#ifdef AESFAB_BUS_AXI4
  top->s_axi_arid = 0;
  top->s_axi_arlen = static_cast<uint8_t>(beats - 1);
  top->s_axi_arsize = static_cast<uint8_t>(__builtin_ctzll(per_beat));
  top->s_axi_arburst = 1;
#endif
  top->s_axi_arvalid = 1;
  top->s_axi_rready = 1;
  size_t beat = 0;
  int status = AESFAB_OK;
  for (const uint64_t start = clocks; beat < beats;) {
    if (clocks - start >= kHang) {
      status = AESFAB_E_TIMEOUT;
      break;
    }
    settle();
    const bool address_taken = top->s_axi_arvalid && top->s_axi_arready;
    if (top->s_axi_rvalid) {
      uint8_t word[kBusBytes];
      get(top->s_axi_rdata, word, kBusBytes);
      std::memcpy(data + beat * kBusBytes, word + lane, per_beat);
      if (top->s_axi_rresp != 0) status = AESFAB_E_BUS;
      ++beat;
    }
    edge();
    if (was_reset) return AESFAB_E_BUS;
    if (address_taken) top->s_axi_arvalid = 0;
  }
  idle();
  return status;
}

#elif defined(AESFAB_BUS_WISHBONE)

namespace {
constexpr size_t kBusBytes = AESFAB_BUS_BITS / 8;
constexpr size_t kMostBytes = kBusBytes;
}  // namespace

void aesfab_sim::idle() {
  top->wb_cyc_i = 0;
  top->wb_stb_i = 0;
  top->wb_we_i = 0;
}

// One cycle, up to its answer: the word that came with it.
int aesfab_sim::cycle(uint32_t address, size_t bytes, bool write, uint8_t* answer) {
  top->wb_adr_i = address;
  top->wb_sel_i = static_cast<uint8_t>(((1u << bytes) - 1) << address % kBusBytes);
  top->wb_we_i = write;
  top->wb_cyc_i = 1;
  top->wb_stb_i = 1;
  int status = AESFAB_E_TIMEOUT;
  for (const uint64_t start = clocks; clocks - start < kHang;) {
    settle();
    const bool ack = top->wb_ack_o;
    const bool err = top->wb_err_o;
    get(top->wb_dat_o, answer, kBusBytes);
    edge();
    if (was_reset) return AESFAB_E_BUS;
    if (ack || err) {
      status = ack ? AESFAB_OK : AESFAB_E_BUS;
      break;
    }
  }
  idle();
  return status;
}

int aesfab_sim::write(uint32_t address, const uint8_t* data, size_t bytes) {
  if (!begin()) return AESFAB_E_BUS;
  uint8_t word[kBusBytes] = {};
  std::memcpy(word + address % kBusBytes, data, bytes);
  put(top->wb_dat_i, word, kBusBytes);
  return cycle(address, bytes, true, word);
}

int aesfab_sim::read(uint32_t address, uint8_t* data, size_t bytes) {
  if (!begin()) return AESFAB_E_BUS;
  uint8_t word[kBusBytes];
  const int status = cycle(address, bytes, false, word);
  if (status == AESFAB_OK) std::memcpy(data, word + address % kBusBytes, bytes);
  return status;
}

#elif defined(AESFAB_BUS_MEMORY_SLOT)

namespace {
constexpr size_t kBusBytes = 8;
constexpr size_t kMostBytes = 8;
}  // namespace

void aesfab_sim::idle() {
  top->slot_write_i = 0;
  top->slot_read_i = 0;
}

// All 64 bits are always written; a register of 32 bits stands in the lower half.
int aesfab_sim::write(uint32_t address, const uint8_t* data, size_t bytes) {
  if (!begin()) return AESFAB_E_BUS;
  uint64_t word = 0;
  std::memcpy(&word, data, bytes);
  top->slot_addr_i = static_cast<uint16_t>(address / 8);
  top->slot_data_i = word;
  top->slot_write_i = 1;
  tick();
  if (was_reset) return AESFAB_E_BUS;
  idle();
  return AESFAB_OK;
}

int aesfab_sim::read(uint32_t address, uint8_t* data, size_t bytes) {
  if (!begin()) return AESFAB_E_BUS;
  top->slot_addr_i = static_cast<uint16_t>(address / 8);
  top->slot_read_i = 1;
  tick();
  if (was_reset) return AESFAB_E_BUS;
  idle();
  settle();
  const uint64_t word = top->slot_data_o;
  std::memcpy(data, &word, bytes);
  return AESFAB_OK;
}

#else
#error "one of AESFAB_BUS_* must be defined"
#endif

namespace {

aesfab_sim& from(void* context) { return *static_cast<aesfab_sim*>(context); }

int sim_read32(void* context, uint32_t offset, uint32_t* value) {
  return from(context).read(offset, reinterpret_cast<uint8_t*>(value), 4);
}

int sim_write32(void* context, uint32_t offset, uint32_t value) {
#ifdef AESFAB_BUS_MEMORY_SLOT
  // Keys stand close: two words are one access of this bus, written with the second.
  uint32_t& lower = from(context).lower_half;
  if (offset >= AESFAB_KEY && offset < AESFAB_KEY + 4 * AESFAB_KEY_COUNT) {
    if (offset % 8 == 0) {
      lower = value;
      return AESFAB_OK;
    }
    const uint32_t pair[2] = {lower, value};
    lower = 0;
    return from(context).write(offset - 4, reinterpret_cast<const uint8_t*>(pair), 8);
  }
#endif
  return from(context).write(offset, reinterpret_cast<const uint8_t*>(&value), 4);
}

// Bytes of one access of the program, as the bus sees it.
size_t access_bytes(enum aesfab_copy copy) {
  size_t bytes = 8;
  if (copy == AESFAB_COPY_SSE) bytes = 16;
  if (copy == AESFAB_COPY_SSE_NT || copy == AESFAB_COPY_AVX2_NT) bytes = 64;
  return bytes < kMostBytes ? bytes : kMostBytes;
}

#ifdef AESFAB_BUS_AXI_STREAM

int sim_push(void* context, const uint8_t* data, size_t bytes, enum aesfab_copy) {
  aesfab_sim& sim = from(context);
  if (!sim.begin()) return AESFAB_E_BUS;
  size_t done = 0;
  for (const uint64_t start = sim.clocks; done < bytes;) {
    if (sim.clocks - start >= kHang) {
      sim.idle();
      return AESFAB_E_TIMEOUT;
    }
    put(sim.top->s_axis_tdata, data + done, AESFAB_BLOCK_BYTES);
    sim.top->s_axis_tlast = done + AESFAB_BLOCK_BYTES == bytes;
    sim.top->s_axis_tvalid = 1;
    sim.settle();
    const bool taken = sim.top->s_axis_tready;
    sim.edge();
    if (sim.was_reset) return AESFAB_E_BUS;
    if (taken) done += AESFAB_BLOCK_BYTES;
  }
  sim.idle();
  return AESFAB_OK;
}

int sim_pull(void* context, uint8_t* data, size_t bytes, enum aesfab_copy) {
  aesfab_sim& sim = from(context);
  if (!sim.begin()) return AESFAB_E_BUS;
  size_t done = 0;
  for (const uint64_t start = sim.clocks; done < bytes;) {
    if (sim.clocks - start >= kHang) {
      sim.idle();
      return AESFAB_E_TIMEOUT;
    }
    sim.top->m_axis_tready = 1;
    sim.settle();
    if (sim.top->m_axis_tvalid) {
      get(sim.top->m_axis_tdata, data + done, AESFAB_BLOCK_BYTES);
      done += AESFAB_BLOCK_BYTES;
    }
    sim.edge();
    if (sim.was_reset) return AESFAB_E_BUS;
  }
  sim.idle();
  return AESFAB_OK;
}

#else

int sim_push(void* context, const uint8_t* data, size_t bytes, enum aesfab_copy copy) {
  const size_t step = access_bytes(copy);
  for (size_t done = 0; done < bytes;) {
    const size_t count = bytes - done < step ? bytes - done : step;
    const int status =
        from(context).write(static_cast<uint32_t>(AESFAB_DATA + done), data + done, count);
    if (status != AESFAB_OK) return status;
    done += count;
  }
  return AESFAB_OK;
}

int sim_pull(void* context, uint8_t* data, size_t bytes, enum aesfab_copy copy) {
  const size_t step = access_bytes(copy);
  for (size_t done = 0; done < bytes;) {
    const size_t count = bytes - done < step ? bytes - done : step;
    const int status =
        from(context).read(static_cast<uint32_t>(AESFAB_DATA + done), data + done, count);
    if (status != AESFAB_OK) return status;
    done += count;
  }
  return AESFAB_OK;
}

#endif

int sim_wait(void* context, uint32_t timeout_us) {
  aesfab_sim& sim = from(context);
  const uint64_t limit = uint64_t{timeout_us} * kClocksPerUs;
  for (const uint64_t start = sim.clocks; !sim.top->irq_o;) {
    if (sim.clocks - start >= limit) return AESFAB_E_TIMEOUT;
    sim.tick();
  }
  return AESFAB_OK;
}

uint64_t sim_clock_us(void* context) { return from(context).clocks / kClocksPerUs; }

const aesfab_transport kTransport = {
    "sim", sim_read32, sim_write32, sim_push, sim_pull, sim_wait, sim_clock_us, nullptr, nullptr,
    nullptr,
};

}  // namespace

extern "C" {

aesfab_sim* aesfab_sim_create(uint32_t seed) { return new aesfab_sim(seed); }
void aesfab_sim_destroy(aesfab_sim* sim) { delete sim; }
const aesfab_transport* aesfab_sim_transport(void) { return &kTransport; }
uint64_t aesfab_sim_clocks(const aesfab_sim* sim) { return sim->clocks; }

void aesfab_sim_step(aesfab_sim* sim, uint64_t clocks) {
  for (uint64_t i = 0; i < clocks; ++i) sim->tick();
}

void aesfab_sim_reset_after(aesfab_sim* sim, uint64_t clocks) {
  if (clocks == 0) {
    sim->reset();
  } else {
    sim->reset_in = clocks - 1;
  }
}

void aesfab_sim_fail_after(aesfab_sim* sim, uint64_t accesses) { sim->fail_in = accesses; }
uint64_t aesfab_sim_accesses(const aesfab_sim* sim) { return sim->accesses; }
bool aesfab_sim_irq(const aesfab_sim* sim) { return sim->top->irq_o != 0; }

bool aesfab_sim_save(aesfab_sim* sim, const char* path) {
#ifdef AESFAB_SIM_SAVABLE
  VerilatedSave file;
  file.open(path);
  if (!file.isOpen()) return false;
  file << *sim->top;
  file.close();
  return true;
#else
  (void)sim;
  (void)path;
  return false;
#endif
}

}  // extern "C"
