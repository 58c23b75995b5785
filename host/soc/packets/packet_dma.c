// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Packets by DMA: registers as aes_soc_packet_dma.sv has them; packet_port.h says where they are.
//
// A packet is a descriptor, then its pieces one after the other; its text goes into RAM meanwhile,
// and its last beat ends it.
//
// The fences are for the compiler alone: they keep loads and stores of the caller's buffers on their
// side of a packet. Nothing is between processor and memory in aes_soc_packets. With a data cache or
// a write buffer, map that RAM uncached; or write back what is sent at the first fence of packet(),
// and invalidate where the text goes at the second one.

#include "packet_dma.h"

#include <stdatomic.h>

#include "packet_port.h"

struct packet_registers {
  uint32_t source;
  uint32_t piece;
  uint32_t target;
  uint32_t room;
  uint32_t status;
  uint32_t key;
  uint32_t desc;
  uint32_t info;
  uint32_t words[8];
  uint32_t result[4];
};

#define PACKETS ((volatile struct packet_registers *)PACKET_REGISTERS)

enum {
  kStatusKey = 1 << 0,
  kStatusDesc = 1 << 1,
  kStatusPiece = 1 << 2,
  kStatusText = 1 << 3,
  kStatusResult = 1 << 4,
  kStatusLost = 1 << 5,
  kPieceUserShift = 24,
  kLooks = 64,  // at STATUS, for one at the clock
};

static const uint32_t kForget = UINT32_C(1) << 31;      // of STATUS
static const uint32_t kPieceLast = UINT32_C(1) << 31;   // of PIECE
static const uint32_t kMostBytes = UINT32_C(0xffffff);  // of a piece, and of a text

// Waits until the masked bits of STATUS are those. Progress is what PIECE and ROOM tell.
static int wait_status(uint32_t mask, uint32_t bits, uint32_t timeout_us) {
  uint32_t seen = 0;
  uint64_t start = 0;
  for (uint32_t looks = 0;; ++looks) {
    if ((PACKETS->status & mask) == bits) return AESFAB_OK;
    if (looks % kLooks != kLooks - 1) continue;
    const uint32_t left = PACKETS->piece + PACKETS->room;
    const uint64_t now = packet_clock_us();
    if (left != seen || looks == kLooks - 1) {
      seen = left;
      start = now;
    } else if (now - start > timeout_us) {
      PACKETS->status = kForget;
      return AESFAB_E_TIMEOUT;
    }
  }
}

static int info(void *context, struct aesfab_engine_info *told) {
  (void)context;
  aesfab_engine_read_info(PACKETS->info, told);
  return AESFAB_OK;
}

static int key(void *context, const uint8_t *bytes, size_t number, uint32_t user,
               uint32_t timeout_us) {
  (void)context;
  for (size_t i = 0; i < 8; ++i) {
    uint32_t word = 0;
    for (size_t j = 0; j < 4 && 4 * i + j < number; ++j) word |= (uint32_t)bytes[4 * i + j] << 8 * j;
    PACKETS->words[i] = word;
  }
  PACKETS->key = user;
  return wait_status(kStatusKey, 0, timeout_us);
}

static int packet(void *context, const struct aesfab_packet *sent, struct aesfab_answer *answer,
                  uint32_t timeout_us) {
  (void)context;
  for (size_t i = 0; i < sent->number; ++i) {
    if (sent->pieces[i].bytes > kMostBytes) return AESFAB_E_MEMORY;
  }
  PACKETS->status = 0;
  PACKETS->target = packet_address(sent->text);
  PACKETS->room = (uint32_t)sent->text_bytes;
  for (size_t i = 0; i < 6; ++i) PACKETS->words[i] = sent->descriptor[i];
  atomic_signal_fence(memory_order_seq_cst);
  PACKETS->desc = 0;
  int status = AESFAB_OK;
  for (size_t i = 0; i < sent->number && status == AESFAB_OK; ++i) {
    const struct aesfab_piece *piece = &sent->pieces[i];
    PACKETS->source = packet_address(piece->data);
    PACKETS->piece = (uint32_t)piece->bytes | piece->user << kPieceUserShift |
                     (i + 1 == sent->number ? kPieceLast : 0);
    status = wait_status(kStatusPiece, 0, timeout_us);
  }
  if (status == AESFAB_OK) {
    status = wait_status(kStatusResult | kStatusText | kStatusDesc, kStatusResult, timeout_us);
  }
  atomic_signal_fence(memory_order_seq_cst);
  if (status != AESFAB_OK) return status;
  const uint32_t ended = PACKETS->status;
  if ((ended & kStatusLost) != 0) return AESFAB_E_DEVICE;
  answer->user = ended >> 8 & 0x3f;
  answer->text_bytes = sent->text_bytes - PACKETS->room;
  for (size_t i = 0; i < 4; ++i) {
    const uint32_t word = PACKETS->result[i];
    uint8_t *const bytes = answer->data + 4 * i;
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    bytes[2] = (uint8_t)(word >> 16);
    bytes[3] = (uint8_t)(word >> 24);
  }
  return AESFAB_OK;
}

int packet_dma_open(struct aesfab_engine **engine, uint32_t timeout_us, char *message,
                    size_t size) {
  static const struct aesfab_engine_transport kTransport = {
      .name = "packets",
      .info = info,
      .key = key,
      .packet = packet,
  };
  PACKETS->status = kForget;
  return aesfab_engine_open(engine, &kTransport, NULL, timeout_us, message, size);
}
