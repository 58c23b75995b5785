// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The C library in programs for a LiteX SoC. Compile aesfab_litex.c with aesfab.c, copy.c and window.c,
// and with the headers that LiteX writes (generated/csr.h, generated/soc.h).
#ifndef AESFAB_LITEX_H
#define AESFAB_LITEX_H

#include "aesfab.h"

// Opens the device at its base address, AES_BASE of generated/mem.h for a device of the name "aes". The
// clock is the uptime of timer0, so the SoC needs timer_uptime=True. Errors are those of aesfab_open().
int aesfab_open_litex(struct aesfab **device, unsigned long base, char *message, size_t size);

#endif
