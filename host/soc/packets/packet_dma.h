// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The engine of aes_soc_packets as a transport.
#ifndef AESFAB_PACKET_DMA_H
#define AESFAB_PACKET_DMA_H

#include "aesfab_engine.h"

// As aesfab_engine_open().
int soc_open_engine(struct aesfab_engine **engine, uint32_t timeout_us, char *message,
                    size_t size);

#endif
