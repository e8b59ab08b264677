//===- figures.c - what a program holds and does: bytes, loads, stores --===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts loads, stores and bytes of a function's tasks, each as often as the loops around it run;
// not exact where a loop's extent is not known.
//
//===----------------------------------------------------------------------===//

#include "bridge/affine.h"
#include "ir/size.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/loops.h"
#include "taskflow/memory.h"
#include "taskflow/thread.h"

static uint64_t add(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static void add_figures(stow_figures *sum, const stow_figures *figures) {
  sum->tasks += figures->tasks;
  sum->bytes = add(sum->bytes, figures->bytes);
  sum->loads = add(sum->loads, figures->loads);
  sum->stores = add(sum->stores, figures->stores);
  sum->exact &= figures->exact;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

typedef struct counting {
  MlirOperation root;
  MlirValue buffer; // null: all
  stow_figures figures;
} counting;

static uint64_t executions(counting *c, MlirOperation op) {
  uint64_t count = 1;
  while (!mlirOperationEqual(op, c->root)) {
    op = mlirOperationGetParentOperation(op);
    if (!stow_taskflow_is_loop(op))
      continue;
    int64_t trips = stow_bridge_affine_trip_count(op);
    c->figures.exact &= trips >= 0;
    count = multiply(count, trips < 0 ? 1 : (uint64_t)trips);
  }
  return count;
}

static void count_touch(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  counting *c = user;
  MlirValue root = mlirValueIsNull(memref) ? memref : stow_ir_root_of(memref);
  if (mlirValueIsNull(root) || mlirOperationEqual(op, c->root) ||
      stow_ir_is(op, STOW_TASKFLOW_RELEASE) ||
      (!mlirValueIsNull(c->buffer) && !mlirValueEqual(root, stow_ir_root_of(c->buffer))) ||
      (stow_ir_is_local_allocation(root) && stow_taskflow_made_inside(root, c->root)))
    return;
  uint64_t count = executions(c, op);
  if (effects & STOW_READ)
    c->figures.loads = add(c->figures.loads, count);
  if (effects & STOW_WRITE)
    c->figures.stores = add(c->figures.stores, count);
}

stow_figures stow_taskflow_accesses_to(MlirOperation op, MlirValue buffer) {
  counting c = {op, buffer, {.exact = true}};
  stow_taskflow_walk_memory(op, count_touch, &c);
  return c.figures;
}

stow_figures stow_taskflow_accesses_in(MlirOperation op) {
  return stow_taskflow_accesses_to(op, (MlirValue){NULL});
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool is_local(MlirValue buffer) {
  return stow_ir_is_local_allocation(buffer) || stow_taskflow_is_channel(buffer);
}

// Of the elements that a channel holds at once.
static uint64_t channel_bytes(MlirValue channel, uint64_t all) {
  MlirAttribute depth = stow_attribute_of(mlirOpResultGetOwner(channel), "depth");
  return all / (uint64_t)mlirShapedTypeGetDimSize(mlirValueGetType(channel), 0) *
         (uint64_t)mlirIntegerAttrGetValueInt(depth);
}

bool stow_taskflow_allocation_bytes(MlirValue buffer, uint64_t *out_bytes) {
  stow_extent size;
  uint64_t alignment;
  if (!is_local(buffer))
    return false;
  stow_layout layout = stow_layout_at(mlirOpResultGetOwner(buffer));
  stow_ir_memref_size(&layout, mlirValueGetType(buffer), &size, &alignment);
  *out_bytes = stow_taskflow_is_channel(buffer) ? channel_bytes(buffer, size.bytes) : size.bytes;
  return size.known;
}

static bool only_tasks_name(MlirValue buffer) {
  STOW_EACH_USE(use, buffer) {
    const MlirOperation user = mlirOpOperandGetOwner(use);
    if (!stow_taskflow_is_task(user) && !stow_ir_is_dealloc(user))
      return false;
  }
  return true;
}

static void add_bytes(stow_figures *figures, stow_values *seen, MlirValue buffer) {
  uint64_t bytes;
  size_t before = seen->count;
  if (!is_local(buffer) || stow_values_add(seen, buffer) < before)
    return;
  if (!stow_taskflow_allocation_bytes(buffer, &bytes)) {
    figures->exact = false;
    return;
  }
  figures->bytes = add(figures->bytes, bytes);
  if (!only_tasks_name(buffer))
    figures->fixed = add(figures->fixed, bytes);
}

stow_figures stow_figures_of(MlirOperation function) {
  stow_figures sum = {.exact = true};
  stow_values seen = {0};
  stow_op_list tasks = stow_tasks_of(function);
  for (size_t i = 0; i < tasks.count; ++i) {
    stow_task task = stow_task_of(tasks.at[i]);
    stow_figures accesses = stow_taskflow_accesses_in(task.op);
    add_figures(&sum, &accesses);
    for (intptr_t k = 0; k < task.reads + task.writes; ++k)
      add_bytes(&sum, &seen, stow_ir_root_of(stow_task_original_of_argument(&task, k)));
  }
  sum.tasks = tasks.count;
  free(tasks.at);
  stow_values_free(&seen);
  return sum;
}
