//===- left.c - what is left alone ----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/owners.h"

#include <stdlib.h>

typedef struct leaving {
  const stow_domain *domain;
  const stow_escapes *escapes;
  int32_t *left; // per ref: an escape, or -1
  STOW_ARRAY(int32_t) stack;
} leaving;

static void leave(leaving *l, int32_t ref, int32_t escape) {
  if (l->left[ref] >= 0)
    return;
  l->left[ref] = escape;
  STOW_PUSH(l->stack, ref);
}

// But for local names: they may also be buffers that are owned here.
static void leave_what_follows(leaving *l, int32_t ref, int32_t escape) {
  const stow_domain *d = l->domain;
  STOW_EACH_OF(to, d->views_of, ref)
    if (!d->refs.at[to].local)
      leave(l, to, escape);
  STOW_EACH_OF(i, d->forwarded_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[i];
    for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
      leave(l, d->incoming.at[p].phi, escape);
  }
}

// A result of a call that may be the ref is left alone, too: it cannot be told from new memory.
static void leave_what_is_given_back(leaving *l, int32_t ref, int32_t escape) {
  const stow_domain *d = l->domain;
  STOW_EACH_OF(i, d->taken_of, ref)
    leave(l, i, escape);
}

// What flows into a ref that escapes also escapes, and so do the other phis of its web.
static void leave_what_precedes(leaving *l, int32_t ref, int32_t escape) {
  const stow_domain *d = l->domain;
  STOW_EACH_OF(i, d->views_to, ref)
    leave(l, i, escape);
  STOW_EACH_OF(i, d->incoming_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[d->incoming.at[i].forwarded];
    leave(l, f->ref, escape);
    for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
      leave(l, d->incoming.at[p].phi, escape);
  }
}

static void start_leaving(leaving *l, stow_escape_kind kind) {
  for (size_t i = 0; i < l->escapes->count; ++i)
    if (l->escapes->at[i].kind == kind)
      leave(l, l->escapes->at[i].ref, (int32_t)i);
}

static void leave_all(leaving *l) {
  while (l->stack.count > 0) {
    int32_t ref = l->stack.at[--l->stack.count], escape = l->left[ref];
    if (l->escapes->at[escape].kind != STOW_ESCAPED)
      leave_what_follows(l, ref, escape);
    leave_what_precedes(l, ref, escape);
    leave_what_is_given_back(l, ref, escape);
  }
}

// What bits free is found separately, to know what is left alone for no other reason.
void stow_find_left(stow_owners *owners) {
  const stow_domain *domain = owners->domain;
  const size_t refs = domain->refs.count;
  leaving others = {domain, &owners->escapes, .left = stow_allocate(refs, sizeof *others.left)};
  leaving bits = {domain, &owners->escapes, .left = stow_allocate(refs, sizeof *bits.left)};
  for (size_t r = 0; r < refs; ++r)
    others.left[r] = bits.left[r] = -1;
  start_leaving(&others, STOW_MANAGED);
  leave_all(&others);
  start_leaving(&others, STOW_ESCAPED);
  leave_all(&others);
  start_leaving(&bits, STOW_BY_BITS);
  leave_all(&bits);
  for (size_t r = 0; r < refs; ++r)
    owners->of[r].left = others.left[r] >= 0 ? others.left[r] : bits.left[r];
  free(others.stack.at), free(others.left), free(bits.stack.at), free(bits.left);
}
