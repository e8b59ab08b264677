//===- views.c - views of one arena that share no byte --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distinct/views.h"

#include "ir/parts.h"

#include <assert.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

typedef struct reader {
  stow_distinct *out;
  MlirBlock first; // of the function
  stow_layout layout;
  stow_extents *extents;
  stow_map index, loops; // of views by their op, and of loops
} reader;

static bool is_in_first(const reader *r, MlirValue value) {
  return mlirBlockEqual(stow_block_of(value), r->first);
}

static stow_formula bytes_of(const reader *r, MlirOperation view) {
  const MlirType type = mlirValueGetType(mlirOperationGetResult(view, 0));
  stow_extent size;
  uint64_t unit, alignment;
  if (stow_memref_size(&r->layout, type, &size, &alignment) == STOW_SIZE_OK && size.known)
    return stow_formula_number(r->extents->formulas, (int64_t)size.bytes);
  return stow_memref_unit(&r->layout, type, &unit, &alignment) == STOW_SIZE_OK
             ? stow_read_extent(r->extents, view, unit)
             : STOW_NO_FORMULA;
}

static bool is_number(const reader *r, stow_formula formula) {
  int64_t number;
  return stow_formula_is_number(r->extents->formulas, formula, &number);
}

// A view of a view is part of that one.
static bool is_of_arena(const reader *r, MlirOperation view, MlirValue *out_arena) {
  const MlirValue source = mlirOperationGetOperand(view, 0);
  *out_arena = stow_root_of(source);
  for (MlirValue at = source; !mlirValueEqual(at, *out_arena);
       at = mlirOperationGetOperand(mlirOpResultGetOwner(at), 0))
    if (!stow_is_result_of(at, STOW_MEMREF_ASSUME_ALIGNMENT))
      return false;
  return is_in_first(r, *out_arena);
}

static void read_view(reader *r, MlirOperation op) {
  MlirValue arena;
  if (!is_of_arena(r, op, &arena))
    return;
  const stow_formula begin = stow_read_number(r->extents, mlirOperationGetOperand(op, 1));
  const stow_formula bytes = bytes_of(r, op);
  if (bytes == STOW_NO_FORMULA)
    return;
  const bool fixed = is_number(r, begin) && is_number(r, bytes);
  if (!fixed && !(r->extents->readable && is_in_first(r, mlirOperationGetResult(op, 0))))
    return;
  const stow_formula end = stow_formula_sum(r->extents->formulas, begin, bytes);
  stow_map_add(&r->index, op.ptr, (int32_t)r->out->views.count);
  STOW_PUSH(r->out->views,
            (stow_distinct_view){.op = op, .arena = arena, .begin = begin, .end = end});
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

// The view that all a memref names is part of, or -1. A memref.reinterpret_cast may name other
// bytes.
static int32_t view_behind(const reader *r, MlirValue memref) {
  int32_t found = -1;
  for (stow_way way = {0}; mlirValueIsAOpResult(memref) && !stow_comes_again(&way, memref);) {
    const MlirOperation op = mlirOpResultGetOwner(memref);
    if (!(stow_op_traits(op) & STOW_VIEWS) || stow_is(op, STOW_MEMREF_REINTERPRET_CAST))
      break;
    found = stow_map_get(&r->index, op.ptr);
    if (found >= 0)
      break;
    memref = mlirOperationGetOperand(op, 0);
  }
  return found;
}

// The number of the innermost loop around an op, or -1.
static int32_t loop_around(reader *r, MlirOperation op) {
  while (!mlirOperationEqual(op, r->out->function) && !(stow_op_facts(op) & STOW_OP_LOOP))
    op = mlirOperationGetParentOperation(op);
  if (mlirOperationEqual(op, r->out->function))
    return -1;
  int32_t loop = stow_map_get(&r->loops, op.ptr);
  if (loop < 0) {
    loop = (int32_t)r->loops.count;
    stow_map_add(&r->loops, op.ptr, loop);
  }
  return loop;
}

static void read_access(reader *r, MlirOperation op) {
  const MlirValue memref = mlirOperationGetOperand(op, stow_is(op, STOW_MEMREF_STORE));
  const int32_t view = view_behind(r, memref), loop = view < 0 ? -1 : loop_around(r, op);
  if (loop >= 0)
    STOW_PUSH(r->out->accesses, (stow_view_access){op, view, loop});
}

static bool is_access(MlirOperation op) {
  return stow_is(op, STOW_MEMREF_LOAD) || stow_is(op, STOW_MEMREF_STORE);
}

static bool is_view(MlirOperation op) { return stow_is(op, STOW_MEMREF_VIEW); }

static void read_each(reader *r, bool (*wanted)(MlirOperation op),
                      void (*read)(reader *r, MlirOperation op)) {
  stow_op_list found = stow_ops_in(r->out->function, wanted);
  for (size_t i = 0; i < found.count; ++i)
    read(r, found.at[i]);
  free(found.at);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

static bool is_told(const stow_distinct_view *view, int32_t other) {
  for (size_t i = 0; i < view->others.count; ++i)
    if (view->others.at[i] == other)
      return true;
  return false;
}

static void compare(const reader *r, int32_t a, int32_t b) {
  stow_distinct_view *one = &r->out->views.at[a], *other = &r->out->views.at[b];
  stow_formulas *f = r->extents->formulas;
  if (!mlirValueEqual(one->arena, other->arena) || is_told(one, b))
    return;
  if (!stow_formula_at_most(f, one->end, other->begin) &&
      !stow_formula_at_most(f, other->end, one->begin))
    return;
  STOW_PUSH(one->others, b);
  STOW_PUSH(other->others, a);
}

STOW_BY_FIELDS(by_loop, stow_view_access, loop, view)

// The views of one loop. Gives where its accesses end.
static size_t compare_in_loop(const reader *r, size_t begin) {
  const stow_view_access *at = r->out->accesses.at;
  size_t end = begin;
  while (end < r->out->accesses.count && at[end].loop == at[begin].loop)
    ++end;
  for (size_t a = begin; a < end; ++a)
    for (size_t b = a + 1; b < end; ++b)
      if (at[a].view != at[b].view && (a == begin || at[a].view != at[a - 1].view) &&
          at[b].view != at[b - 1].view)
        compare(r, at[a].view, at[b].view);
  return end;
}

stow_distinct stow_distinct_read(MlirOperation function) {
  stow_distinct out = {.function = function};
  reader r = {.out = &out, .layout = stow_layout_at(function)};
  r.first = mlirRegionGetFirstBlock(stow_function_body(function));
  r.extents = stow_extents_create(function, &r.layout, false);
  read_each(&r, is_view, read_view);
  read_each(&r, is_access, read_access);
  stow_sort(out.accesses.at, out.accesses.count, sizeof *out.accesses.at, by_loop);
  for (size_t i = 0; i < out.accesses.count;)
    i = compare_in_loop(&r, i);
  stow_extents_free(r.extents);
  stow_map_free(&r.index);
  stow_map_free(&r.loops);
  return out;
}

void stow_distinct_free(stow_distinct *distinct) {
  STOW_EACH(stow_distinct_view, view, distinct->views)
    free(view->others.at);
  free(distinct->views.at);
  free(distinct->accesses.at);
}
