//===- pending.c - work that nothing has waited for -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One forward dataflow: which work may still run, on some path, and which handles surely stand for
// it there. A wait for one of these ends it. So does one that leaves groups of copies pending, if
// as many were made since. Work that waits for other work first stands for it; a body that control
// leaves only when that is done, too.
//
// What follows an op with a body does so at once: of what was running before, it knows only what
// the op's handles stand for.
//
// An access to bytes that such work accesses through another view, one of the two writing, is an
// error. Through one view they do what the program says. races.c asks which work of an earlier
// iteration may still run where a body accesses memory.
//
// Only where control comes back is a state kept; the others are found anew on each way through the
// function, and last until control has passed.
//
//===----------------------------------------------------------------------===//

#include "check/backward.h"
#include "check/holders.h"
#include "check/limits.h"
#include "check/op.h"
#include "check/steps.h"

#include "ir/index.h"
#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1, UNGROUPED = -1 };

// A view that work uses, and the name that stands for it now, or NONE; or for its arena, where
// the view lies `within` bytes behind the start, or -1.
typedef struct renamed {
  int32_t name, now;
  int64_t within;
} renamed;

// That an execution of some work may still run.
typedef struct fact {
  int32_t work;
  int32_t groups;  // of copies: groups made since the one that it is in, or UNGROUPED
  bool waited;     // of copies: the thread has waited for its own, but no barrier tells the others
  int64_t since;   // what stands behind this position was made anew since it started
  int32_t holders; // a set of handles
  bool holds;      // where `condition`, if it is not NULL, is true; else where it is false
  const void *condition;
  int32_t renamed_count;
  renamed renamed[STOW_CHECK_MOST_RENAMED]; // by loops that carry them
} fact;

typedef STOW_ARRAY(fact) facts; // by work
typedef STOW_ARRAY(int32_t) numbers;

typedef struct pending {
  stow_check_program *program;
  stow_check_relations relations;
  facts *states, now; // by node, where it begins; at the event that is looked at
  stow_check_holders handles;
  stow_index given, sources; // by edge
  numbers *used;             // by work: the names of what it accesses
  int64_t *newest;           // by work: the last position at which memory of these is made
  int32_t *enters, *follows; // by node: the work whose body it leads to, whose op it is behind
  facts *aside;              // by work: what may run where its body begins
  numbers *lasting;          // by work: works of these that may run where its body ends
  bool *returned_to;         // by node: control comes back
  int32_t node;              // that is passed
  bool again, noting;
  uint64_t steps;
} pending;

//===----------------------------------------------------------------------===//
// Holders
//===----------------------------------------------------------------------===//

static bool is_held_by(const pending *s, const fact *f, int32_t handle) {
  return stow_check_holders_have(&s->handles, f->holders, handle);
}

static void add_holder(pending *s, fact *f, int32_t handle) {
  f->holders = stow_check_holders_with(&s->handles, f->holders, handle);
}

static void drop_holder(pending *s, fact *f, int32_t handle) {
  f->holders = stow_check_holders_without(&s->handles, f->holders, handle);
}

static bool is_held_by_operands(const pending *s, const fact *f, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n && f->holders >= 0; ++i)
    if (is_held_by(s, f, stow_check_handle_of(s->program, mlirOperationGetOperand(op, i))))
      return true;
  return false;
}

// By what it may choose, whichever that is.
static bool is_held_by_all(const pending *s, const fact *f, MlirOperation op) {
  bool any = false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    const int32_t handle = stow_check_handle_of(s->program, mlirOperationGetOperand(op, i));
    if (handle >= 0 && !is_held_by(s, f, handle))
      return false;
    any |= handle >= 0;
  }
  return any;
}

typedef void (*holder_fn)(pending *s, fact *f, int32_t handle);

static void each_result(pending *s, fact *f, MlirOperation op, holder_fn fn) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    fn(s, f, stow_check_handle_of(s->program, mlirOperationGetResult(op, i)));
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

// Memory that was made anew since is other memory.
static bool uses_as_old(const pending *s, const fact *f, const fact *old) {
  return old->since == f->since || (old->since < f->since && s->newest[f->work] <= old->since);
}

// Whether all that ends `weak` ends `f`, too.
static bool says_no_more(const pending *s, const fact *f, const fact *weak) {
  if (weak->waited && !f->waited)
    return false;
  if (weak->condition && (weak->condition != f->condition || weak->holds != f->holds))
    return false;
  return uses_as_old(s, f, weak) &&
         (f->waited || (weak->groups <= f->groups &&
                        stow_check_holders_have_all(&s->handles, f->holders, weak->holders))) &&
         weak->renamed_count == f->renamed_count &&
         memcmp(weak->renamed, f->renamed, (size_t)f->renamed_count * sizeof *f->renamed) == 0;
}

// Whether the state did not say so before.
static bool join(pending *s, facts *state, const fact *f) {
  size_t at = stow_ir_first_from(STOW_COLUMN(state->at, state->count, work), f->work), kept = at;
  size_t end = at;
  for (; end < state->count && state->at[end].work == f->work; ++end, ++s->steps)
    if (says_no_more(s, f, &state->at[end]))
      return false;
  for (size_t i = at; i < end; ++i)
    if (!says_no_more(s, &state->at[i], f))
      state->at[kept++] = state->at[i];
  const size_t behind = state->count - end;
  if (kept == end)
    STOW_PUSH(*state, *f);
  if (kept + 1 != end)
    memmove(&state->at[kept + 1], &state->at[end], behind * sizeof *state->at);
  state->at[kept] = *f;
  state->count = kept + 1 + behind;
  return true;
}

static void arrive(pending *s, int32_t node, fact f) {
  f.holders = stow_check_holders_pruned(&s->handles, f.holders, node);
  ++s->steps;
  if (join(s, &s->states[node], &f) && s->returned_to[node])
    s->again = true;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

static bool is_copy(const pending *s, const fact *f) {
  return stow_ir_op_is(s->program->works.at[f->work].op, "nvgpu.device_async_copy");
}

// How many of the newest groups of copies a wait may leave pending, or NONE.
static int64_t left_pending(MlirOperation wait) {
  if (!stow_ir_has_attribute(wait, "numGroups"))
    return NONE;
  return mlirIntegerAttrGetValueInt(stow_attribute_of(wait, "numGroups"));
}

// Groups of copies end in the order in which they were made. A copy that is in none has no end.
static bool ends_copy(const pending *s, const fact *f, MlirOperation wait) {
  const int64_t left = left_pending(wait);
  if (f->groups == UNGROUPED)
    return false;
  if (left != NONE)
    return f->groups >= left;
  bool ends = is_held_by_operands(s, f, wait);
  STOW_EACH(const fact, other, s->now)
    ends |= is_copy(s, other) && is_held_by_operands(s, other, wait) &&
            other->groups != UNGROUPED && f->groups > other->groups;
  return ends;
}

static bool is_among(MlirOperation op, const stow_op_list *ops) {
  STOW_EACH_ITEM(MlirOperation, other, *ops)
    if (mlirOperationEqual(op, other))
      return true;
  return false;
}

static bool is_ended_by(const pending *s, const fact *f, MlirOperation wait,
                        const stow_op_list *transfers) {
  const MlirOperation op = s->program->works.at[f->work].op;
  if (f->waited)
    return false;
  if (stow_check_kinds(op) & STOW_CHECK_TRANSFERS)
    return is_among(op, transfers);
  return is_copy(s, f) && stow_ir_op_is(wait, "nvgpu.device_async_wait")
             ? ends_copy(s, f, wait)
             : is_held_by_operands(s, f, wait);
}

static fact behind_wait(const fact *f) {
  fact waited = *f;
  waited.waited = true;
  waited.holders = STOW_CHECK_NO_HOLDERS;
  waited.groups = UNGROUPED;
  return waited;
}

// Copies of threads other than the one that waits are known to be done behind a barrier.
static void end_works(pending *s, MlirOperation wait) {
  bool *ended = stow_ir_allocate(s->now.count, sizeof *ended);
  const stow_op_list transfers = stow_check_transfer_partners(&s->program->transfers, wait);
  size_t kept = 0;
  for (size_t i = 0; i < s->now.count; ++i)
    ended[i] = is_ended_by(s, &s->now.at[i], wait, &transfers);
  for (size_t i = 0; i < s->now.count; ++i)
    if (!ended[i] || is_copy(s, &s->now.at[i]))
      s->now.at[kept++] = ended[i] ? behind_wait(&s->now.at[i]) : s->now.at[i];
  s->now.count = kept;
  free(ended);
}

// Whether all that the work is known to access is memory of a launch, of which another has its own.
static bool is_of_launch(const pending *s, const fact *f, MlirOperation launch) {
  const stow_check_program *p = s->program;
  STOW_EACH_ITEM(int32_t, name, s->used[f->work]) {
    const int32_t root = p->names.at[name].root;
    if (root < 0 || !stow_check_is_made_inside(p->names.at[root].value, launch) ||
        !stow_ir_is_workgroup_space(
            stow_ir_memory_space(mlirValueGetType(p->names.at[root].value))))
      return false;
  }
  return true;
}

static void end_waited(pending *s, MlirOperation barrier) {
  size_t kept = 0;
  const bool ends = stow_ir_op_is(barrier, "gpu.terminator");
  const MlirOperation launch = mlirOperationGetParentOperation(barrier);
  for (size_t i = 0; i < s->now.count; ++i)
    if (!s->now.at[i].waited && !(ends && is_of_launch(s, &s->now.at[i], launch)))
      s->now.at[kept++] = s->now.at[i];
  s->now.count = kept;
}

static void commit(const pending *s, fact *f, bool joins) {
  if (is_copy(s, f) && f->groups != UNGROUPED && f->groups < STOW_CHECK_MOST_GROUPS)
    ++f->groups;
  else if (is_copy(s, f) && joins)
    f->groups = 0;
}

// The results of the op stand for what its operands did; where it chooses one, for what all did.
static void pass_on(pending *s, MlirOperation op, bool commits, bool chooses) {
  STOW_EACH(fact, f, s->now) {
    const bool joins = chooses ? is_held_by_all(s, f, op) : is_held_by_operands(s, f, op);
    each_result(s, f, op, drop_holder);
    if (joins)
      each_result(s, f, op, add_holder);
    if (commits)
      commit(s, f, joins);
  }
}

static bool selects_token(MlirOperation op) {
  return stow_ir_op_is(op, "arith.select") &&
         stow_bridge_type_is_token(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

// Whether another select of tokens has the op's condition.
static bool selects_with_others(MlirOperation op) {
  size_t count = 0;
  if (!selects_token(op))
    return false;
  STOW_EACH_USE(use, mlirOperationGetOperand(op, 0))
    count += selects_token(mlirOpOperandGetOwner(use));
  return count > 1;
}

// The fact where the condition of the select is so.
static void select_where(pending *s, MlirOperation op, const fact *f, bool holds) {
  const MlirValue chosen = mlirOperationGetOperand(op, holds ? 1 : 2);
  fact to = *f;
  to.condition = mlirOperationGetOperand(op, 0).ptr;
  to.holds = holds;
  each_result(s, &to, op, drop_holder);
  if (is_held_by(s, &to, stow_check_handle_of(s->program, chosen)))
    each_result(s, &to, op, add_holder);
  join(s, &s->now, &to);
}

// Other selects with the condition choose alike. A fact knows of one condition.
static void select_alike(pending *s, MlirOperation op) {
  const facts all = s->now;
  const void *condition = mlirOperationGetOperand(op, 0).ptr;
  s->now = (facts){0};
  STOW_EACH(fact, f, all) {
    const bool by_all = is_held_by_all(s, f, op), other = f->condition && f->condition != condition;
    each_result(s, f, op, drop_holder);
    if (by_all)
      each_result(s, f, op, add_holder);
    if (by_all || other || !is_held_by_operands(s, f, op)) {
      join(s, &s->now, f);
      continue;
    }
    if (!f->condition || f->holds)
      select_where(s, op, f, true);
    if (!f->condition || !f->holds)
      select_where(s, op, f, false);
  }
  free(all.at);
}

static void join_group(pending *s, MlirOperation op) {
  const stow_check_program *p = s->program;
  const int32_t token = stow_check_handle_of(p, mlirOperationGetOperand(op, 0));
  STOW_EACH(fact, f, s->now)
    if (is_held_by(s, f, token))
      add_holder(s, f, stow_check_handle_of(p, mlirOperationGetOperand(op, 1)));
}

static fact started(pending *s, int32_t work) {
  fact f = {
      .work = work, .groups = UNGROUPED, .since = INT64_MAX, .holders = STOW_CHECK_NO_HOLDERS};
  each_result(s, &f, s->program->works.at[work].op, add_holder);
  return f;
}

static bool forwards(MlirOperation op) {
  return stow_op_facts(op) & (STOW_OP_BRANCH | STOW_OP_REGION_BRANCH | STOW_OP_REGION_TERMINATOR);
}

static bool is_pure(pending *s, MlirOperation op) {
  stow_check_op does = stow_check_op_read(&s->program->transfers, op, stow_op_facts(op));
  bool pure = true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    pure &= !(does.operands[i] & STOW_CHECK_USES);
  stow_check_op_free(&does);
  return pure;
}

// An op that is not known is taken to wait for what it is given.
static void pass_handles(pending *s, MlirOperation op, int32_t work) {
  const uint32_t kinds = stow_check_kinds(op);
  const bool gives = mlirOperationGetNumResults(op) > 0 &&
                     (!(kinds & STOW_CHECK_WAITS) ||
                      stow_bridge_type_is_token(mlirValueGetType(mlirOperationGetResult(op, 0))));
  if (work >= 0 && s->program->works.at[work].has_body)
    return;
  if (kinds & STOW_CHECK_JOINS)
    join_group(s, op);
  else if (kinds & (STOW_CHECK_STARTS | STOW_CHECK_WAITS | STOW_CHECK_COMMITS) && gives)
    pass_on(s, op, kinds & STOW_CHECK_COMMITS, false);
  else if (selects_with_others(op))
    select_alike(s, op);
  else if (!forwards(op) && is_pure(s, op) &&
           (mlirOperationGetNumOperands(op) == 1 || stow_ir_op_is(op, "arith.select")))
    pass_on(s, op, false, true);
  else if (!forwards(op) && !is_pure(s, op))
    end_works(s, op);
  if (work >= 0 && s->used[work].count > 0) {
    const fact f = started(s, work);
    join(s, &s->now, &f);
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static renamed *renaming_of(fact *f, int32_t name) {
  for (int32_t i = 0; i < f->renamed_count; ++i)
    if (f->renamed[i].name == name)
      return &f->renamed[i];
  return NULL;
}

// Whether a name was chosen before any memory was made that the other one may be in.
static bool is_chosen_before(const stow_check_program *p, int32_t choice, int32_t other) {
  const stow_check_name *n = &p->names.at[other];
  bool before = p->names.at[choice].kind == STOW_CHECK_CHOICE;
  while (before && p->names.at[choice].parent != STOW_CHECK_NO_NAME)
    choice = p->names.at[choice].parent;
  for (size_t o = n->first_origin; o < n->first_origin + n->origin_count && before; ++o) {
    const int32_t root = p->names.at[p->origins.at[o].leaf].root;
    before = root != NONE && stow_check_is_made_since(p, root, p->names.at[choice].position);
  }
  return before;
}

// Whether an access of work and one behind its start are to common bytes through two views. Of what
// a loop has carried as an arena all views made behind are others.
static bool meet(pending *s, fact *f, const stow_check_access *work, const stow_check_access *now) {
  const renamed *to = renaming_of(f, work->place.name);
  const bool known = to && to->now != NONE, as_arena = known && to->within >= 0;
  stow_check_place place = work->place;
  if (known)
    place.name = to->now;
  if (as_arena)
    place.bytes = stow_check_bytes_shift(place.bytes, to->within);
  const int64_t since = known ? INT64_MAX : f->since;
  const bool across = s->program->names.at[place.name].position > since;
  const unsigned others = STOW_CHECK_OVERLAP | (as_arena ? STOW_CHECK_SAME : 0);
  return !work->handle && (work->writes || now->writes) &&
         !is_chosen_before(s->program, place.name, now->place.name) &&
         !is_chosen_before(s->program, now->place.name, place.name) &&
         (stow_check_relate(&s->relations, place.name, now->place.name, across) & others) &&
         stow_check_places_meet(&s->relations, place, now->place, since);
}

static void note(pending *s, int32_t op, const fact *f, int32_t name, int32_t other) {
  STOW_PUSH(s->program->clashes, (stow_check_clash){op, f->work, name, other, f->waited});
}

static void meet_work(pending *s, fact *f, const stow_check_access *now, int32_t op) {
  const stow_check_program *p = s->program;
  const stow_check_work *w = &p->works.at[f->work];
  for (size_t a = w->first_access; a < w->access_end; ++a, ++s->steps)
    if (meet(s, f, &p->accesses.at[a], now)) {
      note(s, op, f, now->place.name, p->accesses.at[a].place.name);
      return;
    }
}

// Whether the op is in the body of the work, which has been started again.
static void note_again(pending *s, int32_t op, const fact *f) {
  const stow_check_work *w = &s->program->works.at[f->work];
  if (w->has_body && s->node >= w->first_inside && s->node < w->after)
    STOW_PUSH(s->program->overtakings, (stow_check_overtaking){op, f->work, f->since});
}

// What the op itself waits for first is done.
static void check_access(pending *s, const stow_check_event *event) {
  const stow_check_program *p = s->program;
  STOW_EACH(fact, f, s->now) {
    if (is_held_by_operands(s, f, p->ops.at[event->op]))
      continue;
    note_again(s, event->op, f);
    for (size_t a = event->first; a < event->first + event->count; ++a)
      if (!p->accesses.at[a].handle)
        meet_work(s, f, &p->accesses.at[a], event->op);
  }
}

static bool may_be_in(const stow_check_program *p, int32_t name, int32_t root) {
  const stow_check_name *n = &p->names.at[name];
  for (size_t o = n->first_origin; o < n->first_origin + n->origin_count; ++o)
    if (p->names.at[p->origins.at[o].leaf].root == root)
      return true;
  return false;
}

// Whether a name may stand for the memory of a root that control has made no other of since: what
// was chosen before that was made is none of it.
static bool may_be_same(const stow_check_program *p, const fact *f, int32_t name, int32_t root) {
  return root != NONE && p->names.at[root].position <= f->since &&
         p->names.at[root].position <= p->names.at[name].position;
}

// Whether the view may be in the memory that is freed by the name `freed`.
static bool is_freed(pending *s, fact *f, int32_t name, int32_t freed) {
  const stow_check_program *p = s->program;
  const renamed *to = renaming_of(f, name);
  if (to && to->now != NONE)
    return stow_check_relate(&s->relations, to->now, freed, false) != 0;
  const stow_check_name *n = &p->names.at[freed];
  for (size_t o = n->first_origin; o < n->first_origin + n->origin_count; ++o, ++s->steps) {
    const int32_t root = p->names.at[p->origins.at[o].leaf].root;
    if (may_be_same(p, f, freed, root) && may_be_in(p, name, root))
      return true;
  }
  return false;
}

static int32_t used_of(pending *s, fact *f, int32_t freed) {
  STOW_EACH_ITEM(int32_t, name, s->used[f->work])
    if (is_freed(s, f, name, freed))
      return name;
  return NONE;
}

static void check_free(pending *s, const stow_check_event *event) {
  const stow_check_program *p = s->program;
  STOW_EACH(fact, f, s->now) {
    const bool done = f->waited || is_held_by_operands(s, f, p->ops.at[event->op]);
    for (size_t a = event->first; a < event->first + event->count && !done; ++a) {
      const int32_t used = used_of(s, f, p->accesses.at[a].place.name);
      if (used != NONE)
        note(s, event->op, f, NONE, used);
    }
  }
}

static void pass_event(pending *s, const stow_check_event *event) {
  if (event->kind == STOW_CHECK_EVENT_HANDLES)
    pass_handles(s, s->program->ops.at[event->op], event->name);
  else if (event->kind == STOW_CHECK_EVENT_BARRIER)
    end_waited(s, s->program->ops.at[event->op]);
  else if (s->noting && event->kind == STOW_CHECK_EVENT_ACCESS)
    check_access(s, event);
  else if (s->noting && event->kind == STOW_CHECK_EVENT_FREE)
    check_free(s, event);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

static bool is_all_of(const stow_check_program *p, const stow_check_source *source) {
  return source->place.exact && source->place.bytes.lo == 0 &&
         source->place.bytes.hi == p->names.at[source->place.name].bytes.hi;
}

// Whether a source is surely all of a name: a value that control always gives another one is that.
static bool is_surely(const stow_check_program *p, const stow_check_source *source, int32_t name) {
  for (size_t n = 0; n < p->names.count && is_all_of(p, source); ++n) {
    const stow_check_name *given = &p->names.at[source->place.name];
    if (source->place.name == name)
      return true;
    if (given->kind != STOW_CHECK_CHOICE || given->source_count != 1 || given->mixed)
      return false;
    source = &p->sources.at[given->first_source];
  }
  return false;
}

// The choice that an edge gives all of a name to, or NONE.
static int32_t carried_to(const pending *s, int32_t edge, int32_t name) {
  const stow_check_program *p = s->program;
  STOW_EACH_OF(i, s->sources, edge) {
    const stow_check_source *source = &p->sources.at[i];
    if (is_surely(p, source, name))
      return source->choice;
  }
  return NONE;
}

// What the edge makes stand for a view that the work used, or for the arena that it is cut from.
static renamed renamed_along(const pending *s, int32_t edge, int32_t name) {
  const stow_check_name *n = &s->program->names.at[name];
  const int32_t to = carried_to(s, edge, name);
  if (to == NONE && n->kind == STOW_CHECK_CHOICE && n->parent != STOW_CHECK_NO_NAME)
    return (renamed){name, carried_to(s, edge, n->parent), n->start};
  if (to != NONE || n->kind != STOW_CHECK_CARVE || n->loose != NONE || n->root == NONE ||
      s->program->names.at[n->root].data)
    return (renamed){name, to, -1};
  return (renamed){name, carried_to(s, edge, n->root), n->address};
}

// Where a loop makes a view of the work anew, what it carries stands for the one before.
static void rename_along(const pending *s, fact *f, int32_t edge) {
  STOW_EACH_ITEM(int32_t, name, s->used[f->work]) {
    renamed *known = renaming_of(f, name);
    const int32_t now = known ? known->now : name;
    if (now == NONE || !stow_check_made_in_loop_of(s->program, now, edge))
      continue;
    const renamed to = renamed_along(s, edge, now);
    if (known)
      known->now = carried_to(s, edge, now);
    else if (to.now != NONE && f->renamed_count < STOW_CHECK_MOST_RENAMED &&
             s->program->names.at[name].position <= f->since)
      f->renamed[f->renamed_count++] = to;
  }
}

static fact moved(pending *s, const fact *f, int32_t edge) {
  const stow_check_program *p = s->program;
  const stow_check_edge *e = &p->edges.at[edge];
  fact to = *f;
  for (int32_t held = f->holders; held >= 0; held = s->handles.sets.at[held].others) {
    const int32_t handle = s->handles.sets.at[held].handle;
    if (p->handles.at[handle].is_given && p->handles.at[handle].node == e->to)
      drop_holder(s, &to, handle);
  }
  STOW_EACH_OF(g, s->given, edge)
    if (is_held_by(s, f, stow_check_handle_of(p, p->given.at[g].from)))
      add_holder(s, &to, stow_check_handle_of(p, p->given.at[g].to));
  const int64_t begin = p->nodes.at[e->to].begin;
  if (begin > p->nodes.at[e->from].begin)
    return to;
  to.condition = NULL; // it may be made anew
  rename_along(s, &to, edge);
  if (begin < to.since)
    to.since = begin;
  return to;
}

// Whether control leaves the body of work along the edge, in which the fact's work was started
// before it.
static bool outlasts(pending *s, const fact *f, int32_t edge) {
  const stow_check_edge *e = &s->program->edges.at[edge];
  const int32_t body = s->follows[e->to];
  if (body == NONE)
    return false;
  const stow_check_work *w = &s->program->works.at[body];
  if (e->from < w->first_inside || e->from >= w->after ||
      (f->work > body && f->work < w->inner_end))
    return false;
  STOW_PUSH(s->lasting[body], f->work);
  return true;
}

static void leave_along(pending *s, int32_t edge) {
  const stow_check_edge *e = &s->program->edges.at[edge];
  const int32_t body = s->enters[e->from];
  const MlirOperation op = body == NONE ? (MlirOperation){NULL} : s->program->works.at[body].op;
  if (body != NONE && e->to == s->program->works.at[body].after)
    return;
  for (size_t i = 0; i < s->now.count; ++i) {
    const fact *f = &s->now.at[i];
    if ((body == NONE || !is_held_by_operands(s, f, op)) && !outlasts(s, f, edge))
      arrive(s, e->to, moved(s, f, edge));
  }
}

static int by_number(const void *a, const void *b) {
  return STOW_COMPARE(*(const int32_t *)a, *(const int32_t *)b);
}

// Past the body of work, which goes on.
static void pass_body(pending *s, int32_t body) {
  const stow_check_work *w = &s->program->works.at[body];
  facts *aside = &s->aside[body];
  numbers *lasting = &s->lasting[body];
  STOW_SORT(*lasting, by_number);
  STOW_EACH(fact, f, *aside) {
    const size_t at = stow_ir_first_from(STOW_NUMBERS(lasting->at, lasting->count), f->work);
    const bool ends =
        is_held_by_operands(s, f, w->op) || at == lasting->count || lasting->at[at] != f->work;
    each_result(s, f, w->op, drop_holder);
    if (ends)
      each_result(s, f, w->op, add_holder);
    arrive(s, w->after, *f);
  }
  if (s->used[body].count > 0)
    arrive(s, w->after, started(s, body));
  free(aside->at);
  free(lasting->at);
  *aside = (facts){0};
  *lasting = (numbers){0};
}

static void set_aside(pending *s, int32_t body) {
  STOW_EACH_ITEM(fact, f, s->now)
    STOW_PUSH(s->aside[body], f);
}

static void take_state(pending *s, int32_t node) {
  const int32_t body = s->follows[node];
  s->node = node;
  if (body != NONE)
    pass_body(s, body);
  s->now.count = 0;
  if (s->returned_to[node]) {
    STOW_EACH_ITEM(fact, f, s->states[node])
      STOW_PUSH(s->now, f);
    return;
  }
  free(s->now.at);
  s->now = s->states[node];
  s->states[node] = (facts){0};
}

static void pass_node(pending *s, int32_t node) {
  const stow_check_node *n = &s->program->nodes.at[node];
  take_state(s, node);
  for (size_t e = n->first_event; e < n->event_end; ++e, ++s->steps)
    pass_event(s, &s->program->events.at[e]);
  STOW_EACH_OF(edge, s->program->out, node)
    leave_along(s, edge);
  if (s->enters[node] != NONE)
    set_aside(s, s->enters[node]);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static bool affordable(const pending *s) { return s->steps <= s->program->options->max_effort; }

static void pass_all(pending *s) {
  s->again = false;
  STOW_EACH_ITEM(int32_t, node, s->program->order)
    if (affordable(s))
      pass_node(s, node);
}

static void reach_fixed_point(pending *s) {
  do
    pass_all(s);
  while (s->again && affordable(s));
  s->noting = true;
  pass_all(s);
}

static void find_returns(pending *s) {
  const stow_check_program *p = s->program;
  STOW_EACH(const stow_check_edge, e, p->edges)
    if (p->nodes.at[e->to].begin <= p->nodes.at[e->from].begin)
      s->returned_to[e->to] = true;
}

static void list_used(pending *s) {
  const stow_check_program *p = s->program;
  int32_t *seen = stow_ir_allocate(p->names.count, sizeof *seen);
  for (size_t w = 0; w < p->works.count; ++w)
    for (size_t a = p->works.at[w].first_access; a < p->works.at[w].access_end; ++a) {
      const int32_t name = p->accesses.at[a].place.name;
      if (p->accesses.at[a].handle || seen[name] == (int32_t)w + 1)
        continue;
      seen[name] = (int32_t)w + 1;
      STOW_PUSH(s->used[w], name);
    }
  free(seen);
}

static int64_t newest_of(const stow_check_program *p, int32_t name) {
  const stow_check_name *n = &p->names.at[name];
  int64_t newest = -1;
  for (size_t o = n->first_origin; o < n->first_origin + n->origin_count; ++o) {
    const int32_t root = p->names.at[p->origins.at[o].leaf].root;
    if (root != NONE && p->names.at[root].position > newest)
      newest = p->names.at[root].position;
  }
  return newest;
}

static void find_newest(pending *s) {
  for (size_t w = 0; w < s->program->works.count; ++w) {
    s->newest[w] = -1;
    STOW_EACH_ITEM(int32_t, name, s->used[w]) {
      const int64_t newest = newest_of(s->program, name);
      s->newest[w] = newest > s->newest[w] ? newest : s->newest[w];
    }
  }
}

static void open_pending(pending *s) {
  const stow_check_program *p = s->program;
  const size_t nodes = p->nodes.count;
  s->relations = (stow_check_relations){.program = p, .steps = &s->steps};
  s->states = stow_ir_allocate(nodes, sizeof *s->states);
  s->aside = stow_ir_allocate(p->works.count, sizeof *s->aside);
  s->lasting = stow_ir_allocate(p->works.count, sizeof *s->lasting);
  s->returned_to = stow_ir_allocate(nodes, sizeof *s->returned_to);
  s->enters = stow_ir_allocate(nodes, sizeof *s->enters);
  s->follows = stow_ir_allocate(nodes, sizeof *s->follows);
  s->used = stow_ir_allocate(p->works.count, sizeof *s->used);
  list_used(s);
  s->newest = stow_ir_allocate(p->works.count, sizeof *s->newest);
  find_newest(s);
  find_returns(s);
  s->sources = stow_index_of(STOW_COLUMN(p->sources.at, p->sources.count, edge), p->edges.count);
  s->given = stow_index_of(STOW_COLUMN(p->given.at, p->given.count, edge), p->edges.count);
  for (size_t n = 0; n < nodes; ++n)
    s->enters[n] = s->follows[n] = NONE;
  for (size_t w = 0; w < p->works.count; ++w)
    if (p->works.at[w].has_body)
      s->enters[p->works.at[w].before] = s->follows[p->works.at[w].after] = (int32_t)w;
}

static void close_pending(pending *s) {
  for (size_t n = 0; n < s->program->nodes.count; ++n)
    free(s->states[n].at);
  for (size_t w = 0; w < s->program->works.count; ++w) {
    free(s->used[w].at);
    free(s->aside[w].at);
    free(s->lasting[w].at);
  }
  free(s->states);
  free(s->used);
  free(s->newest);
  free(s->aside);
  free(s->lasting);
  free(s->returned_to);
  free(s->enters);
  free(s->follows);
  free(s->now.at);
  stow_check_holders_close(&s->handles);
  stow_index_free(&s->given);
  stow_index_free(&s->sources);
  stow_map_free(&s->relations.known);
}

bool stow_check_pending_find(stow_check_program *p) {
  pending s = {.program = p};
  if (p->works.count == 0 || p->names.count == 0)
    return true;
  open_pending(&s);
  s.handles = stow_check_holders_open(p, s.follows, &s.steps);
  reach_fixed_point(&s);
  const bool done = affordable(&s);
  close_pending(&s);
  return done;
}
