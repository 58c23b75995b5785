// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What the shared library of a Verilated host system offers. One clock is 10 ns.
#ifndef AESFAB_SIM_H
#define AESFAB_SIM_H

#include "aesfab.h"

#ifdef __cplusplus
extern "C" {
#endif

struct aesfab_sim;

// A device of its own, with random state where there is no reset, after its reset.
struct aesfab_sim *aesfab_sim_create(uint32_t seed);
void aesfab_sim_destroy(struct aesfab_sim *sim);

// The context of this transport is a struct aesfab_sim; closing a device leaves it alive.
const struct aesfab_transport *aesfab_sim_transport(void);

// Clocks so far, and that many more.
uint64_t aesfab_sim_clocks(const struct aesfab_sim *sim);
void aesfab_sim_step(struct aesfab_sim *sim, uint64_t clocks);

// A reset of the device, now or that many clocks later.
void aesfab_sim_reset_after(struct aesfab_sim *sim, uint64_t clocks);

// The access after that many accesses is lost on the bus and answered with an error.
void aesfab_sim_fail_after(struct aesfab_sim *sim, uint64_t accesses);

// Accesses so far: transactions of the bus.
uint64_t aesfab_sim_accesses(const struct aesfab_sim *sim);

// Whether the interrupt line is high.
bool aesfab_sim_irq(const struct aesfab_sim *sim);

// All state of the model (every register and memory) into a file; true when it was written. Only
// in models built for it.
bool aesfab_sim_save(struct aesfab_sim *sim, const char *path);

#ifdef __cplusplus
}
#endif

#endif
