//===- observe.c - whether a clone can be told from its source ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clone may stand for its source as long as nobody writes the one while the other is
// still looked at. Where the source dies at the handover, nobody is left to look.
//
// What shares memory is found without regard to when: everything that flows out of the
// clone on the one side, everything that flows out of what the source may be on the
// other. Memory from outside is one thing: any of it may be any other. What a caller
// does with a result is not looked at: results are fresh by convention.
//
//===----------------------------------------------------------------------===//

#include "dealloc/deallocation.h"
#include "dealloc/needs.h"

#include <stdlib.h>

typedef struct observer {
  const stow_domain *domain;
  const stow_owners *owners;
  const stow_handover *handover;
  stow_needs needs;
  bool *source, *clone; // per ref: it may name the memory of the one, of the other
  bool outside;         // the source may be memory from outside
  int32_t *stack;
  size_t count;
} observer;

static void mark(observer *o, bool *marks, int32_t ref) {
  if (!marks[ref])
    o->stack[o->count++] = ref;
  marks[ref] = true;
}

static bool shares_memory(const observer *o, const stow_handover *h) {
  return h != o->handover && h->manner != STOW_COPY;
}

static void go_forwards(observer *o, bool *marks) {
  const stow_domain *d = o->domain;
  while (o->count > 0) {
    int32_t r = o->stack[--o->count];
    for (int32_t i = d->views_of.first[r]; i < d->views_of.first[r + 1]; ++i)
      mark(o, marks, d->views[d->views_of.items[i]].to);
    for (int32_t i = d->handed.first[r]; i < d->handed.first[r + 1]; ++i) {
      const stow_handover *h = &d->handovers[d->handed.items[i]];
      for (int32_t p = h->pass; shares_memory(o, h) && p < h->pass + h->pass_count; ++p)
        mark(o, marks, d->passes[p].target);
    }
  }
}

static void go_backwards(observer *o, bool *marks) {
  const stow_domain *d = o->domain;
  while (o->count > 0) {
    int32_t r = o->stack[--o->count];
    for (int32_t i = d->views_to.first[r]; i < d->views_to.first[r + 1]; ++i)
      mark(o, marks, d->views[d->views_to.items[i]].from);
    for (int32_t i = d->handed_to.first[r]; i < d->handed_to.first[r + 1]; ++i) {
      const stow_handover *h = &d->handovers[d->passes[d->handed_to.items[i]].handover];
      if (shares_memory(o, h))
        mark(o, marks, h->ref);
    }
  }
}

static bool is_from_outside(const stow_ref *ref) { return ref->foreign && !ref->stack; }

static void find_source(observer *o) {
  size_t refs = o->domain->ref_count;
  bool *origins = stow_allocate(refs, sizeof *origins);
  mark(o, origins, o->handover->ref);
  go_backwards(o, origins);
  for (size_t r = 0; r < refs; ++r)
    o->outside |= origins[r] && is_from_outside(&o->domain->refs[r]);
  for (size_t r = 0; r < refs; ++r)
    if (origins[r] || (o->outside && is_from_outside(&o->domain->refs[r])))
      mark(o, o->source, (int32_t)r);
  go_forwards(o, o->source);
  free(origins);
}

static void find_clone(observer *o) {
  const stow_handover *h = o->handover;
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    mark(o, o->clone, o->domain->passes[p].target);
  go_forwards(o, o->clone);
}

static bool may_stand_for(const observer *o, int32_t ref, int32_t owner) {
  const stow_ref_set *set = &o->owners->sets[ref];
  for (size_t i = 0; i < set->count; ++i)
    if (set->items[i] == owner)
      return true;
  return false;
}

static bool is_handed_to_others(const observer *o, int32_t owner) {
  const stow_stretch *s = &o->domain->stretches[o->handover->stretch];
  for (int32_t h = s->handover; h < s->handover + s->handover_count; ++h)
    if (&o->domain->handovers[h] != o->handover &&
        may_stand_for(o, o->domain->handovers[h].ref, owner))
      return true;
  return false;
}

// Whether nothing names the source's memory once it was handed over.
static bool source_dies(observer *o) {
  const stow_handover *h = o->handover;
  const stow_ref_set *set = &o->owners->sets[h->ref];
  if (o->owners->mixed[h->ref])
    return false;
  for (size_t i = 0; i < set->count; ++i) {
    stow_needs_find(&o->needs, set->items[i], NULL, 0);
    if (o->owners->conditional[set->items[i]] || is_handed_to_others(o, set->items[i]))
      return false;
    for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
      if (stow_is_needed_on(&o->needs, o->domain->passes[p].path))
        return false;
  }
  return true;
}

static bool writes_source(const observer *o, const stow_mention *use) {
  return use->writes && (use->ref < 0 ? o->outside : o->source[use->ref]);
}

// A write of the source shows in the clone's owner if that is needed after it. An op that copies
// its last reader's memory over the source reads it first.
static bool write_shows(observer *o, int32_t owner, const stow_mention *use) {
  const stow_need *need = &o->needs.of[use->stretch];
  const stow_ref *ref = &o->domain->refs[owner];
  if (need->attempt != o->needs.attempt)
    return false;
  bool defined = need->in || (ref->stretch == use->stretch && ref->position < use->position);
  int64_t moment = 2 * use->position + 1;
  bool later = need->out || need->last > moment;
  return defined && (later || (need->last == moment && !stow_op_is(use->op, "memref.copy")));
}

static bool owner_shows(observer *o, int32_t owner) {
  stow_needs_find(&o->needs, owner, NULL, 0);
  for (size_t i = 0; i < o->domain->use_count; ++i) {
    const stow_mention *use = &o->domain->uses[i];
    if (writes_source(o, use) && write_shows(o, owner, use))
      return true;
  }
  return false;
}

static bool shows(observer *o) {
  const stow_domain *d = o->domain;
  for (size_t i = 0; i < d->use_count; ++i)
    if (d->uses[i].ref >= 0 && d->uses[i].writes && o->clone[d->uses[i].ref])
      return true;
  for (size_t r = 0; r < d->ref_count; ++r)
    if (o->clone[r] && o->owners->root[r] == (int32_t)r && owner_shows(o, (int32_t)r))
      return true;
  return false;
}

// Whether some owner that a clone may have moved to is freed.
static bool is_freed(const observer *o, const stow_releases *releases) {
  for (size_t i = 0; i < releases->count; ++i)
    if (o->clone[releases->items[i].owner])
      return true;
  return false;
}

static bool reaches_result(const observer *o) {
  for (int32_t i = 0; i < o->domain->result_count; ++i)
    if (o->clone[o->domain->result + i])
      return true;
  return false;
}

bool stow_becomes_result(const stow_domain *domain, const stow_releases *releases,
                         const stow_handover *handover) {
  observer o = {.domain = domain,
                .handover = handover,
                .clone = stow_allocate(domain->ref_count, sizeof(bool)),
                .stack = stow_allocate(domain->ref_count, sizeof(int32_t))};
  find_clone(&o);
  bool becomes = reaches_result(&o) && !is_freed(&o, releases);
  free(o.clone), free(o.stack);
  return becomes;
}

bool stow_clone_shows(const stow_domain *domain, const stow_owners *owners,
                      const stow_handover *handover) {
  observer o = {.domain = domain,
                .owners = owners,
                .handover = handover,
                .needs = stow_needs_create(domain, owners),
                .source = stow_allocate(domain->ref_count, sizeof(bool)),
                .clone = stow_allocate(domain->ref_count, sizeof(bool)),
                .stack = stow_allocate(domain->ref_count, sizeof(int32_t))};
  bool result = !source_dies(&o);
  if (result) {
    find_source(&o);
    find_clone(&o);
    result = shows(&o);
  }
  stow_needs_free(&o.needs);
  free(o.source), free(o.clone), free(o.stack);
  return result;
}
