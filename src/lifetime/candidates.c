//===- candidates.c - the values that are to get lives --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lifetime/candidates.h"

#include "bridge/bridge.h"

#include <stdlib.h>

typedef struct search {
  stow_lifetime_candidates result;
  const stow_flow *flow;
  stow_lifetime_touch_index index;
  stow_dominance *dominance;
  stow_lifetime_area_solver *solver;
  stow_lifetime_history history;
  STOW_ARRAY(stow_lifetime_point) points;
  STOW_ARRAY(int64_t) frees;
} search;

//===----------------------------------------------------------------------===//
// Saying no
//===----------------------------------------------------------------------===//

typedef struct refusal {
  const char *code, *clause, *suggestion;
} refusal;

static const refusal NAME_ENDS = {"outlives-its-name",
                                  "its memory is used where its name is not known", NULL};
static const refusal NO_PLACE = {
    "no-place", "it may be freed before its last use, or a path has no place for a marker", NULL};
static const refusal SHARED = {"shared-bytes",
                               "views share its bytes and do not overwrite them first", NULL};
static const refusal BESIDE = {"beside-unmarked", "another view of its memory has no life", NULL};
static const refusal CLONE = {"clone", "it is full when it comes into being",
                              "run lower-clones first"};
static const refusal MARKED = {"has-markers", "it has markers already", NULL};

static void remark(const search *s, int32_t alloc, const refusal *no) {
  MlirOperation op = s->flow->allocs.at[alloc].op;
  if (!stow_remarks_enabled(mlirOperationGetContext(op)))
    return;
  const stow_remark remark = {.kind = STOW_REMARK_MISSED,
                              .location = mlirOperationGetLocation(op),
                              .category = "insert-lifetimes",
                              .name = no->code,
                              .function = stow_bridge_function_name(s->flow->function),
                              .text = "buffer gets no lifetime markers",
                              .reason = no->clause,
                              .suggestion = no->suggestion};
  stow_remark_emit(&remark);
}

static void remark_reason(const search *s, int32_t alloc, stow_reason reason, MlirOperation blame) {
  stow_text text = {0};
  char *op = stow_ir_copy_string(stow_ir_op_name(blame));
  const stow_reason_row *row = stow_reason_row_of(reason);
  stow_text_fill(&text, row->clause, op);
  char *suggestion = stow_reason_suggestion(row, "insert-lifetimes", STOW_BY_UNKNOWN_OPS);
  const refusal refused = {row->code, text.data, suggestion};
  remark(s, alloc, &refused);
  free(op);
  free(text.data);
  free(suggestion);
}

//===----------------------------------------------------------------------===//
// One value's points
//===----------------------------------------------------------------------===//

static void add_point(search *s, int64_t position, stow_lifetime_side side, bool overwrites) {
  STOW_PUSH(s->points, (stow_lifetime_point){position, side, overwrites});
}

// The scope around `position` that lies directly in `home`, or `home`.
static int32_t scope_in(const search *s, int64_t position, int32_t home) {
  const stow_lifetime_paths *p = &s->result.paths;
  int32_t scope = p->scope_at[position];
  while (scope != home && p->scopes[scope].parent >= 0 && p->scopes[scope].parent != home)
    scope = p->scopes[scope].parent;
  return scope;
}

static bool is_alone(const search *s, size_t t) {
  const stow_lifetime_history *h = &s->history;
  int64_t position = h->touches.at[t].position;
  int32_t end = stow_map_get(&s->index.end_of, s->flow->ops.at[position].ptr);
  bool before = t > 0 && h->touches.at[t - 1].position == position;
  bool after =
      t + 1 < h->touches.count && h->touches.at[t + 1].position < (end >= 0 ? end : position + 1);
  return !before && !after;
}

// Whether a touch leaves nothing of what was there, by no name.
static bool overwrites(const search *s, const stow_lifetime_candidate *c, size_t t) {
  const stow_lifetime_touch *touch = &s->history.touches.at[t];
  MlirOperation op = s->flow->ops.at[touch->position];
  return !s->result.value_form && touch->value == c->value &&
         touch->position == stow_map_get(&s->index.position_of, op.ptr) && is_alone(s, t) &&
         stow_ir_overwrites(op, s->flow->values.at[c->value].value);
}

// Touches in a region with an arena of its own are the op's: no marker stands in there.
static bool add_touch(search *s, const stow_lifetime_candidate *c, size_t t) {
  int64_t position = s->history.touches.at[t].position;
  int32_t home = s->flow->allocs.at[c->alloc].scope, scope = scope_in(s, position, home);
  MlirValue value = s->flow->values.at[c->value].value;
  if (scope == home) {
    add_point(s, position, STOW_LIFE_AT, overwrites(s, c, t));
  } else {
    position = s->result.paths.scopes[scope].begin;
    add_point(s, position, STOW_LIFE_AT, false);
    add_point(s, s->result.paths.scopes[scope].end, STOW_LIFE_AT, false);
  }
  return stow_bridge_dominates(s->dominance, value, s->flow->ops.at[position]);
}

static void list_frees(search *s) {
  s->frees.count = 0;
  for (size_t i = 0; i < s->history.frees.count; ++i)
    STOW_PUSH(s->frees, s->history.frees.at[i].position);
}

//===----------------------------------------------------------------------===//
// The value form
//===----------------------------------------------------------------------===//

static int64_t birth_of(const search *s, const stow_lifetime_candidate *c) {
  MlirValue value = s->flow->values.at[c->value].value;
  return stow_map_get(&s->index.position_of, mlirOpResultGetOwner(value).ptr);
}

// One start must come before all that uses the value: at the first user, if they are all in the
// block of the value or below, else right where it is made.
static void add_first_user(search *s, const stow_lifetime_candidate *c) {
  MlirValue value = s->flow->values.at[c->value].value;
  MlirOperation owner = mlirOpResultGetOwner(value);
  MlirBlock block = mlirOperationGetBlock(owner);
  int64_t first = INT64_MAX;
  STOW_EACH_USE(use, value) {
    MlirOperation op = stow_ir_op_in_block(block, mlirOpOperandGetOwner(use));
    if (mlirOperationIsNull(op)) {
      add_point(s, birth_of(s, c), STOW_LIFE_AFTER, false);
      return;
    }
    int64_t position = stow_map_get(&s->index.position_of, op.ptr);
    if (!stow_ir_is_dealloc(op) && position < first)
      first = position;
  }
  add_point(s, first, STOW_LIFE_BEFORE, false);
}

//===----------------------------------------------------------------------===//
// One candidate
//===----------------------------------------------------------------------===//

static bool has_marker(const search *s) {
  for (size_t n = 0; n < s->history.names.count; ++n)
    STOW_EACH_USE(use, s->flow->values.at[s->history.names.at[n]].value)
      if (stow_ir_is_marker(mlirOpOperandGetOwner(use)))
        return true;
  return false;
}

// Whether the value exists wherever a marker is to stand. The area may have grown beyond that where
// an edge of it has no place for a marker.
static bool places_are_dominated(const search *s, const stow_lifetime_candidate *c, int64_t birth) {
  MlirValue value = s->flow->values.at[c->value].value;
  STOW_EACH(const stow_lifetime_place, place, c->area.places) {
    bool at_birth = place->after && place->position == birth;
    if (!at_birth && !stow_bridge_dominates(s->dominance, value, s->flow->ops.at[place->position]))
      return false;
  }
  return true;
}

// Why the value gets no life, or NULL. Finds its area where it does.
static const refusal *solve(search *s, stow_lifetime_candidate *c) {
  bool dominated = true;
  stow_lifetime_history_of(&s->index, c->value, NULL, &s->history);
  s->points.count = 0;
  for (size_t t = 0; t < s->history.touches.count; ++t)
    dominated &= add_touch(s, c, t);
  if (has_marker(s))
    return &MARKED;
  if (!dominated)
    return &NAME_ENDS;
  if (s->points.count > 0 && s->result.value_form)
    add_first_user(s, c);
  STOW_SORT_UNIQUE(s->points, stow_lifetime_compare_points);
  list_frees(s);
  const stow_lifetime_area_problem problem = {birth_of(s, c), s->points.at, s->points.count,
                                              s->frees.at, s->frees.count};
  bool solved = stow_lifetime_area_solve(s->solver, &problem, &c->area);
  return solved && places_are_dominated(s, c, problem.birth) ? NULL : &NO_PLACE;
}

static void add_candidate(search *s, int32_t value, int32_t alloc) {
  stow_lifetime_candidates *r = &s->result;
  stow_lifetime_candidate c = {.value = value, .alloc = alloc};
  c.bytes = stow_view_bytes_of(s->flow, value);
  MlirOperation blame = s->flow->allocs.at[alloc].op;
  stow_reason reason =
      stow_reason_of_flow(s->flow, &s->flow->allocs.at[alloc], &r->memory->lives[value], &blame);
  const refusal *refused = reason == STOW_PLANNED ? solve(s, &c) : NULL;
  c.refused = reason != STOW_PLANNED || refused;
  if (refused)
    remark(s, alloc, refused);
  else if (c.refused)
    remark_reason(s, alloc, reason, blame);
  STOW_PUSH(r->list, c);
}

//===----------------------------------------------------------------------===//
// Carved allocations
//===----------------------------------------------------------------------===//

static bool is_view_for_all_time(const search *s, int32_t alloc, MlirOperation view) {
  int32_t value = stow_map_get(&s->flow->index, mlirOperationGetResult(view, 0).ptr);
  return s->flow->values.at[value].nest ==
             s->flow->values.at[s->flow->allocs.at[alloc].value].nest &&
         stow_view_bytes_of(s->flow, value).known;
}

// Whether an allocation is used by deallocs and at least two views at known offsets, each made once
// in its time, and nothing else.
static bool is_carved(const search *s, int32_t alloc) {
  size_t views = 0;
  MlirValue value = s->flow->values.at[s->flow->allocs.at[alloc].value].value;
  STOW_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (stow_ir_is_dealloc(op))
      continue;
    if (!stow_ir_is(op, STOW_MEMREF_VIEW) || !is_view_for_all_time(s, alloc, op))
      return false;
    ++views;
  }
  return views > 1;
}

STOW_BY_FIELDS(compare_offsets, stow_lifetime_candidate, bytes.begin, value)

static bool starts_by_overwriting(const stow_lifetime_area *area) {
  for (size_t p = 0; p < area->places.count; ++p)
    if (area->places.at[p].start && !area->places.at[p].overwritten)
      return false;
  return true;
}

// Whether the views of a family may have lives: items[first] up to items[end].
static bool agree(const stow_lifetime_candidate *items, size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    if (items[i].refused || !starts_by_overwriting(&items[i].area))
      return false;
    for (size_t j = i + 1; j < end; ++j)
      if (stow_view_bytes_may_overlap(&items[i].bytes, &items[j].bytes) &&
          stow_lifetime_areas_meet(&items[i].area, &items[j].area))
        return false;
  }
  return true;
}

static void settle_family(search *s, size_t first, size_t end) {
  stow_lifetime_candidate *items = s->result.list.at;
  if (end - first < 2 || agree(items, first, end))
    return;
  for (size_t i = first; i < end; ++i) {
    if (!items[i].refused)
      remark(s, items[i].alloc, &SHARED);
    items[i].refused = true;
  }
}

// Whether all bytes that are used are those of a view with a life. Where one has none, a name of it
// whose bytes are not known may be taken for a use of any other view.
static bool all_have_lives(const stow_lifetime_candidate *items, size_t first, size_t end) {
  for (size_t i = first; i < end; ++i)
    if (items[i].refused)
      return false;
  return true;
}

static void refuse_rest(search *s, size_t first, size_t end) {
  stow_lifetime_candidate *items = s->result.list.at;
  for (size_t i = first; i < end; ++i) {
    if (!items[i].refused)
      remark(s, items[i].alloc, &BESIDE);
    items[i].refused = true;
  }
}

static void add_views(search *s, int32_t alloc) {
  const size_t all = s->result.list.count;
  size_t first = all;
  MlirValue value = s->flow->values.at[s->flow->allocs.at[alloc].value].value;
  STOW_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (stow_ir_is(op, STOW_MEMREF_VIEW))
      add_candidate(s, stow_map_get(&s->flow->index, mlirOperationGetResult(op, 0).ptr), alloc);
  }
  stow_lifetime_candidate *items = s->result.list.at;
  stow_ir_sort(items + first, s->result.list.count - first, sizeof *items, compare_offsets);
  int64_t reach = 0;
  for (size_t i = first; i < s->result.list.count; ++i) {
    if (i > first && items[i].bytes.begin >= reach) {
      settle_family(s, first, i);
      first = i;
    }
    reach = items[i].bytes.end > reach ? items[i].bytes.end : reach;
  }
  settle_family(s, first, s->result.list.count);
  if (!all_have_lives(items, all, s->result.list.count))
    refuse_rest(s, all, s->result.list.count);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

stow_lifetime_candidates stow_lifetime_candidates_of(const stow_function_memory *memory,
                                                     bool value_form) {
  const stow_flow *flow = &memory->flow;
  search s = {
      .result = {.memory = memory, .value_form = value_form, .paths = stow_lifetime_paths_of(flow)},
      .flow = flow,
      .index = stow_lifetime_touch_index_of(flow),
      .dominance = stow_dominance_create(flow->function)};
  s.solver = stow_lifetime_area_solver_create(&s.result.paths);
  for (size_t i = 0; i < flow->allocs.count; ++i)
    if (stow_ir_is(flow->allocs.at[i].op, STOW_BUFFERIZATION_CLONE))
      remark(&s, (int32_t)i, &CLONE);
    else if (is_carved(&s, (int32_t)i))
      add_views(&s, (int32_t)i);
    else
      add_candidate(&s, flow->allocs.at[i].value, (int32_t)i);
  stow_lifetime_area_solver_destroy(s.solver);
  stow_dominance_destroy(s.dominance);
  stow_lifetime_touch_index_free(&s.index);
  stow_lifetime_history_free(&s.history);
  free(s.points.at);
  free(s.frees.at);
  return s.result;
}

void stow_lifetime_candidates_free(stow_lifetime_candidates *candidates) {
  for (size_t i = 0; i < candidates->list.count; ++i)
    stow_lifetime_area_free(&candidates->list.at[i].area);
  free(candidates->list.at);
  stow_lifetime_paths_free(&candidates->paths);
  *candidates = (stow_lifetime_candidates){0};
}
