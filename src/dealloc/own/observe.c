//===- observe.c - whether a clone can be told from its source ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clone cannot be told from its source as long as neither is written while the other is
// still used. If the source dies where it is forwarded, nothing uses it any more.
//
// What shares memory is found without regard to order: all that flows out of the clone on
// the one side, all that flows out of what the source may be on the other. All memory from
// outside may alias. So may a buffer whose address escapes: it may be written through a
// name that was loaded, through a pointer, or by a callee. What a caller does with a
// result is ignored: results are fresh by convention.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"
#include "dealloc/own/owner_liveness.h"

#include <stdlib.h>

struct stow_observer {
  const stow_domain *domain;
  const stow_owners *owners;
  stow_owner_liveness needs;
  stow_index written; // uses that write, by segment
  bool *freed;        // per ref: it is an owner that is freed somewhere
  const stow_forwarded *forwarded;
  stow_walk origins, source, clone; // what may be the source, its memory, the clone's
  stow_walk beyond;                 // what may be memory from outside
  bool outside;                     // the source may be memory from outside
};

//===----------------------------------------------------------------------===//
// Refs that may be one memory
//===----------------------------------------------------------------------===//

static bool shares_memory(const void *observer, const stow_forwarded *f) {
  const stow_observer *o = observer;
  return f != o->forwarded && stow_dealloc_transfer_of(o->owners, f)->kind != STOW_CLONE;
}

static void go_forwards(const stow_observer *o, stow_walk *walk) {
  for (int32_t ref; stow_walk_next(walk, &ref);) {
    stow_dealloc_walk_forward(o->domain, walk, ref, shares_memory, o);
    stow_walk_add_all(walk, &o->domain->taken_of, ref);
  }
}

static void go_backwards(const stow_observer *o, stow_walk *walk) {
  for (int32_t ref; stow_walk_next(walk, &ref);) {
    stow_dealloc_walk_backward(o->domain, walk, ref, shares_memory, o);
    stow_walk_add_all(walk, &o->domain->taken_to, ref);
  }
}

//===----------------------------------------------------------------------===//
// An observer
//===----------------------------------------------------------------------===//

// What bits of an earlier run free did not escape.
static bool is_from_outside(const stow_observer *o, int32_t r) {
  const stow_ref *ref = &o->domain->refs.at[r];
  bool away = o->owners->of[r].escape >= 0 && !stow_dealloc_is_freed_by_bits(o->owners, r);
  return away || (ref->foreign && !ref->stack);
}

static void find_beyond(stow_observer *o) {
  stow_walk_restart(&o->beyond);
  for (size_t r = 0; r < o->domain->refs.count; ++r)
    if (is_from_outside(o, (int32_t)r))
      stow_walk_add(&o->beyond, (int32_t)r);
  go_forwards(o, &o->beyond);
}

// By segment, the uses that write.
static stow_index writes_in(const stow_domain *domain) {
  int32_t *segments = stow_ir_allocate(domain->uses.count, sizeof *segments);
  for (size_t u = 0; u < domain->uses.count; ++u)
    segments[u] = domain->uses.at[u].writes ? domain->uses.at[u].segment : -1;
  stow_index writes =
      stow_index_of(STOW_NUMBERS(segments, domain->uses.count), domain->segments.count);
  free(segments);
  return writes;
}

stow_observer *stow_observer_create(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  stow_observer *o = stow_ir_allocate(1, sizeof *o);
  *o = (stow_observer){.domain = domain,
                       .owners = &decision->owners,
                       .needs = stow_owner_liveness_create(&decision->owners),
                       .written = writes_in(domain),
                       .freed = stow_ir_allocate(domain->refs.count, sizeof(bool)),
                       .origins = stow_walk_create(domain->refs.count),
                       .source = stow_walk_create(domain->refs.count),
                       .clone = stow_walk_create(domain->refs.count),
                       .beyond = stow_walk_create(domain->refs.count)};
  for (size_t i = 0; i < decision->releases.items.count; ++i)
    o->freed[decision->releases.items.at[i].owner] = true;
  find_beyond(o);
  return o;
}

void stow_observer_free(stow_observer *o) {
  if (!o)
    return;
  stow_owner_liveness_free(&o->needs);
  stow_index_free(&o->written);
  stow_walk_free(&o->origins);
  stow_walk_free(&o->source);
  stow_walk_free(&o->clone);
  stow_walk_free(&o->beyond);
  free(o->freed);
  free(o);
}

//===----------------------------------------------------------------------===//
// Source and clone
//===----------------------------------------------------------------------===//

static void find_source(stow_observer *o) {
  stow_walk_restart(&o->origins);
  stow_walk_restart(&o->source);
  stow_walk_add(&o->origins, o->forwarded->ref);
  go_backwards(o, &o->origins);
  o->outside = false;
  for (size_t i = 0; i < o->origins.count; ++i) {
    o->outside |= is_from_outside(o, o->origins.items[i]);
    stow_walk_add(&o->source, o->origins.items[i]);
  }
  go_forwards(o, &o->source);
}

static void find_clone(stow_observer *o) {
  stow_walk_restart(&o->clone);
  stow_dealloc_add_phis(o->domain, &o->clone, o->forwarded);
  go_forwards(o, &o->clone);
}

static bool is_passed_to_others(const stow_observer *o, int32_t owner) {
  const stow_passed *s = &o->domain->passed.at[o->forwarded->segment];
  for (int32_t f = s->first; f < s->end; ++f)
    if (&o->domain->forwarded.at[f] != o->forwarded &&
        stow_dealloc_may_stand_for(o->owners, o->domain->forwarded.at[f].ref, owner))
      return true;
  return false;
}

// Whether nothing mentions the source's memory after it was forwarded.
static bool source_dies(stow_observer *o) {
  const stow_forwarded *f = o->forwarded;
  const stow_ref_set *set = &o->owners->of[f->ref].set;
  if (o->owners->of[f->ref].mixed)
    return false;
  for (stow_ref_cursor c = {0}; stow_dealloc_next_ref(set, &c);) {
    stow_owner_liveness_find(&o->needs, c.ref, NULL, 0);
    if (o->owners->of[c.ref].conditional || is_passed_to_others(o, c.ref))
      return false;
    for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
      if (stow_dealloc_is_live_on(&o->needs, o->domain->incoming.at[p].edge))
        return false;
  }
  return true;
}

static bool writes_source(const stow_observer *o, const stow_own_mention *use) {
  if (use->ref < 0)
    return o->outside;
  return stow_walk_has(&o->source, use->ref) || (o->outside && stow_walk_has(&o->beyond, use->ref));
}

// A write of the source shows in the clone's owner if that is needed after it. An op that copies
// its last reader's memory over the source reads it first.
static bool write_shows(stow_observer *o, int32_t owner, const stow_own_mention *use) {
  const stow_live_segment *need = &o->needs.of[use->segment];
  const stow_ref *ref = &o->domain->refs.at[owner];
  if (need->attempt != o->needs.attempt)
    return false;
  bool defined = need->in || (ref->segment == use->segment && ref->position < use->position);
  int64_t moment = 2 * use->position + 1;
  bool later = need->out || need->last > moment;
  return defined && (later || (need->last == moment && !stow_ir_is(use->op, STOW_MEMREF_COPY)));
}

static bool shows_in(stow_observer *o, int32_t owner, int32_t segment) {
  STOW_EACH_OF(i, o->written, segment) {
    const stow_own_mention *use = &o->domain->uses.at[i];
    if (writes_source(o, use) && write_shows(o, owner, use))
      return true;
  }
  return false;
}

static bool owner_shows(stow_observer *o, int32_t owner) {
  stow_owner_liveness_find(&o->needs, owner, NULL, 0);
  for (size_t i = 0; i < o->needs.touched_count; ++i)
    if (shows_in(o, owner, o->needs.touched[i]))
      return true;
  return false;
}

static bool is_written(const stow_observer *o, int32_t ref) {
  STOW_EACH_OF(i, o->domain->uses_of, ref)
    if (o->domain->uses.at[i].writes)
      return true;
  return false;
}

static bool shows(stow_observer *o) {
  for (size_t i = 0; i < o->clone.count; ++i)
    if (is_written(o, o->clone.items[i]))
      return true;
  for (size_t i = 0; i < o->clone.count; ++i) {
    int32_t r = o->clone.items[i];
    if (o->owners->of[r].root == r && owner_shows(o, r))
      return true;
  }
  return false;
}

// Whether some owner to which the clone may move is freed.
static bool is_freed(const stow_observer *o) {
  for (size_t i = 0; i < o->clone.count; ++i)
    if (o->freed[o->clone.items[i]])
      return true;
  return false;
}

static bool reaches_result(const stow_observer *o) {
  for (int32_t i = 0; i < o->domain->result_count; ++i)
    if (stow_walk_has(&o->clone, o->domain->result + i))
      return true;
  return false;
}

bool stow_dealloc_becomes_result(stow_observer *o, const stow_forwarded *forwarded) {
  o->forwarded = forwarded;
  find_clone(o);
  return reaches_result(o) && !is_freed(o);
}

bool stow_dealloc_clone_shows(stow_observer *o, const stow_forwarded *forwarded) {
  o->forwarded = forwarded;
  if (source_dies(o))
    return false;
  find_source(o);
  find_clone(o);
  return shows(o);
}
