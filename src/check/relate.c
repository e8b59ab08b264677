//===- relate.c - whether two names can be the same, or meet --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two names may be the same, or have bytes in common, if their leaves do on some path. A search
// over pairs undoes one choice after the other, those that one edge or one condition makes together
// at once. Leaves are compared by their bytes from a common anchor. Results are kept.
//
//===----------------------------------------------------------------------===//

#include "check/backward.h"
#include "check/limits.h"
#include "check/op.h"

#include <stdlib.h>

// `across_iterations`: one of the two is from an earlier iteration of a loop than the other.
typedef struct pair {
  int32_t a, b;
  bool across_iterations;
} pair;

typedef struct search {
  const stow_check_program *program;
  STOW_ARRAY(pair) pairs; // all that were met; those from `next` on are to be looked at
  size_t next;
  stow_map met;
  unsigned found;
} search;

static const void *key_of(const stow_check_program *p, pair x) {
  int32_t low = x.a < x.b ? x.a : x.b, high = x.a < x.b ? x.b : x.a;
  uint64_t index = (uint64_t)low * p->names.count + (uint64_t)high;
  const uintptr_t number = 2 * index + x.across_iterations + 1;
  return (const void *)number; // NOLINT: a number as a key
}

static void meet(search *s, pair x) {
  if (x.a != STOW_CHECK_NO_NAME && x.b != STOW_CHECK_NO_NAME &&
      stow_map_note(&s->met, key_of(s->program, x)))
    STOW_PUSH(s->pairs, x);
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static bool is_cut_from(const stow_check_program *p, int32_t name, int32_t ancestor) {
  while (name != STOW_CHECK_NO_NAME && name != ancestor)
    name =
        p->names.at[name].kind == STOW_CHECK_CARVE ? p->names.at[name].parent : STOW_CHECK_NO_NAME;
  return name == ancestor;
}

// Bytes counted from an anchor, and the carve at an offset that is not known that they lie in.
typedef struct span {
  int32_t anchor, loose;
  stow_check_bytes bytes;
} span;

static span span_of(const stow_check_program *p, int32_t leaf) {
  const stow_check_name *n = &p->names.at[leaf];
  return (span){n->anchor, n->loose, stow_check_bytes_shift(n->bytes, n->address)};
}

// What lies at an offset that is not known lies somewhere in what it is cut from.
static span span_around(const stow_check_program *p, span inner) {
  if (inner.loose == STOW_CHECK_NO_NAME)
    return (span){.anchor = STOW_CHECK_NO_NAME};
  const stow_check_name *loose = &p->names.at[inner.loose], *parent = &p->names.at[loose->parent];
  return (span){parent->anchor, parent->loose,
                stow_check_bytes_shift(loose->within, parent->address)};
}

static bool spans_meet(const stow_check_program *p, span a, int32_t b) {
  for (span around = span_of(p, b); around.anchor != STOW_CHECK_NO_NAME;
       around = span_around(p, around))
    if (around.anchor == a.anchor)
      return !stow_check_bytes_empty(stow_check_bytes_meet(a.bytes, around.bytes));
  return true;
}

static bool bytes_in_common(const stow_check_program *p, int32_t a, int32_t b) {
  if (p->names.at[a].root != p->names.at[b].root)
    return false;
  for (span around = span_of(p, a); around.anchor != STOW_CHECK_NO_NAME;
       around = span_around(p, around))
    if (!spans_meet(p, around, b))
      return false;
  return true;
}

static unsigned relate_leaves(const stow_check_program *p, pair x) {
  if (x.a == x.b)
    return x.across_iterations ? STOW_CHECK_OVERLAP : STOW_CHECK_SAME;
  bool related = p->names.at[x.a].buffer == p->names.at[x.b].buffer || is_cut_from(p, x.a, x.b) ||
                 is_cut_from(p, x.b, x.a);
  if (related && !x.across_iterations)
    return STOW_CHECK_SAME;
  return bytes_in_common(p, x.a, x.b) ? STOW_CHECK_OVERLAP : 0;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

// Whether a leaf is of memory that the loop which the edge closes makes anew: what was chosen
// before is none of it.
static bool is_made_anew(const stow_check_program *p, int32_t leaf, int32_t edge) {
  const stow_check_name *n = &p->names.at[leaf];
  return n->kind != STOW_CHECK_CHOICE && n->root >= 0 &&
         stow_check_made_in_loop_of(p, n->root, edge) &&
         stow_check_is_made_since(p, n->root, p->nodes.at[p->edges.at[edge].to].begin);
}

// Undoes the choice `a` alone.
static void undo(search *s, pair x) {
  const stow_check_program *p = s->program;
  const stow_check_name *choice = &p->names.at[x.a];
  for (size_t i = 0; i < choice->source_count; ++i) {
    const stow_check_source *source = &p->sources.at[choice->first_source + i];
    bool back = source->edge >= 0 && stow_check_made_in_loop_of(p, x.b, source->edge);
    if (back && !x.across_iterations && is_made_anew(p, x.b, source->edge))
      continue;
    meet(s, (pair){source->place.name, x.b, x.across_iterations || back});
  }
}

// Undoes two choices that were made at once, edge by edge.
static void undo_both(search *s, pair x) {
  const stow_check_program *p = s->program;
  const stow_check_name *a = &p->names.at[x.a];
  for (size_t i = 0; i < a->source_count; ++i) {
    const stow_check_source *source = &p->sources.at[a->first_source + i];
    size_t first, end;
    stow_check_sources_along(p, x.b, source->edge, &first, &end);
    for (size_t j = first; j < end; ++j)
      meet(s, (pair){source->place.name, p->sources.at[j].place.name, x.across_iterations});
  }
}

// The arith.select that makes a choice, or what this is cut from, or null.
static MlirOperation select_of(const stow_check_program *p, int32_t choice) {
  const MlirOperation none = {NULL};
  while (p->names.at[choice].parent != STOW_CHECK_NO_NAME)
    choice = p->names.at[choice].parent;
  const MlirValue value = p->names.at[choice].value;
  if (!mlirValueIsAOpResult(value))
    return none;
  const MlirOperation op = mlirOpResultGetOwner(value);
  return stow_ir_op_is(op, "arith.select") ? op : none;
}

// Whether two choices are made by one condition.
static bool are_selected_alike(const stow_check_program *p, int32_t a, int32_t b) {
  const MlirOperation x = select_of(p, a), y = select_of(p, b);
  return !mlirOperationIsNull(x) && !mlirOperationIsNull(y) &&
         mlirValueEqual(mlirOperationGetOperand(x, 0), mlirOperationGetOperand(y, 0));
}

// What the choice is where the select gives operand `i`, or none of the names.
static int32_t selected_name(const stow_check_program *p, int32_t choice, intptr_t i) {
  const stow_check_name *n = &p->names.at[choice];
  const MlirValue given = mlirOperationGetOperand(select_of(p, choice), i);
  for (size_t s = n->first_source; s < n->first_source + n->source_count; ++s)
    if (mlirValueEqual(p->sources.at[s].from, given))
      return p->sources.at[s].place.name;
  return STOW_CHECK_NO_NAME;
}

static void undo_alike(search *s, pair x) {
  for (intptr_t i = 1; i <= 2; ++i)
    meet(s, (pair){selected_name(s->program, x.a, i), selected_name(s->program, x.b, i),
                   x.across_iterations});
}

static void look(search *s, pair x) {
  const stow_check_name *a = &s->program->names.at[x.a], *b = &s->program->names.at[x.b];
  bool a_chosen = a->kind == STOW_CHECK_CHOICE, b_chosen = b->kind == STOW_CHECK_CHOICE;
  if (!a_chosen && !b_chosen)
    s->found |= relate_leaves(s->program, x);
  else if (x.a == x.b && !x.across_iterations)
    s->found |= STOW_CHECK_SAME;
  else if (a_chosen && b_chosen && a->node >= 0 && a->node == b->node && !x.across_iterations)
    undo_both(s, x);
  else if (a_chosen && b_chosen && are_selected_alike(s->program, x.a, x.b) && !x.across_iterations)
    undo_alike(s, x);
  else if (a_chosen && (!b_chosen || a->position > b->position))
    undo(s, x);
  else
    undo(s, (pair){x.b, x.a, x.across_iterations});
}

static unsigned search_paths(stow_check_relations *relations, pair start) {
  search s = {.program = relations->program};
  meet(&s, start);
  while (s.next < s.pairs.count && s.found != (STOW_CHECK_SAME | STOW_CHECK_OVERLAP) &&
         s.pairs.count < STOW_CHECK_MOST_PAIRS)
    look(&s, s.pairs.at[s.next++]);
  *relations->steps += s.pairs.count;
  if (s.pairs.count >= STOW_CHECK_MOST_PAIRS)
    s.found = STOW_CHECK_SAME | STOW_CHECK_OVERLAP;
  free(s.pairs.at);
  stow_map_free(&s.met);
  return s.found;
}

unsigned stow_check_relate(stow_check_relations *relations, int32_t a, int32_t b,
                           bool across_iterations) {
  const stow_check_program *p = relations->program;
  pair x = {a, b, across_iterations};
  ++*relations->steps;
  if (p->names.at[a].kind != STOW_CHECK_CHOICE && p->names.at[b].kind != STOW_CHECK_CHOICE)
    return relate_leaves(p, x);
  int32_t known = stow_map_get(&relations->known, key_of(p, x));
  if (known < 0) {
    known = (int32_t)search_paths(relations, x);
    stow_map_add(&relations->known, key_of(p, x), known);
  }
  return (unsigned)known;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

// The bytes of a leaf, from its anchor, that bytes of a name may be.
static stow_check_bytes bytes_at(const stow_check_program *p, const stow_check_origin *origin,
                                 stow_check_bytes bytes) {
  const stow_check_name *leaf = &p->names.at[origin->leaf];
  const stow_check_bytes whole = stow_check_bytes_shift(leaf->bytes, leaf->address);
  return origin->exact ? stow_check_bytes_meet(
                             stow_check_bytes_shift(bytes, leaf->address + origin->shift), whole)
                       : whole;
}

bool stow_check_is_made_since(const stow_check_program *p, int32_t root, int64_t since) {
  const MlirValue value = p->names.at[root].value;
  return p->names.at[root].position > since && mlirValueIsAOpResult(value) &&
         (stow_check_kinds(mlirOpResultGetOwner(value)) & STOW_CHECK_MAKES ||
          stow_bridge_op_is_call(mlirOpResultGetOwner(value)));
}

static bool origins_meet(const stow_check_program *p, const stow_check_origin *a,
                         stow_check_bytes a_bytes, const stow_check_origin *b,
                         stow_check_bytes b_bytes, int64_t since) {
  const stow_check_name *x = &p->names.at[a->leaf], *y = &p->names.at[b->leaf];
  if (x->root == y->root && x->root >= 0 && stow_check_is_made_since(p, x->root, since))
    return false;
  if (x->anchor != y->anchor || x->root != y->root)
    return x->root == y->root;
  return (p->names.at[x->anchor].position > since && x->anchor != x->root) ||
         !stow_check_bytes_empty(
             stow_check_bytes_meet(bytes_at(p, a, a_bytes), bytes_at(p, b, b_bytes)));
}

bool stow_check_places_meet(stow_check_relations *relations, stow_check_place a, stow_check_place b,
                            int64_t since) {
  const stow_check_program *p = relations->program;
  const stow_check_name *x = &p->names.at[a.name], *y = &p->names.at[b.name];
  for (size_t i = x->first_origin; i < x->first_origin + x->origin_count; ++i)
    for (size_t j = y->first_origin; j < y->first_origin + y->origin_count; ++j) {
      ++*relations->steps;
      if (origins_meet(p, &p->origins.at[i], a.bytes, &p->origins.at[j], b.bytes, since))
        return true;
    }
  return false;
}
