// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two functions that compiled networks call, by the names of C and of the Arm run-time ABI.

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  unsigned char *t = to;
  const unsigned char *f = from;
  while (bytes--)
    *t++ = *f++;
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  unsigned char *t = to;
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
