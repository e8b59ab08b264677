//===- collect.c - which buffers go into which arena ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the IR allows (ir/buffers.h) meets what the options ask for. Buffers whose
// deallocs cannot be told apart stand or fall together, and a buffer that can share
// with no other is not worth a place in an arena; each of the two rules can take
// away what the other relied on, so they run in turns until nothing changes.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"
#include "arena/callbacks.h"
#include "arena/invariants.h"
#include "arena/partners.h"
#include "arena/workgroup.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>
#include <string.h>

// Turns between the two rules. Real programs need two; the bound keeps made-up ones linear.
enum { MAX_TURNS = 8 };

const stow_function_memory *stow_arena_function(const stow_arenas *arenas,
                                                const stow_arena *arena) {
  return &arenas->memory.functions[arena->function];
}

const stow_buffer_fact *stow_arena_fact(const stow_arenas *arenas, const stow_arena *arena,
                                        size_t alloc) {
  return &stow_arena_function(arenas, arena)->buffers[alloc];
}

uint64_t stow_slice_alignment(const stow_arenas *arenas, const stow_buffer_fact *fact) {
  uint64_t least = arenas->options.alignment;
  return fact->alignment > least ? fact->alignment : least;
}

const stow_life *stow_arena_life(const stow_arenas *arenas, const stow_arena *arena, size_t alloc) {
  const stow_function_memory *function = stow_arena_function(arenas, arena);
  return &function->lives[function->flow.allocs[alloc].value];
}

bool stow_is_live_at(const stow_buffer_fact *fact, int64_t position) {
  for (size_t p = 0; p < fact->piece_count; ++p)
    if (fact->pieces[p].begin <= position && position < fact->pieces[p].end)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

static MlirAttribute space_of(const stow_alloc *alloc) {
  return stow_memory_space(mlirValueGetType(mlirOperationGetResult(alloc->op, 0)));
}

static bool space_has_name(MlirAttribute space, const char *name) {
  if (mlirAttributeIsNull(space))
    return strcmp(name, "0") == 0;
  char *text = stow_attribute_text(space);
  size_t length = strlen(name);
  bool same = strncmp(text, name, length) == 0 &&
              (text[length] == '\0' || (mlirAttributeIsAInteger(space) && text[length] == ' '));
  free(text);
  return same;
}

bool stow_space_is_asked_for(const stow_reuse_options *options, MlirAttribute space) {
  for (size_t i = 0; i < options->memory_space_count; ++i)
    if (space_has_name(space, options->memory_spaces[i]))
      return true;
  return options->memory_space_count == 0;
}

//===----------------------------------------------------------------------===//
// Sorting allocs into arenas
//===----------------------------------------------------------------------===//

static stow_reason reason_of_options(const stow_reuse_options *options, const stow_alloc *alloc,
                                     const stow_buffer_fact *fact) {
  if (!stow_space_is_asked_for(options, space_of(alloc)))
    return STOW_OTHER_SPACE;
  if (fact->size < options->min_size)
    return STOW_SMALL;
  if (!fact->deallocated && !options->allow_missing_dealloc)
    return STOW_NO_DEALLOC;
  return STOW_PLANNED;
}

// `heads`: per scope of the function its newest arena, or SIZE_MAX.
static stow_arena *arena_for(stow_arenas *arenas, size_t *heads, size_t function,
                             const stow_alloc *alloc) {
  MlirAttribute space = space_of(alloc);
  for (size_t i = heads[alloc->scope]; i != SIZE_MAX; i = arenas->arenas[i].next_in_scope)
    if (mlirAttributeEqual(arenas->arenas[i].memory_space, space))
      return &arenas->arenas[i];
  arenas->arenas = stow_grow(arenas->arenas, arenas->arena_count, &arenas->arena_capacity,
                             sizeof *arenas->arenas);
  arenas->arenas[arenas->arena_count] = (stow_arena){.function = function,
                                                     .scope = alloc->scope,
                                                     .memory_space = space,
                                                     .next_in_scope = heads[alloc->scope]};
  heads[alloc->scope] = arenas->arena_count;
  return &arenas->arenas[arenas->arena_count++];
}

static void sort_function(stow_arenas *arenas, size_t index) {
  stow_function_memory *function = &arenas->memory.functions[index];
  size_t *heads = stow_allocate(function->flow.scope_count, sizeof *heads);
  for (size_t s = 0; s < function->flow.scope_count; ++s)
    heads[s] = SIZE_MAX;
  for (size_t i = 0; i < function->flow.alloc_count; ++i) {
    const stow_alloc *alloc = &function->flow.allocs[i];
    stow_buffer_fact *fact = &function->buffers[i];
    if (arenas->stack != stow_is(alloc->op, STOW_MEMREF_ALLOCA)) {
      fact->reason = STOW_OTHER_SPACE;
      continue;
    }
    if (fact->reason == STOW_PLANNED)
      fact->reason = reason_of_options(&arenas->options, alloc, fact);
    stow_arena *arena = arena_for(arenas, heads, index, alloc);
    arena->members = stow_grow(arena->members, arena->member_count, &arena->member_capacity,
                               sizeof *arena->members);
    arena->members[arena->member_count++] = i;
  }
  free(heads);
}

//===----------------------------------------------------------------------===//
// Rules between buffers
//===----------------------------------------------------------------------===//

// An arena must be addressable even if nothing in it could be reused.
static void drop_oversized(stow_buffer_fact *facts, const stow_arena *arena, uint64_t alignment) {
  const uint64_t largest = UINT64_C(1) << 62;
  uint64_t sum = 0;
  bool fits = true;
  for (size_t i = 0; i < arena->member_count && fits; ++i) {
    const stow_buffer_fact *fact = &facts[arena->members[i]];
    if (fact->reason != STOW_PLANNED)
      continue;
    uint64_t padded = stow_larger(fact->alignment, alignment);
    if (padded > largest - fact->size) {
      facts[arena->members[i]].reason = STOW_TOO_LARGE;
      continue;
    }
    fits = fact->size + padded <= largest - sum;
    sum += fact->size + padded;
  }
  for (size_t i = 0; i < arena->member_count && !fits; ++i)
    if (facts[arena->members[i]].reason == STOW_PLANNED)
      facts[arena->members[i]].reason = STOW_TOO_LARGE;
}

// Members of a group are planned all or not at all.
static bool keep_groups_whole(stow_function_memory *function) {
  const stow_dealloc_groups *groups = &function->groups;
  bool *broken = stow_allocate((size_t)groups->group_count, sizeof *broken), changed = false;
  for (size_t i = 0; i < function->flow.alloc_count; ++i)
    broken[groups->of_alloc[i]] |= function->buffers[i].reason != STOW_PLANNED;
  for (size_t i = 0; i < function->flow.alloc_count; ++i) {
    if (!broken[groups->of_alloc[i]] || function->buffers[i].reason != STOW_PLANNED)
      continue;
    function->buffers[i].reason = STOW_SHARED_DEALLOC;
    changed = true;
  }
  free(broken);
  return changed;
}

static stow_buffer_fact *facts_of(const stow_arenas *arenas, const stow_arena *arena) {
  return arenas->memory.functions[arena->function].buffers;
}

void stow_settle(stow_arenas *arenas) {
  bool changed = true;
  for (size_t a = 0; a < arenas->arena_count; ++a)
    drop_oversized(facts_of(arenas, &arenas->arenas[a]), &arenas->arenas[a],
                   arenas->options.alignment);
  for (int turn = 0; turn < MAX_TURNS && changed; ++turn) {
    changed = false;
    for (size_t f = 0; f < arenas->memory.function_count; ++f)
      changed |= keep_groups_whole(&arenas->memory.functions[f]);
    for (size_t a = 0; a < arenas->arena_count; ++a)
      changed |= stow_drop_partnerless(arenas, &arenas->arenas[a]);
  }
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    keep_groups_whole(&arenas->memory.functions[f]);
}

static bool ask_tracer(stow_arenas *arenas) {
  bool ok = true;
  for (size_t a = 0; a < arenas->arena_count && ok; ++a)
    ok = stow_ask_tracer(arenas, &arenas->arenas[a]);
  return ok;
}

bool stow_collect(stow_arenas *arenas) {
  arenas->memory = arenas->stack
                       ? stow_module_memory_with_stack(arenas->module, arenas->options.unknown_ops)
                       : stow_module_memory_of(arenas->module, arenas->options.unknown_ops);
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    sort_function(arenas, f);
  if (arenas->options.tracer && !ask_tracer(arenas))
    return false;
  stow_settle(arenas);
  stow_assert_collected(arenas);
  return true;
}

void stow_arena_free_problem(stow_arena *arena) {
  free(arena->planned), free(arena->buffers), free(arena->offsets);
  free(arena->piece_starts), free(arena->pieces), free(arena->relations);
  arena->relations = NULL;
}

void stow_arenas_free(stow_arenas *arenas) {
  for (size_t a = 0; a < arenas->arena_count; ++a) {
    stow_arena *arena = &arenas->arenas[a];
    free(arena->members), free(arena->told);
    stow_arena_free_problem(arena);
  }
  free(arenas->arenas);
  stow_kernels_free(arenas);
  stow_module_memory_free(&arenas->memory);
}
