// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What all programs share, and the two devices of aes_soc: addresses and registers as the RTL has
// them, see aes_soc.sv, aes_soc_dma.sv and aes_soc_control.sv.

#include "soc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "transport.h"

#define WINDOW_DEVICE ((volatile uint8_t *)0x10000000)
#define STREAM_DEVICE ((volatile uint8_t *)0x20000000)
#define WINDOW_INTERRUPT (UINT32_C(1) << 3)

// Of aes_soc, as it was built.
#ifndef SOC_CLOCKS_PER_US
#define SOC_CLOCKS_PER_US 100
#endif

struct dma_registers {
  uint32_t source;
  uint32_t target;
  uint32_t blocks;
  uint32_t control;
};

struct control_registers {
  uint32_t console;
  uint32_t exit;
  uint32_t time;
  uint32_t time_high;
  uint32_t bus_errors;
  uint32_t bus_clocks;
};

#define DMA ((volatile struct dma_registers *)0x30000000)
#define CONTROL ((volatile struct control_registers *)0x40000000)

void soc_say(const char *format, ...) {
  char line[124];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  for (const char *c = line; *c != '\0'; ++c) CONTROL->console = (uint8_t)*c;
  CONTROL->console = '\n';
}

_Noreturn void soc_exit(int status) {
  for (;;) CONTROL->exit = (uint32_t)status;
}

struct soc_counters soc_count(void) {
  struct soc_counters counters;
  __asm__ volatile("rdcycle %0" : "=r"(counters.clocks));
  __asm__ volatile("rdinstret %0" : "=r"(counters.instructions));
  counters.bus_clocks = CONTROL->bus_clocks;
  return counters;
}

uint64_t soc_clock_us(void *context) {
  (void)context;
  for (;;) {
    const uint32_t high = CONTROL->time_high;
    const uint32_t low = CONTROL->time;
    if (CONTROL->time_high == high) return (uint64_t)high << 32 | low;
  }
}

// The processor knows no error of the bus, so they are looked at after each transfer.
static int bus_status(void) {
  if (CONTROL->bus_errors == 0) return AESFAB_OK;
  CONTROL->bus_errors = 0;
  return AESFAB_E_BUS;
}

///////////////////////////////////////////////////////////////////////////////
// The device with a data window
///////////////////////////////////////////////////////////////////////////////

static int copy_push(void *context, const uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  (void)aesfab_window_push(context, data, bytes, copy);
  return bus_status();
}

static int copy_pull(void *context, uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  (void)aesfab_window_pull(context, data, bytes, copy);
  return bus_status();
}

static uint32_t sleeps;

uint32_t soc_sleeps(void) { return sleeps; }

// The processor stands still until one of its interrupts is pending: that of the device or of its
// timer, which counts clocks. Both are masked and so never taken; the instructions are its own.
static int copy_wait(void *context, uint32_t timeout_us) {
  (void)context;
  const uint32_t most = UINT32_MAX / SOC_CLOCKS_PER_US;
  const uint32_t clocks = (timeout_us < most ? timeout_us : most) * SOC_CLOCKS_PER_US;
  uint32_t pending;
  ++sleeps;
  __asm__ volatile(".insn r 0x0b, 6, 5, x0, %0, x0" : : "r"(clocks));            // timer
  __asm__ volatile(".insn r 0x0b, 4, 4, %0, x0, x0" : "=r"(pending) : : "memory");  // waitirq
  __asm__ volatile(".insn r 0x0b, 6, 5, x0, x0, x0");                             // timer off
  return (pending & WINDOW_INTERRUPT) != 0 ? AESFAB_OK : AESFAB_E_TIMEOUT;
}

int soc_open_copy(struct aesfab **device, bool interrupts, char *message, size_t size) {
  static const struct aesfab_transport kTransport = {
      .name = "copy",
      .read32 = aesfab_window_read32,
      .write32 = aesfab_window_write32,
      .push = copy_push,
      .pull = copy_pull,
      .wait = copy_wait,
      .clock_us = soc_clock_us,
  };
  static struct aesfab_window window = {WINDOW_DEVICE};
  const struct aesfab_options options = {.interrupts = interrupts};
  return aesfab_open_transport(device, &kTransport, &window, &options, message, size);
}

///////////////////////////////////////////////////////////////////////////////
// The device with stream ports
///////////////////////////////////////////////////////////////////////////////

// Starts the engine and waits for its end. Buffers are of whole words; nothing is between processor
// and memory that would have to be written back.
static int dma_run(const uint8_t *in, uint8_t *out, size_t blocks, uint32_t timeout_us) {
  DMA->source = (uint32_t)(uintptr_t)in;
  DMA->target = (uint32_t)(uintptr_t)out;
  atomic_signal_fence(memory_order_seq_cst);
  DMA->blocks = (uint32_t)blocks;
  uint32_t left = (uint32_t)blocks;
  uint64_t start = 0;
  for (unsigned polls = 0;; ++polls) {
    const uint32_t still = DMA->blocks;
    if (still == 0) break;
    if (polls % 64 != 0) continue;
    const uint64_t now = soc_clock_us(NULL);
    if (still != left || polls == 0) {
      left = still;
      start = now;
    } else if (now - start > timeout_us) {
      DMA->control = 0;
      return AESFAB_E_TIMEOUT;
    }
  }
  atomic_signal_fence(memory_order_seq_cst);
  // A mark in the wrong place: the device has lost or doubled a block.
  if (DMA->control != 0) return AESFAB_E_DEVICE;
  return bus_status();
}

static int dma_exchange(void *context, const uint8_t *in, uint8_t *out, size_t bytes,
                        uint32_t timeout_us) {
  (void)context;
  if (((uintptr_t)in | (uintptr_t)out) % sizeof(uint32_t) == 0) {
    return dma_run(in, out, bytes / AESFAB_BLOCK_BYTES, timeout_us);
  }
  // Through a buffer that the engine can reach.
  uint32_t words[1024 / sizeof(uint32_t)];
  uint8_t *const piece = (uint8_t *)words;
  int status = AESFAB_OK;
  while (bytes > 0 && status == AESFAB_OK) {
    const size_t count = bytes < sizeof words ? bytes : sizeof words;
    memcpy(piece, in, count);
    status = dma_run(piece, piece, count / AESFAB_BLOCK_BYTES, timeout_us);
    memcpy(out, piece, count);
    in += count;
    out += count;
    bytes -= count;
  }
  aesfab_wipe(words, sizeof words);
  return status;
}

int soc_open_dma(struct aesfab **device, char *message, size_t size) {
  static const struct aesfab_transport kTransport = {
      .name = "dma",
      .read32 = aesfab_window_read32,
      .write32 = aesfab_window_write32,
      .clock_us = soc_clock_us,
      .exchange = dma_exchange,
  };
  static struct aesfab_window window = {STREAM_DEVICE};
  DMA->control = 0;
  return aesfab_open_transport(device, &kTransport, &window, NULL, message, size);
}
