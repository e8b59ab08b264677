//===- live.c - the contents that are needed at one point -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fact per name: which bytes of it are needed from here on, which were lost and by what. The
// leaves are ranked by root, anchor and address, with a tree of the highest end over them, so that
// a write finds the facts it meets without a look at all others.
//
//===----------------------------------------------------------------------===//

#include "check/backward.h"

#include <assert.h>
#include <stdlib.h>

enum { NONE = -1 };

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

stow_check_fact stow_check_fact_none(int32_t name) {
  return (stow_check_fact){.name = name,
                           .reader = STOW_CHECK_NO_OP,
                           .lost_reader = STOW_CHECK_NO_OP,
                           .lost_by = STOW_CHECK_NO_OP,
                           .lost_through = STOW_CHECK_NO_NAME,
                           .used = STOW_CHECK_NO_OP,
                           .freed = STOW_CHECK_NO_OP};
}

static bool is_empty(const stow_check_fact *fact) {
  return stow_check_bytes_empty(fact->need) && stow_check_bytes_empty(fact->lost) &&
         fact->used == STOW_CHECK_NO_OP && fact->freed == STOW_CHECK_NO_OP;
}

void stow_check_fact_join(stow_check_fact *into, const stow_check_fact *from) {
  if (stow_check_bytes_empty(into->need))
    into->reader = from->reader;
  if (stow_check_bytes_empty(into->lost)) {
    into->lost_reader = from->lost_reader;
    into->lost_by = from->lost_by;
    into->lost_through = from->lost_through;
    into->lost_later = from->lost_later;
    into->lost_to_many = from->lost_to_many;
  } else if (!stow_check_bytes_empty(from->lost)) {
    into->lost_to_many |= from->lost_to_many || from->lost_through != into->lost_through ||
                          from->lost_later != into->lost_later;
  }
  into->need = stow_check_bytes_join(into->need, from->need);
  into->lost = stow_check_bytes_join(into->lost, from->lost);
  if (into->used == STOW_CHECK_NO_OP)
    into->used = from->used;
  if (into->freed == STOW_CHECK_NO_OP)
    into->freed = from->freed;
}

//===----------------------------------------------------------------------===//
// The order of leaves
//===----------------------------------------------------------------------===//

typedef struct ranked_leaf {
  int32_t root, anchor, name;
  int64_t address;
} ranked_leaf;

static int compare_leaves(const void *a, const void *b) {
  const ranked_leaf *x = a, *y = b;
  const int place =
      stow_ir_then(STOW_COMPARE(x->root, y->root), STOW_COMPARE(x->anchor, y->anchor));
  return stow_ir_then(
      place, stow_ir_then(STOW_COMPARE(x->address, y->address), STOW_COMPARE(x->name, y->name)));
}

static size_t collect_leaves(const stow_check_program *p, ranked_leaf *leaves) {
  size_t count = 0;
  for (size_t n = 0; n < p->names.count; ++n) {
    const stow_check_name *name = &p->names.at[n];
    assert(name->kind == STOW_CHECK_CHOICE || (name->root >= 0 && name->anchor >= 0));
    if (name->kind != STOW_CHECK_CHOICE)
      leaves[count++] = (ranked_leaf){name->root, name->anchor, (int32_t)n, name->address};
  }
  stow_ir_sort(leaves, count, sizeof *leaves, compare_leaves);
  return count;
}

static void rank_leaves(stow_check_live *live, const ranked_leaf *leaves) {
  for (size_t r = 0; r < live->leaf_count; ++r) {
    const ranked_leaf *l = &leaves[r];
    live->leaf_at[r] = l->name;
    live->rank_of[l->name] = (int32_t)r;
    live->head[r] = NONE;
    if (r == 0 || leaves[r - 1].anchor != l->anchor)
      live->anchor_first[l->anchor] = r;
    if (r == 0 || leaves[r - 1].root != l->root)
      live->root_first[l->root] = r;
    live->anchor_end[l->anchor] = live->root_end[l->root] = r + 1;
  }
}

static void name_owners(stow_check_live *live) {
  const stow_check_program *p = live->program;
  for (size_t n = 0; n < p->names.count; ++n)
    for (size_t o = 0; o < p->names.at[n].origin_count; ++o)
      live->owner[p->names.at[n].first_origin + o] = (int32_t)n;
}

void stow_check_live_create(stow_check_live *live, const stow_check_program *p, uint64_t *steps) {
  size_t n = p->names.count, o = p->origins.count;
  ranked_leaf *leaves = stow_ir_allocate(n, sizeof *leaves);
  *live = (stow_check_live){.program = p, .steps = steps, .leaf_count = collect_leaves(p, leaves)};
  for (live->tree_size = 1; live->tree_size < live->leaf_count; live->tree_size *= 2)
    ;
  live->facts = stow_ir_allocate(n, sizeof *live->facts);
  live->present = stow_ir_allocate(n, sizeof *live->present);
  live->slot = stow_ir_allocate(n, sizeof *live->slot);
  live->leaf_at = stow_ir_allocate(live->leaf_count, sizeof *live->leaf_at);
  live->rank_of = stow_ir_allocate(n, sizeof *live->rank_of);
  live->anchor_first = stow_ir_allocate(n, sizeof *live->anchor_first);
  live->anchor_end = stow_ir_allocate(n, sizeof *live->anchor_end);
  live->root_first = stow_ir_allocate(n, sizeof *live->root_first);
  live->root_end = stow_ir_allocate(n, sizeof *live->root_end);
  live->highest = stow_ir_allocate(2 * live->tree_size, sizeof *live->highest);
  live->head = stow_ir_allocate(live->leaf_count, sizeof *live->head);
  live->next = stow_ir_allocate(o, sizeof *live->next);
  live->previous = stow_ir_allocate(o, sizeof *live->previous);
  live->owner = stow_ir_allocate(o, sizeof *live->owner);
  live->indexed = stow_ir_allocate(n, sizeof *live->indexed);
  live->family_head = stow_ir_allocate(n, sizeof *live->family_head);
  live->family_next = stow_ir_allocate(n, sizeof *live->family_next);
  live->family_previous = stow_ir_allocate(n, sizeof *live->family_previous);
  live->in_family = stow_ir_allocate(n, sizeof *live->in_family);
  for (size_t i = 0; i < n; ++i)
    live->slot[i] = live->family_head[i] = NONE;
  for (size_t i = 0; i < 2 * live->tree_size; ++i)
    live->highest[i] = INT64_MIN;
  rank_leaves(live, leaves);
  name_owners(live);
  free(leaves);
}

void stow_check_live_free(stow_check_live *live) {
  free(live->facts);
  free(live->present);
  free(live->slot);
  free(live->leaf_at);
  free(live->rank_of);
  free(live->anchor_first);
  free(live->anchor_end);
  free(live->root_first);
  free(live->root_end);
  free(live->highest);
  free(live->head);
  free(live->next);
  free(live->previous);
  free(live->owner);
  free(live->indexed);
  free(live->family_head);
  free(live->family_next);
  free(live->family_previous);
  free(live->in_family);
  free(live->hits.at);
}

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

static void set_highest(stow_check_live *live, size_t rank, int64_t value) {
  size_t i = live->tree_size + rank;
  live->highest[i] = value;
  for (i /= 2; i > 0; i /= 2) {
    int64_t a = live->highest[2 * i], b = live->highest[2 * i + 1];
    live->highest[i] = a > b ? a : b;
  }
  ++*live->steps;
}

// Doubly linked lists of small numbers, all in the same two arrays: an item is in one of them at
// most.
static void link_item(int32_t *head, int32_t *next, int32_t *previous, int32_t item) {
  if (*head != NONE)
    previous[*head] = item;
  next[item] = *head;
  previous[item] = NONE;
  *head = item;
}

static void unlink_item(int32_t *head, int32_t *next, int32_t *previous, int32_t item) {
  if (next[item] != NONE)
    previous[next[item]] = previous[item];
  if (previous[item] != NONE)
    next[previous[item]] = next[item];
  else
    *head = next[item];
}

static void enter_origin(stow_check_live *live, int32_t origin) {
  int32_t name = live->program->origins.at[origin].leaf, rank = live->rank_of[name];
  const stow_check_name *n = &live->program->names.at[name];
  if (live->head[rank] == NONE)
    set_highest(live, (size_t)rank, n->address + n->bytes.hi);
  link_item(&live->head[rank], live->next, live->previous, origin);
}

static void leave_origin(stow_check_live *live, int32_t origin) {
  int32_t rank = live->rank_of[live->program->origins.at[origin].leaf];
  unlink_item(&live->head[rank], live->next, live->previous, origin);
  if (live->head[rank] == NONE)
    set_highest(live, (size_t)rank, INT64_MIN);
}

static void set_indexed(stow_check_live *live, int32_t name, bool needed) {
  const stow_check_name *n = &live->program->names.at[name];
  if (live->indexed[name] == needed)
    return;
  live->indexed[name] = needed;
  for (size_t o = n->first_origin; o < n->first_origin + n->origin_count; ++o)
    if (needed)
      enter_origin(live, (int32_t)o);
    else
      leave_origin(live, (int32_t)o);
}

static void set_in_family(stow_check_live *live, int32_t name, bool lost) {
  int32_t *head = &live->family_head[live->program->names.at[name].family];
  if (live->in_family[name] == lost)
    return;
  live->in_family[name] = lost;
  (lost ? link_item : unlink_item)(head, live->family_next, live->family_previous, name);
}

//===----------------------------------------------------------------------===//
// The set
//===----------------------------------------------------------------------===//

stow_check_fact stow_check_live_get(const stow_check_live *live, int32_t name) {
  return live->slot[name] == NONE ? stow_check_fact_none(name) : live->facts[name];
}

static void drop(stow_check_live *live, int32_t name) {
  int32_t slot = live->slot[name], last = live->present[--live->present_count];
  live->present[slot] = last;
  live->slot[last] = slot;
  live->slot[name] = NONE;
}

void stow_check_live_set(stow_check_live *live, stow_check_fact fact) {
  int32_t name = fact.name;
  ++*live->steps;
  live->facts[name] = fact;
  set_indexed(live, name, !stow_check_bytes_empty(fact.need));
  set_in_family(live, name, !stow_check_bytes_empty(fact.lost));
  if (is_empty(&fact)) {
    if (live->slot[name] != NONE)
      drop(live, name);
  } else if (live->slot[name] == NONE) {
    live->slot[name] = (int32_t)live->present_count;
    live->present[live->present_count++] = name;
  }
}

void stow_check_live_clear(stow_check_live *live) {
  while (live->present_count > 0)
    stow_check_live_set(live, stow_check_fact_none(live->present[live->present_count - 1]));
}

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

// The first rank in [from, end) that is needed up to beyond `low`, or `end`.
static size_t next_needed(const stow_check_live *live, size_t from, size_t end, int64_t low) {
  size_t i = live->tree_size + from;
  if (from >= end)
    return end;
  while (live->highest[i] <= low) {
    while (i & 1) // the last of its parent's stretch
      i /= 2;
    if (i == 0)
      return end;
    ++i;
  }
  while (i < live->tree_size)
    i = live->highest[2 * i] > low ? 2 * i : 2 * i + 1;
  return i - live->tree_size < end ? i - live->tree_size : end;
}

static void hit(stow_check_live *live, int32_t name, stow_check_bytes bytes) {
  STOW_PUSH(live->hits, (stow_check_hit){name, bytes});
  ++*live->steps;
}

// All names needed at a leaf. `bytes` count from the anchor; everything where they are not known.
static void hit_leaf(stow_check_live *live, size_t rank, const stow_check_bytes *bytes) {
  const stow_check_program *p = live->program;
  const stow_check_name *leaf = &p->names.at[live->leaf_at[rank]];
  for (int32_t o = live->head[rank]; o != NONE; o = live->next[o]) {
    int32_t name = live->owner[o];
    const stow_check_origin *origin = &p->origins.at[o];
    stow_check_bytes all = {-STOW_CHECK_FAR, STOW_CHECK_FAR};
    if (bytes && origin->exact)
      all = stow_check_bytes_shift(*bytes, -(leaf->address + origin->shift));
    hit(live, name, all);
  }
}

static void hit_range(stow_check_live *live, size_t first, size_t end,
                      const stow_check_bytes *bytes) {
  int64_t low = bytes ? bytes->lo : INT64_MIN;
  for (size_t r = next_needed(live, first, end, low); r < end;
       r = next_needed(live, r + 1, end, low)) {
    if (bytes && live->program->names.at[live->leaf_at[r]].address >= bytes->hi)
      return;
    hit_leaf(live, r, bytes);
  }
}

void stow_check_live_meet(stow_check_live *live, int32_t name, stow_check_bytes bytes) {
  const stow_check_program *p = live->program;
  const stow_check_name *n = &p->names.at[name];
  bool overlap = p->options->dynamic_offsets == STOW_DYNAMIC_OFFSETS_OVERLAP;
  live->hits.count = 0;
  for (size_t o = n->first_origin; o < n->first_origin + n->origin_count; ++o) {
    const stow_check_origin *origin = &p->origins.at[o];
    const stow_check_name *leaf = &p->names.at[origin->leaf];
    stow_check_bytes whole = stow_check_bytes_shift(leaf->bytes, leaf->address);
    stow_check_bytes touched = stow_check_bytes_shift(bytes, leaf->address + origin->shift);
    touched = origin->exact ? stow_check_bytes_meet(touched, whole) : whole;
    if (stow_check_bytes_empty(touched))
      continue;
    size_t first = live->anchor_first[leaf->anchor], end = live->anchor_end[leaf->anchor];
    hit_range(live, first, end, &touched);
    if (overlap) {
      hit_range(live, live->root_first[leaf->root], first, NULL);
      hit_range(live, end, live->root_end[leaf->root], NULL);
    }
  }
}
