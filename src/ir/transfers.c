//===- transfers.c - buffers that a tag stands for -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memref.dma_start goes on with its buffers until a memref.dma_wait on the same element of its tag,
// for the same number of elements, is done. Where it is certain which one that is, because it is
// the next one in the block and no transfer in between may have that element, the wait is a use of
// these buffers. Otherwise they escape.
//
//===----------------------------------------------------------------------===//

#include "ir/flow_tables.h"
#include "ir/limits.h"
#include "ir/op.h"
#include "mlir-c/BuiltinTypes.h"

// By which an op starts a transfer or waits for it.
typedef struct tag {
  MlirOperation op;
  MlirValue memref, count;
  intptr_t first, rank; // operands: the indices of the element
} tag;

static intptr_t rank_of(MlirOperation op, intptr_t operand) {
  return (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(op, operand)));
}

static tag tag_at(MlirOperation op, intptr_t operand, intptr_t count) {
  return (tag){op, mlirOperationGetOperand(op, operand), mlirOperationGetOperand(op, count),
               operand + 1, rank_of(op, operand)};
}

// A start has source, indices, target, indices, count, tag, indices; a wait tag, indices, count.
static bool read_tag(MlirOperation op, tag *out) {
  if (stow_is(op, STOW_MEMREF_DMA_WAIT)) {
    *out = tag_at(op, 0, 1 + rank_of(op, 0));
    return true;
  }
  if (!stow_is(op, STOW_MEMREF_DMA_START))
    return false;
  const intptr_t target = 1 + rank_of(op, 0), count = target + 1 + rank_of(op, target);
  *out = tag_at(op, count + 1, count);
  return true;
}

static MlirValue index_of(const tag *t, intptr_t i) {
  return mlirOperationGetOperand(t->op, t->first + i);
}

static bool is_same_element(const tag *a, const tag *b) {
  for (intptr_t i = 0; i < a->rank; ++i)
    if (!mlirValueEqual(index_of(a, i), index_of(b, i)))
      return false;
  return mlirValueEqual(a->memref, b->memref);
}

static bool is_other_element(const tag *a, const tag *b) {
  int64_t x, y;
  for (intptr_t i = 0; i < a->rank; ++i)
    if (stow_constant_of(index_of(a, i), &x) && stow_constant_of(index_of(b, i), &y) && x != y)
      return true;
  return false;
}

static bool is_behind(MlirOperation op, MlirOperation start) {
  return mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(start)) &&
         mlirOperationIsBeforeInBlock(start, op);
}

// The first in the block behind the start; null where there is none, or the tag has many uses.
static MlirOperation first_wait(const tag *start) {
  MlirOperation found = {NULL};
  size_t count = 0;
  tag wait;
  STOW_EACH_USE(use, start->memref) {
    const MlirOperation op = mlirOpOperandGetOwner(use);
    if (++count > STOW_TRANSFERS_MOST_USES)
      return (MlirOperation){NULL};
    if (stow_is(op, STOW_MEMREF_DMA_WAIT) && is_behind(op, start->op) && read_tag(op, &wait) &&
        is_same_element(start, &wait) && mlirValueEqual(start->count, wait.count) &&
        (mlirOperationIsNull(found) || mlirOperationIsBeforeInBlock(op, found)))
      found = op;
  }
  return found;
}

// Whether an op that uses the tag leaves its element alone, or only waits.
static bool is_harmless(const tag *start, MlirOperation op) {
  tag other;
  return stow_is(op, STOW_MEMREF_DMA_WAIT) ||
         (read_tag(op, &other) && mlirValueEqual(other.memref, start->memref) &&
          is_other_element(start, &other));
}

// The wait that completes the transfer of an op; null where there is none for certain.
static MlirOperation completion_of(MlirOperation op) {
  tag start;
  if (!stow_is(op, STOW_MEMREF_DMA_START) || !read_tag(op, &start))
    return (MlirOperation){NULL};
  const MlirOperation wait = first_wait(&start);
  if (mlirOperationIsNull(wait))
    return wait;
  STOW_EACH_USE(use, start.memref) {
    const MlirOperation user = mlirOpOperandGetOwner(use);
    const MlirOperation there = stow_op_in_block(mlirOperationGetBlock(op), user);
    if (!mlirOperationIsNull(there) && is_behind(there, op) && is_behind(wait, there) &&
        !is_harmless(&start, user))
      return (MlirOperation){NULL};
  }
  return wait;
}

static void use_buffers(stow_flow *flow, const stow_visit *visit, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, i))))
      stow_flow_add_use(flow, stow_flow_value(flow, mlirOperationGetOperand(op, i)), visit, false);
}

bool stow_transfer_copy(stow_flow *flow, const stow_visit *visit) {
  const bool starts =
      (visit->traits & STOW_STARTS_WORK) && !mlirOperationIsNull(completion_of(visit->op));
  const bool waits = (visit->traits & STOW_WAITS) && stow_is(visit->op, STOW_MEMREF_DMA_WAIT);
  if (starts || waits)
    use_buffers(flow, visit, visit->op);
  if (waits)
    STOW_EACH_USE(use, mlirOperationGetOperand(visit->op, 0)) {
      const MlirOperation start = mlirOpOperandGetOwner(use);
      if (mlirOperationEqual(completion_of(start), visit->op))
        use_buffers(flow, visit, start);
    }
  return starts || waits;
}
