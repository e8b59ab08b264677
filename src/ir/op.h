//===- op.h - what an op does to memory -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one reader of ops, for all passes but the checker. It knows an op by
//
//   facts     what its interfaces say, from the bridge
//   traits    what its name says: its row in ops.def. Interfaces do not tell of a load that its
//             result is no view, or of an op that it starts work and returns.
//   effects   what it reads, writes, allocates and frees, by operand and result
//   fates     from all three: what becomes of the address of one operand
//
// An op that is treated wrongly is wrong in its row.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_OP_H
#define STOWAGE_IR_OP_H

#include "bridge/bridge.h"
#include "ir/support.h"

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

typedef enum stow_op_kind {
#define OP(kind, name, traits) STOW_##kind,
#include "ir/ops.def"
  STOW_OP_KINDS
} stow_op_kind;

// What the indices of a view say of its source's, by its row in ops.def.
typedef enum stow_view_form {
  STOW_VIEW_NONE,     // it is no view
  STOW_VIEW_SAME,     // they are the same, and so is the type
  STOW_VIEW_CAST,     // the same; the type tells more or less of the shape and the strides
  STOW_VIEW_MOVED,    // the same, in another memory space
  STOW_VIEW_PART,     // offsets and steps, and some dimensions are left out: memref.subview's
                      // attributes
  STOW_VIEW_JOINED,   // groups of dimensions become one: memref.collapse_shape's attributes
  STOW_VIEW_SPLIT,    // one becomes a group: memref.expand_shape's
  STOW_VIEW_PERMUTED, // the same in another order
  STOW_VIEW_OTHER,    // nothing
  STOW_VIEW_FORMS
} stow_view_form;

// The predicates of arith.cmpi.
enum stow_predicate {
  STOW_EQUAL,
  STOW_NOT_EQUAL,
  STOW_LESS, // these four with a sign
  STOW_AT_MOST,
  STOW_GREATER,
  STOW_AT_LEAST,
  STOW_UNSIGNED_LESS, // and without one
  STOW_UNSIGNED_AT_MOST,
  STOW_UNSIGNED_GREATER,
  STOW_UNSIGNED_AT_LEAST,
};

enum stow_trait {
  STOW_ALLOCATES_HEAP = 1 << 0,     // new memory until an op frees it
  STOW_ALLOCATES_STACK = 1 << 1,    // new memory until the nearest scope ends
  STOW_CLONES = 1 << 2,             // new memory, or its source where nobody writes either
  STOW_DEALLOCATES = 1 << 3,        // frees its operand
  STOW_FREES_BY_BIT = 1 << 4,       // frees its operands where bits say so
  STOW_VIEWS = 1 << 5,              // does nothing but make a view of its first operand
  STOW_FREED_AS_SOURCE = 1 << 6,    // memref.dealloc may take its memref results for their source,
                                    // and frees all of it
  STOW_BASE_OF_SOURCE = 1 << 7,     // their base has the address of their source's
  STOW_TELLS_SHAPE = 1 << 8,        // its numbers are of a shape, not of an address
  STOW_GIVES_CONTENTS = 1 << 9,     // its result was stored in the operand and is no view of it
  STOW_PROMISES_DISTINCT = 1 << 10, // result i is operand i, and no two of them alias
  STOW_STARTS_WORK = 1 << 11,       // and returns before the work is done
  STOW_GIVES_TOKEN = 1 << 12,       // a result stands for work that uses its operands, or it waits
  STOW_WAITS = 1 << 13,             // for the work of its tokens or its tag, if it gives no token
  STOW_RUNS_LATER = 1 << 14,        // its region may run when the op is done
  STOW_RUNS_ONCE = 1 << 15,         // its region runs exactly once, before the op is done
  STOW_REGIONS_AS_TOLD = 1 << 16,   // its regions run as its interfaces say, before it is done
  STOW_REGIONS_MAY_LAST = 1 << 17,  // its interfaces do not say that its regions end when it does
  STOW_NEVER_RETURNS = 1 << 18,     // control does not leave it
  STOW_SUSPENDS = 1 << 19,          // the function may return here and go on later
  STOW_UNIFORM = 1 << 20,           // its results are equal in all threads where its operands are
  STOW_OF_GPU = 1 << 21,            // of the GPU dialect
  STOW_HAS_ASYNC_CLAUSE = 1 << 22,  // attributes may say that it starts work
  STOW_MARKS = 1 << 23,             // says where a life begins or ends
  STOW_SETS_TARGET = 1 << 24,       // sets all of its second operand and does not read it
  STOW_FREED_BY_DEALLOC = 1 << 25,  // memref.dealloc frees its results
  STOW_ANY_STRIDES = 1 << 26,       // takes memrefs of any strides, and says so in no result's type
  STOW_UNIT_STRIDE = 1 << 27,       // the same, where the last dimension is contiguous
  STOW_TOTAL = 1 << 28,             // numbers of numbers, whatever these are: it traps on none
  STOW_PLAIN_ALLOC = 1 << 29,       // makes one buffer on the heap and does nothing else
  STOW_TAKES_SIZES = 1 << 30,       // its first operands are its result's dynamic dimensions
  STOW_ATOMIC =
      1u << 31, // others may see the order of its accesses, if its attributes do not say no
  STOW_ALLOCATES_DEVICE = UINT64_C(1) << 32, // new memory of a device, which an op of its own frees
  STOW_DEALLOCATES_DEVICE = UINT64_C(1) << 33, // frees its last operand, such memory
  STOW_MAY_NOT_END = UINT64_C(1) << 34,        // its regions may run again for ever
};

typedef uint64_t stow_traits; // a set of them

// What all ops of a name share.
typedef struct stow_named_op {
  uint32_t facts; // stow_bridge_op_shared_facts
  stow_traits traits;
} stow_named_op;

// Looked up once per name: a module has many ops, but few names. Begins as zeros, and no dialect is
// loaded while it is there.
typedef struct stow_by_name {
  stow_map index;
  STOW_ARRAY(stow_named_op) known;
} stow_by_name;

stow_named_op stow_ir_look_up(stow_by_name *names, MlirOperation op);
void stow_by_name_free(stow_by_name *names);

bool stow_ir_is(MlirOperation op, stow_op_kind kind);
stow_view_form stow_view_form_of(MlirOperation op);
const char *stow_ir_kind_name(stow_op_kind kind); // "memref.alloc"
stow_traits stow_ir_op_traits(MlirOperation op);

// Whether the value is a result of an op of this kind.
bool stow_ir_is_result_of(MlirValue value, stow_op_kind kind);

// Whether the value is a view that an op makes of its first operand; whether a use is by such an
// op.
bool stow_ir_is_view(MlirValue value);
bool stow_ir_makes_view(MlirOpOperand use);

// The uses of a value by all its names: those of a view follow the use that makes it. No use may go
// or come while the body runs. Memory is constant, however long chains of views are.
#define STOW_EACH_USE_OF_NAMES(use, value)                                                         \
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);                 \
       use = stow_ir_next_use_of_names(use, value))
MlirOpOperand stow_ir_next_use_of_names(MlirOpOperand use, MlirValue value);

// Whether the indices of a view are those of its source, and whether it has all elements of it.
bool stow_ir_view_keeps_indices(MlirOperation op);
bool stow_ir_view_is_whole(MlirOperation op);

// Whether the op, or what makes the value, allocates memory that nothing else has a name for.
bool stow_ir_is_allocation(MlirOperation op);
bool stow_ir_is_local_allocation(MlirValue value);

// Whether the op, or what makes the value, is an allocation that a rewrite may move, copy, drop, or
// replace by one of another type. Rewrites leave all others alone.
bool stow_ir_is_plain_alloc(MlirOperation op);
bool stow_ir_is_plainly_made(MlirValue value);

// The operand that says how large a dynamic dimension is of what an op with STOW_TAKES_SIZES makes.
MlirValue stow_ir_size_operand(MlirOperation alloc, int64_t dimension);

// Whether the value is an arith.constant of an index or an integer of up to 64 bits; its number.
bool stow_ir_constant_of(MlirValue value, int64_t *out_number);

//===----------------------------------------------------------------------===//
// By name, attributes and types
//===----------------------------------------------------------------------===//

// Whether a type is one the analyses follow: a memref, ranked or not.
bool stow_ir_is_buffer(MlirType type);

// Whether an operand, or a result, of the op is one.
bool stow_ir_takes_buffer(MlirOperation op);
bool stow_ir_gives_buffer(MlirOperation op);

// The blocks with a terminator in whose ops memory may be touched, not those in which linalg
// computes elements; outer ones first. Freed with free(list.at).
stow_block_list stow_ir_memory_blocks_in(MlirOperation root);

// A ranked memref whose elements lie at strides, so that its allocation is known from the type.
bool stow_ir_is_strided(MlirType type);

// Whether the op starts work and returns: its row or its attributes say so.
bool stow_ir_starts_work(MlirOperation op);
bool stow_ir_starts_work_with(MlirOperation op, stow_traits traits); // the traits are known

// Whether some result is neither a buffer nor a number. It may stand for a buffer (a pointer, a
// tensor) or for work that is still to come (a token).
bool stow_ir_makes_handle(MlirOperation op);

// Whether `result` of an op that does not allocate it may be the buffer `operand`, by its row.
bool stow_ir_may_rename(MlirOperation op, intptr_t operand, intptr_t result);

// Whether the op sets every element behind `value`, a ranked memref, without a look at what was
// there.
bool stow_ir_overwrites(MlirOperation op, MlirValue value);
bool stow_ir_overwrites_with(MlirOperation op, MlirValue value, stow_traits traits);

// Whether the op tells the shape of a memref, which outlives the memory, and nothing of what is in
// it.
bool stow_ir_only_tells_shape(MlirOperation op, stow_traits traits);

// Whether memref.dealloc is what frees the results of an op that allocates.
bool stow_ir_is_freed_by_dealloc(MlirOperation op);

// Whether an op of its own frees it, which is no memref.dealloc.
bool stow_ir_has_own_dealloc(MlirOperation op);

// Whether the program itself frees what the op allocates, or frees by the op:
// bufferization.manual_deallocation says so.
bool stow_ir_is_manual(MlirOperation op);
void stow_ir_set_manual(MlirOperation op);

// Whether an op with STOW_FREES_BY_BIT frees the operand, rather than compare or retain it; and the
// bit that says when.
bool stow_frees_by_bit(MlirOperation op, intptr_t operand);
MlirValue stow_ir_bit_of(MlirOperation op, intptr_t operand);

// Whether the op computes numbers of numbers, and does no harm where it would not have run: a
// division traps. MLIR calls some divisions pure, so rows and names tell.
bool stow_ir_op_is_total(MlirOperation op);

// Whether the program may end in the op itself, or not return from it: an assertion, a call, an op
// of unknown effects.
bool stow_ir_op_may_end(MlirOperation op);

// Whether control may never get behind the op itself: it loops as long as it likes, or leaves.
bool stow_ir_op_may_not_end(MlirOperation op);

// Whether the op frees its one operand, as memref.dealloc does.
static inline bool stow_ir_is_dealloc(MlirOperation op) {
  return mlirOperationGetNumOperands(op) == 1 && mlirOperationGetNumResults(op) == 0 &&
         (stow_ir_op_traits(op) & STOW_DEALLOCATES);
}

static inline bool stow_ir_is_start(MlirOperation op) {
  return stow_ir_is(op, STOW_LIFETIME_START);
}
static inline bool stow_ir_is_end(MlirOperation op) { return stow_ir_is(op, STOW_LIFETIME_END); }
static inline bool stow_ir_is_marker(MlirOperation op) {
  return stow_ir_op_traits(op) & STOW_MARKS;
}

//===----------------------------------------------------------------------===//
// By effects
//===----------------------------------------------------------------------===//

// Masks of stow_effect. Meaningful for ops with STOW_OP_EFFECTS_KNOWN.
typedef struct stow_effects {
  uint8_t *operands, *results; // one each
  uint8_t other;               // tied to no value
  uint8_t all;                 // somewhere
  uint8_t few[16];             // where those of most ops are: no copy of the struct has them
} stow_effects;

// Freed with stow_effects_free.
void stow_effects_of(MlirOperation op, stow_effects *out_effects);
void stow_effects_free(stow_effects *effects);

// What becomes of an operand that is a buffer, beyond what its effects say.
enum stow_fate {
  STOW_FATE_HANDLE = 1 << 0,   // its address may become a result that is no memref and no number
  STOW_FATE_WORK = 1 << 1,     // work that goes on when the op is done may use it
  STOW_FATE_NUMBER = 1 << 2,   // its address becomes a number
  STOW_FATE_STORED = 1 << 3,   // its address is stored: an op that writes does nothing else with it
  STOW_FATE_FREED = 1 << 4,    //
  STOW_FATE_BY_BIT = 1 << 5,   // freed where a bit says so
  STOW_FATE_DISTINCT = 1 << 6, // promised to alias none of the op's other operands
  STOW_FATE_UNKNOWN = 1 << 7,  // the op's effects are not known
  STOW_FATE_REGIONS = 1 << 8,  // the op does nothing with it, but has regions that may
};

// Those that all its buffers have in common.
unsigned stow_ir_common_fates(MlirOperation op, uint32_t facts, stow_traits traits,
                              const stow_effects *effects);

// Those of one, with what is common.
unsigned stow_fates_of(MlirOperation op, unsigned common, const stow_effects *effects,
                       intptr_t operand);

#endif // STOWAGE_IR_OP_H
