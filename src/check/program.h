//===- program.h - a function as the checker sees it ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checker reads a function into a control flow graph of its own and then asks
// the IR nothing more. It shares no table with the planner: what it says about a
// plan must not rest on what the plan was made from.
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
// memref.view cuts from a carve is a name whose parent is that carve.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_PROGRAM_H
#define STOWAGE_CHECK_PROGRAM_H

#include "bridge/bridge.h"
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
  int32_t root;           // the only arena behind it, or (of a choice) -1
  bool touched;           // accessed itself, not only through views
  bool arena;   // a root, or bytes that nothing but memref.view cuts: an arena in an arena
  bool reached; // some arena is behind it
  bool mixed;   // and other memory may be, too
  // A carve's parent, where it starts there, and where it stands in its anchor. An anchor is what
  // constant offsets count from: a root, or a place at an offset that is not known.
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
  bool fills; // writes every byte of the place
} stow_check_access;

typedef enum stow_check_event_kind {
  STOW_CHECK_EVENT_ACCESS, // by `op`: the accesses [first, first + count)
  STOW_CHECK_EVENT_FREE,   // the same, of an arena; none where a flag tells it from other memory
  STOW_CHECK_EVENT_DEFINE, // of `name`
} stow_check_event_kind;

typedef struct stow_check_event {
  stow_check_event_kind kind;
  int32_t op, name;
  size_t first, count;
} stow_check_event;

typedef struct stow_check_node {
  size_t first_event, event_end;
  int64_t begin, end; // positions
  bool exits;         // the function
} stow_check_node;

typedef struct stow_check_edge {
  int32_t from, to;
} stow_check_edge;

typedef struct stow_check_program {
  MlirOperation function;
  stow_layout layout;
  const stow_check_options *options;
  stow_symbols *symbols;
  bool faulty; // something was reported

  stow_map place_of;  // by SSA value
  stow_map anchor_at; // by SSA value: the first carve at a byte offset that is not known
  stow_map returned;  // by function: its first summary, of as many as it has results
  stow_check_place *places;
  stow_check_name *names;
  stow_check_source *sources;
  stow_check_origin *origins;
  stow_check_access *accesses;
  stow_check_event *events;
  MlirOperation *ops; // those with events
  stow_check_node *nodes;
  int32_t *order; // of nodes, by position
  stow_check_edge *edges;
  stow_check_place *escaped;
  uint32_t *summaries;
  size_t place_count, name_count, source_count, origin_count, access_count, event_count;
  size_t op_count, node_count, order_count, edge_count, escaped_count;
  size_t place_capacity, name_capacity, source_capacity, origin_capacity, access_capacity;
  size_t event_capacity, op_capacity, node_capacity, order_capacity, edge_capacity;
  size_t escaped_capacity, summary_count, summary_capacity;
  int64_t position; // the next
} stow_check_program;

//===----------------------------------------------------------------------===//
// build.c
//===----------------------------------------------------------------------===//

void stow_check_program_read(stow_check_program *program);
void stow_check_program_free(stow_check_program *program);

//===----------------------------------------------------------------------===//
// places.c: what SSA values point at
//===----------------------------------------------------------------------===//

stow_check_place stow_check_place_of(const stow_check_program *program, MlirValue value);
void stow_check_place_set(stow_check_program *program, MlirValue value, stow_check_place place);

int32_t stow_check_name_add(stow_check_program *program, stow_check_name name);

// An SSA value that stands for one of others; its sources are added with stow_check_source_add.
int32_t stow_check_choice_add(stow_check_program *program, MlirValue value, int32_t node);

// `from` is read when the program is whole, as it may not be defined yet.
void stow_check_source_add(stow_check_program *program, int32_t edge, MlirValue from, MlirValue to);

// Gives `value` a place if it is an arena: memory of i8 that views are cut from.
void stow_check_root_find(stow_check_program *program, MlirValue value);

// Places the results of an op that only makes new names for memory. False for any other op.
bool stow_check_view_follow(stow_check_program *program, MlirOperation op);

// Whether a value of this type can be followed: a memref, or a handle of another kind (a pointer,
// a token).
bool stow_check_is_followed(MlirType type);

//===----------------------------------------------------------------------===//
// effects.c: what an op does
//===----------------------------------------------------------------------===//

// Appends the events of `op`, but for those of its regions.
void stow_check_effects_add(stow_check_program *program, MlirOperation op, uint32_t facts);

int32_t stow_check_op_add(stow_check_program *program, MlirOperation op);
void stow_check_define_add(stow_check_program *program, int32_t name);

//===----------------------------------------------------------------------===//
// returns.c
//===----------------------------------------------------------------------===//

// Which arguments of a call may be its result `result`, as bits; all from the 31st on are one.
uint32_t stow_check_returned_arguments(stow_check_program *program, MlirOperation call,
                                       intptr_t result);

//===----------------------------------------------------------------------===//
// names.c: where names lead
//===----------------------------------------------------------------------===//

// Reads the sources, and finds origins and families. Once the program is whole.
void stow_check_names_close(stow_check_program *program);

// The bytes of `place.name` that bytes of a choice are when it stands for `place`.
stow_check_bytes stow_check_bytes_through(stow_check_place place, stow_check_bytes bytes);

// The sources of a choice along an edge.
void stow_check_sources_along(const stow_check_program *program, int32_t choice, int32_t edge,
                              size_t *out_first, size_t *out_end);

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

static inline stow_check_bytes stow_check_bytes_shift(stow_check_bytes b, int64_t by) {
  return (stow_check_bytes){b.lo + by, b.hi + by};
}

//===----------------------------------------------------------------------===//
// races.c
//===----------------------------------------------------------------------===//

// Reports writes that iterations which may run at once do to the same bytes of an arena.
void stow_check_races_find(stow_check_program *program);

//===----------------------------------------------------------------------===//
// report.c
//===----------------------------------------------------------------------===//

typedef struct stow_check_note {
  MlirOperation op; // or null
  MlirValue value;  // or null
  const char *text;
} stow_check_note;

void stow_check_complain(stow_check_program *program, MlirOperation op, const char *text,
                         const stow_check_note *notes, size_t count);

#endif // STOWAGE_CHECK_PROGRAM_H
