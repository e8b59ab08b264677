//===- extents.h - sizes that are known at run time only, as formulas ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers that sizes are made of are read into formulas (formula.h), backwards
// through arithmetic, affine maps and views, to *variables*: numbers and dimensions of
// memrefs that nothing more is known of. The way back is emit_*: a formula as ops.
//
// index and i64 count modulo 2^64. Where the data layout has another index nothing is read.
// Quotients and comparisons are right where what they read does not wrap: that is proven where
// `exact` is set, and else assumed of factors up to 2^32.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_EXTENTS_H
#define STOWAGE_IR_EXTENTS_H

#include "ir/build.h"
#include "ir/formula.h"
#include "ir/size.h"

// A number that is read from the IR.
typedef struct stow_variable {
  MlirValue value;
  int64_t dimension; // of that memref; -1: the value itself
  int32_t next;      // another dimension of the same memref, or -1
  stow_formula formula;
  int64_t hint;  // a typical value; -1: none
  char *name;    // as stated, or "arg0[1]"; NULL for what is no argument
  bool stated;   // the name is
  bool is_bit;   // 0 or 1
  bool is_case;  // a bit: whether the value, an index, is `number`,
  bool is_whole; // or, where this is not set, whether its lowest 32 bits are
  int64_t number;
  MlirOperation loop; // an scf.while: the value, a bit, is that of its first iteration; or null
} stow_variable;

// What a cf.assert says of a variable: it is `by`, or, a limit, no more than that.
typedef struct stow_assertion {
  MlirOperation op;
  size_t variable;
  stow_formula by;
  bool is_limit;
} stow_assertion;

// The formulas of one function.
typedef struct stow_extents {
  MlirOperation function;
  bool bound;               // upper bounds count, not the formulas
  const stow_layout *exact; // tells what no buffer that exists is beyond; or NULL
  stow_formulas *formulas;
  bool readable;                       // index has 64 bits
  STOW_ARRAY(stow_variable) variables; // by their number
  STOW_ARRAY(stow_assertion) asserted; // in the order of the first block
  stow_map of_values;                  // numbers that were read: a formula
  stow_map dimensions;                 // memrefs: a variable that is a dimension of it
  stow_map cases;                      // indices: a variable that is a case of it
  stow_map taken;                      // first blocks of regions: what stow_ir_read_taken gave
} stow_extents;

// Freed with stow_extents_free.
stow_extents *stow_extents_create(MlirOperation function, const stow_layout *layout, bool bound);
void stow_extents_free(stow_extents *extents);

// Bytes that a ranked memref has, side by side, of which `unit` come with every element of its
// dynamic dimensions; STOW_NO_FORMULA where that cannot be read. A dimension below 0, which nothing
// allocates, counts as 0.
stow_formula stow_ir_read_extent(stow_extents *extents, MlirValue memref, uint64_t unit);

// With `exact`: bytes of a memref that exists wherever what is read from here on is asked for;
// STOW_NO_FORMULA where that cannot be read, or the elements do not lie side by side.
stow_formula stow_ir_read_existing(stow_extents *extents, MlirValue memref);

// An index as a formula.
stow_formula stow_ir_read_number(stow_extents *extents, MlirValue number);

// Whether stowage.dims tells anything of a variable that is of an argument.
bool stow_ir_is_stated(const stow_extents *extents, const stow_variable *variable);

// asserted.c: what the assertions of a function's first block tell, once; and stow_ir_read_extent
// as it is if those in front of the allocation hold.
void stow_ir_read_assertions(stow_extents *extents);
stow_formula stow_ir_asserted_extent(stow_extents *extents, MlirOperation alloc, uint64_t unit);

// Whether a region of an scf.if, an scf.index_switch or an scf.while runs when that does, as 1 or
// 0; STOW_NO_FORMULA of another op. And the same if that was read before, else STOW_NO_FORMULA.
stow_formula stow_ir_read_taken(stow_extents *extents, MlirOperation op, MlirRegion region);
stow_formula stow_ir_known_taken(const stow_extents *extents, MlirRegion region);

// The numbers of a loop's iterations: from `begin` on, below `end`.
typedef struct stow_loop_range {
  stow_formula begin, end;
  int64_t step; // positive
} stow_loop_range;

// Of an scf.for or affine.for. False where that cannot be read, or it is another op.
bool stow_ir_read_loop(stow_extents *extents, MlirOperation loop, stow_loop_range *out);

// The number of the variable that a value, which no more is known of, was read as; -1: it was not
// read.
int64_t stow_variable_of(const stow_extents *extents, MlirValue value);

// The number of the function's argument that a variable is, or is a dimension of; -1: none.
intptr_t stow_argument_of(const stow_extents *extents, const stow_variable *variable);

// "n", as stated, or "arg0[1]". Freed with free().
char *stow_argument_name(const stow_extents *extents, intptr_t argument, int64_t dimension);

// The index that a variable is, where its value is `value`.
MlirValue stow_ir_build_variable(const stow_builder *builder, const stow_variable *variable,
                                 MlirValue value);

// The numbers of the variables that formulas read, ascending. Freed with free().
size_t *stow_variables_of(const stow_extents *extents, const stow_formula *formulas, size_t count,
                          size_t *out_count);

// Whether a formula reads nothing but arguments of the function and their dimensions.
bool stow_ir_is_of_arguments(const stow_extents *extents, stow_formula formula);

// "2048*n + max(m, 64)". Variables that are no arguments are v0, v1, ...; what is very long
// ends in "...". Freed with free().
char *stow_formula_text(const stow_extents *extents, stow_formula formula);

//===----------------------------------------------------------------------===//
// Back to IR
//===----------------------------------------------------------------------===//

// Whether a formula can be computed in front of an op: its variables are there, or pure ops that
// compute them can be repeated, of which no more than STOW_EXTENTS_MOST_REPEATED in a row are.
typedef enum stow_availability {
  STOW_NOT_AVAILABLE,
  STOW_TOO_DEEP, // all that is repeated can be, but more ops stand in a row
  STOW_AVAILABLE
} stow_availability;

stow_availability stow_availability_of(const stow_extents *extents, stow_formula formula,
                                       stow_dominance *dominance, MlirOperation before);
bool stow_ir_is_available(const stow_extents *extents, stow_formula formula,
                          stow_dominance *dominance, MlirOperation before);

// A product of two values, as an op.
typedef struct stow_product {
  MlirValue right, value;
  int32_t next; // another one with the same left factor, or -1
} stow_product;

// Formulas as ops at one place, each once.
typedef struct stow_emitter {
  const stow_extents *extents; // no formula is made any more
  stow_builder builder;
  stow_dominance *dominance;
  stow_constants *constants;   // at the same place
  const MlirValue *given;      // what stands for each variable, an index; NULL: itself does
  MlirValue *formulas, *atoms; // null: not yet
  stow_map first_product;      // of a left factor: an index of `products`
  STOW_ARRAY(stow_product) products;
  stow_map repeated; // pure ops, as indices of `copies`
  STOW_ARRAY(MlirOperation) copies;
} stow_emitter;

MlirValue stow_ir_emit(stow_emitter *emitter, stow_formula formula); // an index
void stow_emitter_free(stow_emitter *emitter);

#endif // STOWAGE_IR_EXTENTS_H
