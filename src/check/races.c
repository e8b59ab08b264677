//===- races.c - iterations that write the same bytes at once -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterations of a parallel region may run at once, and so may bodies of async.execute that a loop
// starts without waiting, as pending.c tells. If such an iteration writes to an arena from outside,
// some operand of the write must depend on the iteration. Whether it does so in a way that keeps
// iterations apart is a property of the program, not of the plan.
//
//===----------------------------------------------------------------------===//

#include "check/backward.h"
#include "check/limits.h"
#include "check/op.h"
#include "check/steps.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

static MlirOperation parent_of(MlirOperation op) { return mlirOperationGetParentOperation(op); }

//===----------------------------------------------------------------------===//
// One iteration alone
//===----------------------------------------------------------------------===//

static bool compares_equal(MlirOperation branch) {
  if (!(stow_check_kinds(branch) & STOW_CHECK_FLAGGED))
    return false;
  MlirValue condition = mlirOperationGetOperand(branch, 0);
  if (!mlirValueIsAOpResult(condition))
    return false;
  MlirOperation compare = mlirOpResultGetOwner(condition);
  if (!stow_ir_op_is(compare, "arith.cmpi"))
    return false;
  MlirAttribute predicate = stow_attribute_of(compare, "predicate");
  return mlirIntegerAttrGetValueInt(predicate) == 0;
}

// One iteration alone gets to `op`: an scf.if around it asks for one.
static bool is_guarded(MlirOperation op, MlirOperation around) {
  for (; !mlirOperationEqual(op, around); op = parent_of(op))
    if (compares_equal(op) && stow_check_op_varies(op, around))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// What runs at once
//===----------------------------------------------------------------------===//

static MlirOperation block_ancestor(MlirOperation op, MlirBlock block) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = parent_of(op);
  return op;
}

// Whether work in `around` that an earlier iteration of it has started may still run where its body
// does the op, on the memory that is the root now.
static bool may_overtake(const stow_check_program *p, int32_t op, MlirOperation around,
                         int32_t root) {
  const size_t first =
      stow_ir_first_from(STOW_COLUMN(p->overtakings.at, p->overtakings.count, op), op);
  const int64_t begin = p->nodes.at[stow_map_get(&p->body_of, around.ptr)].begin;
  for (size_t i = first; i < p->overtakings.count && p->overtakings.at[i].op == op; ++i)
    if (p->overtakings.at[i].since <= begin &&
        !stow_check_is_made_since(p, root, p->overtakings.at[i].since) &&
        stow_ir_is_inside(p->works.at[p->overtakings.at[i].work].op, around))
      return true;
  return false;
}

// Whether iterations of `around` may run the op, which is in it, at once.
static bool runs_at_once(const stow_check_program *p, int32_t op, MlirOperation around,
                         int32_t root) {
  const uint32_t facts = stow_bridge_op_shared_facts(around); // it has regions
  if (facts & STOW_OP_PARALLEL)
    return !stow_check_loop_runs_once(around);
  return (facts & STOW_OP_LOOP) && may_overtake(p, op, around, root);
}

// Whether each iteration has an arena of its own. A global is the same wherever its address is
// taken; in a memory space it may be one per thread or workgroup.
static bool is_of_iteration(MlirValue root, MlirOperation around) {
  return stow_check_is_made_inside(root, around) &&
         (mlirAttributeIsNull(stow_check_global_of(root)) ||
          !mlirAttributeIsNull(stow_ir_memory_space(mlirValueGetType(root))));
}

static void complain(stow_check_program *p, MlirOperation op, MlirOperation around, int32_t root) {
  stow_check_note notes[] = {{.op = around, .text = "iterations of this may run at once"},
                             {.value = p->names.at[root].value,
                              .text =
                                  "the arena is made outside of it: make it inside, or give each "
                                  "iteration a slice"}};
  stow_check_complain(p, op, notes, 2,
                      "iterations that run at once write to the same bytes of an arena");
}

// What an op of unknown effects does to a view from outside is not the plan's doing.
static bool counts(const stow_check_program *p, const stow_check_access *access, MlirOperation op,
                   MlirOperation around) {
  return (stow_op_facts(op) & STOW_OP_EFFECTS_KNOWN) ||
         stow_check_is_made_inside(p->names.at[access->place.name].value, around);
}

// Waiting for work writes what the work writes, which the work itself tells. But where it gives
// memory, that is not told where it is written.
static bool only_waits(MlirOperation op) {
  if (!(stow_check_kinds(op) & STOW_CHECK_WAITS))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (stow_check_is_followed(mlirValueGetType(mlirOperationGetResult(op, i))))
      return false;
  return true;
}

static void check_write(stow_check_program *p, const stow_check_access *access, int32_t index) {
  const MlirOperation op = p->ops.at[index];
  int32_t root = p->names.at[access->place.name].root;
  if (root < 0 || !access->writes || only_waits(op))
    return;
  for (MlirOperation around = parent_of(op); !mlirOperationEqual(around, p->function) &&
                                             !is_of_iteration(p->names.at[root].value, around);
       around = parent_of(around))
    if (runs_at_once(p, index, around, root) && counts(p, access, op, around) &&
        !stow_check_op_varies(op, around) && !is_guarded(op, around)) {
      complain(p, op, around, root);
      return;
    }
}

//===----------------------------------------------------------------------===//
// Frames of functions that run at once
//===----------------------------------------------------------------------===//

// Whether a call gives its operand to a function that cuts views from it and writes to some: all of
// these bytes are that function's while it runs.
static bool is_frame(stow_check_program *p, MlirOperation call, intptr_t operand) {
  intptr_t first, count;
  MlirRegion body = stow_check_called_body(call, p->symbols);
  if (mlirRegionIsNull(body))
    return false;
  stow_bridge_call_arguments(call, &first, &count);
  MlirBlock entry = mlirRegionGetFirstBlock(body);
  return operand >= first && operand - first < mlirBlockGetNumArguments(entry) &&
         stow_check_is_arena(mlirBlockGetArgument(entry, operand - first)) &&
         stow_check_may_be_written(&p->transfers, mlirBlockGetArgument(entry, operand - first));
}

static bool is_used_before(MlirValue value, MlirOperation end, uint32_t kinds) {
  STOW_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirOperation op = block_ancestor(user, mlirOperationGetBlock(end));
    const bool joins = stow_check_kinds(user) & STOW_CHECK_JOINS;
    if (kinds && !(stow_check_kinds(user) & kinds))
      continue;
    if (joins ? is_used_before(mlirOperationGetOperand(user, 1), end, STOW_CHECK_WAITS)
              : mlirOperationIsNull(op) || mlirOperationEqual(op, end) ||
                    mlirOperationIsBeforeInBlock(op, end))
      return true;
  }
  return false;
}

// Whether something may wait for `execute` before `op`, which is behind it, runs.
static bool may_wait(MlirOperation execute, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(execute); ++i)
    if (is_used_before(mlirOperationGetResult(execute, i), op, 0))
      return true;
  return false;
}

static MlirOperation task_around(const stow_check_program *p, MlirOperation op) {
  for (op = parent_of(op); !mlirOperationEqual(op, p->function); op = parent_of(op))
    if (stow_ir_op_is(op, "async.execute"))
      return op;
  return (MlirOperation){NULL};
}

// A task, and what runs before it is waited for.
static void check_tasks(stow_check_program *p, MlirOperation call, MlirValue frame) {
  MlirOperation execute = task_around(p, call);
  if (mlirOperationIsNull(execute) || stow_check_is_made_inside(frame, execute))
    return;
  STOW_EACH_USE(use, frame) {
    MlirOperation other = mlirOpOperandGetOwner(use);
    MlirOperation op = block_ancestor(other, mlirOperationGetBlock(execute));
    if (mlirOperationIsNull(op) || mlirOperationEqual(op, execute) ||
        !stow_bridge_op_is_call(other) || !mlirOperationIsBeforeInBlock(execute, op) ||
        may_wait(execute, op))
      continue;
    stow_check_note notes[] = {{.op = call, .text = "this call may still run"},
                               {.value = frame, .text = "both are given this view"}};
    stow_check_complain(p, other, notes, 2,
                        "calls that run at once use the same bytes of an arena");
    return;
  }
}

// Each call that iterations make at once needs a frame of its own, whatever else it is given.
static void check_frame(stow_check_program *p, int32_t index, intptr_t operand) {
  const MlirOperation call = p->ops.at[index];
  const int32_t name = stow_check_place_of_operand(p, call, operand).name;
  const int32_t root = name == STOW_CHECK_NO_NAME ? -1 : p->names.at[name].root;
  if (root < 0 || !is_frame(p, call, operand))
    return;
  MlirValue frame = mlirOperationGetOperand(call, operand);
  check_tasks(p, call, frame);
  for (MlirOperation around = parent_of(call); !mlirOperationEqual(around, p->function) &&
                                               !is_of_iteration(p->names.at[root].value, around);
       around = parent_of(around))
    if (runs_at_once(p, index, around, root) && !stow_check_value_varies(frame, around) &&
        !is_guarded(call, around)) {
      complain(p, call, around, root);
      return;
    }
}

static void check_frames(stow_check_program *p, int32_t call) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(p->ops.at[call]); i < n; ++i)
    check_frame(p, call, i);
}

void stow_check_races_find(stow_check_program *p) {
  for (size_t i = 0; i < p->ops.count; ++i)
    if (stow_bridge_op_is_call(p->ops.at[i]))
      check_frames(p, (int32_t)i);
  STOW_EACH_ITEM(stow_check_event, event, p->events) {
    if (event.kind != STOW_CHECK_EVENT_ACCESS ||
        stow_check_kinds(p->ops.at[event.op]) & STOW_CHECK_ATOMIC)
      continue;
    for (size_t a = 0; a < event.count; ++a)
      check_write(p, &p->accesses.at[event.first + a], event.op);
  }
}
