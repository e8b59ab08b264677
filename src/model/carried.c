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
// Tensors that change places are read before any of them is written.
//
// The memory that a loop was given has room for what it begins with. So what it carries must keep
// its sizes: each tensor that is given on has those of the tensor that the loop begins with, if all
// that were given on before have them.
//
//===----------------------------------------------------------------------===//

#include "model/model.h"

#include <assert.h>

// A terminator that gives its operands from `first` on to the next pass over `target`, whose
// arguments from `first_argument` on take them.
typedef struct stow_carry {
  MlirOperation terminator;
  intptr_t first;
  MlirBlock target;
  intptr_t first_argument;
} stow_carry;

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

static bool is_written(const stow_carry *carry, intptr_t i) {
  const MlirType type = mlirValueGetType(given(carry, i));
  return stow_type_is_tensor(type) && mlirTypeEqual(type, mlirValueGetType(taken(carry, i))) &&
         !stow_is_update(given(carry, i), taken(carry, i));
}

static bool changes_place(const stow_carry *carry, intptr_t i) {
  const MlirValue value = given(carry, i);
  return is_written(carry, i) && mlirValueIsABlockArgument(value) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(value), carry->target);
}

static MlirValue copy_of(const stow_builder *builder, MlirValue tensor) {
  const int32_t segments[] = {0, 1, 0};
  const stow_attribute attribute = {"operandSegmentSizes",
                                    mlirDenseI32ArrayGet(builder->context, 3, segments)};
  return stow_build_with(builder, STOW_BUFFERIZATION_ALLOC_TENSOR, &tensor, 1,
                         mlirValueGetType(tensor), attribute);
}

static MlirValue written_into(const stow_builder *builder, MlirValue value, MlirValue target) {
  return stow_build_value(builder, STOW_BUFFERIZATION_MATERIALIZE_IN_DESTINATION,
                          (MlirValue[]){value, target}, 2, mlirValueGetType(target));
}

static void keep(const stow_carry *carry) {
  const MlirOperation last = carry->terminator;
  const stow_builder builder = stow_builder_before(last, mlirOperationGetLocation(last));
  const intptr_t count = carried_count(carry);
  for (intptr_t i = 0; i < count; ++i)
    if (changes_place(carry, i))
      mlirOperationSetOperand(last, carry->first + i, copy_of(&builder, given(carry, i)));
  for (intptr_t i = 0; i < count; ++i)
    if (is_written(carry, i))
      mlirOperationSetOperand(last, carry->first + i,
                              written_into(&builder, given(carry, i), taken(carry, i)));
}

static bool is_loop(MlirOperation op) {
  return stow_is(op, STOW_SCF_FOR) || stow_is(op, STOW_SCF_WHILE);
}

static MlirBlock block_of(MlirOperation loop, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, region));
}

// Calls for each terminator of a loop that gives to the next pass over a block.
static void each_carry(MlirOperation loop, void (*fn)(void *user, const stow_carry *carry),
                       void *user) {
  const bool is_for = stow_is(loop, STOW_SCF_FOR);
  for (intptr_t region = 0; region < mlirOperationGetNumRegions(loop); ++region) {
    const MlirBlock block = block_of(loop, region);
    // The first argument of scf.for is its induction variable; scf.condition has one in front, too.
    fn(user, &(stow_carry){mlirBlockGetTerminator(block), !is_for && region == 0, block, is_for});
  }
}

static void keep_one(void *user, const stow_carry *carry) {
  (void)user;
  keep(carry);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static intptr_t first_begun(MlirOperation loop) { return stow_is(loop, STOW_SCF_FOR) ? 3 : 0; }

static intptr_t begun_count(MlirOperation loop) {
  return mlirOperationGetNumOperands(loop) - first_begun(loop);
}

static MlirValue begun(MlirOperation loop, intptr_t i) {
  return mlirOperationGetOperand(loop, first_begun(loop) + i);
}

static void check_one(void *user, const stow_carry *carry) {
  const MlirOperation loop = mlirBlockGetParentOperation(carry->target);
  for (intptr_t i = 0; i < given_count(carry) && i < begun_count(loop); ++i) {
    const MlirValue value = given(carry, i), first = begun(loop, i);
    const MlirType type = mlirValueGetType(value);
    if (!stow_type_is_tensor(type) || !mlirTypeEqual(type, mlirValueGetType(first)) ||
        stow_has_sizes_of(value, first))
      continue;
    *(bool *)user = stow_refuse(mlirOperationGetLocation(carry->terminator),
                                "tensor %lld that the loop carries may change its size, so no "
                                "memory can be kept for it; give it a static shape, or the size "
                                "that tensor.dim tells of what the loop begins with",
                                (long long)i);
  }
}

//===----------------------------------------------------------------------===//
// All loops
//===----------------------------------------------------------------------===//

bool stow_keep_carried(MlirOperation module) {
  const stow_op_list loops = stow_ops_in(module, is_loop);
  bool good = true;
  STOW_EACH(const MlirOperation, loop, loops)
    each_carry(*loop, check_one, &good);
  for (size_t i = 0; i < loops.count && good; ++i)
    each_carry(loops.at[i], keep_one, NULL);
  free(loops.at);
  return good;
}
