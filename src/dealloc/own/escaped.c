//===- escaped.c - what escapes, and what escapes with it -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a domain with its escapes. Computes for each ref why it escapes, or that it does not.
// With a ref escape what flows into it, the other phis of its web, what follows it, but for names
// that are local, and results of calls that may be it.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/owners.h"

#include <stdlib.h>

typedef struct spread {
  const stow_domain *domain;
  const stow_escapes *escapes;
  int32_t *escape; // per ref: why it escapes, or -1
  STOW_ARRAY(int32_t) stack;
} spread;

static void add_escaped(spread *s, int32_t ref, int32_t escape) {
  if (s->escape[ref] >= 0)
    return;
  s->escape[ref] = escape;
  STOW_PUSH(s->stack, ref);
}

// But for local names: they may also be buffers that are owned here.
static void escape_what_follows(spread *s, int32_t ref, int32_t escape) {
  const stow_domain *d = s->domain;
  STOW_EACH_OF(to, d->views_of, ref)
    if (!d->refs.at[to].local)
      add_escaped(s, to, escape);
  STOW_EACH_OF(i, d->forwarded_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[i];
    for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
      add_escaped(s, d->incoming.at[p].phi, escape);
  }
}

// A result of a call that may be the ref is left alone, too: it cannot be told from new memory.
static void escape_what_is_given_back(spread *s, int32_t ref, int32_t escape) {
  const stow_domain *d = s->domain;
  STOW_EACH_OF(i, d->taken_of, ref)
    add_escaped(s, i, escape);
}

// What flows into a ref that escapes also escapes, and so do the other phis of its web.
static void escape_what_precedes(spread *s, int32_t ref, int32_t escape) {
  const stow_domain *d = s->domain;
  STOW_EACH_OF(i, d->views_to, ref)
    add_escaped(s, i, escape);
  STOW_EACH_OF(i, d->incoming_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[d->incoming.at[i].forwarded];
    add_escaped(s, f->ref, escape);
    for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
      add_escaped(s, d->incoming.at[p].phi, escape);
  }
}

static void add_escapes(spread *s, stow_escape_kind kind) {
  for (size_t i = 0; i < s->escapes->count; ++i)
    if (s->escapes->at[i].kind == kind)
      add_escaped(s, s->escapes->at[i].ref, (int32_t)i);
}

static void spread_all(spread *s) {
  while (s->stack.count > 0) {
    int32_t ref = s->stack.at[--s->stack.count], escape = s->escape[ref];
    if (s->escapes->at[escape].kind != STOW_ESCAPED)
      escape_what_follows(s, ref, escape);
    escape_what_precedes(s, ref, escape);
    escape_what_is_given_back(s, ref, escape);
  }
}

// What bits free is found separately, to know what is left alone for no other reason.
void stow_dealloc_find_escaped(stow_owners *owners) {
  const stow_domain *domain = owners->domain;
  const size_t refs = domain->refs.count;
  spread others = {domain, &owners->escapes,
                   .escape = stow_ir_allocate(refs, sizeof *others.escape)};
  spread bits = {domain, &owners->escapes, .escape = stow_ir_allocate(refs, sizeof *bits.escape)};
  for (size_t r = 0; r < refs; ++r)
    others.escape[r] = bits.escape[r] = -1;
  add_escapes(&others, STOW_MANAGED);
  spread_all(&others);
  add_escapes(&others, STOW_ESCAPED);
  spread_all(&others);
  add_escapes(&bits, STOW_BY_BITS);
  spread_all(&bits);
  for (size_t r = 0; r < refs; ++r)
    owners->of[r].escape = others.escape[r] >= 0 ? others.escape[r] : bits.escape[r];
  free(others.stack.at);
  free(others.escape);
  free(bits.stack.at);
  free(bits.escape);
}
