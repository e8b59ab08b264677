//===- rewrite.c - one alloc per arena, a view per buffer -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires plans that were verified, and reasons that are final. The arena is made
// where its scope begins and freed before each terminator through which control
// leaves the scope, so each activation has one arena of its own.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"
#include "arena/build.h"

#include <stdlib.h>

// The byte a slice is filled with outside lives: as an f32 a number no one computes, as an index
// far out of bounds.
enum { POISON = 0xA5 };

typedef struct rewrite {
  const stow_arenas *arenas;
  const stow_arena *arena;
  const stow_function_memory *function;
  const stow_scope *scope;
  stow_builder builder;
  MlirValue memory; // the arena
  stow_constants constants;
} rewrite;

static uint64_t alignment_of(const stow_arena *arena) {
  uint64_t alignment = 1;
  for (size_t i = 0; i < arena->planned_count; ++i)
    if (arena->buffers[i].alignment > alignment)
      alignment = arena->buffers[i].alignment;
  return alignment;
}

static void allocate_arena(rewrite *r) {
  MlirBlock entry = mlirRegionGetFirstBlock(r->scope->region);
  r->builder = stow_builder_at(entry, mlirBlockGetFirstOperation(entry),
                               mlirOperationGetLocation(r->scope->op));
  r->constants = (stow_constants){.builder = r->builder};
  MlirType type = stow_bytes_type(&r->builder, r->arena->plan.arena_size, r->arena->memory_space);
  r->memory = stow_build_alloc(&r->builder, type, alignment_of(r->arena));
}

static void free_arena(rewrite *r) {
  for (MlirBlock block = mlirRegionGetFirstBlock(r->scope->region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    if (mlirBlockGetNumSuccessors(block) > 0)
      continue;
    stow_builder builder = stow_builder_at(block, mlirBlockGetTerminator(block),
                                           mlirOperationGetLocation(r->scope->op));
    stow_build_dealloc(&builder, r->memory);
  }
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

static void fill(rewrite *r, MlirOperation before, uint64_t offset, uint64_t size) {
  stow_builder builder = stow_builder_at(mlirOperationGetBlock(before), before,
                                         mlirOperationGetLocation(r->scope->op));
  MlirType type = stow_bytes_type(&builder, size, r->arena->memory_space);
  MlirValue bytes =
      stow_build_view(&builder, r->memory, stow_constant(&r->constants, offset), type);
  stow_build_fill(&builder, bytes, POISON);
}

// Lives that begin or end with a loop of blocks have no single op to stand at; they are not
// poisoned.
static void poison(rewrite *r, size_t i) {
  const stow_flow *flow = &r->function->flow;
  const stow_buffer *buffer = &r->arena->buffers[i];
  if (buffer->size == 0 || r->function->buffers[r->arena->planned[i]].fills_loop)
    return;
  MlirOperation first = flow->op_at[buffer->begin], last = flow->op_at[buffer->end - 1];
  fill(r, first, r->arena->offsets[i], buffer->size);
  if (!mlirOperationIsNull(mlirOperationGetNextInBlock(last)))
    fill(r, mlirOperationGetNextInBlock(last), r->arena->offsets[i], buffer->size);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static void replace_alloc(rewrite *r, size_t i) {
  MlirOperation alloc = r->function->flow.allocs[r->arena->planned[i]].op;
  MlirValue result = mlirOperationGetResult(alloc, 0);
  stow_builder builder =
      stow_builder_at(mlirOperationGetBlock(alloc), alloc, mlirOperationGetLocation(alloc));
  MlirValue view =
      stow_build_view(&builder, r->memory, stow_constant(&r->constants, r->arena->offsets[i]),
                      mlirValueGetType(result));
  if (stow_op_facts(alloc) & STOW_OP_CLONE)
    stow_build_copy(&builder, mlirOperationGetOperand(alloc, 0), view);
  mlirValueReplaceAllUsesOfWith(result, view);
}

static void rewrite_arena(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_function_memory *function = stow_arena_function(arenas, arena);
  rewrite r = {.arenas = arenas,
               .arena = arena,
               .function = function,
               .scope = &function->flow.scopes[arena->scope]};
  allocate_arena(&r);
  for (size_t i = 0; i < arena->planned_count && arenas->options.poison; ++i)
    poison(&r, i);
  for (size_t i = 0; i < arena->planned_count; ++i)
    replace_alloc(&r, i);
  free_arena(&r);
  stow_constants_free(&r.constants);
}

// A group with an alloc in it is planned whole or not at all.
static void drop_deallocs(const stow_function_memory *function) {
  bool *planned = stow_allocate((size_t)function->groups.group_count, sizeof *planned);
  for (size_t i = 0; i < function->flow.alloc_count; ++i)
    planned[function->groups.of_alloc[i]] = function->buffers[i].reason == STOW_PLANNED;
  for (size_t i = 0; i < function->flow.free_count; ++i)
    if (planned[function->groups.of_free[i]])
      mlirOperationDestroy(function->flow.frees[i].op);
  free(planned);
}

static void drop_allocs(const stow_function_memory *function) {
  for (size_t i = 0; i < function->flow.alloc_count; ++i)
    if (function->buffers[i].reason == STOW_PLANNED)
      mlirOperationDestroy(function->flow.allocs[i].op);
}

void stow_rewrite(const stow_arenas *arenas) {
  for (size_t a = 0; a < arenas->arena_count; ++a)
    if (arenas->arenas[a].planned_count > 0)
      rewrite_arena(arenas, &arenas->arenas[a]);
  for (size_t f = 0; f < arenas->memory.function_count; ++f) {
    drop_deallocs(&arenas->memory.functions[f]);
    drop_allocs(&arenas->memory.functions[f]);
  }
}
