//===- brute.h - answers by trying everything -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every offset of every buffer, for instances so small that an arena of
// BRUTE_BYTES holds a plan if there is one. Nothing is known here of orders,
// floors or bounds, only which two offsets of which two buffers clash.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TEST_UNIT_BRUTE_H
#define STOWAGE_TEST_UNIT_BRUTE_H

#include "instances.h"

enum { BRUTE_BYTES = 63, BRUTE_BUFFERS = 9 };

// Whether the buffers of a set, bit i for buffer i, have a plan in one arena of `arena_size` bytes.
bool fits_by_brute_force(const struct instance *instance, unsigned set, uint64_t arena_size);

// Its smallest arena, or UINT64_MAX.
uint64_t optimum_by_brute_force(const struct instance *instance, unsigned set);

// The least cost of a plan for the set over the instance's spaces, or UINT64_MAX.
uint64_t cost_by_brute_force(const struct instance *instance, unsigned set);

// Calls `visit` with every plan for all buffers in one arena of `arena_size` bytes.
void visit_plans(const struct instance *instance, uint64_t arena_size,
                 void (*visit)(void *user, const uint64_t *offsets), void *user);

#endif // STOWAGE_TEST_UNIT_BRUTE_H
