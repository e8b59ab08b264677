//===- renew.c - a view for each life -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between two lives of a buffer others may use its bytes, and when its markers are gone nothing
// but a new name says that what lay there is not needed any more. So in each life that markers
// tell of, the ops use a view that is made where the life begins, and views of that one. It is the
// same memory: whoever is not renamed is right, too.
//
//===----------------------------------------------------------------------===//

#include "arena/renew.h"

#include "ir/build.h"

#include <stdlib.h>

// The view that took the alloc's place, or a view of it.
typedef struct name {
  MlirValue value;
  int32_t parent; // another name, or -1
  // In the life at hand: whether it is a name of what lives, made before or meanwhile; and the view
  // that takes its place, or null.
  bool lives, made_meanwhile;
  MlirValue anew;
} name;

typedef struct mention {
  MlirOperation op;
  intptr_t operand;
  int32_t name;
} mention;

typedef struct renewal {
  const stow_marked_life *life;
  STOW_ARRAY(name) names; // each behind its parent
  STOW_ARRAY(mention) mentions;
} renewal;

//===----------------------------------------------------------------------===//
// All names
//===----------------------------------------------------------------------===//

// False where an op may hand on a name in a way that is not followed.
static bool collect(renewal *r, MlirValue view) {
  STOW_PUSH(r->names, (name){.value = view, .parent = -1});
  for (size_t n = 0; n < r->names.count; ++n)
    STOW_EACH_USE(use, r->names.at[n].value) {
      const MlirOperation op = mlirOpOperandGetOwner(use);
      STOW_PUSH(r->mentions,
                (mention){op, (intptr_t)mlirOpOperandGetOperandNumber(use), (int32_t)n});
      if (stow_ir_makes_view(use))
        STOW_PUSH(r->names, (name){.value = mlirOperationGetResult(op, 0), .parent = (int32_t)n});
      else if (!stow_ir_is_marker(op) && (stow_ir_gives_buffer(op) || stow_ir_makes_handle(op)))
        return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// One life
//===----------------------------------------------------------------------===//

static bool is_in_life(const stow_marked_life *life, MlirOperation op) {
  const MlirOperation there = stow_ir_op_in_block(mlirOperationGetBlock(life->start), op);
  return !mlirOperationIsNull(there) && mlirOperationIsBeforeInBlock(life->start, there) &&
         !mlirOperationIsBeforeInBlock(life->finish, there);
}

static void begin(renewal *r, const stow_marked_life *life) {
  r->life = life;
  for (size_t n = 0; n < r->names.count; ++n) {
    name *at = &r->names.at[n];
    const bool whose = life->all ? at->parent < 0 : mlirValueEqual(at->value, life->name);
    at->lives = whose || (at->parent >= 0 && r->names.at[at->parent].lives);
    at->made_meanwhile = !whose && is_in_life(life, mlirOpResultGetOwner(at->value));
    at->anew = (MlirValue){NULL};
  }
}

static void make_anew(renewal *r, int32_t n) {
  name *at = &r->names.at[n];
  const MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(at->value));
  if (at->parent >= 0)
    mlirOperationSetOperand(copy, 0, r->names.at[at->parent].anew);
  stow_ir_insert_before(r->life->start, copy);
  at->anew = mlirOperationGetResult(copy, 0);
}

// With all that it is a view of.
static MlirValue anew(renewal *r, int32_t n) {
  STOW_ARRAY(int32_t) missing = {0};
  for (int32_t at = n; at >= 0 && mlirValueIsNull(r->names.at[at].anew);
       at = r->names.at[at].parent)
    STOW_PUSH(missing, at);
  while (missing.count > 0)
    make_anew(r, missing.at[--missing.count]);
  free(missing.at);
  return r->names.at[n].anew;
}

static void rename(renewal *r) {
  STOW_EACH(const mention, by, r->mentions) {
    const name *of = &r->names.at[by->name];
    if (of->lives && !of->made_meanwhile && is_in_life(r->life, by->op))
      mlirOperationSetOperand(by->op, by->operand, anew(r, by->name));
  }
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

// Whether other lives of the same bytes may lie before it.
static bool comes_again(const stow_marked_lives *marked, size_t first, size_t end, size_t i,
                        MlirValue view) {
  const stow_marked_life *life = &marked->lives.at[i];
  if (!mlirBlockEqual(mlirOperationGetBlock(life->start), stow_block_of(view)))
    return true;
  for (size_t j = first; j < end; ++j)
    if (j != i && marked->lives.at[j].low < life->high && life->low < marked->lives.at[j].high)
      return true;
  return false;
}

void stow_arena_renew_lives(const stow_marked_lives *marked, int32_t alloc, MlirValue view) {
  size_t first, end;
  stow_ir_lives_of_alloc(marked, alloc, &first, &end);
  if (first == end)
    return;
  for (size_t i = first; i < end; ++i)
    stow_ir_forward_operand(marked->lives.at[i].start);
  renewal r = {0};
  const bool followed = collect(&r, view);
  for (size_t i = first; i < end && followed; ++i)
    if (!marked->lives.at[i].mixed && comes_again(marked, first, end, i, view)) {
      begin(&r, &marked->lives.at[i]);
      rename(&r);
    }
  free(r.names.at);
  free(r.mentions.at);
}
