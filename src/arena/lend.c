//===- lend.c - buffers in the bytes of results that are not yet written --===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A returned allocation is no part of the arena, and its bytes are unused until it is first
// touched. Such an allocation is a *lender*: if it is made early, buffers that are dead by then fit
// into it. The planner gets the lenders as further memories of a fixed size that cost nothing. The
// buffers that it puts into a lender become a separate arena, backed by the result.
//
// This never raises the peak of the heap. Arena and lender are counted together while both exist,
// so a lender must be allocated before the arena is freed. Between its new place and its old one,
// nothing else may hold memory of the heap that is freed before the old one (unplanned allocs,
// arenas of inner scopes, calls and what they return).
//
// If sizes are known at run time only, a plan for typical sizes must be proven to fit the lender
// for all sizes; otherwise the lender is not used. The lender's own size must be known where it is
// made. joint_stackings.c finds what fits for some sizes only.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "arena/heap.h"
#include "arena/lifetime.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The spaces of a problem but the arena's own.
enum { MAX_LENDERS = STOW_MAX_SPACES - 1 };

typedef struct lender {
  size_t alloc;    // of the function's
  int32_t block;   // that it is made in
  int64_t quiet;   // the position from which it may be allocated
  int64_t touched; // its first touch
  uint64_t bytes;
  bool misfit; // what was planned for it may not fit
  bool early;  // of a function with formulas: its size is known where the arena is made
} lender;

typedef struct lending {
  stow_arenas *arenas;
  const stow_calls *calls;
  STOW_ARRAY(lender) lenders;    // of the arena at hand
  STOW_ARRAY(int64_t) changes;   // the same: where memory beside it comes or goes, ascending
  STOW_ARRAY(stow_arena) result; // all arenas, those in lenders after the one they were part of
} lending;

//===----------------------------------------------------------------------===//
// Who takes memory from the heap
//===----------------------------------------------------------------------===//

// Whether an alloc is neither part of the arena nor kept for the caller: memory that comes and
// goes.
static bool is_passing(const lending *l, const stow_arena *arena, size_t alloc) {
  const stow_buffer_fact *fact = stow_arena_fact(l->arenas, arena, alloc);
  const stow_alloc *made = &stow_arena_function(l->arenas, arena)->flow.allocs.at[alloc];
  const bool planned_here = fact->reason == STOW_PLANNED && made->scope == arena->scope;
  return !planned_here && fact->reason != STOW_RETURNED && fact->reason != STOW_EMPTY;
}

static void note_life(lending *l, const stow_life *life, int64_t came) {
  const int64_t gone = stow_ir_later(life->end, life->handed);
  STOW_PUSH(l->changes, came);
  if (gone > came)
    STOW_PUSH(l->changes, gone);
}

// The positions up to `end` behind which memory beside the arena has come or gone.
static void find_changes(lending *l, const stow_arena *arena, int64_t end) {
  const stow_function_memory *function = stow_arena_function(l->arenas, arena);
  const stow_flow *flow = &function->flow;
  l->changes.count = 0;
  for (size_t i = 0; i < flow->allocs.count && flow->allocs.at[i].position < end; ++i)
    if (is_passing(l, arena, i))
      note_life(l, stow_arena_life(l->arenas, arena, i), flow->allocs.at[i].position + 1);
  for (size_t v = 0; v < flow->values.count && flow->calls; ++v)
    if (flow->values.at[v].defined < end &&
        stow_arena_is_given(l->arenas, l->calls, &flow->values.at[v]))
      note_life(l, &function->lives[v], flow->values.at[v].defined + 1);
  for (int64_t p = 0; p < end && flow->calls; ++p)
    if (stow_arena_calls_allocator(l->arenas, l->calls, flow->ops.at[p]))
      STOW_PUSH(l->changes, p + 1);
  STOW_SORT(l->changes, stow_ir_by_number);
}

// From where on nothing but what is there at `end` takes memory from the heap, for however short.
static int64_t quiet_before(const lending *l, int64_t end) {
  const size_t later = stow_ir_first_from(STOW_NUMBERS(l->changes.at, l->changes.count), end + 1);
  return later == 0 ? 0 : l->changes.at[later - 1];
}

//===----------------------------------------------------------------------===//
// Lenders
//===----------------------------------------------------------------------===//

static int64_t end_of_arena(const lending *l, const stow_arena *arena) {
  int64_t end = 0;
  for (size_t i = 0; i < arena->planned_count; ++i) {
    const stow_life *life = stow_arena_life(l->arenas, arena, arena->planned[i]);
    end = stow_ir_later(end, stow_ir_later(life->end, life->handed));
  }
  return end;
}

// Its bytes are there as a number or as a formula, and not only at most so many.
static bool has_exact_size(const lending *l, const stow_arena *arena, const stow_alloc *alloc,
                           const stow_extent *size) {
  const stow_extents *extents = stow_arena_function(l->arenas, arena)->extents;
  return mlirShapedTypeHasStaticShape(alloc->type) ||
         (extents && !extents->bound && size->formula != STOW_NO_FORMULA);
}

// Only its function's returns give its address away, and that at the end.
static bool is_lender(const lending *l, const stow_arena *arena, size_t alloc, int64_t arena_end) {
  const stow_flow *flow = &stow_arena_function(l->arenas, arena)->flow;
  const stow_alloc *made = &flow->allocs.at[alloc];
  const stow_life *life = stow_arena_life(l->arenas, arena, alloc);
  const stow_buffer_fact *fact = stow_arena_fact(l->arenas, arena, alloc);
  return fact->reason == STOW_RETURNED && fact->size.bytes > 0 &&
         has_exact_size(l, arena, made, &fact->size) && stow_ir_is_plain_alloc(made->op) &&
         life->escape < 0 && life->carried < 0 && life->free < 0 && life->begin < life->end &&
         made->position < arena_end &&
         life->outermost >= flow->nests.at[flow->scopes.at[arena->scope].nest].depth &&
         life->begin < flow->blocks.at[made->block].end;
}

static int compare_bytes(const void *a, const void *b) {
  const lender *x = a, *y = b;
  return stow_ir_then(STOW_COMPARE(y->bytes, x->bytes), STOW_COMPARE(x->alloc, y->alloc));
}

// Whether the size of each is known where the arena is made.
static void find_early(lending *l, const stow_arena *arena) {
  const stow_function_memory *function = stow_arena_function(l->arenas, arena);
  if (!function->extents || l->lenders.count == 0)
    return;
  const MlirOperation place = stow_arena_place_of(l->arenas, arena);
  stow_dominance *dominance = stow_dominance_create(function->flow.function);
  for (size_t s = 0; s < l->lenders.count; ++s)
    l->lenders.at[s].early = stow_ir_is_available(
        function->extents, stow_arena_member_formula(l->arenas, arena, l->lenders.at[s].alloc),
        dominance, place);
  stow_dominance_destroy(dominance);
}

static void find_lenders(lending *l, const stow_arena *arena) {
  const stow_flow *flow = &stow_arena_function(l->arenas, arena)->flow;
  const int64_t end = end_of_arena(l, arena);
  int64_t last = 0;
  l->lenders.count = 0;
  for (size_t i = 0; i < arena->members.count; ++i) {
    const size_t alloc = arena->members.at[i];
    if (!is_lender(l, arena, alloc, end))
      continue;
    last = stow_ir_later(last, flow->allocs.at[alloc].position);
    STOW_PUSH(l->lenders, (lender){.alloc = alloc,
                                   .block = flow->allocs.at[alloc].block,
                                   .touched = stow_arena_life(l->arenas, arena, alloc)->begin,
                                   .bytes = stow_arena_fact(l->arenas, arena, alloc)->size.bytes});
  }
  stow_ir_sort(l->lenders.at, l->lenders.count, sizeof *l->lenders.at, compare_bytes);
  if (l->lenders.count > MAX_LENDERS)
    l->lenders.count = MAX_LENDERS;
  if (l->lenders.count > 0)
    find_changes(l, arena, last);
  for (size_t i = 0; i < l->lenders.count; ++i)
    l->lenders.at[i].quiet = quiet_before(l, flow->allocs.at[l->lenders.at[i].alloc].position);
  find_early(l, arena);
}

// Whether block `inner` is `outer` or inside an op of it.
static bool is_in_block(const stow_flow *flow, int32_t inner, int32_t outer) {
  while (inner >= 0 && flow->blocks.at[inner].depth > flow->blocks.at[outer].depth)
    inner = flow->blocks.at[inner].parent;
  return inner == outer;
}

// Whether it has room for the buffer, by itself, for all sizes. What the planner is told are
// typical ones.
static bool has_room(const lending *l, const stow_arena *arena, const lender *from, size_t buffer) {
  const stow_extents *extents = stow_arena_function(l->arenas, arena)->extents;
  return stow_formula_at_most(extents->formulas,
                              stow_arena_member_formula(l->arenas, arena, buffer),
                              stow_arena_member_formula(l->arenas, arena, from->alloc));
}

// Lenders by a position of theirs.
typedef struct ordered {
  int64_t at[MAX_LENDERS];          // ascending
  uint64_t before[MAX_LENDERS + 1]; // those of the positions before this one
  size_t count;
} ordered;

static void add_ordered(ordered *o, int64_t position, size_t number) {
  const uint64_t added = UINT64_C(1) << number;
  size_t i = o->count++;
  for (; i > 0 && o->at[i - 1] > position; --i) {
    o->at[i] = o->at[i - 1];
    o->before[i + 1] = o->before[i] | added;
  }
  o->at[i] = position;
  o->before[i + 1] = o->before[i] | added;
}

// Those whose position is below one.
static uint64_t lenders_below(const ordered *o, int64_t position) {
  return o->before[stow_ir_first_from(STOW_NUMBERS(o->at, o->count), position)];
}

// Where the op begins in which a buffer is made, of a block around it.
static int64_t position_around(const stow_flow *flow, size_t buffer, int32_t block) {
  const stow_alloc *made = &flow->allocs.at[buffer];
  const MlirOperation op = stow_ir_op_in_block(flow->blocks.at[block].block, made->op);
  return stow_arena_position_of(flow, op, made->position, -1);
}

// Whether a lender may be made where the buffer is, or before the op around it.
static bool is_before(const stow_flow *flow, const lender *from, size_t buffer) {
  const int32_t block = flow->allocs.at[buffer].block;
  return block == from->block || (is_in_block(flow, block, from->block) &&
                                  from->quiet <= position_around(flow, buffer, from->block));
}

// Those of `in_time` that can be made before the buffer wherever this is, and are made on the same
// paths: those that it may lie in for all sizes, and for some at least.
static uint64_t allowed_lenders(const lending *l, const stow_arena *arena, uint64_t in_time,
                                size_t buffer, uint64_t *out_possible) {
  const stow_function_memory *function = stow_arena_function(l->arenas, arena);
  uint64_t allowed = 0;
  *out_possible = 0;
  for (uint64_t rest = in_time; rest; rest &= rest - 1) {
    const lender *from = &l->lenders.at[__builtin_ctzll(rest)];
    if (!is_before(&function->flow, from, buffer))
      continue;
    const bool fits = !function->extents || has_room(l, arena, from, buffer);
    allowed |= fits && !from->misfit ? rest & -rest : 0;
    *out_possible |= from->early ? rest & -rest : 0;
  }
  return allowed;
}

//===----------------------------------------------------------------------===//
// Planning with lenders
//===----------------------------------------------------------------------===//

typedef struct joint {
  stow_space spaces[STOW_MAX_SPACES]; // the arena, then the lenders
  uint64_t sizes[STOW_MAX_SPACES];
  uint64_t *allowed;  // per planned buffer
  uint64_t *possible; // the same, with those that it fits for some sizes
  uint32_t *space;
  uint64_t *offsets;
  stow_plan_result plan;
} joint;

static void free_joint(joint *j) {
  free(j->allowed);
  free(j->possible);
  free(j->space);
  free(j->offsets);
}

// Per planned buffer the spaces it may go to. False where nobody may borrow for all sizes;
// `*out_possible`: for some.
static bool state_allowed(const lending *l, const stow_arena *arena, joint *j, bool *out_possible) {
  const stow_flow *flow = &stow_arena_function(l->arenas, arena)->flow;
  ordered quiet = {0}, touched = {0};
  bool any = false;
  for (size_t s = 0; s < l->lenders.count; ++s) {
    add_ordered(&quiet, l->lenders.at[s].quiet, s);
    add_ordered(&touched, l->lenders.at[s].touched, s);
  }
  *out_possible = false;
  for (size_t i = 0; i < arena->planned_count; ++i) {
    const size_t buffer = arena->planned[i];
    const uint64_t in_time =
        lenders_below(&quiet, flow->allocs.at[buffer].position + 1) &
        ~lenders_below(&touched, stow_arena_fact(l->arenas, arena, buffer)->end);
    uint64_t possible;
    const uint64_t allowed = allowed_lenders(l, arena, in_time, buffer, &possible);
    j->allowed[i] = 1 | allowed << 1;
    j->possible[i] = 1 | possible << 1;
    any |= allowed != 0;
    *out_possible |= possible != 0;
  }
  return any;
}

static bool state_joint(const lending *l, const stow_arena *arena, joint *j, bool *out_possible) {
  const size_t count = arena->planned_count;
  j->allowed = stow_ir_allocate(count, sizeof *j->allowed);
  j->possible = stow_ir_allocate(count, sizeof *j->possible);
  j->space = stow_ir_allocate(count, sizeof *j->space);
  j->offsets = stow_ir_allocate(count, sizeof *j->offsets);
  j->spaces[0] = (stow_space){.cost = 1};
  for (size_t s = 0; s < l->lenders.count; ++s)
    j->spaces[s + 1] = (stow_space){.capacity = l->lenders.at[s].bytes};
  return state_allowed(l, arena, j, out_possible);
}

// Whether so many bytes are less than the arena's. No plan of it is smaller than what lives at
// once.
static bool is_less(const lending *l, stow_arena *arena, uint64_t bytes) {
  return (arena->waits && bytes < stow_most_live_in(arena).bytes) ||
         (stow_arena_plan_waiting(l->arenas, arena) && bytes < arena->plan.arena_size);
}

// False where the arena does not become smaller.
static bool plan_joint(const lending *l, stow_arena *arena, joint *j) {
  stow_problem problem = arena->problem;
  problem.spaces = j->spaces;
  problem.space_count = l->lenders.count + 1;
  problem.allowed_spaces = j->allowed;
  const stow_plan_options options = {.strategy = l->arenas->options.strategy,
                                     .max_effort = l->arenas->options.planner_effort,
                                     .out_spaces = j->space,
                                     .out_space_sizes = j->sizes};
  const stow_status status = stow_plan(&problem, &options, j->offsets, &j->plan);
  if (status == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  stow_fault fault;
  return status == STOW_OK &&
         (j->plan.outcome == STOW_FEASIBLE || j->plan.outcome == STOW_OPTIMAL) &&
         is_less(l, arena, j->sizes[0]) &&
         stow_verify_spaces(&problem, j->offsets, j->space, &fault) == STOW_OK &&
         fault.kind == STOW_FAULT_NONE;
}

//===----------------------------------------------------------------------===//
// An arena per lender
//===----------------------------------------------------------------------===//

// Hands the planned members of `arena` to `parts`, by space, and the others to the first.
static void share_out(const stow_arena *arena, const joint *j, stow_arena *parts) {
  for (size_t i = 0, next = 0; i < arena->members.count; ++i) {
    const bool planned =
        next < arena->planned_count && arena->members.at[i] == arena->planned[next];
    STOW_PUSH(parts[planned ? j->space[next] : 0].members, arena->members.at[i]);
    next += planned;
  }
}

// The offsets of all parts, in one go through the arena.
static void take_offsets(const stow_arena *arena, const joint *j, stow_arena *parts) {
  size_t next[STOW_MAX_SPACES] = {0};
  for (size_t i = 0; i < arena->planned_count; ++i)
    parts[j->space[i]].offsets[next[j->space[i]]++] = j->offsets[i];
  for (size_t p = 0; p < STOW_MAX_SPACES; ++p)
    assert(next[p] == 0 || next[p] == parts[p].planned_count);
}

// Takes over what the joint plan says of one space.
static void take_plan(const joint *j, uint32_t space, stow_arena *part) {
  part->plan = j->plan;
  part->plan.arena_size = j->sizes[space];
  if (space > 0) {
    part->plan.lower_bound = j->sizes[space];
    part->plan.outcome = STOW_OPTIMAL;
  }
}

// Whether the sizes of the lender and of what is in it are known where it is made.
static bool is_known_there(const lending *l, const stow_arena *part) {
  const stow_function_memory *function = stow_arena_function(l->arenas, part);
  const MlirOperation place = stow_arena_lender_place(l->arenas, part);
  stow_dominance *dominance = stow_dominance_create(function->flow.function);
  bool known = stow_ir_is_available(function->extents,
                                    stow_arena_member_formula(l->arenas, part, part->lender),
                                    dominance, place);
  for (size_t i = 0; i < part->planned_count && known; ++i)
    known = stow_ir_is_available(function->extents,
                                 stow_arena_member_formula(l->arenas, part, part->planned[i]),
                                 dominance, place);
  stow_dominance_destroy(dominance);
  return known;
}

// Whether what lies in a lender fits it, whatever the sizes are.
static bool fits_lender(const lending *l, stow_arena *part) {
  if (stow_arena_fact(l->arenas, part, part->lender)->size.known &&
      !stow_arena_is_dynamic(l->arenas, part))
    return true;
  return stow_arena_stack_within(l->arenas, part,
                                 stow_arena_member_formula(l->arenas, part, part->lender)) &&
         is_known_there(l, part);
}

static bool stacks(const lending *l, stow_arena *rest) {
  return !stow_arena_is_dynamic(l->arenas, rest) ||
         (stow_arena_stack(l->arenas, rest) && rest->stackings.count > 0);
}

static void free_parts(stow_arena *parts, size_t count) {
  for (size_t p = 0; p < count; ++p) {
    free(parts[p].members.at);
    stow_arena_free_problem(&parts[p]);
  }
}

// Lists the parts, without those that are empty. What lies in which may differ with the sizes.
// False where nothing lies in a lender.
static bool take_parts(lending *l, const stow_arena *whole, const joint *j, stow_arena *parts,
                       size_t count) {
  if (l->arenas->sampled && stow_arena_function(l->arenas, whole)->extents)
    stow_arena_stack_jointly(l->arenas, whole, j->possible, parts, count);
  bool any = false;
  for (size_t p = 1; p < count; ++p)
    any |= stow_arena_is_made(&parts[p]);
  for (size_t p = 0; p < count && any; ++p)
    if (p == 0 || stow_arena_is_made(&parts[p]))
      STOW_PUSH(l->result, parts[p]);
    else
      free_parts(&parts[p], 1);
  return any;
}

// The arena, and one in each lender that is taken, in its place. False where one may not fit, which
// part it is, or where nothing is lent: 0.
static bool split(lending *l, stow_arena *arena, const joint *j, size_t *out_misfit) {
  stow_arena parts[STOW_MAX_SPACES];
  size_t s = 0, count = l->lenders.count + 1;
  for (size_t p = 0; p < count; ++p)
    parts[p] = stow_arena_empty_like(arena);
  share_out(arena, j, parts);
  for (size_t p = 0; p < count; ++p)
    stow_arena_state_problem(l->arenas, &parts[p]);
  take_offsets(arena, j, parts);
  for (bool fits = true; s < count && fits; s += fits) {
    if (s > 0) {
      parts[s].backing = STOW_BACKING_RESULT;
      parts[s].lender = l->lenders.at[s - 1].alloc;
    }
    take_plan(j, (uint32_t)s, &parts[s]);
    fits = s == 0 ? stacks(l, &parts[s]) : parts[s].members.count == 0 || fits_lender(l, &parts[s]);
  }
  *out_misfit = s == count ? 0 : s;
  const bool taken = s == count && take_parts(l, arena, j, parts, count);
  if (!taken)
    free_parts(parts, count);
  return taken;
}

// The plan of the arena alone as one of it and its lenders.
static void plan_alone(const stow_arena *arena, joint *j) {
  memcpy(j->offsets, arena->offsets, arena->planned_count * sizeof *j->offsets);
  memset(j->space, 0, arena->planned_count * sizeof *j->space);
  memset(j->sizes, 0, sizeof j->sizes);
  j->plan = arena->plan;
  j->sizes[0] = arena->plan.arena_size;
}

// Where nobody lends for all sizes, some may do so for some.
static bool lends_for_some(lending *l, stow_arena *arena, joint *j) {
  size_t misfit;
  if (!stow_arena_function(l->arenas, arena)->extents || !stow_arena_plan_waiting(l->arenas, arena))
    return false;
  plan_alone(arena, j);
  return split(l, arena, j, &misfit);
}

// False where nobody lends anything.
static bool lends(lending *l, stow_arena *arena) {
  while (l->lenders.count > 0) {
    joint j = {0};
    size_t misfit = 0;
    bool possible;
    const bool smaller = state_joint(l, arena, &j, &possible) && plan_joint(l, arena, &j);
    bool done = smaller && split(l, arena, &j, &misfit);
    const bool again = !done && misfit > 0;
    if (!done && !again && possible)
      done = lends_for_some(l, arena, &j);
    free_joint(&j);
    if (!again)
      return done;
    l->lenders.at[misfit - 1].misfit = true;
  }
  return false;
}

static bool lend_to(lending *l, stow_arena *arena) {
  l->lenders.count = 0;
  if (stow_backing_is(arena->backing, STOW_BACKING_IS_OWN) && arena->planned_count > 0 &&
      !arena->fixed)
    find_lenders(l, arena);
  if (!lends(l, arena)) {
    const bool ok = stow_arena_plan_waiting(l->arenas, arena);
    STOW_PUSH(l->result, *arena);
    return ok;
  }
  free(arena->members.at);
  free(arena->traced);
  free(arena->told.at);
  stow_arena_free_problem(arena);
  return true;
}

static bool lend_all(stow_arenas *arenas, const stow_calls *calls) {
  lending l = {.arenas = arenas, .calls = calls};
  bool ok = true;
  for (size_t a = 0; a < arenas->arenas.count; ++a)
    ok &= lend_to(&l, &arenas->arenas.at[a]);
  free(arenas->arenas.at);
  arenas->arenas.at = l.result.at;
  arenas->arenas.count = l.result.count;
  arenas->arenas.capacity = l.result.capacity;
  free(l.lenders.at);
  free(l.changes.at);
  return ok;
}

bool stow_arena_asks_lenders(const stow_arenas *arenas) {
  const stow_reuse_options *o = &arenas->options;
  return !o->tracer && !o->scheduler && !o->results_apart;
}

bool stow_arena_lend_results(stow_arenas *arenas) {
  return !stow_arena_asks_lenders(arenas) ||
         lend_all(arenas, arenas->framing ? arenas->framing->calls : arenas->memory.calls);
}
