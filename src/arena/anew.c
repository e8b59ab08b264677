//===- anew.c - what each iteration of a loop writes before it reads ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attribution is there as long as its kernel runs, but a tile of scores, say, is computed anew
// in each turn of a loop. No iteration finds in it what another one has left, and all that touch it
// are in the loop, where one of these holds:
//
//   the first op that touches it is in the loop's own block and sets all of it;
//   all that write it are stores which each thread runs in every iteration, at places that are the
//   same in every iteration, and a barrier is between them and all that reads.
//
// Of the second: what was stored in an iteration is stored again in the next one before that reads.
// What is stored in none was never stored. Where threads store, and how many there are, does not
// matter.
//
//===----------------------------------------------------------------------===//

#include "arena/limits.h"
#include "arena/workgroup.h"

#include <stdlib.h>

typedef struct touch {
  const stow_use *use;
  MlirOperation op;
} touch;

typedef STOW_ARRAY(touch) touches;

typedef struct reading {
  const stow_flow *flow;
  const stow_sequence *loop;
  MlirOperation outermost; // loop around that one, or it itself
  MlirValue value;
  touches all; // by position
} reading;

stow_names_used stow_names_used_in(const stow_flow *flow) {
  return (stow_names_used){
      .flow = flow,
      .escapes = stow_index_of(STOW_COLUMN(flow->escapes.at, flow->escapes.count, value),
                               flow->values.count),
      .uses =
          stow_index_of(STOW_COLUMN(flow->uses.at, flow->uses.count, value), flow->values.count)};
}

void stow_names_used_free(stow_names_used *names) {
  stow_index_free(&names->uses);
  stow_index_free(&names->escapes);
}

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

static int compare_touches(const void *a, const void *b) {
  const touch *x = a, *y = b;
  return STOW_COMPARE(x->use->begin, y->use->begin);
}

// By all names. False: one of them is work that goes on.
static bool list_touches(const stow_names_used *names, int32_t value, touches *out) {
  const stow_flow *flow = names->flow;
  stow_map seen = {0};
  STOW_ARRAY(int32_t) todo = {0};
  bool ends = true;
  stow_map_note(&seen, &flow->values.at[value]);
  STOW_PUSH(todo, value);
  while (todo.count > 0 && ends) {
    const int32_t name = todo.at[--todo.count];
    ends = !flow->values.at[name].token;
    STOW_EACH_OF(use, names->uses, name)
      STOW_PUSH(*out, (touch){&flow->uses.at[use], flow->ops.at[flow->uses.at[use].begin]});
    STOW_EACH_OF(target, flow->targets, name)
      if (stow_map_note(&seen, &flow->values.at[target]))
        STOW_PUSH(todo, target);
  }
  free(todo.at);
  stow_map_free(&seen);
  STOW_SORT(*out, compare_touches);
  return ends;
}

// The innermost sequence that has all of them.
static int32_t sequence_of(const stow_steps *steps, const touches *all) {
  const int64_t begin = all->at[0].use->begin, last = all->at[all->count - 1].use->begin;
  size_t s = steps->sequences.count;
  while (s-- > 1)
    if (steps->sequences.at[s].begin < begin && last < steps->sequences.at[s].end)
      return (int32_t)s;
  return 0;
}

//===----------------------------------------------------------------------===//
// The same in every iteration
//===----------------------------------------------------------------------===//

typedef STOW_ARRAY(MlirValue) values;

static void add_values(values *all, MlirOperation op, intptr_t first, intptr_t end) {
  for (intptr_t i = first; i < end; ++i)
    STOW_PUSH(*all, mlirOperationGetOperand(op, i));
}

// Outside of all loops: the iterations of all runs of this one are alike.
static bool is_made_outside(const reading *r, MlirValue value) {
  return !stow_ir_is_inside(mlirBlockGetParentOperation(stow_block_of(value)), r->outermost);
}

// Asks for the operands of what computes a value and nothing else. The variable of a loop inside
// takes the same values wherever that loop's bounds are the same, which whoever is in it asks for.
static bool may_be_the_same(const reading *r, MlirValue value, values *todo) {
  if (mlirValueIsABlockArgument(value)) {
    const MlirOperation loop = mlirBlockGetParentOperation(stow_block_of(value));
    return !mlirOperationEqual(loop, r->loop->op) && stow_ir_is_inside(loop, r->loop->op) &&
           stow_arena_is_for(loop) && mlirBlockArgumentGetArgNumber(value) == 0;
  }
  const MlirOperation op = mlirOpResultGetOwner(value);
  add_values(todo, op, 0, mlirOperationGetNumOperands(op));
  return (stow_ir_op_traits(op) & STOW_UNIFORM) && mlirOperationGetNumRegions(op) == 0;
}

// Whether all values are the same in every iteration of the loop, or take the same set of values.
static bool are_the_same(const reading *r, values *todo) {
  stow_map seen = {0};
  bool same = true;
  while (todo->count > 0 && same) {
    const MlirValue value = todo->at[--todo->count];
    if (!is_made_outside(r, value) && stow_map_note(&seen, value.ptr))
      same = seen.count <= STOW_ANEW_MOST_VALUES && may_be_the_same(r, value, todo);
  }
  stow_map_free(&seen);
  return same;
}

// An op that sets elements of its second operand to its first, at places that the others tell.
static bool is_store(const reading *r, MlirOperation op) {
  static const stow_op_kind kinds[] = {STOW_AFFINE_STORE, STOW_GPU_MMA_STORE, STOW_MEMREF_STORE,
                                       STOW_VECTOR_STORE, STOW_VECTOR_WRITE};
  bool stores = false;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    stores |= stow_ir_is(op, kinds[k]);
  return stores && mlirValueEqual(mlirOperationGetOperand(op, 1), r->value);
}

// Whether each thread runs the op in every iteration as in every other one.
static bool is_the_same_store(const reading *r, MlirOperation op) {
  values asked = {0};
  bool runs = is_store(r, op);
  if (runs)
    add_values(&asked, op, 2, mlirOperationGetNumOperands(op));
  for (MlirOperation around = mlirOperationGetParentOperation(op);
       runs && !mlirOperationEqual(around, r->loop->op);
       around = mlirOperationGetParentOperation(around)) {
    runs = stow_arena_deciding_operands(around) >= 0;
    add_values(&asked, around, 0, runs ? stow_arena_deciding_operands(around) : 0);
  }
  runs = runs && are_the_same(r, &asked);
  free(asked.at);
  return runs;
}

//===----------------------------------------------------------------------===//
// Written before it is read
//===----------------------------------------------------------------------===//

static bool only_reads(const reading *r, const touch *t) {
  if (!(stow_op_facts(t->op) & STOW_OP_EFFECTS_KNOWN))
    return false;
  const MlirValue name = r->flow->values.at[t->use->value].value;
  stow_effects effects;
  stow_effects_of(t->op, &effects);
  bool reads = mlirOperationGetNumRegions(t->op) == 0 && effects.other == 0;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(t->op); i < n; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(t->op, i), name))
      reads &= effects.operands[i] == STOW_READ;
  stow_effects_free(&effects);
  return reads;
}

// Nor is it touched by another name at once.
static bool begins_with_all(const reading *r) {
  const touch *first = &r->all.at[0];
  if (r->all.count > 1 && r->all.at[1].use->begin == first->use->begin)
    return false;
  return first->use->overwrites && stow_ir_overwrites(first->op, r->value) &&
         mlirOperationEqual(mlirOperationGetParentOperation(first->op), r->loop->op);
}

// All stores, then all reads.
static bool stores_are_the_same(const reading *r) {
  size_t stores = 0;
  while (stores < r->all.count && is_the_same_store(r, r->all.at[stores].op))
    ++stores;
  if (stores == 0)
    return false;
  for (size_t i = stores; i < r->all.count; ++i)
    if (!only_reads(r, &r->all.at[i]))
      return false;
  for (size_t i = 0; i < stores && stores < r->all.count; ++i)
    if (!stow_arena_are_in_steps(r->loop, r->all.at[i].use->begin, r->all.at[stores].use->begin))
      return false;
  return true;
}

static MlirOperation outermost_of(const stow_steps *steps, int32_t sequence) {
  while (steps->sequences.at[sequence].parent > 0)
    sequence = steps->sequences.at[sequence].parent;
  return steps->sequences.at[sequence].op;
}

// A name that is made outside of the loop would be one of all iterations.
static bool is_named_inside(const reading *r) {
  STOW_EACH_USE(use, r->value) {
    const MlirOperation user = mlirOpOperandGetOwner(use);
    if (mlirOperationEqual(user, r->loop->op) || !stow_ir_is_inside(user, r->loop->op))
      return false;
  }
  return true;
}

stow_anew stow_arena_written_anew(const stow_names_used *names, const stow_steps *steps,
                                  int32_t value) {
  reading r = {.flow = names->flow, .value = names->flow->values.at[value].value};
  stow_anew found = {.sequence = -1};
  if (list_touches(names, value, &r.all) && r.all.count > 0) {
    const stow_anew all = {.sequence = sequence_of(steps, &r.all),
                           .begin = r.all.at[0].use->begin,
                           .last = r.all.at[r.all.count - 1].use->begin};
    r.loop = &steps->sequences.at[all.sequence];
    r.outermost = outermost_of(steps, all.sequence);
    if (all.sequence > 0 && is_named_inside(&r) &&
        !stow_arena_meets_itself(r.loop, all.begin, all.last) &&
        (begins_with_all(&r) || stores_are_the_same(&r)))
      found = all;
  }
  free(r.all.at);
  return found;
}
