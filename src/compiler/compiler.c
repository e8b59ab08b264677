//===- compiler.c - a context, and what is told --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The context with all dialects and passes, and the one place where diagnostics of MLIR, errors of
// LLVM and remarks become messages to the caller.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include "driver/compiler.h"
#include "ir/support.h"
#include "mlir-c/Diagnostics.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// What is told
//===----------------------------------------------------------------------===//

static void tell(const stow_compiler *compiler, stow_message_kind kind, const char *location,
                 const char *said) {
  const stow_message message = {kind, location, said, "", "", "", "", ""};
  if (compiler->told)
    compiler->told(compiler->user, &message);
}

static stow_message_kind kind_of(MlirDiagnosticSeverity severity) {
  switch (severity) {
  case MlirDiagnosticError:
    return STOW_MESSAGE_ERROR;
  case MlirDiagnosticWarning:
    return STOW_MESSAGE_WARNING;
  case MlirDiagnosticNote:
    return STOW_MESSAGE_NOTE;
  case MlirDiagnosticRemark:
    break;
  }
  return STOW_MESSAGE_REMARK;
}

static void tell_one(const stow_compiler *compiler, MlirDiagnostic diagnostic) {
  stow_text location = {0}, said = {0};
  mlirLocationPrint(mlirDiagnosticGetLocation(diagnostic), stow_text_callback, &location);
  mlirDiagnosticPrint(diagnostic, stow_text_callback, &said);
  char *const where = stow_text_take(&location), *const what = stow_text_take(&said);
  tell(compiler, kind_of(mlirDiagnosticGetSeverity(diagnostic)), where, what);
  free(where);
  free(what);
}

static MlirLogicalResult tell_diagnostic(MlirDiagnostic diagnostic, void *user) {
  const stow_compiler *const compiler = user;
  tell_one(compiler, diagnostic);
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); i++)
    tell_one(compiler, mlirDiagnosticGetNote(diagnostic, i));
  return mlirLogicalResultSuccess();
}

bool stow_compiler_tell_error(const stow_compiler *compiler, const char *said) {
  tell(compiler, STOW_MESSAGE_ERROR, "", said);
  return false;
}

bool stow_compiler_is_fine(const stow_compiler *compiler, LLVMErrorRef error) {
  if (!error)
    return true;
  char *const said = LLVMGetErrorMessage(error);
  stow_compiler_tell_error(compiler, said);
  LLVMDisposeErrorMessage(said);
  return false;
}

bool stow_compiler_tell_llvm(const stow_compiler *compiler, LLVMBool failed, char *said) {
  if (failed)
    stow_compiler_tell_error(compiler, said ? said : "LLVM does not say why");
  LLVMDisposeMessage(said);
  return !failed;
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

static MlirContext create_context(void) {
  const MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stow_compiler_add_passes();
  stow_compiler_add_dialects(registry);
  // Messages and rewrites in one order, on the caller's thread.
  const MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirContextLoadAllAvailableDialects(context);
  mlirDialectRegistryDestroy(registry);
  return context;
}

stow_compiler *stow_compiler_create(stow_told told, void *user) {
  stow_compiler *const compiler = malloc(sizeof *compiler);
  if (!compiler)
    return NULL;
  *compiler = (stow_compiler){create_context(), told, user};
  mlirContextAttachDiagnosticHandler(compiler->context, tell_diagnostic, compiler, NULL);
  if (told)
    stow_compiler_tell_remarks(compiler->context, told, user);
  return compiler;
}

void stow_compiler_destroy(stow_compiler *compiler) {
  if (compiler)
    mlirContextDestroy(compiler->context);
  free(compiler);
}
