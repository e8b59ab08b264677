//===- apply.c - ops into the order of their nodes ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key per op: the place of a node, whether the op stands before it, is it, or stands behind
// it, and where the op stood. Ops that stand before a node keep their order, so what they use
// of each other is there.
//
//===----------------------------------------------------------------------===//

#include "reorder/reorder.h"

#include <assert.h>

enum { BEFORE, AT, BEHIND };

typedef struct key {
  size_t place; // of a node
  int side;
  size_t op;
} key;

static int ascending(const void *left, const void *right) {
  const key *a = left, *b = right;
  return stow_ir_then(STOW_COMPARE(a->place, b->place),
                      stow_ir_then(STOW_COMPARE(a->side, b->side), STOW_COMPARE(a->op, b->op)));
}

// The op of the block around a user of a value, or -1: the last one, or one in a block behind.
static int32_t op_around(const stow_reorder_block *b, MlirOperation op) {
  op = stow_ir_op_in_block(b->block, op);
  return mlirOperationIsNull(op) ? -1 : stow_map_get(&b->index, op.ptr);
}

// In front of its first user; `keys` has those of all later ops.
static key key_of_helper(const stow_reorder_block *b, const key *keys, size_t op) {
  key first = {b->nodes.count, BEFORE, op};
  MlirOperation own = b->ops.at[op].op;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(own); ++i)
    STOW_EACH_USE(use, mlirOperationGetResult(own, i)) {
      const int32_t user = op_around(b, mlirOpOperandGetOwner(use));
      if (user < 0)
        continue;
      assert((size_t)user > op);
      key with = keys[user];
      with.op = op;
      with.side = with.side == AT ? BEFORE : with.side;
      if (ascending(&with, &first) < 0)
        first = with;
    }
  return first;
}

// By memory: the last place of a node that touches it.
static size_t *last_places(const stow_reorder_block *b, const size_t *places) {
  size_t *last = stow_ir_allocate(b->memory_count, sizeof *last);
  STOW_EACH(const stow_reorder_touch, touch, b->touches)
    if (places[touch->node] > last[touch->memory])
      last[touch->memory] = places[touch->node];
  return last;
}

static key *keys_of(const stow_reorder_block *b, const size_t *nodes) {
  key *keys = stow_ir_allocate(b->ops.count, sizeof *keys);
  size_t *places = stow_ir_allocate(b->nodes.count, sizeof *places);
  for (size_t i = 0; i < b->nodes.count; ++i) {
    places[nodes[i]] = i;
    keys[b->nodes.at[nodes[i]]] = (key){i, AT, b->nodes.at[nodes[i]]};
  }
  size_t *last = last_places(b, places);
  for (size_t i = b->ops.count; i-- > 0;) {
    const stow_reorder_op *op = &b->ops.at[i];
    if (op->late) {
      keys[i] = (key){last[op->memory], BEHIND, i};
    } else if (op->node < 0) {
      keys[i] = key_of_helper(b, keys, i);
    }
  }
  free(places);
  free(last);
  return keys;
}

#ifndef NDEBUG
// Each op stands behind those of the block that its operands come from.
static void assert_defined(const stow_reorder_block *b, const size_t *places) {
  for (size_t i = 0; i < b->ops.count; ++i) {
    MlirOperation op = b->ops.at[i].op;
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
      MlirValue operand = mlirOperationGetOperand(op, o);
      const int32_t from = mlirValueIsAOpResult(operand)
                               ? stow_map_get(&b->index, mlirOpResultGetOwner(operand).ptr)
                               : -1;
      assert(from < 0 || places[from] < places[i]);
    }
  }
}

// Each op has a place, edges go forward, and memory is freed behind all that touches it.
static void assert_order(const stow_reorder_block *b, const key *keys) {
  size_t *places = stow_ir_allocate(b->ops.count, sizeof *places);
  bool *placed = stow_ir_allocate(b->ops.count, sizeof *placed);
  size_t *freed = stow_ir_allocate(b->memory_count, sizeof *freed); // one more than the place; or 0
  for (size_t i = 0; i < b->ops.count; ++i) {
    const stow_reorder_op *op = &b->ops.at[keys[i].op];
    assert(!placed[keys[i].op]);
    placed[keys[i].op] = true;
    places[keys[i].op] = i;
    if (op->late && freed[op->memory] == 0)
      freed[op->memory] = i + 1;
  }
  for (size_t e = 0; e < b->edges.count; ++e)
    assert(places[b->nodes.at[b->edges.at[e].before]] < places[b->nodes.at[b->edges.at[e].after]]);
  STOW_EACH(const stow_reorder_touch, touch, b->touches)
    assert(!freed[touch->memory] || places[b->nodes.at[touch->node]] < freed[touch->memory] - 1);
  assert_defined(b, places);
  free(places);
  free(placed);
  free(freed);
}
#else
static void assert_order(const stow_reorder_block *b, const key *keys) {
  (void)b;
  (void)keys;
}
#endif

void stow_reorder_apply(const stow_reorder_block *b, const size_t *nodes) {
  key *keys = keys_of(b, nodes);
  stow_ir_sort(keys, b->ops.count, sizeof *keys, ascending);
  assert_order(b, keys);
  MlirOperation last = mlirBlockGetTerminator(b->block);
  for (size_t i = 0; i < b->ops.count; ++i)
    mlirOperationMoveBefore(b->ops.at[keys[i].op].op, last);
  free(keys);
}
