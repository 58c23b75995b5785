// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Copies to and from a window of a device: every byte once, in order.
//
// On an uncacheable mapping each load and store is a bus access of its own width; wider ones are
// fewer. On a write-combining mapping stores gather in buffers of the processor, non-temporal ones
// always; a store fence empties them. Loads by movntdqa take a whole line from such a mapping.
// Other processors than x86-64 have the 64-bit copy only, with a full fence; one of 32 bit does it in
// halves.

#include <stdatomic.h>
#include <string.h>

#include "aesfab.h"
#include "transport.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define AESFAB_X86 1
#include <immintrin.h>
#endif

bool aesfab_copy_supported(enum aesfab_copy copy) {
  switch (copy) {
    case AESFAB_COPY_AUTO:
    case AESFAB_COPY_64:
    case AESFAB_COPY_STRING:
      return true;
#ifdef AESFAB_X86
    case AESFAB_COPY_SSE:
      return true;  // part of x86-64
    case AESFAB_COPY_SSE_NT:
      return __builtin_cpu_supports("sse4.1") != 0;
    case AESFAB_COPY_AVX2_NT:
      return __builtin_cpu_supports("avx2") != 0;
#else
    case AESFAB_COPY_SSE:
    case AESFAB_COPY_SSE_NT:
    case AESFAB_COPY_AVX2_NT:
#endif
    case AESFAB_COPY_COUNT:
      break;
  }
  return false;
}

// What the processor moves at a time, and a statement for each of those of a block: compilers do not
// unroll such a loop unless told so in ways of their own.
#if UINTPTR_MAX > UINT32_MAX
typedef uint64_t word;
#define AESFAB_EACH_WORD(statement) statement(0) statement(1)
#else
typedef uint32_t word;
#define AESFAB_EACH_WORD(statement) statement(0) statement(1) statement(2) statement(3)
#endif

enum { kWords = AESFAB_BLOCK_BYTES / sizeof(word) };

// Where processors load aligned words only, a word of any other alignment costs a load for each byte.
static bool aligned(const uint8_t *data) { return (uintptr_t)data % sizeof(word) == 0; }

#ifdef __GNUC__
#define AESFAB_ALIGNED(data) __builtin_assume_aligned(data, sizeof(word))
#else
#define AESFAB_ALIGNED(data) (data)
#endif

static inline word load(const void *data) {
  word value;
  memcpy(&value, data, sizeof value);
  return value;
}

static inline void store(void *data, word value) { memcpy(data, &value, sizeof value); }

static void to_64(volatile void *window, const uint8_t *data, size_t bytes) {
  volatile word *to = window;
  const uint8_t *const end = data + bytes;
  if (aligned(data)) {
    for (; data != end; data += AESFAB_BLOCK_BYTES, to += kWords) {
      const word *from = AESFAB_ALIGNED(data);
#define AESFAB_MOVE(i) to[i] = load(AESFAB_ALIGNED(from + (i)));
      AESFAB_EACH_WORD(AESFAB_MOVE)
#undef AESFAB_MOVE
    }
  } else {
    for (; data != end; data += sizeof(word), ++to) *to = load(data);
  }
}

static void from_64(uint8_t *data, const volatile void *window, size_t bytes) {
  const volatile word *from = window;
  const uint8_t *const end = data + bytes;
  if (aligned(data)) {
    for (; data != end; data += AESFAB_BLOCK_BYTES, from += kWords) {
      word *to = AESFAB_ALIGNED(data);
#define AESFAB_MOVE(i) store(AESFAB_ALIGNED(to + (i)), from[i]);
      AESFAB_EACH_WORD(AESFAB_MOVE)
#undef AESFAB_MOVE
    }
  } else {
    for (; data != end; data += sizeof(word), ++from) store(data, *from);
  }
}

#ifdef AESFAB_X86

// The instructions by themselves: no compiler merges, splits or repeats them.

static void to_sse(volatile void *window, const uint8_t *data, size_t bytes) {
  volatile char *to = window;
  for (size_t i = 0; i < bytes; i += 16) {
    const __m128i value = _mm_loadu_si128((const __m128i *)(data + i));
    __asm__ volatile("movaps %1, (%0)" : : "r"(to + i), "x"(value) : "memory");
  }
}

static void from_sse(uint8_t *data, const volatile void *window, size_t bytes) {
  const volatile char *from = window;
  for (size_t i = 0; i < bytes; i += 16) {
    __m128i value;
    __asm__ volatile("movaps (%1), %0" : "=x"(value) : "r"(from + i) : "memory");
    _mm_storeu_si128((__m128i *)(data + i), value);
  }
}

static void to_sse_nt(volatile void *window, const uint8_t *data, size_t bytes) {
  volatile char *to = window;
  for (size_t i = 0; i < bytes; i += 16) {
    const __m128i value = _mm_loadu_si128((const __m128i *)(data + i));
    __asm__ volatile("movntps %1, (%0)" : : "r"(to + i), "x"(value) : "memory");
  }
}

__attribute__((target("sse4.1"))) static void from_sse_nt(uint8_t *data,
                                                          const volatile void *window,
                                                          size_t bytes) {
  const volatile char *from = window;
  for (size_t i = 0; i < bytes; i += 16) {
    __m128i value;
    __asm__ volatile("movntdqa (%1), %0" : "=x"(value) : "r"(from + i) : "memory");
    _mm_storeu_si128((__m128i *)(data + i), value);
  }
}

__attribute__((target("avx2"))) static void to_avx2_nt(volatile void *window, const uint8_t *data,
                                                       size_t bytes) {
  volatile char *to = window;
  size_t i = 0;
  for (; i + 32 <= bytes; i += 32) {
    const __m256i value = _mm256_loadu_si256((const __m256i *)(data + i));
    __asm__ volatile("vmovntdq %1, (%0)" : : "r"(to + i), "x"(value) : "memory");
  }
  if (i < bytes) to_sse_nt(to + i, data + i, bytes - i);
}

__attribute__((target("avx2"))) static void from_avx2_nt(uint8_t *data,
                                                         const volatile void *window,
                                                         size_t bytes) {
  const volatile char *from = window;
  size_t i = 0;
  for (; i + 32 <= bytes; i += 32) {
    __m256i value;
    __asm__ volatile("vmovntdqa (%1), %0" : "=x"(value) : "r"(from + i) : "memory");
    _mm256_storeu_si256((__m256i *)(data + i), value);
  }
  if (i < bytes) from_sse_nt(data + i, from + i, bytes - i);
}

static void string_copy(volatile void *to, const volatile void *from, size_t bytes) {
  size_t words = bytes / 8;
  __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

#endif

void aesfab_fence(void) {
#ifdef AESFAB_X86
  // No locked instruction instead: loads from write-combining memory may pass one.
  _mm_mfence();
#else
  atomic_thread_fence(memory_order_seq_cst);
#endif
}

void aesfab_copy_to(volatile void *window, const uint8_t *data, size_t bytes,
                    enum aesfab_copy copy) {
  bytes -= bytes % AESFAB_BLOCK_BYTES;
  if (!aesfab_copy_supported(copy)) copy = AESFAB_COPY_64;
  switch (copy) {
#ifdef AESFAB_X86
    case AESFAB_COPY_SSE:
      to_sse(window, data, bytes);
      break;
    case AESFAB_COPY_SSE_NT:
      to_sse_nt(window, data, bytes);
      break;
    case AESFAB_COPY_AVX2_NT:
      to_avx2_nt(window, data, bytes);
      break;
    case AESFAB_COPY_STRING:
      string_copy(window, data, bytes);
      break;
#endif
    default:
      to_64(window, data, bytes);
      break;
  }
  // Out of the combining buffers before the next access, whatever that is.
#ifdef AESFAB_X86
  _mm_sfence();
#else
  atomic_thread_fence(memory_order_seq_cst);
#endif
}

void aesfab_copy_from(uint8_t *data, const volatile void *window, size_t bytes,
                      enum aesfab_copy copy) {
  bytes -= bytes % AESFAB_BLOCK_BYTES;
  if (!aesfab_copy_supported(copy)) copy = AESFAB_COPY_64;
  // Non-temporal loads are not ordered with loads before them, such as that of the level.
  aesfab_fence();
  switch (copy) {
#ifdef AESFAB_X86
    case AESFAB_COPY_SSE:
      from_sse(data, window, bytes);
      break;
    case AESFAB_COPY_SSE_NT:
      from_sse_nt(data, window, bytes);
      break;
    case AESFAB_COPY_AVX2_NT:
      from_avx2_nt(data, window, bytes);
      break;
    case AESFAB_COPY_STRING:
      string_copy(data, window, bytes);
      break;
#endif
    default:
      from_64(data, window, bytes);
      break;
  }
#ifdef AESFAB_X86
  _mm_lfence();
#else
  atomic_thread_fence(memory_order_seq_cst);
#endif
}
