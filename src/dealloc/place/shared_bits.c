//===- shared_bits.c - conditional owners that share a bit ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop carries has a name at each turn. Owners that follow one another share one
// bit, so that ownership goes along and nothing is copied.
//
// A bit is *live* at the start of a stretch if it may be read from there on before it is
// set: it is read where its owner ends or hands ownership on. It is set at the ends of
// stretches only, after all reads there. So two owners can share if both are live
// nowhere, and neither is set at an end behind which the other is live: unless one
// handover begins both, and sets them to the same.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/activation.h"
#include "dealloc/place/bits.h"

#include <stdlib.h>

enum { NOBODY = -1 };

typedef STOW_ARRAY(int32_t) list;

typedef struct life { // of an owner's bit
  list reads;         // stretches
  list starts;        // of stretches at which it is live
  list ends;          // paths on which it is read
} life;

typedef struct sharing {
  const stow_owners *owners;
  const stow_domain *domain;
  int32_t *cell; // per ref: the owner whose bit it has; -1: it has none
  life *lives;   // per ref
  int32_t *next; // per ref: another one that shares its bit, or NOBODY
  int32_t *live; // per stretch: who of the marked ones is live at its start
  bool *ends_on; // per path: a marked one is read on it
} sharing;

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

static void note_read(sharing *s, int32_t owner, int32_t stretch, int32_t path) {
  STOW_PUSH(s->lives[owner].reads, stretch);
  if (path >= 0)
    STOW_PUSH(s->lives[owner].ends, path);
}

static void note_reads(sharing *s, const stow_releases *releases) {
  for (size_t i = 0; i < releases->items.count; ++i) {
    const stow_release *r = &releases->items.at[i];
    note_read(s, r->owner, r->stretch, r->spot == STOW_ON_PATH ? (int32_t)r->at : -1);
  }
  for (size_t i = 0; i < releases->settlements.count; ++i) {
    const stow_settlement *t = &releases->settlements.at[i];
    note_read(s, t->owner, t->stretch, t->path);
  }
  for (size_t i = 0; i < s->domain->handovers.count; ++i) {
    const stow_handover *h = &s->domain->handovers.at[i];
    if (s->owners->transfers[i].manner == STOW_CARRY)
      note_read(s, stow_only_owner(s->owners, h->ref), h->stretch, -1);
  }
}

static void see(sharing *s, life *l, int32_t ref, int32_t stretch) {
  if (s->live[stretch] != NOBODY || !s->domain->stretches.at[stretch].reachable)
    return;
  s->live[stretch] = ref;
  STOW_PUSH(l->starts, stretch);
}

static void find_life(sharing *s, int32_t ref) {
  const stow_domain *d = s->domain;
  life *l = &s->lives[ref];
  see(s, l, ref, d->refs.at[ref].stretch);
  for (size_t i = 0; i < l->reads.count; ++i)
    see(s, l, ref, l->reads.at[i]);
  for (size_t i = 1; i < l->starts.count; ++i)
    for (int32_t p = d->entering.first[l->starts.at[i]]; p < d->entering.first[l->starts.at[i] + 1];
         ++p)
      see(s, l, ref, d->paths.at[d->entering.items[p]].from);
  for (size_t i = 0; i < l->starts.count; ++i)
    s->live[l->starts.at[i]] = NOBODY;
}

//===----------------------------------------------------------------------===//
// Clashes
//===----------------------------------------------------------------------===//

static void mark(sharing *s, int32_t first, bool on) {
  for (int32_t r = first; r != NOBODY; r = s->next[r]) {
    const life *l = &s->lives[r];
    for (size_t i = 0; i < l->starts.count; ++i)
      s->live[l->starts.at[i]] = on ? r : NOBODY;
    for (size_t i = 0; i < l->ends.count; ++i)
      s->ends_on[l->ends.at[i]] = on;
  }
}

static bool begins(const stow_domain *d, const stow_handover *h, int32_t ref) {
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    if (d->passes.at[p].target == ref)
      return true;
  return false;
}

static bool set_on_path_clashes(const sharing *s, const stow_handover *h, int32_t path) {
  int32_t to = s->domain->paths.at[path].to, ref = s->live[to];
  return ref != NOBODY && !(s->domain->refs.at[ref].stretch == to && begins(s->domain, h, ref));
}

// Whether a handover sets a bit that a marked owner still needs.
static bool set_clashes(const sharing *s, const stow_handover *h) {
  const stow_domain *d = s->domain;
  int32_t own = stow_path_of(d, h);
  if (own >= 0)
    return set_on_path_clashes(s, h, own);
  for (int32_t p = d->leaving.first[h->stretch]; p < d->leaving.first[h->stretch + 1]; ++p)
    if (s->ends_on[d->leaving.items[p]] || set_on_path_clashes(s, h, d->leaving.items[p]))
      return true;
  return false;
}

static bool clashes_with_marked(const sharing *s, int32_t first) {
  const stow_domain *d = s->domain;
  for (int32_t r = first; r != NOBODY; r = s->next[r]) {
    for (size_t i = 0; i < s->lives[r].starts.count; ++i)
      if (s->live[s->lives[r].starts.at[i]] != NOBODY)
        return true;
    for (int32_t i = d->handed_to.first[r]; i < d->handed_to.first[r + 1]; ++i) {
      const stow_handover *h = &d->handovers.at[d->passes.at[d->handed_to.items[i]].handover];
      if (d->stretches.at[h->stretch].reachable && set_clashes(s, h))
        return true;
    }
  }
  return false;
}

static bool clash(sharing *s, int32_t a, int32_t b) {
  mark(s, a, true);
  bool any = clashes_with_marked(s, b);
  mark(s, a, false);
  mark(s, b, true);
  any = any || clashes_with_marked(s, a);
  mark(s, b, false);
  return any;
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

static void try_join(sharing *s, int32_t a, int32_t b) {
  int32_t *cell = s->cell;
  int32_t into = cell[a], from = cell[b];
  if (into == from || stow_activation_of(s->domain, a) != stow_activation_of(s->domain, b) ||
      clash(s, into, from))
    return;
  int32_t last = into;
  while (s->next[last] != NOBODY)
    last = s->next[last];
  s->next[last] = from;
  for (int32_t r = from; r != NOBODY; r = s->next[r])
    cell[r] = into;
}

static void join_along(sharing *s, const stow_handover *h) {
  int32_t before = NOBODY;
  if (!s->domain->stretches.at[h->stretch].reachable)
    return;
  if (stow_transfer_of(s->owners, h)->manner == STOW_CARRY)
    before = stow_only_owner(s->owners, h->ref);
  if (before != NOBODY && s->cell[before] < 0)
    before = NOBODY;
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p) {
    int32_t target = s->domain->passes.at[p].target;
    if (s->cell[target] < 0)
      continue;
    if (before != NOBODY)
      try_join(s, before, target);
    before = target;
  }
}

void stow_share_bits(const stow_owners *owners, const stow_releases *releases, int32_t *cell) {
  const stow_domain *d = owners->domain;
  sharing s = {.owners = owners,
               .domain = d,
               .cell = cell,
               .lives = stow_allocate(d->refs.count, sizeof *s.lives),
               .next = stow_allocate(d->refs.count, sizeof *s.next),
               .live = stow_allocate(d->stretches.count, sizeof *s.live),
               .ends_on = stow_allocate(d->paths.count, sizeof *s.ends_on)};
  for (size_t i = 0; i < d->stretches.count; ++i)
    s.live[i] = NOBODY;
  note_reads(&s, releases);
  for (size_t r = 0; r < d->refs.count; ++r) {
    s.next[r] = NOBODY;
    if (cell[r] >= 0)
      find_life(&s, (int32_t)r);
  }
  for (size_t i = 0; i < d->handovers.count; ++i)
    join_along(&s, &d->handovers.at[i]);
  for (size_t r = 0; r < d->refs.count; ++r)
    free(s.lives[r].reads.at), free(s.lives[r].starts.at), free(s.lives[r].ends.at);
  free(s.lives), free(s.next), free(s.live), free(s.ends_on);
}
