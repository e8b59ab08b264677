//===- arenas.c - what all stages ask of the arenas -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the stages read off the tables of arena.h: a buffer's fact, value and life by its number in
// the arena; names of memory spaces; the traits of backings; the texts of reasons. Frees the
// tables.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "arena/workgroup.h"

#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

const stow_function_memory *stow_arena_function(const stow_arenas *arenas,
                                                const stow_arena *arena) {
  return &arenas->memory.functions[arena->function];
}

const stow_scope *stow_arena_scope(const stow_arenas *arenas, const stow_arena *arena) {
  return &stow_arena_function(arenas, arena)->flow.scopes.at[arena->scope];
}

const stow_buffer_fact *stow_arena_fact(const stow_arenas *arenas, const stow_arena *arena,
                                        size_t member) {
  return &arenas->selection[arena->function][member];
}

MlirValue stow_arena_value(const stow_arenas *arenas, const stow_arena *arena, size_t member) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  if (member < flow->allocs.count)
    return mlirOperationGetResult(flow->allocs.at[member].op, 0);
  return arenas->shared[arena->function].at[member - flow->allocs.count].value;
}

stow_buffer_fact *stow_arena_selected(stow_arenas *arenas, const stow_arena *arena, size_t member) {
  return &arenas->selection[arena->function][member];
}

void stow_arena_leave_alone(stow_arenas *arenas, const stow_arena *arena, stow_reason reason) {
  for (size_t i = 0; i < arena->members.count; ++i) {
    stow_buffer_fact *fact = stow_arena_selected(arenas, arena, arena->members.at[i]);
    if (fact->reason == STOW_PLANNED)
      fact->reason = reason;
  }
}

uint64_t stow_slice_alignment(const stow_arenas *arenas, const stow_arena *arena,
                              const stow_buffer_fact *fact) {
  const bool shared = stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED);
  return stow_ir_larger(fact->alignment,
                        shared ? STOW_WORKGROUP_ALIGNMENT : arenas->options.alignment);
}

const stow_life *stow_arena_life(const stow_arenas *arenas, const stow_arena *arena, size_t alloc) {
  const stow_function_memory *function = stow_arena_function(arenas, arena);
  return &function->lives[function->flow.allocs.at[alloc].value];
}

stow_piece stow_arena_planned_piece(const stow_live_piece *piece) {
  return (stow_piece){piece->begin, piece->end, piece->low, piece->high};
}

uint64_t stow_arena_alignment(const stow_arena *arena) {
  uint64_t alignment = stow_ir_larger(arena->alignment, 1);
  for (size_t i = 0; i < arena->planned_count; ++i)
    alignment = stow_ir_larger(alignment, arena->buffers[i].alignment);
  return alignment;
}

uint64_t stow_arena_bytes_unshared(const stow_arena *arena) {
  uint64_t sum = 0;
  for (size_t i = 0; i < arena->planned_count; ++i)
    sum += arena->buffers[i].size;
  return sum;
}

bool stow_arena_plan_holds(const stow_problem *problem, const uint64_t *offsets, uint64_t size) {
  stow_fault fault;
  return stow_verify(problem, offsets, size, &fault) == STOW_OK && fault.kind == STOW_FAULT_NONE;
}

bool stow_arena_refuse_plan(const stow_arenas *arenas) {
  return stow_ir_refuse(mlirOperationGetLocation(arenas->module),
                        "the planner made a plan that does not hold; nothing was rewritten");
}

stow_arena stow_arena_empty_like(const stow_arena *arena) {
  return (stow_arena){.function = arena->function,
                      .scope = arena->scope,
                      .memory_space = arena->memory_space,
                      .host_shared = arena->host_shared,
                      .next_in_scope = SIZE_MAX,
                      .backing = arena->backing,
                      .lender = arena->lender,
                      .region = arena->region,
                      .cause = arena->cause,
                      .outside_frame = arena->outside_frame};
}

const size_t *stow_arena_tenants(const stow_arena *arena, size_t *out_count) {
  *out_count = arena->tenants.count ? arena->tenants.count : arena->planned_count;
  return arena->tenants.count ? arena->tenants.at : arena->planned;
}

bool stow_arena_is_made(const stow_arena *arena) {
  return arena->planned_count > 0 || arena->tenants.count > 0;
}

bool stow_arena_is_only_block(MlirBlock block) {
  return mlirBlockEqual(mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)), block) &&
         mlirBlockIsNull(mlirBlockGetNextInRegion(block));
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

MlirAttribute stow_arena_space_of(const stow_alloc *alloc) {
  return stow_ir_memory_space(alloc->type);
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

// Of an integer attribute the number alone.
static size_t name_length(MlirAttribute space, const char *text) {
  return mlirAttributeIsAInteger(space) ? strcspn(text, " ") : strlen(text);
}

char *stow_arena_space_suffix(MlirAttribute space) {
  stow_text suffix = {0};
  char *text = mlirAttributeIsNull(space) ? NULL : stow_attribute_text(space);
  bool between = true; // words
  for (size_t i = 0; text && i < name_length(space, text); ++i) {
    if (isalnum((unsigned char)text[i]))
      stow_text_printf(&suffix, "%s%c", between ? "_" : "", text[i]);
    between = !isalnum((unsigned char)text[i]);
  }
  free(text);
  return stow_text_take(&suffix);
}

bool stow_arena_space_is_asked_for(const stow_reuse_options *options, MlirAttribute space) {
  for (size_t i = 0; i < options->memory_space_count; ++i)
    if (space_has_name(space, options->memory_spaces[i]))
      return true;
  return options->memory_space_count == 0;
}

stow_reason stow_arena_reason_of_options(const stow_reuse_options *options, MlirAttribute space,
                                         uint64_t bytes) {
  if (!stow_arena_space_is_asked_for(options, space))
    return STOW_OTHER_SPACE;
  return bytes < options->min_size ? STOW_SMALL : STOW_PLANNED;
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

stow_most_live stow_most_live_in(const stow_arena *arena) {
  stow_most_live most = {0};
  if (stow_load(&arena->problem, &most.bytes, &most.position) == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  return most;
}

void stow_arena_free_problem(stow_arena *arena) {
  free(arena->planned);
  free(arena->buffers);
  free(arena->offsets);
  free(arena->piece_starts);
  free(arena->pieces);
  free(arena->relations.at);
  free(arena->fixed);
  arena->fixed = NULL;
  for (size_t i = 0; i < arena->stackings.count; ++i) {
    free(arena->stackings.at[i].at);
    free(arena->stackings.at[i].memory);
  }
  free(arena->stackings.at);
  free(arena->tenants.at);
  memset(&arena->relations, 0, sizeof arena->relations);
  memset(&arena->stackings, 0, sizeof arena->stackings);
  memset(&arena->tenants, 0, sizeof arena->tenants);
}

//===----------------------------------------------------------------------===//
// Backings
//===----------------------------------------------------------------------===//

bool stow_backing_is(stow_backing backing, unsigned traits) {
  static const unsigned traits_of[STOW_BACKING_COUNT] = {
#define ROW(name, traits) traits,
      STOW_BACKINGS(ROW)
#undef ROW
  };
  return (traits_of[backing] & traits) != 0;
}

stow_backing stow_backing_of_place(stow_arena_place place) {
  static const stow_backing of_place[] = {
#define ROW(PLACE, WORD, BACKING, KIND) STOW_BACKING_##BACKING,
      STOW_ARENA_PLACES(ROW, )
#undef ROW
  };
  assert(place < sizeof of_place / sizeof *of_place);
  return of_place[place];
}

bool stow_arena_place_is(stow_arena_place place, unsigned traits) {
  return stow_backing_is(stow_backing_of_place(place), traits);
}

const char *stow_backing_kind(stow_backing backing) {
  static const char *const kinds[STOW_BACKING_COUNT] = {
#define ROW(PLACE, WORD, BACKING, KIND) [STOW_BACKING_##BACKING] = (KIND),
      STOW_ARENA_PLACES(ROW, )
#undef ROW
  };
  return kinds[backing];
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

static void free_samples(stow_arenas *arenas) {
  for (size_t s = 0; arenas->sampled && s < arenas->memory.function_count * STOW_SAMPLES; ++s) {
    free(arenas->sampled[s].variables.at);
    free(arenas->sampled[s].atoms.at);
  }
  free(arenas->sampled);
}

void stow_arenas_free_plans(stow_arenas *arenas) {
  STOW_EACH(stow_arena, arena, arenas->arenas) {
    free(arena->members.at);
    free(arena->traced);
    free(arena->told.at);
    stow_arena_free_problem(arena);
  }
  free(arenas->arenas.at);
  free(arenas->launches.at);
  for (size_t f = 0; arenas->selection && f < arenas->memory.function_count; ++f) {
    free(arenas->selection[f]);
    STOW_EACH(stow_attribution, a, arenas->shared[f])
      free(a->life.at);
    free(arenas->shared[f].at);
  }
  free(arenas->selection);
  free(arenas->shared);
  free_samples(arenas);
}

void stow_arenas_free(stow_arenas *arenas) {
  stow_arenas_free_plans(arenas);
  stow_module_memory_free(&arenas->memory);
}

// What to call the op in the way: a call by what it calls, any other op by its name.
static char *blame_name(MlirOperation op) {
  MlirAttribute callee = stow_attribute_of(op, "callee");
  if (!mlirAttributeIsNull(callee))
    return stow_attribute_text(callee);
  return stow_ir_copy_string(stow_ir_op_name(op));
}

const stow_reason_row *stow_arena_reason_row(stow_reason reason) {
  static const stow_reason_row rows[] = {STOW_ARENA_REASONS(STOW_REASON_ROW)};
  return reason < STOW_REASON_COUNT ? stow_reason_row_of(reason)
                                    : &rows[reason - STOW_REASON_COUNT];
}

char *stow_arena_reason_text(const stow_buffer_fact *fact) {
  const char *clause = stow_arena_reason_row(fact->reason)->clause;
  char *name = strstr(clause, "%s") ? blame_name(fact->blame) : NULL;
  stow_text text = {0};
  stow_text_fill(&text, clause, name);
  free(name);
  return stow_text_take(&text);
}
