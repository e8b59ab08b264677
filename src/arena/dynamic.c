//===- dynamic.c - which buffers of unknown size share an arena -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of an arena are computed where it begins. There
//
//   the sizes of its members must be known, and
//   each member must be certain to be allocated afterwards: a size that belongs to a branch
//   that is not taken may be anything.
//
// So a member's *home* is the innermost block around it that may be skipped although the code
// around the block runs: a branch or the body of a loop. If there is none, or if the size is
// guarded (guarded.c), the home is the whole scope. Members of one home whose sizes are known where
// it begins share an arena that begins there. Among the others, the first in program order begins
// the next arena, for all members whose sizes are known at that point, and so on. If a size is
// computed in a region that runs exactly when the home does, it is not known at any op of the
// home's block: then the home is the block of that region, or a block inside it.
//
// If the memory of a function's frame comes from outside, its size is asked for before the function
// runs. So the frame has the members of the scope's own block and guarded members, and only those
// whose sizes follow from the function's arguments. The others have arenas outside the frame.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"

#include "arena/timeline.h"

#include <stdlib.h>
#include <string.h>

bool stow_arena_is_dynamic(const stow_arenas *arenas, const stow_arena *arena) {
  for (size_t i = 0; i < arena->members.count; ++i) {
    const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[i]);
    if (fact->reason == STOW_PLANNED && !fact->size.known)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Typical sizes
//===----------------------------------------------------------------------===//

// The samples before these are of one number for all variables.
enum { FIRST_MIXED = 5 };

// Numbers between 1 and 4096, most of them small. After the samples that plans are made for, every
// other sample has only 1 and 1024, so that each variable occurs both large among small ones and
// small among large ones.
static int64_t some_number(size_t sample, size_t variable) {
  static const int64_t of_all[FIRST_MIXED] = {64, 1, 512, 8, 4096};
  if (sample < FIRST_MIXED)
    return of_all[sample];
  const uint64_t mixed = (sample * 31 + variable + 1) * UINT64_C(0x9E3779B97F4A7C15);
  if (sample < STOW_SAMPLES || sample % 2)
    return INT64_C(1) << (mixed >> 40) % 12;
  return (mixed >> 40) % 4 > sample % 3 ? 1 : 1024;
}

static int64_t sample_variable(const stow_extents *extents, size_t sample, size_t v) {
  const stow_variable *variable = &extents->variables.at[v];
  int64_t low, high, value = some_number(sample, v);
  if (variable->is_bit)
    return STOW_EITHER;
  stow_formula_range(extents->formulas, variable->formula, &low, &high);
  if (sample == 0 && variable->hint >= 0)
    value = variable->hint;
  if (value > high || (sample + 1 == FIRST_MIXED && high != STOW_UNLIMITED))
    value = high;
  return value < low ? low : value;
}

void stow_arena_sample_variables(const stow_extents *extents, size_t sample, int64_t *out_values) {
  for (size_t v = 0; v < extents->variables.count; ++v)
    out_values[v] = sample_variable(extents, sample, v);
}

const int64_t *stow_sampled_atoms(const stow_arenas *arenas, size_t function, size_t sample) {
  const stow_extents *extents = arenas->memory.functions[function].extents;
  stow_sampled *s = &arenas->sampled[function * STOW_SAMPLES + sample];
  const size_t first = s->atoms.count;
  while (s->variables.count < extents->variables.count)
    STOW_PUSH(s->variables, sample_variable(extents, sample, s->variables.count));
  while (s->atoms.count < stow_atom_count(extents->formulas))
    STOW_PUSH(s->atoms, STOW_OVERFLOWN);
  stow_ir_evaluate_atoms(extents->formulas, s->variables.at, first, s->atoms.at);
  return s->atoms.at;
}

static void begin_samples(stow_arenas *arenas) {
  arenas->sampled =
      stow_ir_allocate(arenas->memory.function_count * STOW_SAMPLES, sizeof *arenas->sampled);
}

// "n=128", of a variable with such a name.
static bool is_size_of(const char *text, const char *name, int64_t *out) {
  const size_t length = strlen(name);
  if (strncmp(text, name, length) != 0 || text[length] != '=')
    return false;
  *out = strtoll(text + length + 1, NULL, 10);
  return true;
}

// Whether a function has a size of that name; adds the names of those it has.
static bool is_size_in(const stow_extents *extents, const char *text, stow_text *names) {
  bool found = false;
  int64_t ignored;
  for (size_t v = 0; v < extents->variables.count; ++v) {
    const char *name = extents->variables.at[v].name;
    if (!name || extents->variables.at[v].is_case) // it follows from another size
      continue;
    found |= is_size_of(text, name, &ignored);
    stow_text_printf(names, "%s%s", names->data ? ", " : "", name);
  }
  return found;
}

static bool exists(const stow_arenas *arenas, const char *text) {
  stow_text names = {0};
  bool found = false;
  for (size_t f = 0; f < arenas->memory.function_count && !found; ++f)
    found = arenas->memory.functions[f].extents &&
            is_size_in(arenas->memory.functions[f].extents, text, &names);
  if (!found)
    stow_ir_refuse(mlirOperationGetLocation(arenas->module), "%s: at=%s names no size; there %s%s",
                   arenas->pass, text, names.data ? "are: " : "is none",
                   names.data ? names.data : "");
  free(names.data);
  return found;
}

bool stow_arena_asked_sizes_exist(const stow_arenas *arenas) {
  if (arenas->options.dynamic != STOW_DYNAMIC_EXACT || arenas->framing)
    return true; // of some functions only the frame is planned here
  for (size_t i = 0; i < arenas->options.at_count; ++i)
    if (!exists(arenas, arenas->options.at[i]))
      return false;
  return true;
}

int64_t stow_arena_typical_value(const stow_reuse_options *options, const stow_extents *extents,
                                 size_t v) {
  const stow_variable *variable = &extents->variables.at[v];
  int64_t value = sample_variable(extents, 0, v);
  for (size_t i = 0; i < options->at_count && variable->name; ++i)
    is_size_of(options->at[i], variable->name, &value);
  return variable->is_bit && value != STOW_EITHER ? value != 0 : value; // any number but 0 is 1
}

// The variables that the sizes of an arena's planned members are made of, and what decides which
// these are.
static size_t *variables_of(const stow_arenas *arenas, const stow_arena *arena, size_t *out_count) {
  STOW_ARRAY(stow_formula) sizes = {0};
  for (size_t i = 0; i < arena->planned_count; ++i) {
    const stow_extent *size = &stow_arena_fact(arenas, arena, arena->planned[i])->size;
    if (!size->known)
      STOW_PUSH(sizes, size->formula);
  }
  for (size_t k = 0; k < arena->stackings.count && arena->tenants.count > 0; ++k)
    STOW_PUSH(sizes, arena->stackings.at[k].size);
  size_t *variables = stow_variables_of(stow_arena_function(arenas, arena)->extents, sizes.at,
                                        sizes.count, out_count);
  free(sizes.at);
  return variables;
}

char *stow_arena_typical_text(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_extents *extents = stow_arena_function(arenas, arena)->extents;
  size_t count;
  size_t *variables = variables_of(arenas, arena, &count);
  stow_text text = {0};
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = stow_arena_typical_value(&arenas->options, extents, variables[i]);
    if (value == STOW_EITHER)
      continue;
    char *name = stow_formula_text(extents, extents->variables.at[variables[i]].formula);
    stow_text_printf(&text, "%s%s=%lld", text.size ? ", " : "", name, (long long)value);
    free(name);
  }
  free(variables);
  return stow_text_take(&text);
}

bool stow_arena_has_formula(const stow_arena *arena) {
  const bool follows =
      stow_backing_is(arena->backing, STOW_BACKING_IS_LENT) && arena->tenants.count > 0;
  return arena->stackings.count > 0 && !follows;
}

char *stow_arena_formula(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_extents *extents = stow_arena_function(arenas, arena)->extents;
  stow_text text = {0};
  for (size_t k = 0; k < arena->stackings.count; ++k) {
    char *size = stow_formula_text(extents, arena->stackings.at[k].size);
    stow_text_printf(&text, "%s%s", k ? ", " : arena->stackings.count > 1 ? "min(" : "", size);
    free(size);
  }
  stow_text_printf(&text, "%s", arena->stackings.count > 1 ? ")" : "");
  return stow_text_take(&text);
}

int64_t *stow_arena_typical_atoms(const stow_reuse_options *options, const stow_extents *extents) {
  const size_t count = extents->variables.count;
  int64_t *variables = stow_ir_allocate(count, sizeof *variables);
  for (size_t v = 0; v < count; ++v)
    variables[v] = stow_arena_typical_value(options, extents, v);
  int64_t *atoms = stow_ir_allocate(stow_atom_count(extents->formulas), sizeof *atoms);
  stow_ir_evaluate_atoms(extents->formulas, variables, 0, atoms);
  free(variables);
  return atoms;
}

static void set_typical(const stow_reuse_options *options, const stow_function_memory *function,
                        stow_buffer_fact *selection) {
  const stow_extents *extents = function->extents;
  int64_t *atoms = stow_arena_typical_atoms(options, extents), bytes;
  for (size_t i = 0; i < function->flow.allocs.count; ++i) {
    stow_buffer_fact *fact = &selection[i];
    if (fact->size.known || (fact->reason != STOW_PLANNED && fact->reason != STOW_RETURNED))
      continue;
    if (fact->size.formula != STOW_NO_FORMULA &&
        stow_ir_evaluate(extents->formulas, atoms, fact->size.formula, &bytes) && bytes >= 0)
      fact->size.bytes = (uint64_t)bytes;
    else if (fact->reason == STOW_PLANNED)
      fact->reason = STOW_TOO_LARGE;
  }
  free(atoms);
}

void stow_arena_set_typical_sizes(stow_arenas *arenas) {
  if (arenas->options.dynamic == STOW_DYNAMIC_EXACT)
    begin_samples(arenas);
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    if (arenas->memory.functions[f].extents)
      set_typical(&arenas->options, &arenas->memory.functions[f], arenas->selection[f]);
}

//===----------------------------------------------------------------------===//
// Homes
//===----------------------------------------------------------------------===//

// Parts of a home that begin one after the other, each in front of an op: what is known in front of
// one is known in front of the next.
typedef struct begun {
  MlirOperation before;
  size_t part;
} begun;

typedef STOW_ARRAY(begun) begun_list;

// Where a part must be made; a null region where that is the scope's business.
typedef struct part_home {
  MlirRegion region;
  stow_region_cause cause;
} part_home;

typedef struct sorter {
  const stow_arenas *arenas;
  const stow_function_memory *function;
  stow_dominance *dominance;
  const stow_arena *arena;
  int64_t *part;               // per member, or NOWHERE
  size_t parts;                // the first is that of the scope, and of all members of known size
  STOW_ARRAY(part_home) homes; // per part
  stow_map index_of_home;      // of blocks: an index of `begun`
  STOW_ARRAY(begun_list) begun;
} sorter;

enum { NOWHERE = -1 };

static bool is_of_scope(const sorter *s, MlirBlock block) {
  const stow_scope *scope = stow_arena_scope(s->arenas, s->arena);
  return mlirRegionEqual(mlirBlockGetParentRegion(block), scope->region);
}

static int32_t block_of_scope(const sorter *s, int32_t block) {
  while (!is_of_scope(s, s->function->flow.blocks.at[block].block))
    block = s->function->flow.blocks.at[block].parent;
  return block;
}

// The nearest block outwards from a member that runs exactly when its own does.
static int32_t outer_block(const sorter *s, size_t member) {
  const stow_flow *flow = &s->function->flow;
  const int32_t once = flow->blocks.at[flow->allocs.at[member].block].once;
  return stow_arena_fact(s->arenas, s->arena, member)->size.guarded ? block_of_scope(s, once)
                                                                    : once;
}

// Blocks behind others are no homes, and none is that of what lives on when it is left.
static bool is_home_of(const sorter *s, int32_t home, size_t member) {
  const stow_block *block = &s->function->flow.blocks.at[home];
  if (is_of_scope(s, block->block))
    return mlirBlockEqual(mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block->block)),
                          block->block);
  const stow_heap_life life = stow_heap_life_of(s->arenas, s->arena, member);
  return stow_arena_is_only_block(block->block) && life.end < block->end;
}

static bool is_unsized(const sorter *s, size_t index) {
  const stow_buffer_fact *fact = stow_arena_fact(s->arenas, s->arena, s->arena->members.at[index]);
  return fact->reason == STOW_PLANNED && !fact->size.known;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static stow_formula size_of(const sorter *s, size_t index) {
  return stow_arena_fact(s->arenas, s->arena, s->arena->members.at[index])->size.formula;
}

static begun_list *begun_in(sorter *s, MlirBlock home) {
  int32_t index = stow_map_get(&s->index_of_home, home.ptr);
  if (index < 0) {
    index = (int32_t)STOW_PUSH(s->begun, (begun_list){0});
    stow_map_add(&s->index_of_home, home.ptr, index);
  }
  return &s->begun.at[index];
}

static bool is_known_before(const sorter *s, size_t index, MlirOperation before) {
  return stow_ir_is_available(s->function->extents, size_of(s, index), s->dominance, before);
}

// The first part in front of which a member's size is known, or the number of parts.
static size_t first_known(const sorter *s, const begun_list *parts, size_t index) {
  size_t low = 0, high = parts->count;
  while (low < high) {
    const size_t middle =
        high == parts->count ? high - 1 : low + (high - low) / 2; // the last first
    if (is_known_before(s, index, parts->at[middle].before))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static stow_region_cause cause_of(const sorter *s, size_t index, MlirOperation around) {
  const stow_buffer_fact *fact = stow_arena_fact(s->arenas, s->arena, s->arena->members.at[index]);
  if (fact->size.too_deep)
    return STOW_HOME_TOO_DEEP;
  switch (stow_availability_of(s->function->extents, size_of(s, index), s->dominance, around)) {
  case STOW_NOT_AVAILABLE:
    return STOW_SIZES_LATER;
  case STOW_TOO_DEEP:
    return STOW_HOME_TOO_DEEP;
  case STOW_AVAILABLE:
    break;
  }
  return STOW_RUN_UNCERTAIN;
}

// The part of a member, the first of it, with that home.
static size_t add_part(sorter *s, int32_t home, size_t index) {
  const MlirBlock block = s->function->flow.blocks.at[home].block;
  part_home made = {0};
  if (!is_of_scope(s, block))
    made = (part_home){mlirBlockGetParentRegion(block),
                       cause_of(s, index, mlirBlockGetParentOperation(block))};
  STOW_PUSH(s->homes, made);
  return s->parts++;
}

static MlirOperation alloc_in(const sorter *s, int32_t home, size_t index) {
  const stow_flow *flow = &s->function->flow;
  return stow_ir_op_in_region(mlirBlockGetParentRegion(flow->blocks.at[home].block),
                              flow->allocs.at[s->arena->members.at[index]].op);
}

// Adds a part for a member. None where its size is computed in an op of the home's block: there it
// is not known in front.
static void begin_part(sorter *s, int32_t home, size_t index, bool outside, begun_list *out) {
  const MlirBlock block = s->function->flow.blocks.at[home].block;
  const MlirOperation first = mlirBlockGetFirstOperation(block);
  const bool early = is_known_before(s, index, first);
  const MlirOperation before = early ? first : alloc_in(s, home, index);
  const bool is_first = early && is_of_scope(s, block) && !outside;
  if (early || is_known_before(s, index, before))
    STOW_PUSH(*out, (begun){before, is_first ? 0 : add_part(s, home, index)});
}

// Gives a member the first part of a home that it can be in, if there is one.
static void take_part_in(sorter *s, int32_t home, size_t index, bool outside) {
  if (!is_home_of(s, home, s->arena->members.at[index]))
    return;
  begun_list *parts = begun_in(s, s->function->flow.blocks.at[home].block);
  const size_t which = first_known(s, parts, index);
  if (which == parts->count)
    begin_part(s, home, index, outside, parts);
  if (which < parts->count)
    s->part[index] = (int64_t)parts->at[which].part;
}

// From the outermost home inwards.
static void take_part(sorter *s, size_t index, bool outside) {
  const size_t member = s->arena->members.at[index];
  const int32_t outer = outer_block(s, member);
  take_part_in(s, outer, index, outside);
  if (s->part[index] != NOWHERE)
    return;
  STOW_ARRAY(int32_t) within = {0};
  for (int32_t b = s->function->flow.allocs.at[member].block; b != outer && b >= 0;
       b = s->function->flow.blocks.at[b].parent)
    STOW_PUSH(within, b);
  for (size_t i = within.count; i-- > 0 && s->part[index] == NOWHERE;)
    take_part_in(s, within.at[i], index, outside);
  free(within.at);
}

// What is in the frame: the rest has arenas of its own.
static void take_frame(sorter *s) {
  for (size_t i = 0; i < s->arena->members.count; ++i) {
    const size_t member = s->arena->members.at[i];
    const int32_t home = outer_block(s, member);
    if (s->part[i] == NOWHERE && is_home_of(s, home, member) &&
        is_of_scope(s, s->function->flow.blocks.at[home].block) &&
        stow_ir_is_of_arguments(s->function->extents, size_of(s, i)))
      s->part[i] = 0;
  }
}

static void set_outside_frame(stow_arena *arena) {
  arena->outside_frame = true;
  if (!stow_backing_is(arena->backing, STOW_BACKING_IS_CALLED))
    arena->backing = STOW_BACKING_HEAP;
}

static void sort_arena(stow_arenas *arenas, stow_arena *arena, stow_dominance *dominance,
                       stow_arena_list *out) {
  const size_t count = arena->members.count, first = out->count;
  sorter s = {.arenas = arenas,
              .function = stow_arena_function(arenas, arena),
              .dominance = dominance,
              .arena = arena,
              .part = stow_ir_allocate(count, sizeof *s.part)};
  STOW_PUSH(s.homes, (part_home){0});
  s.parts = 1;
  for (size_t i = 0; i < count; ++i)
    s.part[i] = is_unsized(&s, i) ? NOWHERE : 0;
  const bool outside = stow_backing_is(arena->backing, STOW_BACKING_IS_GIVEN);
  if (outside)
    take_frame(&s);
  for (size_t i = 0; i < count; ++i)
    if (s.part[i] == NOWHERE)
      take_part(&s, i, outside);
  stow_arena_split(arenas, arena, s.part, s.parts, STOW_NOT_CERTAIN, out);
  for (size_t p = 0; p < s.parts; ++p) {
    out->at[first + p].region = s.homes.at[p].region;
    out->at[first + p].cause = s.homes.at[p].cause;
  }
  for (size_t p = 1; p < s.parts && outside; ++p)
    set_outside_frame(&out->at[first + p]);
  for (size_t i = 0; i < s.begun.count; ++i)
    free(s.begun.at[i].at);
  free(s.part);
  free(s.homes.at);
  stow_map_free(&s.index_of_home);
  free(s.begun.at);
}

// Other memory has a size that is known now.
static void leave_dynamic(stow_arenas *arenas, const stow_arena *arena) {
  for (size_t i = 0; i < arena->members.count; ++i) {
    stow_buffer_fact *fact = stow_arena_selected(arenas, arena, arena->members.at[i]);
    if (fact->reason == STOW_PLANNED && !fact->size.known)
      fact->reason = STOW_DYNAMIC;
  }
}

void stow_arena_sort_dynamic(stow_arenas *arenas) {
  stow_arena_list all = {0};
  stow_dominance *dominance = NULL; // of the last arena's function
  for (size_t a = 0; a < arenas->arenas.count; ++a) {
    stow_arena *arena = &arenas->arenas.at[a];
    if (a > 0 && arenas->arenas.at[a - 1].function != arena->function) {
      stow_dominance_destroy(dominance);
      dominance = NULL;
    }
    if (!stow_backing_is(arena->backing, STOW_BACKING_IS_OWN | STOW_BACKING_IS_GIVEN))
      leave_dynamic(arenas, arena);
    if (!stow_arena_is_dynamic(arenas, arena)) {
      STOW_PUSH(all, *arena);
      continue;
    }
    if (!dominance)
      dominance = stow_dominance_create(stow_arena_function(arenas, arena)->flow.function);
    sort_arena(arenas, arena, dominance, &all);
  }
  stow_dominance_destroy(dominance);
  stow_arenas_take(arenas, &all);
}
