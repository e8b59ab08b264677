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

// With the scheduler beside what the options say.
static bool merge_with(const program *p, stack *s, stow_reuse_options options) {
  const stow_scheduler scheduler = {schedule, s};
  options.struct_size = sizeof options;
  options.scheduler = &scheduler;
  return stow_merge_alloc(mlirModuleGetOperation(p->module), &options) &&
         mlirOperationVerify(mlirModuleGetOperation(p->module));
}

static bool merge(const program *p, stack *s, uint64_t workgroup_capacity) {
  return merge_with(p, s, (stow_reuse_options){.workgroup_capacity = workgroup_capacity});
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

//===----------------------------------------------------------------------===//
// Beside a scheduler
//===----------------------------------------------------------------------===//

// A branch whose buffer is large, and buffers on every path.
static const char BRANCHES[] = "func.func @f(%x: f32, %c: i1, %n: index) {\n"
                               "  %a = memref.alloc() {alignment = 64 : i64} : memref<16xf32>\n"
                               "  memref.store %x, %a[%n] : memref<16xf32>\n"
                               "  scf.if %c {\n"
                               "    %b = memref.alloc() {alignment = 64 : i64} : memref<4096xf32>\n"
                               "    memref.store %x, %b[%n] : memref<4096xf32>\n"
                               "  }\n"
                               "  memref.store %x, %a[%n] : memref<16xf32>\n"
                               "  return\n"
                               "}\n";

static void test_arenas_of_branches(void) {
  program p = parse(BRANCHES);
  stack s = {.step = 16384};
  CHECK(merge_with(&p, &s, (stow_reuse_options){.conditional_share = 4}));
  CHECK_EQ(s.arenas, 2);
  CHECK(prints(&p, "memref<64xi8>"));
  CHECK(prints(&p, "memref<16384xi8>"));
  close(&p);
}

// With a bound of the heap arenas are planned again, and the scheduler is asked again.
static void test_bounded_heap(void) {
  program p = parse(BRANCHES);
  stack s = {.step = 16384};
  CHECK(merge_with(&p, &s, (stow_reuse_options){.bound_heap = true}));
  CHECK(s.arenas > 1);
  CHECK(!prints(&p, "memref<32768xi8>"));
  close(&p);
}

//===----------------------------------------------------------------------===//
// Tracers
//===----------------------------------------------------------------------===//

// Two buffers of 128 and 64 bytes that are alive together.
static const char TOGETHER[] = "func.func @f(%x: f32, %n: index) {\n"
                               "  %a = memref.alloc() : memref<32xf32>\n"
                               "  %b = memref.alloc() : memref<16xf32>\n"
                               "  memref.store %x, %a[%n] : memref<32xf32>\n"
                               "  memref.store %x, %b[%n] : memref<16xf32>\n"
                               "  memref.store %x, %a[%n] : memref<32xf32>\n"
                               "  memref.store %x, %b[%n] : memref<16xf32>\n"
                               "  return\n"
                               "}\n";

static bool merge_traced(const program *p,
                         void (*trace)(void *, const stow_arena_view *, stow_trace *)) {
  const stow_tracer tracer = {trace, NULL};
  const stow_reuse_options options = {.struct_size = sizeof options, .tracer = &tracer};
  return stow_merge_alloc(mlirModuleGetOperation(p->module), &options) &&
         mlirOperationVerify(mlirModuleGetOperation(p->module));
}

static void check_traced(void (*trace)(void *, const stow_arena_view *, stow_trace *),
                         const char *expected) {
  program p = parse(TOGETHER);
  CHECK(merge_traced(&p, trace));
  CHECK(prints(&p, expected));
  close(&p);
}

static void tell_parts(void *user, const stow_arena_view *arena, stow_trace *told) {
  (void)user;
  (void)arena;
  stow_trace_piece(told, 0, (stow_piece){0, 10, 0, 0});
  stow_trace_piece(told, 0, (stow_piece){10, 20, 0, 64});
  stow_trace_live(told, 1, 10, 20);
}

static void tell_overlapping_parts(void *user, const stow_arena_view *arena, stow_trace *told) {
  tell_parts(user, arena, told);
  stow_trace_piece(told, 0, (stow_piece){15, 20, 64, 128});
}

static void tell_exclusive(void *user, const stow_arena_view *arena, stow_trace *told) {
  (void)user;
  (void)arena;
  stow_trace_relate(told, (stow_relation){STOW_EXCLUSIVE, 0, 1});
}

static void tell_colocated(void *user, const stow_arena_view *arena, stow_trace *told) {
  (void)user;
  (void)arena;
  stow_trace_live(told, 0, 0, 10);
  stow_trace_live(told, 1, 5, 20);
  stow_trace_relate(told, (stow_relation){STOW_COLOCATED, 1, 0});
}

static void tell_exclusive_twice(void *user, const stow_arena_view *arena, stow_trace *told) {
  tell_exclusive(user, arena, told);
  stow_trace_relate(told, (stow_relation){STOW_EXCLUSIVE, 1, 0});
}

static void test_traces(void) {
  check_traced(tell_parts, "memref<128xi8>");
  check_traced(tell_overlapping_parts, "memref<192xi8>");
  check_traced(tell_exclusive, "memref<128xi8>");
  check_traced(tell_exclusive_twice, "memref<128xi8>");
  check_traced(tell_colocated, "memref<128xi8>");
}

// Related buffers are partners, for passes that leave alone what has none.
static void test_related_partners(void) {
  program p = parse(TOGETHER);
  const stow_tracer tracer = {tell_exclusive, NULL};
  const stow_reuse_options options = {
      .struct_size = sizeof options, .tracer = &tracer, .allow_missing_dealloc = true};
  CHECK(stow_buffer_reuse(mlirModuleGetOperation(p.module), &options));
  CHECK(prints(&p, "memref<128xi8>"));
  close(&p);
}

static void tell_too_many_bytes(void *user, const stow_arena_view *arena, stow_trace *told) {
  (void)user;
  (void)arena;
  stow_trace_piece(told, 1, (stow_piece){0, 10, 0, 65});
}

static void tell_no_bytes(void *user, const stow_arena_view *arena, stow_trace *told) {
  (void)user;
  (void)arena;
  stow_trace_piece(told, 1, (stow_piece){0, 10, 8, 8});
}

static void relate_to_itself(void *user, const stow_arena_view *arena, stow_trace *told) {
  (void)user;
  (void)arena;
  stow_trace_relate(told, (stow_relation){STOW_EXCLUSIVE, 1, 1});
}

static void relate_to_nothing(void *user, const stow_arena_view *arena, stow_trace *told) {
  (void)user;
  (void)arena;
  stow_trace_relate(told, (stow_relation){STOW_EXCLUSIVE, 0, 2});
}

static void test_impossible_traces(void) {
  void (*const traces[])(void *, const stow_arena_view *, stow_trace *) = {
      tell_too_many_bytes, tell_no_bytes, relate_to_itself, relate_to_nothing};
  for (size_t i = 0; i < sizeof traces / sizeof *traces; ++i) {
    program p = parse(TOGETHER);
    CHECK(!merge_traced(&p, traces[i]));
    CHECK(!prints(&p, "memref.view"));
    close(&p);
  }
}

TEST_MAIN(TEST(test_arenas_of_branches), TEST(test_bounded_heap), TEST(test_traces),
          TEST(test_related_partners), TEST(test_impossible_traces), TEST(test_attributions),
          TEST(test_capacity_of_kernels), TEST(test_capacity_exceeded))
