//===- callbacks_test.c - tracers and schedulers of callers ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "ir/support.h"
#include "stowage/passes.h"

#include "mlir-c/RegisterEverything.h"

#include <stdlib.h>
#include <string.h>

// Two attributions that share bytes, a launch beside its function's buffers, and one attribution.
static const char KERNELS[] =
    "!f = memref<64xf32, #gpu.address_space<workgroup>>\n"
    "!h = memref<64xf16, #gpu.address_space<workgroup>>\n"
    "gpu.module @m {\n"
    "  gpu.func @k(%x: f32, %y: f16) workgroup(%a: !f, %b: !h) kernel {\n"
    "    %t = gpu.thread_id x\n"
    "    memref.store %x, %a[%t] : !f\n"
    "    gpu.barrier\n"
    "    memref.store %y, %b[%t] : !h\n"
    "    gpu.return\n"
    "  }\n"
    "  gpu.func @one(%x: f32) workgroup(%a: !f, %out: !f {llvm.noalias}) kernel {\n"
    "    %t = gpu.thread_id x\n"
    "    memref.store %x, %a[%t] : !f\n"
    "    gpu.return\n"
    "  }\n"
    "}\n"
    "func.func @f(%x: f32, %n: index) {\n"
    "  %a = memref.alloc() : memref<8xf32>\n"
    "  memref.store %x, %a[%n] : memref<8xf32>\n"
    "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)\n"
    "             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n)\n"
    "             workgroup(%b : !f, %c : !f) {\n"
    "    memref.store %x, %b[%tx] : !f\n"
    "    gpu.barrier\n"
    "    memref.store %x, %c[%tx] : !f\n"
    "    gpu.terminator\n"
    "  }\n"
    "  return\n"
    "}\n";

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

typedef struct program {
  MlirContext context;
  MlirModule module;
} program;

static program parse(const char *text) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  program p = {.context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false)};
  mlirContextLoadAllAvailableDialects(p.context);
  mlirDialectRegistryDestroy(registry);
  p.module = mlirModuleCreateParse(p.context, mlirStringRefCreateFromCString(text));
  CHECK(!mlirModuleIsNull(p.module));
  return p;
}

static void close(program *p) {
  mlirModuleDestroy(p->module);
  mlirContextDestroy(p->context);
}

// Whether the module has the text somewhere.
static bool prints(const program *p, const char *expected) {
  stow_text text = {0};
  mlirOperationPrint(mlirModuleGetOperation(p->module), stow_text_callback, &text);
  const bool found = strstr(text.data, expected) != NULL;
  free(text.data);
  return found;
}

//===----------------------------------------------------------------------===//
// Schedulers
//===----------------------------------------------------------------------===//

// Puts buffers behind each other, `step` bytes apart, and counts.
typedef struct stack {
  uint64_t step, capacity[8];
  size_t arenas, attributions;
} stack;

static bool is_argument_of_scope(const stow_arena_view *arena, size_t i) {
  return mlirValueIsABlockArgument(arena->values[i]) &&
         mlirOperationEqual(arena->allocs[i], arena->scope);
}

static bool schedule(void *user, const stow_arena_view *arena, const stow_problem *problem,
                     uint64_t capacity, uint64_t *out_offsets, uint64_t *out_size) {
  stack *s = user;
  CHECK_EQ(problem->buffer_count, arena->buffer_count);
  s->capacity[s->arenas++] = capacity;
  *out_size = 0;
  for (size_t i = 0; i < arena->buffer_count; ++i) {
    s->attributions += is_argument_of_scope(arena, i);
    out_offsets[i] = i * s->step;
    *out_size =
        out_offsets[i] + arena->sizes[i] > *out_size ? out_offsets[i] + arena->sizes[i] : *out_size;
  }
  return true;
}

static bool merge(const program *p, stack *s, uint64_t workgroup_capacity) {
  const stow_scheduler scheduler = {schedule, s};
  const stow_reuse_options options = {.struct_size = sizeof options,
                                      .scheduler = &scheduler,
                                      .workgroup_capacity = workgroup_capacity};
  return stow_merge_alloc(mlirModuleGetOperation(p->module), &options) &&
         mlirOperationVerify(mlirModuleGetOperation(p->module));
}

// Attributions lie where the scheduler says, alone, and in more bytes than each for itself, too.
static void test_attributions(void) {
  program p = parse(KERNELS);
  stack s = {.step = 512};
  CHECK(merge(&p, &s, 0));
  CHECK_EQ(s.attributions, 5);
  CHECK_EQ(s.arenas, 4);
  CHECK(
      prints(&p, "memref<640xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel"));
  CHECK(prints(&p, "memref<783xi8, #gpu.address_space<workgroup>>"));
  CHECK(prints(&p, "memref<256xi8, #gpu.address_space<workgroup>>"));
  CHECK(prints(&p, "arith.constant 512 : index"));
  s.attributions = s.arenas = 0;
  CHECK(merge(&p, &s, 0)); // bytes alone stay as they are
  CHECK_EQ(s.attributions, 0);
  close(&p);
}

// A kernel's capacity, without what stays an attribution and a launch's padding.
static void test_capacity_of_kernels(void) {
  program p = parse(KERNELS);
  stack s = {.step = 0};
  CHECK(merge(&p, &s, 1024));
  uint64_t of_kernels[] = {1024, 768, 0, 1009};
  for (size_t i = 0; i < s.arenas; ++i)
    CHECK_EQ(s.capacity[i], of_kernels[i]);
  CHECK_EQ(s.arenas, 4);
  close(&p);
}

static void test_capacity_exceeded(void) {
  program p = parse(KERNELS);
  stack s = {.step = 512};
  CHECK(!merge(&p, &s, 600));
  CHECK(!prints(&p, "memref.view"));
  close(&p);
}

TEST_MAIN(TEST(test_attributions), TEST(test_capacity_of_kernels), TEST(test_capacity_exceeded))
