//===- emit.c - a planned module as machine code -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a module of functions over memrefs. Lowers it to the LLVM dialect with the width that an
// index has on the target, with vectors where the target has registers for them, and writes what is
// asked for: IR, assembly, or an object, also one without its large constants, or those alone.
//
//===----------------------------------------------------------------------===//

#include "compiler/weights.h"

#include "driver/compiler.h"
#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <stdio.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// To the LLVM dialect
//===----------------------------------------------------------------------===//

// Each %u is the width of an index. bf16 is expanded as few runtimes can convert it; what `math`
// has no instruction for is the C library's.
static const char lowering[] =
    "builtin.module(outline-distinct-views,convert-linalg-to-loops,"
    "func.func(convert-vector-to-scf),expand-strided-metadata,"
    "lower-affine,convert-scf-to-cf,arith-expand{include-bf16=true},memref-expand,convert-complex-"
    "to-standard,"
    "convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,convert-ub-to-llvm,"
    "finalize-memref-to-llvm{index-bitwidth=%u},convert-arith-to-llvm{index-bitwidth=%u},"
    "convert-index-to-llvm{index-bitwidth=%u},convert-cf-to-llvm{index-bitwidth=%u},"
    "convert-func-to-llvm{index-bitwidth=%u %s},reconcile-unrealized-casts)";

static const char bare[] = "use-bare-ptr-memref-call-conv";

// With too few registers for a tile, or none, ops become loops. Of bits that are those of a number,
// tiles have numbers.
static bool make_vectors(stow_module *module, LLVMTargetMachineRef machine) {
  const stow_vectors vectors = stow_compiler_vectors_of(machine);
  const bool is_dsp = strcmp(vectors.dot, "dsp") == 0;
  if (!is_dsp && (vectors.bits < 64 || vectors.registers < 16))
    return true;
  char pipeline[128];
  snprintf(pipeline, sizeof pipeline,
           "builtin.module(convert-linalg-to-vectors{vector-bits=%u registers=%u dot=%s%s})",
           vectors.bits, vectors.registers, vectors.dot, vectors.pairs ? " pairs" : "");
  return stow_module_run(module, pipeline);
}

static bool lower(stow_module *module, unsigned width) {
  char pipeline[sizeof lowering + sizeof bare + 32];
  snprintf(pipeline, sizeof pipeline, lowering, width, width, width, width, width,
           stow_module_has_sizes(module) ? "" : bare);
  return stow_module_run(module, pipeline);
}

bool stow_module_lower(stow_module *module, const stow_target *target) {
  const LLVMTargetMachineRef machine = stow_compiler_machine_create(module->compiler, target);
  if (!machine)
    return false;
  const LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  const bool done = make_vectors(module, machine) && lower(module, 8 * LLVMPointerSize(layout));
  LLVMDisposeTargetData(layout);
  LLVMDisposeTargetMachine(machine);
  return done;
}

//===----------------------------------------------------------------------===//
// To an object
//===----------------------------------------------------------------------===//

static void aim(LLVMModuleRef ir, LLVMTargetMachineRef machine) {
  const LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  char *const triple = LLVMGetTargetMachineTriple(machine);
  LLVMSetModuleDataLayout(ir, layout);
  LLVMSetTarget(ir, triple);
  LLVMDisposeMessage(triple);
  LLVMDisposeTargetData(layout);
}

static bool optimize(const stow_compiler *compiler, LLVMModuleRef ir,
                     LLVMTargetMachineRef machine) {
  const LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  const LLVMErrorRef error = LLVMRunPasses(ir, "default<O2>", machine, options);
  LLVMDisposePassBuilderOptions(options);
  return stow_compiler_is_fine(compiler, error);
}

static bool write_text(LLVMModuleRef ir, stow_write write, void *user) {
  char *const text = LLVMPrintModuleToString(ir);
  size_t size = 0;
  while (text[size])
    size++;
  write(user, text, size);
  LLVMDisposeMessage(text);
  return true;
}

// What is emitted, and how.
typedef struct stow_emission {
  const stow_compiler *compiler;
  LLVMTargetMachineRef machine;
  stow_form form;
  stow_weights weights; // none but for an object
  stow_write write;
  void *user;
} stow_emission;

static bool write_code(const stow_emission *e, LLVMModuleRef ir, LLVMCodeGenFileType type) {
  LLVMMemoryBufferRef code = NULL;
  char *said = NULL;
  const LLVMBool failed = LLVMTargetMachineEmitToMemoryBuffer(e->machine, ir, type, &said, &code);
  if (!stow_compiler_tell_llvm(e->compiler, failed, said))
    return false;
  const stow_bytes bytes = {LLVMGetBufferStart(code), LLVMGetBufferSize(code)};
  stow_weights_write(&e->weights, bytes, e->write, e->user);
  LLVMDisposeMemoryBuffer(code);
  return true;
}

static bool emit(const stow_emission *e, LLVMModuleRef ir) {
  aim(ir, e->machine);
  stow_weights_declare(&e->weights, ir);
  if (!optimize(e->compiler, ir, e->machine))
    return false;
  if (e->form == STOW_LLVM_IR)
    return write_text(ir, e->write, e->user);
  return write_code(e, ir, e->form == STOW_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile);
}

static bool translate_and_emit(const stow_emission *e, MlirOperation module) {
  const LLVMContextRef context = LLVMContextCreate();
  const LLVMModuleRef ir = mlirTranslateModuleToLLVMIR(module, context);
  const bool done = ir && emit(e, ir);
  if (ir)
    LLVMDisposeModule(ir);
  LLVMContextDispose(context);
  return done;
}

// Text has the weights in it.
static bool goes_past_llvm(const stow_emission *e) {
  char *const triple = LLVMGetTargetMachineTriple(e->machine);
  const bool elf = stow_compiler_is_elf(triple);
  LLVMDisposeMessage(triple);
  return elf && e->form != STOW_ASSEMBLY && e->form != STOW_LLVM_IR;
}

static bool emit_module(stow_emission *e, const stow_module *module) {
  const MlirOperation copy = mlirOperationClone(mlirModuleGetOperation(module->module));
  if (goes_past_llvm(e))
    e->weights = stow_weights_take(copy, e->form == STOW_CODE);
  if (e->form == STOW_CONSTANTS)
    stow_weights_write_bytes(&e->weights, e->write, e->user);
  const bool done = e->form == STOW_CONSTANTS || translate_and_emit(e, copy);
  stow_weights_free(&e->weights);
  mlirOperationDestroy(copy);
  return done;
}

bool stow_module_emit(const stow_module *module, const stow_target *target, stow_form form,
                      stow_write write, void *user) {
  const LLVMTargetMachineRef machine = stow_compiler_machine_create(module->compiler, target);
  if (!machine)
    return false;
  stow_emission emission = {
      .compiler = module->compiler, .machine = machine, .form = form, .write = write, .user = user};
  const bool done = emit_module(&emission, module);
  LLVMDisposeTargetMachine(machine);
  return done;
}

void stow_archive(const char *member, stow_bytes object, stow_write write, void *user) {
  stow_compiler_write_archive(member, object, write, user);
}
