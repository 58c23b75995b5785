// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A packet that is encrypted in place by the engine behind a packet DMA, with 13 bytes under its tag
// that are not encrypted. mode is AESFAB_GCM or AESFAB_CCM.
#include "aesfab_engine.h"
#include "packet_dma.h"

int encrypt_packet(enum aesfab_mode mode, const uint8_t *key, size_t key_bytes,
                   const uint8_t iv[12], const uint8_t header[13], uint8_t *text, size_t bytes,
                   uint8_t tag[16]) {
  struct aesfab_engine *engine;
  int status = packet_dma_open(&engine, 0, NULL, 0);
  if (status != AESFAB_OK) return status;
  status = aesfab_engine_set_key(engine, 0, key, key_bytes);
  const struct aesfab_aead packet = {.mode = mode,
                                     .slot = 0,
                                     .iv = iv,
                                     .iv_bytes = 12,
                                     .aad = header,
                                     .aad_bytes = 13,
                                     .in = text,
                                     .out = text,
                                     .bytes = bytes,
                                     .tag_bytes = 16};
  if (status == AESFAB_OK) status = aesfab_aead_encrypt(engine, &packet, tag);
  aesfab_engine_close(&engine);
  return status;
}
