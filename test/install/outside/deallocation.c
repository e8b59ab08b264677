// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler built on MLIR's C API that frees its buffers.

#include <stowage/passes.h>

#include <mlir-c/Diagnostics.h>
#include <mlir-c/RegisterEverything.h>

#include <stdio.h>
#include <string.h>

static const char SOURCE[] =
    "func.func @f(%x: memref<16xf32>, %c: i1) -> memref<16xf32> {\n"
    "  %a = memref.alloc() : memref<16xf32>\n"
    "  memref.copy %x, %a : memref<16xf32> to memref<16xf32>\n"
    "  %b = memref.alloc() : memref<16xf32>\n"
    "  memref.copy %a, %b : memref<16xf32> to memref<16xf32>\n"
    "  %clone = bufferization.clone %b : memref<16xf32> to memref<16xf32>\n"
    "  return %clone : memref<16xf32>\n"
    "}\n";

// One function is fine, the other has an allocation that nobody knows how to free.
static const char STRANGE[] = "func.func @fine() {\n"
                              "  %a = memref.alloc() : memref<16xf32>\n"
                              "  return\n"
                              "}\n"
                              "func.func @strange() {\n"
                              "  %a = gpu.alloc() : memref<16xf32, 1>\n"
                              "  return\n"
                              "}\n";

typedef struct text {
  char data[4096];
  size_t length;
} text;

static void append(MlirStringRef piece, void *user) {
  text *t = user;
  if (t->length + piece.length >= sizeof t->data)
    return;
  memcpy(t->data + t->length, piece.data, piece.length);
  t->length += piece.length;
}

static text print(MlirOperation module) {
  text t = {{0}, 0};
  mlirOperationPrint(module, append, &t);
  return t;
}

static int count(MlirOperation module, const char *name) {
  const text t = print(module);
  int found = 0;
  for (const char *at = strstr(t.data, name); at != NULL; at = strstr(at + 1, name))
    ++found;
  return found;
}

static MlirLogicalResult hear(MlirDiagnostic diagnostic, void *heard) {
  ++*(int *)heard;
  return mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError ? mlirLogicalResultSuccess()
                                                                      : mlirLogicalResultFailure();
}

static bool frees(MlirOperation module) {
  const stow_deallocation_options options = {.struct_size = sizeof options};
  stow_buffer_deallocation(module, &options);
  bool ok = count(module, "memref.dealloc") == 2;
  const text once = print(module);
  stow_buffer_deallocation(module, &options);
  stow_tighten_deallocs(module, &options);
  ok = ok && strcmp(once.data, print(module).data) == 0;
  stow_simplify_clones(module);
  ok = ok && count(module, "clone") == 0 && count(module, "memref.dealloc") == 1;
  const stow_promotion_options nothing = {0};
  stow_promote_allocs_to_stack(module, &nothing);
  ok = ok && count(module, "memref.alloca") == 0;
  const stow_promotion_options small = {.struct_size = sizeof small, .max_size = 64, .max_rank = 1};
  stow_promote_allocs_to_stack(module, &small);
  ok = ok && count(module, "memref.alloca") == 1 && count(module, "memref.dealloc") == 0;
  stow_hoist_allocations(module, &options);
  return ok && mlirOperationVerify(module);
}

// What it cannot free stays, without an error, and the rest is freed.
static bool leaves_alone(MlirContext context, MlirOperation module) {
  int heard = 0;
  MlirDiagnosticHandlerID id = mlirContextAttachDiagnosticHandler(context, hear, &heard, NULL);
  const stow_deallocation_options options = {0};
  stow_buffer_deallocation(module, &options);
  mlirContextDetachDiagnosticHandler(context, id);
  return heard == 0 && count(module, "memref.dealloc") == 1 && count(module, "gpu.alloc") == 1;
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirContextLoadAllAvailableDialects(context);
  MlirModule good = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(SOURCE));
  MlirModule strange = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(STRANGE));
  bool ok =
      frees(mlirModuleGetOperation(good)) && leaves_alone(context, mlirModuleGetOperation(strange));
  mlirModuleDestroy(good);
  mlirModuleDestroy(strange);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  printf("freed outside: %s\n", ok ? "yes" : "no");
  return !ok;
}
