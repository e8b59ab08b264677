//===- names.c - where names lead -----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The origins of a choice are the bytes of arenas that it may be, on any path. They are cheap
// and show which names could overlap. Whether two do on one path is asked in relate.c.
//
//===----------------------------------------------------------------------===//

#include "check/limits.h"
#include "check/op.h"
#include "check/steps.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static void read_source(stow_check_program *p, stow_check_source *source) {
  if (source->choice != STOW_CHECK_NO_NAME)
    return;
  if (!mlirValueIsNull(source->from))
    source->place = stow_check_place_of(p, source->from);
  int32_t to = stow_check_place_of(p, source->to).name;
  if (to == STOW_CHECK_NO_NAME)
    return;
  bool chosen = p->names.at[to].kind == STOW_CHECK_CHOICE;
  if (source->place.name == STOW_CHECK_NO_NAME)
    p->names.at[to].mixed |= chosen;
  else if (chosen)
    source->choice = to;
  else if (mlirValueEqual(p->names.at[to].value, source->to))
    stow_check_complain(
        p, p->function,
        &(stow_check_note){.value = source->to, .text = "this may be one of several arenas"}, 1,
        "an arena is chosen by control flow: its views were not checked");
}

// By choice, and in the order they were found in, which is that of edges.
static void sort_sources(stow_check_program *p) {
  size_t *start = stow_ir_allocate(p->names.count + 1, sizeof *start), total = 0;
  for (size_t s = 0; s < p->sources.count; ++s)
    if (p->sources.at[s].choice >= 0) {
      ++start[p->sources.at[s].choice];
      ++total;
    }
  size_t next = 0;
  for (size_t n = 0; n < p->names.count; ++n) {
    p->names.at[n].first_source = next;
    p->names.at[n].source_count = start[n];
    start[n] = next;
    next += p->names.at[n].source_count;
  }
  stow_check_source *sorted = stow_ir_allocate(total, sizeof *sorted);
  for (size_t s = 0; s < p->sources.count; ++s)
    if (p->sources.at[s].choice >= 0)
      sorted[start[p->sources.at[s].choice]++] = p->sources.at[s];
  free(p->sources.at);
  free(start);
  p->sources.at = sorted;
  p->sources.count = p->sources.capacity = total;
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

static int32_t family_of(stow_check_program *p, int32_t name) {
  while (p->names.at[name].family != name) {
    p->names.at[name].family = p->names.at[p->names.at[name].family].family;
    name = p->names.at[name].family;
  }
  return name;
}

static void join(stow_check_program *p, int32_t a, int32_t b) {
  a = family_of(p, a);
  b = family_of(p, b);
  p->names.at[a > b ? a : b].family = a < b ? a : b;
}

static void find_families(stow_check_program *p) {
  for (size_t s = 0; s < p->sources.count; ++s)
    join(p, p->sources.at[s].choice, p->sources.at[s].place.name);
  for (size_t n = 0; n < p->names.count; ++n)
    if (p->names.at[n].kind == STOW_CHECK_CARVE &&
        p->names.at[p->names.at[n].parent].kind != STOW_CHECK_ROOT)
      join(p, (int32_t)n, p->names.at[n].parent);
  for (size_t n = 0; n < p->names.count; ++n)
    p->names.at[n].family = family_of(p, (int32_t)n);
}

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

typedef struct origin_list {
  STOW_ARRAY(stow_check_origin) items;
  bool truncated;
} origin_list;

// Whether the list changed.
static bool add_origin(origin_list *list, stow_check_origin origin) {
  for (size_t i = 0; i < list->items.count; ++i)
    if (list->items.at[i].leaf == origin.leaf) {
      bool same = origin.exact && list->items.at[i].shift == origin.shift;
      bool changed = list->items.at[i].exact && !same;
      list->items.at[i].exact &= same;
      return changed;
    }
  list->truncated = list->items.count == STOW_CHECK_MOST_ORIGINS;
  if (list->truncated)
    return false;
  STOW_PUSH(list->items, origin);
  return true;
}

static bool add_origins(origin_list *lists, const stow_check_source *source) {
  bool changed = false;
  const origin_list *from = &lists[source->place.name];
  for (size_t i = 0; i < from->items.count && source->place.name != source->choice; ++i) {
    stow_check_origin origin = from->items.at[i];
    origin.shift += source->place.bytes.lo;
    origin.exact &= source->place.exact;
    changed |= add_origin(&lists[source->choice], origin);
  }
  return changed;
}

static void spread_origins(stow_check_program *p, origin_list *lists) {
  for (size_t n = 0; n < p->names.count; ++n)
    if (p->names.at[n].kind != STOW_CHECK_CHOICE)
      add_origin(&lists[n], (stow_check_origin){(int32_t)n, 0, true});
  for (bool changed = true; changed;) {
    changed = false;
    STOW_EACH(const stow_check_source, source, p->sources) {
      stow_check_name *choice = &p->names.at[source->choice];
      bool mixed = p->names.at[source->place.name].mixed &&
                   p->names.at[source->place.name].kind == STOW_CHECK_CHOICE;
      changed |= add_origins(lists, source) || (mixed && !choice->mixed);
      choice->mixed |= mixed;
    }
  }
}

static void keep_origins(stow_check_program *p, stow_check_name *name, const origin_list *list) {
  name->first_origin = p->origins.count;
  name->origin_count = list->items.count;
  name->reached = list->items.count > 0;
  for (size_t i = 0; i < list->items.count; ++i) {
    STOW_PUSH(p->origins, list->items.at[i]);
    int32_t root = p->names.at[list->items.at[i].leaf].root;
    if (name->kind == STOW_CHECK_CHOICE)
      name->root = (i == 0 || name->root == root) && !name->mixed ? root : -1;
  }
}

// Faults through the origins that were left out are not found, so the answer cannot be yes.
static void refuse_too_many(stow_check_program *p, const origin_list *lists) {
  size_t n = 0;
  while (n < p->names.count && !lists[n].truncated)
    ++n;
  if (n < p->names.count)
    stow_check_complain(
        p, p->function,
        &(stow_check_note){.value = p->names.at[n].value, .text = "this value is made here"}, 1,
        "was not checked as a whole: a value may be one of more than %d views",
        STOW_CHECK_MOST_ORIGINS);
}

static void find_origins(stow_check_program *p) {
  origin_list *lists = stow_ir_allocate(p->names.count, sizeof *lists);
  spread_origins(p, lists);
  refuse_too_many(p, lists);
  for (size_t n = 0; n < p->names.count; ++n) {
    keep_origins(p, &p->names.at[n], &lists[n]);
    free(lists[n].items.at);
  }
  free(lists);
}

static void find_touched_names(stow_check_program *p) {
  for (size_t a = 0; a < p->accesses.count; ++a)
    if (p->accesses.at[a].reads || p->accesses.at[a].writes)
      p->names.at[p->accesses.at[a].place.name].touched = true;
  for (size_t e = 0; e < p->escaped.count; ++e)
    p->names.at[p->escaped.at[e].name].touched = true;
  for (size_t s = 0; s < p->sources.count; ++s) // as what control flow makes of it may be
    p->names.at[p->sources.at[s].place.name].touched = true;
}

static bool is_byte_view(MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         stow_check_kinds(mlirOpResultGetOwner(value)) & STOW_CHECK_VIEWS;
}

// What an arena holds is held by the views cut from it, one by one.
static void find_arenas(stow_check_program *p) {
  for (size_t n = 0; n < p->names.count; ++n)
    p->names.at[n].arena = p->names.at[n].kind == STOW_CHECK_ROOT ||
                           (p->names.at[n].kind == STOW_CHECK_CARVE &&
                            stow_check_is_bytes(mlirValueGetType(p->names.at[n].value)));
  STOW_EACH(const stow_check_name, name, p->names)
    if (name->kind == STOW_CHECK_CARVE && p->names.at[name->parent].kind == STOW_CHECK_CARVE)
      p->names.at[name->parent].arena &= is_byte_view(name->value);
}

// Memory that is itself read, or written in part, is a buffer with parts, not an arena of buffers.
// An arena may be filled before it is used, but what is cut from one and filled holds that.
static void find_buffers(stow_check_program *p) {
  STOW_EACH(const stow_check_access, access, p->accesses) {
    const stow_check_name *name = &p->names.at[access->place.name];
    for (size_t o = 0; o < name->origin_count && (access->reads || access->writes); ++o) {
      stow_check_name *leaf = &p->names.at[p->origins.at[name->first_origin + o].leaf];
      leaf->data |= access->reads || !access->fills || leaf->kind == STOW_CHECK_CARVE;
    }
  }
  for (size_t n = 0; n < p->names.count; ++n) {
    stow_check_name *name = &p->names.at[n];
    int32_t above =
        name->kind == STOW_CHECK_CARVE ? p->names.at[name->parent].buffer : STOW_CHECK_NO_NAME;
    name->buffer = above != STOW_CHECK_NO_NAME && p->names.at[above].data ? above : (int32_t)n;
  }
}

//===----------------------------------------------------------------------===//
// Offsets that change
//===----------------------------------------------------------------------===//

// A leaf that a loop makes is carried to its next iteration, where the offset is another.
static void mark_drifting(const stow_check_program *p, int32_t leaf, int32_t edge, bool *drifts) {
  for (int32_t l = p->names.at[leaf].loose; l != STOW_CHECK_NO_NAME;
       l = p->names.at[p->names.at[l].parent].loose)
    drifts[p->names.at[l].anchor] |= stow_check_made_in_loop_of(p, l, edge);
}

// Constants on top of an offset compare views as long as the offset is one number. Where a loop
// carries one of the views on, each of them counts from itself.
static void part_drifting_anchors(stow_check_program *p) {
  bool *drifts = stow_ir_allocate(p->names.count, sizeof *drifts);
  STOW_EACH(const stow_check_source, source, p->sources) {
    const stow_check_name *from = &p->names.at[source->place.name];
    for (size_t o = 0; o < from->origin_count && source->edge >= 0; ++o)
      mark_drifting(p, p->origins.at[from->first_origin + o].leaf, source->edge, drifts);
  }
  for (size_t n = 0; n < p->names.count; ++n) {
    stow_check_name *name = &p->names.at[n];
    if (name->kind == STOW_CHECK_CARVE && name->placed)
      name->anchor = p->names.at[name->parent].anchor;
    else if (name->kind == STOW_CHECK_CARVE && drifts[name->anchor])
      name->anchor = (int32_t)n;
  }
  free(drifts);
}

//===----------------------------------------------------------------------===//
// Deallocations at run time's choice
//===----------------------------------------------------------------------===//

// Whether an scf.if stands between `op` and where `value` is made.
static bool hangs_on_a_flag(MlirOperation op, MlirValue value) {
  MlirRegion home = mlirBlockGetParentRegion(stow_block_of(value));
  for (MlirBlock block = mlirOperationGetBlock(op);
       !mlirRegionEqual(mlirBlockGetParentRegion(block), home); block = mlirOperationGetBlock(op)) {
    op = mlirBlockGetParentOperation(block);
    if (stow_check_kinds(op) & STOW_CHECK_FLAGGED)
      return true;
  }
  return false;
}

static bool may_be_whole_arena(const stow_check_program *p, const stow_check_name *name) {
  for (size_t o = 0; o < name->origin_count; ++o)
    if (p->names.at[p->origins.at[name->first_origin + o].leaf].kind == STOW_CHECK_ROOT)
      return true;
  return false;
}

// What is a view on one path and memory of its own on another is deallocated where a flag says that
// it is the latter: this is no deallocation of the arena.
static bool is_flagged_free(const stow_check_program *p, const stow_check_event *event) {
  const stow_check_name *name = &p->names.at[p->accesses.at[event->first].place.name];
  return name->kind == STOW_CHECK_CHOICE && !may_be_whole_arena(p, name) &&
         hangs_on_a_flag(p->ops.at[event->op], name->value);
}

// Whether what the op retains may be what it frees: then it may be there when the op is done.
static bool is_retained(const stow_check_program *p, const stow_check_event *event) {
  const stow_check_access *accesses = &p->accesses.at[event->first];
  const int32_t freed = p->names.at[accesses[0].place.name].root;
  for (size_t i = 1; i < event->count; ++i) {
    const int32_t root = p->names.at[accesses[i].place.name].root;
    if (freed < 0 || root < 0 || root == freed)
      return true;
  }
  return false;
}

static void drop_uncertain_frees(stow_check_program *p) {
  STOW_EACH(stow_check_event, event, p->events)
    if (event->kind == STOW_CHECK_EVENT_FREE)
      event->count = is_flagged_free(p, event) || is_retained(p, event) ? 0 : 1;
}

void stow_check_names_close(stow_check_program *p) {
  for (size_t s = 0; s < p->sources.count; ++s)
    read_source(p, &p->sources.at[s]);
  sort_sources(p);
  if (stow_check_cuts_close(p))
    sort_sources(p);
  find_families(p);
  find_origins(p);
  part_drifting_anchors(p);
  find_touched_names(p);
  find_arenas(p);
  find_buffers(p);
  drop_uncertain_frees(p);
}
