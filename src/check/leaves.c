//===- leaves.c - numbers for leaves --------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A leaf's number is any, but within what stowage.dims states of it, and the same for all leaves
// of which one name is stated, or that are asserted to be equal (asserted.c). What a switch asks is
// mostly a number that it knows.
//
//===----------------------------------------------------------------------===//

#include "check/numbers.h"

#include "mlir-c/BuiltinAttributes.h"

static uint64_t mixed(uint64_t state) {
  state = (state ^ (state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  state = (state ^ (state >> 27)) * UINT64_C(0x94d049bb133111eb);
  return state ^ (state >> 31);
}

// The first samples are those in which all are alike, then each leaf is small, large, or huge.
int64_t stow_check_any_number(uint64_t sample, uint64_t leaf) {
  static const int64_t alike[] = {1, 0, 2, 64, 1000}, most[] = {1, 4, 16, 100, 300, 5000, 40000};
  if (sample < sizeof alike / sizeof *alike)
    return alike[sample];
  const uint64_t random = mixed(sample * UINT64_C(0x9e3779b97f4a7c15) + leaf + 1);
  return (int64_t)(mixed(random) % (uint64_t)(most[random % 7] + 1));
}

static MlirStringRef key(const char *string) { return stow_ir_string(string); }

// What stowage.dims states of an argument in a dimension, or null.
static MlirAttribute stated(MlirOperation function, intptr_t argument, intptr_t dimension) {
  const MlirAttribute none = mlirAttributeGetNull(), all = stow_attribute_of(function, "arg_attrs");
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) ||
      argument >= mlirArrayAttrGetNumElements(all))
    return none;
  const MlirAttribute dims = mlirDictionaryAttrGetElementByName(
      mlirArrayAttrGetElement(all, argument), key("stowage.dims"));
  if (mlirAttributeIsNull(dims) || !mlirAttributeIsAArray(dims) ||
      dimension >= mlirArrayAttrGetNumElements(dims))
    return none;
  const MlirAttribute entry = mlirArrayAttrGetElement(dims, dimension);
  return mlirAttributeIsADictionary(entry) ? entry : none;
}

static int64_t stated_number(MlirAttribute entry, const char *name, int64_t otherwise) {
  const MlirAttribute number = mlirDictionaryAttrGetElementByName(entry, key(name));
  return mlirAttributeIsNull(number) || !mlirAttributeIsAInteger(number)
             ? otherwise
             : mlirIntegerAttrGetValueInt(number);
}

typedef struct statement {
  MlirAttribute name; // or null
  intptr_t first;     // entry of that name, of all of the function
  int64_t least, most;
} statement;

static void narrow(statement *s, MlirAttribute entry) {
  const int64_t least = stated_number(entry, "min", 0),
                most = stated_number(entry, "max", INT64_MAX);
  s->least = least > s->least ? least : s->least;
  s->most = most < s->most ? most : s->most;
}

// All entries of one name are of one number.
static void read_all_of_name(MlirOperation function, statement *s) {
  const MlirBlock block = mlirRegionGetFirstBlock(stow_bridge_function_body(function));
  intptr_t count = 0;
  for (intptr_t a = 0; a < mlirBlockGetNumArguments(block); ++a) {
    MlirAttribute entry;
    for (intptr_t d = 0; !mlirAttributeIsNull(entry = stated(function, a, d)); ++d, ++count)
      if (mlirAttributeEqual(mlirDictionaryAttrGetElementByName(entry, key("name")), s->name)) {
        s->first = s->first < 0 ? count : s->first;
        narrow(s, entry);
      }
  }
}

// What is stated of a leaf; any number from 0 on where nothing is.
static statement statement_of(const stow_check_numbers *n, MlirValue value, int64_t dimension) {
  statement s = {.name = mlirAttributeGetNull(), .first = -1, .most = INT64_MAX};
  const MlirBlock entry_block = mlirRegionGetFirstBlock(stow_bridge_function_body(n->function));
  if (mlirValueIsAOpResult(value) || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), entry_block))
    return s;
  const MlirAttribute entry =
      stated(n->function, mlirBlockArgumentGetArgNumber(value), dimension < 0 ? 0 : dimension);
  if (mlirAttributeIsNull(entry))
    return s;
  narrow(&s, entry);
  s.name = mlirDictionaryAttrGetElementByName(entry, key("name"));
  if (!mlirAttributeIsNull(s.name))
    read_all_of_name(n->function, &s);
  return s;
}

enum { FIRST_NAMED = 1 << 20, FIRST_ASSERTED = 1 << 24 }; // other leaves are fewer

// Of what nothing is stated, what is asserted.
static void take_asserted(const stow_check_numbers *n, MlirValue value, int64_t dimension,
                          statement *s) {
  const stow_check_asserted *asserted = stow_check_asserted_of(n, value, dimension);
  if (!asserted || s->first >= 0 || s->least > 0 || s->most < INT64_MAX)
    return;
  *s = (statement){s->name, FIRST_ASSERTED - FIRST_NAMED + (intptr_t)asserted->class,
                   asserted->least, asserted->most};
}

// For a value that an scf.index_switch asks, in most samples a number that it knows.
static int64_t case_number(const stow_check_numbers *n, MlirValue value, int64_t number) {
  STOW_EACH_USE(use, value) {
    const MlirOperation op = mlirOpOperandGetOwner(use);
    if (!stow_ir_op_is(op, "scf.index_switch"))
      continue;
    const MlirAttribute cases = stow_attribute_of(op, "cases");
    const uint64_t count = (uint64_t)mlirDenseArrayGetNumElements(cases);
    const uint64_t chosen = mixed(n->sample + 1) % (count + 1);
    return chosen < count ? mlirDenseI64ArrayGetElement(cases, (intptr_t)chosen) : number;
  }
  return number;
}

int64_t stow_check_leaf_number(const stow_check_numbers *n, MlirValue value, int64_t dimension) {
  statement s = statement_of(n, value, dimension);
  take_asserted(n, value, dimension, &s);
  const uint64_t leaf = s.first < 0 ? n->leaves.count : FIRST_NAMED + (uint64_t)s.first;
  int64_t number = stow_check_any_number(n->sample, leaf);
  if (dimension < 0 && s.first < 0) // what others are stated to be stays theirs
    number = case_number(n, value, number);
  if (s.most >= s.least && (number < s.least || number > s.most))
    number = s.most == INT64_MAX ? s.least + number : s.least + number % (s.most - s.least + 1);
  return number;
}
