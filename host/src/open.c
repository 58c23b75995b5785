// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Devices by their addresses, on a machine with an operating system.

#include <string.h>

#include "aesfab.h"
#include "transport.h"

int aesfab_open(struct aesfab **device, const char *address, const struct aesfab_options *options,
                char *message, size_t size) {
  static const struct {
    const char *name;
    aesfab_opener *open;
    bool window;  // reaches blocks by the data window only
  } kOpeners[] = {
      {"sim:", aesfab_open_sim, false},
      {"uio:", aesfab_open_uio, true},
      {"devmem:", aesfab_open_devmem, true},
      {"uart:", aesfab_open_uart, false},
  };
  const struct aesfab_complaint complaint = {message, size};
  if (device != NULL) *device = NULL;
  if (device == NULL || address == NULL) {
    aesfab_complain(&complaint, "%s", aesfab_status_text(AESFAB_E_ARGUMENT));
    return AESFAB_E_ARGUMENT;
  }
  for (size_t i = 0; i < sizeof kOpeners / sizeof *kOpeners; ++i) {
    const size_t length = strlen(kOpeners[i].name);
    if (strncmp(address, kOpeners[i].name, length) != 0) continue;
    const struct aesfab_transport *transport;
    void *context;
    int status = kOpeners[i].open(address + length, options, &transport, &context, &complaint);
    if (status == AESFAB_OK) {
      status = aesfab_open_transport(device, transport, context, options, message, size);
    }
    // A load from a window that is not there would be a signal on most boards.
    struct aesfab_info info;
    if (status == AESFAB_OK && kOpeners[i].window &&
        aesfab_get_info(*device, &info) == AESFAB_OK && info.stream) {
      aesfab_close(device);
      aesfab_complain(&complaint, "%s: its blocks go through stream ports and not through a window",
                      aesfab_status_text(AESFAB_E_UNSUPPORTED));
      status = AESFAB_E_UNSUPPORTED;
    }
    return status;
  }
  aesfab_complain(&complaint, "the address '%s' begins with none of sim:, uio:, devmem:, uart:",
                  address);
  return AESFAB_E_ARGUMENT;
}
