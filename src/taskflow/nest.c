//===- nest.c - the loops and the memory accesses of a part of a body ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a part of a body. Computes its spine of loops one in the other, the band of them that
// may change their order, and all accesses to memory inside.
//
//===----------------------------------------------------------------------===//

#include "taskflow/order.h"

#include "taskflow/memory.h"
#include "taskflow/task.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool ends(MlirOperation op, MlirOperation end) {
  return mlirOperationIsNull(op) || mlirOperationEqual(op, end);
}

// The only affine.for in [op, end), or null.
static MlirOperation only_loop(MlirOperation op, MlirOperation end) {
  MlirOperation found = {NULL};
  for (; !ends(op, end); op = mlirOperationGetNextInBlock(op)) {
    if (!stow_taskflow_is_loop(op))
      continue;
    if (!mlirOperationIsNull(found))
      return (MlirOperation){NULL};
    found = op;
  }
  return found;
}

static bool holds_only_a_loop(MlirOperation loop) {
  MlirOperation first = mlirBlockGetFirstOperation(stow_taskflow_loop_body(loop));
  return stow_taskflow_is_loop(first) &&
         mlirOperationIsNull(mlirOperationGetNextInBlock(mlirOperationGetNextInBlock(first)));
}

static size_t band_of(const stow_op_list *spine) {
  size_t band = 0;
  while (band < spine->count && stow_taskflow_loop_carried(spine->at[band]) == 0) {
    ++band;
    if (!holds_only_a_loop(spine->at[band - 1]))
      break;
  }
  return band;
}

static void find_spine(stow_loop_nest *nest, stow_part part) {
  MlirOperation loop = only_loop(part.begin, part.end);
  while (!mlirOperationIsNull(loop)) {
    STOW_PUSH(nest->spine, loop);
    loop =
        only_loop(mlirBlockGetFirstOperation(stow_taskflow_loop_body(loop)), (MlirOperation){NULL});
  }
  nest->band = band_of(&nest->spine);
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

// How a channel is accessed must not change: that counts as an effect that is not known.
static void add_item(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  stow_loop_nest *nest = user;
  if (mlirValueIsNull(memref) || stow_taskflow_is_channel(stow_ir_root_of(memref))) {
    if (mlirOperationIsNull(nest->unknown))
      nest->unknown = op;
    return;
  }
  const bool exact = stow_taskflow_is_access(op) && !stow_layout_overlaps(mlirValueGetType(memref));
  STOW_PUSH(nest->items, (stow_loop_item){.op = op,
                                          .memref = memref,
                                          .root = stow_ir_root_of(memref),
                                          .exact = exact,
                                          .reads = effects & STOW_READ,
                                          .writes = effects & (STOW_WRITE | STOW_FREE)});
}

stow_loop_nest stow_taskflow_nest_of(stow_part part) {
  stow_loop_nest nest = {0};
  find_spine(&nest, part);
  for (MlirOperation op = part.begin; !ends(op, part.end); op = mlirOperationGetNextInBlock(op)) {
    STOW_EACH_OP_OF(inside, op)
      nest.loop_count += stow_taskflow_is_loop(inside);
    stow_taskflow_walk_memory(op, add_item, &nest);
  }
  return nest;
}

void stow_taskflow_nest_free(stow_loop_nest *nest) {
  free(nest->spine.at);
  free(nest->items.at);
  *nest = (stow_loop_nest){0};
}

bool stow_taskflow_items_conflict(const stow_loop_item *a, const stow_loop_item *b,
                                  bool distinct_arguments) {
  return (a->writes || b->writes) && stow_ir_may_alias(a->root, b->root, distinct_arguments);
}

bool stow_taskflow_items_comparable(const stow_loop_item *a, const stow_loop_item *b) {
  return a->exact && b->exact && mlirValueEqual(a->memref, b->memref);
}
