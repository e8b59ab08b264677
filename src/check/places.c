//===- places.c - what SSA values point at --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *place* is a name and the bytes of it that a value may reach. Subviews, casts and the like
// are places in the name of their source. The result of memref.view is a name of its own, cut
// from its parent at a constant offset, or at an unknown one within known bounds. What is not an
// arena, nor cut from one, has no place.
//
//===----------------------------------------------------------------------===//

#include "check/limits.h"
#include "check/op.h"
#include "check/steps.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

int32_t stow_check_choice_add(stow_check_program *p, MlirValue value, int32_t node) {
  int32_t choice = stow_check_name_add(
      p, (stow_check_name){.kind = STOW_CHECK_CHOICE,
                           .value = value,
                           .bytes = stow_check_extent_of(p, mlirValueGetType(value)),
                           .node = node,
                           .root = -1,
                           .parent = STOW_CHECK_NO_NAME,
                           .anchor = STOW_CHECK_NO_NAME,
                           .loose = STOW_CHECK_NO_NAME});
  stow_check_place *place = &p->places.at[stow_map_get(&p->place_of, value.ptr)];
  place->dense = stow_check_is_contiguous(mlirValueGetType(value));
  return choice;
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

// A number that a neutral op makes may be the offset or a size of a view.
static bool is_viewed(MlirValue value) {
  STOW_EACH_USE(use, value)
    if (mlirOpOperandGetOperandNumber(use) == 0 &&
        stow_check_kinds(mlirOpOperandGetOwner(use)) & STOW_CHECK_VIEWS)
      return true;
  return false;
}

static bool is_select(MlirOperation op) { return stow_ir_op_is(op, "arith.select"); }

typedef struct given {
  MlirOperation by; // null: the op with regions itself
  intptr_t operand;
  STOW_ARRAY(MlirValue) values; // that may be it
} given;

static void note_given(void *user, const stow_control_edge *edge) {
  given *g = user;
  for (size_t i = 0; i < edge->count; ++i)
    if (edge->passes[i].operand == g->operand && g->by.ptr == edge->end.ptr)
      STOW_PUSH(g->values, edge->passes[i].target);
}

// What control, a choice or another name makes of an operand.
static void follow_use(given *g, MlirOperation op, intptr_t operand) {
  const uint32_t facts = stow_op_facts(op);
  const MlirOperation none = {NULL}, around = mlirOperationGetParentOperation(op);
  g->operand = operand;
  g->by = op;
  if (is_select(op) || stow_check_kinds(op) & STOW_CHECK_RENAMES)
    STOW_PUSH(g->values, mlirOperationGetResult(op, 0));
  if (facts & STOW_OP_BRANCH)
    stow_bridge_branch_edges(op, note_given, g);
  if (facts & STOW_OP_REGION_TERMINATOR && stow_op_facts(around) & STOW_OP_REGION_BRANCH)
    stow_bridge_region_edges(around, note_given, g);
  g->by = none;
  if (facts & STOW_OP_REGION_BRANCH)
    stow_bridge_region_edges(op, note_given, g);
}

// Whether memref.view cuts from what may be the value.
static bool is_chosen_and_viewed(MlirValue value) {
  given g = {0};
  stow_map seen = {0};
  bool viewed = false;
  STOW_PUSH(g.values, value);
  for (size_t i = 0; i < g.values.count && i < STOW_CHECK_MOST_CUT && !viewed; ++i) {
    const MlirValue chosen = g.values.at[i];
    viewed = is_viewed(chosen);
    if (stow_map_note(&seen, chosen.ptr))
      STOW_EACH_USE(use, chosen)
        follow_use(&g, mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use));
  }
  stow_map_free(&seen);
  free(g.values.at);
  return viewed;
}

// Memory of i8 is an arena where memref.view cuts from it, from what is cut from it, or from what
// is chosen of it and others, or where nothing but several cuts use it: bytes that are themselves
// data have other uses.
bool stow_check_is_arena(MlirValue value) {
  size_t cut_count = 0;
  bool others = false;
  if (!stow_check_is_bytes(mlirValueGetType(value)))
    return false;
  STOW_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    uint32_t kinds = stow_check_kinds(op);
    bool cuts = kinds & (STOW_CHECK_CUTS | STOW_CHECK_UNCUTS);
    bool passes = cuts || kinds & STOW_CHECK_NEUTRAL;
    if (kinds & STOW_CHECK_VIEWS ||
        (passes && mlirOperationGetNumResults(op) > 0 && is_viewed(mlirOperationGetResult(op, 0))))
      return true;
    cut_count += cuts;
    others |= !passes;
  }
  return (cut_count > 1 && !others && mlirShapedTypeGetRank(mlirValueGetType(value)) == 1) ||
         is_chosen_and_viewed(value);
}

MlirAttribute stow_check_global_of(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return mlirAttributeGetNull();
  MlirOperation op = mlirOpResultGetOwner(value);
  return stow_check_kinds(op) & STOW_CHECK_GLOBAL ? stow_attribute_of(op, "name")
                                                  : mlirAttributeGetNull();
}

// The kernel whose dynamic shared memory a value is: all such ops of one kernel give the same.
static MlirOperation sharer_of(const stow_check_program *p, MlirValue value) {
  if (!mlirValueIsAOpResult(value) ||
      !stow_ir_op_is(mlirOpResultGetOwner(value), "gpu.dynamic_shared_memory"))
    return (MlirOperation){NULL};
  return stow_check_kernel_of(mlirOpResultGetOwner(value), p->function);
}

static bool is_same_memory(const stow_check_program *p, MlirValue value, MlirValue other) {
  const MlirAttribute global = stow_check_global_of(value);
  const MlirOperation sharer = sharer_of(p, value);
  return (!mlirAttributeIsNull(global) &&
          mlirAttributeEqual(global, stow_check_global_of(other))) ||
         (!mlirOperationIsNull(sharer) && mlirOperationEqual(sharer, sharer_of(p, other)));
}

// The root that stands for the same memory, if one was seen before.
static int32_t root_of_same(const stow_check_program *p, MlirValue value) {
  if (mlirAttributeIsNull(stow_check_global_of(value)) && mlirOperationIsNull(sharer_of(p, value)))
    return STOW_CHECK_NO_NAME;
  for (size_t i = 0; i < p->names.count; ++i)
    if (p->names.at[i].kind == STOW_CHECK_ROOT && is_same_memory(p, value, p->names.at[i].value))
      return (int32_t)i;
  return STOW_CHECK_NO_NAME;
}

// Its size is what the op that makes it is given; that of an argument may be anything.
static bool made_here(MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         stow_check_kinds(mlirOpResultGetOwner(value)) & STOW_CHECK_MAKES;
}

void stow_check_root_find(stow_check_program *p, MlirValue value) {
  if (!stow_check_is_arena(value))
    return;
  int32_t known = root_of_same(p, value);
  const int64_t lent = stow_check_lent(p, value, STOW_CHECK_ASKED_BYTES);
  const stow_check_bytes bytes = lent >= 0 ? (stow_check_bytes){0, lent}
                                 : made_here(value)
                                     ? stow_check_extent_of_value(p, value, (MlirValue){NULL})
                                     : stow_check_extent_of(p, mlirValueGetType(value));
  if (known != STOW_CHECK_NO_NAME) {
    stow_check_place_set(p, value, (stow_check_place){known, bytes, true, true});
    return;
  }
  stow_check_name_add(p, (stow_check_name){.kind = STOW_CHECK_ROOT,
                                           .value = value,
                                           .bytes = bytes,
                                           .node = -1,
                                           .parent = STOW_CHECK_NO_NAME,
                                           .placed = true,
                                           .reached = true});
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

// What constant offsets count from when `base` bytes, an SSA value, lie in front of them. Carves
// with the same base and the same parent can be compared.
static int32_t anchor_of(stow_check_program *p, int32_t carve, MlirValue base) {
  if (mlirValueIsNull(base))
    return carve;
  int32_t first = stow_map_get(&p->anchor_at, base.ptr);
  if (first < 0)
    stow_map_add(&p->anchor_at, base.ptr, carve);
  return first >= 0 && p->names.at[first].parent == p->names.at[carve].parent ? first : carve;
}

static void carve(stow_check_program *p, MlirOperation op, stow_check_place from, MlirValue base,
                  int64_t offset, bool known) {
  MlirValue result = mlirOperationGetResult(op, 0);
  const stow_check_name parent = p->names.at[from.name];
  stow_check_name name = {.kind = STOW_CHECK_CARVE,
                          .value = result,
                          .bytes = stow_check_extent_of_value(p, result, parent.value),
                          .node = -1,
                          .root = parent.root,
                          .reached = true,
                          .parent = from.name,
                          .anchor = parent.anchor,
                          .placed = known && from.exact,
                          .start = from.bytes.lo + offset,
                          .loose = parent.loose,
                          .within = from.bytes};
  name.address = parent.address + name.start;
  const bool bounded = name.bytes.hi < STOW_CHECK_FAR;
  if (!bounded) // it ends where its parent does
    name.bytes.hi = parent.bytes.hi - (name.placed ? name.start : 0);
  if (!(name.placed && bounded) && p->options->dynamic_offsets == STOW_DYNAMIC_OFFSETS_IGNORE)
    return;
  int32_t index = stow_check_name_add(p, name);
  if (!name.placed) {
    p->names.at[index].loose = index;
    p->names.at[index].anchor = anchor_of(p, index, base);
    p->names.at[index].address = mlirValueIsNull(base) ? 0 : offset;
  }
  stow_check_place *place = &p->places.at[stow_map_get(&p->place_of, result.ptr)];
  place->dense = stow_check_is_contiguous(mlirValueGetType(result)) ||
                 (bounded && p->numbers && stow_check_kinds(op) & STOW_CHECK_VIEWS);
  stow_check_fits_carve(p, op, index);
  stow_check_define_add(p, index);
}

// A carve at an offset that is not known, but bounded, lies in less than all of what it is cut
// from.
static void narrow(stow_check_program *p, MlirOperation op, stow_check_place from) {
  int32_t carve = stow_check_place_of(p, mlirOperationGetResult(op, 0)).name;
  stow_check_range range;
  if (carve == STOW_CHECK_NO_NAME || p->names.at[carve].placed || !from.exact ||
      !stow_check_offset_range(mlirOperationGetOperand(op, 1), &range))
    return;
  stow_check_name *name = &p->names.at[carve];
  stow_check_bytes bytes = {from.bytes.lo + range.least,
                            from.bytes.lo + range.most + name->bytes.hi};
  bytes = stow_check_bytes_meet(bytes, name->within);
  if (!stow_check_bytes_empty(bytes))
    name->within = bytes;
}

// Whether the sample makes the view so large, or of so many elements below zero, that the op does
// not run.
static bool does_not_run(const stow_check_program *p, MlirOperation op) {
  const MlirValue result = mlirOperationGetResult(op, 0), none = {NULL};
  return p->numbers && stow_check_extent_of_value(p, result, none).hi >= STOW_CHECK_FAR;
}

void stow_check_remark_chosen(const stow_check_program *p, MlirOperation view) {
  if (p->numbers && p->numbers->sample > 0)
    return;
  stow_remark_emit(
      &(stow_remark){.kind = STOW_REMARK_MISSED,
                     .location = mlirOperationGetLocation(view),
                     .category = "check-arena-plan",
                     .name = "chosen-arena",
                     .function = stow_bridge_function_name(p->function),
                     .text = "not compared with the other views of the arena",
                     .reason = "control flow chooses one of several arenas for it, of which one "
                               "or the offset is not known",
                     .suggestion = "make a view of each arena, and choose between the views"});
}

// A view at a known offset is a choice, too: of the same bytes of each of the arenas (cuts.c).
static void cut_choice(stow_check_program *p, MlirOperation op, stow_check_place from,
                       int64_t start) {
  const MlirValue result = mlirOperationGetResult(op, 0);
  const int32_t cut = stow_check_choice_add(p, result, p->names.at[from.name].node);
  p->names.at[cut].parent = from.name;
  p->names.at[cut].start = start;
  stow_check_define_add(p, cut);
}

// A view at an offset that is not known has the name of the choice that it is cut from. Of several
// arenas of dynamic size that an op selects views are different buffers, of which that name does
// not tell who overwrites whom.
static void follow_view_of_choice(stow_check_program *p, MlirOperation op, stow_check_place from,
                                  int64_t offset, bool known) {
  const MlirValue choice = p->names.at[from.name].value;
  const bool selected = mlirValueIsAOpResult(choice) && is_select(mlirOpResultGetOwner(choice)) &&
                        !mlirShapedTypeHasStaticShape(mlirValueGetType(choice));
  if (selected && p->options->dynamic_offsets == STOW_DYNAMIC_OFFSETS_IGNORE)
    return;
  if (selected)
    stow_check_complain(p, op, &(stow_check_note){.value = choice, .text = "it is selected here"},
                        1, "a view of one of several arenas, of which it is not known which%s",
                        p->numbers ? "" : "; samples=64 checks at concrete sizes");
  const MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (!selected && known && from.exact && stow_check_extent_of(p, type).hi < STOW_CHECK_FAR) {
    cut_choice(p, op, from, from.bytes.lo + offset);
    return;
  }
  if (!selected && stow_check_is_bytes(mlirValueGetType(mlirOperationGetOperand(op, 0))))
    stow_check_remark_chosen(p, op);
  from.exact = from.dense = false;
  stow_check_place_set(p, mlirOperationGetResult(op, 0), from);
}

static void follow_view(stow_check_program *p, MlirOperation op, stow_check_place from) {
  int64_t offset = 0;
  if (does_not_run(p, op) ||
      (p->numbers && stow_check_is_skipped(p->numbers, op, p->names.at[from.name].value)))
    return;
  MlirValue base = stow_check_offset_split(mlirOperationGetOperand(op, 1), &offset);
  if (p->numbers && stow_check_number_of(p->numbers, mlirOperationGetOperand(op, 1),
                                         p->names.at[from.name].value, &offset))
    base = (MlirValue){NULL};
  if (p->names.at[from.name].kind == STOW_CHECK_CHOICE) {
    follow_view_of_choice(p, op, from, offset, mlirValueIsNull(base));
    return;
  }
  carve(p, op, from, base, offset, mlirValueIsNull(base));
  narrow(p, op, from);
}

// The start of `op`'s result from that of its source, in bytes, as far as their types tell.
static bool start_from_types(stow_check_program *p, MlirOperation op, int64_t *out) {
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirType to = mlirValueGetType(mlirOperationGetResult(op, 0));
  int64_t before, after, element = stow_check_element_size(p, to);
  if (!stow_check_type_offset(from, &before) || !stow_check_type_offset(to, &after) || element == 0)
    return false;
  *out = (after - before) * element;
  return true;
}

static bool is_raw_root(const stow_check_program *p, stow_check_place place) {
  return p->names.at[place.name].kind == STOW_CHECK_ROOT;
}

// subview and reinterpret_cast: of an arena a cut of its own, of anything else the same name.
static void follow_cut(stow_check_program *p, MlirOperation op, stow_check_place from) {
  MlirValue result = mlirOperationGetResult(op, 0);
  int64_t start = 0;
  bool known = start_from_types(p, op, &start);
  if (is_raw_root(p, from)) {
    carve(p, op, from, (MlirValue){NULL}, start, known);
    return;
  }
  stow_check_bytes extent = stow_check_extent_of(p, mlirValueGetType(result));
  stow_check_place place = {.name = from.name, .bytes = from.bytes};
  if (known && from.exact && extent.hi < STOW_CHECK_FAR) {
    place.bytes = stow_check_bytes_shift(extent, stow_check_sum(from.bytes.lo, start));
    place.exact = true;
    place.dense = stow_check_is_contiguous(mlirValueGetType(result));
  }
  stow_check_place_set(p, result, place);
}

// The base buffer is where the offsets of the source's type count from.
static void follow_metadata(stow_check_program *p, MlirOperation op, stow_check_place from) {
  int64_t offset, element;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  element = stow_check_element_size(p, type);
  stow_check_place place = {.name = from.name, .bytes = p->names.at[from.name].bytes};
  if (from.exact && element > 0 && stow_check_type_offset(type, &offset)) {
    place.bytes.lo = from.bytes.lo - offset * element;
    place.exact = true;
  }
  stow_check_place_set(p, mlirOperationGetResult(op, 0), place);
}

static void follow_renaming(stow_check_program *p, MlirOperation op, stow_check_place from) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    stow_check_place_set(p, mlirOperationGetResult(op, i), stow_check_place_of_operand(p, op, i));
  if (stow_check_kinds(op) & STOW_CHECK_PROMISES)
    stow_check_fits_promise(p, op, from);
}

// Of two memories that one which the sample makes an op choose, where that is known no later than
// both. False where it is not: the result may be either.
static bool follow_choice(stow_check_program *p, MlirOperation op) {
  if (!p->numbers || !is_select(op))
    return false;
  int64_t bit, same;
  for (intptr_t i = 1; i <= 2; ++i) {
    const stow_check_place place = stow_check_place_of_operand(p, op, i);
    if (place.name == STOW_CHECK_NO_NAME ||
        !stow_check_number_of(p->numbers, mlirOperationGetOperand(op, 0),
                              p->names.at[place.name].value, i == 1 ? &bit : &same))
      return false;
  }
  stow_check_place_set(p, mlirOperationGetResult(op, 0),
                       stow_check_place_of_operand(p, op, bit ? 1 : 2));
  return true;
}

bool stow_check_view_follow(stow_check_program *p, MlirOperation op) {
  const uint32_t naming = STOW_CHECK_VIEWS | STOW_CHECK_CUTS | STOW_CHECK_UNCUTS |
                          STOW_CHECK_RENAMES | STOW_CHECK_PARTS;
  uint32_t kinds = stow_check_kinds(op);
  if (!(kinds & naming))
    return follow_choice(p, op);
  stow_check_place from = stow_check_place_of_operand(p, op, 0);
  if (from.name == STOW_CHECK_NO_NAME)
    return true;
  if (kinds & STOW_CHECK_VIEWS)
    follow_view(p, op, from);
  else if (kinds & STOW_CHECK_CUTS)
    follow_cut(p, op, from);
  else if (kinds & STOW_CHECK_UNCUTS)
    follow_metadata(p, op, from);
  else if (kinds & STOW_CHECK_PARTS)
    stow_check_place_set(p, mlirOperationGetResult(op, 0),
                         (stow_check_place){.name = from.name, .bytes = from.bytes});
  else
    follow_renaming(p, op, from);
  return true;
}
