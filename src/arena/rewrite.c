//===- rewrite.c - one alloc per arena, a view per buffer -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires plans that were verified, and reasons that are final. Each activation of a
// scope has one arena of its own, and that lives no longer than it must, so that what
// is returned late, or a call that recurses, need not be alive together with it: it is
// made and freed in the innermost region that holds all planned lives (but never inside
// a loop), before the first planned alloc and after the last planned life. Where that
// region has several blocks, the first block and all exits take their place.
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
  MlirRegion home; // where the arena is made and freed
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

//===----------------------------------------------------------------------===//
// The arena's own life
//===----------------------------------------------------------------------===//

static MlirRegion region_of(MlirOperation op) {
  return mlirBlockGetParentRegion(mlirOperationGetBlock(op));
}

// The op of the region's own blocks that is `op` or holds it; null where the region does not hold
// it.
static MlirOperation lift(MlirRegion region, MlirOperation op) {
  while (!mlirBlockIsNull(mlirOperationGetBlock(op))) {
    if (mlirRegionEqual(region_of(op), region))
      return op;
    op = mlirOperationGetParentOperation(op);
  }
  return (MlirOperation){NULL};
}

static MlirOperation parent_of(MlirRegion region) {
  return mlirBlockGetParentOperation(mlirRegionGetFirstBlock(region));
}

// Widens `region` until it holds `op`.
static void widen(MlirRegion *region, MlirOperation op) {
  while (mlirOperationIsNull(lift(*region, op)))
    *region = region_of(parent_of(*region));
}

// The first op of the outermost loop between the scope and `nest`, or null.
static MlirOperation outermost_loop(const rewrite *r, int32_t nest) {
  const stow_flow *flow = &r->function->flow;
  MlirOperation loop = {NULL};
  for (; nest != r->scope->nest; nest = flow->nests[nest].parent)
    if (flow->nests[nest].flags & STOW_NEST_REPEATS)
      loop = flow->op_at[flow->nests[nest].begin];
  return loop;
}

static bool is_single_block(MlirRegion region) {
  return mlirBlockIsNull(mlirBlockGetNextInRegion(mlirRegionGetFirstBlock(region)));
}

// The op after the last planned life among the region's own; null where that is a terminator.
static MlirOperation op_after_last(const rewrite *r, MlirRegion region) {
  int64_t end = 0;
  for (size_t i = 0; i < r->arena->planned_count; ++i)
    end = r->arena->buffers[i].end > end ? r->arena->buffers[i].end : end;
  return mlirOperationGetNextInBlock(lift(region, r->function->flow.op_at[end - 1]));
}

// The innermost region that holds all planned lives and no part of a loop around them: the scope's,
// or that of an op that runs its regions at most once.
static MlirRegion home_of(const rewrite *r) {
  const stow_flow *flow = &r->function->flow;
  const stow_alloc *first = &flow->allocs[r->arena->planned[0]];
  MlirRegion home = region_of(first->op);
  for (size_t i = 0; i < r->arena->planned_count; ++i) {
    widen(&home, flow->allocs[r->arena->planned[i]].op);
    widen(&home, flow->op_at[r->arena->buffers[i].begin]);
    widen(&home, flow->op_at[r->arena->buffers[i].end - 1]);
  }
  MlirOperation loop = outermost_loop(r, flow->values[first->value].nest);
  if (!mlirOperationIsNull(loop))
    widen(&home, loop);
  while (is_single_block(home) && mlirOperationIsNull(op_after_last(r, home)))
    widen(&home, parent_of(home));
  return home;
}

// Where the arena is made: before the first planned alloc, as far as that lies in the first block.
static MlirOperation first_op(const rewrite *r) {
  MlirBlock entry = mlirRegionGetFirstBlock(r->home);
  MlirOperation first = lift(r->home, r->function->flow.allocs[r->arena->planned[0]].op);
  bool in_entry = mlirBlockEqual(mlirOperationGetBlock(first), entry);
  return in_entry ? first : mlirBlockGetTerminator(entry);
}

static void allocate_arena(rewrite *r) {
  r->home = home_of(r);
  r->builder = stow_builder_before(first_op(r), mlirOperationGetLocation(r->scope->op));
  r->constants = (stow_constants){.builder = r->builder};
  MlirType type = stow_bytes_type(&r->builder, r->arena->plan.arena_size, r->arena->memory_space);
  r->memory = stow_build_alloc(&r->builder, type, alignment_of(r->arena));
}

static void free_before(rewrite *r, MlirOperation op) {
  stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(r->scope->op));
  stow_build_dealloc(&builder, r->memory);
}

static void free_arena(rewrite *r) {
  if (is_single_block(r->home)) {
    free_before(r, op_after_last(r, r->home));
    return;
  }
  for (MlirBlock block = mlirRegionGetFirstBlock(r->home); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    if (mlirBlockGetNumSuccessors(block) == 0)
      free_before(r, mlirBlockGetTerminator(block));
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

static void fill(rewrite *r, MlirOperation before, uint64_t offset, uint64_t size) {
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(r->scope->op));
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
  stow_builder builder = stow_builder_before(alloc, mlirOperationGetLocation(alloc));
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
