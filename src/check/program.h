//===- program.h - a function as the checker sees it ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checker reads a function into a control flow graph of its own; nothing later asks the IR
// what an op does. It shares no table with the planner, as it would repeat mistakes of the
// tables that a plan was made from.
//
//   names     the views: a *root* is an arena, a *carve* is a view cut out of it, a *choice* is an
//             SSA value that stands for one of several names (a block argument, the result of an
//             scf.if, a select), or for all of them (a token)
//   places    what an SSA value points at: a name and a range of its bytes
//   nodes     stretches of ops that control runs through from end to end
//   events    what happens in a node, in order: accesses, definitions of names, deallocs
//   edges     from node to node, with the values that travel along
//
// A name is *one SSA value*: two memref.views of the same bytes are two names. What is cut from a
// carve by subview, cast, transpose and the like is the same name with a smaller range; what
// memref.view cuts from a carve is a name whose parent is that carve. What it cuts from a choice is
// a choice, of one carve in each of the names that this may be.
//
// build.c, effects.c and places.c make these tables, by op.c, the checker's reading of ops. solve.c
// is one backward dataflow over contents: needed, lost, and blamed where the write that was lost is
// met; live.c is its set. relate.c decides whether two values can be views of the same bytes at one
// time. pending.c (on holders.c) follows work until something has waited for it. races.c,
// barriers.c (on depends.c) and fits.c are the rules that need no flow; globals.c and lent.c say
// what calls do to global and to lent memory.
//
// It shares with the planner, and would not see a mistake in: the size and natural alignment of an
// element (ir/size.h), the order of a region's blocks (ir/order.h), and what MLIR's interfaces say.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_PROGRAM_H
#define STOWAGE_CHECK_PROGRAM_H

#include "bridge/bridge.h"
#include "check/numbers.h"
#include "check/op.h"
#include "ir/index.h"
#include "ir/size.h"
#include "ir/support.h"
#include "stowage/passes.h"

// Bytes [lo, hi) from the start of a name; empty where hi <= lo. What is not known is FAR away.
#define STOW_CHECK_FAR (INT64_C(1) << 61)

typedef struct stow_check_bytes {
  int64_t lo, hi;
} stow_check_bytes;

#define STOW_CHECK_NO_NAME (-1)

typedef struct stow_check_place {
  int32_t name;           // or STOW_CHECK_NO_NAME: no arena is behind the value
  stow_check_bytes bytes; // all that it may reach
  bool exact;             // it starts at bytes.lo
  bool dense;             // and all of its bytes are its own
} stow_check_place;

typedef enum stow_check_name_kind {
  STOW_CHECK_ROOT,
  STOW_CHECK_CARVE,
  STOW_CHECK_CHOICE
} stow_check_name_kind;

typedef struct stow_check_name {
  stow_check_name_kind kind;
  MlirValue value;
  stow_check_bytes bytes; // of its own: [0, size)
  int64_t position;       // of its definition
  int32_t node;           // whose edges bring it, or -1: it has an event of its own
  int32_t group; // (choice) a group of tokens: its name where it is made, or STOW_CHECK_NO_NAME
  bool grows;    // a loop around this name of the group may bring tokens of earlier iterations
  int32_t root;  // the only arena behind it, or (of a choice) -1
  bool touched;  // accessed itself, not only through views
  bool arena;    // a root, or bytes that nothing but memref.view cuts: an arena in an arena
  bool reached;  // some arena is behind it
  bool mixed;    // and other memory may be, too
  // The parent of a carve, or the choice that a choice is cut from, where it starts there, and
  // where it stands in its anchor. An anchor is what constant offsets count from: a root, or a
  // place at an offset that is not known.
  int32_t parent, anchor;
  bool placed; // `start` is known in the parent
  int64_t start, address;
  int32_t loose; // the innermost carve at an offset that is not known that it is, or is cut from
  stow_check_bytes within; // (carve) the bytes of the parent that it lies in, whatever the offset
  size_t first_source, source_count; // (choice) of `sources`
  size_t first_origin, origin_count; // of `origins`
  int32_t family;                    // names that may share contents by flow have the same
  bool data;      // read, or written in part, itself: what is cut from it is the same buffer
  int32_t buffer; // the outermost data that it is cut from, or itself
} stow_check_name;

// One of the names that a choice may be, along one edge or (edge -1) always.
typedef struct stow_check_source {
  int32_t choice, edge;
  MlirValue from;
  MlirValue to;
  stow_check_place place;
} stow_check_source;

// A leaf (root or carve) that a name may be; it starts `shift` bytes into it, where that is known.
typedef struct stow_check_origin {
  int32_t leaf;
  int64_t shift;
  bool exact;
} stow_check_origin;

typedef struct stow_check_access {
  stow_check_place place;
  bool reads, writes;
  bool fills;  // writes every byte of the place
  bool handle; // by what stands for work alone: the work itself tells what it accesses
} stow_check_access;

typedef enum stow_check_event_kind {
  STOW_CHECK_EVENT_ACCESS,  // by `op`: the accesses [first, first + count)
  STOW_CHECK_EVENT_FREE,    // of the first of them, an arena; none where a flag tells it from other
                            // memory, or where it may be retained
  STOW_CHECK_EVENT_DEFINE,  // of `name`
  STOW_CHECK_EVENT_CALLED,  // for threads only: `op` calls what does the accesses, or some of them
  STOW_CHECK_EVENT_BARRIER, // of the threads of a workgroup
  STOW_CHECK_EVENT_FENCE,   // of what a thread did before: loads are behind it, in other threads
                            // where a barrier follows
  STOW_CHECK_EVENT_HANDLES, // by `op`, which is given handles or makes some, and is behind its
                            // accesses; `name`: the work that it starts, or -1
} stow_check_event_kind;

typedef struct stow_check_event {
  stow_check_event_kind kind;
  int32_t op, name;
  size_t first, count;
} stow_check_event;

typedef struct stow_check_node {
  size_t first_event, event_end;
  int64_t begin, end;    // positions
  bool exits;            // the function
  MlirOperation decides; // which way is gone from here, or null
  // [first_inner, inner_end): names made inside of the op that the node ends with, where its token
  // may stand for them.
  int32_t first_inner, inner_end;
} stow_check_node;

typedef struct stow_check_edge {
  int32_t from, to;
} stow_check_edge;

// What may stand for work that goes on: a token, a group, a request, a value to come.
typedef struct stow_check_handle {
  MlirValue value;
  int32_t node;  // it is made in this one
  bool is_given; // ... where that begins
} stow_check_handle;

// Work that an op starts, which goes on until something has waited for a handle of it. It may be
// the op's body; then `before` leads there, and what follows the op does so at once.
typedef struct stow_check_work {
  MlirOperation op;
  size_t first_access, access_end;
  int32_t before, first_inside, after; // nodes, of a body: those inside are in front of `after`
  int32_t inner_end;                   // works of a body: from the next one on
  bool has_body;
} stow_check_work;

typedef struct stow_check_given {
  int32_t edge;
  MlirValue from, to; // handles
} stow_check_given;

// The op `by` accesses `name`, or frees an arena where that is none; the work `other` of it.
typedef struct stow_check_clash {
  int32_t by, work, name, other;
  bool waited; // by the thread, but other threads cannot know that
} stow_check_clash;

// Where the body of `work` does `op`, the work that an earlier iteration started may still run:
// what stands behind `since` was made anew in between.
typedef struct stow_check_overtaking {
  int32_t op, work;
  int64_t since;
} stow_check_overtaking;

typedef struct stow_check_program {
  MlirOperation function;
  stow_layout layout;
  const stow_check_options *options;
  stow_symbols *symbols;
  stow_check_numbers *numbers; // or NULL: what is known at run time only is not known
  bool shares_globals;         // some of the module's global arenas are common to threads
  bool faulty;                 // something was reported

  stow_map place_of;  // by SSA value
  stow_map anchor_at; // by SSA value: the first carve at a byte offset that is not known
  stow_map returned;  // by function: its first summary, of as many as it has results
  STOW_ARRAY(stow_check_place) places;
  STOW_ARRAY(stow_check_name) names;
  STOW_ARRAY(stow_check_source) sources;
  STOW_ARRAY(stow_check_origin) origins;
  STOW_ARRAY(stow_check_access) accesses;
  STOW_ARRAY(stow_check_event) events;
  stow_op_list ops; // those with events
  STOW_ARRAY(stow_check_node) nodes;
  STOW_ARRAY(int32_t) order; // of nodes, by position
  STOW_ARRAY(stow_check_edge) edges;
  stow_index out, in; // edges by the node that they leave, and reach
  STOW_ARRAY(stow_check_place) escaped;
  STOW_ARRAY(uint32_t) summaries;
  stow_map handle_of; // by SSA value
  STOW_ARRAY(stow_check_handle) handles;
  STOW_ARRAY(stow_check_given) given; // by edge
  STOW_ARRAY(stow_check_work) works;
  stow_check_transfers transfers;
  stow_map body_of; // by loop: the node that its body begins with
  STOW_ARRAY(stow_check_clash) clashes;
  STOW_ARRAY(stow_check_overtaking) overtakings; // by op
  stow_map told;                                 // ops that errors name
  int64_t position;                              // the next
} stow_check_program;

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static inline bool stow_check_bytes_empty(stow_check_bytes b) { return b.hi <= b.lo; }

static inline stow_check_bytes stow_check_bytes_meet(stow_check_bytes a, stow_check_bytes b) {
  return (stow_check_bytes){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

static inline stow_check_bytes stow_check_bytes_join(stow_check_bytes a, stow_check_bytes b) {
  if (stow_check_bytes_empty(a) || stow_check_bytes_empty(b))
    return stow_check_bytes_empty(a) ? b : a;
  return (stow_check_bytes){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

// The smallest range around what is left of `a`.
static inline stow_check_bytes stow_check_bytes_less(stow_check_bytes a, stow_check_bytes cut) {
  if (cut.lo <= a.lo && cut.hi > a.lo)
    a.lo = cut.hi;
  else if (cut.hi >= a.hi && cut.lo < a.hi)
    a.hi = cut.lo;
  return a;
}

// What no int64_t holds is far.
static inline int64_t stow_check_sum(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return a < 0 ? -STOW_CHECK_FAR : STOW_CHECK_FAR;
  return sum;
}

static inline stow_check_bytes stow_check_bytes_shift(stow_check_bytes b, int64_t by) {
  return (stow_check_bytes){stow_check_sum(b.lo, by), stow_check_sum(b.hi, by)};
}

// The bytes of `place.name` that bytes of a choice are when it stands for `place`.
static inline stow_check_bytes stow_check_bytes_through(stow_check_place place,
                                                        stow_check_bytes bytes) {
  return place.exact
             ? stow_check_bytes_meet(stow_check_bytes_shift(bytes, place.bytes.lo), place.bytes)
             : place.bytes;
}

//===----------------------------------------------------------------------===//
// program.c: the tables, filled and looked up
//===----------------------------------------------------------------------===//

void stow_check_program_free(stow_check_program *program);

stow_check_place stow_check_place_of(const stow_check_program *program, MlirValue value);
stow_check_place stow_check_place_of_operand(const stow_check_program *program, MlirOperation op,
                                             intptr_t operand);
void stow_check_place_set(stow_check_program *program, MlirValue value, stow_check_place place);

int32_t stow_check_name_add(stow_check_program *program, stow_check_name name);

// `from` is read when the program is whole, as it may not be defined yet.
void stow_check_source_add(stow_check_program *program, int32_t edge, MlirValue from, MlirValue to);

// The sources of a choice along an edge. Once they are sorted.
void stow_check_sources_along(const stow_check_program *program, int32_t choice, int32_t edge,
                              size_t *out_first, size_t *out_end);

void stow_check_define_add(stow_check_program *program, int32_t name);

void stow_check_barrier_add(stow_check_program *program, MlirOperation op,
                            stow_check_event_kind kind);

// `work`: that it starts, or -1.
void stow_check_handles_add(stow_check_program *program, MlirOperation op, int32_t work);

// The handle that a value is, or -1.
int32_t stow_check_handle_of(const stow_check_program *program, MlirValue value);

// Makes an event of the accesses since `first`, if there are any.
void stow_check_accesses_close(stow_check_program *program, stow_check_event_kind kind,
                               MlirOperation op, size_t first);

// Whether `name` is made in the loop that `edge` closes.
bool stow_check_made_in_loop_of(const stow_check_program *program, int32_t name, int32_t edge);

typedef struct stow_check_note {
  MlirOperation op; // or null
  MlirValue value;  // or null
  const char *text;
} stow_check_note;

// An error at `op`. Its text is made of constants and numbers.
__attribute__((format(printf, 5, 6))) void
stow_check_complain(stow_check_program *program, MlirOperation op, const stow_check_note *notes,
                    size_t count, const char *format, ...);

#endif // STOWAGE_CHECK_PROGRAM_H
