//===- forward.c - values that go straight from a store to its loads ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two local steps, each right on its own. First a loop all of whose accesses to a
// buffer name one cell, the same in every iteration, takes the cell's value along:
// it is loaded before the loop, carried, and stored after it. Then each store hands
// its value to the loads of its cell that follow it in its block, nested ones
// included, up to the next op that may write the cell.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "bridge/affine.h"
#include "taskflow/memory.h"
#include "taskflow/open.h"
#include "taskflow/ops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

static bool names_buffer(MlirOperation op, MlirValue buffer) {
  return stow_taskflow_is_access(op) && mlirValueEqual(stow_taskflow_access_memref(op), buffer);
}

static bool names_cell(MlirOperation op, MlirOperation cell) {
  return names_buffer(op, stow_taskflow_access_memref(cell)) &&
         stow_bridge_affine_same_index(op, cell);
}

// Whether `op`, in any execution within one iteration of the loops around both, may name the cell.
static bool may_name_cell(MlirOperation op, MlirOperation cell) {
  STOW_ARRAY(stow_iteration_relation) relations = {0};
  for (MlirOperation loop = mlirOperationGetParentOperation(cell); !mlirOperationIsNull(loop);
       loop = mlirOperationGetParentOperation(loop))
    if (stow_taskflow_is_loop(loop) && stow_ir_is_inside(op, loop))
      STOW_PUSH(relations, (stow_iteration_relation){loop, loop, 0, STOW_ITERATION_SAME, 0});
  bool may = stow_taskflow_may_meet(cell, op, relations.at, relations.count);
  free(relations.at);
  return may;
}

// What an op, nested ones included, may do to a cell.
typedef struct cell_touch {
  MlirOperation cell;
  bool distinct_arguments;
  bool reads, writes;
} cell_touch;

static void see_touch(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  cell_touch *touch = user;
  if (!mlirValueIsNull(memref)) {
    MlirValue buffer = stow_taskflow_access_memref(touch->cell);
    if (!stow_ir_may_alias(stow_ir_root_of(memref), stow_ir_root_of(buffer),
                           touch->distinct_arguments) ||
        (names_buffer(op, buffer) && !may_name_cell(op, touch->cell)))
      return;
  }
  touch->reads |= (effects & STOW_READ) != 0;
  touch->writes |= (effects & (STOW_WRITE | STOW_FREE)) != 0;
}

static cell_touch touch_of(MlirOperation op, MlirOperation cell, bool distinct_arguments) {
  cell_touch touch = {.cell = cell, .distinct_arguments = distinct_arguments};
  stow_taskflow_walk_memory(op, see_touch, &touch);
  return touch;
}

//===----------------------------------------------------------------------===//
// From a store to loads
//===----------------------------------------------------------------------===//

// Gives `value` to all loads of the cell in `root`, which may be such a load itself and then is
// gone.
static void give(MlirOperation root, MlirOperation cell, MlirValue value) {
  stow_op_list loads = {0};
  STOW_EACH_OP_OF(op, root)
    if (stow_taskflow_is_load(op) && names_cell(op, cell))
      STOW_PUSH(loads, op);
  for (size_t i = 0; i < loads.count; ++i) {
    mlirValueReplaceAllUsesOfWith(stow_taskflow_result(loads.at[i]), value);
    mlirOperationDestroy(loads.at[i]);
  }
  free(loads.at);
}

static void forward_store(MlirOperation store, bool distinct_arguments) {
  bool read = false;
  MlirOperation next = mlirOperationGetNextInBlock(store);
  while (!mlirOperationIsNull(next)) {
    MlirOperation op = next;
    next = mlirOperationGetNextInBlock(op);
    cell_touch touch = touch_of(op, store, distinct_arguments);
    if (touch.writes) {
      if (!read && !touch.reads && stow_taskflow_is_store(op) && names_cell(op, store))
        mlirOperationDestroy(store);
      return;
    }
    bool is_load = stow_taskflow_is_load(op) && names_cell(op, store);
    give(op, store, stow_taskflow_stored_value(store));
    if (!is_load)
      read |= touch.reads && touch_of(op, store, distinct_arguments).reads;
  }
}

static stow_op_list accesses_of(MlirOperation root, MlirValue buffer) {
  stow_op_list list = {0};
  STOW_EACH_OP_OF(op, root)
    if (names_buffer(op, buffer))
      STOW_PUSH(list, op);
  return list;
}

static void forward_stores(MlirOperation root, MlirValue buffer, bool distinct_arguments) {
  stow_op_list accesses = accesses_of(root, buffer);
  size_t count = 0; // loads are erased on the way, other stores are not
  for (size_t i = 0; i < accesses.count; ++i)
    if (stow_taskflow_is_store(accesses.at[i]))
      accesses.at[count++] = accesses.at[i];
  for (size_t i = 0; i < count; ++i)
    forward_store(accesses.at[i], distinct_arguments);
  free(accesses.at);
}

//===----------------------------------------------------------------------===//
// Carried cells
//===----------------------------------------------------------------------===//

// A loop and the one cell of a buffer that it accesses.
typedef struct carried_cell {
  MlirOperation loop, cell;
  MlirOperation like_load; // a load of the cell in the loop, or the cell's store
} carried_cell;

static bool stored_right_before(MlirOperation loop, MlirOperation cell) {
  MlirBlock block = mlirOperationGetBlock(loop);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, loop);
       op = mlirOperationGetNextInBlock(op))
    if (stow_taskflow_is_store(op) && names_cell(op, cell))
      return true;
  return false;
}

// Whether an access of the loop keeps its cell from being carried.
static bool fits(carried_cell *c, const stow_loop_item *item, MlirValue buffer, bool distinct) {
  if (!stow_ir_may_alias(item->root, stow_ir_root_of(buffer), distinct))
    return true;
  if (!names_buffer(item->op, buffer) || stow_bridge_affine_index_varies(item->op, c->loop))
    return false;
  if (item->writes &&
      !mlirBlockEqual(mlirOperationGetBlock(item->op), stow_taskflow_loop_body(c->loop)))
    return false; // under a condition, or in a loop that does not carry the cell
  if (mlirOperationIsNull(c->cell))
    c->cell = item->op;
  if (item->reads && !stow_taskflow_is_load(c->like_load))
    c->like_load = item->op;
  return names_cell(item->op, c->cell);
}

// Whether the loop can carry the one cell of `buffer` that it accesses. It must be known to be
// accessed at least once, or before the loop, or there might be no such cell.
static bool find_carried_cell(carried_cell *c, MlirValue buffer, bool distinct) {
  MlirOperation begin = mlirBlockGetFirstOperation(stow_taskflow_loop_body(c->loop));
  stow_loop_nest nest = stow_taskflow_nest_of((stow_part){begin, {NULL}});
  bool ok = mlirOperationIsNull(nest.unknown), stores = false;
  c->cell = (MlirOperation){NULL};
  c->like_load = c->loop;
  for (size_t i = 0; i < nest.items.count && ok; ++i) {
    ok = fits(c, &nest.items.at[i], buffer, distinct);
    stores |= nest.items.at[i].writes && names_buffer(nest.items.at[i].op, buffer);
  }
  stow_taskflow_nest_free(&nest);
  return ok && stores &&
         (stored_right_before(c->loop, c->cell) ||
          (stow_bridge_affine_trip_count(c->loop) > 0 && stow_taskflow_is_load(c->like_load)));
}

// Follows the cell's value through the body, removes its accesses there, and returns the last
// value.
static MlirValue follow_cell(MlirBlock body, MlirOperation cell, MlirValue value) {
  stow_op_list stores = {0};
  STOW_EACH_OP_THAT_MAY_GO(op, body) {
    if (stow_taskflow_is_store(op) && names_cell(op, cell)) {
      value = stow_taskflow_stored_value(op);
      STOW_PUSH(stores, op);
    } else {
      give(op, cell, value);
    }
  }
  for (size_t i = 0; i < stores.count; ++i)
    mlirOperationDestroy(stores.at[i]);
  free(stores.at);
  return value;
}

static void carry_cell(const carried_cell *c) {
  MlirOperation loop = c->loop, after = mlirOperationGetNextInBlock(loop);
  intptr_t carried = stow_taskflow_loop_carried(loop);
  stow_values inits = {0}, yielded = {0};
  MlirOperation place =
      stow_taskflow_build_load_like(c->cell, loop); // stays a name of the cell throughout
  stow_taskflow_mark_like(place, c->like_load);
  stow_values_append_operands(&inits, loop, stow_taskflow_loop_first_init(loop));
  stow_values_append(&inits, stow_taskflow_result(place));
  MlirOperation made = stow_taskflow_build_loop_like(loop, loop, inits.at, inits.count);
  stow_taskflow_take_over_loop(loop, made);
  MlirBlock body = stow_taskflow_loop_body(made);
  MlirValue last = follow_cell(body, place, mlirBlockGetArgument(body, 1 + carried));
  stow_values_append_operands(&yielded, mlirBlockGetTerminator(stow_taskflow_loop_body(loop)), 0);
  stow_values_append(&yielded, last);
  stow_taskflow_build_affine_yield(body, mlirOperationGetLocation(loop), yielded.at, yielded.count);
  stow_taskflow_build_store_like(place, mlirOperationGetResult(made, carried), after);
  mlirOperationDestroy(loop);
  stow_values_free(&inits);
  stow_values_free(&yielded);
}

// Innermost loops first: an outer one can carry what all inner ones do.
static void carry_cells(MlirOperation root, MlirValue buffer, bool distinct) {
  stow_op_list loops = stow_ir_ops_in(root, stow_taskflow_is_loop);
  for (size_t i = loops.count; i-- > 0;) {
    carried_cell c = {.loop = loops.at[i]};
    if (find_carried_cell(&c, buffer, distinct))
      carry_cell(&c);
  }
  free(loops.at);
}

void stow_taskflow_forward(MlirBlock body, MlirValue buffer, stow_forward_options options) {
  MlirOperation root = mlirBlockGetParentOperation(body);
  if (options.reduction)
    carry_cells(root, buffer, options.distinct_arguments);
  forward_stores(root, buffer, options.distinct_arguments);
}

//===----------------------------------------------------------------------===//
// What is left over
//===----------------------------------------------------------------------===//

static bool is_unused(MlirOperation op) {
  intptr_t results = mlirOperationGetNumResults(op);
  if (results == 0 || mlirOperationGetNumRegions(op) > 0 ||
      !(stow_op_facts(op) & STOW_OP_EFFECTS_KNOWN))
    return false;
  for (intptr_t i = 0; i < results; ++i)
    if (stow_taskflow_value_is_used(mlirOperationGetResult(op, i)))
      return false;
  return stow_taskflow_only_reads(op);
}

void stow_taskflow_remove_unused(MlirBlock body) {
  stow_op_list ops = stow_ir_ops_in(mlirBlockGetParentOperation(body), NULL);
  for (size_t i = ops.count; i-- > 0;)
    if (is_unused(ops.at[i]))
      mlirOperationDestroy(ops.at[i]);
  free(ops.at);
}

static bool stores_to_it(MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  return stow_taskflow_is_store(user) && mlirOpOperandGetOperandNumber(use) == 1;
}

bool stow_taskflow_is_only_stored(MlirBlock body, MlirValue buffer) {
  MlirOperation root = mlirBlockGetParentOperation(body);
  STOW_EACH_USE(use, buffer)
    if (stow_ir_is_inside(mlirOpOperandGetOwner(use), root) && !stores_to_it(use))
      return false;
  return true;
}

void stow_taskflow_remove_stores(MlirBlock body, MlirValue buffer) {
  STOW_EACH_FOUND(access, accesses_of(mlirBlockGetParentOperation(body), buffer))
    if (stow_taskflow_is_store(access))
      mlirOperationDestroy(access);
}

//===----------------------------------------------------------------------===//
// Why not
//===----------------------------------------------------------------------===//

// Whether some op other than a loop lies between `store` and what it has in common with `load`.
static bool is_conditional(MlirOperation store, MlirOperation load) {
  for (MlirOperation op = mlirOperationGetParentOperation(store);
       !mlirOperationIsNull(op) && !stow_ir_is_inside(load, op);
       op = mlirOperationGetParentOperation(op))
    if (!stow_taskflow_is_loop(op))
      return true;
  return false;
}

stow_fusion_reason stow_taskflow_why_not_forwarded(MlirBlock body, MlirOperation load) {
  stow_op_list accesses =
      accesses_of(mlirBlockGetParentOperation(body), stow_taskflow_access_memref(load));
  stow_fusion_reason reason = STOW_FUSION_INDEX;
  for (size_t i = 0; i < accesses.count && reason == STOW_FUSION_INDEX; ++i)
    if (stow_taskflow_is_store(accesses.at[i]) &&
        stow_bridge_affine_same_index(accesses.at[i], load))
      reason =
          is_conditional(accesses.at[i], load) ? STOW_FUSION_CONDITIONAL : STOW_FUSION_OVERWRITTEN;
  free(accesses.at);
  return reason;
}
