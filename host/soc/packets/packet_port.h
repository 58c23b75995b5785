// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What packet_dma.c asks of the system aes_soc_packets.
#ifndef AESFAB_PACKET_PORT_H
#define AESFAB_PACKET_PORT_H

#include <stdint.h>

#include "soc.h"

#define PACKET_REGISTERS 0x30000000

// The address of a byte of memory, as the packet DMA has it.
static inline uint32_t packet_address(const void *byte) { return (uint32_t)(uintptr_t)byte; }

static inline uint64_t packet_clock_us(void) { return soc_clock_us(NULL); }

#endif
