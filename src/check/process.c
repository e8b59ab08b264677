//===- process.c - what a task does to channels, one step after the other -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check/process.h"

#include <assert.h>

void stow_check_process_free(stow_check_process *p) {
  stow_course_free(&p->course);
  free(p->accesses.at);
  free(p->after.at);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

// False for what is no access to a channel.
static bool read_access(MlirOpOperand use, int32_t channel, stow_check_channel_use *out) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  const bool stores = stow_ir_op_is(op, "affine.store");
  *out = (stow_check_channel_use){stores                             ? STOW_CHECK_STORE
                                  : stow_ir_op_is(op, "affine.load") ? STOW_CHECK_LOAD
                                                                     : STOW_CHECK_RELEASE,
                                  (size_t)channel};
  return (out->kind != STOW_CHECK_RELEASE || stow_ir_op_is(op, "taskflow.release")) &&
         mlirOpOperandGetOperandNumber(use) == stores;
}

// Numbers the accesses; returns a use that is none, or null.
static MlirOperation find_accesses(stow_check_process *p, MlirBlock body,
                                   const stow_map *channel_of, stow_map *numbers) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(body); i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    const int32_t channel = stow_map_get(channel_of, argument.ptr);
    if (channel < 0)
      continue;
    STOW_EACH_USE(use, argument) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      stow_check_channel_use access;
      if (stow_ir_op_is(op, "taskflow.yield"))
        continue;
      if (!read_access(use, channel, &access))
        return op;
      stow_map_add(numbers, op.ptr, (int32_t)p->accesses.count);
      STOW_PUSH(p->accesses, access);
    }
  }
  return (MlirOperation){NULL};
}

MlirOperation stow_check_process_read(stow_check_process *process, MlirOperation task,
                                      const stow_map *channel_of) {
  stow_map numbers = {0};
  process->task = task;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(task, 0));
  MlirOperation unknown = find_accesses(process, body, channel_of, &numbers);
  if (mlirOperationIsNull(unknown))
    unknown = stow_course_read(&process->course, body, &numbers);
  stow_map_free(&numbers);
  return unknown;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

const stow_check_channel_use *stow_check_process_access(const stow_check_process *p,
                                                        MlirOperation *out_op) {
  const stow_course_instruction *in = &p->course.code.at[p->course.next];
  assert(in->kind == STOW_COURSE_OP);
  *out_op = in->op;
  return &p->accesses.at[in->number];
}

static stow_check_run store(stow_check_channel *c, int64_t element) {
  if (element != c->stored || element >= c->count)
    return STOW_CHECK_WRONG;
  if (element >= c->released && element - c->released >= c->depth)
    return STOW_CHECK_BLOCKED;
  ++c->stored;
  return STOW_CHECK_DONE;
}

static stow_check_run load(const stow_check_channel *c, int64_t element) {
  if (element < c->released || element < 0 || element >= c->count)
    return STOW_CHECK_WRONG;
  return element < c->stored ? STOW_CHECK_DONE : STOW_CHECK_BLOCKED;
}

static stow_check_run access(stow_check_process *p, const stow_check_channel_use *of,
                             stow_check_channel *c) {
  p->element = stow_course_index(&p->course, 0);
  if (of->kind != STOW_CHECK_RELEASE)
    return of->kind == STOW_CHECK_STORE ? store(c, p->element) : load(c, p->element);
  c->released = p->element > c->released ? p->element : c->released;
  return STOW_CHECK_DONE;
}

stow_check_run stow_check_process_run(stow_check_process *p, stow_check_channel *channels,
                                      uint64_t *steps) {
  const stow_course_instruction *at;
  while ((at = stow_course_run(&p->course, steps))) {
    const stow_check_channel_use *of = &p->accesses.at[at->number];
    const stow_check_run run = access(p, of, &channels[of->channel]);
    if (run != STOW_CHECK_DONE)
      return run;
    stow_course_pass(&p->course);
  }
  return p->course.next < p->course.code.count ? STOW_CHECK_EXHAUSTED : STOW_CHECK_DONE;
}
