//===- fuse.c - what is around sums, in their tiles -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires: the nests of a module and their tiles. A fill with a constant in front of sums gives
// the values that they begin with. An elementwise op behind them (bias, activation, requantization)
// reads each sum while it is in a register. Where it writes over the result, in place, nothing else
// sees that, and it is not stored.
//
// Ops between have no effect. A tile writes what the op writes before other tiles have read what
// the sums read, so these must be disjoint; and so must what the op reads besides, and the result.
//
//===----------------------------------------------------------------------===//

#include "vectors/fuse.h"

#include "vectors/disjoint.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct fusing {
  stow_tiled *tiled;
  bool *gone;
  stow_disjointness disjoint;
} fusing;

static MlirOperation function_of(MlirOperation op) {
  while (!stow_bridge_op_is_function(op) &&
         !mlirOperationIsNull(mlirOperationGetParentOperation(op)))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static bool are_disjoint(fusing *f, MlirOperation at, MlirValue a, MlirValue b) {
  const MlirOperation function = function_of(at);
  if (mlirOperationIsNull(f->disjoint.function) ||
      !mlirOperationEqual(function, f->disjoint.function))
    f->disjoint = (stow_disjointness){function, stow_layout_at(function)};
  return stow_vectors_are_disjoint(&f->disjoint, a, b);
}

// The next op in the block that has an effect, or null.
static MlirOperation next_of(MlirOperation op) {
  do
    op = mlirOperationGetNextInBlock(op);
  while (!mlirOperationIsNull(op) && stow_bridge_op_has_no_effect(op));
  return op;
}

// The only operand that is written, the last one; or NULL.
static const stow_nest_operand *result_of(const stow_nest *nest) {
  for (intptr_t i = 0; i < nest->operand_count; ++i)
    if (nest->operands[i].written != (i + 1 == nest->operand_count))
      return NULL;
  return &nest->operands[nest->operand_count - 1];
}

// Whether what the sums read is disjoint from what would be written meanwhile.
static bool reads_are_disjoint(fusing *f, const stow_nest *nest, MlirValue written) {
  for (intptr_t i = 0; i < nest->operand_count; ++i)
    if (nest->operands[i].memref && !nest->operands[i].written &&
        !are_disjoint(f, nest->op, nest->operands[i].value, written))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// First values
//===----------------------------------------------------------------------===//

// Whether the sums are all cells of the memref.
static bool sets_all(const stow_nest *nest, const stow_nest_operand *result) {
  const MlirType type = mlirValueGetType(result->value);
  int64_t points = 1, cells = 1;
  for (intptr_t l = 0; l < nest->loop_count; ++l)
    points *= nest->parallel[l] ? nest->extents[l] : 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d) {
    if (mlirShapedTypeIsDynamicDim(type, d))
      return false;
    cells *= mlirShapedTypeGetDimSize(type, d);
  }
  return points == cells;
}

static void fuse_fill(fusing *f, size_t fill, size_t sums) {
  const stow_nest *first = &f->tiled[fill].nest;
  stow_nest *nest = &f->tiled[sums].nest;
  const stow_nest_operand *result = result_of(nest);
  if (!stow_ir_is(first->op, STOW_LINALG_FILL) || !f->tiled[sums].tile.sums || !result ||
      !stow_vectors_is_same(first->operands[1].value, result->value) || !sets_all(nest, result))
    return;
  const MlirValue value = first->operands[0].value;
  if (!stow_ir_is_result_of(value, STOW_ARITH_CONSTANT) ||
      !mlirTypeEqual(mlirValueGetType(value), result->element) ||
      !reads_are_disjoint(f, nest, result->value))
    return;
  nest->start = mlirOpResultGetOwner(value);
  f->gone[fill] = true;
  mlirOperationDestroy(first->op);
}

//===----------------------------------------------------------------------===//
// Ops behind sums
//===----------------------------------------------------------------------===//

// The loop of the op that goes along the result as a loop of the nest does, or -1.
static intptr_t loop_along(const stow_nest *then, const stow_nest_operand *sum, int64_t stride,
                           int64_t extent) {
  intptr_t found = -1;
  for (intptr_t l = 0; l < then->loop_count; ++l)
    if (then->extents[l] > 1 && sum->strides[l] == stride) {
      if (found >= 0 || then->extents[l] != extent)
        return -1;
      found = l;
    }
  return found;
}

// For each loop of the nest that runs, that of the op. False: their points are not the same.
static bool match_loops(const stow_nest *nest, const stow_nest_operand *result,
                        const stow_nest *then, const stow_nest_operand *sum, intptr_t *out) {
  intptr_t left = 0;
  for (intptr_t l = 0; l < then->loop_count; ++l) {
    left += then->extents[l] > 1;
    if (!then->parallel[l])
      return false;
  }
  for (intptr_t l = 0; l < nest->loop_count; ++l) {
    out[l] = -1;
    if (!nest->parallel[l] || nest->extents[l] == 1)
      continue;
    out[l] = loop_along(then, sum, result->strides[l], nest->extents[l]);
    if (out[l] < 0)
      return false;
    --left;
  }
  return left == 0 && sum->first == result->first;
}

static bool is_used(const stow_nest *nest, intptr_t operand) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(nest->body, operand)));
}

// The operand that is the result, read; -1: none or several.
static intptr_t sum_of(const stow_nest *then, MlirValue result) {
  intptr_t found = -1;
  for (intptr_t i = 0; i + 1 < then->operand_count; ++i)
    if (then->operands[i].memref && stow_vectors_is_same(then->operands[i].value, result)) {
      if (found >= 0)
        return -1;
      found = i;
    }
  return found;
}

static bool is_elementwise(const stow_nest *then) {
  STOW_EACH_OP(op, then->body)
    if (stow_ir_is(op, STOW_LINALG_INDEX))
      return false;
  return result_of(then) && !is_used(then, then->operand_count - 1);
}

// Whether the op may run tile by tile.
static bool may_run_in_tiles(fusing *f, const stow_nest *nest, const stow_nest *then, intptr_t sum,
                             bool in_place) {
  const MlirValue result = result_of(nest)->value, written = result_of(then)->value;
  for (intptr_t i = 0; i + 1 < then->operand_count; ++i)
    if (i != sum && then->operands[i].memref &&
        !are_disjoint(f, then->op, then->operands[i].value, result))
      return false;
  return reads_are_disjoint(f, nest, written) &&
         (in_place || are_disjoint(f, then->op, result, written));
}

static bool is_same_place(const stow_nest_operand *a, const stow_nest_operand *b,
                          const stow_nest *of) {
  if (!stow_vectors_is_same(a->value, b->value) || a->first != b->first)
    return false;
  for (intptr_t l = 0; l < of->loop_count; ++l)
    if (of->extents[l] > 1 && a->strides[l] != b->strides[l])
      return false;
  return true;
}

static void take_operands(stow_nest *nest, const stow_nest *then, intptr_t sum,
                          const intptr_t *loops) {
  nest->then = (stow_nest_then){.op = then->op, .body = then->body, .count = then->operand_count};
  for (intptr_t i = 0; i < then->operand_count; ++i) {
    nest->then.places[i] = i == sum ? -1 : nest->read_count;
    if (i == sum)
      continue;
    stow_nest_operand *o = &nest->operands[nest->read_count++];
    *o = then->operands[i];
    for (intptr_t l = 0; l < nest->loop_count; ++l)
      o->strides[l] = loops[l] < 0 ? 0 : then->operands[i].strides[loops[l]];
  }
}

static void fuse_then(fusing *f, size_t sums, size_t behind) {
  stow_nest *nest = &f->tiled[sums].nest, *then = &f->tiled[behind].nest;
  const stow_tile *tile = &f->tiled[sums].tile;
  const stow_nest_operand *result = result_of(nest);
  intptr_t loops[STOW_NEST_LOOPS];
  if (!tile->sums || !result || !is_elementwise(then))
    return;
  const intptr_t sum = sum_of(then, result->value);
  if (sum < 0 || !match_loops(nest, result, then, &then->operands[sum], loops))
    return;
  const stow_nest_operand *written = result_of(then);
  const bool in_place = is_same_place(&then->operands[sum], written, then);
  if ((tile->lanes >= 0 && written->strides[loops[tile->lanes]] != 1) ||
      !may_run_in_tiles(f, nest, then, sum, in_place))
    return;
  nest->drops = in_place;
  take_operands(nest, then, sum, loops);
  mlirOperationMoveBefore(nest->op, then->op);
  f->gone[behind] = true;
}

size_t stow_vectors_fuse_nests(stow_tiled *tiled, size_t count) {
  fusing f = {.tiled = tiled, .gone = stow_ir_allocate(count, sizeof *f.gone)};
  size_t kept = 0;
  for (size_t i = 0; i + 1 < count; ++i) {
    if (!mlirOperationEqual(next_of(tiled[i].nest.op), tiled[i + 1].nest.op))
      continue;
    fuse_fill(&f, i, i + 1);
  }
  for (size_t i = 0; i + 1 < count; ++i)
    if (!f.gone[i] && !f.gone[i + 1] &&
        mlirOperationEqual(next_of(tiled[i].nest.op), tiled[i + 1].nest.op))
      fuse_then(&f, i, i + 1);
  for (size_t i = 0; i < count; ++i)
    if (!f.gone[i])
      tiled[kept++] = tiled[i];
  free(f.gone);
  return kept;
}
