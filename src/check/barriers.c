//===- barriers.c - threads that use the same bytes at once ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a workgroup share memory, and only barriers order what they do. Where one thread
// is at an op, another may be at any op that some path reaches from there without a barrier, also
// around the back edge of a loop. Where a branch may take threads different ways, one thread may
// be on one of these and another on the other, until the ways meet.
//
// Two such ops that access common bytes through different views, one of them writing, destroy each
// other's contents. Through one view they do what the program says. A memref.view that runs again
// makes another one.
//
// What a thread has written is not ordered before a load of another engine, nvgpu.tma.async.load,
// by a barrier alone: the thread passes a fence first.
//
//===----------------------------------------------------------------------===//

#include "check/backward.h"
#include "check/op.h"

#include <stdlib.h>

enum { NONE = -1 };

// An access to bytes that threads share.
typedef struct touch {
  size_t event, access;
  int32_t node;
} touch;

typedef STOW_ARRAY(touch) touches;

typedef struct clash {
  int32_t by, other, name, other_name;       // the op that comes first is `other`
  enum { FOLLOWS, UNORDERED, UNFENCED } how; // on a path; on none; on one, where `by` loads
} clash;

// Where a path goes on behind a fence.
typedef struct fence {
  int32_t node;
  size_t event;
} fence;

typedef struct threads {
  stow_check_program *program;
  stow_check_relations relations;
  bool *shared;            // by name
  int32_t *visited, *from; // by node: the last search that was there, and where it came from
  int32_t search;
  STOW_ARRAY(int32_t) todo; // nodes that the search has yet to look at
  int32_t made_in;          // the node where those followed find their view made again, or NONE
  size_t made_at;           // its event
  bool again;               // those are followed from there: only their own view matters
  touches all;              // in the order of nodes and events
  STOW_ARRAY(clash) clashes;
  STOW_ARRAY(fence) fences; // that the search has come to
  uint64_t steps;
} threads;

//===----------------------------------------------------------------------===//
// Shared bytes
//===----------------------------------------------------------------------===//

static bool find_shared(threads *t) {
  const stow_check_program *p = t->program;
  bool any = false;
  for (size_t n = 0; n < p->names.count; ++n) {
    const stow_check_name *name = &p->names.at[n];
    const size_t end = name->first_origin + name->origin_count;
    for (size_t o = name->first_origin; o < end && !t->shared[n]; ++o) {
      const int32_t root = p->names.at[p->origins.at[o].leaf].root;
      t->shared[n] = stow_ir_is_workgroup_space(
          stow_ir_memory_space(mlirValueGetType(p->names.at[root].value)));
    }
    any |= t->shared[n];
  }
  return any;
}

static bool is_access(const stow_check_event *event) {
  return event->kind == STOW_CHECK_EVENT_ACCESS || event->kind == STOW_CHECK_EVENT_CALLED;
}

static void list_touches(threads *t) {
  const stow_check_program *p = t->program;
  STOW_EACH_ITEM(int32_t, node, p->order)
    for (size_t e = p->nodes.at[node].first_event; e < p->nodes.at[node].event_end; ++e) {
      const stow_check_event *event = &p->events.at[e];
      for (size_t a = event->first; a < event->first + event->count; ++a)
        if (is_access(event) && t->shared[p->accesses.at[a].place.name])
          STOW_PUSH(t->all, (touch){e, a, node});
    }
}

//===----------------------------------------------------------------------===//
// Clashes
//===----------------------------------------------------------------------===//

static bool are_views_of_one_byte(threads *t, int32_t name, int32_t other) {
  if (t->again)
    return name == other;
  return t->shared[other] &&
         (stow_check_relate(&t->relations, name, other, false) & STOW_CHECK_OVERLAP);
}

static bool clashes(threads *t, size_t access, size_t other) {
  const stow_check_access *a = &t->program->accesses.at[access];
  const stow_check_access *b = &t->program->accesses.at[other];
  ++t->steps;
  return (a->writes || b->writes) && are_views_of_one_byte(t, a->place.name, b->place.name) &&
         stow_check_places_meet(&t->relations, a->place, b->place, INT64_MAX);
}

static int32_t op_of(const threads *t, size_t event) { return t->program->events.at[event].op; }

static void note(threads *t, touch first, size_t event, size_t access, int how) {
  const stow_check_access *accesses = t->program->accesses.at;
  STOW_PUSH(t->clashes, (clash){op_of(t, event), op_of(t, first.event), accesses[access].place.name,
                                accesses[first.access].place.name, how});
}

//===----------------------------------------------------------------------===//
// Paths without a barrier
//===----------------------------------------------------------------------===//

static bool affordable(const threads *t) { return t->steps <= t->program->options->max_effort; }

static void begin_search(threads *t) {
  ++t->search;
  t->todo.count = 0;
}

static void visit(threads *t, int32_t node, int32_t from) {
  if (t->visited[node] == t->search)
    return;
  t->visited[node] = t->search;
  t->from[node] = from;
  STOW_PUSH(t->todo, node);
}

static void visit_next(threads *t, int32_t node) {
  STOW_EACH_OF(edge, t->program->out, node)
    visit(t, t->program->edges.at[edge].to, node);
}

static bool ends_path(const threads *t, size_t event) {
  return t->program->events.at[event].kind == STOW_CHECK_EVENT_BARRIER;
}

// Whether an event clashes with what came first. A barrier in front of it would order all that
// follows it, too. What one call does is looked at where its function is.
static bool clashes_at(threads *t, touch first, size_t event) {
  const stow_check_event *e = &t->program->events.at[event];
  bool any = false;
  if (!is_access(e) || (e->kind == STOW_CHECK_EVENT_CALLED && event == first.event))
    return false;
  for (size_t a = e->first; a < e->first + e->count; ++a)
    if (clashes(t, first.access, a)) {
      note(t, first, event, a, FOLLOWS);
      any = true;
    }
  return any;
}

static bool is_always_the_same(const threads *t, MlirValue value, MlirOperation op) {
  const MlirOperation kernel = stow_check_kernel_of(op, t->program->function);
  bool same = !stow_check_differs_by_thread(value, kernel);
  for (; same && !mlirOperationEqual(op, kernel); op = mlirOperationGetParentOperation(op))
    same = !stow_check_value_varies(value, op);
  return same;
}

// A memref.view of the bytes that it was before.
static bool makes_again(const threads *t, touch first, size_t event) {
  const stow_check_event *e = &t->program->events.at[event];
  const int32_t name = t->program->accesses.at[first.access].place.name;
  if (e->kind != STOW_CHECK_EVENT_DEFINE || e->name != name)
    return false;
  const MlirValue view = t->program->names.at[name].value;
  if (!mlirValueIsAOpResult(view) || !stow_ir_op_is(mlirOpResultGetOwner(view), "memref.view"))
    return false;
  const MlirOperation op = mlirOpResultGetOwner(view);
  return is_always_the_same(t, mlirOperationGetOperand(op, 1), op);
}

// Follows a touch from an event to the end of a node, or to `end`, from where on others like it are
// followed already.
static void follow_in(threads *t, touch first, int32_t node, size_t event, size_t end) {
  const stow_check_node *n = &t->program->nodes.at[node];
  for (size_t e = event; e < end; ++e) {
    ++t->steps;
    if (ends_path(t, e) || clashes_at(t, first, e))
      return;
    if (makes_again(t, first, e)) {
      t->made_in = node;
      t->made_at = e;
    }
  }
  if (end == n->event_end)
    visit_next(t, node);
}

static void follow_from(threads *t, touch first, int32_t from, size_t event, size_t end) {
  follow_in(t, first, from, event, end);
  while (t->todo.count > 0 && affordable(t)) {
    const int32_t node = t->todo.at[--t->todo.count];
    const stow_check_node *n = &t->program->nodes.at[node];
    follow_in(t, first, node, n->first_event, n->event_end);
  }
}

// What touches the same bytes in the same way is followed together, the last first.
static int compare_ways(const stow_check_access *x, const stow_check_access *y) {
  const int name =
      stow_ir_then(STOW_COMPARE(x->place.name, y->place.name), STOW_COMPARE(x->writes, y->writes));
  return stow_ir_then(name, stow_ir_then(STOW_COMPARE(x->place.bytes.lo, y->place.bytes.lo),
                                         STOW_COMPARE(x->place.bytes.hi, y->place.bytes.hi)));
}

typedef struct ranked_touch {
  const stow_check_access *access;
  touch touch;
} ranked_touch;

static int compare_touches(const void *a, const void *b) {
  const ranked_touch *x = a, *y = b;
  return stow_ir_then(compare_ways(x->access, y->access),
                      stow_ir_then(STOW_COMPARE(y->touch.event, x->touch.event),
                                   STOW_COMPARE(y->touch.access, x->touch.access)));
}

// Goes on from where the view of what was followed last is made again.
static void follow_again(threads *t, touch last) {
  const int32_t node = t->made_in;
  if (node == NONE)
    return;
  begin_search(t);
  t->again = true;
  follow_from(t, last, node, t->made_at + 1, t->program->nodes.at[node].event_end);
  t->again = false;
  t->made_in = NONE;
}

// Where others like a touch are followed from. What is called does not look at itself there.
static size_t followed_from(const threads *t, touch other) {
  const bool called = t->program->events.at[other.event].kind == STOW_CHECK_EVENT_CALLED;
  return other.event + (called ? 1 : 0);
}

static void follow_all(threads *t) {
  const stow_check_program *p = t->program;
  ranked_touch *ranked = stow_ir_allocate(t->all.count, sizeof *ranked);
  for (size_t i = 0; i < t->all.count; ++i)
    ranked[i] = (ranked_touch){&p->accesses.at[t->all.at[i].access], t->all.at[i]};
  stow_ir_sort(ranked, t->all.count, sizeof *ranked, compare_touches);
  for (size_t i = 0; i < t->all.count && affordable(t); ++i) {
    const touch now = ranked[i].touch;
    const bool like = i > 0 && compare_ways(ranked[i - 1].access, ranked[i].access) == 0;
    const bool same_node = like && ranked[i - 1].touch.node == now.node;
    if (!like)
      begin_search(t);
    follow_from(t, now, now.node, now.event,
                same_node ? followed_from(t, ranked[i - 1].touch)
                          : p->nodes.at[now.node].event_end);
    if (i + 1 == t->all.count || compare_ways(ranked[i].access, ranked[i + 1].access) != 0)
      follow_again(t, now);
  }
  free(ranked);
}

//===----------------------------------------------------------------------===//
// Loads behind what threads have written
//===----------------------------------------------------------------------===//

static bool is_load(const threads *t, size_t event) {
  const stow_check_program *p = t->program;
  return p->events.at[event].kind == STOW_CHECK_EVENT_ACCESS &&
         stow_check_kinds(p->ops.at[op_of(t, event)]) & STOW_CHECK_STARTS &&
         !mlirValueIsNull(stow_check_mbarrier_of(p->ops.at[op_of(t, event)]));
}

static void meet_load(threads *t, touch first, size_t event) {
  const stow_check_event *e = &t->program->events.at[event];
  for (size_t a = e->first; a < e->first + e->count && is_load(t, event); ++a)
    if (clashes(t, first.access, a))
      note(t, first, event, a, UNFENCED);
}

// Behind a launch another one has memory of its own.
static bool ends_launch(const threads *t, size_t event) {
  return ends_path(t, event) &&
         stow_ir_op_is(t->program->ops.at[op_of(t, event)], "gpu.terminator");
}

// Up to a fence; or, where the thread has passed one, up to a barrier.
static void follow_to_fence(threads *t, touch first, int32_t node, size_t event, bool fenced) {
  const stow_check_node *n = &t->program->nodes.at[node];
  for (size_t e = event; e < n->event_end; ++e, ++t->steps) {
    meet_load(t, first, e);
    if ((fenced && ends_path(t, e)) || ends_launch(t, e))
      return;
    if (!fenced && t->program->events.at[e].kind == STOW_CHECK_EVENT_FENCE) {
      STOW_PUSH(t->fences, (fence){node, e + 1});
      return;
    }
  }
  visit_next(t, node);
}

static void follow_rest(threads *t, touch first, bool fenced) {
  while (t->todo.count > 0 && affordable(t)) {
    const int32_t node = t->todo.at[--t->todo.count];
    follow_to_fence(t, first, node, t->program->nodes.at[node].first_event, fenced);
  }
}

static void follow_to_loads(threads *t, touch first) {
  begin_search(t);
  t->fences.count = 0;
  follow_to_fence(t, first, first.node, first.event, false);
  follow_rest(t, first, false);
  begin_search(t);
  for (size_t i = 0; i < t->fences.count; ++i) {
    follow_to_fence(t, first, t->fences.at[i].node, t->fences.at[i].event, true);
    follow_rest(t, first, true);
  }
}

static void follow_writes(threads *t) {
  bool any = false;
  STOW_EACH(const touch, now, t->all)
    any |= is_load(t, now->event);
  STOW_EACH(const touch, now, t->all)
    if (any && affordable(t) && t->program->accesses.at[now->access].writes &&
        !is_load(t, now->event))
      follow_to_loads(t, *now);
}

//===----------------------------------------------------------------------===//
// Ways that threads may take at once
//===----------------------------------------------------------------------===//

// How many of an op's first operands decide which way is gone; -1: something else does.
static intptr_t deciding_operands(MlirOperation op) {
  static const char *const by_first[] = {"cf.cond_br", "cf.switch", "scf.condition", "scf.if",
                                         "scf.index_switch"};
  static const char *const by_all[] = {"affine.for", "affine.if"};
  for (size_t i = 0; i < sizeof by_first / sizeof *by_first; ++i)
    if (stow_ir_op_is(op, by_first[i]))
      return 1;
  for (size_t i = 0; i < sizeof by_all / sizeof *by_all; ++i)
    if (stow_ir_op_is(op, by_all[i]))
      return mlirOperationGetNumOperands(op);
  return stow_ir_op_is(op, "scf.for") ? 3 : NONE;
}

bool stow_check_parts_threads(MlirOperation op, MlirOperation kernel) {
  const intptr_t deciding = deciding_operands(op);
  for (intptr_t i = 0; i < deciding; ++i)
    if (stow_check_differs_by_thread(mlirOperationGetOperand(op, i), kernel))
      return true;
  return deciding < 0;
}

// The touches from the beginning of `node` on, up to barriers and the node `end`.
static touches touches_from(threads *t, int32_t node, int32_t end) {
  const stow_check_program *p = t->program;
  touches found = {0};
  begin_search(t);
  visit(t, node, NONE);
  while (t->todo.count > 0 && affordable(t)) {
    const int32_t at = t->todo.at[--t->todo.count];
    const stow_check_node *n = &p->nodes.at[at];
    size_t e = at == end ? n->event_end : n->first_event;
    for (; e < n->event_end && !ends_path(t, e); ++e, ++t->steps)
      for (size_t a = p->events.at[e].first; a < p->events.at[e].first + p->events.at[e].count; ++a)
        if (is_access(&p->events.at[e]) && t->shared[p->accesses.at[a].place.name])
          STOW_PUSH(found, (touch){e, a, at});
    if (at != end && e == n->event_end)
      visit_next(t, at);
  }
  return found;
}

// The touches on one way that clash with some on another.
static void part_ways(threads *t, const touches *one, const touches *other) {
  for (size_t i = 0; i < one->count; ++i)
    for (size_t j = 0; j < other->count && affordable(t); ++j) {
      const touch a = one->at[i], b = other->at[j];
      if (!clashes(t, a.access, b.access))
        continue;
      if (a.event < b.event)
        note(t, a, b.event, b.access, UNORDERED);
      else
        note(t, b, a.event, a.access, UNORDERED);
    }
}

// An exit of the function that some path reaches from `node` without `avoided`, or NONE.
static int32_t reach_exit(threads *t, int32_t node, int32_t avoided) {
  begin_search(t);
  visit(t, node, NONE);
  while (t->todo.count > 0) {
    const int32_t at = t->todo.at[--t->todo.count];
    ++t->steps;
    if (at == avoided)
      continue;
    if (t->program->nodes.at[at].exits)
      return at;
    visit_next(t, at);
  }
  return NONE;
}

// The first node that all paths from `node` to an exit have in common, or NONE.
static int32_t meeting_point(threads *t, int32_t node) {
  STOW_ARRAY(int32_t) path = {0};
  int32_t found = NONE;
  for (int32_t at = reach_exit(t, node, NONE); at != NONE && at != node; at = t->from[at])
    STOW_PUSH(path, at);
  for (size_t i = path.count; i > 0 && found == NONE && affordable(t); --i)
    if (reach_exit(t, node, path.at[i - 1]) == NONE)
      found = path.at[i - 1];
  free(path.at);
  return found;
}

// The ways from `node` up to where they meet.
static void part_all_ways(threads *t, int32_t node) {
  const int32_t end = meeting_point(t, node);
  STOW_ARRAY(touches) ways = {0};
  STOW_EACH_OF(edge, t->program->out, node)
    STOW_PUSH(ways, touches_from(t, t->program->edges.at[edge].to, end));
  for (size_t i = 0; i < ways.count; ++i)
    for (size_t j = 0; j < i; ++j)
      part_ways(t, &ways.at[j], &ways.at[i]);
  for (size_t i = 0; i < ways.count; ++i)
    free(ways.at[i].at);
  free(ways.at);
}

static void part_at(threads *t, int32_t node) {
  const MlirOperation op = t->program->nodes.at[node].decides;
  const stow_index *out = &t->program->out;
  if (out->first[node + 1] - out->first[node] > 1 &&
      stow_check_parts_threads(
          op, stow_check_kernel_of(mlirOperationGetParentOperation(op), t->program->function)))
    part_all_ways(t, node);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static int compare_clashes(const void *a, const void *b) {
  const clash *x = a, *y = b;
  const int names =
      stow_ir_then(STOW_COMPARE(x->name, y->name), STOW_COMPARE(x->other_name, y->other_name));
  return stow_ir_then(stow_ir_then(STOW_COMPARE(x->by, y->by), names),
                      stow_ir_then(STOW_COMPARE(x->how, y->how), STOW_COMPARE(y->other, x->other)));
}

static void report(stow_check_program *p, const clash *c) {
  const char *other = "after this: a gpu.barrier is missing between the two, on some path";
  const char *what = "still use through another view, as no barrier comes first";
  if (c->how == UNFENCED) {
    other =
        "after this: an nvvm.fence.proxy of async.shared, and a gpu.barrier behind it, are missing "
        "between the two, on some path";
    what = "have written through another view, which may come behind the load";
  } else if (c->how == UNORDERED) {
    other = "while others, which go another way, do this";
    what = "use at once through another view, as a branch takes them different ways";
  } else if (c->name == c->other_name) {
    other = "after this: a gpu.barrier is missing before the view is made again";
    what = "still use, which made the view before, as no barrier comes first";
  } else if (c->by == c->other) {
    other = "while others do the same";
    what = "use at once through another view";
  }
  stow_check_note notes[] = {
      {.op = p->ops.at[c->other], .text = other},
      {.value = p->names.at[c->name].value, .text = "this is the view that it uses"},
      {.value = p->names.at[c->other_name].value, .text = "this is the other view"}};
  const size_t views = c->name == c->other_name ? 1 : 2;
  stow_check_complain(p, p->ops.at[c->by], notes, 1 + views,
                      "threads use bytes here that others may %s", what);
}

static bool is_same_pair(const clash *c, const clash *last) {
  return last->by == c->by && last->name == c->name && last->other_name == c->other_name;
}

// One for each op and pair of views is enough. An op clashes with itself both ways.
static void report_clashes(threads *t) {
  STOW_SORT(t->clashes, compare_clashes);
  for (size_t i = 0; i < t->clashes.count; ++i) {
    const clash *c = &t->clashes.at[i];
    const bool turned = c->by == c->other && c->name < c->other_name;
    if (!turned && (i == 0 || !is_same_pair(c, c - 1)))
      report(t->program, c);
  }
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static bool is_global_of_workgroup(const stow_check_name *name) {
  return !mlirAttributeIsNull(stow_check_global_of(name->value)) &&
         stow_ir_is_workgroup_space(stow_ir_memory_space(mlirValueGetType(name->value)));
}

// A kernel, or a function that has a barrier, or uses what only threads have.
static bool is_run_by_threads(const stow_check_program *p) {
  bool any = stow_ir_op_is(p->function, "gpu.func");
  STOW_EACH(const stow_check_name, name, p->names)
    any |= is_global_of_workgroup(name);
  STOW_EACH_ITEM(stow_check_event, event, p->events)
    any |= event.kind == STOW_CHECK_EVENT_BARRIER;
  return any;
}

static void find_clashes(threads *t) {
  list_touches(t);
  follow_all(t);
  follow_writes(t);
  for (size_t n = 0; n < t->program->order.count && t->all.count > 0 && affordable(t); ++n)
    part_at(t, t->program->order.at[n]);
}

bool stow_check_barriers_find(stow_check_program *p) {
  threads t = {.program = p, .relations = {.program = p}, .made_in = NONE};
  t.relations.steps = &t.steps;
  t.shared = stow_ir_allocate(p->names.count, sizeof *t.shared);
  t.visited = stow_ir_allocate(p->nodes.count, sizeof *t.visited);
  t.from = stow_ir_allocate(p->nodes.count, sizeof *t.from);
  if (is_run_by_threads(p) && find_shared(&t))
    find_clashes(&t);
  report_clashes(&t);
  const bool done = affordable(&t);
  free(t.shared);
  free(t.visited);
  free(t.from);
  free(t.todo.at);
  free(t.all.at);
  free(t.clashes.at);
  free(t.fences.at);
  stow_map_free(&t.relations.known);
  return done;
}
