// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The engine of aes_soc_packets as a transport.
#ifndef AESFAB_PACKET_DMA_H
#define AESFAB_PACKET_DMA_H

#include "aesfab_engine.h"

int soc_open_engine(struct aesfab_engine **engine, char *message, size_t size);

#endif
