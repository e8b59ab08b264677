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

static intptr_t carried_count(const stow_carry *carry) {
  const intptr_t values = mlirOperationGetNumOperands(carry->terminator) - carry->first;
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

static void keep_region(MlirOperation loop, intptr_t region, intptr_t first,
                        intptr_t first_argument) {
  const MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, region));
  keep(&(stow_carry){mlirBlockGetTerminator(block), first, block, first_argument});
}

static bool is_loop(MlirOperation op) {
  return stow_is(op, STOW_SCF_FOR) || stow_is(op, STOW_SCF_WHILE);
}

static void keep_loop(MlirOperation loop) {
  if (stow_is(loop, STOW_SCF_FOR)) {
    keep_region(loop, 0, 0, 1); // the first argument is the induction variable
    return;
  }
  keep_region(loop, 0, 1, 0); // the first operand is the condition
  keep_region(loop, 1, 0, 0);
}

void stow_keep_carried(MlirOperation module) {
  const stow_op_list loops = stow_ops_in(module, is_loop);
  for (size_t i = 0; i < loops.count; ++i)
    keep_loop(loops.at[i]);
  free(loops.at);
}
