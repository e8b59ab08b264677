//===- prepare_model.c - a model on tensors, before bufferization ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires linalg on tensors. Afterwards bufferization makes no allocation whose life crosses an
// iteration, state is an argument, and what a caller passes is not written.
//
//===----------------------------------------------------------------------===//

#include "ir/c_names.h"
#include "ir/op.h"
#include "ir/symbols.h"
#include "model/model.h"
#include "stowage/passes.h"

static const char WRITABLE[] = "bufferization.writable";

static bool is_entry(MlirOperation function) {
  return !stow_bridge_is_private(function) &&
         !mlirRegionIsNull(stow_bridge_function_body(function));
}

// An argument that says itself what may be done with it keeps that.
static void keep_arguments(MlirOperation function) {
  const MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(function));
  const MlirAttribute no = mlirBoolAttrGet(mlirOperationGetContext(function), false);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    if (stow_bridge_type_is_tensor(mlirValueGetType(mlirBlockGetArgument(entry, i))) &&
        !stow_bridge_argument_has_attribute(function, i, WRITABLE))
      stow_bridge_set_argument_attribute(function, i, WRITABLE, no);
}

static void rename_symbol(MlirOperation module, MlirOperation symbol, const char *wanted) {
  stow_symbol_names names = stow_symbol_names_of(module);
  const MlirStringRef old = mlirStringAttrGetValue(stow_attribute_of(symbol, "sym_name"));
  char *const name = stow_ir_take_free_name(&names, wanted);
  mlirSymbolTableReplaceAllSymbolUses(old, stow_ir_string(name), module);
  stow_bridge_rename_symbol(symbol, name);
  free(name);
  stow_symbol_names_free(&names);
}

// `main` is the name of a C program's own.
static void rename_main(MlirOperation module) {
  const MlirOperation function = stow_bridge_symbol_named(module, "main");
  if (!mlirOperationIsNull(function) && is_entry(function))
    rename_symbol(module, function, "model");
}

static bool is_own(MlirOperation op) {
  return stow_bridge_is_private(op) &&
         (!stow_ir_op_is(op, "func.func") || !mlirRegionIsNull(stow_bridge_function_body(op)));
}

// What the model calls by a name that the code of ops may call, too, has another one: `expf`.
static void rename_hidden(MlirOperation module) {
  STOW_EACH_OP(op, mlirModuleGetBody(mlirModuleFromOperation(module))) {
    const MlirAttribute name = stow_attribute_of(op, "sym_name");
    if (mlirAttributeIsNull(name) || !is_own(op))
      continue;
    char *const old = stow_ir_copy_string(mlirStringAttrGetValue(name));
    char *const wanted = stow_ir_format("model_%s", old);
    if (stow_ir_is_runtime_function(old))
      rename_symbol(module, op, wanted);
    free(wanted);
    free(old);
  }
}

bool stow_prepare_model(MlirOperation module) {
  rename_main(module);
  rename_hidden(module);
  stow_model_give_interfaces(module);
  if (!stow_model_pass_state(module))
    return false;
  STOW_EACH_FOUND(function, stow_ir_functions_in(module))
    if (is_entry(function))
      keep_arguments(function);
  stow_model_copy_deliveries(module);
  stow_model_own_results(module);
  stow_model_pass_results(module);
  stow_model_even_out(module);
  stow_model_split_empty(module);
  return stow_model_keep_carried(module);
}
