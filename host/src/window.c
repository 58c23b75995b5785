// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Registers and data window of a device in the address space.

#include "aesfab.h"
#include "aesfab_registers.h"
#include "transport.h"

int aesfab_window_read32(void *context, uint32_t offset, uint32_t *value) {
  const struct aesfab_window *window = context;
  *value = *(const volatile uint32_t *)(window->base + offset);
  return AESFAB_OK;
}

int aesfab_window_write32(void *context, uint32_t offset, uint32_t value) {
  const struct aesfab_window *window = context;
  *(volatile uint32_t *)(window->base + offset) = value;
  return AESFAB_OK;
}

int aesfab_window_push(void *context, const uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  const struct aesfab_window *window = context;
  aesfab_copy_to(window->base + AESFAB_DATA, data, bytes, copy);
  return AESFAB_OK;
}

int aesfab_window_pull(void *context, uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  const struct aesfab_window *window = context;
  aesfab_copy_from(data, window->base + AESFAB_DATA, bytes, copy);
  return AESFAB_OK;
}
