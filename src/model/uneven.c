//===- uneven.c - scf.while that gives on other tensors than it takes ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One-shot bufferization wants the condition to give on what the loop takes, tensor by tensor.
// Where it does not, a tensor that is only taken is given on, too, and one that is only given on
// begins unwritten:
//
//     scf.while (%a = %x) -> tensor<4xi8>       scf.while (%a = %x, %b = %none)
//       condition(%c) %f                          condition(%c) %a, %f
//     do (%g)                             =>    do (%unused, %g)
//       yield %n                                  yield %n, %g
//
// Numbers go behind the tensors, as they are.
//
//===----------------------------------------------------------------------===//

#include "model/model.h"

#include "mlir-c/BuiltinTypes.h"

// An operand of a terminator as it was, or a value.
typedef struct source {
  intptr_t operand; // -1: the value
  MlirValue value;
} source;

typedef STOW_ARRAY(MlirValue) values;

// What a loop is made of anew: its operands, and those of its terminators.
typedef struct rebuild {
  MlirOperation loop, condition, yield;
  MlirBlock before, after;
  values begun;
  STOW_ARRAY(source) forwarded, yielded;
  intptr_t
      *taker; // for what the condition gives on: which of what the loop takes it is given to, or -1
} rebuild;

static intptr_t taken_count(const rebuild *r) { return mlirOperationGetNumOperands(r->loop); }
static intptr_t given_count(const rebuild *r) { return mlirOperationGetNumResults(r->loop); }

static MlirValue begun(const rebuild *r, intptr_t i) { return mlirOperationGetOperand(r->loop, i); }

static MlirValue forwarded(const rebuild *r, intptr_t j) {
  return mlirOperationGetOperand(r->condition, 1 + j);
}

static bool is_tensor(MlirValue value) {
  return stow_bridge_type_is_tensor(mlirValueGetType(value));
}

static bool have_one_type(MlirValue a, MlirValue b) {
  return mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b));
}

static bool is_even(const rebuild *r) {
  const intptr_t taken = taken_count(r), given = given_count(r);
  for (intptr_t i = 0; i < taken || i < given; ++i)
    if (((i < taken && is_tensor(begun(r, i))) || (i < given && is_tensor(forwarded(r, i)))) &&
        !(i < taken && i < given && have_one_type(begun(r, i), forwarded(r, i))))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Who takes what
//===----------------------------------------------------------------------===//

static bool is_given_back(const rebuild *r, intptr_t i, intptr_t j) {
  return mlirValueEqual(forwarded(r, j), mlirBlockGetArgument(r->before, i));
}

static bool has_one_type(const rebuild *r, intptr_t i, intptr_t j) {
  return have_one_type(begun(r, i), forwarded(r, j));
}

static bool has_giver(const rebuild *r, intptr_t i) {
  for (intptr_t j = 0; j < given_count(r); ++j)
    if (r->taker[j] == i)
      return true;
  return false;
}

static void match(rebuild *r, bool (*fits)(const rebuild *r, intptr_t i, intptr_t j)) {
  for (intptr_t i = 0; i < taken_count(r); ++i)
    for (intptr_t j = 0; j < given_count(r) && is_tensor(begun(r, i)) && !has_giver(r, i); ++j)
      if (r->taker[j] < 0 && fits(r, i, j))
        r->taker[j] = i;
}

static intptr_t giver(const rebuild *r, intptr_t i) {
  intptr_t j = given_count(r) - 1;
  while (j >= 0 && r->taker[j] != i)
    --j;
  return j;
}

// Whether what only the condition gives on can begin as an empty tensor.
static bool can_begin(const rebuild *r) {
  for (intptr_t j = 0; j < given_count(r); ++j) {
    const MlirType type = mlirValueGetType(forwarded(r, j));
    if (is_tensor(forwarded(r, j)) && r->taker[j] < 0 &&
        !(mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type)))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The loop anew
//===----------------------------------------------------------------------===//

static MlirValue add_argument(const rebuild *r, MlirBlock block, MlirType type) {
  return mlirBlockAddArgument(block, type, mlirOperationGetLocation(r->loop));
}

static void take(rebuild *r, intptr_t i, MlirValue argument) {
  STOW_PUSH(r->begun, begun(r, i));
  STOW_PUSH(r->yielded, (source){.operand = i});
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(r->before, i), argument);
}

static void give(rebuild *r, intptr_t j, MlirValue argument) {
  STOW_PUSH(r->forwarded, (source){.operand = j});
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(r->after, j), argument);
}

static void add_taken(rebuild *r, intptr_t i) {
  const MlirType type = mlirValueGetType(begun(r, i));
  const intptr_t j = giver(r, i);
  const MlirValue in_before = add_argument(r, r->before, type),
                  in_after = add_argument(r, r->after, type);
  take(r, i, in_before);
  if (j >= 0)
    give(r, j, in_after);
  else
    STOW_PUSH(r->forwarded, (source){-1, in_before});
}

static void add_given(rebuild *r, intptr_t j) {
  const MlirType type = mlirValueGetType(forwarded(r, j));
  const stow_builder builder = stow_builder_before(r->loop, mlirOperationGetLocation(r->loop));
  const MlirValue in_after = add_argument(r, r->after, type);
  add_argument(r, r->before, type);
  STOW_PUSH(r->begun, stow_model_build_unwritten(&builder, NULL, 0, type));
  STOW_PUSH(r->yielded, (source){-1, in_after});
  give(r, j, in_after);
}

static void add_all(rebuild *r) {
  for (intptr_t i = 0; i < taken_count(r); ++i)
    if (is_tensor(begun(r, i)))
      add_taken(r, i);
  for (intptr_t j = 0; j < given_count(r); ++j)
    if (is_tensor(forwarded(r, j)) && r->taker[j] < 0)
      add_given(r, j);
  for (intptr_t i = 0; i < taken_count(r); ++i)
    if (!is_tensor(begun(r, i)))
      take(r, i, add_argument(r, r->before, mlirValueGetType(begun(r, i))));
  for (intptr_t j = 0; j < given_count(r); ++j)
    if (!is_tensor(forwarded(r, j)))
      give(r, j, add_argument(r, r->after, mlirValueGetType(forwarded(r, j))));
}

// `first`: where the old operands begin.
static void set_operands(MlirOperation end, intptr_t first, const source *sources, size_t count) {
  values all = {0};
  for (intptr_t i = 0; i < first; ++i)
    STOW_PUSH(all, mlirOperationGetOperand(end, i));
  for (size_t i = 0; i < count; ++i)
    STOW_PUSH(all, sources[i].operand < 0
                       ? sources[i].value
                       : mlirOperationGetOperand(end, first + sources[i].operand));
  mlirOperationSetOperands(end, (intptr_t)all.count, all.at);
  free(all.at);
}

static void erase_arguments(MlirBlock block, intptr_t count) {
  while (count-- > 0)
    mlirBlockEraseArgument(block, (unsigned)count);
}

static MlirOperation made_of(const rebuild *r) {
  STOW_ARRAY(MlirType) types = {0};
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(r->condition); ++i)
    STOW_PUSH(types, mlirValueGetType(mlirOperationGetOperand(r->condition, i)));
  const MlirOperation made =
      stow_ir_build_again(r->loop, r->begun.at, r->begun.count, types.at, types.count);
  free(types.at);
  return made;
}

static void make_even(rebuild *r) {
  const intptr_t taken = taken_count(r), given = given_count(r);
  add_all(r);
  set_operands(r->condition, 1, r->forwarded.at, r->forwarded.count);
  set_operands(r->yield, 0, r->yielded.at, r->yielded.count);
  erase_arguments(r->before, taken);
  erase_arguments(r->after, given);
  const MlirOperation made = made_of(r);
  for (size_t k = 0; k < r->forwarded.count; ++k)
    if (r->forwarded.at[k].operand >= 0)
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(r->loop, r->forwarded.at[k].operand),
                                    mlirOperationGetResult(made, (intptr_t)k));
  mlirOperationDestroy(r->loop);
}

static void even_out(MlirOperation loop) {
  rebuild r = {.loop = loop};
  r.before = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  r.after = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 1));
  r.condition = mlirBlockGetTerminator(r.before);
  r.yield = mlirBlockGetTerminator(r.after);
  if (is_even(&r))
    return;
  r.taker = stow_ir_allocate((size_t)given_count(&r), sizeof *r.taker);
  for (intptr_t j = 0; j < given_count(&r); ++j)
    r.taker[j] = -1;
  match(&r, is_given_back);
  match(&r, has_one_type);
  if (can_begin(&r))
    make_even(&r);
  free(r.begun.at);
  free(r.forwarded.at);
  free(r.yielded.at);
  free(r.taker);
}

static bool is_while(MlirOperation op) { return stow_ir_is(op, STOW_SCF_WHILE); }

void stow_model_even_out(MlirOperation module) {
  const stow_op_list loops = stow_ir_ops_in(module, is_while);
  for (size_t i = loops.count; i-- > 0;) // inner ones first
    even_out(loops.at[i]);
  free(loops.at);
}
