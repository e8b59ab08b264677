//===- bridge.h - the questions that MLIR answers only in C++ -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes are C over mlir-c. What mlir-c lacks (interfaces, traits, memory
// effects, data layout, remarks) they ask here: one function per question, no
// decision taken on this side. Nothing returned is owned by the caller unless a
// function says so.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BRIDGE_H
#define STOWAGE_BRIDGE_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// What an operation is
//===----------------------------------------------------------------------===//

enum stow_op_fact {
  STOW_OP_FUNCTION = 1 << 0,          // FunctionOpInterface
  STOW_OP_CALL = 1 << 1,              // CallOpInterface
  STOW_OP_BRANCH = 1 << 2,            // BranchOpInterface
  STOW_OP_REGION_BRANCH = 1 << 3,     // RegionBranchOpInterface, all of whose edges stay inside
  STOW_OP_REGION_TERMINATOR = 1 << 4, // RegionBranchTerminatorOpInterface
  STOW_OP_TERMINATOR = 1 << 5,        // IsTerminator
  STOW_OP_RETURN = 1 << 6,            // ReturnLike
  STOW_OP_LOOP = 1 << 7,              // LoopLikeOpInterface
  STOW_OP_PARALLEL = 1 << 8,          // its region's iterations may run at once
  STOW_OP_ISOLATED = 1 << 9,          // IsIsolatedFromAbove
  STOW_OP_STRUCTURED = 1 << 10,    // LinalgOp, memref.generic_atomic_rmw: regions compute scalars
  STOW_OP_EFFECTS_KNOWN = 1 << 11, // its own effects are known, nested ops aside
  STOW_OP_GRAPH_REGION = 1 << 12,  // some region may have no order
  STOW_OP_FACTS_VARY = 1 << 13,    // of shared facts alone: others follow from the op's own regions
  STOW_OP_ALLOCATION = 1 << 14,    // AllocationOpInterface
};

uint32_t stow_op_facts(MlirOperation op);

// The part that all ops of the name share, and the whole from that: for walks that keep it by name.
uint32_t stow_bridge_op_shared_facts(MlirOperation op);
uint32_t stow_op_facts_with(MlirOperation op, uint32_t shared);

// One fact alone, for walks over everything.
bool stow_bridge_op_is_function(MlirOperation op);
bool stow_bridge_op_is_call(MlirOperation op);
bool stow_bridge_op_is_allocation(MlirOperation op);

// Whether the op, which has no regions, is of gpu's AsyncOpInterface: it begins behind its tokens,
// and is done when the token that it gives is; where it gives none, at once.
bool stow_bridge_op_is_asynchronous(MlirOperation op);

// The op's attribute `alignment`, or null.
MlirAttribute stow_bridge_op_alignment(MlirOperation op);

// Whether the op, or one around it, frees the stack memory of its regions
// (AutomaticAllocationScope). An async.func does not.
bool stow_bridge_op_has_stack(MlirOperation op);

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

enum stow_effect { STOW_READ = 1, STOW_WRITE = 2, STOW_ALLOCATE = 4, STOW_FREE = 8 };

// The op's own effects as masks: one per operand, one per result, and one for effects tied to no
// value. Meaningful for ops with STOW_OP_EFFECTS_KNOWN. The arrays have as many entries as the op
// has operands and results, and are zeroed first.
void stow_bridge_op_effects(MlirOperation op, uint8_t *out_operands, uint8_t *out_results,
                            uint8_t *out_other);

// Whether neither the op nor what is in its regions has any effect.
bool stow_bridge_op_has_no_effect(MlirOperation op);

// Whether, beside that, it may run where it would not have run.
bool stow_bridge_op_is_pure(MlirOperation op);

// Whether the operand is an output of a linalg op that sets every element behind it, and does not
// read what was there.
bool stow_bridge_is_overwritten_output(MlirOperation op, intptr_t operand);

// The operand of tensor type whose memory a result is in where bufferization writes in place: an
// output, or what a loop carries in; null where there is none.
MlirValue stow_bridge_updated_operand(MlirOperation op, intptr_t result);

// Which results are memory that the op allocates and that nothing frees by itself: an Allocate
// effect, and not on the resource of an automatic scope. One entry per result.
void stow_bridge_heap_results(MlirOperation op, bool *out_results);

// Whether the op says, by an interface, that memref.dealloc frees its first result.
bool stow_bridge_builds_memref_dealloc(MlirOperation op);

// Whether it says that an op of its own frees its one result, which says so by its effects; and
// that op, made before another one.
bool stow_bridge_builds_own_dealloc(MlirOperation op);
MlirOperation stow_bridge_build_own_dealloc(MlirOperation alloc, MlirOperation before);

// All attributes of an op, inherent ones too, as one.
MlirAttribute stow_bridge_op_attributes(MlirOperation op);

// Whether an op with STOW_OP_ALLOCATION makes one memref of static shape that memref.dealloc frees,
// and has no effect other than to allocate.
bool stow_bridge_only_allocates(MlirOperation op);

// Whether such an op says that it may run where it would not have run, and once for several times.
bool stow_bridge_may_be_hoisted(MlirOperation op);

typedef void (*stow_view_flow_fn)(void *user, MlirValue source, MlirValue target);

// Calls `fn` for each pair of an operand and a result that may be a view of it, for ops that tell:
// ViewLikeOpInterface, BufferViewFlowOpInterface. False for any other op.
bool stow_bridge_view_flow(MlirOperation op, stow_view_flow_fn fn, void *user);

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

// Region index that stands for the op itself: where control comes from before any region runs, and
// where it goes when the op is done.
#define STOW_PARENT (-1)

// A value that travels along an edge: operand `operand` of what control leaves becomes `target`.
// -1: a branch makes it itself.
typedef struct stow_pass {
  intptr_t operand;
  MlirValue target;
} stow_pass;

// Control leaves `end`, a branch or the terminator of a region; null: it leaves the op with regions
// itself. It enters `block`; null: it goes on behind the op, or a region that is empty.
typedef struct stow_control_edge {
  MlirOperation end;
  MlirBlock block;
  intptr_t successor; // of a branch, or -1
  intptr_t from, to;  // regions of the op with regions
  const stow_pass *passes;
  size_t count;
} stow_control_edge;

typedef void (*stow_control_edge_fn)(void *user, const stow_control_edge *edge);

// The edges of a BranchOpInterface op, and those of a RegionBranchOpInterface op.
void stow_bridge_branch_edges(MlirOperation op, stow_control_edge_fn fn, void *user);
void stow_bridge_region_edges(MlirOperation op, stow_control_edge_fn fn, void *user);

// Which of an op's operands travel along edges that the functions here tell of, of a region op, a
// terminator of one, or a branch: one entry per operand. What an op does with the others is its
// own.
void stow_bridge_forwarded_operands(MlirOperation op, bool *out_forwarded);

// Symbol lookup with a cache. Owned by the caller; valid while no symbol is added or removed.
typedef struct stow_symbols stow_symbols;
stow_symbols *stow_symbols_create(void);
void stow_symbols_destroy(stow_symbols *symbols);

// The function-like op that a CallOpInterface op calls, or null where it is not known.
MlirOperation stow_bridge_callee(MlirOperation call, stow_symbols *symbols);

// The function-like op that an op names by an attribute, or null.
MlirOperation stow_bridge_named_function(MlirOperation op, const char *attribute,
                                         stow_symbols *symbols);

// Index of the first operand of a call that is passed as an argument, and how many are.
void stow_bridge_call_arguments(MlirOperation call, intptr_t *out_first, intptr_t *out_count);

// The body of a FunctionOpInterface op; a null region for a declaration.
MlirRegion stow_bridge_function_body(MlirOperation function);

// How many arguments and results a FunctionOpInterface op has.
intptr_t stow_bridge_function_argument_count(MlirOperation function);
intptr_t stow_bridge_function_result_count(MlirOperation function);

// Whether argument `index` of a FunctionOpInterface op has an attribute of that name.
bool stow_bridge_argument_has_attribute(MlirOperation function, intptr_t index, const char *name);

// The same of result `index`.
bool stow_bridge_result_has_attribute(MlirOperation function, intptr_t index, const char *name);
void stow_bridge_mark_result(MlirOperation function, intptr_t index, const char *name);

void stow_bridge_set_argument_attribute(MlirOperation function, intptr_t index, const char *name,
                                        MlirAttribute value);

// Such an attribute, of a declaration: who calls it must not free the result.
#define STOW_BORROWED "stowage.borrowed"

// The symbol name of a function-like op, or "" where it has none.
MlirStringRef stow_bridge_function_name(MlirOperation function);

// Adds a last argument to a FunctionOpInterface op that has a body. Calls are the caller's affair.
MlirValue stow_bridge_append_argument(MlirOperation function, MlirType type, MlirLocation location);

// Adds last operands to an op that takes any number of them.
void stow_bridge_append_operands(MlirOperation op, const MlirValue *operands, intptr_t count);

void stow_bridge_erase_operand(MlirOperation op, intptr_t index);

// The use of a value by an op, as that operand.
MlirOpOperand stow_bridge_use_by(MlirOperation op, intptr_t index);

// Takes result `index` out of the type of a FunctionOpInterface op. What is returned, and calls,
// are the caller's affair.
void stow_bridge_erase_result_type(MlirOperation function, intptr_t index);

// What a symbol names that an op of `root` mentions; null where it is nothing.
typedef void (*stow_symbol_use_fn)(void *user, MlirOperation mentions, MlirOperation symbol);

// Calls `fn` for each mention of a symbol in the symbol table `root`. False where some op hides
// what it mentions.
bool stow_bridge_symbol_uses(MlirOperation root, stow_symbols *symbols, stow_symbol_use_fn fn,
                             void *user);

// The op of that name in the symbol table `root`, or null.
MlirOperation stow_bridge_symbol_named(MlirOperation root, const char *name);

// Gives a symbol another name; what mentions it keeps the old one.
void stow_bridge_rename_symbol(MlirOperation symbol, const char *name);

// Whether only ops of its own symbol table can mention it.
bool stow_bridge_is_private(MlirOperation symbol);

// Which blocks of a region stand on every path from others to the region's end. Owned by the
// caller; valid while no block changes.
typedef struct stow_post_dominance stow_post_dominance;
stow_post_dominance *stow_post_dominance_create(MlirOperation op);
void stow_post_dominance_destroy(stow_post_dominance *dominance);
bool stow_bridge_post_dominates(stow_post_dominance *dominance, MlirBlock block, MlirBlock of);

// Which values are computed on every path to where an op stands. Owned by the caller; valid while
// no block changes.
typedef struct stow_dominance stow_dominance;
stow_dominance *stow_dominance_create(MlirOperation op);
void stow_dominance_destroy(stow_dominance *dominance);
bool stow_bridge_dominates(stow_dominance *dominance, MlirValue value, MlirOperation op);

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// Width of index at `scope`, in bits.
uint64_t stow_bridge_index_bits(MlirOperation scope);

// Whether an op around `scope` specifies a data layout.
bool stow_bridge_layout_is_specified(MlirOperation scope);

// Size and ABI alignment in bytes that the data layout at `scope` gives to a number, or to a type
// that brings its own layout (DataLayoutTypeInterface: llvm.ptr and friends). False for any other
// type.
bool stow_bridge_layout_of(MlirOperation scope, MlirType type, uint64_t *out_size,
                           uint64_t *out_alignment);

// Whether a value of this type can hold neither an address nor a promise of later work: numbers and
// vectors and complex of numbers.
bool stow_bridge_type_is_plain(MlirType type);

bool stow_bridge_memref_has_identity_layout(MlirType type);

// Whether the type stands for nothing but work that will be done: !async.token, !async.group,
// !gpu.async.token, !mpi.request and !nvgpu.device.async.token.
bool stow_bridge_type_is_token(MlirType type);

// What shared memory that a !nvgpu.tensormap.descriptor loads to is aligned to: bytes.
uint64_t stow_bridge_tma_alignment(MlirType map);

// How many mbarriers an !nvgpu.mbarrier.group has.
uint64_t stow_bridge_mbarriers_in(MlirType group);
bool stow_bridge_type_is_tensor(MlirType type);

// Whether a memref.cast takes memrefs of one type to the other.
bool stow_bridge_can_cast(MlirType from, MlirType to);

// Gives memrefs, in all types of `root`, the memory space that `map` makes of theirs; null is the
// default one.
typedef MlirAttribute (*stow_space_fn)(const void *user, MlirAttribute space);
void stow_bridge_replace_memory_spaces(MlirOperation root, stow_space_fn map, const void *user);

//===----------------------------------------------------------------------===//
// Diagnostics and remarks
//===----------------------------------------------------------------------===//

typedef struct stow_note {
  MlirLocation location;
  const char *text;
} stow_note;

void stow_bridge_error(MlirLocation location, const char *text, const stow_note *notes,
                       size_t note_count);

enum stow_remark_kind { STOW_REMARK_PASSED, STOW_REMARK_MISSED, STOW_REMARK_ANALYSIS };

typedef struct stow_remark {
  enum stow_remark_kind kind;
  MlirLocation location;
  const char *category;   // the pass: what --remarks-filter matches
  const char *name;       // what is said, as one word
  MlirStringRef function; //
  const char *text;       //
  const char *reason;     // or NULL
  const char *suggestion; // or NULL
  size_t count;           // of what it speaks of; 0: one
} stow_remark;

// Has each remark given to `count` as well, its texts aside, in the whole process.
void stow_bridge_count_remarks(void (*count)(const stow_remark *remark));

// Whether anybody listens. Without this a caller would build texts in vain.
bool stow_remarks_enabled(MlirContext context);
void stow_remark_emit(const stow_remark *remark);

// Freed with free() by who is told them. The last two may be NULL.
typedef struct stow_remark_texts {
  char *text, *reason, *suggestion;
} stow_remark_texts;

// The same with texts that are built where somebody wants this remark, by its kind and category: an
// engine may be there, and its filters let nothing through.
void stow_remark_build(const stow_remark *remark, stow_remark_texts (*build)(const void *user),
                       const void *user);

// One line that says why a pass did nothing, as an analysis remark named `nothing-done`.
void stow_remark_idle_pass(MlirOperation module, const char *pass, const char *why);

// The same, and to whom stow_bridge_listen names.
void stow_bridge_tell_idle_pass(MlirOperation module, const char *pass, const char *why);

// Whether anybody takes such lines.
bool stow_bridge_somebody_listens(MlirContext context);

// Has such lines given to `line` as well, as "PASS: WHY", in the whole process. For the main of a
// tool, before anything runs; a plugin is silent.
void stow_bridge_listen(void (*line)(const char *text));

// Until it is called with false, nobody on this thread is told anything but errors.
void stow_bridge_mute(bool mute);

// Until it is called with NULL, remarks on this thread go to `take` and to nobody else. It copies
// what it keeps of texts; other strings live as long as the context.
void stow_bridge_divert_remarks(void (*take)(void *user, const stow_remark *remark), void *user);

// Loads the dialects of the ops that rewrites make: arith, bufferization, cf, linalg, memref, scf.
// Where they are not loaded yet, outside of a pass manager only.
void stow_bridge_load_dialects(MlirContext context);

// Ends the process as MLIR itself does when memory is exhausted. Does not return.
void stow_bridge_out_of_memory(void);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_BRIDGE_H
