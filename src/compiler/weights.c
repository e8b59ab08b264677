//===- weights.c - constants that LLVM need not see ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM copies each constant four times, element by element, until it is in an object. Large
// constants bypass LLVM: they are places in a section that LLVM takes for one without bytes in the
// file, such as .bss. In the finished object the section's header is changed to one with bytes, and
// the bytes are written from MLIR's storage behind all that LLVM wrote.
//
//     llvm.mlir.global @w = dense<...>          llvm.mlir.global external @stowage_weights
//     llvm.mlir.addressof @w              =>    addressof @stowage_weights, and a getelementptr
//
//===----------------------------------------------------------------------===//

#include "compiler/weights.h"

#include "driver/compiler.h"
#include "ir/size.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <string.h>

// Below, LLVM may make more of a constant than its bytes.
enum { LEAST_BYTES = 4096, LEAST_ALIGNMENT = 16 };

static const char SYMBOL[] = "stowage_weights", SECTION[] = ".rodata.stowage_weights";

//===----------------------------------------------------------------------===//
// Out of the module
//===----------------------------------------------------------------------===//

// Only the module knows a private symbol.
static bool is_private_constant(MlirOperation op) {
  if (!stow_ir_op_is(op, "llvm.mlir.global") || !stow_ir_has_attribute(op, "constant"))
    return false;
  const MlirAttribute private =
      mlirAttributeParseGet(mlirOperationGetContext(op), stow_ir_string("#llvm.linkage<private>"));
  return mlirAttributeEqual(stow_attribute_of(op, "linkage"), private);
}

static bool read_weight(MlirOperation op, stow_weight *out) {
  if (!is_private_constant(op))
    return false;
  const MlirAttribute value = stow_attribute_of(op, "value");
  const MlirType type = mlirTypeAttrGetValue(stow_attribute_of(op, "global_type"));
  return !mlirAttributeIsNull(value) &&
         stow_compiler_raw_elements(value, type, &out->piece, &out->repeats) &&
         out->repeats * out->piece.size >= LEAST_BYTES;
}

static void add_weight(stow_weights *weights, MlirOperation global, stow_weight weight) {
  const uint64_t alignment = stow_ir_larger(stow_ir_alignment_attribute(global), LEAST_ALIGNMENT);
  weight.symbol = stow_attribute_of(global, "sym_name").ptr;
  weight.offset = stow_ir_rounded_up(weights->size, alignment);
  weights->size = weight.offset + weight.repeats * weight.piece.size;
  weights->alignment = stow_ir_larger(weights->alignment, alignment);
  STOW_PUSH(weights->all, weight);
}

static MlirOperation insert(MlirOperation before, MlirOperationState *state) {
  const MlirOperation op = mlirOperationCreate(state);
  stow_ir_insert_before(before, op);
  return op;
}

static MlirNamedAttribute named(MlirContext context, const char *name, const char *value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, stow_ir_string(name)),
                               mlirAttributeParseGet(context, stow_ir_string(value)));
}

// An offset may be more than the 31 bits of an index that is an attribute.
static MlirValue build_offset(MlirOperation before, uint64_t offset) {
  const MlirContext context = mlirOperationGetContext(before);
  MlirOperationState state =
      mlirOperationStateGet(stow_ir_string("llvm.mlir.constant"), mlirOperationGetLocation(before));
  const MlirType type = mlirIntegerTypeGet(context, 64);
  const MlirNamedAttribute value =
      mlirNamedAttributeGet(mlirIdentifierGet(context, stow_ir_string("value")),
                            mlirIntegerAttrGet(type, (int64_t)offset));
  mlirOperationStateAddAttributes(&state, 1, &value);
  mlirOperationStateAddResults(&state, 1, &type);
  return mlirOperationGetResult(insert(before, &state), 0);
}

static MlirValue build_place(MlirOperation after, MlirValue base, uint64_t offset) {
  const MlirContext context = mlirOperationGetContext(after);
  const MlirOperation before = mlirOperationGetNextInBlock(after);
  const MlirValue operands[] = {base, build_offset(before, offset)};
  const MlirType type = mlirValueGetType(base);
  const MlirNamedAttribute attributes[] = {
      named(context, "elem_type", "i8"),
      named(context, "rawConstantIndices", "array<i32: -2147483648>"),
      named(context, "noWrapFlags", "0 : i32")};
  MlirOperationState state =
      mlirOperationStateGet(stow_ir_string("llvm.getelementptr"), mlirOperationGetLocation(after));
  mlirOperationStateAddOperands(&state, 2, operands);
  mlirOperationStateAddAttributes(&state, 3, attributes);
  mlirOperationStateAddResults(&state, 1, &type);
  return mlirOperationGetResult(insert(before, &state), 0);
}

static bool is_address(MlirOperation op) { return stow_ir_op_is(op, "llvm.mlir.addressof"); }

static void redirect(const stow_weights *weights, const stow_map *by_name, MlirOperation address) {
  const MlirContext context = mlirOperationGetContext(address);
  const MlirStringRef name =
      mlirFlatSymbolRefAttrGetValue(stow_attribute_of(address, "global_name"));
  const int32_t i = stow_map_get(by_name, mlirStringAttrGet(context, name).ptr);
  if (i < 0)
    return;
  const MlirValue base = mlirOperationGetResult(address, 0);
  const MlirValue place = build_place(address, base, weights->all.at[i].offset);
  MlirOperation own = mlirOpResultGetOwner(place);
  mlirValueReplaceAllUsesExcept(base, place, 1, &own);
  mlirOperationSetAttributeByName(address, stow_ir_string("global_name"),
                                  mlirFlatSymbolRefAttrGet(context, stow_ir_string(SYMBOL)));
}

static void redirect_all(const stow_weights *weights, MlirOperation module) {
  stow_map by_name = {0};
  for (size_t i = 0; i < weights->all.count; ++i)
    stow_map_add(&by_name, weights->all.at[i].symbol, (int32_t)i);
  STOW_EACH_FOUND(address, stow_ir_ops_in(module, is_address))
    redirect(weights, &by_name, address);
  stow_map_free(&by_name);
}

// Of what is elsewhere nothing is promised.
static void declare_symbol(const stow_weights *weights, MlirOperation module) {
  char *const here = stow_ir_format("{dso_local, alignment = %llu : i64} ",
                                    (unsigned long long)weights->alignment);
  char *const text =
      stow_ir_format("llvm.mlir.global external constant @%s() %s: !llvm.array<%llu x i8>", SYMBOL,
                     weights->elsewhere ? "" : here, (unsigned long long)weights->size);
  const MlirOperation symbol = mlirOperationCreateParse(
      mlirOperationGetContext(module), stow_ir_string(text), stow_ir_string(SYMBOL));
  assert(!mlirOperationIsNull(symbol));
  mlirBlockInsertOwnedOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)), 0,
                                symbol);
  free(text);
  free(here);
}

stow_weights stow_weights_take(MlirOperation module, bool elsewhere) {
  stow_weights weights = {.alignment = LEAST_ALIGNMENT, .elsewhere = elsewhere};
  stow_weight weight;
  STOW_EACH_OP_THAT_MAY_GO(op, mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)))
    if (read_weight(op, &weight)) {
      add_weight(&weights, op, weight);
      mlirOperationDestroy(op);
    }
  if (weights.all.count) {
    redirect_all(&weights, module);
    declare_symbol(&weights, module);
  }
  return weights;
}

void stow_weights_free(stow_weights *weights) { free(weights->all.at); }

//===----------------------------------------------------------------------===//
// Into the object
//===----------------------------------------------------------------------===//

void stow_weights_declare(const stow_weights *weights, LLVMModuleRef ir) {
  if (!weights->all.count || weights->elsewhere)
    return;
  char *const text = stow_ir_format(
      ".section %s,\"a\",%%nobits\n.balign %llu\n.type %s,%%object\n%s:\n.zero %llu\n"
      ".size %s, %llu\n.text\n",
      SECTION, (unsigned long long)weights->alignment, SYMBOL, SYMBOL,
      (unsigned long long)weights->size, SYMBOL, (unsigned long long)weights->size);
  LLVMAppendModuleInlineAsm(ir, text, strlen(text));
  free(text);
}

// Where an ELF file of 32 or of 64 bits has what is read or changed here, and how wide.
typedef struct elf_layout {
  size_t word;                               // bytes of an offset
  size_t sections, entry_size, count, names; // in the file's header
  size_t name, type, offset;                 // in a section's header
} elf_layout;

static const elf_layout layouts[] = {{4, 0x20, 0x2E, 0x30, 0x32, 0, 4, 16},
                                     {8, 0x28, 0x3A, 0x3C, 0x3E, 0, 4, 24}};
enum { ELF_CLASS = 4, ELF_64 = 2, SECTION_WITH_BYTES = 1, SECTION_WITHOUT = 8 };

// All targets are little-endian.
static uint64_t read(const char *from, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i-- > 0;)
    number = number << 8 | (unsigned char)from[i];
  return number;
}

static void put(char *to, size_t size, uint64_t number) {
  for (size_t i = 0; i < size; ++i)
    to[i] = (char)(number >> 8 * i);
}

static uint64_t header_at(const elf_layout *elf, stow_bytes object, uint64_t index) {
  return read(object.data + elf->sections, elf->word) +
         index * read(object.data + elf->entry_size, 2);
}

static const char *name_of(const elf_layout *elf, stow_bytes object, const char *header) {
  const uint64_t names = header_at(elf, object, read(object.data + elf->names, 2));
  return object.data + read(object.data + names + elf->offset, elf->word) +
         read(header + elf->name, 4);
}

// The header of the section for weights.
static uint64_t find_header(const elf_layout *elf, stow_bytes object) {
  uint64_t i = read(object.data + elf->count, 2);
  while (i-- > 1 && strcmp(name_of(elf, object, object.data + header_at(elf, object, i)), SECTION))
    ;
  const uint64_t header = header_at(elf, object, i);
  assert(i > 0 && read(object.data + header + elf->type, 4) == SECTION_WITHOUT);
  return header;
}

static void write_zeros(uint64_t count, stow_write write, void *user) {
  static const char zeros[256];
  for (; count > 0; count -= count < sizeof zeros ? count : sizeof zeros)
    write(user, zeros, count < sizeof zeros ? count : sizeof zeros);
}

enum { PIECE = 1 << 16 };

// One element, again and again.
static void write_repeated(const stow_weight *weight, stow_write write, void *user) {
  const size_t element = weight->piece.size, at_once = PIECE / element;
  char *const buffer = stow_ir_allocate(at_once, element);
  for (size_t i = 0; i < at_once; ++i)
    memcpy(buffer + i * element, weight->piece.data, element);
  for (uint64_t left = weight->repeats; left > 0; left -= left < at_once ? left : at_once)
    write(user, buffer, (left < at_once ? left : at_once) * element);
  free(buffer);
}

static void write_weight(const stow_weight *weight, stow_write write, void *user) {
  if (weight->repeats == 1)
    write(user, weight->piece.data, weight->piece.size);
  else
    write_repeated(weight, write, user);
}

void stow_weights_write_bytes(const stow_weights *weights, stow_write write, void *user) {
  uint64_t at = 0;
  STOW_EACH(const stow_weight, weight, weights->all) {
    assert(at <= weight->offset);
    write_zeros(weight->offset - at, write, user);
    write_weight(weight, write, user);
    at = weight->offset + weight->repeats * weight->piece.size;
  }
  assert(at == weights->size);
}

void stow_weights_write(const stow_weights *weights, stow_bytes object, stow_write write,
                        void *user) {
  if (!weights->all.count || weights->elsewhere) {
    write(user, object.data, object.size);
    return;
  }
  assert(object.size > layouts[1].names && !memcmp(object.data,
                                                   "\x7f"
                                                   "ELF",
                                                   4));
  const elf_layout *const elf = &layouts[object.data[ELF_CLASS] == ELF_64];
  const uint64_t header = find_header(elf, object),
                 begin = stow_ir_rounded_up(object.size, weights->alignment);
  char *const changed = stow_ir_allocate(object.size, 1);
  memcpy(changed, object.data, object.size);
  put(changed + header + elf->type, 4, SECTION_WITH_BYTES);
  put(changed + header + elf->offset, elf->word, begin);
  write(user, changed, object.size);
  free(changed);
  write_zeros(begin - object.size, write, user);
  stow_weights_write_bytes(weights, write, user);
}
