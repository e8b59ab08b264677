//===- results.c - results whose sizes are known at run time only ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// merge-alloc makes an argument of a result whose type says its size. Where the sizes are known at
// run time only, the caller knows them: all tensors that such a function returns become memory that
// it is given, of the same shape:
//
//     func @f(...) -> tensor<?xf32>             func @f(..., %result: memref<?xf32>)
//       return %t                         =>      memref.copy (to_buffer %t), %result
//
// C passes such memory with its sizes, so the function gets a C interface.
//
//===----------------------------------------------------------------------===//

#include "model/model.h"

#include "bridge/bridge.h"
#include "ir/state.h"

#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

static bool is_dynamic(MlirType type) {
  return mlirTypeIsARankedTensor(type) && !mlirShapedTypeHasStaticShape(type);
}

static bool returns_dynamic(MlirType type) {
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    if (is_dynamic(mlirFunctionTypeGetResult(type, i)))
      return true;
  return false;
}

static bool has_dynamic(MlirType type) {
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    if (is_dynamic(mlirFunctionTypeGetInput(type, i)))
      return true;
  return returns_dynamic(type);
}

static bool is_return(MlirOperation op) { return stow_ir_is(op, STOW_FUNC_RETURN); }

static void write_result(MlirOperation end, intptr_t result, MlirValue memory) {
  const stow_builder builder = stow_builder_before(end, mlirOperationGetLocation(end));
  stow_model_build_store(&builder, mlirOperationGetOperand(end, result), memory);
  stow_bridge_erase_operand(end, result);
}

// Its number is that in the program.
static void move_result(MlirOperation function, const stow_op_list *ends, intptr_t result,
                        intptr_t number) {
  const MlirType tensor = mlirFunctionTypeGetResult(stow_ir_function_type(function), result);
  const MlirType memref = stow_model_memref_of(mlirOperationGetLocation(function), tensor);
  assert(!mlirTypeIsNull(memref));
  const MlirValue memory = stow_model_append_memory(function, memref, STOW_RESULT, number);
  stow_ir_keep_sign(function, stow_bridge_result_has_attribute(function, result, STOW_UNSIGNED));
  STOW_EACH(const MlirOperation, end, *ends)
    write_result(*end, result, memory);
  stow_bridge_erase_result_type(function, result);
}

static void move_results(MlirOperation function) {
  const stow_op_list ends = stow_ir_ops_in(function, is_return);
  const intptr_t count = mlirFunctionTypeGetNumResults(stow_ir_function_type(function));
  for (intptr_t number = 0, kept = 0; number < count; ++number)
    if (mlirTypeIsARankedTensor(mlirFunctionTypeGetResult(stow_ir_function_type(function), kept)))
      move_result(function, &ends, kept, number);
    else
      ++kept;
  free(ends.at);
}

// Who calls it from within the module goes by its type.
static void note_mention(void *user, MlirOperation op, MlirOperation symbol) {
  (void)op;
  if (!mlirOperationIsNull(symbol))
    stow_map_note(user, symbol.ptr);
}

static stow_map mentioned_in(MlirOperation module) {
  stow_map mentioned = {0};
  stow_symbols *const symbols = stow_symbols_create();
  stow_bridge_symbol_uses(module, symbols, note_mention, &mentioned);
  stow_symbols_destroy(symbols);
  return mentioned;
}

//===----------------------------------------------------------------------===//
// Results of functions that are called
//===----------------------------------------------------------------------===//

static bool is_entry_block(MlirBlock block) {
  return mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)));
}

// What a call's result is in the function that is called, or null.
static MlirValue returned_by(MlirOperation call, intptr_t i, stow_symbols *symbols) {
  const MlirOperation callee = stow_bridge_callee(call, symbols);
  if (mlirOperationIsNull(callee) || mlirRegionIsNull(stow_bridge_function_body(callee)))
    return (MlirValue){NULL};
  const MlirOperation end =
      mlirBlockGetTerminator(mlirRegionGetFirstBlock(stow_bridge_function_body(callee)));
  return is_return(end) ? mlirOperationGetOperand(end, i) : (MlirValue){NULL};
}

// Whether it is one of several memories, or that of a constant or another function. Functions that
// are called return neither, but may return an argument.
static bool may_be_of_others(MlirValue value, stow_symbols *symbols) {
  bool called = false;
  for (int steps = 0; steps < STOW_MODEL_MAX_STEPS; ++steps) {
    if (!mlirValueIsAOpResult(value))
      return called == is_entry_block(mlirBlockArgumentGetOwner(value));
    const MlirOperation op = mlirOpResultGetOwner(value);
    if (!mlirValueIsNull(stow_model_alternative(value, 0)) || stow_ir_is(op, STOW_ARITH_CONSTANT))
      return !called;
    const bool calls = stow_ir_is(op, STOW_FUNC_CALL);
    value = calls ? returned_by(op, mlirOpResultGetResultNumber(value), symbols)
                  : stow_model_made_of(value);
    called |= calls;
    if (mlirValueIsNull(value))
      return calls;
  }
  return true;
}

static void own_result(MlirOperation end, intptr_t i, stow_symbols *symbols) {
  const MlirValue value = mlirOperationGetOperand(end, i);
  const stow_builder builder = stow_builder_before(end, mlirOperationGetLocation(end));
  if (mlirTypeIsARankedTensor(mlirValueGetType(value)) && may_be_of_others(value, symbols))
    mlirOperationSetOperand(end, i, stow_model_build_own(&builder, value));
}

static void own_results(MlirOperation function, stow_symbols *symbols) {
  STOW_EACH_FOUND(end, stow_ir_ops_in(function, is_return))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
      own_result(end, i, symbols);
}

void stow_model_own_results(MlirOperation module) {
  stow_symbols *const symbols = stow_symbols_create();
  stow_map mentioned = mentioned_in(module);
  STOW_EACH_FOUND(function, stow_ir_functions_in(module))
    if (stow_ir_is(function, STOW_FUNC_FUNC) && stow_map_get(&mentioned, function.ptr) >= 0)
      own_results(function, symbols);
  stow_map_free(&mentioned);
  stow_symbols_destroy(symbols);
}

//===----------------------------------------------------------------------===//
// Results of dynamic shape
//===----------------------------------------------------------------------===//

static bool is_public(MlirOperation function) {
  return stow_ir_is(function, STOW_FUNC_FUNC) && !stow_bridge_is_private(function);
}

void stow_model_give_interfaces(MlirOperation module) {
  STOW_EACH_FOUND(function, stow_ir_functions_in(module))
    if (is_public(function) && has_dynamic(stow_ir_function_type(function)))
      stow_ir_set_unit(function, "llvm.emit_c_interface");
}

void stow_model_pass_results(MlirOperation module) {
  stow_map mentioned = mentioned_in(module);
  STOW_EACH_FOUND(function, stow_ir_functions_in(module))
    if (is_public(function) && returns_dynamic(stow_ir_function_type(function)) &&
        stow_map_get(&mentioned, function.ptr) < 0)
      move_results(function);
  stow_map_free(&mentioned);
}
