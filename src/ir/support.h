//===- support.h - growing arrays, a pointer map, text --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the analyses need of a runtime library. Exhausted memory ends the process,
// as it does everywhere in MLIR, so nothing here returns a failure.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_SUPPORT_H
#define STOWAGE_IR_SUPPORT_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Zeroed memory for `count` items. Never NULL, also for 0 items. Freed with free().
void *stow_ir_allocate(size_t count, size_t item_size);

// Takes a caller's options over; those that it does not have are 0, as all are where it gives NULL:
// those of an older version have fewer fields. Both begin with their struct_size, which may be 0
// for `size`.
void stow_ir_take_options(void *out, const void *options, size_t size);

// qsort, for lists that mostly are in order already.
static inline void stow_ir_sort(void *items, size_t count, size_t item_size,
                                int (*compare)(const void *, const void *)) {
  for (size_t i = 1; i < count; ++i) {
    const char *before = (const char *)items + (i - 1) * item_size;
    if (compare(before, before + item_size) > 0) {
      qsort(items, count, item_size, compare);
      return;
    }
  }
}

// The greatest common factor of two numbers of one sign, with that sign; their common multiple.
static inline int64_t stow_ir_common_factor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
static inline int64_t stow_ir_common_multiple(int64_t a, int64_t b) {
  return a / stow_ir_common_factor(a, b) * b;
}

// Negative, 0 or positive, as for qsort: by numbers; by a first key, and where that is equal by a
// second one.
#define STOW_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))
static inline int stow_ir_then(int first, int second) { return first != 0 ? first : second; }

// Defines such a comparison of items by a field, or by two.
#define STOW_BY_FIELD(name, type, field)                                                           \
  static int name(const void *left, const void *right) {                                           \
    const type *a = left, *b = right;                                                              \
    return STOW_COMPARE(a->field, b->field);                                                       \
  }
#define STOW_BY_FIELDS(name, type, first, second)                                                  \
  static int name(const void *left, const void *right) {                                           \
    const type *a = left, *b = right;                                                              \
    return stow_ir_then(STOW_COMPARE(a->first, b->first), STOW_COMPARE(a->second, b->second));     \
  }

int stow_ir_by_number(const void *a, const void *b); // int64_t, or below 2^63

// A field of each of `count` items, or the items themselves: integers of 4 bytes with a sign, or of
// 8 bytes below 2^63.
typedef struct stow_column {
  const void *items;
  size_t count, item_size, offset, size;
} stow_column;

#define STOW_COLUMN(items, count, field)                                                           \
  ((stow_column){items, count, sizeof *(items), offsetof(__typeof__(*(items)), field),             \
                 sizeof(items)->field})
#define STOW_NUMBERS(items, count)                                                                 \
  ((stow_column){items, count, sizeof *(items), 0, sizeof *(items)})

static inline int64_t stow_ir_number_at(const stow_column *column, size_t index) {
  const char *at = (const char *)column->items + index * column->item_size + column->offset;
  return column->size == 4 ? *(const int32_t *)(const void *)at
                           : *(const int64_t *)(const void *)at;
}

// The first index whose number is at least `key`, or the count. Numbers ascend.
size_t stow_ir_first_from(stow_column column, int64_t key);

static inline uint64_t stow_ir_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

//===----------------------------------------------------------------------===//
// Growing arrays
//===----------------------------------------------------------------------===//

// A zeroed one is empty. The items are array.at[0] up to but not array.at[array.count]; they may
// move when one is added. Freed with free(array.at).
#define STOW_ARRAY(type)                                                                           \
  struct {                                                                                         \
    type *at;                                                                                      \
    size_t count, capacity;                                                                        \
  }

// Adds an item, such as a compound literal, and gives its index. The item may mention the array's
// items and count; `array` is evaluated several times.
#define STOW_PUSH(array, ...)                                                                      \
  ((array).at = stow_ir_grow((array).at, (array).count, &(array).capacity, sizeof *(array).at),    \
   (array).at[(array).count] = __VA_ARGS__, (array).count++)

// Makes room for so many items at once: what is not used is not touched.
#define STOW_RESERVE(array, item_count)                                                            \
  ((array).at = stow_ir_reserve((array).at, (item_count), &(array).capacity, sizeof *(array).at))

// Each item in order, by address. None may be added to the array while the body runs.
#define STOW_EACH(type, item, array)                                                               \
  for (type *item = (array).at; item && item < (array).at + (array).count; ++item)

// The same by value.
#define STOW_EACH_ITEM(type, item, array)                                                          \
  for (type item, *item##_at = (array).at;                                                         \
       item##_at && item##_at < (array).at + (array).count && (item = *item##_at, true);           \
       ++item##_at)

#define STOW_SORT(array, compare)                                                                  \
  stow_ir_sort((array).at, (array).count, sizeof *(array).at, compare)

// The same, and of equal items only the first is left.
#define STOW_SORT_UNIQUE(array, compare)                                                           \
  ((array).count = stow_ir_sort_unique((array).at, (array).count, sizeof *(array).at, compare))
size_t stow_ir_sort_unique(void *items, size_t count, size_t item_size,
                           int (*compare)(const void *, const void *));

// Makes room for one item more than `count` and returns the array, which may have moved.
void *stow_ir_grow(void *items, size_t count, size_t *capacity, size_t item_size);
void *stow_ir_reserve(void *items, size_t count, size_t *capacity, size_t item_size);

//===----------------------------------------------------------------------===//
// What is in a list of MLIR's
//===----------------------------------------------------------------------===//

// The uses of a value, the ops of a block, the blocks of a region, in order. The one at hand must
// stay where it is while the body runs.
#define STOW_EACH_USE(use, value)                                                                  \
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);                 \
       use = mlirOpOperandGetNextUse(use))
#define STOW_EACH_USE_THAT_MAY_GO(use, value)                                                      \
  for (MlirOpOperand use = mlirValueGetFirstUse(value), use##_next;                                \
       !mlirOpOperandIsNull(use) && (use##_next = mlirOpOperandGetNextUse(use), true);             \
       use = use##_next)
#define STOW_EACH_OP(op, block)                                                                    \
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);             \
       op = mlirOperationGetNextInBlock(op))
#define STOW_EACH_OP_THAT_MAY_GO(op, block)                                                        \
  for (MlirOperation op = mlirBlockGetFirstOperation(block), op##_next;                            \
       !mlirOperationIsNull(op) && (op##_next = mlirOperationGetNextInBlock(op), true);            \
       op = op##_next)
#define STOW_EACH_BLOCK(block, region)                                                             \
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);                 \
       block = mlirBlockGetNextInRegion(block))

// The op and those inside it, each in front of what is in its regions. Ops that are put behind the
// one at hand are met, too; `root` is evaluated each time.
#define STOW_EACH_OP_OF(op, root)                                                                  \
  for (MlirOperation op = (root); !mlirOperationIsNull(op); op = stow_ir_next_of(root, op, true))

// The next one in that order, or null; without `inside`, what is in the regions of `op` is left
// out.
MlirOperation stow_ir_next_of(MlirOperation root, MlirOperation op, bool inside);

// Whether a result of an op, or an argument of a region's first block, is of such a type.
bool stow_ir_gives(MlirOperation op, bool (*is_such)(MlirType type));
bool stow_ir_takes(MlirRegion region, bool (*is_such)(MlirType type));

// The block in which a value is defined.
MlirBlock stow_block_of(MlirValue value);

// Whether an op is another one or inside it.
bool stow_ir_is_inside(MlirOperation op, MlirOperation ancestor);

// The op of the block, or of the region's own blocks, that an op is or is inside, or null.
MlirOperation stow_ir_op_in_block(MlirBlock block, MlirOperation op);
MlirOperation stow_ir_op_in_region(MlirRegion region, MlirOperation op);

//===----------------------------------------------------------------------===//
// A map from addresses to numbers
//===----------------------------------------------------------------------===//

// Open addressing. Only looked up, never walked, so that no output depends on addresses.
typedef struct stow_map {
  const void **keys;
  int32_t *values;
  size_t count, capacity;
} stow_map;

// The number stored for `key`, or -1.
int32_t stow_map_get(const stow_map *map, const void *key);

// Stores `value` for a key that is not in the map yet.
void stow_map_add(stow_map *map, const void *key, int32_t value);

// Stores 0 for a key. False: it was in the map already, and keeps its number.
bool stow_map_note(stow_map *map, const void *key);

void stow_map_free(stow_map *map);

//===----------------------------------------------------------------------===//
// Sets in the order in which their items came
//===----------------------------------------------------------------------===//

// Of values, ops or blocks. Walked like an array; `index` has the place of each item. A zeroed one
// is empty.
#define STOW_SET(type)                                                                             \
  struct {                                                                                         \
    type *at;                                                                                      \
    size_t count, capacity;                                                                        \
    stow_map index;                                                                                \
  }

// Adds an item that was never in the set.
#define STOW_INCLUDE(set, item)                                                                    \
  do                                                                                               \
    if (stow_map_note(&(set).index, (item).ptr))                                                   \
      STOW_PUSH(set, item);                                                                        \
  while (0)

#define STOW_SET_FREE(set)                                                                         \
  do {                                                                                             \
    free((set).at);                                                                                \
    stow_map_free(&(set).index);                                                                   \
  } while (0)

typedef STOW_SET(MlirValue) stow_values;
typedef STOW_SET(MlirOperation) stow_op_set;
typedef STOW_SET(MlirBlock) stow_block_set;

// The index of `value`, which is added where it is missing.
size_t stow_values_add(stow_values *values, MlirValue value);

// Adds `value` once more where it is there already.
void stow_values_append(stow_values *values, MlirValue value);

// Those from `first` on.
void stow_values_append_operands(stow_values *values, MlirOperation op, intptr_t first);

// The index of `value`, or -1.
int32_t stow_values_find(const stow_values *values, MlirValue value);

void stow_values_free(stow_values *values);

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

// A NUL-terminated string that grows. `data` is NULL until something is appended.
typedef struct stow_text {
  char *data;
  size_t size, capacity;
} stow_text;

void stow_text_append(stow_text *text, const char *data, size_t size);
__attribute__((format(printf, 2, 3), nonnull)) void stow_text_printf(stow_text *text,
                                                                     const char *format, ...);

// Appends a sentence, with its %s, if it has one, replaced by `name`; else `name` may be NULL.
void stow_text_fill(stow_text *text, const char *sentence, const char *name);

// Gives the string away (never NULL) and empties `text`. Freed with free().
char *stow_text_take(stow_text *text);

// A string of its own, freed with free().
__attribute__((format(printf, 1, 2))) char *stow_ir_format(const char *format, ...);
char *stow_ir_copy_string(MlirStringRef string);

// An error at a location; false.
__attribute__((format(printf, 2, 3))) bool stow_ir_refuse(MlirLocation location, const char *format,
                                                          ...);

// Makes it the content of a file. False where that fails: the file is empty then rather than cut
// short, and errno tells why.
bool stow_text_write(const stow_text *text, const char *path);

// stow_text_append with the stow_text as user data: for who writes pieces, and as a
// MlirStringCallback.
void stow_text_collect(void *text, const char *data, size_t size);
void stow_text_callback(MlirStringRef piece, void *text);

// "file:line:column" of the innermost file position in `location`, or "" where there is none.
char *stow_ir_location_text(MlirLocation location);

// The outermost name in `location`, as frontends give layers, or "" where there is none.
char *stow_ir_location_name(MlirLocation location);

char *stow_ir_type_text(MlirType type);
char *stow_attribute_text(MlirAttribute attribute);

static inline bool stow_ir_string_equal(MlirStringRef string, const char *text) {
  return string.length == strlen(text) && memcmp(string.data, text, string.length) == 0;
}

// The op's name, "memref.alloc"; owned by the context.
MlirStringRef stow_ir_op_name(MlirOperation op);
static inline bool stow_ir_op_is(MlirOperation op, const char *name) {
  return stow_ir_string_equal(stow_ir_op_name(op), name);
}
bool stow_ir_op_has_prefix(MlirOperation op, const char *prefix); // such as its dialect: "gpu."

// The memory space of a memref type, ranked or not; null for the default one.
MlirAttribute stow_ir_memory_space(MlirType type);

// Whether memrefs lie in one memory space.
bool stow_ir_in_one_space(MlirValue a, MlirValue b);

bool stow_ir_is_bit(MlirValue value);
bool stow_ir_has_operand(MlirOperation op, MlirValue value);

// Whether threads of a workgroup share what is in the space. A number says so in GPU code only.
bool stow_ir_is_workgroup_space(MlirAttribute space);

// Puts an op that is in no block in front of one that is.
static inline void stow_ir_insert_before(MlirOperation place, MlirOperation op) {
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, op);
}

// The op's attribute of a name, or null.
MlirAttribute stow_attribute_of(MlirOperation op, const char *name);

// The type of a function, of whatever dialect.
MlirType stow_ir_function_type(MlirOperation function);

// Sets a discardable attribute.
void stow_ir_set_attribute(MlirOperation op, const char *name, MlirAttribute value);
void stow_ir_set_number(MlirOperation op, const char *name, int64_t value); // as an i64
void stow_ir_set_unit(MlirOperation op, const char *name);

// The attribute of a function's argument, or null.
MlirAttribute stow_argument_attribute(MlirOperation function, intptr_t argument, const char *name);
bool stow_ir_has_attribute(MlirOperation op, const char *name);

// The op's attribute `alignment` in bytes, or 0 where it has none that is a power of two.
uint64_t stow_ir_alignment_attribute(MlirOperation op);

static inline MlirStringRef stow_ir_string(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

// The ops of STOW_EACH_OP_OF for which `wanted` holds, or all with NULL.
// Freed with free(list.at).
typedef STOW_ARRAY(MlirOperation) stow_op_list;
typedef STOW_ARRAY(MlirBlock) stow_block_list;
stow_op_list stow_ir_ops_in(MlirOperation root, bool (*wanted)(MlirOperation op));

// The outermost functions of a module that have a body, in program order. Freed like these.
stow_op_list stow_ir_functions_in(MlirOperation module);

// Each op of such a list, which is made for the loop and freed behind the last one: no jump leaves
// the loop.
#define STOW_EACH_FOUND(op, list)                                                                  \
  for (MlirOperation *op##_first = stow_ir_end_list(list), *op##_at = op##_first, op = *op##_at;   \
       !mlirOperationIsNull(op) || (free(op##_first), false); op = *++op##_at)

// The ops of the list with null behind the last one. Freed with free().
MlirOperation *stow_ir_end_list(stow_op_list list);

#endif // STOWAGE_IR_SUPPORT_H
