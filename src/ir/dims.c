//===- dims.c - what a program states of its sizes --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/dims.h"

#include "bridge/bridge.h"
#include "ir/support.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#define DIMS "stowage.dims"

static int64_t number_in(MlirAttribute entry, const char *key) {
  const MlirAttribute number = mlirDictionaryAttrGetElementByName(entry, stow_ir_string(key));
  return mlirAttributeIsNull(number) ? -1 : mlirIntegerAttrGetValueInt(number);
}

static stow_stated read_entry(MlirAttribute entry) {
  const MlirAttribute name = mlirDictionaryAttrGetElementByName(entry, stow_ir_string("name"));
  return (stow_stated){.name = mlirAttributeIsNull(name) ? stow_ir_string("")
                                                         : mlirStringAttrGetValue(name),
                       .min = number_in(entry, "min"),
                       .max = number_in(entry, "max"),
                       .hint = number_in(entry, "hint")};
}

stow_stated stow_stated_of(MlirOperation function, intptr_t argument, int64_t dimension) {
  const MlirAttribute dims = stow_argument_attribute(function, argument, DIMS);
  if (mlirAttributeIsNull(dims) || dimension >= mlirArrayAttrGetNumElements(dims))
    return (stow_stated){stow_ir_string(""), -1, -1, -1};
  return read_entry(mlirArrayAttrGetElement(dims, dimension));
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

static bool is_number(MlirAttribute attribute) {
  return mlirAttributeIsAInteger(attribute) && mlirIntegerAttrGetValueInt(attribute) >= 0;
}

static bool is_known_entry(MlirNamedAttribute entry) {
  static const char *const numbers[] = {"min", "max", "hint"};
  const MlirStringRef key = mlirIdentifierStr(entry.name);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (stow_ir_string_equal(key, numbers[i]))
      return is_number(entry.attribute);
  return stow_ir_string_equal(key, "name") && mlirAttributeIsAString(entry.attribute);
}

static bool is_valid_entry(MlirAttribute entry) {
  bool valid = mlirAttributeIsADictionary(entry);
  for (intptr_t i = 0; valid && i < mlirDictionaryAttrGetNumElements(entry); ++i)
    valid = is_known_entry(mlirDictionaryAttrGetElement(entry, i));
  if (!valid)
    return false;
  const stow_stated stated = read_entry(entry);
  return stated.max < 0 || (stated.min <= stated.max && stated.hint <= stated.max);
}

static bool is_valid(MlirAttribute dims, MlirType type) {
  const bool shaped = mlirTypeIsAMemRef(type);
  if (!mlirAttributeIsAArray(dims) || !(shaped || mlirTypeIsAIndex(type)) ||
      mlirArrayAttrGetNumElements(dims) != (shaped ? mlirShapedTypeGetRank(type) : 1))
    return false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(dims); ++i)
    if (!is_valid_entry(mlirArrayAttrGetElement(dims, i)))
      return false;
  return true;
}

static bool is_valid_function(MlirOperation function) {
  const MlirRegion body = stow_bridge_function_body(function);
  if (mlirRegionIsNull(body))
    return true;
  const MlirBlock entry = mlirRegionGetFirstBlock(body);
  for (intptr_t a = 0; a < mlirBlockGetNumArguments(entry); ++a) {
    const MlirAttribute dims = stow_argument_attribute(function, a, DIMS);
    if (!mlirAttributeIsNull(dims) &&
        !is_valid(dims, mlirValueGetType(mlirBlockGetArgument(entry, a))))
      return stow_ir_refuse(mlirOperationGetLocation(function),
                            DIMS
                            " of argument %lld must have a dictionary for each dimension of a "
                            "memref, or one for an index, of name (a string), min, max and hint "
                            "(numbers, min and hint at most max)",
                            (long long)a);
  }
  return true;
}

bool stow_ir_dims_are_valid(MlirOperation module) {
  bool ok = true;
  STOW_EACH_OP_OF(op, module)
    if (stow_bridge_op_is_function(op))
      ok &= is_valid_function(op);
  return ok;
}
