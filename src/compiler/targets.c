//===- targets.c - processors by name, and LLVM's machines for them ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row per processor that has a name here. LLVM's back ends are added when the first machine is
// made.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include "llvm-c/Target.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// Name, triple, processor, features, and whether code may lie anywhere.
static const struct {
  const char *name;
  stow_target target;
} targets[] = {
    {"host", {"", "host", "", true}},
    {"aarch64", {"aarch64-linux-gnu", "generic", "", true}},
    {"cortex-a53", {"aarch64-linux-gnu", "cortex-a53", "", true}},
    {"cortex-a72", {"aarch64-linux-gnu", "cortex-a72", "", true}},
    {"cortex-a76", {"aarch64-linux-gnu", "cortex-a76", "", true}},
    {"cortex-m0", {"thumbv6m-none-eabi", "cortex-m0", "", false}},
    {"cortex-m3", {"thumbv7m-none-eabi", "cortex-m3", "", false}},
    {"cortex-m4", {"thumbv7em-none-eabihf", "cortex-m4", "", false}},
    {"cortex-m7", {"thumbv7em-none-eabihf", "cortex-m7", "", false}},
    {"cortex-m33", {"thumbv8m.main-none-eabihf", "cortex-m33", "", false}},
    {"cortex-m55", {"thumbv8.1m.main-none-eabihf", "cortex-m55", "", false}},
    {"esp32-c3", {"riscv32-unknown-elf", "generic-rv32", "+m,+c", false}},
    {"riscv32", {"riscv32-unknown-elf", "generic-rv32", "+m,+a,+c", false}},
    {"riscv64", {"riscv64-linux-gnu", "generic-rv64", "+m,+a,+f,+d,+c", true}},
    {"x86-64", {"x86_64-linux-gnu", "x86-64", "", true}},
    {"x86-64-v3", {"x86_64-linux-gnu", "x86-64-v3", "", true}},
};
enum { TARGETS = sizeof targets / sizeof *targets };

bool stow_target_find(const char *name, stow_target *out_target) {
  for (size_t i = 0; i < TARGETS; i++)
    if (!strcmp(targets[i].name, name)) {
      *out_target = targets[i].target;
      return true;
    }
  return false;
}

const char *stow_target_name(size_t index) { return index < TARGETS ? targets[index].name : NULL; }

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

#define ADD_BACKEND(NAME)                                                                          \
  LLVMInitialize##NAME##TargetInfo();                                                              \
  LLVMInitialize##NAME##Target();                                                                  \
  LLVMInitialize##NAME##TargetMC();                                                                \
  LLVMInitialize##NAME##AsmPrinter();                                                              \
  LLVMInitialize##NAME##AsmParser();

// Adding one twice does nothing.
static void add_backends(void) {
  ADD_BACKEND(X86)
  ADD_BACKEND(AArch64)
  ADD_BACKEND(ARM)
  ADD_BACKEND(RISCV)
}

static bool is_given(const char *text) { return text && *text; }

static LLVMTargetMachineRef create(LLVMTargetRef backend, const char *triple, const char *cpu,
                                   const char *features, bool position_independent) {
  const LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
  LLVMTargetMachineOptionsSetCPU(options, cpu);
  LLVMTargetMachineOptionsSetFeatures(options, features);
  LLVMTargetMachineOptionsSetCodeGenOptLevel(options, LLVMCodeGenLevelDefault);
  LLVMTargetMachineOptionsSetRelocMode(options,
                                       position_independent ? LLVMRelocPIC : LLVMRelocStatic);
  const LLVMTargetMachineRef machine = LLVMCreateTargetMachineWithOptions(backend, triple, options);
  LLVMDisposeTargetMachineOptions(options);
  return machine;
}

static LLVMTargetMachineRef create_for(LLVMTargetRef backend, const char *triple,
                                       const stow_target *target) {
  if (!target->cpu || strcmp(target->cpu, "host"))
    return create(backend, triple, target->cpu ? target->cpu : "",
                  target->features ? target->features : "", target->position_independent);
  char *const cpu = LLVMGetHostCPUName(), *const features = LLVMGetHostCPUFeatures();
  const LLVMTargetMachineRef machine =
      create(backend, triple, cpu, features, target->position_independent);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return machine;
}

LLVMTargetMachineRef stow_compiler_machine_create(const stow_compiler *compiler,
                                                  const stow_target *target) {
  add_backends();
  char *const own = LLVMGetDefaultTargetTriple();
  const char *const triple = is_given(target->triple) ? target->triple : own;
  LLVMTargetRef backend = NULL;
  LLVMTargetMachineRef machine = NULL;
  char *said = NULL;
  const LLVMBool failed = LLVMGetTargetFromTriple(triple, &backend, &said);
  if (stow_compiler_tell_llvm(compiler, failed, said)) {
    machine = create_for(backend, triple, target);
    if (!machine)
      stow_compiler_tell_error(compiler, "LLVM has no machine of this triple");
  }
  LLVMDisposeMessage(own);
  return machine;
}
