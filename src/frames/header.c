//===- header.c - the entry points of a module for C and C++ --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ways to call what MLIR lowers: `NAME` takes a pointer for each memref, where the
// module was lowered with bare pointers; `_mlir_ciface_NAME` takes a pointer to a
// descriptor, where the function has llvm.emit_c_interface. What cannot be called one
// way has a comment that says why.
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

#include "ir/c_names.h"
#include "ir/size.h"
#include "ir/state.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

typedef struct header {
  const stow_frames *frames;
  stow_text text;
  stow_strings descriptors; // names of the types that are declared
  stow_symbol_names names;  // of entry points, macros and types of results
} header;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static bool is_among(const stow_strings *strings, const char *string) {
  for (size_t i = 0; i < strings->count; ++i)
    if (strcmp(strings->at[i], string) == 0)
      return true;
  return false;
}

static void free_strings(stow_strings *strings) {
  for (size_t i = 0; i < strings->count; ++i)
    free(strings->at[i]);
  free(strings->at);
}

// Text of the program, inside of a line of a comment, which it neither ends nor begins.
static void put_program_text(stow_text *out, const char *string) {
  for (const char *c = string; *c; ++c) {
    const bool bound = c > string && ((c[-1] == '*' && *c == '/') || (c[-1] == '/' && *c == '*'));
    stow_text_printf(out, "%s%c", bound ? " " : "", iscntrl((unsigned char)*c) ? ' ' : *c);
  }
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// The C type that holds an integer of so many bits in memory, or NULL.
static const char *integer_type(unsigned bits, bool is_unsigned) {
  static const char *const types[][2] = {{"int8_t", "uint8_t"},
                                         {"int16_t", "uint16_t"},
                                         {"int32_t", "uint32_t"},
                                         {"int64_t", "uint64_t"}};
  for (size_t i = 0; i < 4; ++i)
    if (bits <= 8u << i)
      return types[i][is_unsigned];
  return NULL;
}

static bool is_unsigned_in_c(MlirType integer, bool is_unsigned) {
  return mlirIntegerTypeIsUnsigned(integer) || (is_unsigned && mlirIntegerTypeIsSignless(integer));
}

// What C has for an element that it does not know.
static const char BYTE[] = "unsigned char";

// What an element is in C. `is_unsigned` says what a signless integer is.
static const char *element_type(MlirType type, bool is_unsigned) {
  const char *found = NULL;
  if (mlirTypeIsAF32(type))
    found = "float";
  else if (mlirTypeIsAF64(type))
    found = "double";
  else if (mlirTypeIsAF16(type) || mlirTypeIsABF16(type))
    found = "uint16_t";
  else if (mlirTypeIsAIndex(type))
    found = "intptr_t";
  else if (mlirTypeIsAInteger(type))
    found = integer_type(mlirIntegerTypeGetWidth(type),
                         is_unsigned_in_c(type, is_unsigned) || mlirIntegerTypeGetWidth(type) == 1);
  return found ? found : BYTE;
}

// A scalar that is passed in C as it is in MLIR, or NULL.
static const char *scalar_type(MlirType type, bool is_unsigned) {
  if (mlirTypeIsAInteger(type)) {
    const unsigned bits = mlirIntegerTypeGetWidth(type);
    if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
      return NULL;
    return bits == 1 ? "bool" : integer_type(bits, is_unsigned_in_c(type, is_unsigned));
  }
  const bool same = mlirTypeIsAF32(type) || mlirTypeIsAF64(type) || mlirTypeIsAIndex(type);
  return same ? element_type(type, is_unsigned) : NULL;
}

// Whether a bare pointer says all of a memref.
static bool is_bare(MlirType type) {
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) &&
         stow_bridge_memref_has_identity_layout(type);
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

static char *descriptor_name(MlirType type, bool is_unsigned) {
  const char *element = element_type(mlirShapedTypeGetElementType(type), is_unsigned);
  char *word = stow_ir_c_name(element, false);
  char *name = mlirTypeIsAUnrankedMemRef(type)
                   ? stow_ir_format("stowage_memref_any")
                   : stow_ir_format("stowage_memref_%s_%d", word, (int)mlirShapedTypeGetRank(type));
  free(word);
  return name;
}

static void put_fields(header *h, MlirType type, bool is_unsigned) {
  const char *element = element_type(mlirShapedTypeGetElementType(type), is_unsigned);
  if (mlirTypeIsAUnrankedMemRef(type)) {
    stow_text_printf(&h->text, "  intptr_t rank;\n  void *descriptor;\n");
    return;
  }
  const int rank = (int)mlirShapedTypeGetRank(type);
  stow_text_printf(&h->text, "  %s *allocated, *aligned;\n  intptr_t offset;\n", element);
  if (rank > 0)
    stow_text_printf(&h->text, "  intptr_t sizes[%d], strides[%d];\n", rank, rank);
}

// Several headers may be included together, and have the same descriptors.
static void declare_descriptor(header *h, MlirType type, bool is_unsigned) {
  char *name = descriptor_name(type, is_unsigned);
  if (is_among(&h->descriptors, name)) {
    free(name);
    return;
  }
  char *guard = stow_ir_c_name(name, true);
  stow_text_printf(&h->text, "#ifndef %s\n#define %s\ntypedef struct {\n", guard, guard);
  put_fields(h, type, is_unsigned);
  stow_text_printf(&h->text, "} %s;\n#endif\n\n", name);
  STOW_PUSH(h->descriptors, name);
  free(guard);
}

static MlirType type_of(const stow_framed *framed) {
  return stow_ir_function_type(framed->function);
}

static bool takes_unsigned(const stow_framed *framed, intptr_t argument) {
  return stow_bridge_argument_has_attribute(framed->function, argument, STOW_UNSIGNED);
}

static bool returns_unsigned(const stow_framed *framed, intptr_t result) {
  return stow_bridge_result_has_attribute(framed->function, result, STOW_UNSIGNED);
}

static void declare_descriptors(header *h, const stow_framed *framed) {
  const MlirType type = type_of(framed);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    if (stow_ir_is_buffer(mlirFunctionTypeGetInput(type, i)))
      declare_descriptor(h, mlirFunctionTypeGetInput(type, i), takes_unsigned(framed, i));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    if (stow_ir_is_buffer(mlirFunctionTypeGetResult(type, i)))
      declare_descriptor(h, mlirFunctionTypeGetResult(type, i), returns_unsigned(framed, i));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

// Arguments before these are as they were; then come results, then the arena.
static intptr_t first_frame(const stow_framed *framed) {
  const intptr_t inputs = mlirFunctionTypeGetNumInputs(type_of(framed));
  return stow_backing_is(framed->backing, STOW_BACKING_IS_PASSED)
             ? inputs - (intptr_t)framed->needs.count
             : inputs;
}

static bool is_state(const stow_framed *framed, intptr_t i) {
  return stow_kept_by(framed->function).argument == i;
}

// Whether the caller need not know of what elements it is.
static bool is_bytes(const stow_framed *framed, intptr_t i) {
  return i >= first_frame(framed) || is_state(framed, i);
}

// "arena" of the default memory space, "arena_sram" of another one.
static char *arena_name(const stow_need *need) {
  char *suffix = stow_arena_space_suffix(need->space), *name = stow_ir_format("arena%s", suffix);
  free(suffix);
  return name;
}

static char *argument_name(const stow_framed *framed, intptr_t i) {
  const intptr_t frames = first_frame(framed), results = frames - (intptr_t)framed->moved.count;
  if (i >= frames)
    return arena_name(&framed->needs.at[i - frames]);
  if (i >= results)
    return framed->moved.count == 1 ? stow_ir_format("result")
                                    : stow_ir_format("result%d", (int)(i - results));
  if (is_state(framed, i))
    return stow_ir_format("state");
  const MlirAttribute result = stow_argument_attribute(framed->function, i, STOW_RESULT);
  if (!mlirAttributeIsNull(result) && mlirAttributeIsAInteger(result))
    return stow_ir_format("result%lld", (long long)mlirIntegerAttrGetValueInt(result));
  return stow_ir_format("arg%d", (int)i);
}

// What argument `i` must be aligned to beyond what its elements need, or 0.
static uint64_t promised_alignment(const stow_framed *framed, intptr_t i) {
  const intptr_t frames = first_frame(framed), results = frames - (intptr_t)framed->moved.count;
  const stow_kept state = stow_kept_by(framed->function);
  return i >= frames           ? framed->needs.at[i - frames].alignment
         : i >= results        ? framed->moved.at[i - results]
         : i == state.argument ? state.alignment
                               : 0;
}

// The names of what the bytes of a frame are computed from: as stated, where C takes them.

static bool is_read_name(const char *name) {
  return stow_ir_is_c_name(name) && strncmp(name, "arg", 3) != 0;
}

static char *read_name(const stow_read *read) {
  if (is_read_name(read->name))
    return stow_ir_copy_string(stow_ir_string(read->name));
  return read->dimension < 0 ? stow_ir_format("arg%lld", (long long)read->argument)
                             : stow_ir_format("arg%lld_%lld", (long long)read->argument,
                                              (long long)read->dimension);
}

// "n, m": each behind `before`.
static char *read_names(const stow_measure *measure, const char *before) {
  stow_text text = {0};
  for (size_t i = 0; i < measure->reads.count; ++i) {
    char *name = read_name(&measure->reads.at[i]);
    stow_text_printf(&text, "%s%s%s", i ? ", " : "", before, name);
    free(name);
  }
  return text.data ? stow_text_take(&text) : stow_ir_format("%s", *before ? "void" : "");
}

// "net_arena_bytes(n, m)": what says the bytes of a frame; NULL where that is a number.
static char *bytes_call(const stow_framed *framed, intptr_t i, const char *entry) {
  const stow_need *need =
      i < first_frame(framed) ? NULL : &framed->needs.at[i - first_frame(framed)];
  if (!need || !stow_frames_is_measured(need))
    return NULL;
  char *suffix = stow_arena_space_suffix(need->space), *names = read_names(&need->measure, "");
  char *call = stow_ir_format("%s_arena_bytes%s(%s)", entry, suffix, names);
  free(suffix);
  free(names);
  return call;
}

static void put_comment(header *h, const stow_framed *framed, const char *name, MlirType type,
                        uint64_t promised, const char *bytes) {
  const stow_layout layout = stow_layout_at(framed->function);
  stow_extent size = {0};
  uint64_t alignment = stow_ir_is_buffer(type) ? stow_ir_natural_alignment(&layout, type) : 1,
           unused;
  const bool known = !stow_ir_is_buffer(type) ||
                     strcmp(element_type(mlirShapedTypeGetElementType(type), false), BYTE) != 0;
  const uint64_t needed = promised > alignment ? promised : alignment;
  char *text = stow_ir_type_text(type);
  stow_text_printf(&h->text, " *   %s: ", name);
  put_program_text(&h->text, text);
  if (stow_ir_is_buffer(type) && stow_ir_memref_size(&layout, type, &size, &unused) == STOW_SIZE_OK)
    stow_text_printf(&h->text, ", %llu bytes", (unsigned long long)size.bytes);
  if (bytes)
    stow_text_printf(&h->text, ", %s bytes", bytes);
  if (needed > (known ? alignment : 1))
    stow_text_printf(&h->text, ", aligned to %llu", (unsigned long long)needed);
  stow_text_printf(&h->text, "\n");
  free(text);
}

// Says where a result is, unless it became an argument, and its type.
static void put_place(header *h, const stow_framed *framed, const stow_result_place *place,
                      intptr_t own) {
  MlirType type = mlirFunctionTypeGetInput(type_of(framed), place->argument);
  if (place->argument == own && mlirTypeEqual(type, place->type))
    return;
  char *name = argument_name(framed, place->argument), *text = stow_ir_type_text(place->type);
  stow_text_printf(&h->text, " *   result %lld of the program: ", (long long)place->result);
  put_program_text(&h->text, text);
  stow_text_printf(&h->text, " in %s\n", name);
  free(name);
  free(text);
}

static void put_places(header *h, const stow_framed *framed) {
  intptr_t own = first_frame(framed) - (intptr_t)framed->moved.count;
  STOW_EACH(const stow_result_place, place, framed->results) {
    put_place(h, framed, place, own);
    own += place->argument == own;
  }
}

static void put_comments(header *h, const stow_framed *framed, const char *symbol,
                         const char *entry) {
  MlirType type = type_of(framed);
  stow_text_printf(&h->text, "/* %s\n", symbol);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i) {
    char *name = argument_name(framed, i);
    char *bytes = bytes_call(framed, i, entry);
    put_comment(h, framed, name, mlirFunctionTypeGetInput(type, i), promised_alignment(framed, i),
                bytes);
    free(name);
    free(bytes);
  }
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    put_comment(h, framed, "returns", mlirFunctionTypeGetResult(type, i), 0, NULL);
  put_places(h, framed);
  stow_text_printf(&h->text, " */\n");
}

//===----------------------------------------------------------------------===//
// Prototypes
//===----------------------------------------------------------------------===//

// An argument or a result.
typedef struct passed {
  MlirType type;
  bool bytes, is_unsigned;
} passed;

static passed argument_at(const stow_framed *framed, intptr_t i) {
  return (passed){mlirFunctionTypeGetInput(type_of(framed), i), is_bytes(framed, i),
                  takes_unsigned(framed, i)};
}

static passed result_at(const stow_framed *framed, intptr_t i) {
  return (passed){mlirFunctionTypeGetResult(type_of(framed), i), false,
                  returns_unsigned(framed, i)};
}

// Its type, as one way to call has it; NULL where it cannot be had. Freed with free().
typedef char *way_fn(passed one);

static char *bare(passed one) {
  if (is_bare(one.type))
    return one.bytes ? stow_ir_format("void *")
                     : stow_ir_format("%s *", element_type(mlirShapedTypeGetElementType(one.type),
                                                           one.is_unsigned));
  const char *scalar = stow_ir_is_buffer(one.type) ? NULL : scalar_type(one.type, one.is_unsigned);
  return scalar ? stow_ir_format("%s ", scalar) : NULL;
}

static char *by_descriptor(passed one) {
  if (stow_ir_is_buffer(one.type)) {
    char *name = descriptor_name(one.type, one.is_unsigned),
         *pointer = stow_ir_format("%s *", name);
    free(name);
    return pointer;
  }
  const char *scalar = scalar_type(one.type, one.is_unsigned);
  return scalar ? stow_ir_format("%s ", scalar) : NULL;
}

// Appends the arguments. False where one has no such type.
static bool put_arguments(stow_text *out, const stow_framed *framed, way_fn *way, bool more) {
  MlirType type = type_of(framed);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i) {
    char *text = way(argument_at(framed, i)), *name = argument_name(framed, i);
    if (text)
      stow_text_printf(out, "%s%s%s", more || i ? ", " : "", text, name);
    free(text);
    free(name);
    if (!text)
      return false;
  }
  if (!more && mlirFunctionTypeGetNumInputs(type) == 0)
    stow_text_printf(out, "void");
  return true;
}

static void put_or_say(header *h, stow_text *prototype, const char *why_not) {
  if (why_not)
    stow_text_printf(&h->text, "/* %s */\n", why_not);
  else
    stow_text_printf(&h->text, "%s);\n", prototype->data);
  free(prototype->data);
}

static void put_bare(header *h, const stow_framed *framed, const char *symbol) {
  MlirType type = type_of(framed);
  const intptr_t results = mlirFunctionTypeGetNumResults(type);
  char *returned = results == 1 ? bare(result_at(framed, 0)) : NULL;
  const char *why_not = stow_ir_is_c_function(symbol)
                            ? "no bare pointers: C's library has that name"
                        : results > 1               ? "no bare pointers: it returns several values"
                        : results == 1 && !returned ? "no bare pointers: of what it returns"
                                                    : NULL;
  stow_text prototype = {0};
  stow_text_printf(&prototype, "%s%s(", returned ? returned : "void ", symbol);
  if (!put_arguments(&prototype, framed, bare, false) && !why_not)
    why_not = "no bare pointers: an argument's sizes or strides are known only at run time, or C "
              "has no such type";
  put_or_say(h, &prototype, why_not);
  free(returned);
}

// What is more than one number is returned behind a pointer, the first argument.
static bool put_results(header *h, stow_text *prototype, const stow_framed *framed,
                        const char *symbol) {
  MlirType type = type_of(framed);
  const intptr_t results = mlirFunctionTypeGetNumResults(type);
  if (results == 0) {
    stow_text_printf(prototype, "void _mlir_ciface_%s(", symbol);
    return true;
  }
  if (results == 1) {
    const passed returned = result_at(framed, 0);
    char *text = by_descriptor(returned);
    if (text && stow_ir_is_buffer(returned.type))
      stow_text_printf(prototype, "void _mlir_ciface_%s(%sreturned", symbol, text);
    else if (text)
      stow_text_printf(prototype, "%s_mlir_ciface_%s(", text, symbol);
    free(text);
    return text != NULL;
  }
  stow_text fields = {0};
  bool ok = true;
  for (intptr_t i = 0; i < results && ok; ++i) {
    const passed returned = result_at(framed, i);
    const char *scalar = scalar_type(returned.type, returned.is_unsigned);
    char *text = stow_ir_is_buffer(returned.type)
                     ? descriptor_name(returned.type, returned.is_unsigned)
                 : scalar ? stow_ir_format("%s", scalar)
                          : NULL;
    ok = text != NULL;
    if (ok)
      stow_text_printf(&fields, "  %s result%d;\n", text, (int)i);
    free(text);
  }
  char *wanted = stow_ir_format("%s_results", symbol),
       *name = stow_ir_take_free_name(&h->names, wanted);
  if (ok)
    stow_text_printf(&h->text, "typedef struct {\n%s} %s;\n", fields.data, name);
  stow_text_printf(prototype, "void _mlir_ciface_%s(%s *returned", symbol, name);
  free(wanted);
  free(name);
  free(fields.data);
  return ok;
}

static void put_interface(header *h, const stow_framed *framed, const char *symbol) {
  if (!stow_ir_has_attribute(framed->function, "llvm.emit_c_interface")) {
    stow_text_printf(&h->text, "/* no C interface: it has no llvm.emit_c_interface */\n");
    return;
  }
  stow_text prototype = {0};
  const char *why_not = "no C interface: C has no type for an argument or a result";
  if (put_results(h, &prototype, framed, symbol)) {
    const bool more = prototype.data[prototype.size - 1] != '(';
    if (put_arguments(&prototype, framed, by_descriptor, more))
      why_not = NULL;
  }
  put_or_say(h, &prototype, why_not);
}

// C takes a result for one that fills its register: a value that is narrower is extended as its
// C type is. LLVM does so where it is told. How an unsigned one of 32 bits is extended depends on
// the machine.
static void extend_result(const stow_framed *framed) {
  MlirType type = type_of(framed);
  if (mlirFunctionTypeGetNumResults(type) != 1)
    return;
  MlirType result = mlirFunctionTypeGetResult(type, 0);
  if (!mlirTypeIsAInteger(result) || !scalar_type(result, false) ||
      stow_bridge_result_has_attribute(framed->function, 0, "llvm.signext") ||
      stow_bridge_result_has_attribute(framed->function, 0, "llvm.zeroext"))
    return;
  const unsigned bits = mlirIntegerTypeGetWidth(result);
  const bool is_unsigned = is_unsigned_in_c(result, returns_unsigned(framed, 0));
  if (bits == 1 || (bits < 32 && is_unsigned))
    stow_bridge_mark_result(framed->function, 0, "llvm.zeroext");
  else if (bits < 64 && !is_unsigned)
    stow_bridge_mark_result(framed->function, 0, "llvm.signext");
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static void put_macros(header *h, const char *upper, const char *suffix, const stow_need *need) {
  char *upper_suffix = stow_ir_c_name(suffix, true);
  if (!stow_frames_is_measured(need))
    stow_text_printf(&h->text, "#define %s_ARENA_BYTES%s %llu\n", upper, upper_suffix,
                     (unsigned long long)need->bytes);
  stow_text_printf(&h->text, "#define %s_ARENA_ALIGNMENT%s %llu\n", upper, upper_suffix,
                   (unsigned long long)need->alignment);
  free(upper_suffix);
}

static void put_space(header *h, MlirAttribute attribute) {
  char *space = stow_attribute_text(attribute);
  stow_text_printf(&h->text, "/* memory space ");
  put_program_text(&h->text, space);
  stow_text_printf(&h->text, " */\n");
  free(space);
}

// What the arguments of a function are that tells bytes, and what it computes.
static void put_measure(header *h, const stow_measure *measure) {
  for (size_t i = 0; i < measure->reads.count; ++i) {
    const stow_read *read = &measure->reads.at[i];
    char *name = read_name(read);
    stow_text_printf(&h->text, "%s %s: ", i ? " *" : "/*", name);
    if (read->dimension >= 0)
      stow_text_printf(&h->text, "dimension %lld of ", (long long)read->dimension);
    stow_text_printf(&h->text, "arg%lld%s\n", (long long)read->argument,
                     read->dimension < 0 ? " itself" : "");
    free(name);
  }
  stow_text_printf(&h->text, "%s bytes: ", measure->reads.count ? " *" : "/*");
  put_program_text(&h->text, measure->text);
  stow_text_printf(&h->text, " */\n");
}

static void put_functions(header *h, const stow_need *need, const char *entry, const char *suffix) {
  char *arguments = read_names(&need->measure, "intptr_t ");
  if (stow_frames_is_measured(need))
    put_measure(h, &need->measure);
  stow_text_printf(&h->text,
                   "intptr_t %s_arena_bytes%s(%s);\nintptr_t %s_arena_alignment%s(void);\n", entry,
                   suffix, arguments, entry, suffix);
  free(arguments);
}

// Of two entry points whose names are one in capitals the first one has macros.
static void put_sizes(header *h, const stow_framed *framed, const char *entry) {
  char *upper = stow_ir_c_name(entry, true), *macro = stow_ir_format("%s_ARENA_BYTES", upper);
  const bool taken = !stow_ir_take_name(&h->names, macro);
  if (taken)
    stow_text_printf(&h->text, "/* %s: no macros, as %s is that of another */\n",
                     stow_ir_has_c_letters(entry) ? entry : "one more", macro);
  STOW_EACH(const stow_need, need, framed->needs) {
    char *suffix = stow_arena_space_suffix(need->space);
    if (!mlirAttributeIsNull(need->space))
      put_space(h, need->space);
    if (!taken)
      put_macros(h, upper, suffix, need);
    if (stow_ir_has_c_letters(entry))
      put_functions(h, need, entry, suffix);
    free(suffix);
  }
  free(upper);
  free(macro);
}

// What the caller keeps from call to call, and what writes it before the first.
static void put_state(header *h, const stow_framed *framed, const char *entry) {
  const stow_kept state = stow_kept_by(framed->function);
  char *init = stow_ir_format("%s" STOW_STATE_INIT_SUFFIX, entry);
  const bool there = state.argument >= 0 && stow_ir_has_c_letters(entry) &&
                     !mlirOperationIsNull(stow_bridge_symbol_named(h->frames->module, init));
  if (there) {
    char *upper = stow_ir_c_name(entry, true);
    stow_text_printf(&h->text,
                     "#define %s_STATE_BYTES %llu\n#define %s_STATE_ALIGNMENT %llu\n"
                     "/* writes the state before the first call */\nvoid %s(void *state);\n",
                     upper, (unsigned long long)state.bytes, upper,
                     (unsigned long long)state.alignment, init);
    if (stow_ir_has_attribute(framed->function, "llvm.emit_c_interface"))
      stow_text_printf(&h->text, "void _mlir_ciface_%s(stowage_memref_int8_t_1 *state);\n", init);
    stow_text_printf(&h->text, "\n");
    free(upper);
  }
  free(init);
}

// What the header declares itself begins so.
static bool is_of_header(const char *name) {
  return strncmp(name, "stowage_memref_", strlen("stowage_memref_")) == 0 ||
         strncmp(name, "STOWAGE_", strlen("STOWAGE_")) == 0;
}

static void put_entry(header *h, const stow_framed *framed, const char *entry) {
  char *symbol = stow_ir_copy_string(stow_bridge_function_name(framed->function));
  put_sizes(h, framed, entry);
  stow_text_printf(&h->text, "\n");
  if (stow_ir_is_c_name(symbol) && !is_of_header(symbol)) {
    extend_result(framed);
    declare_descriptors(h, framed);
    put_state(h, framed, entry);
    put_comments(h, framed, symbol, entry);
    put_bare(h, framed, symbol);
    put_interface(h, framed, symbol);
  } else {
    stow_text_printf(&h->text, "/* no prototypes: C has no such name */\n");
  }
  stow_text_printf(&h->text, "\n");
  free(symbol);
}

static stow_symbol_names names_of_entries(const stow_frames *frames) {
  stow_symbol_names names = {.context = mlirOperationGetContext(frames->module)};
  for (size_t f = 0; f < frames->calls.function_count; ++f)
    if (frames->functions[f].entry)
      stow_map_note(&names.taken, stow_attribute_of(frames->functions[f].function, "sym_name").ptr);
  return names;
}

static void put_all(header *h, const stow_splits *splits) {
  for (size_t f = 0; f < h->frames->calls.function_count; ++f) {
    const stow_framed *framed = &h->frames->functions[f];
    char *entry = framed->entry ? stow_frames_entry_name(splits, framed->function) : NULL;
    if (entry)
      put_entry(h, framed, entry);
    free(entry);
  }
}

static char *guard_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *name = stow_ir_format("STOWAGE_%s", slash ? slash + 1 : path),
       *guard = stow_ir_c_name(name, true);
  free(name);
  return guard;
}

bool stow_frames_write_header(const stow_frames *frames, const stow_splits *splits) {
  const char *path = frames->options->header;
  if (!path)
    return true;
  header h = {.frames = frames, .names = names_of_entries(frames)};
  char *guard = guard_of(path);
  stow_text_printf(
      &h.text,
      "/* Made by merge-alloc{emit-header}: the entry points of a module, and the\n"
      " * memory that each needs while it runs, aligned to at least so many bytes. One\n"
      " * arena is for one call at a time. `NAME` is to be called where the module was\n"
      " * lowered with bare pointers, `_mlir_ciface_NAME` where it was not. */\n\n"
      "#ifndef %s\n#define %s\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
      guard, guard);
  put_all(&h, splits);
  stow_text_printf(&h.text, "#ifdef __cplusplus\n}\n#endif\n\n#endif /* %s */\n", guard);
  const bool ok =
      stow_text_write(&h.text, path) ||
      stow_ir_refuse(mlirOperationGetLocation(frames->module),
                     "merge-alloc: cannot write the header to '%s': %s", path, strerror(errno));
  free_strings(&h.descriptors);
  stow_symbol_names_free(&h.names);
  free(h.text.data);
  free(guard);
  return ok;
}
