//===- holders.c - sets of handles that stand for work --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check/holders.h"

#include "check/limits.h"

#include <stdlib.h>

enum { NONE = STOW_CHECK_NO_HOLDERS };

typedef stow_check_holders holders;
typedef stow_check_holder_set holder_set;

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

// Where the first node begins that may use it: not the one in which it is made.
static int64_t first_needed(const holders *s, int32_t handle) {
  const stow_check_handle *h = &s->program->handles.at[handle];
  return s->program->nodes.at[h->node].begin + !h->is_given;
}

static int32_t set_with(holders *s, int32_t handle, int32_t others) {
  const uint64_t number = (uint64_t)(handle + 1) << 32 | (uint32_t)(others + 1);
  const void *key = (const void *)(uintptr_t)number; // NOLINT: a number as a key
  int32_t at = stow_map_get(&s->set_of, key);
  ++*s->steps;
  if (at < 0) {
    const holder_set rest = others == NONE ? (holder_set){.until = INT64_MAX} : s->sets.at[others];
    const int64_t from = first_needed(s, handle), until = s->last_needed[handle];
    at = (int32_t)STOW_PUSH(s->sets, (holder_set){handle, others, rest.count + 1,
                                                  from > rest.from ? from : rest.from,
                                                  until < rest.until ? until : rest.until});
    stow_map_add(&s->set_of, key, at);
  }
  return at;
}

// The handles of a set, from the greatest on, that are greater than `than`; and the set of the
// others.
typedef struct split {
  int32_t count, rest;
  int32_t at[STOW_CHECK_MOST_HOLDERS];
} split;

static void split_at(const holders *s, int32_t set, int32_t than, split *out) {
  out->count = 0;
  for (out->rest = set; out->rest != NONE && s->sets.at[out->rest].handle > than;
       out->rest = s->sets.at[out->rest].others)
    out->at[out->count++] = s->sets.at[out->rest].handle;
}

static int32_t put_back(holders *s, const split *greater, int32_t rest) {
  for (int32_t i = greater->count; i > 0; --i)
    rest = set_with(s, greater->at[i - 1], rest);
  return rest;
}

bool stow_check_holders_have(const holders *s, int32_t set, int32_t handle) {
  while (set != NONE && s->sets.at[set].handle > handle)
    set = s->sets.at[set].others;
  return set != NONE && s->sets.at[set].handle == handle;
}

bool stow_check_holders_have_all(const holders *s, int32_t set, int32_t of) {
  if (set == of)
    return true;
  for (; of != NONE; of = s->sets.at[of].others)
    if (!stow_check_holders_have(s, set, s->sets.at[of].handle))
      return false;
  return true;
}

int32_t stow_check_holders_with(holders *s, int32_t set, int32_t handle) {
  split greater;
  if (handle < 0 || stow_check_holders_have(s, set, handle) ||
      (set != NONE && s->sets.at[set].count == STOW_CHECK_MOST_HOLDERS))
    return set;
  split_at(s, set, handle, &greater);
  return put_back(s, &greater, set_with(s, handle, greater.rest));
}

int32_t stow_check_holders_without(holders *s, int32_t set, int32_t handle) {
  split greater;
  if (!stow_check_holders_have(s, set, handle))
    return set;
  split_at(s, set, handle, &greater);
  return put_back(s, &greater, s->sets.at[greater.rest].others);
}

int32_t stow_check_holders_pruned(holders *s, int32_t set, int32_t node) {
  const int64_t begin = s->program->nodes.at[node].begin;
  const holder_set *held = set == NONE ? NULL : &s->sets.at[set];
  split all;
  int32_t kept = 0;
  if (!held || (held->from <= begin && begin <= held->until))
    return set;
  split_at(s, set, NONE, &all);
  for (int32_t i = 0; i < all.count; ++i)
    if (first_needed(s, all.at[i]) <= begin && begin <= s->last_needed[all.at[i]])
      all.at[kept++] = all.at[i];
  all.count = kept;
  return put_back(s, &all, NONE);
}

//===----------------------------------------------------------------------===//
// Where handles are needed
//===----------------------------------------------------------------------===//

typedef struct marking {
  holders *of;
  const int32_t *follows;
  int32_t handle;
  int32_t *seen; // by node: the last handle that was needed there
  STOW_ARRAY(int32_t) todo;
} marking;

static void mark(marking *m, int32_t node) {
  const stow_check_handle *h = &m->of->program->handles.at[m->handle];
  if (m->seen[node] == m->handle)
    return;
  m->seen[node] = m->handle;
  ++*m->of->steps;
  if (m->of->last_needed[m->handle] < m->of->program->nodes.at[node].begin)
    m->of->last_needed[m->handle] = m->of->program->nodes.at[node].begin;
  if (node != h->node)
    STOW_PUSH(m->todo, node);
}

static void mark_from(marking *m, int32_t node) {
  const stow_check_program *p = m->of->program;
  mark(m, node);
  while (m->todo.count > 0) {
    const int32_t at = m->todo.at[--m->todo.count];
    STOW_EACH_OF(edge, p->in, at)
      mark(m, p->edges.at[edge].from);
    if (m->follows[at] >= 0)
      mark(m, p->works.at[m->follows[at]].before);
  }
}

typedef struct use {
  int32_t handle, node;
} use;

STOW_BY_FIELDS(by_handle, use, handle, node)

typedef STOW_ARRAY(use) uses;

static void list_uses_by(const stow_check_program *p, uses *list, MlirOperation op, int32_t node) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    const int32_t handle = stow_check_handle_of(p, mlirOperationGetOperand(op, i));
    if (handle >= 0)
      STOW_PUSH(*list, (use){handle, node});
  }
}

static void list_uses(const stow_check_program *p, uses *list) {
  STOW_EACH_ITEM(int32_t, node, p->order)
    for (size_t e = p->nodes.at[node].first_event; e < p->nodes.at[node].event_end; ++e)
      if (p->events.at[e].kind == STOW_CHECK_EVENT_HANDLES)
        list_uses_by(p, list, p->ops.at[p->events.at[e].op], node);
  STOW_EACH(const stow_check_given, given, p->given)
    if (stow_check_handle_of(p, given->from) >= 0)
      STOW_PUSH(*list, (use){stow_check_handle_of(p, given->from), p->edges.at[given->edge].from});
}

static void find_needed(holders *s, const int32_t *follows) {
  const stow_check_program *p = s->program;
  marking m = {s, follows, .seen = stow_ir_allocate(p->nodes.count, sizeof *m.seen)};
  uses list = {0};
  for (size_t n = 0; n < p->nodes.count; ++n)
    m.seen[n] = NONE;
  for (size_t h = 0; h < p->handles.count; ++h)
    s->last_needed[h] = -1;
  list_uses(p, &list);
  STOW_SORT(list, by_handle);
  STOW_EACH(const use, u, list) {
    m.handle = u->handle;
    mark_from(&m, u->node);
  }
  free(list.at);
  free(m.seen);
  free(m.todo.at);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

holders stow_check_holders_open(const stow_check_program *program, const int32_t *follows,
                                uint64_t *steps) {
  holders s = {.program = program, .steps = steps};
  s.last_needed = stow_ir_allocate(program->handles.count, sizeof *s.last_needed);
  find_needed(&s, follows);
  return s;
}

void stow_check_holders_close(holders *s) {
  free(s->last_needed);
  free(s->sets.at);
  stow_map_free(&s->set_of);
}
