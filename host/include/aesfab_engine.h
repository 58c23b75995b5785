// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// libaesfab: programs and an AES engine, whole packets of GCM, CCM and CTR. What goes
// over the streams of an engine stands in its data sheet.
//
//   program --> aesfab_aead_encrypt() --> descriptor, pieces --> transport --> streams --> engine
//
// Keys stand in slots of the engine. A packet names its slot, so packets of many keys follow each
// other, and no call sets a key again. What aesfab.h says of errors, threads and secrets holds here
// too; a handle is of an engine.
#ifndef AESFAB_ENGINE_H
#define AESFAB_ENGINE_H

#include "aesfab.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AESFAB_TAG_BYTES = 16 };  // of a tag at most

// Modes of packets, as descriptors have them.
enum aesfab_mode {
  AESFAB_CTR = 1,  // SP 800-38A; aesfab_engine_ctr()
  AESFAB_GCM = 2,  // SP 800-38D
  AESFAB_CCM = 8,  // SP 800-38C
};

struct aesfab_engine_info {
  uint32_t slots;  // of keys
  bool ctr;
  bool gcm;
  bool ccm;
  bool key_128;
  bool key_192;
  bool key_256;
  bool verified;  // text of a decrypted packet leaves the engine when its tag is right
};

struct aesfab_engine;

///////////////////////////////////////////////////////////////////////////////
// Transports
///////////////////////////////////////////////////////////////////////////////

// Beats of s_data that belong together, in order; all are full but the last one.
struct aesfab_piece {
  const uint8_t *data;
  size_t bytes;   // not 0
  uint32_t user;  // tuser: 0 text, 1 AAD, 2 IV, 3 tag
};

// A packet as it goes over the streams.
struct aesfab_packet {
  uint32_t descriptor[8];  // tdata of s_desc, lowest bits first; what is beyond its width is zero
  struct aesfab_piece pieces[4];
  size_t number;           // of pieces; the last beat of the last one has tlast
  uint8_t *text;           // where the text of the result goes; may be that of a piece
  size_t text_bytes;       // at most
};

// Its last beat.
struct aesfab_answer {
  uint8_t data[AESFAB_TAG_BYTES];
  uint32_t user;      // tuser
  size_t text_bytes;  // of text that came before it
};

// How the library reaches an engine. Functions answer what those of struct aesfab_transport may
// answer, and AESFAB_E_TIMEOUT when the engine has taken or given nothing for timeout_us. The
// structure lives as long as the engine.
struct aesfab_engine_transport {
  const char *name;
  int (*info)(void *context, struct aesfab_engine_info *info);
  // A beat of s_key, until it is taken. No bytes: its tuser says what is cleared.
  int (*key)(void *context, const uint8_t *key, size_t bytes, uint32_t user, uint32_t timeout_us);
  // A packet and all of its result. Text that is more than text_bytes is AESFAB_E_DEVICE.
  int (*packet)(void *context, const struct aesfab_packet *packet, struct aesfab_answer *answer,
                uint32_t timeout_us);
  // May be null.
  void (*close)(void *context);
  // As in struct aesfab_transport. May be null.
  const char *(*message)(void *context);
};

// What a register of a device tells of its engine: modes by the bit of their number, slots less
// one, key lengths, and whether text waits for its tag.
#define AESFAB_ENGINE_INFO_MODES 0x0000ffffu
#define AESFAB_ENGINE_INFO_SLOTS 0x007f0000u
#define AESFAB_ENGINE_INFO_SLOTS_SHIFT 16
#define AESFAB_ENGINE_INFO_KEY_128 0x01000000u
#define AESFAB_ENGINE_INFO_KEY_192 0x02000000u
#define AESFAB_ENGINE_INFO_KEY_256 0x04000000u
#define AESFAB_ENGINE_INFO_VERIFIED 0x08000000u

void aesfab_engine_read_info(uint32_t value, struct aesfab_engine_info *info);

///////////////////////////////////////////////////////////////////////////////
// Engines
///////////////////////////////////////////////////////////////////////////////

// Opens an engine over a transport and clears all of its slots. The transport is closed with it,
// and when opening fails for whatever reason; close and message may be null. timeout_us is 0 for
// AESFAB_TIMEOUT_US. *engine is null after an error; message, if not null, gets one line on it.
int aesfab_engine_open(struct aesfab_engine **engine,
                       const struct aesfab_engine_transport *transport, void *context,
                       uint32_t timeout_us, char *message, size_t size);

// Clears all slots, closes and makes *engine null. Null is fine in both places.
void aesfab_engine_close(struct aesfab_engine **engine);

int aesfab_engine_get_info(struct aesfab_engine *engine, struct aesfab_engine_info *info);

// A key of 16, 24 or 32 bytes for a slot. A key that is refused leaves the one before in the slot.
int aesfab_engine_set_key(struct aesfab_engine *engine, uint32_t slot, const uint8_t *key,
                          size_t bytes);

// Clears a slot, or all of them. Packets for it are AESFAB_E_NO_KEY.
int aesfab_engine_clear_key(struct aesfab_engine *engine, uint32_t slot);
int aesfab_engine_clear_keys(struct aesfab_engine *engine);

// A packet: buffers at any alignment, which may be null where they have no bytes. in and out are
// the same or do not overlap; out overlaps nothing else, not this structure either.
struct aesfab_aead {
  enum aesfab_mode mode;  // AESFAB_GCM or AESFAB_CCM
  uint32_t slot;
  const void *iv;         // GCM: 1 to 128 bytes, of which 12 are the quickest; CCM: 7 to 13.
  size_t iv_bytes;        // Never twice the same one under a key
  const void *aad;        // what is under the tag and not encrypted
  size_t aad_bytes;       // CCM: up to 65,279
  const void *in;
  void *out;
  size_t bytes;           // of in and of out; none is GMAC. CCM: up to 65,535
  size_t tag_bytes;       // GCM: 4, 8, 12 to 16; CCM: 4, 6, 8, 10, 12, 14, 16
};

// Encrypts a packet and gives its tag.
int aesfab_aead_encrypt(struct aesfab_engine *engine, const struct aesfab_aead *packet, void *tag);

// Decrypts a packet that has to have this tag. AESFAB_E_TAG where it has not, with the engine as
// usable as before. After any error from an engine out is zero, also where it was in. Before, text
// may have stood there, but not where the engine keeps it until its tag is right (verified).
int aesfab_aead_decrypt(struct aesfab_engine *engine, const struct aesfab_aead *packet,
                        const void *tag);

// Counter mode with this first counter block, in both directions, as one packet.
int aesfab_engine_ctr(struct aesfab_engine *engine, uint32_t slot, const uint8_t block[16],
                      const void *in, void *out, size_t bytes);

// One line on the last error of the engine, good until the next call with it; never null.
const char *aesfab_engine_message(const struct aesfab_engine *engine);

#ifdef __cplusplus
}
#endif

#endif
