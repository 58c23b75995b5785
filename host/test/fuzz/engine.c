// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Random packet calls of libaesfab, each with the status that it must answer, for sanitizers:
//
//   engine MODE SEED SESSIONS
//
//   model    an engine in C, which does as docs/engines.md says but for its cipher
//   faulty   the same, whose transport fails in one call of a session, or which answers what cannot be
//
// The cipher of the model is no AES: key stream and tag are a mixture of all that they must depend
// on, so a packet that is described wrongly comes out wrong. What a call must answer, and what must
// stand in memory afterwards, is worked out from the call beside.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aesfab_engine.h"
#include "model.h"

enum { kSlots = 4, kMost = 400, kMemory = 4096, kSessions = 60, kHeld = 128 };

// error_e of the RTL.
enum { kRight = 0, kNoSlot = 2, kTooLong = 6, kWrongTag = 7 };

struct packet_model {
  struct aesfab_engine_info info;
  uint8_t keys[kSlots][32];
  uint32_t key_bytes[kSlots];  // 0: none
  uint32_t calls, closed;
  uint32_t fault_in;  // calls from now; 0: none
  int fault;          // a status, or -1: the last beat is nonsense, -2: a byte of text is missing
  bool lied;          // of these two it was one
};

static uint64_t statuses[AESFAB_E_TAG + 1];

static void check(bool holds, const char *what, uint64_t seed) {
  if (holds) return;
  printf("engine: session %llu: %s\n", (unsigned long long)seed, what);
  exit(1);
}

///////////////////////////////////////////////////////////////////////////////
// The model
///////////////////////////////////////////////////////////////////////////////

static uint64_t mix(uint64_t sum, const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    sum = (sum ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    sum ^= sum >> 29;
  }
  return sum;
}

struct toy {
  uint32_t mode;
  const uint8_t *key, *iv, *aad;
  size_t key_bytes, iv_bytes, aad_bytes, tag_bytes;
};

static uint64_t begin(const struct toy *toy) {
  const uint64_t sizes[4] = {toy->mode, toy->key_bytes, toy->iv_bytes, toy->tag_bytes};
  return mix(mix(mix(1, sizes, sizeof sizes), toy->key, toy->key_bytes), toy->iv, toy->iv_bytes);
}

// Key stream over text, and the tag over AAD and what is encrypted.
static void toy_crypt(const struct toy *toy, const uint8_t *in, uint8_t *out, size_t bytes) {
  const uint64_t start = begin(toy);
  for (size_t i = 0; i < bytes; ++i) out[i] = in[i] ^ (uint8_t)mix(start, &i, sizeof i);
}

static void toy_tag(const struct toy *toy, const uint8_t *sealed, size_t bytes, uint8_t tag[16]) {
  uint64_t sum = mix(begin(toy), toy->aad, toy->aad_bytes);
  sum = mix(mix(sum, &toy->aad_bytes, sizeof toy->aad_bytes), sealed, bytes);
  for (size_t i = 0; i < 16; ++i) {
    sum = mix(sum, &i, sizeof i);
    tag[i] = (uint8_t)(sum >> 32);
  }
}

static bool fails(struct packet_model *model) {
  ++model->calls;
  return model->fault_in != 0 && --model->fault_in == 0;
}

static int model_info(void *context, struct aesfab_engine_info *info) {
  struct packet_model *const model = context;
  *info = model->info;
  return fails(model) && model->fault >= 0 ? model->fault : AESFAB_OK;
}

static int model_key(void *context, const uint8_t *key, size_t bytes, uint32_t user,
                     uint32_t timeout_us) {
  struct packet_model *const model = context;
  const uint32_t slot = user & 0xff;
  if (timeout_us == 0) abort();
  if (fails(model) && model->fault >= 0) return model->fault;
  if ((user & 0x800) != 0) {
    if (bytes != 0) abort();
    memset(model->key_bytes, 0, sizeof model->key_bytes);
  } else if (slot >= model->info.slots) {
    abort();
  } else {
    if ((user & 0x400) != 0 ? bytes != 0 : bytes != 16 + 8 * (user >> 8 & 3)) abort();
    memset(model->keys[slot], 0, sizeof model->keys[slot]);
    if (bytes != 0) memcpy(model->keys[slot], key, bytes);
    model->key_bytes[slot] = (uint32_t)bytes;
  }
  return AESFAB_OK;
}

static int model_packet(void *context, const struct aesfab_packet *packet,
                        struct aesfab_answer *answer, uint32_t timeout_us) {
  struct packet_model *const model = context;
  if (timeout_us == 0) abort();
  const bool failing = fails(model);
  const uint32_t word = packet->descriptor[4];
  const bool ccm = (word & 0xf) == AESFAB_CCM;
  const uint32_t mode = ccm ? word & 0xf : word & 7;
  const bool decrypt = (word >> (ccm ? 4 : 3) & 1) != 0;
  const uint32_t slot = word >> 8 & 0xff;
  struct toy toy = {.mode = mode, .iv_bytes = word >> 16 & 0xff, .tag_bytes = word >> 24};
  const uint8_t *text = NULL, *tag = NULL;
  size_t bytes = 0, tag_bytes = 0;
  uint32_t before = 0;
  static const uint32_t kOrder[4] = {3, 2, 1, 4};  // of text, AAD, IV, tag
  uint8_t nonce[16];
  for (size_t i = 0; i < 16; ++i) nonce[i] = (uint8_t)(packet->descriptor[i / 4] >> 8 * (i % 4));
  toy.iv = nonce;
  for (size_t i = 0; i < packet->number; ++i) {
    const struct aesfab_piece *piece = &packet->pieces[i];
    if (piece->bytes == 0 || piece->user > 3 || kOrder[piece->user] <= before) abort();
    before = kOrder[piece->user];
    switch (piece->user) {
      case 0: text = piece->data, bytes = piece->bytes; break;
      case 1: toy.aad = piece->data, toy.aad_bytes = piece->bytes; break;
      case 2:
        toy.iv = piece->data;
        if (piece->bytes != toy.iv_bytes || mode != AESFAB_GCM) abort();
        break;
      default: tag = piece->data, tag_bytes = piece->bytes; break;
    }
  }
  if (mode == AESFAB_GCM && (toy.iv == nonce) != (toy.iv_bytes == 12)) abort();
  if (!ccm && (word >> 4 & 1) != (packet->number == 0)) abort();
  if (ccm && packet->descriptor[5] != (bytes | toy.aad_bytes << 16)) abort();
  if (packet->text_bytes != bytes) abort();
  if (tag_bytes != (decrypt && mode != AESFAB_CTR ? toy.tag_bytes : 0)) abort();
  if (failing && model->fault >= 0) return model->fault;
  answer->text_bytes = 0;
  memset(answer->data, 0, sizeof answer->data);
  if (slot >= model->info.slots || model->key_bytes[slot] == 0) {
    answer->user = kNoSlot << 2 | 1;
    return AESFAB_OK;
  }
  const bool held = model->info.verified && decrypt && mode != AESFAB_CTR;
  if (held && bytes > kHeld) {
    answer->user = kTooLong << 2 | 1;
    return AESFAB_OK;
  }
  toy.key = model->keys[slot];
  toy.key_bytes = model->key_bytes[slot];
  uint8_t right[16] = {0};
  if (mode != AESFAB_CTR && decrypt) toy_tag(&toy, text, bytes, right);
  const bool wrong = decrypt && tag_bytes != 0 && memcmp(tag, right, tag_bytes) != 0;
  if (!wrong || !held) {
    toy_crypt(&toy, text, packet->text, bytes);
    answer->text_bytes = bytes;
  }
  if (mode != AESFAB_CTR && !decrypt) {
    toy_tag(&toy, packet->text, bytes, right);
    memcpy(answer->data, right, toy.tag_bytes);
  }
  answer->user = wrong ? kWrongTag << 2 | 1 : 3;
  static const uint32_t kNonsense[] = {0, 1, 2, 1u << 2 | 3};
  if (failing && model->fault == -1) answer->user = kNonsense[model->calls % 4];
  if (failing && model->fault == -2) ++answer->text_bytes;
  model->lied = failing && (model->fault == -1 || !wrong);
  return AESFAB_OK;
}

static void model_close(void *context) { ++((struct packet_model *)context)->closed; }

static const struct aesfab_engine_transport kEngine = {
    .name = "model",
    .info = model_info,
    .key = model_key,
    .packet = model_packet,
    .close = model_close,
};

///////////////////////////////////////////////////////////////////////////////
// Calls
///////////////////////////////////////////////////////////////////////////////

struct session {
  uint64_t seed;
  struct random random;
  struct packet_model model;
  struct aesfab_engine *engine;
  uint8_t keys[kSlots][32];
  size_t key_bytes[kSlots];
  bool failed, faulty;
};

static bool odds(struct session *s, uint32_t number) {
  return random_below(&s->random, number) == 0;
}

// Whether a call that must answer that answered it. A fault may take its place.
static bool answered(struct session *s, int got, int wanted) {
  if (got < 0 || got > AESFAB_E_TAG) check(false, "no status", s->seed);
  ++statuses[got];
  if (s->failed) wanted = AESFAB_E_FAILED;
  if (got == wanted && !s->model.lied) return true;
  const bool fault = s->faulty && s->model.fault_in == 0 && !s->failed;
  const int fails = s->model.fault;
  const bool known = fails == AESFAB_E_MEMORY || fails == AESFAB_E_SYSTEM ||
                     (fails >= AESFAB_E_BUS && fails < AESFAB_E_FAILED);
  const int as = fails < 0 ? AESFAB_E_DEVICE : known ? fails : AESFAB_E_BUS;
  if (!fault || got != as) {
    printf("answered %d, not %d; ", got, wanted);
    check(false, aesfab_engine_message(s->engine), s->seed);
  }
  s->failed = true;
  s->model.lied = false;
  return false;
}

static void set_key(struct session *s) {
  static const size_t kSizes[] = {16, 24, 32, 16, 16, 0, 15, 33};
  const uint32_t slot = random_below(&s->random, kSlots + 1);
  const size_t bytes = kSizes[random_below(&s->random, 8)];
  const bool none = odds(s, 20);
  uint8_t key[33];
  random_bytes(&s->random, key, sizeof key);
  const struct aesfab_engine_info *info = &s->model.info;
  const bool has = bytes == 16 ? info->key_128 : bytes == 24 ? info->key_192 : info->key_256;
  const int wanted = slot >= info->slots || none ? AESFAB_E_ARGUMENT
                     : bytes != 16 && bytes != 24 && bytes != 32 ? AESFAB_E_ARGUMENT
                     : !has                                       ? AESFAB_E_UNSUPPORTED
                                                                  : AESFAB_OK;
  const int got = aesfab_engine_set_key(s->engine, slot, none ? NULL : key, bytes);
  if (answered(s, got, wanted) && got == AESFAB_OK) {
    memcpy(s->keys[slot], key, bytes);
    s->key_bytes[slot] = bytes;
  }
}

static void clear(struct session *s) {
  if (odds(s, 3)) {
    if (answered(s, aesfab_engine_clear_keys(s->engine), AESFAB_OK)) {
      memset(s->key_bytes, 0, sizeof s->key_bytes);
    }
    return;
  }
  const uint32_t slot = random_below(&s->random, kSlots + 1);
  const bool there = slot < s->model.info.slots;
  const int got = aesfab_engine_clear_key(s->engine, slot);
  if (answered(s, got, there ? AESFAB_OK : AESFAB_E_ARGUMENT) && there) s->key_bytes[slot] = 0;
}

// A place for so many bytes in memory of which the last byte is the last that may be touched.
static size_t place(struct session *s, size_t *next, size_t bytes) {
  const size_t at = *next + random_below(&s->random, 8);
  *next = at + bytes;
  return at;
}

static bool meets(size_t a, size_t a_bytes, size_t b, size_t b_bytes) {
  return a_bytes != 0 && b_bytes != 0 && a < b + b_bytes && b < a + a_bytes;
}

static void packet(struct session *s) {
  static const uint32_t kModes[] = {AESFAB_CTR, AESFAB_GCM, AESFAB_CCM, 5};
  static const size_t kIvs[] = {12, 12, 7, 13, 0, 1, 128, 129, 16};
  static const size_t kTags[] = {16, 16, 4, 12, 13, 6, 3, 17, 0, 8, 2};
  const struct aesfab_engine_info *info = &s->model.info;
  const uint32_t mode = kModes[odds(s, 15) ? 3 : random_below(&s->random, 3)];
  const bool ctr = mode == AESFAB_CTR;
  const bool decrypt = !ctr && odds(s, 2);
  const bool in_place = odds(s, 2);
  size_t iv_bytes = kIvs[odds(s, 4) ? random_below(&s->random, 9) : random_below(&s->random, 4)];
  size_t tag_bytes = kTags[odds(s, 4) ? random_below(&s->random, 11) : random_below(&s->random, 4)];
  size_t aad_bytes = odds(s, 3) ? 0 : random_below(&s->random, 50);
  const size_t bytes = odds(s, 5) ? 0 : random_below(&s->random, odds(s, 3) ? kMost : 40);
  const uint32_t slot = random_below(&s->random, kSlots + 1);
  if (ctr) iv_bytes = 16, aad_bytes = tag_bytes = 0;
  // Everything stands in memory of just its size, in any order of places, so that none overlaps; in
  // one of ten calls out is moved over something else.
  size_t next = 0;
  const size_t iv = place(s, &next, iv_bytes), aad = place(s, &next, aad_bytes);
  const size_t in = place(s, &next, bytes), tag = place(s, &next, tag_bytes);
  size_t out = in_place ? in : place(s, &next, bytes);
  if (odds(s, 10)) out = random_below(&s->random, (uint32_t)next);
  if (out + bytes > next) next = out + bytes;
  uint8_t *const memory = malloc(next + 1), *const wanted = malloc(next + 1);
  if (memory == NULL || wanted == NULL) exit(2);
  random_bytes(&s->random, memory, next + 1);
  const struct toy toy = {
      .mode = mode,
      .key = s->keys[slot < kSlots ? slot : 0],
      .key_bytes = s->key_bytes[slot < kSlots ? slot : 0],
      .iv = memory + iv,
      .iv_bytes = iv_bytes,
      .aad = memory + aad,
      .aad_bytes = aad_bytes,
      .tag_bytes = tag_bytes,
  };
  uint8_t right[16];
  const bool forged = decrypt && odds(s, 4);
  if (decrypt && tag_bytes <= 16) {
    toy_tag(&toy, memory + in, bytes, right);
    memcpy(memory + tag, right, tag_bytes);
    if (forged && tag_bytes != 0) memory[tag + random_below(&s->random, (uint32_t)tag_bytes)] ^= 4;
  }
  memcpy(wanted, memory, next + 1);

  // What it must answer.
  const bool has = (ctr && info->ctr) || (mode == AESFAB_GCM && info->gcm) ||
                   (mode == AESFAB_CCM && info->ccm);
  const bool lengths =
      ctr || (mode == AESFAB_GCM
                  ? iv_bytes >= 1 && iv_bytes <= 128 &&
                        (tag_bytes == 4 || tag_bytes == 8 || (tag_bytes >= 12 && tag_bytes <= 16))
                  : iv_bytes >= 7 && iv_bytes <= 13 && tag_bytes >= 4 && tag_bytes <= 16 &&
                        tag_bytes % 2 == 0);
  const bool overlaps = (out != in && meets(in, bytes, out, bytes)) ||
                        meets(iv, iv_bytes, out, bytes) || meets(aad, aad_bytes, out, bytes) ||
                        meets(tag, tag_bytes, out, bytes);
  int status = AESFAB_OK;
  if (slot >= info->slots) status = AESFAB_E_ARGUMENT;
  else if (!has) status = AESFAB_E_UNSUPPORTED;
  else if (s->key_bytes[slot] == 0) status = AESFAB_E_NO_KEY;
  else if (!lengths || overlaps) status = AESFAB_E_ARGUMENT;
  else if (decrypt && info->verified && bytes > kHeld) status = AESFAB_E_LENGTH;
  else if (forged) status = AESFAB_E_TAG;
  const bool reaches = status == AESFAB_OK || status == AESFAB_E_LENGTH || status == AESFAB_E_TAG;
  if (status == AESFAB_OK) {
    toy_crypt(&toy, memory + in, wanted + out, bytes);
    if (!decrypt && !ctr) {
      toy_tag(&toy, wanted + out, bytes, right);
      memcpy(wanted + tag, right, tag_bytes);
    }
  } else if (reaches) {
    memset(wanted + out, 0, bytes);
  }

  const struct aesfab_aead call = {
      .mode = (enum aesfab_mode)mode,
      .slot = slot,
      .iv = memory + iv,
      .iv_bytes = iv_bytes,
      .aad = aad_bytes == 0 && odds(s, 2) ? NULL : memory + aad,
      .aad_bytes = aad_bytes,
      .in = bytes == 0 && odds(s, 2) ? NULL : memory + in,
      .out = bytes == 0 && odds(s, 2) ? NULL : memory + out,
      .bytes = bytes,
      .tag_bytes = tag_bytes,
  };
  const uint32_t calls = s->model.calls;
  const bool was_failed = s->failed;
  const int got = ctr       ? aesfab_engine_ctr(s->engine, slot, call.iv, call.in, call.out, bytes)
                  : decrypt ? aesfab_aead_decrypt(s->engine, &call, memory + tag)
                            : aesfab_aead_encrypt(s->engine, &call, memory + tag);
  if (answered(s, got, status) && !was_failed) {
    check(memcmp(memory, wanted, next + 1) == 0, "memory is not as it must be", s->seed);
    check(s->model.calls == calls + reaches, "a call that is refused went to the engine", s->seed);
  } else if (decrypt && reaches && !was_failed) {
    for (size_t i = 0; i < bytes; ++i) check(memory[out + i] == 0, "text stays", s->seed);
  }
  if (was_failed) check(s->model.calls == calls, "a dead engine was asked", s->seed);
  free(memory);
  free(wanted);
}

// Calls that are wrong in themselves, and a transport that is not whole.
static void nonsense(struct session *s) {
  struct aesfab_aead call = {.mode = AESFAB_CTR};
  uint8_t tag[16];
  const int refused = s->failed ? AESFAB_E_FAILED : AESFAB_E_ARGUMENT;
  check(aesfab_aead_encrypt(s->engine, &call, tag) == refused, "CTR with a tag", s->seed);
  check(aesfab_aead_encrypt(NULL, &call, tag) == AESFAB_E_ARGUMENT, "no engine", s->seed);
  check(aesfab_aead_decrypt(s->engine, NULL, tag) == AESFAB_E_ARGUMENT, "no packet", s->seed);
  check(aesfab_engine_ctr(NULL, 0, tag, NULL, NULL, 0) == AESFAB_E_ARGUMENT, "no engine", s->seed);
  check(aesfab_engine_get_info(s->engine, NULL) == refused, "no place", s->seed);
  struct aesfab_engine *other;
  struct aesfab_engine_transport part = kEngine;
  struct packet_model model = {.info = s->model.info};
  switch (random_below(&s->random, 3)) {
    case 0: part.info = NULL; break;
    case 1: part.key = NULL; break;
    default: part.packet = NULL; break;
  }
  char message[80];
  check(aesfab_engine_open(&other, &part, &model, 0, message, sizeof message) == AESFAB_E_ARGUMENT &&
            other == NULL && model.closed == 1,
        "half a transport", s->seed);
  model.closed = 0;
  switch (random_below(&s->random, 4)) {
    case 0: model.info.slots = 1; break;
    case 1: model.info.slots = 256; break;
    case 2: model.info.key_128 = model.info.key_192 = model.info.key_256 = false; break;
    default: model.info.ctr = model.info.gcm = model.info.ccm = false; break;
  }
  check(aesfab_engine_open(&other, &kEngine, &model, 0, message, sizeof message) == AESFAB_E_DEVICE &&
            other == NULL && model.closed == 1,
        "an engine that cannot be", s->seed);
}

static void run(uint64_t seed, bool faulty) {
  struct session s = {.seed = seed, .faulty = faulty};
  random_seed(&s.random, seed);
  const uint32_t kind = random_below(&s.random, 3);
  s.model.info = (struct aesfab_engine_info){
      .slots = kSlots,
      .ctr = kind != 2,
      .gcm = kind == 1,
      .ccm = kind == 2,
      .key_128 = true,
      .key_192 = odds(&s, 2),
      .key_256 = odds(&s, 2),
      .verified = odds(&s, 2),
  };
  char message[80];
  if (faulty) {
    s.model.fault_in = 1 + random_below(&s.random, 20);
    s.model.fault = (int)random_below(&s.random, 18) - 2;
    if (s.model.fault == AESFAB_OK) s.model.fault = 1000;
  }
  const int opened = aesfab_engine_open(&s.engine, &kEngine, &s.model, 0, message, sizeof message);
  if (opened != AESFAB_OK) {
    check(faulty && s.engine == NULL && s.model.closed == 1, message, seed);
    ++statuses[opened];
    return;
  }
  for (int i = 0; i < 40; ++i) {
    switch (random_below(&s.random, 12)) {
      case 0: clear(&s); break;
      case 1:
      case 2:
      case 3: set_key(&s); break;
      case 4: nonsense(&s); break;
      default: packet(&s); break;
    }
  }
  aesfab_engine_close(&s.engine);
  check(s.engine == NULL && s.model.closed == 1, "not closed", seed);
  if (!s.failed && s.model.fault_in == 0 && !faulty) {
    for (size_t i = 0; i < kSlots; ++i) check(s.model.key_bytes[i] == 0, "a key stays", seed);
  }
  aesfab_engine_close(&s.engine);
  aesfab_engine_close(NULL);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const uint64_t seed = strtoull(argv[2], NULL, 0);
  const uint64_t sessions = strtoull(argv[3], NULL, 0);
  const bool faulty = strcmp(argv[1], "faulty") == 0;
  for (uint64_t i = 0; i < sessions; ++i) run(seed + i, faulty);
  printf("engine: %llu sessions; statuses", (unsigned long long)sessions);
  for (size_t i = 0; i <= AESFAB_E_TAG; ++i) printf(" %llu", (unsigned long long)statuses[i]);
  putchar('\n');
  return 0;
}
