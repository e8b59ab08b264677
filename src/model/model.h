//===- model.h - what a model needs before bufferization ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_MODEL_MODEL_H
#define STOWAGE_MODEL_MODEL_H

#include "ir/build.h"
#include "mlir-c/BuiltinAttributes.h"

// How far a value is followed.
enum { STOW_MODEL_MAX_STEPS = 1000 };

// No empty tensor is begun with twice: each use that is no output of an op has its own.
void stow_model_split_empty(MlirOperation module);

// Conditions of scf.while give on tensors of the number and the types that the loop takes.
void stow_model_even_out(MlirOperation module);

// What a loop carries stays in one buffer each. False after an error: it may change its size.
bool stow_model_keep_carried(MlirOperation module);

// Whether two tensors are of the same sizes in each run, if what each loop of the module carries
// has the sizes of what it begins with.
bool stow_model_has_sizes_of(MlirValue tensor, MlirValue other);

// Whether one of the op's regions runs, each of which yields its results.
bool stow_model_has_branches(MlirOperation op);

// The operand in whose memory a result is where bufferization writes in place, loops included; or
// null.
MlirValue stow_model_made_in(MlirOperation op, intptr_t result);

// The same of a value that is a result, or what it is a cast of.
MlirValue stow_model_made_of(MlirValue result);

// Whether a result of the op is made in the memory of a tensor.
bool stow_model_is_updated_by(MlirOperation op, MlirValue tensor);

// Whether bufferization makes a value in the memory of a tensor, without help.
bool stow_model_is_update(MlirValue value, MlirValue tensor);

// What branches or a select may yield as the value, one after another; null behind the last.
MlirValue stow_model_alternative(MlirValue value, intptr_t i);

// Whether the value is a tensor, or in its memory where branches yield it or a loop begins with it.
bool stow_model_may_be_in(MlirValue value, MlirValue tensor);

// What a function returns to callers in the module is memory of no one else's, or an argument.
void stow_model_own_results(MlirOperation module);

// Mutable globals of ml_program become memory of the caller's. False after an error, which leaves
// the module as it was.
bool stow_model_pass_state(MlirOperation module);

// Public functions whose arguments or results have sizes that are known at run time only get a C
// interface, which passes them.
void stow_model_give_interfaces(MlirOperation module);

// What public functions return becomes memory that they are given, where sizes are known at run
// time only and no op of the module mentions the function.
void stow_model_pass_results(MlirOperation module);

//===----------------------------------------------------------------------===//
// memory.c: tensors in memory that was there before
//===----------------------------------------------------------------------===//

// The memref of a ranked tensor, or null after an error.
MlirType stow_model_memref_of(MlirLocation location, MlirType tensor);

// An argument behind those that are there, with an attribute `mark`.
MlirValue stow_model_append_memory(MlirOperation function, MlirType memref, const char *mark,
                                   int64_t number);

// What the program puts into memory itself is copied there. eliminate-empty-tensors would compute
// it in that memory, where an update of the tensor is then made, too.
void stow_model_copy_deliveries(MlirOperation module);

// A tensor's contents in memory of their own.
MlirValue stow_model_build_own(const stow_builder *builder, MlirValue tensor);

// A tensor.empty that bufferization gives memory of its own. `sizes`: those that are dynamic.
MlirValue stow_model_build_unwritten(const stow_builder *builder, const MlirValue *sizes,
                                     size_t count, MlirType type);

// Copies a tensor, so that nothing that is stored later is seen through it.
void stow_model_build_store(const stow_builder *builder, MlirValue tensor, MlirValue memory);

#endif // STOWAGE_MODEL_MODEL_H
