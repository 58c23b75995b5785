// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What packet_dma.c asks of a system: make it what yours is.
#ifndef AESFAB_PACKET_PORT_H
#define AESFAB_PACKET_PORT_H

#include <stdint.h>

// Where the registers of the packet DMA are.
#ifndef PACKET_REGISTERS
#define PACKET_REGISTERS 0x30000000
#endif

// The address of a byte of memory, as the packet DMA has it. IV, AAD, text and a tag that is compared
// have to be in its RAM, and no cache may be between: see packet_dma.c.
static inline uint32_t packet_address(const void *byte) { return (uint32_t)(uintptr_t)byte; }

// A clock that counts microseconds, for timeouts: a function of your program.
uint64_t packet_clock_us(void);

#endif
