//===- machine.c - the memories of a machine ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/machine.h"

#include "bridge/bridge.h"
#include "bridge/target.h"
#include "ir/limits.h"
#include "ir/op.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct reader {
  MlirContext context;
  stow_machine *out;
  size_t default_at;
  char *fault; // what is wrong; freed with free()
} reader;

static bool set_fault(reader *r, char *fault) {
  r->fault = fault;
  return false;
}

//===----------------------------------------------------------------------===//
// A memory
//===----------------------------------------------------------------------===//

static bool refuse(reader *r, const char *what, const char *name) {
  return set_fault(r, stow_ir_format("memory %zu: %s%s", r->out->all.count, what, name));
}

// Names are in memory spaces and, in capitals, in a header of C.
static bool is_name(const char *text) {
  bool all = isalpha((unsigned char)*text);
  for (const char *c = text; *c; ++c)
    all = all && (isalnum((unsigned char)*c) || *c == '_');
  return all;
}

static bool is_power_of_two(uint64_t number) { return number > 0 && (number & (number - 1)) == 0; }

static bool is_plain(MlirType type) {
  return mlirTypeIsAIndex(type) ||
         (mlirIntegerTypeIsSignless(type) && mlirIntegerTypeGetWidth(type) <= 64);
}

static bool read_number(reader *r, MlirAttribute value, const char *key, uint64_t low,
                        uint64_t high, uint64_t *out) {
  const bool is_number = mlirAttributeIsAInteger(value) && is_plain(mlirAttributeGetType(value));
  const int64_t number = is_number ? mlirIntegerAttrGetValueInt(value) : -1;
  *out = (uint64_t)number;
  if (is_number && number >= 0 && *out >= low && *out <= high)
    return true;
  return set_fault(r,
                   stow_ir_format("memory %zu: %s is a number from %llu to %llu", r->out->all.count,
                                  key, (unsigned long long)low, (unsigned long long)high));
}

static bool read_name(reader *r, MlirAttribute value, stow_machine_memory *to) {
  if (!mlirAttributeIsAString(value))
    return refuse(r, "name is a string", "");
  to->name = stow_ir_copy_string(mlirStringAttrGetValue(value));
  STOW_EACH(const stow_machine_memory, other, r->out->all)
    if (other != to && strcasecmp(other->name, to->name) == 0)
      return refuse(r, "two memories have the name ", to->name);
  return is_name(to->name) ||
         refuse(r, "a name has letters, digits and underscores, a letter first: ", to->name);
}

static bool read_flag(reader *r, MlirAttribute value, const char *key, bool *out) {
  *out = mlirAttributeIsAUnit(value);
  return *out || refuse(r, "a flag has no value: ", key);
}

static bool read_member(reader *r, const char *key, MlirAttribute value, stow_machine_memory *to) {
  bool is_default = false;
  if (strcmp(key, "name") == 0)
    return read_name(r, value, to);
  if (strcmp(key, "bytes") == 0)
    return read_number(r, value, key, 1, STOW_MACHINE_MOST_BYTES, &to->bytes);
  if (strcmp(key, "cost") == 0)
    return read_number(r, value, key, 1, STOW_MACHINE_MOST_COST, &to->cost);
  if (strcmp(key, "alignment") == 0)
    return read_number(r, value, key, 1, STOW_MACHINE_MOST_ALIGNMENT, &to->alignment) &&
           (is_power_of_two(to->alignment) || refuse(r, "alignment is a power of two", ""));
  if (strcmp(key, "space") == 0)
    return read_number(r, value, key, 0, STOW_MACHINE_MOST_NUMBER, &to->number);
  if (strcmp(key, "banks") == 0)
    return read_number(r, value, key, 1, STOW_MACHINE_MOST_BANKS, &to->banks);
  if (strcmp(key, "copied") == 0)
    return read_flag(r, value, key, &to->copied);
  if (strcmp(key, "constants") == 0)
    return read_flag(r, value, key, &to->constants);
  if (strcmp(key, "read_only") == 0)
    return read_flag(r, value, key, &to->read_only);
  if (strcmp(key, "default") != 0)
    return refuse(r,
                  "it has name, bytes, cost, alignment, space, banks, copied, default, constants "
                  "and read_only, but no ",
                  key);
  if (!read_flag(r, value, key, &is_default))
    return false;
  if (r->default_at != SIZE_MAX)
    return refuse(r, "two memories are the default", "");
  r->default_at = r->out->all.count - 1;
  return true;
}

static bool read_memory(reader *r, MlirAttribute from) {
  STOW_PUSH(r->out->all, (stow_machine_memory){.alignment = 1, .cost = 1, .banks = 1});
  stow_machine_memory *to = &r->out->all.at[r->out->all.count - 1];
  if (!mlirAttributeIsADictionary(from))
    return refuse(r, "it is no dictionary", "");
  bool ok = true;
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(from) && ok; ++i) {
    const MlirNamedAttribute member = mlirDictionaryAttrGetElement(from, i);
    char *key = stow_ir_copy_string(mlirIdentifierStr(member.name));
    ok = read_member(r, key, member.attribute, to);
    free(key);
  }
  return ok && (to->name || refuse(r, "it has no name", "")) &&
         (to->bytes > 0 || refuse(r, "it has no bytes: ", to->name)) &&
         (to->bytes % to->banks == 0 ||
          refuse(r, "bytes is a multiple of banks, as banks are of one size: ", to->name));
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static bool has_buffers_behind(const stow_machine *machine, size_t at) {
  while (++at < machine->all.count)
    if (!machine->all.at[at].read_only)
      return true;
  return false;
}

// A memory to which buffers are only copied is no place for those that a faster one has no room
// for, so none is behind it, and it is neither the first nor the default one.
static bool is_in_order(reader *r) {
  const stow_machine_memory *all = r->out->all.at;
  for (size_t i = 0; i < r->out->all.count; ++i) {
    if (i > 0 && all[i].cost < all[i - 1].cost)
      return set_fault(r, stow_ir_format("memory '%s' costs less than '%s': the fastest is first",
                                         all[i].name, all[i - 1].name));
    if (all[i].copied && (i == 0 || has_buffers_behind(r->out, i) || i == r->default_at))
      return set_fault(
          r, stow_ir_format("memory '%s' is copied: it is the last of several, and not the default",
                            all[i].name));
  }
  return true;
}

// Constants are read by the processor. What nothing else may be written to is neither the first
// memory nor the default one.
static bool has_constants_in_order(reader *r) {
  size_t with = 0;
  for (size_t i = 0; i < r->out->all.count; ++i) {
    const stow_machine_memory *memory = &r->out->all.at[i];
    with += memory->constants;
    if (memory->constants && memory->copied)
      return set_fault(r, stow_ir_format("memory '%s' is copied: constants are read where they lie",
                                         memory->name));
    if (memory->read_only && (!memory->constants || i == 0 || i == r->default_at))
      return set_fault(
          r,
          stow_ir_format("memory '%s' is read_only: it has constants, and is neither the first nor "
                         "the default one",
                         memory->name));
  }
  return with <= 1 || set_fault(r, stow_ir_format("%zu memories have constants: one may", with));
}

// Takes the memory that has nothing but constants out of the list.
static void set_constants(reader *r) {
  stow_machine *out = r->out;
  size_t kept = 0;
  for (size_t i = 0; i < out->all.count; ++i) {
    if (out->all.at[i].read_only) {
      out->read_only = out->all.at[i];
      out->constants = &out->read_only;
      r->default_at -= r->default_at != SIZE_MAX && r->default_at > i;
    } else {
      out->all.at[kept++] = out->all.at[i];
    }
  }
  out->all.count = kept;
  STOW_EACH(stow_machine_memory, memory, out->all)
    if (memory->constants)
      out->constants = memory;
}

static void name_space(const reader *r, stow_machine_memory *memory) {
  memory->space = mlirStringAttrGet(r->context, stow_ir_string(memory->name));
}

// The default memory is the one that is called so, or the last in which the processor computes.
static void set_spaces(reader *r) {
  const size_t last = r->out->all.count - 1;
  if (r->default_at == SIZE_MAX)
    r->default_at = last - r->out->all.at[last].copied;
  for (size_t i = 0; i <= last; ++i)
    if (i != r->default_at)
      name_space(r, &r->out->all.at[i]);
  if (r->out->read_only.name)
    name_space(r, &r->out->read_only);
}

static bool read_all(reader *r, MlirAttribute from) {
  const bool is_list = mlirAttributeIsAArray(from) && mlirArrayAttrGetNumElements(from) > 0;
  if (!is_list)
    return set_fault(r,
                     stow_ir_format("memories are a list, as "
                                    "[{name = \"sram\", bytes = 65536}, {name = \"dram\", bytes = "
                                    "1048576, cost = 8}], with one at least"));
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(from); ++i)
    if (!read_memory(r, mlirArrayAttrGetElement(from, i)))
      return false;
  if (!is_in_order(r) || !has_constants_in_order(r))
    return false;
  set_constants(r);
  set_spaces(r);
  r->out->home = r->default_at;
  const stow_machine_memory *home = &r->out->all.at[r->default_at];
  return home->number == 0 ||
         set_fault(
             r, stow_ir_format("memory '%s' is the default: its address space is 0", home->name));
}

// All of a file. Freed with free(out->data), also after false.
static bool read_contents(const char *path, stow_text *out) {
  FILE *file = fopen(path, "rb");
  char part[4096];
  size_t size;
  if (!file)
    return false;
  while ((size = fread(part, 1, sizeof part, file)) > 0)
    stow_text_append(out, part, size);
  const bool failed = ferror(file);
  fclose(file);
  return !failed;
}

// At the byte of 0, which ends what MLIR reads of a string.
static bool refuse_nul(MlirOperation module, const char *path, const stow_text *text) {
  unsigned line = 1, column = 1;
  for (const char *c = text->data; *c; ++c) {
    column = *c == '\n' ? 1 : column + 1;
    line += *c == '\n';
  }
  return stow_ir_refuse(mlirLocationFileLineColGet(mlirOperationGetContext(module),
                                                   stow_ir_string(path), line, column),
                        "a list of memories is text, and this is a byte of 0: remove it");
}

static bool parse(MlirOperation module, const char *path, const stow_text *text,
                  MlirAttribute *out) {
  if (text->size > 0 && strlen(text->data) < text->size)
    return refuse_nul(module, path, text);
  const char *read = text->size > 0 ? text->data : "";
  *out = mlirAttributeParseGet(mlirOperationGetContext(module), stow_ir_string(read));
  return !mlirAttributeIsNull(*out) ||
         stow_ir_refuse(mlirOperationGetLocation(module),
                        "'%s' is no list of memories as MLIR writes it", path);
}

static bool read_file(MlirOperation module, const char *path, MlirAttribute *out) {
  stow_text text = {0};
  const bool read = read_contents(path, &text);
  const bool ok =
      read ? parse(module, path, &text, out)
           : stow_ir_refuse(mlirOperationGetLocation(module),
                            "cannot read the memories in '%s': %s", path, strerror(errno));
  free(text.data);
  return ok;
}

static MlirAttribute memories_of(MlirOperation module) {
  const MlirAttribute own = stow_attribute_of(module, STOW_MEMORIES);
  return mlirAttributeIsNull(own) ? stow_bridge_target_memories(module) : own;
}

bool stow_machine_read(MlirOperation module, const char *path, stow_machine *out) {
  *out = (stow_machine){0};
  MlirAttribute from = memories_of(module);
  if (path && !read_file(module, path, &from))
    return false;
  reader r = {.context = mlirOperationGetContext(module), .out = out, .default_at = SIZE_MAX};
  const bool ok = mlirAttributeIsNull(from) || read_all(&r, from) ||
                  stow_ir_refuse(mlirOperationGetLocation(module), "%s", r.fault);
  free(r.fault);
  if (!ok)
    stow_machine_free(out);
  if (ok && path)
    mlirOperationSetAttributeByName(module, stow_ir_string(STOW_MEMORIES), from);
  return ok;
}

void stow_machine_free(stow_machine *memories) {
  STOW_EACH(stow_machine_memory, memory, memories->all)
    free(memory->name);
  free(memories->read_only.name);
  free(memories->all.at);
  *memories = (stow_machine){0};
}

bool stow_machine_lets(const stow_machine_memory *memory, MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  return !memory->copied || stow_ir_is(op, STOW_MEMREF_COPY) ||
         (stow_ir_op_traits(op) & (STOW_DEALLOCATES | STOW_TELLS_SHAPE));
}

const stow_machine_memory *stow_machine_memory_of(const stow_machine *machine,
                                                  MlirAttribute space) {
  if (mlirAttributeIsNull(space))
    return machine->all.count > 0 ? &machine->all.at[machine->home] : NULL;
  if (!mlirAttributeIsAString(space))
    return NULL;
  STOW_EACH(const stow_machine_memory, memory, machine->all)
    if (stow_ir_string_equal(mlirStringAttrGetValue(space), memory->name))
      return memory;
  const stow_machine_memory *last = &machine->read_only;
  return last->name && stow_ir_string_equal(mlirStringAttrGetValue(space), last->name) ? last
                                                                                       : NULL;
}
