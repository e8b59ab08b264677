//===- module.c - text, passes, text -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module from parsing to printing: pipelines run on it, and a caller's questions are answered:
// its functions and their types, which argument is state, whether sizes are known, the bytes of its
// constants. Names and signs that a caller wants are set here, too.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include "bridge/bridge.h"
#include "driver/compiler.h"
#include "ir/op.h"
#include "ir/size.h"
#include "ir/state.h"
#include "ir/support.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Pass.h"

#include <stdlib.h>

static stow_module *hold(stow_compiler *compiler, MlirModule module) {
  stow_module *const held = malloc(sizeof *held);
  if (held)
    *held = (stow_module){compiler, module};
  else
    mlirModuleDestroy(module);
  return held;
}

stow_module *stow_module_parse(stow_compiler *compiler, const char *name, stow_bytes text) {
  const MlirModule module = stow_compiler_parse(compiler->context, name, text);
  return mlirModuleIsNull(module) ? NULL : hold(compiler, module);
}

bool stow_module_fill(stow_module *module, const stow_constant *constants, size_t count) {
  return stow_compiler_fill_constants(module->module, constants, count);
}

stow_module *stow_module_clone(const stow_module *module) {
  const MlirOperation copy = mlirOperationClone(mlirModuleGetOperation(module->module));
  return hold(module->compiler, mlirModuleFromOperation(copy));
}

void stow_module_destroy(stow_module *module) {
  if (module)
    mlirModuleDestroy(module->module);
  free(module);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

static bool run(stow_module *module, MlirPassManager manager, const char *pipeline) {
  const MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  const MlirStringRef text = mlirStringRefCreateFromCString(pipeline);
  stow_text said = {0};
  const bool read =
      mlirLogicalResultIsSuccess(mlirParsePassPipeline(passes, text, stow_text_callback, &said));
  char *const why = stow_text_take(&said);
  if (!read)
    stow_compiler_tell_error(module->compiler, why);
  free(why);
  return read && mlirLogicalResultIsSuccess(
                     mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module->module)));
}

bool stow_module_run(stow_module *module, const char *pipeline) {
  const MlirPassManager manager = mlirPassManagerCreate(module->compiler->context);
  mlirPassManagerEnableVerifier(manager, true);
  const bool done = run(module, manager, pipeline);
  mlirPassManagerDestroy(manager);
  return done;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

typedef struct sink {
  stow_write write;
  void *user;
} sink;

static void pass_on(MlirStringRef text, void *user) {
  const sink *const to = user;
  to->write(to->user, text.data, text.length);
}

void stow_module_print(const stow_module *module, stow_write write, void *user) {
  sink to = {write, user};
  mlirOperationPrint(mlirModuleGetOperation(module->module), pass_on, &to);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

typedef void (*found_function)(void *user, const char *name, const char *type);

static bool is_public_body(MlirOperation op) {
  return stow_ir_op_is(op, "func.func") && !stow_bridge_is_private(op) &&
         !mlirRegionIsNull(stow_bridge_function_body(op));
}

static void tell_function(MlirOperation function, found_function found, void *user) {
  char *const name = stow_ir_copy_string(stow_bridge_function_name(function));
  char *const type = stow_ir_type_text(stow_ir_function_type(function));
  found(user, name, type);
  free(type);
  free(name);
}

void stow_module_functions(const stow_module *module, found_function found, void *user) {
  STOW_EACH_OP(op, mlirModuleGetBody(module->module))
    if (is_public_body(op))
      tell_function(op, found, user);
}

bool stow_module_argument_says(const stow_module *module, const char *function, size_t index,
                               const char *attribute, stow_write write, void *user) {
  const MlirOperation op =
      stow_bridge_symbol_named(mlirModuleGetOperation(module->module), function);
  if (mlirOperationIsNull(op) || index >= (size_t)stow_bridge_function_argument_count(op))
    return false;
  const MlirAttribute found = stow_argument_attribute(op, (intptr_t)index, attribute);
  if (mlirAttributeIsNull(found))
    return false;
  sink to = {write, user};
  mlirAttributePrint(found, pass_on, &to);
  return true;
}

static bool is_store(MlirOperation op) { return stow_ir_op_is(op, "ml_program.global_store"); }

bool stow_module_forget_stores(stow_module *module, const char *function) {
  const MlirOperation op =
      stow_bridge_symbol_named(mlirModuleGetOperation(module->module), function);
  if (mlirOperationIsNull(op))
    return stow_compiler_tell_error(module->compiler, "no function has this name");
  STOW_EACH_FOUND(store, stow_ir_ops_in(op, is_store))
    mlirOperationDestroy(store);
  return true;
}

static bool takes_sizes(MlirOperation function) {
  const MlirType type = stow_ir_function_type(function);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i) {
    const MlirType input = mlirFunctionTypeGetInput(type, i);
    if (stow_ir_is_buffer(input) &&
        (mlirTypeIsAUnrankedMemRef(input) || !mlirShapedTypeHasStaticShape(input)))
      return true;
  }
  return false;
}

bool stow_module_has_sizes(const stow_module *module) {
  STOW_EACH_OP(op, mlirModuleGetBody(module->module))
    if (stow_ir_op_is(op, "func.func") && takes_sizes(op))
      return true;
  return false;
}

stow_module_state stow_module_find_state(const stow_module *module, const char *function) {
  const MlirOperation op =
      stow_bridge_symbol_named(mlirModuleGetOperation(module->module), function);
  if (mlirOperationIsNull(op) || !is_public_body(op))
    return (stow_module_state){.argument = -1};
  const stow_kept kept = stow_kept_by(op);
  return (stow_module_state){kept.argument, kept.bytes, kept.alignment};
}

static uint64_t constant_bytes(MlirOperation op) {
  if (!stow_ir_op_is(op, "memref.global") || !stow_ir_has_attribute(op, "constant"))
    return 0;
  const stow_layout layout = stow_layout_at(op);
  stow_extent size = {0};
  uint64_t alignment = 0;
  const MlirType type = mlirTypeAttrGetValue(stow_attribute_of(op, "type"));
  return stow_ir_memref_size(&layout, type, &size, &alignment) == STOW_SIZE_OK ? size.bytes : 0;
}

uint64_t stow_module_constant_bytes(const stow_module *module) {
  uint64_t bytes = 0;
  STOW_EACH_OP(op, mlirModuleGetBody(module->module))
    bytes += constant_bytes(op);
  return bytes;
}

static bool rename_in(MlirOperation module, const char *from, const char *to) {
  const MlirOperation function = stow_bridge_symbol_named(module, from);
  if (mlirOperationIsNull(function) || !mlirOperationIsNull(stow_bridge_symbol_named(module, to)) ||
      mlirLogicalResultIsFailure(
          mlirSymbolTableReplaceAllSymbolUses(stow_ir_string(from), stow_ir_string(to), module)))
    return false;
  stow_bridge_rename_symbol(function, to);
  return true;
}

static bool mark_unsigned(MlirOperation function, bool is_result, intptr_t index) {
  if (mlirOperationIsNull(function) ||
      index >= (is_result ? stow_bridge_function_result_count(function)
                          : stow_bridge_function_argument_count(function)))
    return false;
  const MlirAttribute unit = mlirUnitAttrGet(mlirOperationGetContext(function));
  if (is_result)
    stow_bridge_mark_result(function, index, STOW_UNSIGNED);
  else
    stow_bridge_set_argument_attribute(function, index, STOW_UNSIGNED, unit);
  return true;
}

bool stow_module_mark_unsigned(stow_module *module, const char *function, bool is_result,
                               size_t index) {
  const MlirOperation found =
      stow_bridge_symbol_named(mlirModuleGetOperation(module->module), function);
  return mark_unsigned(found, is_result, (intptr_t)index) ||
         stow_compiler_tell_error(module->compiler, "no function has such an argument or result");
}

bool stow_module_rename(stow_module *module, const char *from, const char *to) {
  return rename_in(mlirModuleGetOperation(module->module), from, to) ||
         stow_compiler_tell_error(module->compiler, "no function can be given this name");
}
