//===- speculate.c - phis that need not own, but should -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a decided region. Tries decisions that are allowed, but not forced: a phi that owns
// instead of borrowing, where that saves a clone or frees sooner. A trial that makes anything worse
// is taken back, and there are STOW_OWN_MOST_TRIES of them at most.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"
#include "dealloc/own/limits.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

typedef struct ownership {
  bool owns, conditional;
} ownership;

typedef struct trial { // the state before it
  ownership *owns;     // per ref
  stow_own_transfer *transfers;
  size_t escapes;
} trial;

static trial begin(stow_decision *decision) {
  const stow_owners *owners = &decision->owners;
  const size_t refs = decision->domain.refs.count, forwarded = decision->domain.forwarded.count;
  trial before = {stow_ir_allocate(refs, sizeof *before.owns),
                  stow_ir_allocate(forwarded, sizeof *before.transfers), owners->escapes.count};
  for (size_t r = 0; r < refs; ++r)
    before.owns[r] = (ownership){owners->of[r].owns, owners->of[r].conditional};
  memcpy(before.transfers, owners->transfers, forwarded * sizeof *before.transfers);
  ++decision->tries;
  return before;
}

static void take_back(stow_decision *decision, const trial *before) {
  stow_owners *owners = &decision->owners;
  for (size_t r = 0; r < decision->domain.refs.count; ++r) {
    owners->of[r].owns = before->owns[r].owns;
    owners->of[r].conditional = before->owns[r].conditional;
  }
  memcpy(owners->transfers, before->transfers,
         decision->domain.forwarded.count * sizeof *before->transfers);
  owners->escapes.count = before->escapes;
  stow_releases_find(owners, &decision->releases);
}

static void end(const trial *before) {
  free(before->owns);
  free(before->transfers);
}

//===----------------------------------------------------------------------===//
// Fewer clones
//===----------------------------------------------------------------------===//

static size_t count_copies(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  size_t count = 0;
  for (size_t i = 0; i < domain->forwarded.count; ++i)
    count += stow_dealloc_is_copied(&decision->owners, &domain->forwarded.at[i]);
  return count;
}

// All that one op forwards is tried together: two names may have been swapped.
static bool force_behind(stow_decision *decision, int32_t segment) {
  const stow_passed *s = &decision->domain.passed.at[segment];
  bool any = false;
  for (int32_t f = s->first; f < s->end; ++f)
    if (stow_dealloc_is_copied(&decision->owners, &decision->domain.forwarded.at[f]))
      any |=
          stow_dealloc_force_owners_behind(&decision->owners, decision->domain.forwarded.at[f].ref);
  return any;
}

// The phi that is forwarded becomes the owner where its buffer was chosen.
static void try_eliding(stow_decision *decision, int32_t segment) {
  size_t copies = count_copies(decision);
  trial before = begin(decision);
  if (force_behind(decision, segment)) {
    stow_releases_find(&decision->owners, &decision->releases);
    if (count_copies(decision) >= copies || decision->owners.escapes.count != before.escapes)
      take_back(decision, &before);
  }
  end(&before);
}

void stow_dealloc_speculate_on_clones(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  for (size_t i = 0; i < domain->forwarded.count; ++i) {
    const stow_forwarded *f = &domain->forwarded.at[i];
    stow_own_transfer *t = &decision->owners.transfers[i];
    if (!stow_dealloc_is_copied(&decision->owners, f) || t->tried ||
        decision->tries == STOW_OWN_MOST_TRIES)
      continue;
    t->tried = true;
    try_eliding(decision, f->segment);
  }
}

//===----------------------------------------------------------------------===//
// Earlier frees
//===----------------------------------------------------------------------===//
//
// While a phi borrows, all buffers that it may be must outlive it. If it owns, the others
// are freed where it is known which one it is. Candidates are tried together, since one may
// be forwarded to the next; those that make anything worse are left out in the next trial.

static bool could_own(const stow_decision *decision, int32_t ref) {
  const stow_owners *o = &decision->owners;
  const stow_ref *r = &decision->domain.refs.at[ref];
  return r->origin == STOW_PHI && r->segment >= 0 && o->of[ref].web == ref && !o->of[ref].owns &&
         o->of[ref].escape < 0 && !o->of[ref].mixed && stow_ref_set_size(&o->of[ref].set) > 1;
}

static bool is_worse(const stow_own_transfer *now, const stow_own_transfer *was) {
  return now->kind != was->kind && (now->kind == STOW_CLONE || now->kind == STOW_MOVE_ON_EDGE ||
                                    now->kind == STOW_MOVE_OWNED);
}

static bool is_no_worse(const stow_decision *decision, const trial *before) {
  const stow_domain *d = &decision->domain;
  for (size_t i = 0; i < d->forwarded.count; ++i)
    if (is_worse(&decision->owners.transfers[i], &before->transfers[i]))
      return false;
  for (size_t r = 0; r < d->refs.count; ++r)
    if (decision->owners.of[r].conditional != before->owns[r].conditional)
      return false;
  return decision->owners.escapes.count == before->escapes;
}

static bool drop(bool *candidates, int32_t ref) {
  bool was = candidates[ref];
  candidates[ref] = false;
  return was;
}

// Leaves out the phi of a forwarded operand that got worse, or else its source.
static bool drop_at(const stow_decision *decision, const stow_forwarded *f, bool *candidates) {
  const stow_domain *d = &decision->domain;
  const stow_ref_set *set = &decision->owners.of[f->ref].set;
  bool any = false;
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
    any |= drop(candidates, decision->owners.of[d->incoming.at[p].phi].web);
  for (stow_ref_cursor c = {0}; !any && stow_dealloc_next_ref(set, &c);)
    any = drop(candidates, decision->owners.of[c.ref].web);
  return any;
}

static bool drop_worse(const stow_decision *decision, const trial *before, bool *candidates) {
  const stow_domain *d = &decision->domain;
  bool any = false;
  for (size_t i = 0; i < d->forwarded.count; ++i)
    if (is_worse(&decision->owners.transfers[i], &before->transfers[i]))
      any |= drop_at(decision, &d->forwarded.at[i], candidates);
  return any;
}

static size_t force_all(stow_decision *decision, const bool *candidates) {
  size_t count = 0;
  for (size_t r = 0; r < decision->domain.refs.count; ++r) {
    if (!candidates[r])
      continue;
    stow_owners_force(&decision->owners, (int32_t)r);
    ++count;
  }
  return count;
}

// False: another trial with fewer candidates may succeed.
static bool try_to_move(stow_decision *decision, bool *candidates) {
  trial before = begin(decision);
  bool done = true;
  if (force_all(decision, candidates) > 0) {
    stow_releases_find(&decision->owners, &decision->releases);
    if (!is_no_worse(decision, &before)) {
      done = !drop_worse(decision, &before, candidates);
      take_back(decision, &before);
    }
  }
  end(&before);
  return done;
}

void stow_dealloc_speculate_on_frees(stow_decision *decision) {
  size_t refs = decision->domain.refs.count;
  bool *candidates = stow_ir_allocate(refs, sizeof *candidates);
  for (size_t r = 0; r < refs; ++r)
    candidates[r] = could_own(decision, (int32_t)r);
  while (decision->tries < STOW_OWN_MOST_TRIES && !try_to_move(decision, candidates))
    ;
  free(candidates);
}
