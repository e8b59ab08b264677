//===- solve.c - what is needed where, and what destroys it ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One backward dataflow. Going back from a read through a view, its bytes are
// *needed* until the view's own writes make them whole. A write through another
// view on the way makes them *lost*; and if, further back, the view's own write is
// met while they are lost, that write was destroyed before its read: a fault. A
// view that nothing has written yet has nothing to lose, so bytes that are lost
// where the view is defined are no fault.
//
// What is needed of a choice is needed, across an edge, of what it stands for
// there. The solution is the least one over all paths; then each node is gone
// through once more, and faults are noted.
//
//===----------------------------------------------------------------------===//

#include "check/solve.h"

#include "check/live.h"
#include "check/relate.h"

#include <stdlib.h>
#include <string.h>

typedef struct state {
  stow_fact *facts; // by name, ascending
  size_t count;
} state;

typedef struct solver {
  const stow_program *program;
  stow_live live;
  stow_relations relations;
  state *states; // by node: what holds at its beginning
  size_t *first_out, *first_in;
  int32_t *out, *in; // edges by the node they leave, and reach
  bool *waiting;     // by node
  bool noting;       // faults
  stow_clash *faults;
  size_t fault_count, fault_capacity;
  uint64_t steps;
} solver;

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static void note(solver *s, stow_clash fault) {
  if (!s->noting)
    return;
  s->faults = stow_grow(s->faults, s->fault_count, &s->fault_capacity, sizeof *s->faults);
  s->faults[s->fault_count++] = fault;
}

static int compare_faults(const void *a, const void *b) {
  const stow_clash *x = a, *y = b;
  const int32_t keys[][2] = {{x->by, y->by},           {(int32_t)x->kind, (int32_t)y->kind},
                             {x->name, y->name},       {x->other, y->other},
                             {x->written, y->written}, {x->reader, y->reader}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

// One fault per op and pair of names is enough.
static void thin_out(solver *s) {
  size_t kept = 0;
  if (s->fault_count > 0)
    qsort(s->faults, s->fault_count, sizeof *s->faults, compare_faults);
  for (size_t i = 0; i < s->fault_count; ++i) {
    const stow_clash *f = &s->faults[i], *last = kept ? &s->faults[kept - 1] : NULL;
    if (!last || last->by != f->by || last->kind != f->kind || last->name != f->name ||
        last->other != f->other)
      s->faults[kept++] = *f;
  }
  s->fault_count = kept;
}

//===----------------------------------------------------------------------===//
// Facts that move
//===----------------------------------------------------------------------===//

static void add(solver *s, const stow_fact *fact) {
  stow_fact all = stow_live_get(&s->live, fact->name);
  stow_fact_join(&all, fact);
  stow_live_set(&s->live, all);
}

// Uses and frees of an arena are kept at the arena, or at a choice of several.
static int32_t keeper_of(const stow_program *p, int32_t name) {
  return p->names[name].root >= 0 ? p->names[name].root : name;
}

// A choice was written over because of one of the names that it may be. Where it stands for another
// one, nothing is lost yet. `edge` is that of the choice, or -1.
static stow_fact undo_loss(solver *s, const stow_fact *fact, int32_t source, int32_t edge) {
  const stow_program *p = s->program;
  stow_fact undone = *fact;
  if (stow_bytes_empty(fact->lost) || source == STOW_NO_NAME)
    return undone;
  undone.lost_later |= edge >= 0 && stow_made_in_loop_of(p, fact->lost_through, edge);
  bool lost =
      p->names[fact->lost_through].kind == STOW_ROOT ||
      (stow_relate(&s->relations, fact->lost_through, source, undone.lost_later) & STOW_APART);
  if (lost && !fact->lost_to_many)
    return undone;
  if (stow_bytes_empty(undone.need))
    undone.reader = undone.lost_reader;
  undone.need = stow_bytes_join(undone.need, undone.lost);
  if (!lost && !fact->lost_to_many)
    undone.lost = (stow_bytes){0, 0};
  return undone;
}

// What holds of a choice, or a view, holds of the place it is taken from.
static void move(solver *s, const stow_fact *fact, stow_place to) {
  const stow_program *p = s->program;
  if (to.name == STOW_NO_NAME || !p->names[to.name].reached)
    return;
  stow_fact bytes = *fact, uses = stow_fact_none(keeper_of(p, to.name));
  bytes.name = to.name;
  bytes.need = stow_bytes_through(to, fact->need);
  bytes.lost = stow_bytes_through(to, fact->lost);
  if (stow_bytes_empty(fact->need))
    bytes.need = (stow_bytes){0, 0};
  if (stow_bytes_empty(fact->lost))
    bytes.lost = (stow_bytes){0, 0};
  bytes.used = bytes.freed = STOW_NO_OP;
  uses.used = fact->used;
  uses.freed = fact->freed;
  if (p->names[to.name].touched || p->names[to.name].kind != STOW_ROOT)
    add(s, &bytes);
  add(s, &uses);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

// Bytes of `hit` are written through `name`.
static void lose(solver *s, int32_t name, stow_hit hit, int32_t op) {
  stow_fact fact = stow_live_get(&s->live, hit.name);
  stow_bytes gone = stow_bytes_meet(fact.need, hit.bytes);
  if (stow_bytes_empty(gone))
    return;
  if (stow_bytes_empty(fact.lost)) {
    fact.lost_by = op;
    fact.lost_through = name;
    fact.lost_reader = fact.reader;
    fact.lost_later = fact.lost_to_many = false;
  } else {
    fact.lost_to_many |= fact.lost_through != name || fact.lost_later;
  }
  fact.lost = stow_bytes_join(fact.lost, gone);
  fact.need = stow_bytes_less(fact.need, gone);
  stow_live_set(&s->live, fact);
}

static unsigned relation(solver *s, int32_t writer, int32_t other) {
  const stow_name *root = &s->program->names[writer];
  if (root->kind == STOW_ROOT && !root->data && writer != other)
    return STOW_APART;
  return writer == other ? STOW_SAME : stow_relate(&s->relations, writer, other, false);
}

static void write_over_others(solver *s, const stow_access *access, int32_t op) {
  int32_t name = access->place.name;
  stow_live_meet(&s->live, name, access->place.bytes);
  for (size_t i = 0; i < s->live.hit_count; ++i)
    if (s->live.hits[i].name != name && (relation(s, name, s->live.hits[i].name) & STOW_APART))
      lose(s, name, s->live.hits[i], op);
}

// A write through `name` was destroyed if it wrote what is lost of `lost`.
static void blame(solver *s, const stow_access *access, int32_t lost, int32_t op) {
  const stow_program *p = s->program;
  stow_fact fact = stow_live_get(&s->live, lost);
  bool comparable = lost == access->place.name;
  if (stow_bytes_empty(fact.lost) ||
      (comparable && stow_bytes_empty(stow_bytes_meet(fact.lost, access->place.bytes))))
    return;
  if (!comparable && p->names[lost].kind != STOW_ROOT &&
      !(stow_relate(&s->relations, access->place.name, lost, false) & STOW_SAME))
    return;
  note(s, (stow_clash){.kind = STOW_CLASH_CLOBBER,
                       .name = lost,
                       .other = fact.lost_through,
                       .by = fact.lost_by,
                       .written = op,
                       .reader = fact.lost_reader,
                       .bytes = fact.lost});
}

static void find_destroyed(solver *s, const stow_access *access, int32_t op) {
  const stow_name *name = &s->program->names[access->place.name];
  ++s->steps;
  if (!s->noting)
    return;
  for (int32_t n = s->live.family_head[name->family]; n >= 0; n = s->live.family_next[n]) {
    blame(s, access, n, op);
    ++s->steps;
  }
  if (name->root >= 0 && name->root != access->place.name && s->program->names[name->root].touched)
    blame(s, access, name->root, op);
}

static void make_whole(solver *s, int32_t name, stow_bytes bytes) {
  stow_fact fact = stow_live_get(&s->live, name);
  fact.need = stow_bytes_less(fact.need, bytes);
  fact.lost = stow_bytes_less(fact.lost, bytes);
  stow_live_set(&s->live, fact);
}

static bool is_cut_from(const stow_program *p, int32_t name, int32_t from) {
  while (name != STOW_NO_NAME && name != from)
    name = p->names[name].kind == STOW_CARVE && p->names[name].placed ? p->names[name].parent
                                                                      : STOW_NO_NAME;
  return name == from;
}

// A complete write ends the need of what is cut from the view, too.
static void fill_parts(solver *s, int32_t name, stow_bytes bytes) {
  const stow_program *p = s->program;
  const stow_name *n = &p->names[name];
  if (n->kind == STOW_CHOICE)
    return;
  stow_live_meet(&s->live, name, bytes);
  for (size_t i = 0; i < s->live.hit_count; ++i)
    if (is_cut_from(p, s->live.hits[i].name, name))
      make_whole(s, s->live.hits[i].name, s->live.hits[i].bytes);
  for (int32_t part = s->live.family_head[n->family], next; part >= 0; part = next) {
    next = s->live.family_next[part];
    if (p->names[part].kind == STOW_CARVE && is_cut_from(p, part, name))
      make_whole(s, part, stow_bytes_shift(bytes, n->address - p->names[part].address));
  }
}

// ... and of what it is cut from.
static void fill_wholes(solver *s, int32_t name, stow_bytes bytes) {
  while (name != STOW_NO_NAME) {
    const stow_name *n = &s->program->names[name];
    make_whole(s, name, bytes);
    bool on = n->kind == STOW_CARVE && n->placed;
    bytes = stow_bytes_shift(bytes, n->start);
    name = on ? n->parent : STOW_NO_NAME;
  }
}

static void write_own(solver *s, const stow_access *access) {
  if (!access->fills)
    return;
  fill_parts(s, access->place.name, access->place.bytes);
  fill_wholes(s, access->place.name, access->place.bytes);
}

static void read(solver *s, const stow_access *access, int32_t op) {
  stow_fact fact = stow_fact_none(access->place.name);
  fact.need = access->place.bytes;
  fact.reader = op;
  add(s, &fact);
}

static void use(solver *s, const stow_access *access, int32_t op) {
  stow_fact fact = stow_live_get(&s->live, keeper_of(s->program, access->place.name));
  fact.used = op;
  stow_live_set(&s->live, fact);
}

// An op reads what it reads before it is done with writing: what it writes may be in its own way.
static void pass_access(solver *s, const stow_event *event) {
  const stow_access *first = &s->program->accesses[event->first], *end = first + event->count;
  for (const stow_access *a = first; a < end; ++a)
    if (a->writes && s->program->names[a->place.name].reached)
      write_over_others(s, a, event->op);
  for (const stow_access *a = first; a < end; ++a)
    if (a->writes && s->program->names[a->place.name].reached)
      find_destroyed(s, a, event->op);
  for (const stow_access *a = first; a < end; ++a)
    write_own(s, a);
  for (const stow_access *a = first; a < end; ++a) {
    if (!s->program->names[a->place.name].reached)
      continue;
    if (a->reads)
      read(s, a, event->op);
    use(s, a, event->op);
  }
  for (const stow_access *a = first; a < end && event->count > 1; ++a)
    if (a->writes && s->program->names[a->place.name].reached)
      write_over_others(s, a, event->op);
}

//===----------------------------------------------------------------------===//
// Other events
//===----------------------------------------------------------------------===//

static bool may_be_root(const stow_program *p, int32_t name, int32_t root) {
  for (size_t o = 0; o < p->names[name].origin_count; ++o)
    if (p->names[p->origins[p->names[name].first_origin + o].leaf].root == root)
      return true;
  return false;
}

static void note_after_free(solver *s, int32_t keeper, int32_t op) {
  stow_fact fact = stow_live_get(&s->live, keeper);
  stow_clash fault = {.name = keeper, .other = STOW_NO_NAME, .by = op, .written = STOW_NO_OP};
  fault.kind = fact.used != STOW_NO_OP ? STOW_CLASH_USED : STOW_CLASH_FREED;
  fault.reader = fact.used != STOW_NO_OP ? fact.used : fact.freed;
  if (fault.reader != STOW_NO_OP)
    note(s, fault);
}

static void pass_free(solver *s, const stow_event *event) {
  const stow_program *p = s->program;
  if (event->count == 0)
    return;
  int32_t keeper = keeper_of(p, p->accesses[event->first].place.name);
  if (!p->names[keeper].reached)
    return;
  note_after_free(s, keeper, event->op);
  for (size_t i = 0; s->noting && i < s->live.present_count; ++i) {
    int32_t other = s->live.present[i];
    bool several = p->names[other].kind == STOW_CHOICE && p->names[other].root < 0;
    if (other != keeper && several && may_be_root(p, other, keeper))
      note_after_free(s, other, event->op);
  }
  stow_fact fact = stow_live_get(&s->live, keeper);
  fact.used = STOW_NO_OP;
  fact.freed = event->op;
  stow_live_set(&s->live, fact);
}

static void move_to_sources(solver *s, const stow_fact *fact, size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    const stow_source *source = &s->program->sources[i];
    stow_fact undone = undo_loss(s, fact, source->place.name, source->edge);
    move(s, &undone, source->place);
  }
}

static void pass_define(solver *s, const stow_event *event) {
  const stow_program *p = s->program;
  const stow_name *name = &p->names[event->name];
  stow_fact fact = stow_live_get(&s->live, event->name);
  stow_live_set(&s->live, stow_fact_none(event->name));
  if (name->kind == STOW_CHOICE)
    move_to_sources(s, &fact, name->first_source, name->first_source + name->source_count);
  if (name->kind != STOW_CARVE)
    return;
  stow_bytes in_parent =
      name->placed ? stow_bytes_shift(name->bytes, name->start) : p->names[name->parent].bytes;
  move(s, &fact, (stow_place){name->parent, in_parent, name->placed, false});
}

static void pass(solver *s, const stow_event *event) {
  switch (event->kind) {
  case STOW_EVENT_ACCESS:
    pass_access(s, event);
    break;
  case STOW_EVENT_FREE:
    pass_free(s, event);
    break;
  case STOW_EVENT_DEFINE:
    pass_define(s, event);
    break;
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void enter_from(solver *s, int32_t edge) {
  const stow_program *p = s->program;
  int32_t to = p->edges[edge].to;
  for (size_t i = 0; i < s->states[to].count; ++i) {
    const stow_fact *fact = &s->states[to].facts[i];
    size_t first, end;
    if (p->names[fact->name].node != to) {
      add(s, fact);
      continue;
    }
    stow_sources_along(p, fact->name, edge, &first, &end);
    move_to_sources(s, fact, first, end);
  }
}

// What got away is read by the caller, or by whoever holds it.
static void enter_from_caller(solver *s) {
  for (size_t i = 0; i < s->program->escaped_count; ++i) {
    stow_access access = {.place = s->program->escaped[i], .reads = true};
    if (s->program->names[access.place.name].reached)
      read(s, &access, STOW_NO_OP);
  }
}

static void pass_node(solver *s, int32_t node) {
  const stow_node *n = &s->program->nodes[node];
  stow_live_clear(&s->live);
  for (size_t i = s->first_out[node]; i < s->first_out[node + 1]; ++i)
    enter_from(s, s->out[i]);
  if (n->exits)
    enter_from_caller(s);
  for (size_t e = n->event_end; e > n->first_event; --e)
    pass(s, &s->program->events[e - 1]);
  s->steps += 1 + n->event_end - n->first_event;
}

static int compare_facts(const void *a, const void *b) {
  const stow_fact *x = a, *y = b;
  return x->name < y->name ? -1 : x->name > y->name;
}

static state snapshot(const stow_live *live) {
  state s = {stow_allocate(live->present_count, sizeof *s.facts), live->present_count};
  for (size_t i = 0; i < s.count; ++i)
    s.facts[i] = live->facts[live->present[i]];
  if (s.count > 0)
    qsort(s.facts, s.count, sizeof *s.facts, compare_facts);
  return s;
}

static bool same_bytes(stow_bytes a, stow_bytes b) {
  return (stow_bytes_empty(a) && stow_bytes_empty(b)) || (a.lo == b.lo && a.hi == b.hi);
}

// Who reads and who writes is not compared: the first to be found stays.
static bool same_state(const state *a, const state *b) {
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; ++i) {
    const stow_fact *x = &a->facts[i], *y = &b->facts[i];
    same = x->name == y->name && same_bytes(x->need, y->need) && same_bytes(x->lost, y->lost) &&
           x->lost_to_many == y->lost_to_many && (x->used < 0) == (y->used < 0) &&
           (x->freed < 0) == (y->freed < 0);
  }
  return same;
}

static void update(solver *s, int32_t node) {
  pass_node(s, node);
  state now = snapshot(&s->live);
  if (same_state(&now, &s->states[node])) {
    free(now.facts);
    return;
  }
  free(s->states[node].facts);
  s->states[node] = now;
  for (size_t i = s->first_in[node]; i < s->first_in[node + 1]; ++i)
    s->waiting[s->program->edges[s->in[i]].from] = true;
}

static bool affordable(const solver *s) { return s->steps <= s->program->options->max_effort; }

static bool reach_fixed_point(solver *s) {
  const stow_program *p = s->program;
  bool again = true;
  for (size_t i = 0; i < p->order_count; ++i)
    s->waiting[p->order[i]] = true;
  while (again && affordable(s)) {
    again = false;
    for (size_t i = p->order_count; i > 0 && affordable(s); --i) {
      int32_t node = p->order[i - 1];
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
// The graph
//===----------------------------------------------------------------------===//

static void sort_edges(const stow_program *p, bool by_source, size_t **out_first,
                       int32_t **out_edges) {
  size_t *first = stow_allocate(p->node_count + 2, sizeof *first);
  int32_t *edges = stow_allocate(p->edge_count, sizeof *edges);
  for (size_t e = 0; e < p->edge_count; ++e)
    ++first[(by_source ? p->edges[e].from : p->edges[e].to) + 2];
  for (size_t n = 0; n < p->node_count; ++n)
    first[n + 2] += first[n + 1];
  for (size_t e = 0; e < p->edge_count; ++e)
    edges[first[(by_source ? p->edges[e].from : p->edges[e].to) + 1]++] = (int32_t)e;
  *out_first = first;
  *out_edges = edges;
}

static void solver_free(solver *s) {
  for (size_t n = 0; n < s->program->node_count; ++n)
    free(s->states[n].facts);
  free(s->states), free(s->first_out), free(s->first_in), free(s->out), free(s->in);
  free(s->waiting);
  stow_live_free(&s->live);
  stow_map_free(&s->relations.known);
}

bool stow_clashes_find(const stow_program *program, stow_clash **out_faults, size_t *out_count) {
  solver s = {.program = program};
  s.relations = (stow_relations){.program = program, .steps = &s.steps};
  s.states = stow_allocate(program->node_count, sizeof *s.states);
  s.waiting = stow_allocate(program->node_count, sizeof *s.waiting);
  sort_edges(program, true, &s.first_out, &s.out);
  sort_edges(program, false, &s.first_in, &s.in);
  stow_live_create(&s.live, program, &s.steps);
  bool done = reach_fixed_point(&s);
  s.noting = done;
  for (size_t i = 0; done && i < program->order_count; ++i)
    pass_node(&s, program->order[i]);
  thin_out(&s);
  solver_free(&s);
  *out_faults = s.faults;
  *out_count = s.fault_count;
  return done;
}
