//===- names.c - where names lead -----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Origins say which bytes of an arena a choice may be, whatever path was taken:
// enough to find what could meet, and cheap. Whether it does meet is relate.c's
// question, which follows the paths.
//
//===----------------------------------------------------------------------===//

#include "check/relate.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ORIGINS = 256 };

stow_check_bytes stow_check_bytes_through(stow_check_place place, stow_check_bytes bytes) {
  return place.exact
             ? stow_check_bytes_meet(stow_check_bytes_shift(bytes, place.bytes.lo), place.bytes)
             : place.bytes;
}

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
  bool chosen = p->names[to].kind == STOW_CHECK_CHOICE;
  if (source->place.name == STOW_CHECK_NO_NAME)
    p->names[to].mixed |= chosen;
  else if (chosen)
    source->choice = to;
  else if (mlirValueEqual(p->names[to].value, source->to))
    stow_check_complain(
        p, p->function, "an arena is chosen by control flow: its views were not checked",
        &(stow_check_note){.value = source->to, .text = "this may be one of several arenas"}, 1);
}

// By choice, and in the order they were found in, which is that of edges.
static void sort_sources(stow_check_program *p) {
  size_t *start = stow_allocate(p->name_count + 1, sizeof *start), total = 0;
  for (size_t s = 0; s < p->source_count; ++s)
    if (p->sources[s].choice >= 0)
      ++start[p->sources[s].choice], ++total;
  size_t next = 0;
  for (size_t n = 0; n < p->name_count; ++n) {
    p->names[n].first_source = next;
    p->names[n].source_count = start[n];
    start[n] = next;
    next += p->names[n].source_count;
  }
  stow_check_source *sorted = stow_allocate(total, sizeof *sorted);
  for (size_t s = 0; s < p->source_count; ++s)
    if (p->sources[s].choice >= 0)
      sorted[start[p->sources[s].choice]++] = p->sources[s];
  free(p->sources), free(start);
  p->sources = sorted;
  p->source_count = p->source_capacity = total;
}

void stow_check_sources_along(const stow_check_program *program, int32_t choice, int32_t edge,
                              size_t *out_first, size_t *out_end) {
  const stow_check_name *name = &program->names[choice];
  size_t low = name->first_source, end = low + name->source_count, high = end;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (program->sources[middle].edge < edge)
      low = middle + 1;
    else
      high = middle;
  }
  *out_first = low;
  while (low < end && program->sources[low].edge == edge)
    ++low;
  *out_end = low;
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

static int32_t family_of(stow_check_program *p, int32_t name) {
  while (p->names[name].family != name) {
    p->names[name].family = p->names[p->names[name].family].family;
    name = p->names[name].family;
  }
  return name;
}

static void join(stow_check_program *p, int32_t a, int32_t b) {
  a = family_of(p, a), b = family_of(p, b);
  p->names[a > b ? a : b].family = a < b ? a : b;
}

static void find_families(stow_check_program *p) {
  for (size_t s = 0; s < p->source_count; ++s)
    join(p, p->sources[s].choice, p->sources[s].place.name);
  for (size_t n = 0; n < p->name_count; ++n)
    if (p->names[n].kind == STOW_CHECK_CARVE &&
        p->names[p->names[n].parent].kind != STOW_CHECK_ROOT)
      join(p, (int32_t)n, p->names[n].parent);
  for (size_t n = 0; n < p->name_count; ++n)
    p->names[n].family = family_of(p, (int32_t)n);
}

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

typedef struct origin_list {
  stow_check_origin *items;
  size_t count, capacity;
  bool cut_short;
} origin_list;

// Whether the list changed.
static bool add_origin(origin_list *list, stow_check_origin origin) {
  for (size_t i = 0; i < list->count; ++i)
    if (list->items[i].leaf == origin.leaf) {
      bool same = origin.exact && list->items[i].shift == origin.shift;
      bool changed = list->items[i].exact && !same;
      list->items[i].exact &= same;
      return changed;
    }
  list->cut_short = list->count == MOST_ORIGINS;
  if (list->cut_short)
    return false;
  list->items = stow_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = origin;
  return true;
}

static bool add_origins(origin_list *lists, const stow_check_source *source) {
  bool changed = false;
  const origin_list *from = &lists[source->place.name];
  for (size_t i = 0; i < from->count && source->place.name != source->choice; ++i) {
    stow_check_origin origin = from->items[i];
    origin.shift += source->place.bytes.lo;
    origin.exact &= source->place.exact;
    changed |= add_origin(&lists[source->choice], origin);
  }
  return changed;
}

static void spread_origins(stow_check_program *p, origin_list *lists) {
  for (size_t n = 0; n < p->name_count; ++n)
    if (p->names[n].kind != STOW_CHECK_CHOICE)
      add_origin(&lists[n], (stow_check_origin){(int32_t)n, 0, true});
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t s = 0; s < p->source_count; ++s) {
      const stow_check_source *source = &p->sources[s];
      stow_check_name *choice = &p->names[source->choice];
      bool mixed = p->names[source->place.name].mixed &&
                   p->names[source->place.name].kind == STOW_CHECK_CHOICE;
      changed |= add_origins(lists, source) || (mixed && !choice->mixed);
      choice->mixed |= mixed;
    }
  }
}

static void keep_origins(stow_check_program *p, stow_check_name *name, const origin_list *list) {
  name->first_origin = p->origin_count;
  name->origin_count = list->count;
  name->reached = list->count > 0;
  for (size_t i = 0; i < list->count; ++i) {
    p->origins = stow_grow(p->origins, p->origin_count, &p->origin_capacity, sizeof *p->origins);
    p->origins[p->origin_count++] = list->items[i];
    int32_t root = p->names[list->items[i].leaf].root;
    if (name->kind == STOW_CHECK_CHOICE)
      name->root = (i == 0 || name->root == root) && !name->mixed ? root : -1;
  }
}

// Faults through the origins that were left out are not found, so the answer cannot be yes.
static void refuse_too_many(stow_check_program *p, const origin_list *lists) {
  stow_text text = {0};
  stow_text_printf(&text, "was not checked as a whole: a value may be one of more than %d views",
                   MOST_ORIGINS);
  for (size_t n = 0; n < p->name_count; ++n)
    if (lists[n].cut_short) {
      stow_check_complain(
          p, p->function, text.data,
          &(stow_check_note){.value = p->names[n].value, .text = "this value is made here"}, 1);
      break;
    }
  free(text.data);
}

static void find_origins(stow_check_program *p) {
  origin_list *lists = stow_allocate(p->name_count, sizeof *lists);
  spread_origins(p, lists);
  refuse_too_many(p, lists);
  for (size_t n = 0; n < p->name_count; ++n) {
    keep_origins(p, &p->names[n], &lists[n]);
    free(lists[n].items);
  }
  free(lists);
}

static void find_touched_names(stow_check_program *p) {
  for (size_t a = 0; a < p->access_count; ++a)
    if (p->accesses[a].reads || p->accesses[a].writes)
      p->names[p->accesses[a].place.name].touched = true;
  for (size_t e = 0; e < p->escaped_count; ++e)
    p->names[p->escaped[e].name].touched = true;
  for (size_t s = 0; s < p->source_count; ++s) // as what control flow makes of it may be
    p->names[p->sources[s].place.name].touched = true;
}

static bool is_of_bytes(MlirType type) {
  MlirType element = mlirTypeIsAMemRef(type) ? mlirShapedTypeGetElementType(type) : type;
  return mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 8;
}

static bool is_byte_view(MlirValue value) {
  return mlirValueIsAOpResult(value) && stow_op_is(mlirOpResultGetOwner(value), "memref.view");
}

// What an arena holds is held by the views cut from it, one by one.
static void find_arenas(stow_check_program *p) {
  for (size_t n = 0; n < p->name_count; ++n)
    p->names[n].arena =
        p->names[n].kind == STOW_CHECK_ROOT ||
        (p->names[n].kind == STOW_CHECK_CARVE && is_of_bytes(mlirValueGetType(p->names[n].value)));
  for (size_t n = 0; n < p->name_count; ++n) {
    const stow_check_name *name = &p->names[n];
    if (name->kind == STOW_CHECK_CARVE && p->names[name->parent].kind == STOW_CHECK_CARVE)
      p->names[name->parent].arena &= is_byte_view(name->value);
  }
}

// Memory that is itself read, or written in part, is a buffer with parts, not an arena of buffers.
static void find_buffers(stow_check_program *p) {
  for (size_t a = 0; a < p->access_count; ++a) {
    const stow_check_access *access = &p->accesses[a];
    const stow_check_name *name = &p->names[access->place.name];
    for (size_t o = 0; o < name->origin_count && (access->reads || access->writes); ++o)
      p->names[p->origins[name->first_origin + o].leaf].data |= access->reads || !access->fills;
  }
  for (size_t n = 0; n < p->name_count; ++n) {
    stow_check_name *name = &p->names[n];
    int32_t above =
        name->kind == STOW_CHECK_CARVE ? p->names[name->parent].buffer : STOW_CHECK_NO_NAME;
    name->buffer = above != STOW_CHECK_NO_NAME && p->names[above].data ? above : (int32_t)n;
  }
}

//===----------------------------------------------------------------------===//
// Offsets that change
//===----------------------------------------------------------------------===//

// A leaf goes around a loop in which it was made: in the next iteration its offset is another.
static void mark_drifting(const stow_check_program *p, int32_t leaf, int32_t edge, bool *drifts) {
  for (int32_t l = p->names[leaf].loose; l != STOW_CHECK_NO_NAME;
       l = p->names[p->names[l].parent].loose)
    drifts[p->names[l].anchor] |= stow_check_made_in_loop_of(p, l, edge);
}

// Constants on top of an offset compare views as long as the offset is one number. Where a loop
// carries one of the views on, each of them counts from itself.
static void part_drifting_anchors(stow_check_program *p) {
  bool *drifts = stow_allocate(p->name_count, sizeof *drifts);
  for (size_t s = 0; s < p->source_count; ++s) {
    const stow_check_source *source = &p->sources[s];
    const stow_check_name *from = &p->names[source->place.name];
    for (size_t o = 0; o < from->origin_count && source->edge >= 0; ++o)
      mark_drifting(p, p->origins[from->first_origin + o].leaf, source->edge, drifts);
  }
  for (size_t n = 0; n < p->name_count; ++n) {
    stow_check_name *name = &p->names[n];
    if (name->kind == STOW_CHECK_CARVE && name->placed)
      name->anchor = p->names[name->parent].anchor;
    else if (name->kind == STOW_CHECK_CARVE && drifts[name->anchor])
      name->anchor = (int32_t)n;
  }
  free(drifts);
}

//===----------------------------------------------------------------------===//
// Deallocations at run time's choice
//===----------------------------------------------------------------------===//

static MlirBlock block_of(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOperationGetBlock(mlirOpResultGetOwner(value))
                                     : mlirBlockArgumentGetOwner(value);
}

// Whether an scf.if stands between `op` and where `value` is made.
static bool hangs_on_a_flag(MlirOperation op, MlirValue value) {
  MlirRegion home = mlirBlockGetParentRegion(block_of(value));
  for (MlirBlock block = mlirOperationGetBlock(op);
       !mlirRegionEqual(mlirBlockGetParentRegion(block), home); block = mlirOperationGetBlock(op)) {
    op = mlirBlockGetParentOperation(block);
    if (stow_op_is(op, "scf.if"))
      return true;
  }
  return false;
}

static bool may_be_whole_arena(const stow_check_program *p, const stow_check_name *name) {
  for (size_t o = 0; o < name->origin_count; ++o)
    if (p->names[p->origins[name->first_origin + o].leaf].kind == STOW_CHECK_ROOT)
      return true;
  return false;
}

// What is a view on one path and memory of its own on another is deallocated where a flag says that
// it is the latter: this is no deallocation of the arena.
static void drop_flagged_frees(stow_check_program *p) {
  for (size_t e = 0; e < p->event_count; ++e) {
    stow_check_event *event = &p->events[e];
    if (event->kind != STOW_CHECK_EVENT_FREE)
      continue;
    const stow_check_name *name = &p->names[p->accesses[event->first].place.name];
    if (name->kind == STOW_CHECK_CHOICE && !may_be_whole_arena(p, name) &&
        hangs_on_a_flag(p->ops[event->op], name->value))
      event->count = 0;
  }
}

void stow_check_names_close(stow_check_program *p) {
  for (size_t s = 0; s < p->source_count; ++s)
    read_source(p, &p->sources[s]);
  sort_sources(p);
  find_families(p);
  find_origins(p);
  part_drifting_anchors(p);
  find_touched_names(p);
  find_arenas(p);
  find_buffers(p);
  drop_flagged_frees(p);
}
