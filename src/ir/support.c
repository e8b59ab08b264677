//===- support.c - growing arrays, a pointer map, text --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/support.h"

#include "bridge/bridge.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *stow_ir_allocate(size_t count, size_t item_size) {
  void *block = calloc(count ? count : 1, item_size);
  if (!block)
    stow_bridge_out_of_memory();
  return block;
}

static void *resize(void *items, size_t count, size_t item_size) {
  size_t bytes;
  void *moved = __builtin_mul_overflow(count, item_size, &bytes) ? NULL : realloc(items, bytes);
  if (!moved)
    stow_bridge_out_of_memory();
  return moved;
}

int stow_ir_by_number(const void *a, const void *b) {
  return STOW_COMPARE(*(const int64_t *)a, *(const int64_t *)b);
}

size_t stow_ir_first_from(stow_column column, int64_t key) {
  assert(column.size == sizeof(int32_t) || column.size == sizeof(int64_t));
  size_t low = 0, high = column.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (stow_ir_number_at(&column, middle) < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void stow_ir_take_options(void *out, const void *options, size_t size) {
  size_t given;
  memset(out, 0, size);
  if (!options)
    return;
  memcpy(&given, options, sizeof given);
  memcpy(out, options, given == 0 || given > size ? size : given);
}

void *stow_ir_grow(void *items, size_t count, size_t *capacity, size_t item_size) {
  if (count < *capacity)
    return items;
  *capacity = *capacity ? *capacity * 2 : 16;
  return resize(items, *capacity, item_size);
}

void *stow_ir_reserve(void *items, size_t count, size_t *capacity, size_t item_size) {
  if (count <= *capacity)
    return items;
  *capacity = count;
  return resize(items, count, item_size);
}

//===----------------------------------------------------------------------===//
// A map from addresses to numbers
//===----------------------------------------------------------------------===//

static size_t slot_of(const stow_map *map, const void *key) {
  uint64_t hash = (uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u;
  size_t slot = (size_t)(hash >> 20) & (map->capacity - 1);
  while (map->keys[slot] && map->keys[slot] != key)
    slot = (slot + 1) & (map->capacity - 1);
  return slot;
}

int32_t stow_map_get(const stow_map *map, const void *key) {
  if (map->capacity == 0)
    return -1;
  size_t slot = slot_of(map, key);
  return map->keys[slot] ? map->values[slot] : -1;
}

static void rehash(stow_map *map) {
  stow_map larger = {.count = map->count, .capacity = map->capacity ? map->capacity * 2 : 64};
  larger.keys = stow_ir_allocate(larger.capacity, sizeof *larger.keys);
  larger.values = stow_ir_allocate(larger.capacity, sizeof *larger.values);
  for (size_t i = 0; i < map->capacity; ++i) {
    if (!map->keys[i])
      continue;
    size_t slot = slot_of(&larger, map->keys[i]);
    larger.keys[slot] = map->keys[i];
    larger.values[slot] = map->values[i];
  }
  stow_map_free(map);
  *map = larger;
}

void stow_map_add(stow_map *map, const void *key, int32_t value) {
  if (2 * map->count >= map->capacity)
    rehash(map);
  size_t slot = slot_of(map, key);
  map->keys[slot] = key;
  map->values[slot] = value;
  ++map->count;
}

bool stow_map_note(stow_map *map, const void *key) {
  const bool is_new = stow_map_get(map, key) < 0;
  if (is_new)
    stow_map_add(map, key, 0);
  return is_new;
}

void stow_map_free(stow_map *map) {
  free(map->keys);
  free(map->values);
  *map = (stow_map){0};
}

//===----------------------------------------------------------------------===//
// Sets in the order in which their items came
//===----------------------------------------------------------------------===//

int32_t stow_values_find(const stow_values *values, MlirValue value) {
  return stow_map_get(&values->index, value.ptr);
}

void stow_values_append(stow_values *values, MlirValue value) {
  const size_t place = STOW_PUSH(*values, value);
  if (stow_values_find(values, value) < 0)
    stow_map_add(&values->index, value.ptr, (int32_t)place);
}

void stow_values_append_operands(stow_values *values, MlirOperation op, intptr_t first) {
  for (intptr_t i = first, n = mlirOperationGetNumOperands(op); i < n; ++i)
    stow_values_append(values, mlirOperationGetOperand(op, i));
}

size_t stow_values_add(stow_values *values, MlirValue value) {
  int32_t known = stow_values_find(values, value);
  if (known >= 0)
    return (size_t)known;
  stow_values_append(values, value);
  return values->count - 1;
}

void stow_values_free(stow_values *values) {
  free(values->at);
  stow_map_free(&values->index);
  *values = (stow_values){0};
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void stow_text_append(stow_text *text, const char *data, size_t size) {
  if (text->size + size + 1 > text->capacity) {
    text->capacity = 2 * (text->size + size + 1);
    text->data = resize(text->data, text->capacity, 1);
  }
  memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = '\0';
}

static char *format_all(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
  va_end(again);
  char *string = stow_ir_allocate(size, 1);
  vsnprintf(string, size, format, arguments);
  return string;
}

void stow_text_printf(stow_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *string = format_all(format, arguments);
  va_end(arguments);
  stow_text_append(text, string, strlen(string));
  free(string);
}

void stow_text_fill(stow_text *text, const char *sentence, const char *name) {
  const char *place = strstr(sentence, "%s");
  if (place)
    stow_text_printf(text, "%.*s%s%s", (int)(place - sentence), sentence, name, place + 2);
  else
    stow_text_printf(text, "%s", sentence);
}

char *stow_ir_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *string = format_all(format, arguments);
  va_end(arguments);
  return string;
}

char *stow_ir_copy_string(MlirStringRef string) {
  return stow_ir_format("%.*s", (int)string.length, string.data);
}

bool stow_ir_refuse(MlirLocation location, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *string = format_all(format, arguments);
  va_end(arguments);
  stow_bridge_error(location, string, NULL, 0);
  free(string);
  return false;
}

char *stow_text_take(stow_text *text) {
  stow_text_append(text, "", 0);
  char *data = text->data;
  *text = (stow_text){0};
  return data;
}

bool stow_text_write(const stow_text *text, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  bool written = fwrite(text->data, 1, text->size, file) == text->size;
  int reason = errno;
  if (fclose(file) != 0 && written) {
    written = false;
    reason = errno;
  }
  if (!written && (file = fopen(path, "wb")))
    fclose(file);
  errno = reason;
  return written;
}

void stow_text_collect(void *text, const char *data, size_t size) {
  stow_text_append(text, data, size);
}

void stow_text_callback(MlirStringRef piece, void *text) {
  stow_text_append(text, piece.data, piece.length);
}

// Peels one layer off a location that wraps others; false for a file position and for unknown ones.
static bool peel(MlirLocation *location) {
  if (mlirLocationIsAName(*location))
    *location = mlirLocationNameGetChildLoc(*location);
  else if (mlirLocationIsACallSite(*location))
    *location = mlirLocationCallSiteGetCallee(*location);
  else if (mlirLocationIsAFused(*location) && mlirLocationFusedGetNumLocations(*location) > 0) {
    unsigned count = mlirLocationFusedGetNumLocations(*location);
    MlirLocation *parts = stow_ir_allocate(count, sizeof *parts);
    mlirLocationFusedGetLocations(*location, parts);
    *location = parts[0];
    free(parts);
  } else
    return false;
  return true;
}

char *stow_ir_location_text(MlirLocation location) {
  while (peel(&location))
    ;
  if (!mlirLocationIsAFileLineColRange(location))
    return stow_ir_format("%s", "");
  MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
  return stow_ir_format("%.*s:%d:%d", (int)file.length, file.data,
                        mlirLocationFileLineColRangeGetStartLine(location),
                        mlirLocationFileLineColRangeGetStartColumn(location));
}

char *stow_ir_location_name(MlirLocation location) {
  while (!mlirLocationIsAName(location) && peel(&location))
    ;
  return mlirLocationIsAName(location)
             ? stow_ir_copy_string(mlirIdentifierStr(mlirLocationNameGetName(location)))
             : stow_ir_format("%s", "");
}

char *stow_ir_type_text(MlirType type) {
  stow_text text = {0};
  mlirTypePrint(type, stow_text_callback, &text);
  return stow_text_take(&text);
}

char *stow_attribute_text(MlirAttribute attribute) {
  stow_text text = {0};
  mlirAttributePrint(attribute, stow_text_callback, &text);
  return stow_text_take(&text);
}

bool stow_ir_is_workgroup_space(MlirAttribute space) {
  static const char *const names[] = {"#gpu.address_space<workgroup>",
                                      "#spirv.storage_class<Workgroup>"};
  enum { NUMBER = 3 }; // in NVVM, ROCDL and SPIR-V
  if (mlirAttributeIsNull(space))
    return false;
  if (mlirAttributeIsAInteger(space))
    return mlirIntegerAttrGetValueInt(space) == NUMBER;
  char *text = stow_attribute_text(space);
  bool found = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    found |= strcmp(text, names[i]) == 0;
  free(text);
  return found;
}

MlirStringRef stow_ir_op_name(MlirOperation op) {
  return mlirIdentifierStr(mlirOperationGetName(op));
}

bool stow_ir_is_bit(MlirValue value) {
  const MlirType type = mlirValueGetType(value);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

bool stow_ir_has_operand(MlirOperation op, MlirValue value) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), value))
      return true;
  return false;
}

MlirAttribute stow_ir_memory_space(MlirType type) {
  return mlirTypeIsAMemRef(type) ? mlirMemRefTypeGetMemorySpace(type)
                                 : mlirUnrankedMemrefGetMemorySpace(type);
}

bool stow_ir_in_one_space(MlirValue a, MlirValue b) {
  return mlirAttributeEqual(stow_ir_memory_space(mlirValueGetType(a)),
                            stow_ir_memory_space(mlirValueGetType(b)));
}

bool stow_ir_op_has_prefix(MlirOperation op, const char *prefix) {
  MlirStringRef name = stow_ir_op_name(op);
  size_t length = strlen(prefix);
  return name.length >= length && memcmp(name.data, prefix, length) == 0;
}

MlirAttribute stow_attribute_of(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, stow_ir_string(name));
}

MlirType stow_ir_function_type(MlirOperation function) {
  return mlirTypeAttrGetValue(stow_attribute_of(function, "function_type"));
}

void stow_ir_set_attribute(MlirOperation op, const char *name, MlirAttribute value) {
  mlirOperationSetDiscardableAttributeByName(op, stow_ir_string(name), value);
}

void stow_ir_set_number(MlirOperation op, const char *name, int64_t value) {
  const MlirType type = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
  stow_ir_set_attribute(op, name, mlirIntegerAttrGet(type, value));
}

void stow_ir_set_unit(MlirOperation op, const char *name) {
  stow_ir_set_attribute(op, name, mlirUnitAttrGet(mlirOperationGetContext(op)));
}

MlirAttribute stow_argument_attribute(MlirOperation function, intptr_t argument, const char *name) {
  const MlirAttribute all = stow_attribute_of(function, "arg_attrs");
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) ||
      argument >= mlirArrayAttrGetNumElements(all))
    return mlirAttributeGetNull();
  return mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, argument),
                                            stow_ir_string(name));
}

bool stow_ir_has_attribute(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(stow_attribute_of(op, name));
}

uint64_t stow_ir_alignment_attribute(MlirOperation op) {
  MlirAttribute attribute = stow_bridge_op_alignment(op);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return 0;
  int64_t value = mlirIntegerAttrGetValueInt(attribute);
  return value > 0 && (value & (value - 1)) == 0 ? (uint64_t)value : 0;
}

MlirBlock stow_block_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                          : mlirOperationGetBlock(mlirOpResultGetOwner(value));
}

bool stow_ir_is_inside(MlirOperation op, MlirOperation ancestor) {
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, ancestor))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

MlirOperation stow_ir_op_in_block(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

MlirOperation stow_ir_op_in_region(MlirRegion region, MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  while (!mlirBlockIsNull(block) && !mlirRegionEqual(mlirBlockGetParentRegion(block), region)) {
    op = mlirBlockGetParentOperation(block);
    block = mlirOperationGetBlock(op);
  }
  return mlirBlockIsNull(block) ? (MlirOperation){NULL} : op;
}

bool stow_ir_gives(MlirOperation op, bool (*is_such)(MlirType type)) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (is_such(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

bool stow_ir_takes(MlirRegion region, bool (*is_such)(MlirType type)) {
  const MlirBlock entry = mlirRegionGetFirstBlock(region);
  for (intptr_t i = 0, n = mlirBlockIsNull(entry) ? 0 : mlirBlockGetNumArguments(entry); i < n; ++i)
    if (is_such(mlirValueGetType(mlirBlockGetArgument(entry, i))))
      return true;
  return false;
}

// The first op from a block of a region on, also in the regions behind it; or null.
static MlirOperation first_from(MlirRegion region, MlirBlock block) {
  MlirOperation op = {NULL};
  while (!mlirRegionIsNull(region) && mlirOperationIsNull(op)) {
    for (; !mlirBlockIsNull(block) && mlirOperationIsNull(op);
         block = mlirBlockGetNextInRegion(block))
      op = mlirBlockGetFirstOperation(block);
    region = mlirRegionGetNextInOperation(region);
    block = mlirRegionIsNull(region) ? (MlirBlock){NULL} : mlirRegionGetFirstBlock(region);
  }
  return op;
}

MlirOperation stow_ir_next_of(MlirOperation root, MlirOperation op, bool inside) {
  MlirRegion own = inside ? mlirOperationGetFirstRegion(op) : (MlirRegion){NULL};
  MlirOperation next = {NULL};
  if (!mlirRegionIsNull(own))
    next = first_from(own, mlirRegionGetFirstBlock(own));
  while (mlirOperationIsNull(next) && !mlirOperationEqual(op, root)) {
    MlirBlock block = mlirOperationGetBlock(op);
    next = mlirOperationGetNextInBlock(op);
    if (mlirOperationIsNull(next))
      next = first_from(mlirBlockGetParentRegion(block), mlirBlockGetNextInRegion(block));
    op = mlirBlockGetParentOperation(block);
  }
  return next;
}

stow_op_list stow_ir_ops_in(MlirOperation root, bool (*wanted)(MlirOperation op)) {
  stow_op_list found = {0};
  STOW_EACH_OP_OF(op, root)
    if (!wanted || wanted(op))
      STOW_PUSH(found, op);
  return found;
}

stow_op_list stow_ir_functions_in(MlirOperation module) {
  stow_op_list functions = {0};
  bool outside = true;
  for (MlirOperation op = module; !mlirOperationIsNull(op);
       op = stow_ir_next_of(module, op, outside)) {
    outside = !stow_bridge_op_is_function(op) || mlirRegionIsNull(stow_bridge_function_body(op));
    if (!outside)
      STOW_PUSH(functions, op);
  }
  return functions;
}

MlirOperation *stow_ir_end_list(stow_op_list list) {
  STOW_PUSH(list, (MlirOperation){NULL});
  return list.at;
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

size_t stow_ir_sort_unique(void *items, size_t count, size_t item_size,
                           int (*compare)(const void *, const void *)) {
  char *at = items;
  size_t kept = 0;
  stow_ir_sort(items, count, item_size, compare);
  for (size_t i = 0; i < count; ++i)
    if (kept == 0 || compare(at + (kept - 1) * item_size, at + i * item_size) != 0)
      memmove(at + kept++ * item_size, at + i * item_size, item_size);
  return kept;
}
