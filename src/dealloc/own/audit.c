//===- audit.c - that each owner's memory is freed once on every path -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"

#ifndef NDEBUG

#include <assert.h>
#include <stdlib.h>

// Ownership ends: inside a stretch after the op at `position`, or on a path out of it.
typedef struct end {
  int32_t owner, stretch;
  int32_t path; // or -1: inside, or by whichever path control leaves
  int64_t position;
} end;

typedef struct auditor {
  const stow_domain *domain;
  const stow_owners *owners;
  STOW_ARRAY(end) ends;
  stow_index by_owner, uses; // ends by owner, uses by ref
  int32_t *held;             // per stretch: the last owner that is held where it begins
  int32_t *work;
  size_t work_count;
} auditor;

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

static void add_release(auditor *a, const stow_release *release) {
  const int64_t after_all = INT64_MAX;
  bool on_path = release->spot == STOW_ON_PATH;
  int64_t position = release->spot == STOW_AFTER_OP   ? release->at
                     : release->spot == STOW_AT_START ? -1
                                                      : after_all;
  STOW_PUSH(a->ends,
            (end){release->owner, release->stretch, on_path ? (int32_t)release->at : -1, position});
}

static void add_moves(auditor *a, const stow_handover *h) {
  int32_t owner = stow_only_owner(a->owners, h->ref);
  stow_manner manner = stow_transfer_of(a->owners, h)->manner;
  if (manner != STOW_MOVE && manner != STOW_CARRY)
    return;
  assert(owner >= 0 && a->domain->stretches.at[h->stretch].reachable);
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    STOW_PUSH(a->ends, (end){owner, h->stretch, a->domain->passes.at[p].path, INT64_MAX});
}

static void add_free(auditor *a, const stow_mention *mention) {
  int32_t owner = stow_only_owner(a->owners, mention->ref);
  if (owner >= 0 && a->domain->stretches.at[mention->stretch].reachable)
    STOW_PUSH(a->ends, (end){owner, mention->stretch, -1, mention->position});
}

static void collect_ends(auditor *a, const stow_releases *releases) {
  for (size_t i = 0; i < releases->items.count; ++i)
    add_release(a, &releases->items.at[i]);
  for (size_t i = 0; i < releases->settlements.count; ++i) {
    const stow_settlement *s = &releases->settlements.at[i];
    STOW_PUSH(a->ends, (end){s->owner, s->stretch, s->path, INT64_MAX});
  }
  for (size_t i = 0; i < a->domain->handovers.count; ++i)
    add_moves(a, &a->domain->handovers.at[i]);
  for (size_t i = 0; i < a->domain->frees.count; ++i)
    add_free(a, &a->domain->frees.at[i]);
}

// How often an owner ends in a stretch, or on a path out of it.
static int count_ends(const auditor *a, int32_t owner, int32_t stretch, int32_t path,
                      int64_t *out_position) {
  int count = 0;
  for (int32_t i = a->by_owner.first[owner]; i < a->by_owner.first[owner + 1]; ++i) {
    const end *e = &a->ends.at[a->by_owner.items[i]];
    if (e->stretch != stretch || e->path != path)
      continue;
    ++count;
    *out_position = e->position;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// One owner
//===----------------------------------------------------------------------===//

static bool is_held_at_start(const auditor *a, int32_t owner, int32_t stretch) {
  return a->held[stretch] == owner;
}

static void hold(auditor *a, int32_t owner, int32_t stretch) {
  if (is_held_at_start(a, owner, stretch))
    return;
  assert(stretch != a->domain->refs.at[owner].stretch && "an owner is made anew while it owns");
  assert(stow_reaches_start(a->domain, owner, stretch) && "an owner is held where it is not known");
  a->held[stretch] = owner;
  a->work[a->work_count++] = stretch;
}

// Goes on along the paths on which the owner does not end.
static void leave_stretch(auditor *a, int32_t owner, int32_t stretch) {
  const stow_domain *d = a->domain;
  int64_t position;
  int inside = count_ends(a, owner, stretch, -1, &position);
  assert(inside <= 1 && "an owner ends twice");
  bool last = d->leaving.first[stretch] == d->leaving.first[stretch + 1];
  assert((inside == 1 || !last) && "an owner does not end");
  for (int32_t i = d->leaving.first[stretch]; i < d->leaving.first[stretch + 1]; ++i) {
    int32_t path = d->leaving.items[i];
    int ends = inside + count_ends(a, owner, stretch, path, &position);
    assert(ends <= 1 && "an owner ends twice on a path");
    if (ends == 0)
      hold(a, owner, d->paths.at[path].to);
  }
}

// Where an owner is held, it is on every path to there.
static void assert_held_on_all_paths(const auditor *a, int32_t owner, int32_t stretch) {
  const stow_domain *d = a->domain;
  for (int32_t i = d->entering.first[stretch]; i < d->entering.first[stretch + 1]; ++i) {
    int32_t path = d->entering.items[i], from = d->paths.at[path].from;
    int64_t position;
    if (!d->stretches.at[from].reachable)
      continue;
    assert(is_held_at_start(a, owner, from) || from == d->refs.at[owner].stretch);
    assert(count_ends(a, owner, from, -1, &position) == 0);
    assert(count_ends(a, owner, from, path, &position) == 0);
  }
}

static void assert_used_while_held(const auditor *a, int32_t owner, int32_t ref) {
  for (int32_t i = a->uses.first[ref]; i < a->uses.first[ref + 1]; ++i) {
    const stow_mention *use = &a->domain->uses.at[a->uses.items[i]];
    int64_t position;
    if (!a->domain->stretches.at[use->stretch].reachable)
      continue;
    assert(is_held_at_start(a, owner, use->stretch) ||
           use->stretch == a->domain->refs.at[owner].stretch);
    assert(count_ends(a, owner, use->stretch, -1, &position) == 0 || use->position <= position);
  }
}

static void audit_owner(auditor *a, int32_t owner) {
  const stow_index *behind = &a->owners->behind;
  a->work_count = 0;
  leave_stretch(a, owner, a->domain->refs.at[owner].stretch);
  for (size_t i = 0; i < a->work_count; ++i)
    leave_stretch(a, owner, a->work[i]);
  for (size_t i = 0; i < a->work_count; ++i)
    assert_held_on_all_paths(a, owner, a->work[i]);
  for (int32_t i = behind->first[owner]; i < behind->first[owner + 1]; ++i)
    assert_used_while_held(a, owner, behind->items[i]);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static int32_t owner_of(const void *ends, size_t e) { return ((const end *)ends)[e].owner; }
static int32_t used(const void *uses, size_t u) { return ((const stow_mention *)uses)[u].ref; }

void stow_audit_releases(const stow_domain *domain, const stow_owners *owners,
                         const stow_releases *releases) {
  auditor a = {.domain = domain,
               .owners = owners,
               .held = stow_allocate(domain->stretches.count, sizeof *a.held),
               .work = stow_allocate(domain->stretches.count, sizeof *a.work)};
  for (size_t s = 0; s < domain->stretches.count; ++s)
    a.held[s] = -1;
  collect_ends(&a, releases);
  a.by_owner = stow_index_of(a.ends.at, a.ends.count, domain->refs.count, owner_of);
  a.uses = stow_index_of(domain->uses.at, domain->uses.count, domain->refs.count, used);
  for (size_t r = 0; r < domain->refs.count; ++r)
    if (owners->root[r] == (int32_t)r && domain->refs.at[r].stretch >= 0)
      audit_owner(&a, (int32_t)r);
  stow_index_free(&a.by_owner), stow_index_free(&a.uses);
  free(a.ends.at), free(a.held), free(a.work);
}

#endif // NDEBUG
