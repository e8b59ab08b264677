//===- module.c - text, passes, text -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include "driver/compiler.h"
#include "ir/size.h"
#include "ir/state.h"
#include "ir/support.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Func.h"
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
  const MlirModule module = stow_parse(compiler->context, name, text);
  return mlirModuleIsNull(module) ? NULL : hold(compiler, module);
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

static void tell_piece(MlirStringRef text, void *user) { stow_tell_error(user, text.data); }

static bool run(stow_module *module, MlirPassManager manager, const char *pipeline) {
  const MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  const MlirStringRef text = mlirStringRefCreateFromCString(pipeline);
  return mlirLogicalResultIsSuccess(
             mlirParsePassPipeline(passes, text, tell_piece, module->compiler)) &&
         mlirLogicalResultIsSuccess(
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

static MlirAttribute attribute(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

static bool is_private(MlirOperation op) {
  const MlirAttribute visibility = attribute(op, "sym_visibility");
  return !mlirAttributeIsNull(visibility) &&
         !mlirStringRefEqual(mlirStringAttrGetValue(visibility),
                             mlirStringRefCreateFromCString("public"));
}

static bool is_public_body(MlirOperation op) {
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return mlirStringRefEqual(name, mlirStringRefCreateFromCString("func.func")) && !is_private(op) &&
         !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

static void tell_function(MlirOperation function, found_function found, void *user) {
  const MlirAttribute type = attribute(function, "function_type");
  stow_text text = {0};
  mlirTypePrint(mlirTypeAttrGetValue(type), stow_text_callback, &text);
  char *const printed = stow_text_take(&text);
  found(user, mlirStringAttrGetValue(attribute(function, "sym_name")).data, printed);
  free(printed);
}

void stow_module_functions(const stow_module *module, found_function found, void *user) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module->module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_public_body(op))
      tell_function(op, found, user);
}

stow_module_state stow_module_find_state(const stow_module *module, const char *function) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module->module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_public_body(op) &&
        stow_string_equal(mlirStringAttrGetValue(attribute(op, "sym_name")), function)) {
      const stow_kept kept = stow_kept_by(op);
      return (stow_module_state){kept.argument, kept.bytes, kept.alignment};
    }
  return (stow_module_state){.argument = -1};
}

// An argument that says itself what may be done with it keeps that.
static void keep_arguments(MlirOperation function) {
  const MlirContext context = mlirOperationGetContext(function);
  const MlirStringRef name = mlirStringRefCreateFromCString("bufferization.writable");
  const MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  const MlirAttribute given = attribute(function, "arg_attrs");
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    const bool says =
        !mlirAttributeIsNull(given) && !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
                                           mlirArrayAttrGetElement(given, i), name));
    if (!says && mlirTypeIsATensor(mlirValueGetType(mlirBlockGetArgument(entry, i))))
      mlirFuncSetArgAttr(function, i, name, mlirBoolAttrGet(context, false));
  }
}

void stow_module_keep_arguments(stow_module *module) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module->module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_public_body(op))
      keep_arguments(op);
}

static uint64_t constant_bytes(MlirOperation op) {
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (!mlirStringRefEqual(name, mlirStringRefCreateFromCString("memref.global")) ||
      mlirAttributeIsNull(attribute(op, "constant")))
    return 0;
  const stow_layout layout = stow_layout_at(op);
  stow_extent size = {0};
  uint64_t alignment = 0;
  const MlirType type = mlirTypeAttrGetValue(attribute(op, "type"));
  return stow_memref_size(&layout, type, &size, &alignment) == STOW_SIZE_OK ? size.bytes : 0;
}

uint64_t stow_module_constant_bytes(const stow_module *module) {
  uint64_t bytes = 0;
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module->module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    bytes += constant_bytes(op);
  return bytes;
}

static bool rename_in(MlirSymbolTable table, MlirOperation module, MlirStringRef from,
                      MlirStringRef to) {
  const MlirOperation function = mlirSymbolTableLookup(table, from);
  if (mlirOperationIsNull(function) || !mlirOperationIsNull(mlirSymbolTableLookup(table, to)) ||
      mlirLogicalResultIsFailure(mlirSymbolTableReplaceAllSymbolUses(from, to, module)))
    return false;
  mlirOperationSetAttributeByName(function, mlirSymbolTableGetSymbolAttributeName(),
                                  mlirStringAttrGet(mlirOperationGetContext(module), to));
  return true;
}

bool stow_module_rename(stow_module *module, const char *from, const char *to) {
  const MlirOperation op = mlirModuleGetOperation(module->module);
  const MlirSymbolTable table = mlirSymbolTableCreate(op);
  const bool done = rename_in(table, op, mlirStringRefCreateFromCString(from),
                              mlirStringRefCreateFromCString(to));
  mlirSymbolTableDestroy(table);
  return done || stow_tell_error(module->compiler, "no function can be given this name");
}
