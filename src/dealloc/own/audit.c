//===- audit.c - each owner's memory is freed once on every path ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For builds with assertions. Requires decided owners and their releases. Follows each owner along
// the edges from where it begins: it must end once on every path, be used nowhere behind its end,
// and be held on all paths to a segment or on none.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"

#ifndef NDEBUG

#include <assert.h>
#include <stdlib.h>

// Ownership ends: inside a segment after the op at `position`, or on an edge out of it.
typedef struct end {
  int32_t owner, segment;
  int32_t edge; // or -1: inside, or on whichever edge is taken
  int64_t position;
} end;

typedef struct auditor {
  const stow_domain *domain;
  const stow_owners *owners;
  STOW_ARRAY(end) ends;
  stow_index by_owner; // ends
  int32_t *held;       // per segment: the last owner that is held where it begins
  int32_t *work;
  size_t work_count;
} auditor;

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

static void add_release(auditor *a, const stow_release *release) {
  const int64_t after_all = INT64_MAX;
  bool on_edge = release->spot == STOW_ON_EDGE;
  int64_t position = release->spot == STOW_AFTER_OP   ? release->at
                     : release->spot == STOW_AT_START ? -1
                                                      : after_all;
  STOW_PUSH(a->ends,
            (end){release->owner, release->segment, on_edge ? (int32_t)release->at : -1, position});
}

static void add_moves(auditor *a, const stow_forwarded *f) {
  int32_t owner = stow_dealloc_only_owner(a->owners, f->ref);
  stow_transfer_kind kind = stow_dealloc_transfer_of(a->owners, f)->kind;
  if (kind != STOW_MOVE && kind != STOW_MOVE_OWNED)
    return;
  assert(owner >= 0);
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
    STOW_PUSH(a->ends, (end){owner, f->segment, a->domain->incoming.at[p].edge, INT64_MAX});
}

static void add_free(auditor *a, const stow_own_mention *mention) {
  int32_t owner = stow_dealloc_only_owner(a->owners, mention->ref);
  if (owner >= 0)
    STOW_PUSH(a->ends, (end){owner, mention->segment, -1, mention->position});
}

static void collect_ends(auditor *a, const stow_releases *releases) {
  for (size_t i = 0; i < releases->items.count; ++i)
    add_release(a, &releases->items.at[i]);
  STOW_EACH(const stow_edge_move, s, releases->edge_moves)
    STOW_PUSH(a->ends, (end){s->owner, s->segment, s->edge, INT64_MAX});
  for (size_t i = 0; i < a->domain->forwarded.count; ++i)
    add_moves(a, &a->domain->forwarded.at[i]);
  for (size_t i = 0; i < a->domain->frees.count; ++i)
    add_free(a, &a->domain->frees.at[i]);
}

// How often an owner ends in a segment, or on an edge out of it.
static int count_ends(const auditor *a, int32_t owner, int32_t segment, int32_t edge,
                      int64_t *out_position) {
  int count = 0;
  STOW_EACH_OF(i, a->by_owner, owner) {
    const end *e = &a->ends.at[i];
    if (e->segment != segment || e->edge != edge)
      continue;
    ++count;
    *out_position = e->position;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// One owner
//===----------------------------------------------------------------------===//

static bool is_held_at_start(const auditor *a, int32_t owner, int32_t segment) {
  return a->held[segment] == owner;
}

static void hold(auditor *a, int32_t owner, int32_t segment) {
  if (is_held_at_start(a, owner, segment))
    return;
  assert(segment != a->domain->refs.at[owner].segment && "an owner is made anew while it owns");
  assert(stow_dealloc_reaches_start(a->domain, owner, segment) &&
         "an owner is held where it is not known");
  a->held[segment] = owner;
  a->work[a->work_count++] = segment;
}

// Follows the edges on which the owner does not end.
static void leave_segment(auditor *a, int32_t owner, int32_t segment) {
  const stow_domain *d = a->domain;
  int64_t position;
  int inside = count_ends(a, owner, segment, -1, &position);
  assert(inside <= 1 && "an owner ends twice");
  bool last = d->leaving.first[segment] == d->leaving.first[segment + 1];
  assert((inside == 1 || !last) && "an owner does not end");
  STOW_EACH_OF(edge, d->leaving, segment) {
    int ends = inside + count_ends(a, owner, segment, edge, &position);
    assert(ends <= 1 && "an owner ends twice on an edge");
    if (ends == 0)
      hold(a, owner, d->edges.at[edge].to);
  }
}

// Where an owner is held, it is on every path to there.
static void assert_held_on_all_paths(const auditor *a, int32_t owner, int32_t segment) {
  const stow_domain *d = a->domain;
  STOW_EACH_OF(edge, d->entering, segment) {
    int32_t from = d->edges.at[edge].from;
    int64_t position;
    assert(is_held_at_start(a, owner, from) || from == d->refs.at[owner].segment);
    assert(count_ends(a, owner, from, -1, &position) == 0);
    assert(count_ends(a, owner, from, edge, &position) == 0);
  }
}

static void assert_used_while_held(const auditor *a, int32_t owner, int32_t ref) {
  STOW_EACH_OF(i, a->domain->uses_of, ref) {
    const stow_own_mention *use = &a->domain->uses.at[i];
    int64_t position;
    assert(is_held_at_start(a, owner, use->segment) ||
           use->segment == a->domain->refs.at[owner].segment);
    assert(count_ends(a, owner, use->segment, -1, &position) == 0 || use->position <= position);
  }
}

static void audit_owner(auditor *a, int32_t owner) {
  const stow_index *behind = &a->owners->behind;
  a->work_count = 0;
  leave_segment(a, owner, a->domain->refs.at[owner].segment);
  for (size_t i = 0; i < a->work_count; ++i)
    leave_segment(a, owner, a->work[i]);
  for (size_t i = 0; i < a->work_count; ++i)
    assert_held_on_all_paths(a, owner, a->work[i]);
  STOW_EACH_OF(i, *behind, owner)
    assert_used_while_held(a, owner, i);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

void stow_dealloc_audit_releases(const stow_domain *domain, const stow_owners *owners,
                                 const stow_releases *releases) {
  auditor a = {.domain = domain,
               .owners = owners,
               .held = stow_ir_allocate(domain->segments.count, sizeof *a.held),
               .work = stow_ir_allocate(domain->segments.count, sizeof *a.work)};
  for (size_t s = 0; s < domain->segments.count; ++s)
    a.held[s] = -1;
  collect_ends(&a, releases);
  a.by_owner = stow_index_of(STOW_COLUMN(a.ends.at, a.ends.count, owner), domain->refs.count);
  for (size_t r = 0; r < domain->refs.count; ++r)
    if (owners->of[r].root == (int32_t)r && domain->refs.at[r].segment >= 0)
      audit_owner(&a, (int32_t)r);
  stow_index_free(&a.by_owner);
  free(a.ends.at);
  free(a.held);
  free(a.work);
}

#endif // NDEBUG
