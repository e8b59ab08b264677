//===- backward.c - what is needed, and what is lost, before an event -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Going backwards from a read through a view, the bytes that it reads are *needed* until a write
// through the same view sets them. A write through another view on the way makes them *lost*. If
// a write through the view itself is met while they are lost, what it wrote was overwritten
// before the read: a fault. Where the view is defined while bytes are lost, nothing had been
// written through it, and there is no fault.
//
//===----------------------------------------------------------------------===//

#include "check/backward.h"

static void note(stow_check_backward *b, stow_check_fault fault) {
  if (b->noting)
    STOW_PUSH(b->faults, fault);
}

//===----------------------------------------------------------------------===//
// Facts that move
//===----------------------------------------------------------------------===//

void stow_check_backward_join(stow_check_backward *b, const stow_check_fact *fact) {
  stow_check_fact all = stow_check_live_get(&b->live, fact->name);
  stow_check_fact_join(&all, fact);
  stow_check_live_set(&b->live, all);
}

// Uses and frees of an arena are kept at the arena, or at a choice of several.
static int32_t keeper_of(const stow_check_program *p, int32_t name) {
  return p->names.at[name].root >= 0 ? p->names.at[name].root : name;
}

// A choice was written over because of one of the names that it may be. Where it stands for another
// one, nothing is lost yet. `edge` is that of the choice, or -1.
static stow_check_fact undo_loss(stow_check_backward *b, const stow_check_fact *fact,
                                 int32_t source, int32_t edge) {
  const stow_check_program *p = b->program;
  stow_check_fact undone = *fact;
  if (stow_check_bytes_empty(fact->lost) || source == STOW_CHECK_NO_NAME)
    return undone;
  undone.lost_later |= edge >= 0 && stow_check_made_in_loop_of(p, fact->lost_through, edge);
  bool lost = p->names.at[fact->lost_through].kind == STOW_CHECK_ROOT ||
              (stow_check_relate(&b->relations, fact->lost_through, source, undone.lost_later) &
               STOW_CHECK_OVERLAP);
  if (lost && !fact->lost_to_many)
    return undone;
  if (stow_check_bytes_empty(undone.need))
    undone.reader = undone.lost_reader;
  undone.need = stow_check_bytes_join(undone.need, undone.lost);
  if (!lost && !fact->lost_to_many)
    undone.lost = (stow_check_bytes){0, 0};
  return undone;
}

// What holds of a choice, or a view, holds of the place it is taken from.
static void move(stow_check_backward *b, const stow_check_fact *fact, stow_check_place to) {
  const stow_check_program *p = b->program;
  if (to.name == STOW_CHECK_NO_NAME || !p->names.at[to.name].reached)
    return;
  stow_check_fact bytes = *fact, uses = stow_check_fact_none(keeper_of(p, to.name));
  bytes.name = to.name;
  bytes.need = stow_check_bytes_through(to, fact->need);
  bytes.lost = stow_check_bytes_through(to, fact->lost);
  if (stow_check_bytes_empty(fact->need))
    bytes.need = (stow_check_bytes){0, 0};
  if (stow_check_bytes_empty(fact->lost))
    bytes.lost = (stow_check_bytes){0, 0};
  bytes.used = bytes.freed = STOW_CHECK_NO_OP;
  uses.used = fact->used;
  uses.freed = fact->freed;
  if (p->names.at[to.name].touched || !p->names.at[to.name].arena)
    stow_check_backward_join(b, &bytes);
  stow_check_backward_join(b, &uses);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

// Bytes of `hit` are written through `name`.
static void lose(stow_check_backward *b, int32_t name, stow_check_hit hit, int32_t op) {
  stow_check_fact fact = stow_check_live_get(&b->live, hit.name);
  stow_check_bytes gone = stow_check_bytes_meet(fact.need, hit.bytes);
  if (stow_check_bytes_empty(gone))
    return;
  if (stow_check_bytes_empty(fact.lost)) {
    fact.lost_by = op;
    fact.lost_through = name;
    fact.lost_reader = fact.reader;
    fact.lost_later = fact.lost_to_many = false;
  } else {
    fact.lost_to_many |= fact.lost_through != name || fact.lost_later;
  }
  fact.lost = stow_check_bytes_join(fact.lost, gone);
  fact.need = stow_check_bytes_less(fact.need, gone);
  stow_check_live_set(&b->live, fact);
}

static unsigned relation(stow_check_backward *b, int32_t writer, int32_t other) {
  const stow_check_name *root = &b->program->names.at[writer];
  if (root->kind == STOW_CHECK_ROOT && !root->data && writer != other)
    return STOW_CHECK_OVERLAP;
  return writer == other ? STOW_CHECK_SAME : stow_check_relate(&b->relations, writer, other, false);
}

static void write_over_others(stow_check_backward *b, const stow_check_access *access, int32_t op) {
  int32_t name = access->place.name;
  stow_check_live_meet(&b->live, name, access->place.bytes);
  for (size_t i = 0; i < b->live.hits.count; ++i)
    if (b->live.hits.at[i].name != name &&
        (relation(b, name, b->live.hits.at[i].name) & STOW_CHECK_OVERLAP))
      lose(b, name, b->live.hits.at[i], op);
}

// A write through `name` was destroyed if it wrote what is lost of `lost`.
static void blame(stow_check_backward *b, const stow_check_access *access, int32_t lost,
                  int32_t op) {
  const stow_check_program *p = b->program;
  stow_check_fact fact = stow_check_live_get(&b->live, lost);
  bool comparable = lost == access->place.name;
  if (stow_check_bytes_empty(fact.lost) ||
      (comparable && stow_check_bytes_empty(stow_check_bytes_meet(fact.lost, access->place.bytes))))
    return;
  if (!comparable && p->names.at[lost].kind != STOW_CHECK_ROOT &&
      !(stow_check_relate(&b->relations, access->place.name, lost, false) & STOW_CHECK_SAME))
    return;
  note(b, (stow_check_fault){.kind = STOW_CHECK_FAULT_CLOBBERED,
                             .name = lost,
                             .other = fact.lost_through,
                             .by = fact.lost_by,
                             .written = op,
                             .reader = fact.lost_reader,
                             .bytes = fact.lost});
}

static void find_destroyed(stow_check_backward *b, const stow_check_access *access, int32_t op) {
  const stow_check_name *name = &b->program->names.at[access->place.name];
  ++b->steps;
  if (!b->noting)
    return;
  for (int32_t n = b->live.family_head[name->family]; n >= 0; n = b->live.family_next[n]) {
    blame(b, access, n, op);
    ++b->steps;
  }
  if (name->root >= 0 && name->root != access->place.name &&
      b->program->names.at[name->root].touched)
    blame(b, access, name->root, op);
}

static void make_whole(stow_check_backward *b, int32_t name, stow_check_bytes bytes) {
  stow_check_fact fact = stow_check_live_get(&b->live, name);
  fact.need = stow_check_bytes_less(fact.need, bytes);
  fact.lost = stow_check_bytes_less(fact.lost, bytes);
  stow_check_live_set(&b->live, fact);
}

static bool is_cut_from(const stow_check_program *p, int32_t name, int32_t from) {
  while (name != STOW_CHECK_NO_NAME && name != from)
    name = p->names.at[name].kind == STOW_CHECK_CARVE && p->names.at[name].placed
               ? p->names.at[name].parent
               : STOW_CHECK_NO_NAME;
  return name == from;
}

// A complete write ends the need of what is cut from the view, too.
static void fill_parts(stow_check_backward *b, int32_t name, stow_check_bytes bytes) {
  const stow_check_program *p = b->program;
  const stow_check_name *n = &p->names.at[name];
  if (n->kind == STOW_CHECK_CHOICE)
    return;
  stow_check_live_meet(&b->live, name, bytes);
  for (size_t i = 0; i < b->live.hits.count; ++i)
    if (is_cut_from(p, b->live.hits.at[i].name, name))
      make_whole(b, b->live.hits.at[i].name, b->live.hits.at[i].bytes);
  for (int32_t part = b->live.family_head[n->family], next; part >= 0; part = next) {
    next = b->live.family_next[part];
    if (p->names.at[part].kind == STOW_CHECK_CARVE && is_cut_from(p, part, name))
      make_whole(b, part, stow_check_bytes_shift(bytes, n->address - p->names.at[part].address));
  }
}

// ... and of what it is cut from.
static void fill_wholes(stow_check_backward *b, int32_t name, stow_check_bytes bytes) {
  while (name != STOW_CHECK_NO_NAME) {
    const stow_check_name *n = &b->program->names.at[name];
    make_whole(b, name, bytes);
    bool on = n->kind == STOW_CHECK_CARVE && n->placed;
    bytes = stow_check_bytes_shift(bytes, n->start);
    name = on ? n->parent : STOW_CHECK_NO_NAME;
  }
}

static void write_own(stow_check_backward *b, const stow_check_access *access) {
  if (!access->fills)
    return;
  fill_parts(b, access->place.name, access->place.bytes);
  fill_wholes(b, access->place.name, access->place.bytes);
}

void stow_check_backward_read(stow_check_backward *b, stow_check_place place, int32_t op) {
  stow_check_fact fact = stow_check_fact_none(place.name);
  fact.need = place.bytes;
  fact.reader = op;
  stow_check_backward_join(b, &fact);
}

static void use(stow_check_backward *b, const stow_check_access *access, int32_t op) {
  stow_check_fact fact = stow_check_live_get(&b->live, keeper_of(b->program, access->place.name));
  fact.used = op;
  stow_check_live_set(&b->live, fact);
}

// An op reads what it reads before it is done with writing: what it writes may be in its own way.
static void pass_access(stow_check_backward *b, const stow_check_event *event) {
  const stow_check_access *first = &b->program->accesses.at[event->first],
                          *end = first + event->count;
  for (const stow_check_access *a = first; a < end; ++a)
    if (a->writes && b->program->names.at[a->place.name].reached)
      write_over_others(b, a, event->op);
  for (const stow_check_access *a = first; a < end; ++a)
    if (a->writes && b->program->names.at[a->place.name].reached)
      find_destroyed(b, a, event->op);
  for (const stow_check_access *a = first; a < end; ++a)
    write_own(b, a);
  for (const stow_check_access *a = first; a < end; ++a) {
    if (!b->program->names.at[a->place.name].reached)
      continue;
    if (a->reads)
      stow_check_backward_read(b, a->place, event->op);
    use(b, a, event->op);
  }
  for (const stow_check_access *a = first; a < end && event->count > 1; ++a)
    if (a->writes && b->program->names.at[a->place.name].reached)
      write_over_others(b, a, event->op);
}

//===----------------------------------------------------------------------===//
// Other events
//===----------------------------------------------------------------------===//

static bool may_be_root(const stow_check_program *p, int32_t name, int32_t root) {
  for (size_t o = 0; o < p->names.at[name].origin_count; ++o)
    if (p->names.at[p->origins.at[p->names.at[name].first_origin + o].leaf].root == root)
      return true;
  return false;
}

static void note_after_free(stow_check_backward *b, int32_t keeper, int32_t op) {
  stow_check_fact fact = stow_check_live_get(&b->live, keeper);
  stow_check_fault fault = {
      .name = keeper, .other = STOW_CHECK_NO_NAME, .by = op, .written = STOW_CHECK_NO_OP};
  fault.kind = fact.used != STOW_CHECK_NO_OP ? STOW_CHECK_FAULT_USED : STOW_CHECK_FAULT_FREED;
  fault.reader = fact.used != STOW_CHECK_NO_OP ? fact.used : fact.freed;
  if (fault.reader != STOW_CHECK_NO_OP)
    note(b, fault);
}

static bool is_several(const stow_check_program *p, int32_t keeper) {
  return p->names.at[keeper].kind == STOW_CHECK_CHOICE && p->names.at[keeper].root < 0;
}

// Whether what is kept at another name may be of the memory that is freed. What an arena may be in
// another iteration is not.
static bool may_be_freed(stow_check_backward *b, int32_t freed, int32_t other) {
  const stow_check_program *p = b->program;
  const bool several = is_several(p, freed), others = is_several(p, other);
  if (freed == other || !(several || others) || (!several && !may_be_root(p, other, freed)) ||
      (!others && !may_be_root(p, freed, other)))
    return false;
  return stow_check_relate(&b->relations, freed, other, false) & STOW_CHECK_SAME;
}

static void pass_free(stow_check_backward *b, const stow_check_event *event) {
  const stow_check_program *p = b->program;
  if (event->count == 0)
    return;
  int32_t keeper = keeper_of(p, p->accesses.at[event->first].place.name);
  if (!p->names.at[keeper].reached)
    return;
  note_after_free(b, keeper, event->op);
  for (size_t i = 0; b->noting && i < b->live.present_count; ++i) {
    const int32_t other = b->live.present[i];
    if (may_be_freed(b, keeper, other))
      note_after_free(b, other, event->op);
  }
  stow_check_fact fact = stow_check_live_get(&b->live, keeper);
  fact.used = STOW_CHECK_NO_OP;
  fact.freed = event->op;
  stow_check_live_set(&b->live, fact);
}

void stow_check_backward_move(stow_check_backward *b, const stow_check_fact *fact, size_t first,
                              size_t end) {
  for (size_t i = first; i < end; ++i) {
    const stow_check_source *source = &b->program->sources.at[i];
    stow_check_fact undone = undo_loss(b, fact, source->place.name, source->edge);
    move(b, &undone, source->place);
  }
}

static bool is_cut(const stow_check_name *choice) { return choice->parent != STOW_CHECK_NO_NAME; }

// A view of a choice is made anew: what is used or freed by it is the choice.
static void move_uses(stow_check_backward *b, const stow_check_fact *fact, int32_t choice) {
  stow_check_fact uses = stow_check_fact_none(keeper_of(b->program, choice));
  uses.used = fact->used;
  uses.freed = fact->freed;
  if (b->program->names.at[choice].reached)
    stow_check_backward_join(b, &uses);
}

// Before a group is made, none of its tokens is waited for.
static void forget_group(stow_check_backward *b, int32_t group) {
  for (size_t i = b->live.present_count; i > 0; --i)
    if (b->program->names.at[b->live.present[i - 1]].group == group)
      stow_check_live_set(&b->live, stow_check_fact_none(b->live.present[i - 1]));
}

static void pass_define(stow_check_backward *b, const stow_check_event *event) {
  const stow_check_program *p = b->program;
  const stow_check_name *name = &p->names.at[event->name];
  stow_check_fact fact = stow_check_live_get(&b->live, event->name);
  if (!name->grows)
    stow_check_live_set(&b->live, stow_check_fact_none(event->name));
  if (name->group == event->name)
    forget_group(b, event->name);
  if (name->kind == STOW_CHECK_CHOICE && is_cut(name))
    move_uses(b, &fact, name->parent);
  else if (name->kind == STOW_CHECK_CHOICE)
    stow_check_backward_move(b, &fact, name->first_source, name->first_source + name->source_count);
  if (name->kind != STOW_CHECK_CARVE)
    return;
  stow_check_bytes in_parent = name->placed ? stow_check_bytes_shift(name->bytes, name->start)
                                            : p->names.at[name->parent].bytes;
  move(b, &fact, (stow_check_place){name->parent, in_parent, name->placed, false});
}

void stow_check_backward_pass(stow_check_backward *b, const stow_check_event *event) {
  switch (event->kind) {
  case STOW_CHECK_EVENT_ACCESS:
    pass_access(b, event);
    break;
  case STOW_CHECK_EVENT_FREE:
    pass_free(b, event);
    break;
  case STOW_CHECK_EVENT_DEFINE:
    pass_define(b, event);
    break;
  case STOW_CHECK_EVENT_CALLED:
  case STOW_CHECK_EVENT_BARRIER:
  case STOW_CHECK_EVENT_FENCE:
  case STOW_CHECK_EVENT_HANDLES:
    break;
  }
}
