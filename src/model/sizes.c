//===- sizes.c - sizes of tensors that loops carry ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A size that is known at run time only is followed to where it comes from: an index, or a
// dimension of a tensor of which no more is known. What a loop carries is taken to have the size
// that it begins with. That is true if all that is given on has it: so no loop of the module may
// fail to.
//
//===----------------------------------------------------------------------===//

#include "model/model.h"

#include "bridge/bridge.h"
#include "ir/op.h"
#include "mlir-c/BuiltinTypes.h"

// Through how many branches inside of each other a size is followed.
enum { MAX_BRANCHES = 4 };

// A number, or an index, or a dimension of a tensor.
typedef struct origin {
  int64_t number;
  MlirValue value; // null: the number
  intptr_t dim;    // -1: of an index
} origin;

static bool is_same(origin a, origin b) {
  if (mlirValueIsNull(a.value) || mlirValueIsNull(b.value))
    return mlirValueIsNull(a.value) && mlirValueIsNull(b.value) && a.number == b.number;
  return mlirValueEqual(a.value, b.value) && a.dim == b.dim;
}

// What an argument or a result of a loop is, in an iteration; or null.
static MlirValue carried_from(MlirValue value) {
  const bool argument = mlirValueIsABlockArgument(value);
  const MlirOperation loop = argument
                                 ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
                                 : mlirOpResultGetOwner(value);
  const intptr_t i =
      argument ? mlirBlockArgumentGetArgNumber(value) : mlirOpResultGetResultNumber(value);
  if (stow_ir_is(loop, STOW_SCF_FOR))
    return mlirOperationGetOperand(loop, argument ? 2 + i : 3 + i);
  if (!stow_ir_is(loop, STOW_SCF_WHILE))
    return (MlirValue){NULL};
  const MlirBlock before = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  if (argument && mlirBlockEqual(mlirBlockArgumentGetOwner(value), before))
    return mlirOperationGetOperand(loop, i);
  return mlirOperationGetOperand(mlirBlockGetTerminator(before), 1 + i);
}

// The tensor whose sizes all are those of the value; or null.
static MlirValue alike(MlirValue value) {
  const MlirValue carried = carried_from(value);
  return mlirValueIsNull(carried) && mlirValueIsAOpResult(value) ? stow_model_made_of(value)
                                                                 : carried;
}

static MlirValue dynamic_size(MlirOperation empty, MlirType type, intptr_t dim) {
  intptr_t operand = 0;
  for (intptr_t d = 0; d < dim; ++d)
    operand += mlirShapedTypeIsDynamicDim(type, d);
  return mlirOperationGetOperand(empty, operand);
}

// One step from an index. False where there is none.
static bool step_index(origin *at) {
  int64_t number;
  if (stow_ir_constant_of(at->value, &number)) {
    *at = (origin){.number = number};
  } else if (stow_ir_is_result_of(at->value, STOW_TENSOR_DIM)) {
    const MlirOperation op = mlirOpResultGetOwner(at->value);
    if (!stow_ir_constant_of(mlirOperationGetOperand(op, 1), &number))
      return false;
    *at = (origin){0, mlirOperationGetOperand(op, 0), number};
  } else {
    return false;
  }
  return true;
}

static origin origin_of(MlirValue tensor, intptr_t dim, int branches);

static bool step_branches(origin *at, int branches) {
  const MlirValue value = at->value;
  origin all = {0};
  intptr_t i = 0;
  for (MlirValue one; branches > 0 && !mlirValueIsNull(one = stow_model_alternative(value, i));
       ++i) {
    const origin of_one = origin_of(one, at->dim, branches - 1);
    if (i > 0 && !is_same(all, of_one))
      return false;
    all = of_one;
  }
  if (i > 0)
    *at = all;
  return i > 0;
}

static bool step_tensor(origin *at, int branches) {
  const MlirType type = mlirValueGetType(at->value);
  if (!mlirTypeIsARankedTensor(type) || at->dim < 0 || at->dim >= mlirShapedTypeGetRank(type))
    return false;
  if (!mlirShapedTypeIsDynamicDim(type, at->dim)) {
    *at = (origin){.number = mlirShapedTypeGetDimSize(type, at->dim)};
    return true;
  }
  const MlirValue same = alike(at->value);
  if (!mlirValueIsNull(same)) {
    at->value = same;
    return true;
  }
  if (!mlirValueIsAOpResult(at->value))
    return false;
  const MlirOperation op = mlirOpResultGetOwner(at->value);
  if (stow_ir_is(op, STOW_TENSOR_EMPTY)) {
    *at = (origin){0, dynamic_size(op, type, at->dim), -1};
    return true;
  }
  return step_branches(at, branches);
}

static origin origin_of(MlirValue tensor, intptr_t dim, int branches) {
  origin at = {0, tensor, dim};
  for (int steps = 0; steps < STOW_MODEL_MAX_STEPS && !mlirValueIsNull(at.value); ++steps)
    if (!(at.dim < 0 ? step_index(&at) : step_tensor(&at, branches)))
      break;
  return at;
}

bool stow_model_has_sizes_of(MlirValue tensor, MlirValue other) {
  const MlirType type = mlirValueGetType(tensor);
  bool same = mlirValueEqual(tensor, other) || mlirTypeIsARankedTensor(type);
  for (intptr_t d = 0; same && !mlirValueEqual(tensor, other) && d < mlirShapedTypeGetRank(type);
       ++d)
    same = is_same(origin_of(tensor, d, MAX_BRANCHES), origin_of(other, d, MAX_BRANCHES));
  return same;
}
