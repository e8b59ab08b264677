//===- window.c - buffers of which a window is enough -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cell is needed from its first store to its last load. Two cells may share their place if
// none is stored to while the other is needed. The cells x and y for which that happens are a set
// of integers: executions of a store to x, then of a store to y, then of a load of x, in this
// order. Dimension k is kept modulo one more than the largest difference of x and y in it, among
// those that are equal in all dimensions before: so two cells of the set differ in the first
// dimension in which they do by less than its modulus, and have two places.
//
// Order is told by the loops around all accesses, and by where the accesses stand in the body of
// the innermost of these. What one execution of that body does in one of its ops counts as done at
// once, which makes the set larger.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

typedef struct users {
  stow_op_list stores, loads;
  stow_op_list loops; // around all of them, outermost first
} users;

static void free_users(users *u) {
  free(u->stores.at);
  free(u->loads.at);
  free(u->loops.at);
}

static bool is_around_all(MlirOperation loop, const users *u) {
  for (size_t i = 0; i < u->stores.count; ++i)
    if (!stow_ir_is_inside(u->stores.at[i], loop))
      return false;
  for (size_t i = 0; i < u->loads.count; ++i)
    if (!stow_ir_is_inside(u->loads.at[i], loop))
      return false;
  return true;
}

// False where something else uses the buffer, or no loop is around all.
static bool find_users(users *u, MlirOperation root, MlirValue buffer) {
  STOW_EACH_USE(use, buffer)
    if (stow_ir_is_inside(mlirOpOperandGetOwner(use), root) && !stow_taskflow_names_accessed(use))
      return false;
  STOW_EACH_OP_OF(op, root)
    if (stow_taskflow_is_access(op) && mlirValueEqual(stow_taskflow_access_memref(op), buffer)) {
      if (stow_taskflow_is_store(op))
        STOW_PUSH(u->stores, op);
      else
        STOW_PUSH(u->loads, op);
    }
  if (u->stores.count == 0 || u->loads.count == 0)
    return false;
  STOW_EACH_OP_OF(op, root)
    if (stow_taskflow_is_loop(op) && is_around_all(op, u))
      STOW_PUSH(u->loops, op);
  return u->loops.count > 0;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

// Whether an execution of `b` may come after one of `a` in one execution of the innermost loop's
// body.
static bool may_follow(const users *u, MlirOperation a, MlirOperation b) {
  MlirBlock body = stow_taskflow_loop_body(u->loops.at[u->loops.count - 1]);
  MlirOperation of_a = stow_ir_op_in_block(body, a), of_b = stow_ir_op_in_block(body, b);
  return mlirOperationEqual(of_a, of_b) || mlirOperationIsBeforeInBlock(of_a, of_b);
}

// Relations under which execution `index` + 1 comes after execution `index` since loop `level` is
// the first to differ, or none differs and the last one is `level`. Returns how many.
static size_t in_order(const users *u, size_t index, size_t level, bool may_be_same,
                       stow_iteration_relation *out) {
  for (size_t l = 0; l <= level; ++l)
    out[l] =
        (stow_iteration_relation){u->loops.at[l], u->loops.at[l], 0, STOW_ITERATION_SAME, index};
  out[level].order = STOW_ITERATION_AFTER;
  if (level + 1 == u->loops.count && may_be_same)
    out[level].shift = -1;
  return level + 1;
}

//===----------------------------------------------------------------------===//
// Differences of cells that are needed together
//===----------------------------------------------------------------------===//

// A store to x, a store to y and a load of x, and the loops that may be the first to differ.
typedef struct overlap {
  stow_executions *executions;
  bool same[2]; // whether the first two, and the last two, may be in one execution of the body
  bool *never;  // per pair of loops: there are no such executions
} overlap;

typedef struct overlaps {
  users users;
  STOW_ARRAY(overlap) list;
  stow_iteration_relation *relations; // room for two orders
} overlaps;

enum { X, Y };

static void add_overlap(overlaps *o, MlirOperation first, MlirOperation over, MlirOperation last) {
  const stow_execution three[] = {stow_taskflow_access_execution(first, X),
                                  stow_taskflow_access_execution(over, Y),
                                  stow_taskflow_access_execution(last, X)};
  const size_t depth = o->users.loops.count;
  STOW_PUSH(o->list,
            (overlap){stow_executions_create(three, 3),
                      {may_follow(&o->users, first, over), may_follow(&o->users, over, last)},
                      stow_ir_allocate(depth * depth, sizeof(bool))});
}

static void find_overlaps(overlaps *o) {
  const users *u = &o->users;
  for (size_t i = 0; i < u->stores.count; ++i)
    for (size_t j = 0; j < u->stores.count; ++j)
      for (size_t k = 0; k < u->loads.count; ++k)
        add_overlap(o, u->stores.at[i], u->stores.at[j], u->loads.at[k]);
  o->relations = stow_ir_allocate(2 * u->loops.count, sizeof *o->relations);
}

static void free_overlaps(overlaps *o) {
  for (size_t i = 0; i < o->list.count; ++i) {
    stow_executions_free(o->list.at[i].executions);
    free(o->list.at[i].never);
  }
  free(o->list.at);
  free(o->relations);
  free_users(&o->users);
}

// The row of x - y in dimension `k`, or of y - x.
static int64_t *difference_row(const stow_executions *e, size_t k, int64_t sign) {
  int64_t *row = stow_executions_row(e);
  row[stow_executions_result(e, X, k)] = sign;
  row[stow_executions_result(e, Y, k)] = -sign;
  return row;
}

// Raises `most` to the largest sum of `row`; false where there is no largest.
static bool raise(overlaps *o, overlap *one, const int64_t *row, int64_t *most) {
  const size_t depth = o->users.loops.count;
  for (size_t first = 0; first < depth; ++first)
    for (size_t last = 0; last < depth; ++last) {
      bool *never = &one->never[first * depth + last];
      int64_t largest;
      if (*never)
        continue;
      size_t count = in_order(&o->users, 0, first, one->same[0], o->relations);
      count += in_order(&o->users, 1, last, one->same[1], o->relations + count);
      switch (stow_executions_largest(one->executions, o->relations, count, row, &largest)) {
      case STOW_AFFINE_EMPTY:
        *never = true;
        break;
      case STOW_AFFINE_BOUNDED:
        *most = largest > *most ? largest : *most;
        break;
      case STOW_AFFINE_UNBOUNDED:
        return false;
      }
    }
  return true;
}

// The largest difference in dimension `k`; or `limit` where it is not less.
static int64_t largest_difference(overlaps *o, size_t k, int64_t limit) {
  int64_t most = 0;
  for (size_t i = 0; i < o->list.count; ++i)
    for (int64_t sign = -1; sign <= 1; sign += 2) {
      int64_t *row = difference_row(o->list.at[i].executions, k, sign);
      const bool bounded = raise(o, &o->list.at[i], row, &most);
      free(row);
      if (!bounded || most >= limit)
        return limit;
    }
  return most;
}

// From here on, only pairs of cells that are equal in dimension `k` count.
static void fix_dimension(overlaps *o, size_t k) {
  for (size_t i = 0; i < o->list.count; ++i) {
    int64_t *row = difference_row(o->list.at[i].executions, k, 1);
    stow_executions_equal(o->list.at[i].executions, row);
    free(row);
  }
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static bool is_plain(MlirType type) {
  return mlirShapedTypeHasStaticShape(type) && mlirShapedTypeGetRank(type) > 0 &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
}

// Effort: sets of integers per dimension.
static bool is_affordable(const users *u) {
  enum { MOST = 1024 };
  return u->stores.count * u->stores.count * u->loads.count * u->loops.count * u->loops.count <=
         MOST;
}

static void find_sizes(overlaps *o, MlirType type, int64_t *sizes) {
  for (intptr_t k = 0, rank = mlirShapedTypeGetRank(type); k < rank; ++k) {
    sizes[k] = 1 + largest_difference(o, (size_t)k, mlirShapedTypeGetDimSize(type, k) - 1);
    assert(sizes[k] > 0 && sizes[k] <= mlirShapedTypeGetDimSize(type, k));
    fix_dimension(o, (size_t)k);
  }
}

static uint64_t cells_in(const int64_t *sizes, intptr_t rank) {
  uint64_t cells = 1;
  for (intptr_t k = 0; k < rank; ++k)
    cells *= (uint64_t)sizes[k];
  return cells;
}

bool stow_taskflow_find_window(MlirBlock body, MlirValue buffer, stow_window *out_window) {
  MlirType type = mlirValueGetType(buffer);
  uint64_t bytes;
  if (!stow_ir_is_local_allocation(buffer) || !is_plain(type) ||
      !stow_taskflow_allocation_bytes(buffer, &bytes) || bytes == 0)
    return false;
  const intptr_t rank = mlirShapedTypeGetRank(type);
  overlaps o = {0};
  bool smaller =
      find_users(&o.users, mlirBlockGetParentOperation(body), buffer) && is_affordable(&o.users);
  if (smaller) {
    int64_t *sizes = stow_ir_allocate((size_t)rank, sizeof *sizes),
            *whole = stow_ir_allocate((size_t)rank, sizeof *whole);
    for (intptr_t k = 0; k < rank; ++k)
      whole[k] = mlirShapedTypeGetDimSize(type, k);
    find_overlaps(&o);
    find_sizes(&o, type, sizes);
    const uint64_t window = bytes / cells_in(whole, rank) * cells_in(sizes, rank);
    free(whole);
    *out_window = (stow_window){buffer, sizes, window};
    smaller = window < bytes;
    if (!smaller)
      stow_window_free(out_window);
  }
  free_overlaps(&o);
  return smaller;
}

void stow_window_free(stow_window *window) {
  free(window->sizes);
  window->sizes = NULL;
}

//===----------------------------------------------------------------------===//
// Keeping them
//===----------------------------------------------------------------------===//

static MlirType window_type(const stow_window *window) {
  MlirType type = mlirValueGetType(window->buffer);
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type),
                                     mlirShapedTypeGetRank(type), window->sizes,
                                     mlirMemRefTypeGetMemorySpace(type));
}

static MlirValue allocate_window(const stow_window *window) {
  MlirOperation old = mlirOpResultGetOwner(window->buffer);
  MlirOperation made = mlirOperationClone(old);
  mlirValueSetType(stow_taskflow_result(made), window_type(window));
  stow_ir_insert_before(old, made);
  return stow_taskflow_result(made);
}

static void name_window(MlirOperation access, const stow_window *window, MlirValue kept) {
  MlirContext context = mlirOperationGetContext(access);
  MlirAffineMap map = mlirAffineMapAttrGetValue(stow_attribute_of(access, "map"));
  const intptr_t rank = mlirAffineMapGetNumResults(map);
  MlirAffineExpr *results = stow_ir_allocate((size_t)rank, sizeof *results);
  MlirType whole = mlirValueGetType(window->buffer);
  for (intptr_t k = 0; k < rank; ++k) {
    results[k] = mlirAffineMapGetResult(map, k);
    if (window->sizes[k] < mlirShapedTypeGetDimSize(whole, k))
      results[k] =
          mlirAffineModExprGet(results[k], mlirAffineConstantExprGet(context, window->sizes[k]));
  }
  map = mlirAffineMapGet(context, mlirAffineMapGetNumDims(map), mlirAffineMapGetNumSymbols(map),
                         rank, results);
  free(results);
  mlirOperationSetOperand(access, stow_taskflow_is_store(access), kept);
  mlirOperationSetAttributeByName(access, stow_ir_string("map"), mlirAffineMapAttrGet(map));
}

MlirValue stow_taskflow_keep_window(MlirBlock body, const stow_window *window) {
  MlirOperation root = mlirBlockGetParentOperation(body);
  MlirValue kept = allocate_window(window);
  STOW_EACH_OP_OF(op, root)
    if (stow_taskflow_is_access(op) &&
        mlirValueEqual(stow_taskflow_access_memref(op), window->buffer))
      name_window(op, window, kept);
  mlirValueReplaceAllUsesOfWith(window->buffer, kept);
  mlirOperationDestroy(mlirOpResultGetOwner(window->buffer));
  return kept;
}
