//===- places.c - what SSA values point at --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *place* is a name and the bytes of it that a value may reach. A subview, a cast and
// the like are places of their source's name. A memref.view is a name of its own: it
// lies in its parent at a constant offset, or somewhere in bytes that bound it. What is
// not an arena, nor cut from one, has no place.
//
//===----------------------------------------------------------------------===//

#include "check/fits.h"
#include "check/offsets.h"

#include "ir/kinds.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static const stow_check_place NOWHERE = {.name = STOW_CHECK_NO_NAME};

bool stow_check_is_followed(MlirType type) {
  return stow_is_buffer(type) || !stow_type_is_plain(type);
}

stow_check_place stow_check_place_of(const stow_check_program *program, MlirValue value) {
  int32_t index = stow_map_get(&program->place_of, value.ptr);
  return index < 0 ? NOWHERE : program->places[index];
}

void stow_check_place_set(stow_check_program *program, MlirValue value, stow_check_place place) {
  int32_t index = stow_map_get(&program->place_of, value.ptr);
  if (index >= 0) {
    program->places[index] = place;
    return;
  }
  program->places = stow_grow(program->places, program->place_count, &program->place_capacity,
                              sizeof *program->places);
  stow_map_add(&program->place_of, value.ptr, (int32_t)program->place_count);
  program->places[program->place_count++] = place;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

int32_t stow_check_name_add(stow_check_program *program, stow_check_name name) {
  program->names = stow_grow(program->names, program->name_count, &program->name_capacity,
                             sizeof *program->names);
  int32_t index = (int32_t)program->name_count++;
  name.position = program->position++;
  name.family = index;
  if (name.kind == STOW_CHECK_ROOT)
    name.root = name.anchor = index, name.loose = STOW_CHECK_NO_NAME;
  program->names[index] = name;
  bool sized = name.bytes.hi < STOW_CHECK_FAR;
  stow_check_place place = {.name = index, .bytes = name.bytes, .exact = true, .dense = sized};
  stow_check_place_set(program, name.value, place);
  return index;
}

int32_t stow_check_choice_add(stow_check_program *program, MlirValue value, int32_t node) {
  int32_t choice = stow_check_name_add(
      program, (stow_check_name){.kind = STOW_CHECK_CHOICE,
                                 .value = value,
                                 .bytes = stow_check_extent_of(program, mlirValueGetType(value)),
                                 .node = node,
                                 .root = -1,
                                 .parent = STOW_CHECK_NO_NAME,
                                 .anchor = STOW_CHECK_NO_NAME});
  stow_check_place *place = &program->places[stow_map_get(&program->place_of, value.ptr)];
  place->dense = stow_check_is_contiguous(mlirValueGetType(value));
  return choice;
}

void stow_check_source_add(stow_check_program *program, int32_t edge, MlirValue from,
                           MlirValue to) {
  program->sources = stow_grow(program->sources, program->source_count, &program->source_capacity,
                               sizeof *program->sources);
  program->sources[program->source_count++] = (stow_check_source){
      .choice = STOW_CHECK_NO_NAME, .edge = edge, .from = from, .to = to, .place = NOWHERE};
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

static bool is_bytes(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return false;
  MlirType element = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 8;
}

static bool cuts(MlirOperation op) {
  return stow_op_is(op, "memref.subview") || stow_op_is(op, "memref.reinterpret_cast") ||
         stow_op_is(op, "memref.extract_strided_metadata");
}

static bool is_neutral(MlirOperation op) {
  return stow_op_is(op, "memref.dealloc") || stow_op_is(op, "memref.cast") ||
         stow_op_is(op, "memref.assume_alignment") || stow_op_is(op, "memref.dim");
}

static bool is_viewed(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (stow_op_is(mlirOpOperandGetOwner(use), "memref.view"))
      return true;
  return false;
}

// Memory of i8 is an arena where memref.view cuts from it or from what is cut from it, or where
// nothing but several cuts use it: bytes that are themselves data have other uses.
static bool is_arena(MlirValue value) {
  size_t cut_count = 0;
  bool others = false;
  if (!is_bytes(mlirValueGetType(value)))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (stow_op_is(op, "memref.view"))
      return true;
    if (mlirOperationGetNumResults(op) > 0 && (cuts(op) || is_neutral(op)) &&
        is_viewed(mlirOperationGetResult(op, 0)))
      return true;
    cut_count += cuts(op);
    others |= !cuts(op) && !is_neutral(op);
  }
  return cut_count > 1 && !others && mlirShapedTypeGetRank(mlirValueGetType(value)) == 1;
}

static MlirAttribute global_of(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return mlirAttributeGetNull();
  MlirOperation op = mlirOpResultGetOwner(value);
  return stow_op_is(op, "memref.get_global")
             ? mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("name"))
             : mlirAttributeGetNull();
}

// The root that stands for the same global, if one was seen before.
static int32_t root_of_global(const stow_check_program *program, MlirAttribute global) {
  for (size_t i = 0; i < program->name_count && !mlirAttributeIsNull(global); ++i)
    if (program->names[i].kind == STOW_CHECK_ROOT &&
        mlirAttributeEqual(global_of(program->names[i].value), global))
      return (int32_t)i;
  return STOW_CHECK_NO_NAME;
}

void stow_check_root_find(stow_check_program *program, MlirValue value) {
  if (!is_arena(value))
    return;
  int32_t known = root_of_global(program, global_of(value));
  stow_check_bytes bytes = stow_check_extent_of(program, mlirValueGetType(value));
  if (known != STOW_CHECK_NO_NAME) {
    stow_check_place_set(program, value, (stow_check_place){known, bytes, true, true});
    return;
  }
  stow_check_name_add(program, (stow_check_name){.kind = STOW_CHECK_ROOT,
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
static int32_t anchor_of(stow_check_program *program, int32_t carve, MlirValue base) {
  if (mlirValueIsNull(base))
    return carve;
  int32_t first = stow_map_get(&program->anchor_at, base.ptr);
  if (first < 0)
    stow_map_add(&program->anchor_at, base.ptr, carve);
  return first >= 0 && program->names[first].parent == program->names[carve].parent ? first : carve;
}

static void carve(stow_check_program *program, MlirOperation op, stow_check_place from,
                  MlirValue base, int64_t offset, bool known) {
  MlirValue result = mlirOperationGetResult(op, 0);
  const stow_check_name parent = program->names[from.name];
  stow_check_name name = {.kind = STOW_CHECK_CARVE,
                          .value = result,
                          .bytes = stow_check_extent_of(program, mlirValueGetType(result)),
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
  if (name.bytes.hi >= STOW_CHECK_FAR) // it ends where its parent does
    name.bytes.hi = parent.bytes.hi - (name.placed ? name.start : 0);
  if (!name.placed && program->options->dynamic_offsets == STOW_DYNAMIC_OFFSETS_IGNORE)
    return;
  int32_t index = stow_check_name_add(program, name);
  if (!name.placed) {
    program->names[index].loose = index;
    program->names[index].anchor = anchor_of(program, index, base);
    program->names[index].address = mlirValueIsNull(base) ? 0 : offset;
  }
  stow_check_place *place = &program->places[stow_map_get(&program->place_of, result.ptr)];
  place->dense = stow_check_is_contiguous(mlirValueGetType(result));
  stow_check_fits_carve(program, op, index);
  stow_check_define_add(program, index);
}

// A carve at an offset that is not known, but bounded, lies in less than all of what it is cut
// from.
static void narrow(stow_check_program *program, MlirOperation op, stow_check_place from) {
  int32_t carve = stow_check_place_of(program, mlirOperationGetResult(op, 0)).name;
  stow_check_range range;
  if (carve == STOW_CHECK_NO_NAME || program->names[carve].placed || !from.exact ||
      !stow_check_offset_range(mlirOperationGetOperand(op, 1), &range))
    return;
  stow_check_name *name = &program->names[carve];
  stow_check_bytes bytes = {from.bytes.lo + range.least,
                            from.bytes.lo + range.most + name->bytes.hi};
  bytes = stow_check_bytes_meet(bytes, name->within);
  if (!stow_check_bytes_empty(bytes))
    name->within = bytes;
}

static void follow_view(stow_check_program *program, MlirOperation op, stow_check_place from) {
  int64_t offset = 0;
  MlirValue base = stow_check_offset_split(mlirOperationGetOperand(op, 1), &offset);
  if (program->names[from.name].kind == STOW_CHECK_CHOICE) {
    from.exact = from.dense = false;
    stow_check_place_set(program, mlirOperationGetResult(op, 0), from);
    return;
  }
  carve(program, op, from, base, offset, mlirValueIsNull(base));
  narrow(program, op, from);
}

// The start of `op`'s result from that of its source, in bytes, as far as their types tell.
static bool start_from_types(stow_check_program *program, MlirOperation op, int64_t *out) {
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirType to = mlirValueGetType(mlirOperationGetResult(op, 0));
  int64_t before, after, element = stow_check_element_size(program, to);
  if (!stow_check_type_offset(from, &before) || !stow_check_type_offset(to, &after) || element == 0)
    return false;
  *out = (after - before) * element;
  return true;
}

static bool is_raw_root(const stow_check_program *program, stow_check_place place) {
  return program->names[place.name].kind == STOW_CHECK_ROOT;
}

// subview and reinterpret_cast: of an arena a cut of its own, of anything else the same name.
static void follow_cut(stow_check_program *program, MlirOperation op, stow_check_place from) {
  MlirValue result = mlirOperationGetResult(op, 0);
  int64_t start = 0;
  bool known = start_from_types(program, op, &start);
  if (is_raw_root(program, from)) {
    carve(program, op, from, (MlirValue){NULL}, start, known);
    return;
  }
  stow_check_bytes extent = stow_check_extent_of(program, mlirValueGetType(result));
  stow_check_place place = {.name = from.name, .bytes = from.bytes};
  if (known && from.exact && extent.hi < STOW_CHECK_FAR) {
    place.bytes = stow_check_bytes_shift(extent, from.bytes.lo + start);
    place.exact = true;
    place.dense = stow_check_is_contiguous(mlirValueGetType(result));
  }
  stow_check_place_set(program, result, place);
}

// The base buffer is where the offsets of the source's type count from.
static void follow_metadata(stow_check_program *program, MlirOperation op, stow_check_place from) {
  int64_t offset, element;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  element = stow_check_element_size(program, type);
  stow_check_place place = {.name = from.name, .bytes = program->names[from.name].bytes};
  if (from.exact && element > 0 && stow_check_type_offset(type, &offset)) {
    place.bytes.lo = from.bytes.lo - offset * element;
    place.exact = true;
  }
  stow_check_place_set(program, mlirOperationGetResult(op, 0), place);
}

static bool keeps_bytes(MlirOperation op) {
  static const char *const names[] = {"memref.cast",
                                      "memref.expand_shape",
                                      "memref.collapse_shape",
                                      "memref.transpose",
                                      "memref.memory_space_cast",
                                      "memref.assume_alignment",
                                      "memref.reshape",
                                      "memref.distinct_objects",
                                      "bufferization.to_buffer",
                                      "bufferization.to_tensor"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (stow_op_is(op, names[i]))
      return true;
  return false;
}

bool stow_check_view_follow(stow_check_program *program, MlirOperation op) {
  bool view = stow_op_is(op, "memref.view"), metadata = false;
  bool cut = stow_op_is(op, "memref.subview") || stow_op_is(op, "memref.reinterpret_cast");
  if (!view && !cut)
    metadata = stow_op_is(op, "memref.extract_strided_metadata");
  if (!view && !cut && !metadata && !keeps_bytes(op))
    return false;
  stow_check_place from = stow_check_place_of(program, mlirOperationGetOperand(op, 0));
  if (from.name == STOW_CHECK_NO_NAME)
    return true;
  if (view)
    follow_view(program, op, from);
  else if (cut)
    follow_cut(program, op, from);
  else if (metadata)
    follow_metadata(program, op, from);
  else
    for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
      stow_check_place_set(program, mlirOperationGetResult(op, i),
                           stow_check_place_of(program, mlirOperationGetOperand(op, i)));
  if (stow_op_is(op, "memref.assume_alignment"))
    stow_check_fits_promise(program, op, from);
  return true;
}
