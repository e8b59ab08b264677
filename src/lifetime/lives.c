//===- lives.c - the lives that a function's markers describe -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the flow of a function with markers. Computes for each marked value where it comes from,
// and in order of position where its life starts, ends, and where it is freed; a dealloc counts
// only where it is certain which memory it frees.
//
//===----------------------------------------------------------------------===//

#include "lifetime/verify.h"

#include <stdlib.h>

static int32_t *minus_ones(size_t count) {
  int32_t *items = stow_ir_allocate(count, sizeof *items);
  for (size_t i = 0; i < count; ++i)
    items[i] = -1;
  return items;
}

static void add_event(stow_lifetime_marked *marked, int64_t position,
                      stow_lifetime_event_kind kind) {
  STOW_PUSH(marked->events, (stow_lifetime_event){position, kind});
}

//===----------------------------------------------------------------------===//
// Where a value comes from
//===----------------------------------------------------------------------===//

// Collects the ends of all paths back from a value.
static void find_roots(stow_lifetime_lives *l, stow_lifetime_marked *marked) {
  stow_walk *walk = &l->index.walk;
  const stow_index *sources = &l->flow->sources;
  stow_walk_restart(walk);
  stow_walk_add(walk, marked->value);
  for (int32_t v; stow_walk_next(walk, &v);) {
    if (sources->first[v] == sources->first[v + 1] || l->flow->values.at[v].foreign)
      STOW_PUSH(marked->roots, v);
    stow_walk_add_all(walk, sources, v);
  }
}

static int32_t root_index(stow_lifetime_lives *l, int32_t value) {
  if (l->root_of[value] >= 0)
    return l->root_of[value];
  return l->root_of[value] = (int32_t)STOW_PUSH(l->roots, (stow_lifetime_root){.value = value});
}

static void join_roots(stow_lifetime_lives *l, int32_t index) {
  stow_lifetime_marked *marked = &l->marked.at[index];
  for (size_t r = 0; r < marked->roots.count; ++r) {
    marked->roots.at[r] = root_index(l, marked->roots.at[r]);
    stow_lifetime_root *root = &l->roots.at[marked->roots.at[r]];
    STOW_PUSH(root->marked, index);
  }
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static int64_t position_of(const stow_lifetime_lives *l, MlirOperation op) {
  return stow_map_get(&l->index.position_of, op.ptr);
}

static void add_birth(stow_lifetime_lives *l, stow_lifetime_marked *marked, int32_t value,
                      stow_lifetime_event_kind kind) {
  MlirValue name = l->flow->values.at[value].value;
  if (!mlirValueIsAOpResult(name))
    return;
  MlirOperation op = mlirOpResultGetOwner(name);
  int32_t end = stow_map_get(&l->index.end_of, op.ptr);
  add_event(marked, end >= 0 ? end : position_of(l, op), kind);
}

static int32_t root_of(const stow_lifetime_lives *l, int32_t value) {
  return stow_view_bytes_of(l->flow, value).root;
}

// A dealloc counts if it names the one root by way of nothing but views.
static void add_free(stow_lifetime_lives *l, int32_t name, MlirOperation op) {
  const int32_t value = root_of(l, name);
  const stow_lifetime_root *root = l->root_of[value] < 0 ? NULL : &l->roots.at[l->root_of[value]];
  for (size_t m = 0; root && m < root->marked.count; ++m)
    if (l->marked.at[root->marked.at[m]].bytes.root == value)
      add_event(&l->marked.at[root->marked.at[m]], position_of(l, op), STOW_LIFE_FREED);
}

static bool is_alloc(const stow_lifetime_lives *l, int32_t value) {
  return l->flow->values.at[value].alloc != STOW_NO_ALLOC;
}

// Whether an op frees an operand for certain. A bit must say so, and what the op retains must be
// other memory: allocations that are not the one that is freed.
static bool frees_for_certain(const stow_lifetime_lives *l, MlirOperation op, intptr_t operand,
                              int32_t name) {
  int64_t bit;
  if (!stow_frees_by_bit(op, operand)) {
    stow_effects e;
    stow_effects_of(op, &e);
    const bool frees = e.operands[operand] & STOW_FREE;
    stow_effects_free(&e);
    return frees;
  }
  bool certain = stow_ir_constant_of(stow_ir_bit_of(op, operand), &bit) && bit != 0;
  const int32_t root = root_of(l, name);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n && certain; ++i) {
    const int32_t other = stow_map_get(&l->flow->index, mlirOperationGetOperand(op, i).ptr);
    if (other < 0 || stow_frees_by_bit(op, i))
      continue;
    const int32_t retained = root_of(l, other);
    certain = retained != root && is_alloc(l, retained) && is_alloc(l, root);
  }
  return certain;
}

// Those of memref.dealloc, and those that ops tell of in other ways.
static void add_frees(stow_lifetime_lives *l) {
  STOW_EACH(const stow_free, f, l->flow->frees)
    add_free(l, f->value, f->op);
  STOW_EACH(const stow_escape, e, l->flow->escapes) {
    if (e->reason != STOW_FREED_BY || e->value < 0)
      continue;
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(e->op); i < n; ++i)
      if (stow_map_get(&l->flow->index, mlirOperationGetOperand(e->op, i).ptr) == e->value &&
          frees_for_certain(l, e->op, i, e->value)) {
        add_free(l, e->value, e->op);
        break;
      }
  }
}

static void add_births(stow_lifetime_lives *l, stow_lifetime_marked *marked) {
  add_birth(l, marked, marked->value, STOW_LIFE_NAME);
  if (marked->bytes.root >= 0 && l->flow->values.at[marked->bytes.root].alloc != STOW_NO_ALLOC)
    add_birth(l, marked, marked->bytes.root, STOW_LIFE_ROOT);
}

int64_t stow_lifetime_first_start(const stow_lifetime_marked *marked) {
  for (size_t e = 0; e < marked->events.count; ++e)
    if (marked->events.at[e].kind == STOW_LIFE_START)
      return marked->events.at[e].position;
  return -1;
}

size_t stow_lifetime_event_from(const stow_lifetime_marked *marked, int64_t position) {
  return stow_ir_first_from(STOW_COLUMN(marked->events.at, marked->events.count, position),
                            position);
}

static int compare_events(const void *a, const void *b) {
  const stow_lifetime_event *x = a, *y = b;
  return stow_ir_then(STOW_COMPARE(x->position, y->position), (int)x->kind - (int)y->kind);
}

STOW_BY_FIELDS(compare_starts, stow_lifetime_root_start, position, marked)

static void list_starts(stow_lifetime_lives *l, int32_t index) {
  const stow_lifetime_marked *marked = &l->marked.at[index];
  for (size_t r = 0; r < marked->roots.count; ++r) {
    stow_lifetime_root *root = &l->roots.at[marked->roots.at[r]];
    for (size_t e = 0; e < marked->events.count; ++e)
      if (marked->events.at[e].kind == STOW_LIFE_START)
        STOW_PUSH(root->starts, (stow_lifetime_root_start){marked->events.at[e].position, index});
  }
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

static void add_marker(stow_lifetime_lives *l, MlirOperation marker) {
  int64_t position = position_of(l, marker);
  int32_t value = stow_map_get(&l->flow->index, stow_lifetime_marked_value(marker).ptr);
  if (position < 0 || value < 0) // of another function
    return;
  if (l->marked_of[value] < 0) {
    l->is_marked[value] = true;
    l->marked_of[value] = (int32_t)STOW_PUSH(l->marked, (stow_lifetime_marked){.value = value});
  }
  add_event(&l->marked.at[l->marked_of[value]], position,
            stow_ir_is_start(marker) ? STOW_LIFE_START : STOW_LIFE_END);
}

static void complete(stow_lifetime_lives *l, int32_t index) {
  stow_lifetime_marked *marked = &l->marked.at[index];
  marked->bytes = stow_view_bytes_of(l->flow, marked->value);
  find_roots(l, marked);
  join_roots(l, index);
  add_births(l, marked);
  list_starts(l, index);
}

static void sort_events(stow_lifetime_lives *l) {
  for (size_t i = 0; i < l->marked.count; ++i)
    STOW_SORT(l->marked.at[i].events, compare_events);
  for (size_t r = 0; r < l->roots.count; ++r)
    STOW_SORT(l->roots.at[r].starts, compare_starts);
}

stow_lifetime_lives stow_lifetime_lives_of(const stow_flow *flow) {
  stow_lifetime_lives l = {.flow = flow,
                           .paths = stow_lifetime_paths_of(flow),
                           .index = stow_lifetime_touch_index_of(flow),
                           .marked_of = minus_ones(flow->values.count),
                           .root_of = minus_ones(flow->values.count),
                           .is_marked = stow_ir_allocate(flow->values.count, sizeof(bool))};
  STOW_EACH_OP_OF(op, flow->function)
    if (stow_ir_is_marker(op))
      add_marker(&l, op);
  for (size_t i = 0; i < l.marked.count; ++i)
    complete(&l, (int32_t)i);
  add_frees(&l);
  sort_events(&l);
  return l;
}

void stow_lifetime_lives_free(stow_lifetime_lives *l) {
  for (size_t i = 0; i < l->marked.count; ++i) {
    free(l->marked.at[i].events.at);
    free(l->marked.at[i].roots.at);
  }
  for (size_t r = 0; r < l->roots.count; ++r) {
    free(l->roots.at[r].marked.at);
    free(l->roots.at[r].starts.at);
  }
  stow_lifetime_paths_free(&l->paths);
  stow_lifetime_touch_index_free(&l->index);
  free(l->marked.at);
  free(l->roots.at);
  free(l->marked_of);
  free(l->root_of);
  free(l->is_marked);
  *l = (stow_lifetime_lives){0};
}
