// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Devices in the address space of the program: Linux userspace I/O and physical memory.
//
// The mappings are shared and uncached (O_SYNC); a write-combining one needs the batch option. There
// registers written would gather and leave in any order, behind reads that come later: a fence ends
// each write. On such a machine an error of the bus is no status but a signal, so the sticky errors
// of the device are what the driver looks at after every transfer.

#define _GNU_SOURCE  // O_SYNC, O_CLOEXEC, clock_gettime

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "aesfab.h"
#include "aesfab_registers.h"
#include "transport.h"

struct mapped {
  struct aesfab_window window;  // first, for the functions of window.c
  void *map;
  size_t map_size;
  int file;
};

static int mapped_write32(void *context, uint32_t offset, uint32_t value) {
  const int status = aesfab_window_write32(context, offset, value);
  aesfab_fence();
  return status;
}

static uint64_t mapped_clock_us(void *context) {
  (void)context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static void mapped_close(void *context) {
  struct mapped *mapped = context;
  munmap(mapped->map, mapped->map_size);
  close(mapped->file);
  free(mapped);
}

// Userspace I/O: the handler in the kernel masks the line; writing one opens it, reading waits.
static int uio_wait(void *context, uint32_t timeout_us) {
  const struct mapped *mapped = context;
  const uint32_t on = 1;
  if (write(mapped->file, &on, sizeof on) != (ssize_t)sizeof on) return AESFAB_E_SYSTEM;
  struct pollfd waiting = {.fd = mapped->file, .events = POLLIN};
  const uint32_t milliseconds = timeout_us / 1000 + 1;
  const int ready = poll(&waiting, 1, milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
  if (ready == 0) return AESFAB_E_TIMEOUT;
  if (ready < 0 && errno == EINTR) return AESFAB_OK;  // woken, if not by the device
  uint32_t count;
  if (ready < 0 || read(mapped->file, &count, sizeof count) != (ssize_t)sizeof count) {
    return AESFAB_E_SYSTEM;
  }
  return AESFAB_OK;
}

static const struct aesfab_transport kUio = {
    .name = "uio",
    .read32 = aesfab_window_read32,
    .write32 = mapped_write32,
    .push = aesfab_window_push,
    .pull = aesfab_window_pull,
    .wait = uio_wait,
    .clock_us = mapped_clock_us,
    .close = mapped_close,
};

static const struct aesfab_transport kDevmem = {
    .name = "devmem",
    .read32 = aesfab_window_read32,
    .write32 = mapped_write32,
    .push = aesfab_window_push,
    .pull = aesfab_window_pull,
    .wait = NULL,
    .clock_us = mapped_clock_us,
    .close = mapped_close,
};

static int map_file(const char *path, uint64_t offset, void **context,
                    const struct aesfab_complaint *complaint) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t inside = offset % page;
  if (offset % 32 != 0) {
    aesfab_complain(complaint, "the address 0x%" PRIx64 " is not aligned to 32 bytes", offset);
    return AESFAB_E_ARGUMENT;
  }
  struct mapped *mapped = calloc(1, sizeof *mapped);
  if (mapped == NULL) {
    aesfab_complain(complaint, "%s", aesfab_status_text(AESFAB_E_MEMORY));
    return AESFAB_E_MEMORY;
  }
  mapped->file = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
  if (mapped->file < 0) {
    aesfab_complain(complaint, "cannot open %s: %s", path, strerror(errno));
    free(mapped);
    return AESFAB_E_SYSTEM;
  }
  // Where a file ends, a mapping has pages that cannot be touched.
  struct stat facts;
  if (fstat(mapped->file, &facts) == 0 && S_ISREG(facts.st_mode) &&
      ((uint64_t)facts.st_size < AESFAB_SPACE || (uint64_t)facts.st_size - AESFAB_SPACE < offset)) {
    aesfab_complain(complaint, "%s ends before a device at 0x%" PRIx64 " would", path, offset);
    close(mapped->file);
    free(mapped);
    return AESFAB_E_ARGUMENT;
  }
  mapped->map_size = (size_t)(inside + AESFAB_SPACE);
  mapped->map = mmap(NULL, mapped->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, mapped->file,
                     (off_t)(offset - inside));
  if (mapped->map == MAP_FAILED) {
    aesfab_complain(complaint, "cannot map %s: %s", path, strerror(errno));
    close(mapped->file);
    free(mapped);
    return AESFAB_E_SYSTEM;
  }
  mapped->window.base = (volatile uint8_t *)mapped->map + inside;
  *context = mapped;
  return AESFAB_OK;
}

int aesfab_open_uio(const char *where, const struct aesfab_options *options,
                    const struct aesfab_transport **transport, void **context,
                    const struct aesfab_complaint *complaint) {
  (void)options;
  *transport = &kUio;
  return map_file(where, 0, context, complaint);
}

int aesfab_open_devmem(const char *where, const struct aesfab_options *options,
                       const struct aesfab_transport **transport, void **context,
                       const struct aesfab_complaint *complaint) {
  (void)options;
  char path[PATH_MAX] = "/dev/mem";
  const char *number = where;
  const char *at = strrchr(where, '@');
  if (at != NULL) {
    const size_t length = (size_t)(at - where);
    if (length == 0 || length >= sizeof path) {
      aesfab_complain(complaint, "the address '%s' names no file", where);
      return AESFAB_E_ARGUMENT;
    }
    memcpy(path, where, length);
    path[length] = '\0';
    number = at + 1;
  }
  char *end;
  errno = 0;
  const unsigned long long offset = strtoull(number, &end, 0);
  if (*number < '0' || *number > '9' || *end != '\0' || errno != 0) {
    aesfab_complain(complaint, "'%s' is not a physical address", number);
    return AESFAB_E_ARGUMENT;
  }
  *transport = &kDevmem;
  return map_file(path, offset, context, complaint);
}
