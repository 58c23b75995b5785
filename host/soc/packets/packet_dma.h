// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// An engine behind a packet DMA (aes_soc_packet_dma) as a transport.
#ifndef AESFAB_PACKET_DMA_H
#define AESFAB_PACKET_DMA_H

#include "aesfab_engine.h"

// As aesfab_engine_open().
int packet_dma_open(struct aesfab_engine **engine, uint32_t timeout_us, char *message,
                    size_t size);

#endif
