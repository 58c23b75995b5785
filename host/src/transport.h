// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Transports that come with the library: each opener gets what stands after the colon of an address.
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

typedef int aesfab_opener(const char *where, const struct aesfab_transport **transport,
                          void **context, const struct aesfab_complaint *complaint);

aesfab_opener aesfab_open_sim;
aesfab_opener aesfab_open_uio;
aesfab_opener aesfab_open_devmem;

#endif
