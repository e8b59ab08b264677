//===- stowage/compiler.h - from a network's text to machine code ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WHAT. MLIR, Stowage's passes and LLVM as one library that needs no other: text becomes a
// module, pipelines rewrite it, and it becomes an object for a processor, or code of this process.
// It is for bindings of other languages; a C compiler that has MLIR uses stowage/passes.h.
//
//     stow_compiler *compiler = stow_compiler_create(told, NULL);
//     stow_module *module = stow_module_parse(compiler, "net.mlir", text);
//     if (module && stow_module_run(module, "builtin.module(merge-alloc{arena=argument public})")
//     &&
//         stow_module_lower(module, target))
//       stow_module_emit(module, target, STOW_OBJECT, write, file);
//
// PROMISES. No function prints, exits, or reads the clock; reports and headers that a pipeline asks
// for are written to the files that it names. A compiler and all that is made by it are for one
// thread at a time; two compilers know nothing of each other. What went wrong was told to the
// compiler's listener before the function returned.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_COMPILER_H
#define STOWAGE_COMPILER_H

#include "stowage/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef STOW_EXPORT
#define STOW_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stow_bytes {
  const char *data;
  size_t size;
} stow_bytes;

// Where text and objects go, in pieces of any length.
typedef void (*stow_write)(void *user, const char *data, size_t size);

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

typedef enum stow_message_kind {
  STOW_MESSAGE_ERROR,
  STOW_MESSAGE_WARNING,
  STOW_MESSAGE_NOTE,   // belongs to the message before
  STOW_MESSAGE_REMARK, // what a pass did
  STOW_MESSAGE_MISSED, // what it left alone
} stow_message_kind;

// Strings are the library's and last as long as the call; none is NULL.
typedef struct stow_message {
  stow_message_kind kind;
  const char *location;   // as MLIR prints it: loc("net.mlir":3:8)
  const char *text;       //
  const char *pass;       // of a remark, else ""
  const char *name;       // of a remark: "arena", "left-alone"
  const char *function;   // of a remark
  const char *reason;     // of a remark, or ""
  const char *suggestion; // of a remark, or ""
} stow_message;

typedef void (*stow_told)(void *user, const stow_message *message);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

typedef struct stow_compiler stow_compiler;
typedef struct stow_module stow_module;

// `told` may be NULL. NULL: out of memory.
STOW_EXPORT stow_compiler *stow_compiler_create(stow_told told, void *user);

// Its modules must be destroyed before.
STOW_EXPORT void stow_compiler_destroy(stow_compiler *compiler);

// Text or bytecode, NUL-terminated; `name` is what locations say.
// NULL: an error.
STOW_EXPORT stow_module *stow_module_parse(stow_compiler *compiler, const char *name,
                                           stow_bytes text);

// A large constant that the text of a module only names, as dense_resource<NAME>. Its bytes last as
// long as the compiler.
typedef struct stow_constant {
  const char *name;
  stow_bytes data;
  bool is_dense; // it becomes dense<...>, and its bytes need last no longer than the call
} stow_constant;

// Gives the compiler's first module what its text only names. False, and an error at the op: a
// dense constant has other bytes than its type.
STOW_EXPORT bool stow_module_fill(stow_module *module, const stow_constant *constants,
                                  size_t count);

// The module must have been lowered no further than a clone should be.
STOW_EXPORT stow_module *stow_module_clone(const stow_module *module);

STOW_EXPORT void stow_module_destroy(stow_module *module);

// As mlir-opt's --pass-pipeline.
STOW_EXPORT bool stow_module_run(stow_module *module, const char *pipeline);

STOW_EXPORT void stow_module_print(const stow_module *module, stow_write write, void *user);

// The public functions that have a body, with their types: "(tensor<4xf32>) -> tensor<3xf32>".
STOW_EXPORT void
stow_module_functions(const stow_module *module,
                      void (*found)(void *user, const char *name, const char *type), void *user);

// What an attribute of an argument says, as MLIR writes it: "[{max = 8 : i64, name = \"n\"}, {}]".
// False: there is none.
STOW_EXPORT bool stow_module_argument_says(const stow_module *module, const char *function,
                                           size_t index, const char *attribute, stow_write write,
                                           void *user);

// Erases from a function what stores into ml_program's globals: it only computes its results then.
// False, and an error: there is none of this name.
STOW_EXPORT bool stow_module_forget_stores(stow_module *module, const char *function);

// Bytes of constant globals: weights, once tensors are buffers.
STOW_EXPORT uint64_t stow_module_constant_bytes(const stow_module *module);

// What stowage-model keeps from call to call for a public function: `bytes`, aligned, which are the
// caller's and argument number `argument`. NAME_state_init(state), of the same object, writes what
// they hold before the first call. -1: it keeps nothing.
typedef struct stow_module_state {
  intptr_t argument;
  uint64_t bytes, alignment;
} stow_module_state;

STOW_EXPORT stow_module_state stow_module_find_state(const stow_module *module,
                                                     const char *function);

// Gives a function of the module another name, with all that mention it. False, and an error: there
// is none, or the name is taken.
STOW_EXPORT bool stow_module_rename(stow_module *module, const char *from, const char *to);

// Says that argument (or result) `index` of a function has no sign where MLIR's integers say
// nothing of it: the C header has uint8_t instead of int8_t. False, and an error: there is none.
STOW_EXPORT bool stow_module_mark_unsigned(stow_module *module, const char *function,
                                           bool is_result, size_t index);

//===----------------------------------------------------------------------===//
// Machine code
//===----------------------------------------------------------------------===//

typedef struct stow_target {
  const char *triple;   // "" or NULL: this computer's
  const char *cpu;      // "" or NULL: any of the triple; "host": this computer's, with its features
  const char *features; // as LLVM writes them, "+neon", or NULL
  bool position_independent;
} stow_target;

// The table of processors by a short name, such as "cortex-m4". False: there is none of this name.
STOW_EXPORT bool stow_target_find(const char *name, stow_target *out_target);

// Its names in order, or NULL past the last.
STOW_EXPORT const char *stow_target_name(size_t index);

// To the LLVM dialect: linalg as vectors where the target has registers for a tile, as loops
// elsewhere; memrefs as pointers, indices as wide as the target's.
STOW_EXPORT bool stow_module_lower(stow_module *module, const stow_target *target);

typedef enum stow_form {
  STOW_OBJECT,
  STOW_ASSEMBLY,
  STOW_LLVM_IR,
  STOW_CODE,      // an object without its large constants, which it finds at `stowage_weights`
  STOW_CONSTANTS, // those alone, for memory that begins at a multiple of 64
} stow_form;

// A lowered module, optimized as by `opt -O2`. Large constants of an object for ELF go from MLIR's
// memory to `write`, and LLVM does not see them. Those of code for this process may be read where
// they are, so that there is no copy in an object beside that of the loaded code.
STOW_EXPORT bool stow_module_emit(const stow_module *module, const stow_target *target,
                                  stow_form form, stow_write write, void *user);

// A static library of one object.
STOW_EXPORT void stow_archive(const char *member, stow_bytes object, stow_write write, void *user);

//===----------------------------------------------------------------------===//
// Code of this process
//===----------------------------------------------------------------------===//

typedef struct stow_code stow_code;

// A symbol that the object finds before those of the process.
typedef struct stow_symbol {
  const char *name;
  void *address;
} stow_symbol;

// An object of this computer's, in memory, which must stay there until the code is destroyed. NULL:
// an error.
STOW_EXPORT stow_code *stow_code_load(stow_compiler *compiler, stow_bytes object,
                                      const stow_symbol *symbols, size_t symbol_count);

// NULL: an error.
STOW_EXPORT void *stow_code_find(stow_code *code, const char *name);

STOW_EXPORT void stow_code_destroy(stow_code *code);

//===----------------------------------------------------------------------===//
// Plans and maps
//===----------------------------------------------------------------------===//

// stow_plan (plan.h), for those who have this library alone.
STOW_EXPORT stow_status stow_plan_run(const stow_problem *problem, const stow_plan_options *options,
                                      uint64_t *out_offsets, stow_plan_result *out_result);

// "65536", "64K", "64KiB", "2M", "1GiB" as bytes, as options of passes read them. False: it is no
// such text, or more than 64 bits.
STOW_EXPORT bool stow_parse_bytes(const char *text, uint64_t *out_bytes);

// The memory map of a plan as an SVG picture. `names` has one entry per buffer, or is NULL.
STOW_EXPORT stow_status stow_plan_svg(const stow_problem *problem, const char *const *names,
                                      const uint64_t *offsets, const stow_plan_result *result,
                                      uint64_t capacity, stow_write write, void *user);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_COMPILER_H
