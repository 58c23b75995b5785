// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The system aes_soc for programs: console, counters, and the two devices as transports.
#ifndef AESFAB_SOC_H
#define AESFAB_SOC_H

#include "aesfab.h"

// Opens the device with a data window, whose blocks the processor copies. With interrupts it sleeps
// until results are there.
int soc_open_copy(struct aesfab **device, bool interrupts, char *message, size_t size);

// How often it slept until now.
uint32_t soc_sleeps(void);

// Opens the device with stream ports, whose blocks the DMA engine moves.
int soc_open_dma(struct aesfab **device, char *message, size_t size);

// A line on the console, of at most 120 characters.
void soc_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The clock of a transport.
uint64_t soc_clock_us(void *context);

// Ends the program.
_Noreturn void soc_exit(int status);

// What was counted until now; differences may run over.
struct soc_counters {
  uint32_t clocks;
  uint32_t instructions;
  uint32_t bus_clocks;  // in which the processor stood at a device
};

struct soc_counters soc_count(void);

#endif
