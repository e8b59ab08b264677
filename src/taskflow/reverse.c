//===- reverse.c - loops that run the other way -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a reader goes over a buffer from its end to its beginning, the loop of the writer runs
// backwards, or else that of the reader, if no two of its iterations touch the same cell and one
// writes it. Then the two go the same way.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "bridge/affine.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/ops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Whether a loop may
//===----------------------------------------------------------------------===//

static bool bounds_depend_on(MlirOperation loop) {
  STOW_EACH_OP_OF(op, loop)
    if (stow_taskflow_is_loop(op) && !mlirOperationEqual(op, loop) &&
        stow_affine_bounds_use(op, loop))
      return true;
  return false;
}

// Whether two iterations of the loop, in one of each loop around it, may touch the same cell.
static bool iterations_meet(const stow_loop_nest *nest, size_t level, const stow_loop_item *a,
                            const stow_loop_item *b) {
  stow_iteration_relation *relations = stow_ir_allocate(level + 1, sizeof *relations);
  for (size_t l = 0; l <= level; ++l)
    relations[l] =
        (stow_iteration_relation){nest->spine.at[l], nest->spine.at[l], 0, STOW_ITERATION_SAME, 0};
  relations[level].order = STOW_ITERATION_AFTER;
  const bool meet = !stow_taskflow_items_comparable(a, b) ||
                    stow_taskflow_may_meet(a->op, b->op, relations, level + 1);
  free(relations);
  return meet;
}

static bool may_reverse(const stow_loop_nest *nest, size_t level, bool distinct_arguments) {
  MlirOperation loop = nest->spine.at[level];
  int64_t lower, upper, step;
  if (stow_taskflow_loop_carried(loop) > 0 ||
      !stow_bridge_affine_constant_bounds(loop, &lower, &upper, &step) || lower >= upper ||
      bounds_depend_on(loop))
    return false;
  STOW_EACH(const stow_loop_item, a, nest->items)
    STOW_EACH(const stow_loop_item, b, nest->items)
      if (stow_taskflow_items_conflict(a, b, distinct_arguments) &&
          stow_ir_is_inside(a->op, loop) && stow_ir_is_inside(b->op, loop) &&
          iterations_meet(nest, level, a, b))
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Which loops should
//===----------------------------------------------------------------------===//

// The loops of both spines that move index `k`; whether they move it in opposite directions.
static bool are_opposed(const stow_loop_nest *writer, const stow_loop_nest *reader,
                        const stow_loop_item *store, const stow_loop_item *load, intptr_t k,
                        size_t *out_first, size_t *out_second) {
  int64_t written, read;
  return stow_taskflow_find_driver(writer, store->op, k, out_first, &written) &&
         stow_taskflow_find_driver(reader, load->op, k, out_second, &read) &&
         (written < 0) != (read < 0);
}

typedef void (*opposed_fn)(void *user, size_t writer_loop, size_t reader_loop);

// Calls `fn` for each index in which the first pair of accesses that has some is opposed.
static bool each_opposed(const stow_loop_nest *writer, const stow_loop_nest *reader,
                         const stow_values *buffers, opposed_fn fn, void *user) {
  bool any = false;
  STOW_EACH(const stow_loop_item, store, writer->items)
    STOW_EACH(const stow_loop_item, load, reader->items) {
      if (!store->writes || !load->reads || !stow_taskflow_items_comparable(store, load) ||
          stow_values_find(buffers, store->memref) < 0)
        continue;
      for (intptr_t k = 0, n = mlirShapedTypeGetRank(mlirValueGetType(store->memref)); k < n; ++k) {
        size_t first, second;
        if (!are_opposed(writer, reader, store, load, k, &first, &second))
          continue;
        any = true;
        if (fn)
          fn(user, first, second);
      }
      if (any)
        return true;
    }
  return false;
}

bool stow_taskflow_runs_opposed(const stow_loop_nest *writer, const stow_loop_nest *reader,
                                const stow_values *buffers) {
  return each_opposed(writer, reader, buffers, NULL, NULL);
}

//===----------------------------------------------------------------------===//
// Reversing
//===----------------------------------------------------------------------===//

typedef struct reversal {
  const stow_loop_nest *writer, *reader;
  bool distinct_arguments;
  stow_op_list loops; // that will run backwards
} reversal;

static bool add_loop(reversal *r, const stow_loop_nest *nest, size_t level) {
  STOW_EACH_ITEM(MlirOperation, loop, r->loops)
    if (mlirOperationEqual(loop, nest->spine.at[level]))
      return true;
  if (!may_reverse(nest, level, r->distinct_arguments))
    return false;
  STOW_PUSH(r->loops, nest->spine.at[level]);
  return true;
}

static void choose(void *user, size_t writer_loop, size_t reader_loop) {
  reversal *r = user;
  if (!add_loop(r, r->writer, writer_loop))
    add_loop(r, r->reader, reader_loop);
}

// Returns what now stands for the variable.
static MlirOperation reverse(MlirOperation loop) {
  int64_t lower, upper, step;
  stow_bridge_affine_constant_bounds(loop, &lower, &upper, &step);
  const int64_t last = lower + (upper - 1 - lower) / step * step;
  MlirContext context = mlirOperationGetContext(loop);
  MlirValue variable = stow_taskflow_loop_variable(loop);
  MlirAffineExpr other =
      mlirAffineAddExprGet(mlirAffineMulExprGet(mlirAffineDimExprGet(context, 0),
                                                mlirAffineConstantExprGet(context, -1)),
                           mlirAffineConstantExprGet(context, lower + last));
  const stow_affine_value value = {mlirAffineMapGet(context, 1, 0, 1, &other), &variable, 1};
  MlirOperation apply = stow_taskflow_make_apply(mlirOperationGetLocation(loop), &value);
  stow_ir_insert_before(mlirBlockGetFirstOperation(stow_taskflow_loop_body(loop)), apply);
  mlirValueReplaceAllUsesExcept(variable, stow_taskflow_result(apply), 1, &apply);
  return apply;
}

bool stow_taskflow_reverse_opposed(stow_open_pair *pair, const stow_loop_nest *writer,
                                   const stow_loop_nest *reader, const stow_values *buffers,
                                   bool distinct_arguments) {
  reversal r = {.writer = writer, .reader = reader, .distinct_arguments = distinct_arguments};
  each_opposed(writer, reader, buffers, choose, &r);
  const bool any = r.loops.count > 0;
  for (size_t i = 0; i < r.loops.count; ++i)
    r.loops.at[i] = reverse(r.loops.at[i]);
  stow_taskflow_open_compose(pair);
  STOW_EACH_ITEM(MlirOperation, apply, r.loops)
    if (!stow_taskflow_value_is_used(stow_taskflow_result(apply)))
      mlirOperationDestroy(apply);
  free(r.loops.at);
  return any;
}
