//===- carried.c - tensors that loops carry, in one buffer each -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One-shot bufferization wants a loop to yield the memory that it was given. So what is yielded is
// written into it:
//
//     scf.for ... iter_args(%a = %x)            scf.for ... iter_args(%a = %x)
//       %n = ... : tensor<4xf32>          =>      %n = ... : tensor<4xf32>
//       scf.yield %n                              %m = materialize_in_destination %n in %a
//                                                 scf.yield %m
//
// Where nothing reads the old tensor any more, eliminate-empty-tensors has %n computed in place.
// Tensors that change places are copied where they would be read behind the write.
//
// The memory that a loop was given has room for what it begins with. So what it carries must keep
// its sizes: each tensor that is given on has those of the tensor that the loop begins with, if all
// that were given on before have them.
//
//===----------------------------------------------------------------------===//

#include "model/model.h"

#include <assert.h>

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool is_loop(MlirOperation op) {
  return stow_ir_is(op, STOW_SCF_FOR) || stow_ir_is(op, STOW_SCF_WHILE);
}

static MlirBlock block_of(MlirOperation loop, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, region));
}

static intptr_t first_begun(MlirOperation loop) { return stow_ir_is(loop, STOW_SCF_FOR) ? 3 : 0; }

static intptr_t begun_count(MlirOperation loop) {
  return mlirOperationGetNumOperands(loop) - first_begun(loop);
}

static MlirValue begun(MlirOperation loop, intptr_t i) {
  return mlirOperationGetOperand(loop, first_begun(loop) + i);
}

// A terminator that gives its operands from `first` on to the next pass over `target`, whose
// arguments from `first_argument` on take them.
typedef struct stow_carry {
  MlirOperation terminator;
  intptr_t first;
  MlirBlock target;
  intptr_t first_argument;
} stow_carry;

// Calls for each terminator of a loop that gives to the next pass over a block.
static void each_carry(MlirOperation loop, void (*fn)(void *user, const stow_carry *carry),
                       void *user) {
  const bool is_for = stow_ir_is(loop, STOW_SCF_FOR);
  for (intptr_t region = 0; region < mlirOperationGetNumRegions(loop); ++region) {
    const MlirBlock block = block_of(loop, region);
    // The first argument of scf.for is its induction variable; scf.condition has one in front, too.
    fn(user, &(stow_carry){mlirBlockGetTerminator(block), !is_for && region == 0, block, is_for});
  }
}

static MlirValue given(const stow_carry *carry, intptr_t i) {
  assert(carry->first + i < mlirOperationGetNumOperands(carry->terminator));
  return mlirOperationGetOperand(carry->terminator, carry->first + i);
}

static MlirValue taken(const stow_carry *carry, intptr_t i) {
  assert(carry->first_argument + i < mlirBlockGetNumArguments(carry->target));
  return mlirBlockGetArgument(carry->target, carry->first_argument + i);
}

static intptr_t given_count(const stow_carry *carry) {
  return mlirOperationGetNumOperands(carry->terminator) - carry->first;
}

static intptr_t carried_count(const stow_carry *carry) {
  const intptr_t values = given_count(carry);
  const intptr_t arguments = mlirBlockGetNumArguments(carry->target) - carry->first_argument;
  return values < arguments ? values : arguments;
}

//===----------------------------------------------------------------------===//
// Loops inside
//===----------------------------------------------------------------------===//

static bool is_used_in(MlirOperation loop, MlirValue tensor) {
  STOW_EACH_USE(use, tensor)
    if (stow_ir_is_inside(mlirOpOperandGetOwner(use), loop))
      return true;
  return false;
}

// A loop that reads the old tensor while it computes the new one cannot compute it in the same
// memory. So the loop begins with a tensor that eliminate-empty-tensors does not replace.
static void begin_own(MlirOperation loop, intptr_t i, MlirValue old) {
  if (!stow_ir_is_result_of(begun(loop, i), STOW_TENSOR_EMPTY) || !is_used_in(loop, old))
    return;
  const MlirOperation empty = mlirOpResultGetOwner(begun(loop, i));
  const stow_builder builder = stow_builder_before(loop, mlirOperationGetLocation(empty));
  STOW_ARRAY(MlirValue) sizes = {0};
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(empty); ++k)
    STOW_PUSH(sizes, mlirOperationGetOperand(empty, k));
  const MlirValue own =
      stow_model_build_unwritten(&builder, sizes.at, sizes.count, mlirValueGetType(begun(loop, i)));
  mlirOperationSetOperand(loop, first_begun(loop) + i, own);
  free(sizes.at);
}

// Loops in which a value may be made.
static void begin_all_own(MlirValue value, MlirValue old) {
  for (int steps = 0; steps < STOW_MODEL_MAX_STEPS && mlirValueIsAOpResult(value); ++steps) {
    const MlirOperation op = mlirOpResultGetOwner(value);
    const intptr_t i = mlirOpResultGetResultNumber(value);
    if (is_loop(op) && i < begun_count(op))
      begin_own(op, i, old);
    value = stow_model_made_in(op, i);
    if (mlirValueIsNull(value))
      return;
  }
}

//===----------------------------------------------------------------------===//
// Branches inside
//===----------------------------------------------------------------------===//

// Whether a value is in memory that nothing else may be in.
static bool has_own_memory(MlirValue value) {
  MlirValue next = value;
  for (int steps = 0; steps < STOW_MODEL_MAX_STEPS && !mlirValueIsNull(next); ++steps) {
    value = next;
    if (!mlirValueIsAOpResult(value))
      return false;
    next = stow_model_made_in(mlirOpResultGetOwner(value), mlirOpResultGetResultNumber(value));
  }
  const MlirOperation op = mlirOpResultGetOwner(value);
  return mlirValueIsNull(stow_model_alternative(value, 0)) &&
         !stow_ir_is(op, STOW_ARITH_CONSTANT) && !stow_ir_is(op, STOW_FUNC_CALL);
}

static bool have_others_own_memory(MlirValue mixed, MlirValue tensor) {
  MlirValue other;
  for (intptr_t i = 0; !mlirValueIsNull(other = stow_model_alternative(mixed, i)); ++i)
    if (!mlirValueEqual(other, tensor) && !has_own_memory(other))
      return false;
  return true;
}

// Whether a tensor that is written later, or another one that has its own memory, is known by one
// name from here on: bufferization would not copy either.
static bool is_mixed(MlirOperation user, intptr_t operand, MlirValue tensor) {
  if (stow_ir_is(user, STOW_ARITH_SELECT)) {
    const MlirValue other = mlirOperationGetOperand(user, operand == 1 ? 2 : 1);
    return !has_own_memory(other) && !mlirBlockEqual(stow_block_of(other), stow_block_of(tensor));
  }
  const MlirOperation branches = mlirOperationGetParentOperation(user);
  return stow_ir_is(user, STOW_SCF_YIELD) && stow_model_has_branches(branches) &&
         !have_others_own_memory(mlirOperationGetResult(branches, operand), tensor) &&
         !stow_model_is_update(mlirOperationGetResult(branches, operand), tensor);
}

// Whether `user` gives an operand to a result of `mixer`: a select, or at the end of a branch.
static bool is_mixed_by(MlirOperation user, MlirOperation mixer) {
  return mlirOperationEqual(user, mixer) ||
         (stow_ir_is(user, STOW_SCF_YIELD) &&
          mlirOperationEqual(mlirOperationGetParentOperation(user), mixer));
}

// Gives memory that nothing else is in to uses by `mixer`, or, if it is null, to all that mix.
static void part(MlirValue tensor, MlirOperation mixer) {
  STOW_EACH_USE_THAT_MAY_GO(use, tensor) {
    const MlirOperation user = mlirOpOperandGetOwner(use);
    const intptr_t operand = mlirOpOperandGetOperandNumber(use);
    const stow_builder builder = stow_builder_before(user, mlirOperationGetLocation(user));
    if (mlirOperationIsNull(mixer) ? is_mixed(user, operand, tensor) : is_mixed_by(user, mixer))
      mlirOperationSetOperand(user, operand, stow_model_build_own(&builder, tensor));
  }
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

static bool is_written(const stow_carry *carry, intptr_t i) {
  const MlirType type = mlirValueGetType(given(carry, i));
  return stow_bridge_type_is_tensor(type) &&
         mlirTypeEqual(type, mlirValueGetType(taken(carry, i))) &&
         !stow_model_is_update(given(carry, i), taken(carry, i));
}

// Whether a value may be a tensor that is written before the value is read, or by that.
static bool is_read_late(const stow_carry *carry, const bool *written, intptr_t i) {
  for (intptr_t j = 0; j <= i; ++j)
    if (written[j] && stow_model_may_be_in(given(carry, i), taken(carry, j)))
      return true;
  return false;
}

static bool is_updated_carry(const stow_carry *carry, const bool *written, MlirValue value) {
  for (intptr_t j = 0; j < carried_count(carry); ++j)
    if (!written[j] && stow_model_is_update(value, taken(carry, j)))
      return true;
  return false;
}

// What is written may be another tensor, which the loop carries and updates in place. By one name
// with what will be made in the place that is written, bufferization would not update it there.
static void part_updates(const stow_carry *carry, const bool *written, intptr_t i) {
  MlirValue other;
  for (intptr_t a = 0; !mlirValueIsNull(other = stow_model_alternative(given(carry, i), a)); ++a)
    if (is_updated_carry(carry, written, other))
      part(other, mlirOpResultGetOwner(given(carry, i)));
}

static MlirValue written_into(const stow_builder *builder, MlirValue value, MlirValue target) {
  return stow_ir_build_value(builder, STOW_BUFFERIZATION_MATERIALIZE_IN_DESTINATION,
                             (MlirValue[]){value, target}, 2, mlirValueGetType(target));
}

static void keep(const stow_carry *carry) {
  const MlirOperation last = carry->terminator;
  const stow_builder builder = stow_builder_before(last, mlirOperationGetLocation(last));
  const intptr_t count = carried_count(carry);
  bool *const written = stow_ir_allocate((size_t)count, sizeof *written);
  for (intptr_t i = 0; i < count; ++i)
    written[i] = is_written(carry, i);
  for (intptr_t i = 0; i < count; ++i)
    if (written[i])
      part(taken(carry, i), (MlirOperation){NULL});
  for (intptr_t i = 0; i < count; ++i)
    if (written[i] && is_read_late(carry, written, i))
      mlirOperationSetOperand(last, carry->first + i,
                              stow_model_build_own(&builder, given(carry, i)));
    else if (written[i])
      part_updates(carry, written, i);
  for (intptr_t i = 0; i < count; ++i)
    if (written[i]) {
      const MlirValue value = given(carry, i),
                      kept = written_into(&builder, value, taken(carry, i));
      begin_all_own(value, taken(carry, i));
      for (intptr_t j = i; j < count; ++j) // what is given twice is read where it was written
        if (written[j] && mlirValueEqual(given(carry, j), value))
          mlirOperationSetOperand(last, carry->first + j, kept);
    }
  free(written);
}

static void keep_one(void *user, const stow_carry *carry) {
  (void)user;
  keep(carry);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static void check_one(void *user, const stow_carry *carry) {
  const MlirOperation loop = mlirBlockGetParentOperation(carry->target);
  for (intptr_t i = 0; i < given_count(carry) && i < begun_count(loop); ++i) {
    const MlirValue value = given(carry, i), first = begun(loop, i);
    const MlirType type = mlirValueGetType(value);
    if (!stow_bridge_type_is_tensor(type) || !mlirTypeEqual(type, mlirValueGetType(first)) ||
        stow_model_has_sizes_of(value, first))
      continue;
    *(bool *)user = stow_ir_refuse(mlirOperationGetLocation(carry->terminator),
                                   "tensor %lld that the loop carries may change its size, so no "
                                   "memory can be kept for it; give it a static shape, or the size "
                                   "that tensor.dim tells of what the loop begins with",
                                   (long long)i);
  }
}

//===----------------------------------------------------------------------===//
// All loops
//===----------------------------------------------------------------------===//

bool stow_model_keep_carried(MlirOperation module) {
  const stow_op_list loops = stow_ir_ops_in(module, is_loop);
  bool good = true;
  STOW_EACH(const MlirOperation, loop, loops)
    each_carry(*loop, check_one, &good);
  for (size_t i = 0; i < loops.count && good; ++i)
    each_carry(loops.at[i], keep_one, NULL);
  free(loops.at);
  return good;
}
