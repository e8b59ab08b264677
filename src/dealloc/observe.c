//===- observe.c - whether a clone can be told from its source ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clone may take its source's place as long as neither is written while the other is
// still used. Where the source dies at the handover, nothing uses it any more.
//
// What shares memory is found without regard to order: everything that flows out of the
// clone on the one side, everything that flows out of what the source may be on the
// other. All memory from outside may alias. So may a buffer whose address escapes,
// whoever made it: it may be written through a name that was loaded, through a pointer,
// or by a callee. What a caller does with a result is ignored: results are fresh by
// convention.
//
//===----------------------------------------------------------------------===//

#include "dealloc/deallocation.h"
#include "dealloc/needs.h"

#include <stdlib.h>

// Refs, listed as they were marked; emptied at no cost.
typedef struct ref_marks {
  int32_t *marked; // per ref: the last round it was marked in
  int32_t *items;
  size_t count;
  int32_t round;
} ref_marks;

struct stow_observer {
  const stow_domain *domain;
  const stow_owners *owners;
  stow_needs needs;
  stow_index written; // uses that write, by stretch
  bool *freed;        // per ref: it is an owner that is freed somewhere
  const stow_handover *handover;
  ref_marks origins, source, clone; // what may name the memory of the one, of the other
  ref_marks beyond;                 // what may name memory from outside
  bool outside;                     // the source may be memory from outside
};

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

static ref_marks marks_of(const stow_domain *domain) {
  return (ref_marks){.marked = stow_allocate(domain->ref_count, sizeof(int32_t)),
                     .items = stow_allocate(domain->ref_count, sizeof(int32_t))};
}

static void free_marks(ref_marks *marks) { free(marks->marked), free(marks->items); }

static void empty(ref_marks *marks) {
  ++marks->round;
  marks->count = 0;
}

static bool is_marked(const ref_marks *marks, int32_t ref) {
  return marks->marked[ref] == marks->round;
}

static void mark(ref_marks *marks, int32_t ref) {
  if (is_marked(marks, ref))
    return;
  marks->marked[ref] = marks->round;
  marks->items[marks->count++] = ref;
}

static bool shares_memory(const stow_observer *o, const stow_handover *h) {
  return h != o->handover && h->manner != STOW_COPY;
}

static void go_forwards(const stow_observer *o, ref_marks *marks) {
  const stow_domain *d = o->domain;
  for (size_t next = 0; next < marks->count; ++next) {
    int32_t r = marks->items[next];
    for (int32_t i = d->views_of.first[r]; i < d->views_of.first[r + 1]; ++i)
      mark(marks, d->views[d->views_of.items[i]].to);
    for (int32_t i = d->taken_of.first[r]; i < d->taken_of.first[r + 1]; ++i)
      mark(marks, d->takeovers[d->taken_of.items[i]].to);
    for (int32_t i = d->handed.first[r]; i < d->handed.first[r + 1]; ++i) {
      const stow_handover *h = &d->handovers[d->handed.items[i]];
      for (int32_t p = h->pass; shares_memory(o, h) && p < h->pass + h->pass_count; ++p)
        mark(marks, d->passes[p].target);
    }
  }
}

static void go_backwards(const stow_observer *o, ref_marks *marks) {
  const stow_domain *d = o->domain;
  for (size_t next = 0; next < marks->count; ++next) {
    int32_t r = marks->items[next];
    for (int32_t i = d->views_to.first[r]; i < d->views_to.first[r + 1]; ++i)
      mark(marks, d->views[d->views_to.items[i]].from);
    for (int32_t i = d->taken_to.first[r]; i < d->taken_to.first[r + 1]; ++i)
      mark(marks, d->takeovers[d->taken_to.items[i]].from);
    for (int32_t i = d->handed_to.first[r]; i < d->handed_to.first[r + 1]; ++i) {
      const stow_handover *h = &d->handovers[d->passes[d->handed_to.items[i]].handover];
      if (shares_memory(o, h))
        mark(marks, h->ref);
    }
  }
}

//===----------------------------------------------------------------------===//
// An observer
//===----------------------------------------------------------------------===//

// What an earlier run frees by bits did not escape.
static bool is_from_outside(const stow_observer *o, int32_t r) {
  const stow_ref *ref = &o->domain->refs[r];
  bool away = o->owners->left[r] >= 0 && !stow_is_left_to_bits(o->owners, r);
  return away || (ref->foreign && !ref->stack);
}

static void find_beyond(stow_observer *o) {
  empty(&o->beyond);
  for (size_t r = 0; r < o->domain->ref_count; ++r)
    if (is_from_outside(o, (int32_t)r))
      mark(&o->beyond, (int32_t)r);
  go_forwards(o, &o->beyond);
}

static int32_t written_in(const void *uses, size_t i) {
  const stow_mention *use = &((const stow_mention *)uses)[i];
  return use->writes ? use->stretch : -1;
}

stow_observer *stow_observer_create(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  stow_observer *o = stow_allocate(1, sizeof *o);
  *o = (stow_observer){
      .domain = domain,
      .owners = &decision->owners,
      .needs = stow_needs_create(domain, &decision->owners),
      .written = stow_index_of(domain->uses, domain->use_count, domain->stretch_count, written_in),
      .freed = stow_allocate(domain->ref_count, sizeof(bool)),
      .origins = marks_of(domain),
      .source = marks_of(domain),
      .clone = marks_of(domain),
      .beyond = marks_of(domain)};
  for (size_t i = 0; i < decision->releases.count; ++i)
    o->freed[decision->releases.items[i].owner] = true;
  find_beyond(o);
  return o;
}

void stow_observer_free(stow_observer *o) {
  if (!o)
    return;
  stow_needs_free(&o->needs);
  stow_index_free(&o->written);
  free_marks(&o->origins), free_marks(&o->source), free_marks(&o->clone), free_marks(&o->beyond);
  free(o->freed), free(o);
}

//===----------------------------------------------------------------------===//
// Source and clone
//===----------------------------------------------------------------------===//

static void find_source(stow_observer *o) {
  empty(&o->origins), empty(&o->source);
  mark(&o->origins, o->handover->ref);
  go_backwards(o, &o->origins);
  o->outside = false;
  for (size_t i = 0; i < o->origins.count; ++i) {
    o->outside |= is_from_outside(o, o->origins.items[i]);
    mark(&o->source, o->origins.items[i]);
  }
  go_forwards(o, &o->source);
}

static void find_clone(stow_observer *o) {
  const stow_handover *h = o->handover;
  empty(&o->clone);
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    mark(&o->clone, o->domain->passes[p].target);
  go_forwards(o, &o->clone);
}

static bool is_handed_to_others(const stow_observer *o, int32_t owner) {
  const stow_stretch *s = &o->domain->stretches[o->handover->stretch];
  for (int32_t h = s->handover; h < s->handover + s->handover_count; ++h)
    if (&o->domain->handovers[h] != o->handover &&
        stow_may_stand_for(o->owners, o->domain->handovers[h].ref, owner))
      return true;
  return false;
}

// Whether nothing names the source's memory after it was passed.
static bool source_dies(stow_observer *o) {
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

static bool writes_source(const stow_observer *o, const stow_mention *use) {
  if (use->ref < 0)
    return o->outside;
  return is_marked(&o->source, use->ref) || (o->outside && is_marked(&o->beyond, use->ref));
}

// A write of the source shows in the clone's owner if that is needed after it. An op that copies
// its last reader's memory over the source reads it first.
static bool write_shows(stow_observer *o, int32_t owner, const stow_mention *use) {
  const stow_need *need = &o->needs.of[use->stretch];
  const stow_ref *ref = &o->domain->refs[owner];
  if (need->attempt != o->needs.attempt)
    return false;
  bool defined = need->in || (ref->stretch == use->stretch && ref->position < use->position);
  int64_t moment = 2 * use->position + 1;
  bool later = need->out || need->last > moment;
  return defined && (later || (need->last == moment && !stow_op_is(use->op, "memref.copy")));
}

static bool shows_in(stow_observer *o, int32_t owner, int32_t stretch) {
  for (int32_t i = o->written.first[stretch]; i < o->written.first[stretch + 1]; ++i) {
    const stow_mention *use = &o->domain->uses[o->written.items[i]];
    if (writes_source(o, use) && write_shows(o, owner, use))
      return true;
  }
  return false;
}

static bool owner_shows(stow_observer *o, int32_t owner) {
  stow_needs_find(&o->needs, owner, NULL, 0);
  for (size_t i = 0; i < o->needs.touched_count; ++i)
    if (shows_in(o, owner, o->needs.touched[i]))
      return true;
  return false;
}

static bool is_written(const stow_observer *o, int32_t ref) {
  for (int32_t i = o->needs.uses.first[ref]; i < o->needs.uses.first[ref + 1]; ++i)
    if (o->domain->uses[o->needs.uses.items[i]].writes)
      return true;
  return false;
}

static bool shows(stow_observer *o) {
  for (size_t i = 0; i < o->clone.count; ++i)
    if (is_written(o, o->clone.items[i]))
      return true;
  for (size_t i = 0; i < o->clone.count; ++i) {
    int32_t r = o->clone.items[i];
    if (o->owners->root[r] == r && owner_shows(o, r))
      return true;
  }
  return false;
}

// Whether some owner that a clone may have moved to is freed.
static bool is_freed(const stow_observer *o) {
  for (size_t i = 0; i < o->clone.count; ++i)
    if (o->freed[o->clone.items[i]])
      return true;
  return false;
}

static bool reaches_result(const stow_observer *o) {
  for (int32_t i = 0; i < o->domain->result_count; ++i)
    if (is_marked(&o->clone, o->domain->result + i))
      return true;
  return false;
}

bool stow_becomes_result(stow_observer *o, const stow_handover *handover) {
  o->handover = handover;
  find_clone(o);
  return reaches_result(o) && !is_freed(o);
}

bool stow_clone_shows(stow_observer *o, const stow_handover *handover) {
  o->handover = handover;
  if (source_dies(o))
    return false;
  find_source(o);
  find_clone(o);
  return shows(o);
}
