// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// An engine behind a packet DMA (aes_soc_packet_dma) as a transport.
#ifndef AESFAB_PACKET_DMA_H
#define AESFAB_PACKET_DMA_H

#include "aesfab_engine.h"

// As aesfab_engine_open(). A packet that ends with AESFAB_E_TIMEOUT leaves the engine in its middle,
// and what the packet DMA had offered is taken back: the engine and the packet DMA need a reset
// (rst_ni) before this is called again. Keys are gone with it.
int packet_dma_open(struct aesfab_engine **engine, uint32_t timeout_us, char *message,
                    size_t size);

#endif
