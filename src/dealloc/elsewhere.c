//===- elsewhere.c - memory that its program must free --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that memref.dealloc does not free is left to its program. To find out whether
// the program frees it, all names that ops make of it are followed. Where a terminator or
// a call passes it on, it may be freed.
//
//===----------------------------------------------------------------------===//

#include "dealloc/domain.h"

#include <stdlib.h>

typedef struct names {
  MlirValue *items;
  size_t count, capacity;
  stow_map known;
} names;

static void add_name(names *n, MlirValue value) {
  if (!stow_is_buffer(mlirValueGetType(value)) || stow_map_get(&n->known, value.ptr) >= 0)
    return;
  stow_map_add(&n->known, value.ptr, 0);
  n->items = stow_grow(n->items, n->count, &n->capacity, sizeof *n->items);
  n->items[n->count++] = value;
}

static bool frees_operand(MlirOperation op, intptr_t operand) {
  uint8_t other;
  uint8_t *operands = stow_allocate((size_t)mlirOperationGetNumOperands(op), 1);
  uint8_t *results = stow_allocate((size_t)mlirOperationGetNumResults(op), 1);
  stow_op_effects(op, operands, results, &other);
  bool frees = operands[operand] & STOW_FREE;
  free(operands), free(results);
  return frees;
}

static bool may_end_at(names *n, MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  if (stow_op_facts(user) & (STOW_OP_TERMINATOR | STOW_OP_CALL))
    return true;
  for (intptr_t i = 0, count = mlirOperationGetNumResults(user); i < count; ++i)
    add_name(n, mlirOperationGetResult(user, i));
  return frees_operand(user, mlirOpOperandGetOperandNumber(use));
}

bool stow_is_freed_elsewhere(MlirValue value) {
  names n = {0};
  add_name(&n, value);
  bool freed = false;
  for (size_t i = 0; i < n.count && !freed; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(n.items[i]); !mlirOpOperandIsNull(use) && !freed;
         use = mlirOpOperandGetNextUse(use))
      freed = may_end_at(&n, use);
  free(n.items);
  stow_map_free(&n.known);
  return freed;
}
