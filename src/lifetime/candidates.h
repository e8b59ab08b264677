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
#include "lifetime/touches.h"

//===----------------------------------------------------------------------===//
// area.c: where a value is alive, and where that begins and ends
//===----------------------------------------------------------------------===//
//
// A value is alive at a point if, on some path through it, an op touches the value before and
// an op that needs its contents touches it after. That set of points is the *area*. Markers
// stand where control flow enters and leaves it. A critical edge, whose source has other
// successors and whose target has other predecessors, has no place for a marker: if one
// crosses the border, the area grows by a point at the end that is outside. So all paths to a
// point agree on whether the value is alive there.
//
// A touch that overwrites the whole value needs none of its contents. The area then has a gap
// before it, and the value has several lives.

typedef enum stow_lifetime_side {
  STOW_LIFE_BEFORE,
  STOW_LIFE_AT,
  STOW_LIFE_AFTER
} stow_lifetime_side;

// A point in time at an op; a touch is AT it.
typedef struct stow_lifetime_point {
  int64_t position;
  stow_lifetime_side side;
  bool overwrites; // a touch that does
} stow_lifetime_point;

// By position and side; for qsort.
int stow_lifetime_compare_points(const void *a, const void *b);

// Where a marker goes: before the op at a position or after it.
typedef struct stow_lifetime_place {
  int64_t position;
  bool after, start;
  bool overwritten; // a start right before a touch that overwrites everything
} stow_lifetime_place;

// A stretch of a segment in which the value is alive, in thirds of positions.
typedef struct stow_lifetime_stretch {
  int64_t begin, end;
} stow_lifetime_stretch;

typedef struct stow_lifetime_area {
  STOW_ARRAY(stow_lifetime_place) places;
  STOW_ARRAY(stow_lifetime_stretch) stretches; // by begin
} stow_lifetime_area;

typedef struct stow_lifetime_area_problem {
  int64_t birth; // the position of the op that makes the value, or -1
  const stow_lifetime_point *points;
  size_t point_count;   // by position and side
  const int64_t *frees; // positions, in order
  size_t free_count;
} stow_lifetime_area_problem;

// Memory for many problems in one function.
typedef struct stow_lifetime_area_solver stow_lifetime_area_solver;
stow_lifetime_area_solver *stow_lifetime_area_solver_create(const stow_lifetime_paths *paths);
void stow_lifetime_area_solver_destroy(stow_lifetime_area_solver *solver);

// False where the value may be freed before it is needed for the last time, or where markers find
// no place. Time is that of the segments in the area and next to it. `area` starts out zeroed and
// is reused.
bool stow_lifetime_area_solve(stow_lifetime_area_solver *solver,
                              const stow_lifetime_area_problem *problem, stow_lifetime_area *area);
void stow_lifetime_area_free(stow_lifetime_area *area);

// Whether two values are alive at the same time.
bool stow_lifetime_areas_meet(const stow_lifetime_area *a, const stow_lifetime_area *b);

//===----------------------------------------------------------------------===//
// candidates.c: the values that are to get lives
//===----------------------------------------------------------------------===//

typedef struct stow_lifetime_candidate {
  int32_t value; // of the flow
  int32_t alloc;
  stow_view_bytes bytes;
  bool refused;
  stow_lifetime_area area;
} stow_lifetime_candidate;

typedef struct stow_lifetime_candidates {
  const stow_function_memory *memory;
  bool value_form;
  STOW_ARRAY(stow_lifetime_candidate) list;
  stow_lifetime_paths paths;
} stow_lifetime_candidates;

// What is left alone is told in missed remarks.
stow_lifetime_candidates stow_lifetime_candidates_of(const stow_function_memory *memory,
                                                     bool value_form);
void stow_lifetime_candidates_free(stow_lifetime_candidates *candidates);

#endif // STOWAGE_LIFETIME_CANDIDATES_H
