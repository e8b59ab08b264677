//===- copied.c - buffers that hold what an argument holds --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task that copies a buffer to another one, cell by cell in some order, computes nothing. While
// the source stays as it is, readers of the copy may read the source, whatever cells they
// want: a reader that wants a window needs none. The copy is unread then (unread.c).
//
// Where each reader loads a cell once, in loops over the cells, it is fused with what copies
// instead.
//
// Sources are arguments and globals. One that the function allocates might be what is
// fused away, and would live longer.
//
//===----------------------------------------------------------------------===//

#include "taskflow/fusion.h"

#include "bridge/affine.h"
#include "ir/op.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/loops.h"
#include "taskflow/memory.h"
#include "taskflow/thread.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Tasks that copy
//===----------------------------------------------------------------------===//

// Cell x of the target holds cell `from`(x) of the source.
typedef struct copying {
  stow_task task;
  MlirValue source, target;
  MlirAffineMap from;
} copying;

static bool comes_last(MlirOperation op) {
  return mlirOperationEqual(mlirOperationGetNextInBlock(op),
                            mlirBlockGetTerminator(mlirOperationGetBlock(op)));
}

// The innermost body of a nest that is all that `body` holds.
static MlirBlock innermost(MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       stow_taskflow_is_loop(op) && comes_last(op) && stow_taskflow_loop_carried(op) == 0;
       op = mlirBlockGetFirstOperation(body))
    body = stow_taskflow_loop_body(op);
  return body;
}

// Whether `loop` runs over all indices of a dimension of `size` cells.
static bool runs_over(MlirOperation loop, int64_t size) {
  int64_t lower, upper, step;
  return stow_bridge_affine_constant_bounds(loop, &lower, &upper, &step) && lower == 0 &&
         upper == size && step == 1;
}

// The dimension of the target that `variable` alone indexes, over all of its cells; -1: none.
static intptr_t dimension_of(MlirOperation store, MlirValue variable) {
  const MlirType type = mlirValueGetType(stow_taskflow_access_memref(store));
  for (intptr_t i = 0, n = mlirShapedTypeGetRank(type); i < n; ++i) {
    MlirValue index = {NULL};
    int64_t scale, offset;
    if (stow_bridge_affine_index_term(store, i, &index, &scale, &offset) && scale == 1 &&
        offset == 0 && mlirValueEqual(index, variable) && !mlirShapedTypeIsDynamicDim(type, i) &&
        runs_over(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(variable)),
                  mlirShapedTypeGetDimSize(type, i)))
      return i;
  }
  return -1;
}

static size_t count_loops(MlirOperation access) {
  size_t count = 0;
  for (MlirOperation op = mlirOperationGetParentOperation(access); stow_taskflow_is_loop(op);
       op = mlirOperationGetParentOperation(op))
    ++count;
  return count;
}

static bool is_loop_variable(MlirValue value) {
  return mlirValueIsABlockArgument(value) &&
         stow_taskflow_is_loop(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)));
}

// Whether the loops around an access are one per dimension, over all of its cells.
static bool names_each_cell_once(MlirOperation access) {
  const stow_affine_value index = stow_bridge_affine_access_index(access);
  bool once = mlirAffineMapIsPermutation(index.map) && index.operand_count == count_loops(access);
  for (size_t i = 0; i < index.operand_count && once; ++i)
    once = is_loop_variable(index.operands[i]) && dimension_of(access, index.operands[i]) >= 0;
  free(index.operands);
  return once;
}

// The index of the load in terms of the cell that is stored; null where it has other terms.
static MlirAffineMap index_by_cell(MlirOperation load, MlirOperation store) {
  stow_affine_value index = stow_bridge_affine_access_index(load);
  const MlirContext context = mlirOperationGetContext(load);
  const intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(stow_taskflow_access_memref(store)));
  const intptr_t results = mlirAffineMapGetNumResults(index.map);
  MlirAffineExpr *cell = stow_ir_allocate(index.operand_count, sizeof *cell);
  MlirAffineExpr *from = stow_ir_allocate((size_t)results, sizeof *from);
  MlirAffineMap by_cell = {NULL};
  for (size_t i = 0; i < index.operand_count; ++i) {
    const intptr_t dimension =
        is_loop_variable(index.operands[i]) ? dimension_of(store, index.operands[i]) : -1;
    if (dimension < 0)
      goto done;
    cell[i] = mlirAffineDimExprGet(context, dimension);
  }
  if (mlirAffineMapGetNumSymbols(index.map) > 0)
    goto done;
  const MlirAffineMap cells =
      mlirAffineMapGet(context, rank, 0, (intptr_t)index.operand_count, cell);
  for (intptr_t i = 0; i < results; ++i)
    from[i] = mlirAffineExprCompose(mlirAffineMapGetResult(index.map, i), cells);
  by_cell = mlirAffineMapGet(context, rank, 0, results, from);
done:
  free(from);
  free(cell);
  free(index.operands);
  return by_cell;
}

static bool is_source(MlirValue buffer) {
  return mlirValueIsABlockArgument(buffer) || stow_ir_is_result_of(buffer, STOW_MEMREF_GET_GLOBAL);
}

// A load and a store of what was loaded, and nothing else.
static bool read_accesses(MlirBlock body, MlirOperation *out_load, MlirOperation *out_store) {
  *out_load = mlirBlockGetFirstOperation(body);
  *out_store = mlirOperationGetNextInBlock(*out_load);
  return stow_taskflow_is_load(*out_load) && stow_taskflow_is_store(*out_store) &&
         comes_last(*out_store) &&
         mlirValueEqual(stow_taskflow_stored_value(*out_store), stow_taskflow_result(*out_load));
}

static bool read_body(MlirBlock body, copying *out) {
  MlirOperation load, store;
  if (!read_accesses(innermost(body), &load, &store))
    return false;
  out->source = stow_taskflow_access_memref(load);
  out->target = stow_taskflow_access_memref(store);
  if (is_source(out->source) && stow_ir_is_local_allocation(out->target) &&
      names_each_cell_once(store))
    out->from = index_by_cell(load, store);
  return !mlirAffineMapIsNull(out->from);
}

static bool is_copying(MlirOperation op, copying *out) {
  *out = (copying){.task = stow_task_of(op)};
  if (out->task.reads != 1 || out->task.writes != 1 || out->task.value_outputs > 0 ||
      !is_source(stow_task_original_read(&out->task, 0)))
    return false;
  stow_open_pair open = stow_taskflow_open_alone(&out->task);
  stow_taskflow_open_compose(&open);
  const bool copies = read_body(open.body, out) && stow_ir_in_one_space(out->source, out->target);
  stow_taskflow_open_drop(&open);
  return copies;
}

//===----------------------------------------------------------------------===//
// Tasks that read copies
//===----------------------------------------------------------------------===//

typedef struct clash {
  MlirValue source;
  bool distinct_arguments, found;
} clash;

static void see_write(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  (void)op;
  clash *c = user;
  if (mlirValueIsNull(memref) ||
      ((effects & (STOW_WRITE | STOW_FREE)) &&
       stow_ir_may_alias(stow_ir_root_of(memref), stow_ir_root_of(c->source),
                         c->distinct_arguments)))
    c->found = true;
}

// Whether `op` may change the source.
static bool may_change(const copying *c, MlirOperation op, bool distinct_arguments) {
  if (stow_taskflow_is_task(op)) {
    const stow_task task = stow_task_of(op);
    return stow_tasks_conflict(&c->task, &task, c->target, distinct_arguments);
  }
  clash seen = {c->source, distinct_arguments, false};
  stow_taskflow_walk_memory(op, see_write, &seen);
  return seen.found;
}

// Whether the task does nothing but load from the copy.
static bool only_loads(const stow_task *task, MlirValue copy) {
  for (intptr_t i = 0; i < task->reads + task->writes; ++i) {
    if (!mlirValueEqual(stow_task_original_of_argument(task, i), copy))
      continue;
    STOW_EACH_USE(use, mlirBlockGetArgument(task->body, i)) {
      if (!stow_taskflow_is_load(mlirOpOperandGetOwner(use)))
        return false;
    }
  }
  return true;
}

static bool is_listed(const stow_op_list *list, MlirOperation op) {
  bool listed = false;
  for (size_t i = 0; i < list->count && !listed; ++i)
    listed = mlirOperationEqual(list->at[i], op);
  return listed;
}

// The tasks that read the copy; false where something else uses it.
static bool list_readers(const copying *c, stow_op_list *readers) {
  STOW_EACH_USE(use, c->target) {
    const MlirOperation user = mlirOpOperandGetOwner(use);
    if (mlirOperationEqual(user, c->task.op) || stow_ir_is_dealloc(user) ||
        is_listed(readers, user))
      continue;
    if (!stow_taskflow_is_task(user))
      return false;
    const stow_task task = stow_task_of(user);
    if (!only_loads(&task, c->target))
      return false;
    STOW_PUSH(*readers, user);
  }
  return readers->count > 0;
}

// Whether all readers stand behind the copying, in its block, and the source stays as it is until
// the last one ends.
static bool source_stays(const copying *c, const stow_op_list *readers, bool distinct_arguments) {
  size_t seen = 0;
  for (MlirOperation op = mlirOperationGetNextInBlock(c->task.op);
       seen < readers->count && !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (may_change(c, op, distinct_arguments))
      return false;
    seen += is_listed(readers, op);
  }
  return seen == readers->count;
}

//===----------------------------------------------------------------------===//
// Reading the source
//===----------------------------------------------------------------------===//

static void load_from_source(const copying *c, MlirOperation load) {
  const MlirAffineMap cell = mlirAffineMapAttrGetValue(stow_attribute_of(load, "map"));
  const intptr_t rank = mlirAffineMapGetNumResults(c->from);
  MlirAffineExpr *index = stow_ir_allocate((size_t)rank, sizeof *index);
  for (intptr_t i = 0; i < rank; ++i)
    index[i] = mlirAffineExprCompose(mlirAffineMapGetResult(c->from, i), cell);
  const MlirAffineMap map =
      mlirAffineMapGet(mlirOperationGetContext(load), mlirAffineMapGetNumDims(cell),
                       mlirAffineMapGetNumSymbols(cell), rank, index);
  mlirOperationSetOperand(load, 0, c->source);
  mlirOperationSetAttributeByName(load, stow_ir_string("map"), mlirAffineMapAttrGet(map));
  free(index);
}

static void read_source(const copying *c, MlirOperation reader) {
  const stow_task task = stow_task_of(reader);
  stow_open_pair open = stow_taskflow_open_alone(&task);
  STOW_EACH_OP_OF(op, open.shell)
    if (stow_taskflow_is_load(op) && mlirValueEqual(stow_taskflow_access_memref(op), c->target))
      load_from_source(c, op);
  stow_taskflow_open_replace(&open, &task);
}

static bool reads_again(const copying *c, MlirOperation reader) {
  const stow_task task = stow_task_of(reader);
  stow_open_pair open = stow_taskflow_open_alone(&task);
  bool again = false;
  stow_taskflow_open_compose(&open);
  STOW_EACH_OP_OF(op, open.shell)
    if (stow_taskflow_is_load(op) && mlirValueEqual(stow_taskflow_access_memref(op), c->target))
      again |= !names_each_cell_once(op);
  stow_taskflow_open_drop(&open);
  return again;
}

// Whether fusion would not do as well.
static bool pays(const copying *c, const stow_op_list *readers) {
  bool again = false;
  for (size_t i = 0; i < readers->count && !again; ++i)
    again = reads_again(c, readers->at[i]);
  return again;
}

static bool read_through(stow_fusion *fusion, MlirOperation function, MlirOperation op) {
  copying c;
  stow_op_list readers = {0};
  const bool noalias = fusion->options.assume_noalias_arguments;
  const bool found = is_copying(op, &c) && list_readers(&c, &readers) &&
                     source_stays(&c, &readers, noalias) && pays(&c, &readers);
  for (size_t i = 0; i < readers.count && found; ++i) {
    const stow_fusion_record record =
        stow_fusion_record_of(function, op, readers.at[i], STOW_FUSION_COPY, noalias);
    STOW_PUSH(fusion->records, record);
    read_source(&c, readers.at[i]);
  }
  free(readers.at);
  return found;
}

// What was read through one copy may be another one: tasks come in program order. Inner blocks come
// first, as a task is made anew with what it holds.
bool stow_taskflow_read_through_copies(stow_fusion *fusion, MlirOperation function) {
  bool any = false;
  stow_block_set blocks = stow_task_blocks_of(function);
  for (size_t i = blocks.count; i-- > 0;)
    STOW_EACH_OP(op, blocks.at[i])
      if (stow_taskflow_is_task(op))
        any |= read_through(fusion, function, op);
  STOW_SET_FREE(blocks);
  return any;
}
