// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Transports that come with the library, and what they share.
#ifndef AESFAB_TRANSPORT_H
#define AESFAB_TRANSPORT_H

#include "aesfab.h"

// Where an opener says what is wrong.
struct aesfab_complaint {
  char *text;
  size_t size;
};

void aesfab_complain(const struct aesfab_complaint *complaint, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// What is wrong with a device, for its handle.
struct aesfab_trouble {
  bool failed;  // it is in a state that is not known
  char message[160];
};

// Both note an error and answer its status. An error of a transport is one of those that transports
// may answer, or one of the bus.
int aesfab_note(struct aesfab_trouble *trouble, int status, const char *detail);
int aesfab_note_transport(struct aesfab_trouble *trouble, int status, const char *detail);

// Whether two places in memory have a byte in common. No sum, which may be more than an address.
static inline bool aesfab_overlap(const void *first, size_t first_bytes, const void *second,
                                  size_t second_bytes) {
  const uintptr_t a = (uintptr_t)first;
  const uintptr_t b = (uintptr_t)second;
  return a < b ? b - a < first_bytes : a - b < second_bytes;
}

// Whether there can be an object of that size at that place.
static inline bool aesfab_possible(const void *buffer, size_t bytes) {
  return bytes <= PTRDIFF_MAX && bytes <= UINTPTR_MAX - (uintptr_t)buffer;
}

// Overwrites memory with zeros. No compiler leaves it out, also where nothing reads the memory again.
void aesfab_wipe(void *memory, size_t bytes);

// Four of the functions of a transport, for a device in the address space: the context begins with a
// struct aesfab_window. Without an operating system these are a transport but for its clock.
struct aesfab_window {
  volatile uint8_t *base;  // aligned to 32 bytes
};

int aesfab_window_read32(void *context, uint32_t offset, uint32_t *value);
int aesfab_window_write32(void *context, uint32_t offset, uint32_t value);
int aesfab_window_push(void *context, const uint8_t *data, size_t bytes, enum aesfab_copy copy);
int aesfab_window_pull(void *context, uint8_t *data, size_t bytes, enum aesfab_copy copy);

// Accesses before it are done before any that follows it begins, whatever the memory they go to.
void aesfab_fence(void);

// Each opener gets what stands after the colon of an address. The options may be null.
typedef int aesfab_opener(const char *where, const struct aesfab_options *options,
                          const struct aesfab_transport **transport, void **context,
                          const struct aesfab_complaint *complaint);

aesfab_opener aesfab_open_sim;
aesfab_opener aesfab_open_uio;
aesfab_opener aesfab_open_devmem;
aesfab_opener aesfab_open_uart;

#endif
