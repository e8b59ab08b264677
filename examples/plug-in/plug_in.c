//===- plug_in.c - a scheduler and a tracer of one's own ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target whose memory has four banks of 4096 bytes. Two operands of one op are read
// faster from different banks, so its scheduler works through the linear stream of
// events like malloc and free would, and deals buffers out to banks in turn. Its tracer
// knows that the target prefetches: what an op reads must be there one op earlier.
//
//     plug-in FILE.mlir      reads a module, runs merge-alloc, prints the module
//
//===----------------------------------------------------------------------===//

#include <stowage/passes.h>

#include <mlir-c/RegisterEverything.h>

#include <stdio.h>
#include <stdlib.h>

enum { BANKS = 4, BANK_BYTES = 4096 };

//===----------------------------------------------------------------------===//
// The scheduler
//===----------------------------------------------------------------------===//

static uint64_t round_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// The lowest place in `bank` beside the live buffers; UINT64_MAX where it is full.
static uint64_t place_in(unsigned bank, const stow_buffer *buffer, const stow_problem *problem,
                         const bool *live, const uint64_t *offsets) {
  uint64_t end = (uint64_t)(bank + 1) * BANK_BYTES;
  uint64_t at = round_up((uint64_t)bank * BANK_BYTES, buffer->alignment);
  for (size_t i = 0; i < problem->buffer_count; ++i) {
    if (!live[i] || at + buffer->size <= offsets[i] || offsets[i] + problem->buffers[i].size <= at)
      continue;
    at = round_up(offsets[i] + problem->buffers[i].size, buffer->alignment);
    i = (size_t)-1; // from the beginning, for the new place
  }
  return at + buffer->size <= end ? at : UINT64_MAX;
}

static bool schedule(void *user, const stow_arena_view *arena, const stow_problem *problem,
                     uint64_t capacity, uint64_t *out_offsets, uint64_t *out_size) {
  (void)arena;
  (void)capacity;
  unsigned *turn = user;
  bool *live = calloc(problem->buffer_count, sizeof *live);
  stow_memory_event *events = calloc(2 * problem->buffer_count, sizeof *events);
  bool ok = live && events;
  if (ok)
    stow_problem_events(problem, events);
  for (size_t e = 0; e < 2 * problem->buffer_count && ok; ++e) {
    size_t i = events[e].buffer;
    live[i] = !events[e].frees;
    if (events[e].frees)
      continue;
    uint64_t place = UINT64_MAX;
    live[i] = false;
    for (unsigned tries = 0; tries < BANKS && place == UINT64_MAX; ++tries)
      place = place_in((*turn)++ % BANKS, &problem->buffers[i], problem, live, out_offsets);
    live[i] = true;
    out_offsets[i] = place;
    ok = place != UINT64_MAX;
  }
  *out_size = (uint64_t)BANKS * BANK_BYTES;
  free(live);
  free(events);
  return ok;
}

//===----------------------------------------------------------------------===//
// The tracer
//===----------------------------------------------------------------------===//

static void trace(void *user, const stow_arena_view *arena, stow_trace *told) {
  (void)user;
  for (size_t i = 0; i < arena->buffer_count; ++i) {
    stow_piece piece;
    if (arena->sizes[i] > BANK_BYTES)
      stow_trace_leave_alone(told, i);
    for (size_t p = 0; p < stow_trace_default(told, i, p, &piece); ++p)
      stow_trace_live(told, i, piece.begin - 1, piece.end);
  }
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

static void print(MlirStringRef piece, void *file) { fwrite(piece.data, 1, piece.length, file); }

static MlirModule read_module(MlirContext context, const char *path) {
  FILE *file = fopen(path, "rb");
  static char text[1 << 20];
  size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file)
    fclose(file);
  return mlirModuleCreateParse(context, mlirStringRefCreate(text, size));
}

int main(int argc, char **argv) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirContextLoadAllAvailableDialects(context);
  MlirModule module = argc == 2 ? read_module(context, argv[1]) : (MlirModule){NULL};
  if (mlirModuleIsNull(module)) {
    fprintf(stderr, "usage: plug-in FILE.mlir\n");
    return 2;
  }
  unsigned turn = 0;
  const stow_scheduler scheduler = {schedule, &turn};
  const stow_tracer tracer = {trace, NULL};
  const stow_reuse_options options = {
      .struct_size = sizeof options, .tracer = &tracer, .scheduler = &scheduler};
  bool ok = stow_merge_alloc(mlirModuleGetOperation(module), &options) &&
            mlirOperationVerify(mlirModuleGetOperation(module));
  if (ok)
    mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return !ok;
}
