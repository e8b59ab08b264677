//===- channels.c - whether tasks that talk through channels come to their end ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tasks of a block are run, as far as channels go, each until it must wait. When an access
// waits, it does so for one channel alone, and nothing but one other task ends that: so whether all
// come to their end does not depend on which one runs first, and one run is a proof.
//
// A task that takes a result of another one, a version of a buffer or a value, runs when that one
// is done. What is no task and does something waits for all tasks before it.
//
//===----------------------------------------------------------------------===//

#include "check/steps.h"

#include "bridge/bridge.h"
#include "check/limits.h"
#include "check/process.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <inttypes.h>

typedef struct network {
  stow_check_channels channels;
  STOW_ARRAY(stow_check_process) tasks;
  stow_map channel_of; // by channel, and by argument of a task that stands for it
  stow_map task_of;    // by op
  size_t stage;
  uint64_t steps;
} network;

static void free_network(network *n) {
  STOW_EACH(stow_check_process, task, n->tasks)
    stow_check_process_free(task);
  free(n->tasks.at);
  free(n->channels.at);
  stow_map_free(&n->channel_of);
  stow_map_free(&n->task_of);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static void add_channel(network *n, MlirOperation op) {
  MlirValue elements = mlirOperationGetResult(op, 0);
  stow_map_add(&n->channel_of, elements.ptr, (int32_t)n->channels.count);
  STOW_PUSH(n->channels, (stow_check_channel){
                             .op = op,
                             .depth = mlirIntegerAttrGetValueInt(stow_attribute_of(op, "depth")),
                             .count = mlirShapedTypeGetDimSize(mlirValueGetType(elements), 0)});
}

// Operands: versions read and written, values, and the buffers that the versions are of.
static intptr_t segment(MlirOperation task, intptr_t index) {
  return mlirDenseI32ArrayGetElement(stow_attribute_of(task, "operandSegmentSizes"), index);
}

static void wait_for(network *n, stow_check_process *process, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return;
  const int32_t task = stow_map_get(&n->task_of, mlirOpResultGetOwner(value).ptr);
  if (task >= 0)
    STOW_PUSH(process->after, (size_t)task);
}

static stow_check_process take_inputs(network *n, MlirOperation task) {
  stow_check_process process = {.stage = n->stage};
  const intptr_t memrefs = segment(task, 0) + segment(task, 1), values = segment(task, 2);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(task, 0));
  for (intptr_t i = 0; i < memrefs + values; ++i) {
    const MlirValue buffer = mlirOperationGetOperand(task, i < memrefs ? memrefs + values + i : i);
    const int32_t channel = i < memrefs ? stow_map_get(&n->channel_of, buffer.ptr) : -1;
    if (channel >= 0)
      stow_map_add(&n->channel_of, mlirBlockGetArgument(body, i).ptr, channel);
    else
      wait_for(n, &process, mlirOperationGetOperand(task, i));
  }
  return process;
}

// Returns an op that cannot be followed, or null.
static MlirOperation add_task(network *n, MlirOperation task) {
  stow_check_process process = take_inputs(n, task);
  MlirOperation unknown = stow_check_process_read(&process, task, &n->channel_of);
  stow_map_add(&n->task_of, task.ptr, (int32_t)n->tasks.count);
  STOW_PUSH(n->tasks, process);
  return unknown;
}

static bool takes_from_task(const network *n, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(operand) &&
        stow_map_get(&n->task_of, mlirOpResultGetOwner(operand).ptr) >= 0)
      return true;
  }
  return false;
}

// What begins or ends the life of a buffer keeps no task waiting.
static bool is_barrier(const network *n, MlirOperation op) {
  if (stow_bridge_op_is_allocation(op) || stow_ir_op_is(op, "memref.dealloc") ||
      stow_ir_op_is(op, "memref.alloc") || stow_ir_op_is(op, "memref.alloca"))
    return false;
  return !stow_bridge_op_has_no_effect(op) || takes_from_task(n, op);
}

static MlirOperation read_block(network *n, MlirBlock block) {
  MlirOperation unknown = {NULL};
  STOW_EACH_OP(op, block) {
    if (stow_ir_op_is(op, "taskflow.channel"))
      add_channel(n, op);
    else if (stow_ir_op_is(op, "taskflow.task"))
      unknown = add_task(n, op);
    else
      n->stage += is_barrier(n, op);
    if (!mlirOperationIsNull(unknown))
      break;
  }
  return unknown;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static bool may_begin(const network *n, const stow_check_process *p) {
  STOW_EACH_ITEM(size_t, other, p->after)
    if (!n->tasks.at[other].done)
      return false;
  STOW_EACH(const stow_check_process, other, n->tasks)
    if (other->stage < p->stage && !other->done)
      return false;
  return true;
}

// Lets each task run once; tells what came of the last one, and which it was.
static stow_check_run run_each(network *n, bool *out_moved, stow_check_process **out_last) {
  *out_moved = false;
  STOW_EACH(stow_check_process, task, n->tasks) {
    const size_t at = task->course.next;
    const uint64_t steps = n->steps;
    if (task->done || !may_begin(n, task))
      continue;
    const stow_check_run run = stow_check_process_run(task, n->channels.at, &n->steps);
    task->done = run == STOW_CHECK_DONE;
    *out_moved |= task->done || task->course.next != at || steps - n->steps > 1;
    *out_last = task;
    if (run == STOW_CHECK_WRONG || run == STOW_CHECK_EXHAUSTED)
      return run;
  }
  return STOW_CHECK_DONE;
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static MlirStringRef name_of(const stow_check_process *p) {
  return mlirStringAttrGetValue(stow_attribute_of(p->task, "task_name"));
}

static void tell(MlirOperation op, char *text, const stow_note *notes, size_t count) {
  stow_bridge_error(mlirOperationGetLocation(op), text, notes, count);
  free(text);
}

static void tell_wrong(const network *n, const stow_check_process *p) {
  MlirOperation op;
  const stow_check_channel_use *access = stow_check_process_access(p, &op);
  const stow_check_channel *c = &n->channels.at[access->channel];
  const stow_note note = {mlirOperationGetLocation(c->op), "this is the channel"};
  char *text =
      access->kind == STOW_CHECK_STORE
          ? stow_ir_format("stores element %" PRId64 " of a channel of which element %" PRId64
                           " of %" PRId64 " is the next",
                           p->element, c->stored, c->count)
      : p->element < 0 || p->element >= c->count
          ? stow_ir_format("loads element %" PRId64 " of a channel of %" PRId64, p->element,
                           c->count)
          : stow_ir_format("loads element %" PRId64 " of a channel, of which all before %" PRId64
                           " were released",
                           p->element, c->released);
  tell(op, text, &note, 1);
}

// What a task waits for in its turn; owned.
static char *text_of_wait(const network *n, const stow_check_process *p) {
  MlirOperation op;
  const stow_check_channel_use *access = stow_check_process_access(p, &op);
  const stow_check_channel *c = &n->channels.at[access->channel];
  const MlirStringRef name = name_of(p);
  if (access->kind == STOW_CHECK_STORE)
    return stow_ir_format("@%.*s waits for room for element %" PRId64
                          " in a channel that is %" PRId64 " deep",
                          (int)name.length, name.data, p->element, c->depth);
  return stow_ir_format("@%.*s waits for element %" PRId64 " of a channel", (int)name.length,
                        name.data, p->element);
}

static MlirLocation location_of(const stow_check_process *p) {
  MlirOperation op;
  stow_check_process_access(p, &op);
  return mlirOperationGetLocation(op);
}

// All that are left wait; the first one that has begun is told of.
static void tell_deadlock(const network *n) {
  stow_note notes[STOW_CHECK_MOST_WAITING];
  size_t count = 0;
  const stow_check_process *first = NULL;
  STOW_EACH(const stow_check_process, task, n->tasks) {
    if (task->done || !may_begin(n, task))
      continue;
    if (!first)
      first = task;
    else if (count < STOW_CHECK_MOST_WAITING)
      notes[count++] = (stow_note){location_of(task), text_of_wait(n, task)};
  }
  char *why = text_of_wait(n, first);
  MlirOperation op;
  stow_check_process_access(first, &op);
  tell(op, stow_ir_format("waits forever: %s", why), notes, count);
  free(why);
  for (size_t i = 0; i < count; ++i)
    free((char *)(uintptr_t)notes[i].text);
}

static bool simulate(network *n, uint64_t most) {
  bool moved = true;
  stow_check_process *last = NULL;
  while (moved) {
    const stow_check_run run = run_each(n, &moved, &last);
    if (run == STOW_CHECK_WRONG)
      tell_wrong(n, last);
    if (run == STOW_CHECK_EXHAUSTED)
      tell(last->task,
           stow_ir_format("channels were not simulated to the end: %" PRIu64
                          " steps do not suffice; raise max-effort",
                          most),
           NULL, 0);
    if (run != STOW_CHECK_DONE)
      return false;
  }
  STOW_EACH(const stow_check_process, task, n->tasks)
    if (!task->done) {
      tell_deadlock(n);
      return false;
    }
  return true;
}

static bool check_block(MlirBlock block, uint64_t most) {
  network n = {.steps = most};
  MlirOperation unknown = read_block(&n, block);
  bool right = mlirOperationIsNull(unknown);
  if (right)
    right = simulate(&n, most);
  else
    stow_bridge_error(
        mlirOperationGetLocation(unknown),
        "is around or at an access to a channel and cannot be simulated: only affine.for, "
        "affine.if, affine.load, affine.store and taskflow.release of numbers that are known can",
        NULL, 0);
  free_network(&n);
  return right;
}

bool stow_check_channels_find(MlirOperation function, uint64_t most, bool *out_any) {
  bool right = true;
  stow_map seen = {0};
  STOW_EACH_OP_OF(op, function)
    if (stow_ir_op_is(op, "taskflow.channel") &&
        stow_map_get(&seen, mlirOperationGetBlock(op).ptr) < 0) {
      stow_map_add(&seen, mlirOperationGetBlock(op).ptr, 0);
      right &= check_block(mlirOperationGetBlock(op), most);
      *out_any = true;
    }
  stow_map_free(&seen);
  return right;
}
