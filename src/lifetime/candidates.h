//===- candidates.h - the values that are to get lives --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation gets one life. If all its uses are memref.views at constant offsets (an arena),
// each of the views gets one instead. An allocation is left alone if its address escapes, if it
// may be freed before its last use, or if it has markers already.
//
// Views whose bytes overlap form a *family*. The program may write through one of them and read
// through another. So they get lives only if each life begins with a write of all its bytes and
// no two are alive at once; either all views of a family do, or none.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_CANDIDATES_H
#define STOWAGE_LIFETIME_CANDIDATES_H

#include "ir/buffers.h"
#include "lifetime/area.h"
#include "lifetime/bytes.h"
#include "lifetime/touches.h"

typedef struct stow_life_candidate {
  int32_t value; // of the flow
  int32_t alloc;
  stow_life_bytes bytes;
  int32_t family; // of views: the lowest index in it; of an allocation, -1
  bool refused;
  stow_life_area area;
} stow_life_candidate;

typedef struct stow_life_candidates {
  const stow_function_memory *memory;
  bool value_form;
  STOW_ARRAY(stow_life_candidate) list;
  stow_life_paths paths;
} stow_life_candidates;

// What is left alone is told in missed remarks.
stow_life_candidates stow_life_candidates_of(const stow_function_memory *memory, bool value_form);
void stow_life_candidates_free(stow_life_candidates *candidates);

#endif // STOWAGE_LIFETIME_CANDIDATES_H
