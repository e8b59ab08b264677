//===- shared_bits.c - conditional owners that share a bit ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop-carried buffer has a phi in each loop and behind it. Owners that move to one
// another share one bit, so that the bit needs no copy.
//
// A bit is *live* at the start of a segment if it may be read from there on before it is
// set: it is read where its owner ends. It is set at the ends of segments only, after all
// reads there. So two owners can share if nowhere both are live, and neither is set at an
// end behind which the other is live: unless one forwarded operand begins both, and sets
// them to the same.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/activation.h"
#include "dealloc/place/bits.h"

#include <stdlib.h>

enum { NONE = -1 };

typedef STOW_ARRAY(int32_t) list;

typedef struct life { // of an owner's bit
  list reads;         // segments
  list starts;        // of segments at which it is live
  list ends;          // edges on which it is read
} life;

typedef struct sharing {
  const stow_owners *owners;
  const stow_domain *domain;
  int32_t *cell; // per ref: the owner whose bit it has; -1: it has none
  life *lives;   // per ref
  int32_t *next; // per ref: the next one that shares its bit, or NONE
  int32_t *live; // per segment: which of the marked ones is live at its start
  bool *ends_on; // per edge: a marked one is read on it
} sharing;

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

static void note_read(sharing *s, int32_t owner, int32_t segment, int32_t edge) {
  STOW_PUSH(s->lives[owner].reads, segment);
  if (edge >= 0)
    STOW_PUSH(s->lives[owner].ends, edge);
}

static void note_reads(sharing *s, const stow_releases *releases) {
  STOW_EACH(const stow_release, r, releases->items)
    note_read(s, r->owner, r->segment, r->spot == STOW_ON_EDGE ? (int32_t)r->at : -1);
  STOW_EACH(const stow_edge_move, t, releases->edge_moves)
    note_read(s, t->owner, t->segment, t->edge);
  for (size_t i = 0; i < s->domain->forwarded.count; ++i) {
    const stow_forwarded *f = &s->domain->forwarded.at[i];
    if (s->owners->transfers[i].kind == STOW_MOVE_OWNED)
      note_read(s, stow_dealloc_only_owner(s->owners, f->ref), f->segment, -1);
  }
}

static void see(sharing *s, life *l, int32_t ref, int32_t segment) {
  if (s->live[segment] != NONE)
    return;
  s->live[segment] = ref;
  STOW_PUSH(l->starts, segment);
}

static void find_life(sharing *s, int32_t ref) {
  const stow_domain *d = s->domain;
  life *l = &s->lives[ref];
  see(s, l, ref, d->refs.at[ref].segment);
  for (size_t i = 0; i < l->reads.count; ++i)
    see(s, l, ref, l->reads.at[i]);
  for (size_t i = 1; i < l->starts.count; ++i)
    STOW_EACH_OF(p, d->entering, l->starts.at[i])
      see(s, l, ref, d->edges.at[p].from);
  for (size_t i = 0; i < l->starts.count; ++i)
    s->live[l->starts.at[i]] = NONE;
}

//===----------------------------------------------------------------------===//
// Clashes
//===----------------------------------------------------------------------===//

static void mark(sharing *s, int32_t first, bool on) {
  for (int32_t r = first; r != NONE; r = s->next[r]) {
    const life *l = &s->lives[r];
    for (size_t i = 0; i < l->starts.count; ++i)
      s->live[l->starts.at[i]] = on ? r : NONE;
    for (size_t i = 0; i < l->ends.count; ++i)
      s->ends_on[l->ends.at[i]] = on;
  }
}

static bool begins(const stow_domain *d, const stow_forwarded *f, int32_t ref) {
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
    if (d->incoming.at[p].phi == ref)
      return true;
  return false;
}

static bool set_on_edge_clashes(const sharing *s, const stow_forwarded *f, int32_t edge) {
  int32_t to = s->domain->edges.at[edge].to, ref = s->live[to];
  return ref != NONE && !(s->domain->refs.at[ref].segment == to && begins(s->domain, f, ref));
}

// Whether a forwarded operand sets a bit that a marked owner still needs.
static bool set_clashes(const sharing *s, const stow_forwarded *f) {
  const stow_domain *d = s->domain;
  int32_t own = stow_dealloc_edge_of(d, f);
  if (own >= 0)
    return set_on_edge_clashes(s, f, own);
  STOW_EACH_OF(p, d->leaving, f->segment)
    if (s->ends_on[p] || set_on_edge_clashes(s, f, p))
      return true;
  return false;
}

static bool clashes_with_marked(const sharing *s, int32_t first) {
  const stow_domain *d = s->domain;
  for (int32_t r = first; r != NONE; r = s->next[r]) {
    for (size_t i = 0; i < s->lives[r].starts.count; ++i)
      if (s->live[s->lives[r].starts.at[i]] != NONE)
        return true;
    STOW_EACH_OF(i, d->incoming_of, r) {
      const stow_forwarded *f = &d->forwarded.at[d->incoming.at[i].forwarded];
      if (set_clashes(s, f))
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
  if (into == from ||
      stow_dealloc_activation_of(s->domain, a) != stow_dealloc_activation_of(s->domain, b) ||
      clash(s, into, from))
    return;
  int32_t last = into;
  while (s->next[last] != NONE)
    last = s->next[last];
  s->next[last] = from;
  for (int32_t r = from; r != NONE; r = s->next[r])
    cell[r] = into;
}

static void join_along(sharing *s, const stow_forwarded *f) {
  int32_t before = NONE;
  if (stow_dealloc_transfer_of(s->owners, f)->kind == STOW_MOVE_OWNED)
    before = stow_dealloc_only_owner(s->owners, f->ref);
  if (before != NONE && s->cell[before] < 0)
    before = NONE;
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p) {
    int32_t phi = s->domain->incoming.at[p].phi;
    if (s->cell[phi] < 0)
      continue;
    if (before != NONE)
      try_join(s, before, phi);
    before = phi;
  }
}

void stow_dealloc_share_bits(const stow_owners *owners, const stow_releases *releases,
                             int32_t *cell) {
  const stow_domain *d = owners->domain;
  sharing s = {.owners = owners,
               .domain = d,
               .cell = cell,
               .lives = stow_ir_allocate(d->refs.count, sizeof *s.lives),
               .next = stow_ir_allocate(d->refs.count, sizeof *s.next),
               .live = stow_ir_allocate(d->segments.count, sizeof *s.live),
               .ends_on = stow_ir_allocate(d->edges.count, sizeof *s.ends_on)};
  for (size_t i = 0; i < d->segments.count; ++i)
    s.live[i] = NONE;
  note_reads(&s, releases);
  for (size_t r = 0; r < d->refs.count; ++r) {
    s.next[r] = NONE;
    if (cell[r] >= 0)
      find_life(&s, (int32_t)r);
  }
  for (size_t i = 0; i < d->forwarded.count; ++i)
    join_along(&s, &d->forwarded.at[i]);
  for (size_t r = 0; r < d->refs.count; ++r) {
    free(s.lives[r].reads.at);
    free(s.lives[r].starts.at);
    free(s.lives[r].ends.at);
  }
  free(s.lives);
  free(s.next);
  free(s.live);
  free(s.ends_on);
}
