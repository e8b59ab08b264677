//===- state.c - where a program keeps what goes from call to call ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/state.h"

#include "bridge/bridge.h"
#include "ir/support.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

// Whether the argument is as prepare-model makes it. Anyone may write the attribute.
static bool is_kept(MlirType type, MlirAttribute alignment) {
  return !mlirAttributeIsNull(alignment) && mlirAttributeIsAInteger(alignment) &&
         mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirShapedTypeGetRank(type) == 1 &&
         mlirTypeEqual(mlirShapedTypeGetElementType(type),
                       mlirIntegerTypeGet(mlirTypeGetContext(type), 8));
}

stow_kept stow_kept_by(MlirOperation function) {
  const MlirType type = stow_ir_function_type(function);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i) {
    const MlirType input = mlirFunctionTypeGetInput(type, i);
    const MlirAttribute alignment = stow_argument_attribute(function, i, STOW_STATE);
    if (is_kept(input, alignment))
      return (stow_kept){i, (uint64_t)mlirShapedTypeGetDimSize(input, 0),
                         (uint64_t)mlirIntegerAttrGetValueInt(alignment)};
  }
  return (stow_kept){.argument = -1};
}

void stow_ir_keep_sign(MlirOperation function, bool is_unsigned) {
  if (is_unsigned)
    stow_bridge_set_argument_attribute(function, stow_bridge_function_argument_count(function) - 1,
                                       STOW_UNSIGNED,
                                       mlirUnitAttrGet(mlirOperationGetContext(function)));
}
