//===- flow.h - where buffers go in a function ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a function, and what its callees do with their arguments. Computes flat tables in one
// walk over the IR; later stages do not read the IR again:
//
//   values     every SSA value of memref type, and tokens of work that uses some
//   edges      a -> b: b may be a, or a view of a (casts, selects, results of regions, block
//              arguments, calls that return their argument)
//   uses       an op that touches the memory behind a value, as a range of positions
//   frees      memref.dealloc of a value
//   escapes    a value's address gets away: returned, stored, passed on, turned into a number
//   allocs     where buffers come from
//
// Positions number ops in program order, an op with regions from its first position to one past its
// last. Blocks of a region are numbered in the order of order.h, so that control moves to higher
// positions except around loops.
//
// Segments (control.h) end at all ops with regions but those whose regions only compute
// (linalg's). Where regions may run in any order, jumps lead by way of an empty segment.
//
// *Nests* form a tree over positions. A nest is a range in which time does more than move forward
// once: a loop (structured, or of blocks), a region with an arena of its own (a scope), a region
// whose control flow is not known. Every value and every use is in one nest, the innermost around
// it. What crosses the border of a nest is where all the care is needed; see life.h.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_FLOW_H
#define STOWAGE_IR_FLOW_H

#include "bridge/bridge.h"
#include "ir/completion.h"
#include "ir/control.h"
#include "ir/op.h"
#include "ir/reason.h"
#include "ir/size.h"
#include "ir/support.h"
#include "stowage/passes.h"

enum stow_nest_flag {
  STOW_NEST_REPEATS = 1, // what is inside may run again: a life that enters fills it
  STOW_NEST_BLOCKS = 2,  // a loop of blocks, not of an op
  STOW_NEST_SCOPE = 4,   // a region that owns an arena
  STOW_NEST_OPAQUE = 8,  // what enters gets away, by `escape`
  STOW_NEST_ATOMIC = 16, // part of one segment: to other buffers all of it happens at once
};

typedef struct stow_nest {
  int32_t parent; // -1 for the function's body
  int32_t depth;
  int32_t scope;  // the nearest scope, as an index of scopes
  int32_t escape; // of an opaque nest
  unsigned flags;
  int64_t begin, end;
} stow_nest;

// A region that owns an arena: a function's body, an isolated region, one whose iterations may run
// at once.
typedef struct stow_scope {
  MlirOperation op;
  MlirRegion region;
  int32_t nest;
  bool unordered;      // its ops have no order, or no end: nothing is planned
  int64_t terminators; // position of the first terminator that has regions of its own
} stow_scope;

typedef struct stow_block {
  MlirBlock block;
  int32_t parent; // the block around, or -1
  int32_t depth;
  int32_t once; // the nearest block outwards that runs exactly when this one does
  bool reachable;
  int64_t end; // one past its last position
} stow_block;

#define STOW_NO_ALLOC (-1)

typedef struct stow_value {
  MlirValue value;
  int32_t nest;
  int32_t alloc; // the alloc that makes it, or STOW_NO_ALLOC
  bool foreign;  // may be memory from outside the function: an argument, a global, a call's result
  bool header;   // an argument of a block that heads a loop
  bool argument; // of a block
  bool marked;   // lifetime.end says where its life ends
  bool token;    // no buffer, but work that is still to come: any number of buffers it may use
  int64_t defined;    // position from which it exists
  uint64_t alignment; // bytes: what its elements need and the ops that use it rely on
} stow_value;

typedef struct stow_edge {
  int32_t from, to;
  int32_t carried;  // the nest around whose back edge it goes, or -1
  int32_t branch;   // the nest of the branch between blocks that makes it, or -1
  bool control;     // control carries it, to a block's argument or an op's result
  int64_t position; // of the op that forwards it
} stow_edge;

typedef struct stow_use {
  int32_t value, nest;
  int64_t begin, end;
  bool overwrites; // every element, and reads none
} stow_use;

typedef struct stow_free {
  int32_t value, block;
  MlirOperation op; // memref.dealloc, or gpu.dealloc where gpu.alloc makes allocs
  bool on_device;   // memory that gpu.alloc makes
} stow_free;

typedef struct stow_escape {
  int32_t value; // or -1: what enters an opaque nest
  stow_reason reason;
  MlirOperation op; // in the way
} stow_escape;

typedef struct stow_alloc {
  MlirOperation op; // memref.alloc or bufferization.clone, or another that is asked for
  bool on_stack, on_device;
  int32_t value, block, scope;
  int64_t position;
  MlirType type;
  uint64_t alignment; // that it asks for
} stow_alloc;

typedef struct stow_flow {
  MlirOperation function;
  MlirRegion body;
  stow_layout layout;
  bool coroutine; // it may stop in the middle, return to its caller, and go on later
  bool marked;    // some op in it marks where a life begins or ends
  bool calls;     // some op in it is a call
  stow_map index; // of values
  STOW_ARRAY(stow_value) values;
  STOW_ARRAY(stow_edge) edges;
  stow_index targets, sources; // by value: those that its edges lead to, whose edges lead to it
  STOW_ARRAY(stow_use) uses;
  STOW_ARRAY(stow_free) frees;
  STOW_ARRAY(stow_escape) escapes;
  STOW_ARRAY(stow_jump) clones; // values: from the source to the clone, in a callee, too
  STOW_ARRAY(stow_alloc) allocs;
  STOW_ARRAY(stow_nest) nests;
  STOW_ARRAY(stow_scope) scopes;
  STOW_ARRAY(stow_block) blocks;
  stow_map block_index; // of blocks
  stow_completions completions;
  stow_control control;
  stow_op_list ops; // by position: the op that begins or ends there
} stow_flow;

// What a function does with one of its arguments.
typedef struct stow_argument {
  bool escapes, freed, returned;
  bool cloned;        // a clone of it may be returned
  uint64_t alignment; // bytes it relies on
} stow_argument;

typedef struct stow_summary {
  bool keeps_all; // it has a body, but one that goes on after the call, or is not understood
  bool allocates; // it, or a function that it calls, takes memory from the heap
  size_t argument_count;
  stow_argument *arguments;
} stow_summary;

// What makes an alloc, other than memref.alloc and clones, as a mask.
enum stow_more_allocs {
  STOW_STACK_ALLOCS = 1,  // memref.alloca
  STOW_DEVICE_ALLOCS = 2, // gpu.alloc
};

typedef struct stow_flow_context {
  stow_unknown_ops unknown_ops;
  size_t op_count;      // about as many ops as there are to read
  unsigned more_allocs; // enum stow_more_allocs
  // What the functions of the module that `call` may call do with its arguments, or NULL where
  // there are none. Sets `others` where it may call another, too.
  const stow_summary *(*callee)(void *user, MlirOperation call, bool *others);
  // Whether the declaration of the called function promises that it neither keeps, returns nor
  // frees an argument.
  bool (*borrows)(void *user, MlirOperation call, intptr_t argument);
  void *user;
  stow_by_name *names; // for all functions that are read
} stow_flow_context;

// Reads a function-like op that has a body. Linear in ops and values; an op that may pass each of m
// buffers on as any of n results makes m x n edges. `out_flow` is freed with stow_flow_free.
void stow_flow_read(MlirOperation function, const stow_flow_context *context, stow_flow *out_flow);
void stow_flow_free(stow_flow *flow);

// By value its clones. Freed with stow_index_free.
stow_index stow_flow_clones(const stow_flow *flow);

// The value whose edge leads to this one, where there is exactly one; or -1.
int32_t stow_flow_only_source(const stow_flow *flow, int32_t value);

// Whether nest `outer` is `inner` or one of the nests around it. No nest (-1) is inside none.
bool stow_nest_holds(const stow_flow *flow, int32_t outer, int32_t inner);

// Of two positions.
static inline int64_t stow_ir_earlier(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t stow_ir_later(int64_t a, int64_t b) { return a > b ? a : b; }

#endif // STOWAGE_IR_FLOW_H
