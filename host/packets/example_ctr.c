// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A packet that is encrypted or decrypted in place, in counter mode, by the engine behind a packet
// DMA.
#include "aesfab_engine.h"
#include "packet_dma.h"

int crypt_packet(const uint8_t *key, size_t key_bytes, const uint8_t first_block[16],
                 uint8_t *text, size_t bytes) {
  struct aesfab_engine *engine;
  int status = packet_dma_open(&engine, 0, NULL, 0);
  if (status != AESFAB_OK) return status;
  status = aesfab_engine_set_key(engine, 0, key, key_bytes);
  if (status == AESFAB_OK) status = aesfab_engine_ctr(engine, 0, first_block, text, text, bytes);
  aesfab_engine_close(&engine);
  return status;
}
