// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aesfab_registers.h"

enum { kClocksPerUs = 100, kErasure = 300 };

void model_reset(struct model *model) {
  memset(model->key_register, 0, sizeof model->key_register);
  memset(model->key, 0, sizeof model->key);
  memset(model->results, 0, sizeof model->results);
  model->keyed = model->decrypting = false;
  model->first = model->count = 0;
  model->erasing_until = model->clocks + kErasure;
  model->busy_until = 0;
}

static uint32_t depth(const struct model *model) { return UINT32_C(1) << model->log2_depth; }

static bool erasing(const struct model *model) {
  return model->stopped ? model->erasing_until != 0 : model->clocks < model->erasing_until;
}

static uint32_t level(const struct model *model) {
  uint32_t number = 0;
  if (model->stopped || model->late_clock) return 0;
  while (number < model->count && number < depth(model) &&
         model->ready[(model->first + number) % (2 * MODEL_MOST_DEPTH)] <= model->clocks) {
    ++number;
  }
  return number;
}

static int any_status(struct random *random) {
  static const int kStatuses[] = {AESFAB_E_BUS, AESFAB_E_SYSTEM, AESFAB_E_TIMEOUT, AESFAB_E_DEVICE,
                                  -5, 9999, AESFAB_E_NO_KEY, AESFAB_E_FAILED, AESFAB_E_ARGUMENT};
  return kStatuses[random_below(random, sizeof kStatuses / sizeof *kStatuses)];
}

// An access more: its time passes, and the fault may come now. A status, for most not an error.
static int access_begins(struct model *model) {
  model->clocks += 5;
  if (++model->accesses > model->most_accesses) {
    fprintf(stderr, "model: no end after %llu accesses\n", (unsigned long long)model->accesses);
    abort();
  }
  if (model->fault == MODEL_WHOLE || model->fired || model->fault_in-- > 0) return AESFAB_OK;
  model->fired = true;
  switch (model->fault) {
    case MODEL_BUS_ERROR:
      return any_status(&model->random);
    case MODEL_RESET:
      model_reset(model);
      break;
    case MODEL_STOPS:
      model->stopped = true;
      break;
    case MODEL_GONE:
      model->gone = true;
      break;
    case MODEL_DEAF:
      model->deaf = true;
      break;
    case MODEL_NO_IRQ:
      model->no_irq = true;
      break;
    case MODEL_LATE_CLOCK:
      model->late_clock = true;
      break;
    default:
      break;
  }
  return AESFAB_OK;
}

static int model_read32(void *context, uint32_t offset, uint32_t *value) {
  struct model *model = context;
  const bool before = model->fired;
  const int status = access_begins(model);
  if (status != AESFAB_OK) return status;
  switch (offset) {
    case AESFAB_ID:
      *value = AESFAB_ID_MAGIC_RESET;
      break;
    case AESFAB_INFO:
      *value = AESFAB_INFO_VERSION_RESET | model->log2_depth << AESFAB_INFO_LOG2_DEPTH_SHIFT |
               (model->encrypts ? AESFAB_INFO_ENCRYPTS : 0) |
               (model->decrypts ? AESFAB_INFO_DECRYPTS : 0) |
               (model->key_128 ? AESFAB_INFO_KEY_128 : 0) |
               (model->key_192 ? AESFAB_INFO_KEY_192 : 0) |
               (model->key_256 ? AESFAB_INFO_KEY_256 : 0) |
               (model->guarded ? AESFAB_INFO_GUARDED : 0);
      break;
    case AESFAB_STATUS:
      *value = (erasing(model) ? AESFAB_STATUS_ERASING : 0) |
               (model->keyed ? AESFAB_STATUS_KEYED : 0) |
               (model->stopped ? AESFAB_STATUS_SETTING | AESFAB_STATUS_BUSY : 0);
      break;
    case AESFAB_ERRORS:
      *value = model->errors;
      break;
    case AESFAB_IN_LEVEL:
      *value = model->count - level(model);
      break;
    case AESFAB_OUT_LEVEL:
      *value = level(model);
      break;
    default:
      *value = 0;
      break;
  }
  if (model->gone) *value = UINT32_MAX;
  if (model->fault == MODEL_GARBAGE && model->fired && !before) {
    *value = (uint32_t)random_next(&model->random) >> random_below(&model->random, 32);
  }
  return AESFAB_OK;
}

static int model_write32(void *context, uint32_t offset, uint32_t value) {
  struct model *model = context;
  const int status = access_begins(model);
  if (status != AESFAB_OK || model->gone || model->deaf) return status;
  if (offset >= AESFAB_KEY && offset < AESFAB_KEY + 4 * AESFAB_KEY_COUNT) {
    if (erasing(model)) model->errors |= AESFAB_ERRORS_ILLEGAL;
    for (uint32_t i = 0; i < 4; ++i) {
      model->key_register[offset - AESFAB_KEY + i] = (uint8_t)(value >> 8 * i);
    }
    return AESFAB_OK;
  }
  switch (offset) {
    case AESFAB_CONTROL:
      if (value & AESFAB_CONTROL_ERASE) {
        model_reset(model);
      } else if (erasing(model)) {
        model->errors |= AESFAB_ERRORS_ILLEGAL;
      } else if (value & AESFAB_CONTROL_SET) {
        const bool decrypt = (value & AESFAB_CONTROL_DECRYPT) != 0;
        const uint32_t length = (value & AESFAB_CONTROL_KEY_LEN) >> AESFAB_CONTROL_KEY_LEN_SHIFT;
        const bool load = (value & AESFAB_CONTROL_LOAD_KEY) != 0;
        const bool known = length == 0   ? model->key_128
                           : length == 1 ? model->key_192
                                         : length == 2 && model->key_256;
        if (!(decrypt ? model->decrypts : model->encrypts) || !(load ? known : model->keyed)) {
          model->errors |= AESFAB_ERRORS_SETTING;
          break;
        }
        model->decrypting = decrypt;
        if (load) {
          model->keyed = true;
          model->key_bytes = 16 + 8 * length;
          memcpy(model->key, model->key_register, sizeof model->key);
          memset(model->key_register, 0, sizeof model->key_register);
        }
      }
      break;
    case AESFAB_ERRORS:
      model->errors &= ~value;
      break;
    case AESFAB_IRQ_ENABLE:
      model->irq_enable = value;
      break;
    case AESFAB_OUT_MARK:
      model->out_mark = value & AESFAB_OUT_MARK_BLOCKS;
      break;
    default:
      model->errors |= AESFAB_ERRORS_ILLEGAL;
      break;
  }
  return AESFAB_OK;
}

static int model_push(void *context, const uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  struct model *model = context;
  (void)copy;
  if (bytes == 0 || bytes > AESFAB_DATA_SIZE || bytes % 16 != 0) abort();
  for (; bytes > 0; bytes -= 16, data += 16) {
    const int status = access_begins(model);
    if (status != AESFAB_OK) return status;
    if (model->deaf) continue;
    if (erasing(model) || !model->keyed) {
      model->errors |= AESFAB_ERRORS_SETTING;
      return AESFAB_E_BUS;
    }
    // The promise of the library: never as many under way as a buffer holds. It counts what it has
    // read, and a buffer without guards gives blocks that are not there.
    if (model->count + 1 >= depth(model)) {
      if (!model->fired) abort();
      model->errors |= AESFAB_ERRORS_OVERFLOW;
      continue;
    }
    const uint32_t place = (model->first + model->count++) % (2 * MODEL_MOST_DEPTH);
    reference_block(model->key, model->key_bytes, model->decrypting, data, model->results[place]);
    if (model->busy_until < model->clocks) model->busy_until = model->clocks;
    model->busy_until += model->clocks_per_block;
    model->ready[place] = model->busy_until;
  }
  return AESFAB_OK;
}

static int model_pull(void *context, uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  struct model *model = context;
  (void)copy;
  if (bytes > AESFAB_DATA_SIZE || bytes % 16 != 0) abort();
  for (; bytes > 0; bytes -= 16, data += 16) {
    const int status = access_begins(model);
    if (status != AESFAB_OK) return status;
    if (level(model) == 0) {
      if (!model->guarded || model->count == 0 || model->stopped || model->late_clock) {
        model->errors |= AESFAB_ERRORS_UNDERFLOW;
        return model->guarded ? AESFAB_E_BUS : AESFAB_OK;
      }
      model->clocks = model->ready[model->first];  // it waits
    }
    memcpy(data, model->results[model->first], 16);
    memset(model->results[model->first], 0, 16);
    model->first = (model->first + 1) % (2 * MODEL_MOST_DEPTH);
    --model->count;
  }
  return AESFAB_OK;
}

static int model_wait(void *context, uint32_t timeout_us) {
  struct model *model = context;
  const int status = access_begins(model);
  if (status != AESFAB_OK) return status;
  const uint64_t until = model->clocks + (uint64_t)timeout_us * kClocksPerUs;
  while (model->clocks < until) {
    const bool high =
        ((model->irq_enable & AESFAB_IRQ_ENABLE_OUT_READY) && level(model) >= model->out_mark) ||
        ((model->irq_enable & AESFAB_IRQ_ENABLE_ERROR) && model->errors != 0);
    if (high && !model->no_irq) return AESFAB_OK;
    if (level(model) >= model->count || model->stopped || model->late_clock || model->no_irq) break;
    model->clocks = model->ready[(model->first + level(model)) % (2 * MODEL_MOST_DEPTH)];
  }
  if (model->clocks < until) model->clocks = until;
  return AESFAB_E_TIMEOUT;
}

static uint64_t model_clock_us(void *context) {
  struct model *model = context;
  if (!model->late_clock) model->last_time = ++model->clocks / kClocksPerUs;
  return model->last_time;
}

static void model_close(void *context) { ++((struct model *)context)->closed; }

static int model_exchange(void *context, const uint8_t *in, uint8_t *out, size_t bytes,
                          uint32_t timeout_us) {
  struct model *model = context;
  for (; bytes > 0; bytes -= 16, in += 16, out += 16) {
    int status = model_push(model, in, 16, AESFAB_COPY_64);
    if (status != AESFAB_OK) return status;
    if (model->stopped || model->late_clock || model->count == 0) {
      model->clocks += (uint64_t)timeout_us * kClocksPerUs;
      return AESFAB_E_TIMEOUT;
    }
    model->clocks = model->ready[model->first];
    status = model_pull(model, out, 16, AESFAB_COPY_64);
    if (status != AESFAB_OK) return status;
  }
  return AESFAB_OK;
}

const struct aesfab_transport kModel = {
    .name = "model",
    .read32 = model_read32,
    .write32 = model_write32,
    .push = model_push,
    .pull = model_pull,
    .wait = model_wait,
    .clock_us = model_clock_us,
    .close = model_close,
};

const struct aesfab_transport kModelExchange = {
    .name = "model, exchange",
    .read32 = model_read32,
    .write32 = model_write32,
    .clock_us = model_clock_us,
    .close = model_close,
    .exchange = model_exchange,
};

///////////////////////////////////////////////////////////////////////////////
// A device that lies
///////////////////////////////////////////////////////////////////////////////

static bool one_in(struct model *model, uint32_t number) {
  return random_below(&model->random, number) == 0;
}

static int hostile_status(struct model *model) {
  if (++model->accesses > model->most_accesses) {
    fprintf(stderr, "model: no end after %llu accesses\n", (unsigned long long)model->accesses);
    abort();
  }
  return one_in(model, 3000) ? any_status(&model->random) : AESFAB_OK;
}

static int hostile_read32(void *context, uint32_t offset, uint32_t *value) {
  struct model *model = context;
  const int status = hostile_status(model);
  if (status != AESFAB_OK || one_in(model, 2000)) return status;  // also without a value
  const uint32_t drawn = (uint32_t)random_next(&model->random);
  switch (offset) {
    case AESFAB_ID:
      *value = one_in(model, 20) ? drawn : AESFAB_ID_MAGIC_RESET;
      break;
    case AESFAB_INFO:
      *value = one_in(model, 20) ? drawn : (drawn & ~AESFAB_INFO_VERSION) | AESFAB_INFO_VERSION_RESET;
      break;
    case AESFAB_STATUS:
      // Most likely what lets a call go on.
      *value = one_in(model, 40) ? drawn : model->keyed ? AESFAB_STATUS_KEYED : 0;
      break;
    case AESFAB_ERRORS:
      *value = one_in(model, 10) ? drawn : 0;
      break;
    default:
      *value = one_in(model, 500) ? drawn : random_below(&model->random, model->count + 1);
      break;
  }
  if (one_in(model, 2000)) *value = UINT32_MAX;
  return AESFAB_OK;
}

static int hostile_write32(void *context, uint32_t offset, uint32_t value) {
  struct model *model = context;
  if (offset == AESFAB_CONTROL) model->keyed = (value & AESFAB_CONTROL_SET) != 0;
  return hostile_status(model);
}

static int hostile_push(void *context, const uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  struct model *model = context;
  (void)copy;
  // All is read, so that a sanitizer sees it.
  for (size_t i = 0; i < bytes; ++i) model->key[i % 32] ^= data[i];
  model->count += (uint32_t)(bytes / 16);
  return hostile_status(model);
}

static int hostile_pull(void *context, uint8_t *data, size_t bytes, enum aesfab_copy copy) {
  struct model *model = context;
  (void)copy;
  random_bytes(&model->random, data, bytes);
  const uint32_t blocks = (uint32_t)(bytes / 16);
  model->count = model->count > blocks ? model->count - blocks : 0;
  return hostile_status(model);
}

static int hostile_wait(void *context, uint32_t timeout_us) {
  struct model *model = context;
  (void)timeout_us;
  return one_in(model, 3) ? AESFAB_E_TIMEOUT : hostile_status(model);
}

// One of five clocks, by what the device is: right, still, backwards, in jumps, slow.
static uint64_t hostile_clock_us(void *context) {
  struct model *model = context;
  switch (model->clocks_per_block % 5) {
    case 0:
      return ++model->clocks;
    case 1:
      return 7;
    case 2:
      return UINT64_MAX - ++model->clocks;
    case 3:
      return random_next(&model->random);
    default:
      return ++model->clocks / 64;
  }
}

static int hostile_exchange(void *context, const uint8_t *in, uint8_t *out, size_t bytes,
                            uint32_t timeout_us) {
  (void)timeout_us;
  const int status = hostile_push(context, in, bytes, AESFAB_COPY_64);
  return status != AESFAB_OK ? status : hostile_pull(context, out, bytes, AESFAB_COPY_64);
}

const struct aesfab_transport kHostile = {
    .name = "hostile",
    .read32 = hostile_read32,
    .write32 = hostile_write32,
    .push = hostile_push,
    .pull = hostile_pull,
    .wait = hostile_wait,
    .clock_us = hostile_clock_us,
    .close = model_close,
};

const struct aesfab_transport kHostileExchange = {
    .name = "hostile, exchange",
    .read32 = hostile_read32,
    .write32 = hostile_write32,
    .clock_us = hostile_clock_us,
    .close = model_close,
    .exchange = hostile_exchange,
};
