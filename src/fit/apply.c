//===- apply.c - the steps of a plan, in the block ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the steps. Each memory has a buffer at each moment; what runs is given that buffer,
// and views of it that are made anew. A dealloc stands behind the last op that touches its buffer.
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "ir/build.h"

#include <assert.h>

// A view of a memory's buffer, and the one of the buffer that took its place.
typedef struct renamed {
  MlirValue from, to;
  size_t memory;
} renamed;

typedef struct state {
  MlirValue buffer, second; // null: the alloc's; none
  MlirOperation last;       // that touches the buffer
  MlirOperation last_load;  // from the second memory
  bool unstaged;            // its constant is read where it lies
} state;

typedef struct applier {
  const stow_fit_block *b;
  state *states; // by memory
  STOW_ARRAY(renamed) renamed;
  stow_op_list unstaged; // allocs
  const stow_machine_memory *next;
} applier;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static MlirValue made_by(MlirOperation alloc) { return mlirOperationGetResult(alloc, 0); }

static MlirValue buffer_of(const applier *a, size_t memory) {
  const state *s = &a->states[memory];
  return mlirValueIsNull(s->buffer) ? made_by(a->b->origins.at[memory].alloc) : s->buffer;
}

static void rename_operands(applier *a, MlirOperation op, MlirOperation before);

// What a value of the block is now; a view is made in front of `before`.
static MlirValue name_of(applier *a, MlirValue value, MlirOperation before) {
  const int32_t memory = stow_map_get(&a->b->values, value.ptr);
  if (memory < 0 || mlirValueIsNull(a->states[memory].buffer))
    return value;
  if (mlirValueEqual(value, made_by(a->b->origins.at[memory].alloc)))
    return a->states[memory].buffer;
  STOW_EACH(const renamed, known, a->renamed)
    if (mlirValueEqual(known->from, value))
      return known->to;
  MlirOperation view = mlirOperationClone(mlirOpResultGetOwner(value));
  stow_ir_insert_before(before, view);
  rename_operands(a, view, view);
  const MlirValue now = mlirOperationGetResult(view, mlirOpResultGetResultNumber(value));
  STOW_PUSH(a->renamed, (renamed){value, now, (size_t)memory});
  return now;
}

// Gives an op, and those in it, the buffers of this moment.
static void rename_operands(applier *a, MlirOperation root, MlirOperation before) {
  STOW_EACH_OP_OF(op, root)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      MlirValue operand = mlirOperationGetOperand(op, i), now = name_of(a, operand, before);
      if (!mlirValueEqual(operand, now))
        mlirOperationSetOperand(op, i, now);
    }
}

static void forget_names(applier *a, size_t memory) {
  size_t kept = 0;
  for (size_t i = 0; i < a->renamed.count; ++i)
    if (a->renamed.at[i].memory != memory)
      a->renamed.at[kept++] = a->renamed.at[i];
  a->renamed.count = kept;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static stow_builder builder_behind(MlirOperation op) {
  return stow_builder_before(mlirOperationGetNextInBlock(op), mlirOperationGetLocation(op));
}

static void touch_all(applier *a, size_t node, MlirOperation op) {
  const stow_budget_node *n = &a->b->nodes.at[node];
  for (size_t i = 0; i < n->access_count; ++i)
    a->states[n->accesses[i].memory].last = op;
}

// Frees the buffer that a memory has, if the program frees the first one.
static void free_buffer(applier *a, size_t memory) {
  const state *s = &a->states[memory];
  if (mlirOperationIsNull(a->b->origins.at[memory].dealloc))
    return;
  const stow_builder behind = builder_behind(s->last);
  stow_ir_build_dealloc(&behind, buffer_of(a, memory));
}

static void name_renewed(MlirOperation alloc, MlirOperation maker, const char *why) {
  char *op = stow_ir_copy_string(stow_ir_op_name(maker));
  stow_fit_name_buffer(alloc, op, why);
  free(op);
}

// By the step behind, which fills the new buffer.
static void renew(applier *a, const stow_budget_step *filled, MlirOperation before) {
  const size_t memory = filled->memory;
  const bool again = filled->action == STOW_BUDGET_AGAIN;
  state *s = &a->states[memory];
  MlirOperation origin = a->b->origins.at[memory].alloc, alloc = mlirOperationClone(origin);
  assert(!mlirOperationIsNull(s->last) && (again || filled->action == STOW_BUDGET_LOAD));
  name_renewed(alloc, again ? stow_fit_op(a->b, filled->node) : origin,
               again ? "(again)" : "(spilled)");
  if (s->unstaged)
    STOW_PUSH(a->unstaged, alloc);
  free_buffer(a, memory);
  stow_ir_insert_before(before, alloc);
  s->buffer = made_by(alloc);
  forget_names(a, memory);
}

static void free_second(applier *a, size_t memory) {
  state *s = &a->states[memory];
  if (!mlirOperationIsNull(a->b->origins.at[memory].dealloc) && !mlirValueIsNull(s->second) &&
      !mlirOperationIsNull(s->last_load)) {
    const stow_builder behind = builder_behind(s->last_load);
    stow_ir_build_dealloc(&behind, s->second);
  }
  s->second.ptr = NULL;
  s->last_load.ptr = NULL;
}

static void store(applier *a, size_t memory) {
  state *s = &a->states[memory];
  assert(!mlirOperationIsNull(s->last) && a->next);
  free_second(a, memory);
  const stow_builder behind = builder_behind(s->last);
  const MlirValue buffer = buffer_of(a, memory);
  s->second = stow_ir_build_alloc(
      &behind, stow_ir_identity_type(mlirValueGetType(buffer), a->next->space), 0);
  stow_fit_align_in(mlirOpResultGetOwner(s->second), a->next);
  s->last = stow_ir_build_copy(&behind, buffer, s->second);
}

static void load(applier *a, size_t memory, MlirOperation before) {
  state *s = &a->states[memory];
  assert(!mlirValueIsNull(s->second) && !mlirValueIsNull(s->buffer));
  const stow_builder at =
      stow_builder_before(before, mlirOperationGetLocation(a->b->origins.at[memory].alloc));
  s->last = s->last_load = stow_ir_build_copy(&at, s->second, s->buffer);
  assert(stow_fit_may_be_in(s->second, a->next));
}

static void run_again(applier *a, size_t node, MlirOperation copy, MlirOperation before) {
  stow_ir_insert_before(before, copy);
  rename_operands(a, copy, copy);
  touch_all(a, node, copy);
}

// The op that runs next.
static MlirOperation next_run(const applier *a, const stow_budget_plan *plan, size_t step) {
  while (plan->steps[step].action != STOW_BUDGET_RUN)
    ++step;
  return stow_fit_op(a->b, plan->steps[step].node);
}

// Copies of what runs again, by step, with the names that the block has at first: an op that ran is
// given others.
static MlirOperation *copies_of(const applier *a, const stow_budget_plan *plan) {
  MlirOperation *copies = stow_ir_allocate(plan->step_count, sizeof *copies);
  for (size_t i = 0; i < plan->step_count; ++i)
    if (plan->steps[i].action == STOW_BUDGET_AGAIN)
      copies[i] = mlirOperationClone(stow_fit_op(a->b, plan->steps[i].node));
  return copies;
}

static void place(applier *a, size_t memory) {
  const stow_fit_origin *origin = &a->b->origins.at[memory];
  if (mlirOperationIsNull(origin->filling)) {
    stow_fit_move_to(made_by(origin->alloc), a->next);
    return;
  }
  a->states[memory].unstaged = true;
  STOW_PUSH(a->unstaged, origin->alloc);
}

static void take_steps(applier *a, const stow_budget_plan *plan) {
  MlirOperation *copies = copies_of(a, plan);
  for (size_t i = 0; i < plan->step_count; ++i) {
    const stow_budget_step *step = &plan->steps[i];
    if (step->action == STOW_BUDGET_STORE) {
      store(a, step->memory);
      continue;
    }
    if (step->action == STOW_BUDGET_PLACE) {
      place(a, step->memory);
      continue;
    }
    MlirOperation next = next_run(a, plan, i);
    if (step->action == STOW_BUDGET_FRESH)
      renew(a, &plan->steps[i + 1], next);
    else if (step->action == STOW_BUDGET_AGAIN)
      run_again(a, step->node, copies[i], next);
    else if (step->action == STOW_BUDGET_LOAD)
      load(a, step->memory, next);
    else {
      rename_operands(a, next, next);
      touch_all(a, step->node, next);
    }
  }
  free(copies);
}

//===----------------------------------------------------------------------===//
// Afterwards
//===----------------------------------------------------------------------===//

// The program's dealloc is that of the last buffer.
static void settle_dealloc(applier *a, size_t memory) {
  const state *s = &a->states[memory];
  MlirOperation dealloc = a->b->origins.at[memory].dealloc;
  free_second(a, memory);
  if (mlirOperationIsNull(dealloc) || mlirOperationIsNull(s->last))
    return;
  rename_operands(a, dealloc, dealloc);
  if (mlirOperationIsBeforeInBlock(dealloc, s->last))
    mlirOperationMoveAfter(dealloc, s->last);
}

// Whether the op makes a view that nothing uses, as another buffer took the place of its own.
static bool is_left_over(const applier *a, MlirOperation op) {
  if (!(stow_ir_op_traits(op) & STOW_VIEWS))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    const int32_t memory = stow_map_get(&a->b->values, result.ptr);
    if (memory < 0 || mlirValueIsNull(a->states[memory].buffer) ||
        !mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
      return false;
  }
  return true;
}

static void drop_views(const applier *a) {
  stow_op_list ops = {0};
  STOW_EACH_OP(op, a->b->graph.block)
    STOW_PUSH(ops, op);
  for (size_t i = ops.count; i-- > 0;)
    if (is_left_over(a, ops.at[i]))
      mlirOperationDestroy(ops.at[i]);
  free(ops.at);
}

#ifndef NDEBUG
// Each op stands behind those of the block that its operands come from, and no buffer is touched
// behind its dealloc.
static void assert_order(MlirBlock block) {
  STOW_EACH_OP(op, block)
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      STOW_EACH_USE(use, mlirOperationGetResult(op, i)) {
        MlirOperation user = stow_ir_op_in_block(block, mlirOpOperandGetOwner(use));
        assert(mlirOperationIsNull(user) || mlirOperationIsBeforeInBlock(op, user));
      }
}

static void assert_freed_last(const applier *a) {
  for (size_t m = 0; m < a->b->memories.count; ++m) {
    MlirOperation dealloc = a->b->origins.at[m].dealloc, last = a->states[m].last;
    assert(mlirOperationIsNull(dealloc) || mlirOperationIsNull(last) ||
           mlirOperationIsBeforeInBlock(last, dealloc));
  }
}
#else
static void assert_order(MlirBlock block) { (void)block; }
static void assert_freed_last(const applier *a) { (void)a; }
#endif

void stow_fit_apply(const stow_fit_block *b, const stow_budget_plan *plan,
                    const stow_machine_memory *next) {
  applier a = {.b = b, .next = next};
  a.states = stow_ir_allocate(b->memories.count, sizeof *a.states);
  take_steps(&a, plan);
  for (size_t m = 0; m < b->memories.count; ++m)
    settle_dealloc(&a, m);
  drop_views(&a);
  assert_freed_last(&a);
  STOW_EACH_ITEM(MlirOperation, alloc, a.unstaged)
    stow_fit_unstage(alloc);
  assert_order(b->graph.block);
  free(a.states);
  free(a.unstaged.at);
  free(a.renamed.at);
}
