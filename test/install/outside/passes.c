// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler built on MLIR's C API, with one pass.

#include <stowage/passes.h>

#include <mlir-c/RegisterEverything.h>

#include <stdio.h>
#include <string.h>

static const char SOURCE[] = "func.func @f(%x: memref<16xf32>, %y: memref<8xf64>) {\n"
                             "  %a = memref.alloc() : memref<16xf32>\n"
                             "  memref.copy %x, %a : memref<16xf32> to memref<16xf32>\n"
                             "  memref.dealloc %a : memref<16xf32>\n"
                             "  %b = memref.alloc() : memref<8xf64>\n"
                             "  memref.copy %y, %b : memref<8xf64> to memref<8xf64>\n"
                             "  memref.dealloc %b : memref<8xf64>\n"
                             "  return\n"
                             "}\n";

static void find_arena(MlirStringRef piece, void *found) {
  for (size_t i = 0; i + 10 <= piece.length; ++i)
    *(int *)found |= memcmp(piece.data + i, "memref.vie", 10) == 0;
}

// An arena that no memref can have.
static bool ask_too_much(void *user, const stow_arena_view *arena, const stow_problem *problem,
                         uint64_t capacity, uint64_t *out_offsets, uint64_t *out_size) {
  (void)user;
  (void)arena;
  (void)capacity;
  for (size_t i = 0; i < problem->buffer_count; ++i)
    out_offsets[i] = i * 4096;
  *out_size = UINT64_MAX - 63;
  return true;
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirContextLoadAllAvailableDialects(context);
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(SOURCE));
  const stow_reuse_options options = {.struct_size = sizeof options};
  const stow_scheduler scheduler = {ask_too_much, NULL};
  const stow_reuse_options greedy = {.struct_size = sizeof greedy, .scheduler = &scheduler};
  bool refused = !stow_merge_alloc(mlirModuleGetOperation(module), &greedy);
  int found = 0, ok = refused && stow_buffer_reuse(mlirModuleGetOperation(module), &options);
  mlirOperationPrint(mlirModuleGetOperation(module), find_arena, &found);
  ok = ok && found && mlirOperationVerify(mlirModuleGetOperation(module));
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  printf("rewritten outside: %s\n", ok ? "yes" : "no");
  return !ok;
}
