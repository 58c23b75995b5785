// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Packets for engines: what a call means is put into a descriptor and pieces, and what the engine
// answers is checked. It needs no operating system.

#include "aesfab_engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport.h"

enum {
  kFewestSlots = 2,
  kMostSlots = 128,
  kMostIv = 128,         // bytes, of GCM
  kPlainIv = 12,         // in the descriptor, and not in a piece
  kMostText = 0xffff,    // bytes, of CCM
  kMostAad = 0xfeff,     // the same
  kClear = 1 << 10,      // tuser of a key
  kClearAll = 1 << 11,
  kUserText = 0,
  kUserAad = 1,
  kUserIv = 2,
  kUserTag = 3,
};

// SP 800-38D: text of 2^39 - 256 bits, AAD that has its length in 64 bits.
static const uint64_t kMostGcmText = (UINT64_C(1) << 36) - 32;

// error_e of the RTL.
enum { kErrorNone = 0, kErrorSlot = 2, kErrorLength = 6, kErrorTag = 7 };

struct aesfab_engine {
  const struct aesfab_engine_transport *transport;
  void *context;
  struct aesfab_engine_info info;
  uint32_t timeout_us;
  uint32_t keyed[kMostSlots / 32];
  struct aesfab_trouble trouble;
};

static int fail(struct aesfab_engine *engine, int status, const char *detail) {
  return aesfab_note(&engine->trouble, status, detail);
}

static int broken(struct aesfab_engine *engine, int status, const char *detail) {
  const char *words = NULL;
  if (engine->transport->message != NULL) words = engine->transport->message(engine->context);
  return aesfab_note_transport(&engine->trouble, status, words != NULL ? words : detail);
}

static int usable(const struct aesfab_engine *engine) {
  if (engine == NULL) return AESFAB_E_ARGUMENT;
  return engine->trouble.failed ? AESFAB_E_FAILED : AESFAB_OK;
}

const char *aesfab_engine_message(const struct aesfab_engine *engine) {
  if (engine == NULL || engine->trouble.message[0] == '\0') return "no error";
  return engine->trouble.message;
}

///////////////////////////////////////////////////////////////////////////////
// Opening and closing
///////////////////////////////////////////////////////////////////////////////

void aesfab_engine_read_info(uint32_t value, struct aesfab_engine_info *info) {
  const uint32_t modes = value & AESFAB_ENGINE_INFO_MODES;
  memset(info, 0, sizeof *info);
  info->slots = ((value & AESFAB_ENGINE_INFO_SLOTS) >> AESFAB_ENGINE_INFO_SLOTS_SHIFT) + 1;
  info->ctr = (modes >> AESFAB_CTR & 1) != 0;
  info->gcm = (modes >> AESFAB_GCM & 1) != 0;
  info->ccm = (modes >> AESFAB_CCM & 1) != 0;
  info->key_128 = (value & AESFAB_ENGINE_INFO_KEY_128) != 0;
  info->key_192 = (value & AESFAB_ENGINE_INFO_KEY_192) != 0;
  info->key_256 = (value & AESFAB_ENGINE_INFO_KEY_256) != 0;
  info->verified = (value & AESFAB_ENGINE_INFO_VERIFIED) != 0;
}

static int send_key(struct aesfab_engine *engine, const uint8_t *key, size_t bytes, uint32_t user) {
  const int status =
      engine->transport->key(engine->context, key, bytes, user, engine->timeout_us);
  return status == AESFAB_OK ? status : broken(engine, status, "writing a key");
}

static int identify(struct aesfab_engine *engine) {
  struct aesfab_engine_info *info = &engine->info;
  const int status = engine->transport->info(engine->context, info);
  if (status != AESFAB_OK) return broken(engine, status, "asking what the engine is");
  const char *wrong = NULL;
  if (info->slots < kFewestSlots || info->slots > kMostSlots) wrong = "no possible number of slots";
  if (!info->key_128 && !info->key_192 && !info->key_256) wrong = "no key length";
  if (!info->ctr && !info->gcm && !info->ccm) wrong = "no mode of packets";
  if (wrong == NULL) return AESFAB_OK;
  char detail[80];
  snprintf(detail, sizeof detail, "it says of itself that it has %s", wrong);
  return fail(engine, AESFAB_E_DEVICE, detail);
}

static const char *missing(const struct aesfab_engine_transport *transport) {
  if (transport->info == NULL) return "info";
  if (transport->key == NULL) return "key";
  return transport->packet == NULL ? "packet" : NULL;
}

int aesfab_engine_open(struct aesfab_engine **engine,
                       const struct aesfab_engine_transport *transport, void *context,
                       uint32_t timeout_us, char *message, size_t size) {
  const struct aesfab_complaint complaint = {message, size};
  if (engine != NULL) *engine = NULL;
  const char *lacks = engine == NULL      ? "place for the engine"
                      : transport == NULL ? "transport"
                                          : missing(transport);
  int status = AESFAB_OK;
  struct aesfab_engine *opened = NULL;
  if (lacks != NULL) {
    status = AESFAB_E_ARGUMENT;
    aesfab_complain(&complaint, "%s: no %s", aesfab_status_text(status), lacks);
  } else if ((opened = calloc(1, sizeof *opened)) == NULL) {
    status = AESFAB_E_MEMORY;
    aesfab_complain(&complaint, "%s", aesfab_status_text(status));
  } else {
    opened->transport = transport;
    opened->context = context;
    opened->timeout_us = timeout_us != 0 ? timeout_us : AESFAB_TIMEOUT_US;
    status = identify(opened);
    if (status == AESFAB_OK) status = send_key(opened, NULL, 0, kClearAll);
    if (status != AESFAB_OK) aesfab_complain(&complaint, "%s", opened->trouble.message);
  }
  if (status == AESFAB_OK) {
    *engine = opened;
    return status;
  }
  if (transport != NULL && transport->close != NULL) transport->close(context);
  free(opened);
  return status;
}

void aesfab_engine_close(struct aesfab_engine **engine) {
  if (engine == NULL || *engine == NULL) return;
  struct aesfab_engine *closed = *engine;
  *engine = NULL;
  if (!closed->trouble.failed) (void)send_key(closed, NULL, 0, kClearAll);
  if (closed->transport->close != NULL) closed->transport->close(closed->context);
  free(closed);
}

int aesfab_engine_get_info(struct aesfab_engine *engine, struct aesfab_engine_info *info) {
  const int status = usable(engine);
  if (status != AESFAB_OK) return status;
  if (info == NULL) return fail(engine, AESFAB_E_ARGUMENT, "no place for the answer");
  *info = engine->info;
  return AESFAB_OK;
}

///////////////////////////////////////////////////////////////////////////////
// Keys
///////////////////////////////////////////////////////////////////////////////

static bool has_key(const struct aesfab_engine *engine, uint32_t slot) {
  return (engine->keyed[slot / 32] >> slot % 32 & 1) != 0;
}

static int check_slot(struct aesfab_engine *engine, uint32_t slot) {
  const int status = usable(engine);
  if (status != AESFAB_OK) return status;
  if (slot < engine->info.slots) return AESFAB_OK;
  return fail(engine, AESFAB_E_ARGUMENT, "the engine has not that slot");
}

int aesfab_engine_set_key(struct aesfab_engine *engine, uint32_t slot, const uint8_t *key,
                          size_t bytes) {
  int status = check_slot(engine, slot);
  if (status != AESFAB_OK) return status;
  if (key == NULL) return fail(engine, AESFAB_E_ARGUMENT, "no key");
  const struct aesfab_engine_info *info = &engine->info;
  bool has;
  switch (bytes) {
    case 16: has = info->key_128; break;
    case 24: has = info->key_192; break;
    case 32: has = info->key_256; break;
    default: return fail(engine, AESFAB_E_ARGUMENT, "a key has 16, 24 or 32 bytes");
  }
  if (!has) return fail(engine, AESFAB_E_UNSUPPORTED, "that key length");
  status = send_key(engine, key, bytes, (uint32_t)(bytes / 8 - 2) << 8 | slot);
  if (status == AESFAB_OK) engine->keyed[slot / 32] |= UINT32_C(1) << slot % 32;
  return status;
}

int aesfab_engine_clear_key(struct aesfab_engine *engine, uint32_t slot) {
  const int status = check_slot(engine, slot);
  if (status != AESFAB_OK) return status;
  engine->keyed[slot / 32] &= ~(UINT32_C(1) << slot % 32);
  return send_key(engine, NULL, 0, (uint32_t)kClear | slot);
}

int aesfab_engine_clear_keys(struct aesfab_engine *engine) {
  const int status = usable(engine);
  if (status != AESFAB_OK) return status;
  memset(engine->keyed, 0, sizeof engine->keyed);
  return send_key(engine, NULL, 0, kClearAll);
}

///////////////////////////////////////////////////////////////////////////////
// Packets
///////////////////////////////////////////////////////////////////////////////

// A buffer of a packet; null where it makes sense, else what does not.
static const char *check_buffer(const void *buffer, size_t bytes, const char *none) {
  if (bytes == 0) return NULL;
  if (buffer == NULL) return none;
  return aesfab_possible(buffer, bytes) ? NULL : "a buffer larger than memory";
}

static const char *check_buffers(const struct aesfab_aead *p, const void *tag) {
  const char *wrong = check_buffer(p->iv, p->iv_bytes, "no IV");
  if (wrong == NULL) wrong = check_buffer(p->aad, p->aad_bytes, "no AAD");
  if (wrong == NULL) wrong = check_buffer(p->in, p->bytes, "no buffer");
  if (wrong == NULL) wrong = check_buffer(p->out, p->bytes, "no buffer");
  if (wrong == NULL) wrong = check_buffer(tag, p->tag_bytes, "no tag");
  if (wrong != NULL || p->bytes == 0) return wrong;
  if (p->in != p->out && aesfab_overlap(p->in, p->bytes, p->out, p->bytes)) {
    return "the buffers overlap and are not the same";
  }
  const struct {
    const void *buffer;
    size_t bytes;
  } beside[] = {
      {p->iv, p->iv_bytes}, {p->aad, p->aad_bytes}, {tag, p->tag_bytes}, {p, sizeof *p}};
  for (size_t i = 0; i < sizeof beside / sizeof *beside; ++i) {
    if (beside[i].bytes != 0 &&
        aesfab_overlap(beside[i].buffer, beside[i].bytes, p->out, p->bytes)) {
      return "out overlaps IV, AAD, tag or the packet";
    }
  }
  return NULL;
}

// Lengths of IV and tag.
static const char *check_lengths(const struct aesfab_aead *p) {
  const bool even = p->tag_bytes % 2 == 0;
  switch (p->mode) {
    case AESFAB_CTR: return NULL;
    case AESFAB_GCM:
      if (p->iv_bytes < 1 || p->iv_bytes > kMostIv) return "an IV of GCM has 1 to 128 bytes";
      if (p->tag_bytes != 4 && p->tag_bytes != 8 && (p->tag_bytes < 12 || p->tag_bytes > 16)) {
        return "a tag of GCM has 4, 8 or 12 to 16 bytes";
      }
      return NULL;
    default:
      if (p->iv_bytes < 7 || p->iv_bytes > 13) return "a nonce of CCM has 7 to 13 bytes";
      if (p->tag_bytes < 4 || p->tag_bytes > 16 || !even) {
        return "a tag of CCM has 4, 6, 8, 10, 12, 14 or 16 bytes";
      }
      return NULL;
  }
}

// Whether the standard, or the engine, has packets of that length.
static bool too_long(const struct aesfab_aead *p) {
  if (p->mode == AESFAB_GCM) {
    return (uint64_t)p->bytes > kMostGcmText || (uint64_t)p->aad_bytes > kMostGcmText;
  }
  return p->mode == AESFAB_CCM && (p->bytes > kMostText || p->aad_bytes > kMostAad);
}

static int check(struct aesfab_engine *engine, const struct aesfab_aead *p, const void *tag) {
  const int status = check_slot(engine, p->slot);
  if (status != AESFAB_OK) return status;
  const struct aesfab_engine_info *info = &engine->info;
  const bool has = (p->mode == AESFAB_CTR && info->ctr) || (p->mode == AESFAB_GCM && info->gcm) ||
                   (p->mode == AESFAB_CCM && info->ccm);
  if (!has) return fail(engine, AESFAB_E_UNSUPPORTED, "that mode");
  if (!has_key(engine, p->slot)) return fail(engine, AESFAB_E_NO_KEY, "in that slot");
  const char *wrong = check_lengths(p);
  if (wrong == NULL) wrong = check_buffers(p, tag);
  if (wrong != NULL) return fail(engine, AESFAB_E_ARGUMENT, wrong);
  if (too_long(p)) return fail(engine, AESFAB_E_LENGTH, "a packet longer than the mode has");
  return AESFAB_OK;
}

// Up to four bytes, the first one lowest. A small C library would copy them one by one too.
static uint32_t word_of(const uint8_t *bytes, size_t number) {
  uint32_t word = bytes[0];
  if (number > 1) word |= (uint32_t)bytes[1] << 8;
  if (number > 2) word |= (uint32_t)bytes[2] << 16;
  if (number > 3) word |= (uint32_t)bytes[3] << 24;
  return word;
}

static void add(struct aesfab_packet *packet, const void *data, size_t bytes, uint32_t user) {
  if (bytes == 0) return;
  const struct aesfab_piece piece = {data, bytes, user};
  packet->pieces[packet->number++] = piece;
}

// The descriptor and pieces of a packet, as the data sheet of an engine has them.
static void describe(struct aesfab_packet *packet, const struct aesfab_aead *p, const void *tag,
                     bool decrypt) {
  const uint8_t *const iv = p->iv;
  const bool ccm = p->mode == AESFAB_CCM;
  const bool apart = p->mode == AESFAB_GCM && p->iv_bytes != kPlainIv;
  packet->number = 0;
  for (size_t i = 0; i < 8; ++i) packet->descriptor[i] = 0;
  if (apart) {
    add(packet, iv, p->iv_bytes, kUserIv);
  } else {
    for (size_t i = 0; i < p->iv_bytes; i += 4) {
      packet->descriptor[i / 4] = word_of(iv + i, p->iv_bytes - i);
    }
  }
  add(packet, p->aad, p->aad_bytes, kUserAad);
  add(packet, p->in, p->bytes, kUserText);
  if (decrypt) add(packet, tag, p->tag_bytes, kUserTag);
  uint32_t flags = (uint32_t)p->mode;
  if (ccm) {
    flags |= (uint32_t)decrypt << 4;
    packet->descriptor[5] = (uint32_t)p->bytes | (uint32_t)p->aad_bytes << 16;
  } else {
    flags |= (uint32_t)decrypt << 3 | (uint32_t)(packet->number == 0) << 4;
  }
  packet->descriptor[4] = flags | p->slot << 8 | (uint32_t)p->iv_bytes << 16 |
                          (uint32_t)p->tag_bytes << 24;
  packet->text = p->out;
  packet->text_bytes = p->bytes;
}

// What the last beat says of a packet.
static int judge(struct aesfab_engine *engine, const struct aesfab_aead *p,
                 const struct aesfab_answer *answer) {
  const bool last = (answer->user & 1) != 0;
  const bool right = (answer->user & 2) != 0;
  const uint32_t error = answer->user >> 2;
  char detail[48];
  if (last && right && error == kErrorNone && answer->text_bytes == p->bytes) return AESFAB_OK;
  switch (last && !right ? error : kErrorNone) {
    case kErrorTag: return fail(engine, AESFAB_E_TAG, NULL);
    case kErrorLength:
      return fail(engine, AESFAB_E_LENGTH, "a packet longer than what waits for its tag");
    case kErrorSlot: return fail(engine, AESFAB_E_RESET, "the slot has no key");
    default:
      snprintf(detail, sizeof detail, "the end of a packet is 0x%02" PRIx32, answer->user);
      return fail(engine, AESFAB_E_DEVICE, detail);
  }
}

static int run(struct aesfab_engine *engine, const struct aesfab_aead *p, const void *tag,
               void *made, bool decrypt) {
  if (engine == NULL) return AESFAB_E_ARGUMENT;
  if (p == NULL) return fail(engine, AESFAB_E_ARGUMENT, "no packet");
  int status = check(engine, p, decrypt ? tag : made);
  if (status != AESFAB_OK) return status;
  struct aesfab_packet sent;
  struct aesfab_answer answer = {.user = 0};
  describe(&sent, p, tag, decrypt && p->mode != AESFAB_CTR);
  status = engine->transport->packet(engine->context, &sent, &answer, engine->timeout_us);
  status = status == AESFAB_OK ? judge(engine, p, &answer) : broken(engine, status, "a packet");
  if (status == AESFAB_OK) {
    if (!decrypt && made != NULL) memcpy(made, answer.data, p->tag_bytes);
  } else if (decrypt && p->bytes > 0) {
    aesfab_wipe(p->out, p->bytes);
  }
  return status;
}

// Counter mode has a call of its own, which has no tag.
static int refuse_ctr(struct aesfab_engine *engine, const struct aesfab_aead *packet) {
  if (engine == NULL || packet == NULL || packet->mode != AESFAB_CTR) return AESFAB_OK;
  const int status = usable(engine);
  return status != AESFAB_OK ? status : fail(engine, AESFAB_E_ARGUMENT, "a mode without a tag");
}

int aesfab_aead_encrypt(struct aesfab_engine *engine, const struct aesfab_aead *packet, void *tag) {
  const int status = refuse_ctr(engine, packet);
  return status != AESFAB_OK ? status : run(engine, packet, NULL, tag, false);
}

int aesfab_aead_decrypt(struct aesfab_engine *engine, const struct aesfab_aead *packet,
                        const void *tag) {
  const int status = refuse_ctr(engine, packet);
  return status != AESFAB_OK ? status : run(engine, packet, tag, NULL, true);
}

int aesfab_engine_ctr(struct aesfab_engine *engine, uint32_t slot, const uint8_t block[16],
                      const void *in, void *out, size_t bytes) {
  const struct aesfab_aead packet = {
      .mode = AESFAB_CTR,
      .slot = slot,
      .iv = block,
      .iv_bytes = AESFAB_BLOCK_BYTES,
      .in = in,
      .out = out,
      .bytes = bytes,
  };
  if (engine == NULL) return AESFAB_E_ARGUMENT;
  return run(engine, &packet, NULL, NULL, false);
}
