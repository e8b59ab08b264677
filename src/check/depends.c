//===- depends.c - what a value depends on --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice goes back from a value to all that it is computed from inside of an op. Two questions
// are asked of it: whether the value depends on the iteration of a parallel op, and whether it
// differs between the threads that run a kernel.
//
//===----------------------------------------------------------------------===//

#include "check/limits.h"
#include "check/steps.h"

#include <stdlib.h>

static MlirOperation maker_of(MlirValue value) {
  return mlirValueIsAOpResult(value)
             ? mlirOpResultGetOwner(value)
             : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
}

// A block argument belongs inside the op that has the block.
bool stow_check_is_made_inside(MlirValue value, MlirOperation around) {
  MlirOperation maker = maker_of(value);
  bool result_of_around = mlirValueIsAOpResult(value) && mlirOperationEqual(maker, around);
  return !result_of_around && stow_ir_is_inside(maker, around);
}

MlirOperation stow_check_kernel_of(MlirOperation op, MlirOperation function) {
  while (!mlirOperationEqual(op, function) && !stow_ir_op_is(op, "gpu.launch"))
    op = mlirOperationGetParentOperation(op);
  return op;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

typedef struct slice {
  MlirOperation around;
  void (*look_behind)(struct slice *, MlirValue); // wants what decides a value, or finds it varies
  stow_values values;
  size_t next;
  stow_map blocks; // whose branches are wanted
  bool varies;
} slice;

static void want(slice *s, MlirValue value) {
  if (stow_check_is_made_inside(value, s->around))
    stow_values_add(&s->values, value);
}

static void want_operands(slice *s, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    want(s, mlirOperationGetOperand(op, i));
}

static void want_yields(slice *s, MlirOperation op) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
      if (!mlirOperationIsNull(mlirBlockGetTerminator(block)))
        want_operands(s, mlirBlockGetTerminator(block));
}

// Frees the slice.
static bool any_varies(slice *s) {
  while (!s->varies && s->next < s->values.count && s->values.count < STOW_CHECK_MOST_VALUES)
    s->look_behind(s, s->values.at[s->next++]);
  s->varies |= s->values.count >= STOW_CHECK_MOST_VALUES;
  stow_values_free(&s->values);
  stow_map_free(&s->blocks);
  return s->varies;
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

static bool tells_iteration(MlirOperation op) {
  static const char *const prefixes[] = {"gpu.", "nvvm.", "rocdl.", "spirv.", "xegpu.", "omp."};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
    if (stow_ir_op_has_prefix(op, prefixes[i]))
      return true;
  uint32_t facts = stow_op_facts(op);
  return (facts & STOW_OP_CALL) || !(facts & STOW_OP_EFFECTS_KNOWN);
}

static bool is_entry(MlirBlock block) {
  return mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)));
}

// What an op with regions makes an argument of: what it is given for it, and what regions yield.
typedef struct incoming {
  MlirOperation op;
  MlirValue argument;
  MlirValue given;              // in the first iteration of a loop, or null
  STOW_ARRAY(MlirValue) values; // all; empty where the op makes the argument itself
} incoming;

static void add_incoming(void *user, const stow_control_edge *edge) {
  incoming *in = user;
  const MlirOperation from = mlirOperationIsNull(edge->end) ? in->op : edge->end;
  for (size_t i = 0; i < edge->count; ++i) {
    if (!mlirValueEqual(edge->passes[i].target, in->argument) || edge->passes[i].operand < 0)
      continue;
    STOW_PUSH(in->values, mlirOperationGetOperand(from, edge->passes[i].operand));
    if (mlirOperationIsNull(edge->end))
      in->given = in->values.at[in->values.count - 1];
  }
}

static incoming incoming_of(MlirValue value, MlirOperation around) {
  incoming in = {.op = maker_of(value), .argument = value};
  if (!mlirValueIsAOpResult(value) && !mlirOperationEqual(in.op, around) &&
      stow_op_facts(in.op) & STOW_OP_REGION_BRANCH)
    stow_bridge_region_edges(in.op, add_incoming, &in);
  return in;
}

// Pairs that clash in the first iteration do so whatever later ones have.
static void look_behind_argument(slice *s, MlirValue value) {
  incoming in = incoming_of(value, s->around);
  if (!mlirValueIsNull(in.given)) {
    want(s, in.given);
  } else {
    STOW_EACH_ITEM(MlirValue, other, in.values)
      want(s, other);
    if (in.values.count == 0)
      want_operands(s, in.op);
  }
  s->varies |= mlirOperationEqual(in.op, s->around) || !is_entry(mlirBlockArgumentGetOwner(value));
  free(in.values.at);
}

static void look_for_iteration(slice *s, MlirValue value) {
  MlirOperation maker = maker_of(value);
  if (!mlirValueIsAOpResult(value)) {
    look_behind_argument(s, value);
    return;
  }
  s->varies |= tells_iteration(maker);
  want_yields(s, maker);
  want_operands(s, maker);
}

static bool may_vary(MlirValue value, MlirOperation around) {
  slice s = {.around = around, .look_behind = look_for_iteration};
  want(&s, value);
  return any_varies(&s);
}

// What loops carry keeps iterations apart if all does that it is in one of their iterations, also
// what it is only after another argument was that.
bool stow_check_value_varies(MlirValue value, MlirOperation around) {
  slice s = {.around = around, .varies = true};
  stow_values_add(&s.values, value);
  while (s.varies && s.next < s.values.count) {
    const MlirValue one = s.values.at[s.next++];
    s.varies = may_vary(one, around);
    incoming in = incoming_of(one, around);
    STOW_EACH_ITEM(MlirValue, other, in.values)
      stow_values_add(&s.values, other);
    free(in.values.at);
  }
  stow_values_free(&s.values);
  return s.varies;
}

bool stow_check_op_varies(MlirOperation op, MlirOperation around) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_check_value_varies(mlirOperationGetOperand(op, i), around))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static bool is_same_in_workgroup(MlirOperation op) {
  static const char *const same[] = {
      "gpu.all_reduce",    "gpu.block_dim",          "gpu.block_id",   "gpu.cluster_block_id",
      "gpu.cluster_dim",   "gpu.cluster_dim_blocks", "gpu.cluster_id", "gpu.grid_dim",
      "gpu.num_subgroups", "gpu.subgroup_size"};
  for (size_t i = 0; i < sizeof same / sizeof *same; ++i)
    if (stow_ir_op_is(op, same[i]))
      return true;
  return false;
}

static bool touches_memory(MlirOperation op) {
  const intptr_t operands = mlirOperationGetNumOperands(op);
  const intptr_t count = operands + mlirOperationGetNumResults(op);
  uint8_t *effects = stow_ir_allocate((size_t)count + 1, 1), all = 0;
  stow_bridge_op_effects(op, effects, effects + operands, &effects[count]);
  for (intptr_t i = 0; i <= count; ++i)
    all |= effects[i];
  free(effects);
  return all != 0;
}

// What regions yield is looked at, if it is known which of them runs. What was read from memory may
// be each thread's own.
static bool tells_thread(MlirOperation op) {
  const uint32_t facts = stow_op_facts(op);
  if (mlirOperationGetNumRegions(op) > 0)
    return !(facts & STOW_OP_REGION_BRANCH) || facts & STOW_OP_PARALLEL;
  if (is_same_in_workgroup(op))
    return false;
  return tells_iteration(op) || touches_memory(op);
}

// The arguments of a kernel are the same for all threads, but for a gpu.launch's place of the
// thread.
static bool is_own_argument(MlirOperation op, intptr_t index) {
  enum { FIRST_THREAD_ID = 3, LAST_THREAD_ID = 5 };
  if (stow_ir_op_is(op, "gpu.launch"))
    return index >= FIRST_THREAD_ID && index <= LAST_THREAD_ID;
  return !stow_ir_has_attribute(op, "gpu.kernel");
}

// An argument of a later block is what branches on the way there make of it, and these go as their
// conditions say.
static void want_branches(slice *s, MlirBlock block) {
  STOW_ARRAY(MlirBlock) todo = {0};
  STOW_PUSH(todo, block);
  for (size_t next = 0; next < todo.count; ++next)
    for (intptr_t i = 0, n = mlirBlockGetNumPredecessors(todo.at[next]); i < n; ++i) {
      MlirBlock before = mlirBlockGetPredecessor(todo.at[next], i);
      if (!stow_map_note(&s->blocks, before.ptr))
        continue;
      want_operands(s, mlirBlockGetTerminator(before));
      STOW_PUSH(todo, before);
    }
  free(todo.at);
}

static void look_for_thread(slice *s, MlirValue value) {
  MlirOperation maker = maker_of(value);
  const bool argument = !mlirValueIsAOpResult(value);
  if (argument && !is_entry(mlirBlockArgumentGetOwner(value))) {
    want_branches(s, mlirBlockArgumentGetOwner(value));
  } else if (argument && mlirOperationEqual(maker, s->around)) {
    s->varies |= is_own_argument(maker, mlirBlockArgumentGetArgNumber(value));
  } else {
    s->varies |= tells_thread(maker);
    want_operands(s, maker);
    want_yields(s, maker);
  }
}

bool stow_check_differs_by_thread(MlirValue value, MlirOperation kernel) {
  slice s = {.around = kernel, .look_behind = look_for_thread};
  want(&s, value);
  return any_varies(&s);
}
