//===- releases.c - where ownership ends ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One owner at a time: its live stretches are found by walking backwards from all
// mentions of the refs that may stand for it, so that the cost is that of its life.
//
// Moments within a stretch are numbers: op p is at 2p + 1, what the op at its end
// hands over is read at 2p, and the start of the stretch is START.
//
// A path on which the owner is needed no longer, while it is on another path from
// the same stretch, needs a dealloc of its own. Where no code can stand on it, the
// owner is *held* until all paths into the same stretch have come together.
//
//===----------------------------------------------------------------------===//

#include "dealloc/releases.h"

#include <assert.h>
#include <stdlib.h>

enum { UNTOUCHED = -2, START = -1 };

typedef struct stretch_state {
  int32_t attempt; // that the state belongs to; another one: it is stale
  int64_t last;    // the last moment at which it is needed inside
  int32_t frees;   // of the program
  int64_t freed_at;
  bool needed_in, needed_out;
  bool leaves; // it is moved on some path, or cloned on one
  bool placed; // a dealloc stands at the start
} stretch_state;

typedef struct decider {
  stow_domain *domain;
  const stow_owners *owners;
  stow_releases *releases;
  stow_index uses, frees;
  int32_t owner, attempt;
  stretch_state *states;
  int32_t *moved_on; // per path: the last attempt that moved its owner on it
  int32_t *touched, *work, *held;
  size_t touched_count, work_count, held_count, held_capacity;
  bool again, failed;
} decider;

static const stow_ref *owner_ref(const decider *d) { return &d->domain->refs[d->owner]; }

static stretch_state *state_of(decider *d, int32_t stretch) {
  stretch_state *state = &d->states[stretch];
  if (state->attempt != d->attempt) {
    *state = (stretch_state){.attempt = d->attempt, .last = UNTOUCHED};
    d->touched[d->touched_count++] = stretch;
  }
  return state;
}

static void need_at(decider *d, int32_t stretch, int64_t moment) {
  if (stretch < 0 || !d->domain->stretches[stretch].reachable)
    return;
  stretch_state *state = state_of(d, stretch);
  if (moment > state->last)
    state->last = moment;
}

static int64_t end_of(const decider *d, int32_t stretch) {
  return 2 * d->domain->stretches[stretch].stop;
}

//===----------------------------------------------------------------------===//
// Where the owner is needed
//===----------------------------------------------------------------------===//

static void need_for_ref(decider *d, int32_t r) {
  const stow_domain *domain = d->domain;
  const stow_ref *ref = &domain->refs[r];
  need_at(d, ref->stretch, ref->position < 0 ? START : 2 * ref->position + 1);
  for (int32_t i = d->uses.first[r]; i < d->uses.first[r + 1]; ++i) {
    const stow_mention *use = &domain->uses[d->uses.items[i]];
    need_at(d, use->stretch, 2 * use->position + 1);
  }
  for (int32_t i = domain->handed.first[r]; i < domain->handed.first[r + 1]; ++i) {
    int32_t stretch = domain->handovers[domain->handed.items[i]].stretch;
    need_at(d, stretch, end_of(d, stretch));
  }
  for (int32_t i = d->frees.first[r]; i < d->frees.first[r + 1]; ++i) {
    const stow_mention *mention = &domain->frees[d->frees.items[i]];
    if (!domain->stretches[mention->stretch].reachable)
      continue;
    stretch_state *state = state_of(d, mention->stretch);
    ++state->frees;
    state->freed_at = 2 * mention->position + 1;
  }
}

static void need_on_entry(decider *d, int32_t stretch) {
  stretch_state *state = state_of(d, stretch);
  if (state->needed_in || stretch == owner_ref(d)->stretch)
    return;
  state->needed_in = true;
  d->work[d->work_count++] = stretch;
}

static void close_over_paths(decider *d) {
  const stow_domain *domain = d->domain;
  size_t mentioned = d->touched_count;
  d->work_count = 0;
  for (size_t i = 0; i < mentioned; ++i)
    need_on_entry(d, d->touched[i]);
  while (d->work_count > 0) {
    int32_t stretch = d->work[--d->work_count];
    for (int32_t p = domain->entering.first[stretch]; p < domain->entering.first[stretch + 1];
         ++p) {
      int32_t from = domain->paths[domain->entering.items[p]].from;
      if (!domain->stretches[from].reachable)
        continue;
      state_of(d, from)->needed_out = true;
      need_on_entry(d, from);
    }
  }
}

static void find_needs(decider *d) {
  const stow_index *behind = &d->owners->behind;
  for (int32_t i = behind->first[d->owner]; i < behind->first[d->owner + 1]; ++i)
    need_for_ref(d, d->owners->behind_refs[i]);
  close_over_paths(d);
}

//===----------------------------------------------------------------------===//
// Frees of the program
//===----------------------------------------------------------------------===//

static bool is_freed_in(const stretch_state *state) { return state->frees > 0; }

static void give_up(decider *d, int32_t ref, MlirOperation op) {
  stow_domain_add_flight(d->domain, ref, op,
                         "it is freed in a way that shows no single owner on every path");
  d->failed = true;
}

// A free must end the ownership of one owner that is needed no longer.
static void check_frees(decider *d) {
  const stow_index *behind = &d->owners->behind;
  for (int32_t i = behind->first[d->owner]; i < behind->first[d->owner + 1]; ++i) {
    int32_t r = d->owners->behind_refs[i];
    for (int32_t f = d->frees.first[r]; f < d->frees.first[r + 1]; ++f) {
      const stow_mention *mention = &d->domain->frees[d->frees.items[f]];
      if (!d->domain->stretches[mention->stretch].reachable)
        continue;
      const stretch_state *state = state_of(d, mention->stretch);
      if (state->frees > 1 || state->last > state->freed_at || state->needed_out ||
          stow_only_owner(d->owners, r) != d->owner)
        give_up(d, r, mention->op);
    }
  }
}

//===----------------------------------------------------------------------===//
// Handovers
//===----------------------------------------------------------------------===//

static bool is_needed_after(decider *d, int32_t path) {
  if (path < 0)
    return false;
  int32_t to = d->domain->paths[path].to;
  return d->states[to].attempt == d->attempt && d->states[to].needed_in;
}

static bool can_move(decider *d, const stow_handover *h) {
  if (h->immovable || stow_only_owner(d->owners, h->ref) != d->owner ||
      is_freed_in(state_of(d, h->stretch)))
    return false;
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p) {
    int32_t path = d->domain->passes[p].path;
    if (is_needed_after(d, path) || (path >= 0 && d->moved_on[path] == d->attempt) ||
        (path < 0 && state_of(d, h->stretch)->leaves))
      return false;
  }
  return true;
}

static bool wants_to_own(const stow_owners *owners, const stow_handover *h) {
  if (h->pass_count == 0)
    return false;
  int32_t target = owners->domain->passes[h->pass].target;
  return owners->owns[target] && owners->left[target] < 0;
}

static bool is_one_of_several_paths(const stow_domain *domain, const stow_handover *h) {
  int32_t stretch = h->stretch;
  return domain->leaving.first[stretch + 1] - domain->leaving.first[stretch] > 1 &&
         domain->paths[domain->passes[h->pass].path].successor >= 0;
}

static void move(decider *d, stow_handover *h) {
  h->manner = STOW_MOVE;
  state_of(d, h->stretch)->leaves = true;
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    if (d->domain->passes[p].path >= 0)
      d->moved_on[d->domain->passes[p].path] = d->attempt;
}

static void decide_handovers_of(decider *d, int32_t ref) {
  const stow_domain *domain = d->domain;
  for (int32_t i = domain->handed.first[ref]; i < domain->handed.first[ref + 1]; ++i) {
    stow_handover *h = &domain->handovers[domain->handed.items[i]];
    if (!domain->stretches[h->stretch].reachable || !wants_to_own(d->owners, h))
      continue;
    if (can_move(d, h)) {
      move(d, h);
      continue;
    }
    h->manner = STOW_COPY;
    if (is_one_of_several_paths(domain, h)) // its clone stands on the path
      state_of(d, h->stretch)->leaves = true;
  }
}

// What the op at the end itself uses outlasts it, so that it must be freed on the paths from there.
static void use_by_ends(decider *d) {
  for (size_t i = 0; i < d->touched_count; ++i) {
    stretch_state *state = &d->states[d->touched[i]];
    state->leaves |= state->last > end_of(d, d->touched[i]);
  }
}

static void decide_handovers(decider *d) {
  const stow_index *behind = &d->owners->behind;
  for (int32_t i = behind->first[d->owner]; i < behind->first[d->owner + 1]; ++i)
    decide_handovers_of(d, d->owners->behind_refs[i]);
}

//===----------------------------------------------------------------------===//
// Deallocs
//===----------------------------------------------------------------------===//

static void release(decider *d, stow_spot spot, int64_t at) {
  stow_releases *r = d->releases;
  r->items = stow_grow(r->items, r->count, &r->capacity, sizeof *r->items);
  r->items[r->count++] = (stow_release){d->owner, spot, at};
}

static bool holds_at_end(decider *d, int32_t stretch) {
  const stretch_state *state = &d->states[stretch];
  return state->attempt == d->attempt && !is_freed_in(state) &&
         (state->needed_out || state->leaves) &&
         (state->needed_in || stretch == owner_ref(d)->stretch);
}

static bool dies_on(decider *d, int32_t path) {
  return holds_at_end(d, d->domain->paths[path].from) && !is_needed_after(d, path) &&
         d->moved_on[path] != d->attempt;
}

static bool dies_on_all_paths_to(decider *d, int32_t stretch) {
  const stow_domain *domain = d->domain;
  for (int32_t p = domain->entering.first[stretch]; p < domain->entering.first[stretch + 1]; ++p) {
    int32_t path = domain->entering.items[p];
    if (domain->stretches[domain->paths[path].from].reachable && !dies_on(d, path))
      return false;
  }
  return true;
}

static void forbid_moves(decider *d, int32_t stretch) {
  const stow_stretch *s = &d->domain->stretches[stretch];
  bool forbidden = false;
  for (int32_t h = s->handover; h < s->handover + s->handover_count; ++h) {
    stow_handover *handover = &d->domain->handovers[h];
    if (stow_only_owner(d->owners, handover->ref) != d->owner || handover->immovable)
      continue;
    handover->immovable = true;
    forbidden = true;
  }
  assert(forbidden && "an owner is needed on a path that it does not reach");
  d->again = forbidden;
}

static void hold(decider *d, int32_t stretch) {
  d->held = stow_grow(d->held, d->held_count, &d->held_capacity, sizeof *d->held);
  d->held[d->held_count++] = stretch;
  d->again = true;
}

static void release_on(decider *d, int32_t p) {
  const stow_path *path = &d->domain->paths[p];
  bool visible = stow_reaches_start(d->domain, d->owner, path->to);
  if (visible && dies_on_all_paths_to(d, path->to)) {
    stretch_state *to = state_of(d, path->to);
    if (!to->placed)
      release(d, STOW_AT_START, path->to);
    to->placed = true;
  } else if (path->successor >= 0 || path->empty_region >= 0) {
    release(d, STOW_ON_PATH, p);
  } else if (visible) {
    hold(d, path->to);
  } else {
    forbid_moves(d, path->from);
  }
}

static void release_inside(decider *d, int32_t stretch, const stretch_state *state) {
  if (state->last == START)
    release(d, STOW_AT_START, stretch);
  else if (state->last >= end_of(d, stretch))
    release(d, STOW_BEFORE_END, stretch);
  else
    release(d, STOW_AFTER_OP, state->last / 2);
}

static void release_from(decider *d, int32_t stretch) {
  const stow_domain *domain = d->domain;
  stretch_state *state = &d->states[stretch];
  if (is_freed_in(state) || (!state->needed_in && stretch != owner_ref(d)->stretch))
    return;
  if (!state->needed_out && !state->leaves) {
    release_inside(d, stretch, state);
    return;
  }
  for (int32_t p = domain->leaving.first[stretch]; p < domain->leaving.first[stretch + 1]; ++p)
    if (dies_on(d, domain->leaving.items[p]))
      release_on(d, domain->leaving.items[p]);
}

static void place_releases(decider *d) {
  size_t touched = d->touched_count;
  for (size_t i = 0; i < touched && !d->again; ++i)
    release_from(d, d->touched[i]);
}

//===----------------------------------------------------------------------===//
// One owner after another
//===----------------------------------------------------------------------===//

static void try_owner(decider *d) {
  ++d->attempt;
  d->touched_count = 0;
  for (size_t i = 0; i < d->held_count; ++i)
    need_at(d, d->held[i], START);
  find_needs(d);
  check_frees(d);
  decide_handovers(d);
  use_by_ends(d);
  if (!d->failed)
    place_releases(d);
}

// Each try that does not succeed adds a hold or forbids a move.
static void decide_owner(decider *d, int32_t owner) {
  size_t released = d->releases->count;
  d->owner = owner;
  d->held_count = 0;
  do {
    d->again = false;
    d->releases->count = released;
    try_owner(d);
  } while (d->again && !d->failed);
}

// Handovers of what nobody here owns.
static void decide_the_rest(decider *d) {
  for (size_t i = 0; i < d->domain->handover_count; ++i) {
    stow_handover *h = &d->domain->handovers[i];
    bool owned = d->owners->sets[h->ref].count > 0;
    if (!owned || !wants_to_own(d->owners, h))
      h->manner = wants_to_own(d->owners, h) ? STOW_COPY : STOW_LEND;
  }
}

static int32_t mentioned(const void *t, size_t i) { return ((const stow_mention *)t)[i].ref; }

bool stow_releases_find(stow_domain *domain, const stow_owners *owners,
                        stow_releases *out_releases) {
  size_t stretches = domain->stretch_count;
  decider d = {.domain = domain,
               .owners = owners,
               .releases = out_releases,
               .uses = stow_index_of(domain->uses, domain->use_count, domain->ref_count, mentioned),
               .frees =
                   stow_index_of(domain->frees, domain->free_count, domain->ref_count, mentioned),
               .states = stow_allocate(stretches, sizeof *d.states),
               .moved_on = stow_allocate(domain->path_count, sizeof *d.moved_on),
               .touched = stow_allocate(stretches, sizeof *d.touched),
               .work = stow_allocate(stretches, sizeof *d.work)};
  for (size_t i = 0; i < domain->handover_count; ++i)
    domain->handovers[i].immovable = false;
  out_releases->count = 0;
  decide_the_rest(&d);
  for (size_t r = 0; r < domain->ref_count; ++r)
    if (owners->sets[r].count == 1 && owners->sets[r].items[0] == (int32_t)r &&
        domain->refs[r].stretch >= 0)
      decide_owner(&d, (int32_t)r);
  stow_index_free(&d.uses), stow_index_free(&d.frees);
  free(d.states), free(d.moved_on), free(d.touched), free(d.work), free(d.held);
  return !d.failed;
}

void stow_releases_free(stow_releases *releases) {
  free(releases->items);
  *releases = (stow_releases){0};
}
