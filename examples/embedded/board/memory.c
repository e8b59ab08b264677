// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two functions that compiled networks call, by the names of C and of the Arm run-time ABI.

#include <stddef.h>
#include <stdint.h>

// At any address: a Cortex-M3 and later ones read and write such words.
typedef struct {
  uint32_t bits;
} __attribute__((packed, may_alias)) word;

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  unsigned char *t = to;
  const unsigned char *f = from;
  for (; bytes >= sizeof(word); bytes -= sizeof(word), t += sizeof(word), f += sizeof(word))
    *(word *)t = *(const word *)f;
  while (bytes--)
    *t++ = *f++;
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  unsigned char *t = to;
  const word four = {0x01010101u * (unsigned char)value};
  for (; bytes >= sizeof(word); bytes -= sizeof(word), t += sizeof(word))
    *(word *)t = four;
  while (bytes--)
    *t++ = (unsigned char)value;
  return to;
}

// The digit is an alignment that both pointers have.
#define COPY(name)                                                                                 \
  void name(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
#define SET(name)                                                                                  \
  void name(void *to, size_t bytes, int value) { memset(to, value, bytes); }
#define CLEAR(name)                                                                                \
  void name(void *to, size_t bytes) { memset(to, 0, bytes); }

COPY(__aeabi_memcpy)
COPY(__aeabi_memcpy4)
COPY(__aeabi_memcpy8)
SET(__aeabi_memset)
SET(__aeabi_memset4)
SET(__aeabi_memset8)
CLEAR(__aeabi_memclr)
CLEAR(__aeabi_memclr4)
CLEAR(__aeabi_memclr8)
