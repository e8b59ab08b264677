//===- replay.c - windows, checked by running what uses them ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires two bodies of which the second shall do what the first does, with a window in place of
// a buffer. Computes whether it does, as far as that buffer goes: each body is run, and for each
// load noted which cell it reads, and how many stores to that cell came before. The second may have
// fewer of these loads and stores, as values are forwarded and sums carried, but no load that the
// first has not; and what it reads must still be in the window.
//
// This shares nothing with what finds windows and proves orders (window.c, order.c, pace.c). Bodies
// that are long, or depend on values from outside, are not run.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "ir/course.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/loops.h"

#include <assert.h>
#include <stdlib.h>

enum {
  MOST_STEPS = 1 << 16,
  MOST_CELLS = 1 << 16, // of the buffer
};

// A load of a cell, the number of a store to it; both in one number.
typedef STOW_ARRAY(uint64_t) sightings;

typedef struct replay {
  MlirValue buffer;
  int64_t *sizes, *kept_sizes; // the window's are NULL where all is kept
  intptr_t rank;
  size_t cells;
  stow_course course;
  STOW_ARRAY(bool) stores; // by number of the course's op
  uint32_t *versions;      // by cell
  size_t *kept;            // by place: the cell that is there
  sightings seen;
} replay;

static void free_replay(replay *r) {
  free(r->sizes);
  free(r->versions);
  free(r->kept);
  free(r->stores.at);
  free(r->seen.at);
  stow_course_free(&r->course);
}

static replay replay_of(MlirValue buffer, int64_t *kept_sizes) {
  const MlirType type = mlirValueGetType(buffer);
  replay r = {.buffer = buffer, .kept_sizes = kept_sizes, .rank = mlirShapedTypeGetRank(type)};
  r.sizes = stow_ir_allocate((size_t)r.rank, sizeof *r.sizes);
  r.cells = 1;
  for (intptr_t k = 0; k < r.rank; ++k) {
    r.sizes[k] = mlirShapedTypeGetDimSize(type, k);
    r.cells = r.cells > MOST_CELLS ? r.cells : r.cells * (size_t)r.sizes[k];
  }
  return r;
}

// Whether all that `body` does to the buffer can be followed.
static bool read_body(replay *r, MlirBlock body) {
  stow_map numbers = {0};
  bool known = true;
  STOW_EACH_USE(use, r->buffer) {
    const MlirOperation op = mlirOpOperandGetOwner(use);
    if (!stow_ir_is_inside(op, mlirBlockGetParentOperation(body)))
      continue;
    known = known && stow_taskflow_names_accessed(use);
    stow_map_add(&numbers, op.ptr, (int32_t)r->stores.count);
    STOW_PUSH(r->stores, stow_taskflow_is_store(op));
  }
  known = known && mlirOperationIsNull(stow_course_read(&r->course, body, &numbers));
  stow_map_free(&numbers);
  return known;
}

// Row-major in the buffer, or in the window.
static size_t number_of_cell(const replay *r, bool kept) {
  size_t number = 0;
  for (intptr_t k = 0; k < r->rank; ++k) {
    const int64_t index = stow_course_index(&r->course, (size_t)k);
    const int64_t size = kept && r->kept_sizes ? r->kept_sizes[k] : r->sizes[k];
    number = number * (size_t)size + (size_t)(kept ? index % size : index);
  }
  return number;
}

static bool is_within(const replay *r) {
  for (intptr_t k = 0; k < r->rank; ++k) {
    const int64_t index = stow_course_index(&r->course, (size_t)k);
    if (index < 0 || index >= r->sizes[k])
      return false;
  }
  return true;
}

// False where a load finds another cell in its place.
static bool access_cell(replay *r, bool stores) {
  const size_t cell = number_of_cell(r, false), place = number_of_cell(r, true);
  if (stores) {
    ++r->versions[cell];
    r->kept[place] = cell;
    return true;
  }
  STOW_PUSH(r->seen, (uint64_t)cell << 32 | r->versions[cell]);
  return r->versions[cell] == 0 || r->kept[place] == cell;
}

// What came of running a body.
typedef enum outcome { WHOLE, LOST, UNKNOWN } outcome;

static outcome run_body(replay *r, MlirBlock body) {
  uint64_t steps = MOST_STEPS;
  if (r->cells > MOST_CELLS || !read_body(r, body))
    return UNKNOWN;
  r->versions = stow_ir_allocate(r->cells, sizeof *r->versions);
  r->kept = stow_ir_allocate(r->cells, sizeof *r->kept);
  for (const stow_course_instruction *at; (at = stow_course_run(&r->course, &steps));
       stow_course_pass(&r->course)) {
    if (!is_within(r))
      return UNKNOWN;
    if (!access_cell(r, r->stores.at[at->number]))
      return LOST;
  }
  return steps > 0 ? WHOLE : UNKNOWN;
}

// A sum that loops carry is stored once, where the first body stores it with each term. Adds those
// stores to the ones before a load, if there is one before it.
static void count_from_last(replay *kept, const replay *whole) {
  STOW_EACH(uint64_t, one, kept->seen) {
    const size_t cell = (size_t)(*one >> 32);
    if ((uint32_t)*one > 0)
      *one += whole->versions[cell] - kept->versions[cell];
  }
}

// Whether each of `some` is among `all`, as often.
static bool are_among(sightings *some, sightings *all) {
  STOW_SORT(*some, stow_ir_by_number);
  STOW_SORT(*all, stow_ir_by_number);
  size_t at = 0;
  STOW_EACH_ITEM(uint64_t, one, *some) {
    while (at < all->count && all->at[at] < one)
      ++at;
    if (at == all->count || all->at[at++] != one)
      return false;
  }
  return true;
}

bool stow_window_holds(MlirBlock before, MlirBlock after, const stow_window *window) {
  replay whole = replay_of(window->buffer, NULL), kept = replay_of(window->buffer, window->sizes);
  const outcome out = run_body(&kept, after);
  bool holds = out != LOST;
  if (out == WHOLE && run_body(&whole, before) == WHOLE) {
    holds = are_among(&kept.seen, &whole.seen);
    if (!holds) {
      count_from_last(&kept, &whole);
      holds = are_among(&kept.seen, &whole.seen);
    }
  }
  free_replay(&whole);
  free_replay(&kept);
  return holds;
}
