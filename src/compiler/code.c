//===- code.c - an object as code of this process ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires an object of this computer's kind. LLVM's JIT links it with the symbols that the caller
// gives, then with those of the process.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"

#include <stdlib.h>

struct stow_code {
  const stow_compiler *compiler;
  LLVMOrcLLJITRef jit;
};

// A machine must exist for LLVM to know this computer.
static bool knows_host(const stow_compiler *compiler) {
  const LLVMTargetMachineRef machine = stow_compiler_machine_create(compiler, &(stow_target){0});
  if (machine)
    LLVMDisposeTargetMachine(machine);
  return machine;
}

static bool define(stow_code *code, const stow_symbol *symbols, size_t count) {
  LLVMOrcCSymbolMapPair *const pairs = calloc(count + 1, sizeof *pairs);
  if (!pairs)
    return stow_compiler_tell_error(code->compiler, "out of memory");
  for (size_t i = 0; i < count; i++)
    pairs[i] = (LLVMOrcCSymbolMapPair){
        LLVMOrcLLJITMangleAndIntern(code->jit, symbols[i].name),
        {(uintptr_t)symbols[i].address,
         {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}}};
  const LLVMErrorRef error = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(code->jit),
                                                   LLVMOrcAbsoluteSymbols(pairs, count));
  free(pairs);
  return stow_compiler_is_fine(code->compiler, error);
}

// What nobody defines is the process's: the C library.
static bool find_in_process(stow_code *code) {
  LLVMOrcDefinitionGeneratorRef generator = NULL;
  const LLVMErrorRef error = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
      &generator, LLVMOrcLLJITGetGlobalPrefix(code->jit), NULL, NULL);
  if (!stow_compiler_is_fine(code->compiler, error))
    return false;
  LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(code->jit), generator);
  return true;
}

static bool add_object(stow_code *code, stow_bytes object) {
  const LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRange(object.data, object.size, "object", false);
  const LLVMErrorRef error =
      LLVMOrcLLJITAddObjectFile(code->jit, LLVMOrcLLJITGetMainJITDylib(code->jit), buffer);
  return stow_compiler_is_fine(code->compiler, error);
}

stow_code *stow_code_load(stow_compiler *compiler, stow_bytes object, const stow_symbol *symbols,
                          size_t symbol_count) {
  stow_code *const code = calloc(1, sizeof *code);
  if (!code || !knows_host(compiler)) {
    free(code);
    return NULL;
  }
  code->compiler = compiler;
  if (stow_compiler_is_fine(compiler, LLVMOrcCreateLLJIT(&code->jit, NULL)) &&
      define(code, symbols, symbol_count) && find_in_process(code) && add_object(code, object))
    return code;
  stow_code_destroy(code);
  return NULL;
}

void *stow_code_find(stow_code *code, const char *name) {
  LLVMOrcExecutorAddress address = 0;
  if (!stow_compiler_is_fine(code->compiler, LLVMOrcLLJITLookup(code->jit, &address, name)))
    return NULL;
  return (void *)(uintptr_t)address;
}

void stow_code_destroy(stow_code *code) {
  if (code && code->jit)
    LLVMConsumeError(LLVMOrcDisposeLLJIT(code->jit));
  free(code);
}
