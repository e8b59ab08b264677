//===- solve.c - what is needed where, and what destroys it ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One backward dataflow over the nodes, with the transfer functions of backward.c. Across an edge,
// what is needed of a choice is needed of what it stands for there. After the fixed point, each
// node is passed once more, and faults are noted.
//
//===----------------------------------------------------------------------===//

#include "check/steps.h"

#include "check/backward.h"

#include <stdlib.h>

typedef struct state {
  stow_check_fact *facts; // by name, ascending
  size_t count;
} state;

typedef struct solver {
  const stow_check_program *program;
  stow_check_backward backward;
  state *states; // by node: what holds at its beginning
  bool *waiting; // by node
} solver;

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

STOW_BY_FIELD(compare_facts, stow_check_fact, name)

static state snapshot(const stow_check_live *live) {
  state s = {stow_ir_allocate(live->present_count, sizeof *s.facts), live->present_count};
  for (size_t i = 0; i < s.count; ++i)
    s.facts[i] = live->facts[live->present[i]];
  stow_ir_sort(s.facts, s.count, sizeof *s.facts, compare_facts);
  return s;
}

static bool same_bytes(stow_check_bytes a, stow_check_bytes b) {
  return (stow_check_bytes_empty(a) && stow_check_bytes_empty(b)) || (a.lo == b.lo && a.hi == b.hi);
}

// Who reads and who writes is not compared: the first to be found stays.
static bool same_state(const state *a, const state *b) {
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; ++i) {
    const stow_check_fact *x = &a->facts[i], *y = &b->facts[i];
    same = x->name == y->name && same_bytes(x->need, y->need) && same_bytes(x->lost, y->lost) &&
           x->lost_to_many == y->lost_to_many && (x->used < 0) == (y->used < 0) &&
           (x->freed < 0) == (y->freed < 0);
  }
  return same;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static bool is_hidden(const stow_check_program *p, int32_t name, const stow_check_node *node) {
  return name >= node->first_inner && name < node->inner_end && !p->names.at[name].grows;
}

static void enter_from(solver *s, int32_t edge) {
  const stow_check_program *p = s->program;
  const stow_check_node *from = &p->nodes.at[p->edges.at[edge].from];
  int32_t to = p->edges.at[edge].to;
  for (size_t i = 0; i < s->states[to].count; ++i) {
    const stow_check_fact *fact = &s->states[to].facts[i];
    size_t first, end;
    if (p->names.at[fact->name].node == to) {
      stow_check_sources_along(p, fact->name, edge, &first, &end);
      stow_check_backward_move(&s->backward, fact, first, end);
    } else if (!is_hidden(p, fact->name, from)) {
      stow_check_backward_join(&s->backward, fact);
    }
  }
}

// What escaped may be read by the caller, or later.
static void enter_from_caller(solver *s) {
  STOW_EACH_ITEM(stow_check_place, place, s->program->escaped)
    if (s->program->names.at[place.name].reached)
      stow_check_backward_read(&s->backward, place, STOW_CHECK_NO_OP);
}

static void pass_node(solver *s, int32_t node) {
  const stow_check_node *n = &s->program->nodes.at[node];
  stow_check_live_clear(&s->backward.live);
  STOW_EACH_OF(i, s->program->out, node)
    enter_from(s, i);
  if (n->exits)
    enter_from_caller(s);
  for (size_t e = n->event_end; e > n->first_event; --e)
    stow_check_backward_pass(&s->backward, &s->program->events.at[e - 1]);
  s->backward.steps += 1 + n->event_end - n->first_event;
}

//===----------------------------------------------------------------------===//
// The fixed point
//===----------------------------------------------------------------------===//

static void update(solver *s, int32_t node) {
  pass_node(s, node);
  state now = snapshot(&s->backward.live);
  if (same_state(&now, &s->states[node])) {
    free(now.facts);
    return;
  }
  free(s->states[node].facts);
  s->states[node] = now;
  STOW_EACH_OF(i, s->program->in, node)
    s->waiting[s->program->edges.at[i].from] = true;
}

static bool affordable(const solver *s) {
  return s->backward.steps <= s->program->options->max_effort;
}

static bool reach_fixed_point(solver *s) {
  const stow_check_program *p = s->program;
  bool again = true;
  for (size_t i = 0; i < p->order.count; ++i)
    s->waiting[p->order.at[i]] = true;
  while (again && affordable(s)) {
    again = false;
    for (size_t i = p->order.count; i > 0 && affordable(s); --i) {
      int32_t node = p->order.at[i - 1];
      if (!s->waiting[node])
        continue;
      s->waiting[node] = false;
      update(s, node);
      again = true;
    }
  }
  return affordable(s);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static int compare_faults(const void *a, const void *b) {
  const stow_check_fault *x = a, *y = b;
  const int32_t keys[][2] = {{x->by, y->by},           {(int32_t)x->kind, (int32_t)y->kind},
                             {x->name, y->name},       {x->other, y->other},
                             {x->written, y->written}, {x->reader, y->reader}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

// One fault per op and pair of names is enough.
static void thin_out(stow_check_backward *b) {
  size_t kept = 0;
  STOW_SORT(b->faults, compare_faults);
  for (size_t i = 0; i < b->faults.count; ++i) {
    const stow_check_fault *f = &b->faults.at[i], *last = kept ? &b->faults.at[kept - 1] : NULL;
    if (!last || last->by != f->by || last->kind != f->kind || last->name != f->name ||
        last->other != f->other)
      b->faults.at[kept++] = *f;
  }
  b->faults.count = kept;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static void solver_open(solver *s, const stow_check_program *p) {
  *s = (solver){.program = p, .backward = {.program = p}};
  stow_check_backward *b = &s->backward;
  b->relations = (stow_check_relations){.program = p, .steps = &b->steps};
  stow_check_live_create(&b->live, p, &b->steps);
  s->states = stow_ir_allocate(p->nodes.count, sizeof *s->states);
  s->waiting = stow_ir_allocate(p->nodes.count, sizeof *s->waiting);
}

static void solver_close(solver *s) {
  for (size_t n = 0; n < s->program->nodes.count; ++n)
    free(s->states[n].facts);
  free(s->states);
  free(s->waiting);
  stow_check_live_free(&s->backward.live);
  stow_map_free(&s->backward.relations.known);
}

bool stow_check_faults_find(const stow_check_program *p, stow_check_fault **out_faults,
                            size_t *out_count) {
  solver s;
  solver_open(&s, p);
  bool done = reach_fixed_point(&s);
  s.backward.noting = done;
  for (size_t i = 0; done && i < p->order.count; ++i)
    pass_node(&s, p->order.at[i]);
  thin_out(&s.backward);
  *out_faults = s.backward.faults.at;
  *out_count = s.backward.faults.count;
  solver_close(&s);
  return done;
}
