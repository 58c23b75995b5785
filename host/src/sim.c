// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The simulated device: a shared library with the Verilated system, loaded into this process.

#include <dlfcn.h>
#include <stdlib.h>

#include "aesfab_sim.h"
#include "transport.h"

// A transport of our own around that of the library, which also ends the simulation.
struct loaded {
  const struct aesfab_transport *inner;
  struct aesfab_sim *sim;
  void (*destroy)(struct aesfab_sim *);
};

static int sim_read32(void *context, uint32_t offset, uint32_t *value) {
  const struct loaded *loaded = context;
  return loaded->inner->read32(loaded->sim, offset, value);
}

static int sim_write32(void *context, uint32_t offset, uint32_t value) {
  const struct loaded *loaded = context;
  return loaded->inner->write32(loaded->sim, offset, value);
}

static int sim_push(void *context, const uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  const struct loaded *loaded = context;
  return loaded->inner->push(loaded->sim, data, bytes, copy);
}

static int sim_pull(void *context, uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  const struct loaded *loaded = context;
  return loaded->inner->pull(loaded->sim, data, bytes, copy);
}

static int sim_wait(void *context, uint32_t timeout_us) {
  const struct loaded *loaded = context;
  return loaded->inner->wait(loaded->sim, timeout_us);
}

static uint64_t sim_clock_us(void *context) {
  const struct loaded *loaded = context;
  return loaded->inner->clock_us(loaded->sim);
}

static void sim_close(void *context) {
  struct loaded *loaded = context;
  loaded->destroy(loaded->sim);
  // The library stays: unloading C++ with thread-local state is not safe everywhere.
  free(loaded);
}

static const struct aesfab_transport kSim = {
    .name = "sim",
    .read32 = sim_read32,
    .write32 = sim_write32,
    .push = sim_push,
    .pull = sim_pull,
    .wait = sim_wait,
    .clock_us = sim_clock_us,
    .close = sim_close,
};

int aesfab_open_sim(const char *where, const struct aesfab_options *options,
                    const struct aesfab_transport **transport, void **context,
                    const struct aesfab_complaint *complaint) {
  (void)options;
  void *library = dlopen(where, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    aesfab_complain(complaint, "cannot load the simulation: %s", dlerror());
    return AESFAB_E_SYSTEM;
  }
  // ISO C has no conversion from an object to a function, POSIX does; so through a union.
  union {
    void *object;
    struct aesfab_sim *(*create)(uint32_t);
    void (*destroy)(struct aesfab_sim *);
    const struct aesfab_transport *(*transport)(void);
  } create, destroy, inner;
  create.object = dlsym(library, "aesfab_sim_create");
  destroy.object = dlsym(library, "aesfab_sim_destroy");
  inner.object = dlsym(library, "aesfab_sim_transport");
  if (create.object == NULL || destroy.object == NULL || inner.object == NULL) {
    aesfab_complain(complaint, "%s is no simulation of a host system", where);
    dlclose(library);
    return AESFAB_E_NO_DEVICE;
  }
  struct loaded *loaded = calloc(1, sizeof *loaded);
  struct aesfab_sim *sim = create.create(1);
  if (loaded == NULL || sim == NULL) {
    if (sim != NULL) destroy.destroy(sim);
    free(loaded);
    aesfab_complain(complaint, "%s", aesfab_status_text(AESFAB_E_MEMORY));
    return AESFAB_E_MEMORY;
  }
  loaded->inner = inner.transport();
  loaded->sim = sim;
  loaded->destroy = destroy.destroy;
  *transport = &kSim;
  *context = loaded;
  return AESFAB_OK;
}
