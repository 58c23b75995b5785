// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

#include "aesfab_litex.h"

#include <generated/csr.h>
#include <generated/soc.h>
#include <stdio.h>
#include <stdlib.h>

#include "transport.h"

static uint64_t clock_us(void *context) {
  (void)context;
  timer0_uptime_latch_write(1);
  return timer0_uptime_cycles_read() / (CONFIG_CLOCK_FREQUENCY / 1000000u);
}

int aesfab_open_litex(struct aesfab **device, unsigned long base, char *message, size_t size) {
  static const struct aesfab_transport kTransport = {
      .name = "litex",
      .read32 = aesfab_window_read32,
      .write32 = aesfab_window_write32,
      .push = aesfab_window_push,
      .pull = aesfab_window_pull,
      .clock_us = clock_us,
      .close = free,
  };
  struct aesfab_window *window = calloc(1, sizeof *window);
  if (window == NULL) {
    if (device != NULL) *device = NULL;
    if (message != NULL && size > 0) {
      snprintf(message, size, "%s", aesfab_status_text(AESFAB_E_MEMORY));
    }
    return AESFAB_E_MEMORY;
  }
  window->base = (volatile uint8_t *)base;
  return aesfab_open_transport(device, &kTransport, window, NULL, message, size);
}
