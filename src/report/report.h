//===- report.h - a planned memory, described for people and programs -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One model, several renderings. The caller that has planned something (a pass, the command-
// line tool) fills a stow_report; the functions below write it as a table for a terminal, as
// JSON or as CSV. Nothing here depends on MLIR, opens a file or decides anything: text goes to
// the caller's function, in the order of the arrays, so equal reports give equal bytes.
//
// A report has one entry per *arena*: one allocation scope in one memory space.
// An arena lists the planned buffers, and those that are not planned with the reason for each: a
// report must not look like success where little was done.
//
// All strings are the caller's, NUL-terminated UTF-8, and never NULL unless said.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_H
#define STOWAGE_REPORT_H

#include "stowage/plan.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A buffer that lies in another with more such ones, as their rows take turns there.
typedef struct stow_report_part {
  const char *name, *type, *location;
  const char *op, *op_location, *layer; // as of a buffer
  uint64_t low, high;                   // bytes of the other
  uint64_t before;                      // bytes that it had alone
  int64_t begin, end;
} stow_report_part;

typedef struct stow_report_buffer {
  stow_buffer buffer;      // size, alignment, life; of one left alone, the life may be empty (0, 0)
  const char *name;        // as in the source: "%alloc_3", or an id from a file
  const char *type;        // "memref<4x4xf32>", or ""
  const char *location;    // "model.mlir:12:8", or ""
  const char *reason;      // NULL: planned. Otherwise why not, as a short code: "escapes"
  const char *detail;      // the reason as a clause for people: "it is returned"; "" when planned
  const char *suggestion;  // what can be done about the reason, or NULL
  bool size_known;         // false: a dynamic shape; buffer.size is 0 then
  const char *formula;     // of a size that is computed at run time: "2048*n", or NULL
  bool live_at_peak;       // planned, and alive at the arena's peak point
  uint64_t offset;         // bytes into the arena; meaningful when planned
  const char *id;          // a name no other buffer of the arena has, or NULL
  const char *op;          // what makes its values: "linalg.matmul"; or NULL
  const char *op_location; // of that op where it is not `location`, or NULL
  const char *layer;       // the name its location has from a frontend: "encoder/dense_1"; or NULL
  const stow_piece *pieces; // of a life that is not whole, as in plan.h
  size_t piece_count;       // 0: one whole piece
  bool fixed;               // the offset was required, not chosen
  uint64_t before;          // bytes that it had before a pass kept only a part of its rows, or 0
  const stow_report_part *parts; // that lie in it
  size_t part_count;
} stow_report_buffer;

//===----------------------------------------------------------------------===//
// Sizes known at run time
//===----------------------------------------------------------------------===//

// A size that the plan's bytes follow from.
typedef struct stow_report_size {
  const char *name;  // "n", or NULL
  int64_t value;     // that the report is for
  bool either;       // a bit that is both: it and its inverse count as 1. `value` says nothing
  int64_t low, high; // its range; INT64_MIN, INT64_MAX: no limit
} stow_report_size;

typedef enum stow_report_step_kind {
  STOW_STEP_NUMBER, // `number`
  STOW_STEP_SIZE,   // the value of size `number`
  STOW_STEP_SUM,    // of its operands, of which there is at least one
  STOW_STEP_PRODUCT,
  STOW_STEP_LARGEST,
  STOW_STEP_SMALLEST,
  STOW_STEP_QUOTIENT, // its operand by `number`, which is positive, rounded down
  STOW_STEP_INVERTED, // 1 less its operand, a bit
  STOW_STEP_KINDS
} stow_report_step_kind;

// A number that is computed. Operands are indices of earlier steps.
typedef struct stow_report_step {
  stow_report_step_kind kind;
  int64_t number;
  size_t first_operand, operand_count;
} stow_report_step;

// Bytes and offsets of an arena for all sizes. There are several *plans*: the first of those with
// the smallest arena counts. `buffers` are the arena's planned ones, in its order. All bytes are
// indices of steps.
typedef struct stow_report_formulas {
  const stow_report_size *sizes;
  size_t size_count;
  const stow_report_step *steps;
  size_t step_count;
  const size_t *operands; // of all steps
  const size_t *buffer_bytes;
  size_t buffer_count;
  const size_t *arena_bytes; // per plan
  const size_t *offsets;     // per plan, of all buffers
  size_t plan_count;
} stow_report_formulas;

// The sums that every rendering shows, over one arena.
typedef struct stow_report_totals {
  size_t planned, left_alone, left_alone_unsized;
  uint64_t planned_bytes;    // without reuse
  uint64_t left_alone_bytes; // of those whose size is known
} stow_report_totals;

typedef struct stow_report_arena {
  const char *function;     // the function it belongs to, or the input's file name
  const char *scope;        // "" for the function's own scope, else the scope's op: "scf.parallel"
  const char *location;     // of the scope
  const char *memory_space; // "" for the default one
  const char *within;       // the name of the result that its bytes are part of, or ""
  const stow_report_buffer *buffers;
  size_t buffer_count;
  uint64_t load;        // bytes alive at the peak, without padding
  uint64_t lower_bound; // bytes no plan can go below: the load with alignment padding
  uint64_t arena_size;  // bytes
  const char *formula;  // of a size that is computed at run time, or NULL: all bytes are then
  const char *sizes;    // for these sizes: "n=128, m=64"
  const stow_report_formulas *formulas; // the same and all offsets as steps, or NULL
  uint64_t capacity;                    // bytes, 0: none was asked for
  int64_t peak;                         // the first program point at which the load is reached
  uint64_t highest_at_peak;             // bytes: the largest offset + size alive there
  uint64_t reuse_pairs;                 // pairs of planned buffers that share bytes
  uint64_t bank_pairs;                  // of buffers that one op uses, where the memory has banks
  uint64_t bank_pairs_apart;            // of these, in different banks
  stow_outcome outcome;
  stow_strategy strategy;
  const stow_relation *relations; // of pairs of `buffers`, as in plan.h
  size_t relation_count;
  const stow_report_totals *totals; // of all buffers, where `buffers` are the largest only; or NULL
  const struct stow_profile *profile; // of all, there
  bool workgroup;                     // memory of a GPU kernel's workgroup: points are the steps of
                                      // the kernel, which barriers end
} stow_report_arena;

// A function's frame: what it needs from its caller while it runs, in one memory space. Frames of
// callees are part of it.
typedef struct stow_report_frame {
  const char *function;
  const char *kind;         // where it is: a kind of stowage/places.h
  const char *memory_space; // "" for the default one
  uint64_t bytes, alignment;
  const char *formula; // of the bytes, where they are known at run time only; or NULL
  size_t depth;        // 0: an entry point; callees follow their callers, one deeper
  size_t calls;        // of it by its caller; 0 for an entry point
  bool above;          // what it calls stands where it was listed first
} stow_report_frame;

typedef struct stow_report_frames {
  const stow_report_frame *at;
  size_t count;
} stow_report_frames;

// What the heap holds at most while a function runs, its callees included.
typedef struct stow_report_heap {
  const char *function;
  const char *location;
  uint64_t before, after; // bytes
  bool exact;             // false: about
} stow_report_heap;

// How many workgroups fit into a multiprocessor at a time.
enum { STOW_OCCUPANCY_STEPS = 3 };
typedef struct stow_report_occupancy {
  uint64_t memory; // bytes of the multiprocessor
  uint64_t before, after;
  uint64_t next[STOW_OCCUPANCY_STEPS]; // bytes with which one workgroup more fits, two more ...
  size_t next_count;                   // fewer where no more can run
} stow_report_occupancy;

// A GPU kernel that has workgroup memory.
typedef struct stow_report_kernel {
  const char *function;
  const char *location;
  uint64_t before, after;          // bytes of a workgroup
  stow_report_occupancy occupancy; // memory = 0: the limits are not known
} stow_report_kernel;

// Memory that no arena holds, nor a buffer that is left alone.
typedef struct stow_report_outside {
  const char *kind;     // "constants", "globals", "arguments", "results", "state"
  const char *function; // whose it is, or "": the module's
  uint64_t bytes;       // of those whose size is known
} stow_report_outside;

typedef struct stow_report {
  const char *title; // "merge-alloc"
  const stow_report_arena *arenas;
  size_t arena_count;
  const char *note;              // why nothing was planned, or NULL
  stow_report_frames frames;     // a tree per entry point, or none
  const stow_report_heap *heaps; // of functions, in program order
  size_t heap_count;
  const stow_report_kernel *kernels; // in program order
  size_t kernel_count;
  const stow_report_outside *outside;
  size_t outside_count;
} stow_report;

// Where text goes. Called with pieces of any length; what it cannot store it must remember itself.
typedef struct stow_sink {
  void (*write)(void *user, const char *text, size_t size);
  void *user;
} stow_sink;

stow_report_totals stow_report_sum(const stow_report_arena *arena);

// A table for people: per arena the sums, the gap, the fragmentation at the peak, the buffers alive
// there, and what was left alone, grouped by reason with counts and bytes.
void stow_report_text(const stow_report *report, stow_sink sink);

// Everything in the report, as one JSON object with a "version" field. Sizes are numbers in bytes.
void stow_report_json(const stow_report *report, stow_sink sink);

// The JSON schema of that, docs/report.schema.json.
void stow_report_schema(stow_sink sink);

// The planning problem of one arena in the planner's CSV form, with the header
// id,lower,upper,size,alignment,name,op,layer,type,location,op_location: lives half-open, sizes in
// bytes. Buffers left alone are not in it.
void stow_report_csv(const stow_report_arena *arena, stow_sink sink);

//===----------------------------------------------------------------------===//
// The memory map
//===----------------------------------------------------------------------===//
//
// Rectangles, life x [offset, offset + size): x is program order, y is the address. Three
// renderings with the same axes and the same lines (arena, lower bound, capacity, peak). All return
// STOW_NO_MEMORY where they could not allocate; what went to the sink until then is not a whole
// map.

typedef struct stow_map_style {
  size_t columns; // of the terminal, 0: 80
  bool utf8;      // blocks and lines beyond ASCII
  bool color;     // ANSI escapes
} stow_map_style;

// For a terminal: at most 20 rows, letters for the largest buffers.
stow_status stow_report_map_text(const stow_report_arena *arena, stow_map_style style,
                                 stow_sink sink);

// One SVG picture, every arena below the one before: the map and, under it, the bytes alive against
// the highest offset in use. Of an arena with more than STOW_SVG_BUFFERS buffers the smallest ones
// (bytes x life) are not drawn, and the picture says so.
enum { STOW_SVG_BUFFERS = 20000 };
stow_status stow_report_svg(const stow_report *report, stow_sink sink);

// One HTML page that needs nothing else: the map, the profile and a table, linked. `other` is a
// second plan to compare with, matched by the order of arenas and by ids or names; or NULL.
// Of an arena with more than STOW_HTML_BUFFERS buffers it has the STOW_HTML_LARGEST largest (bytes
// x life), and says so.
enum { STOW_HTML_BUFFERS = 200000, STOW_HTML_LARGEST = 25000, STOW_HTML_SAMPLES = 4000 };
stow_status stow_report_html(const stow_report *report, const stow_report *other, stow_sink sink);

// The page of one or two reports as JSON, which stow_report_json wrote. The names of their files,
// or NULL, distinguish them if their titles are the same.
void stow_report_html_of_json(const char *report, const char *file, const char *other,
                              const char *other_file, stow_sink sink);

// A trace for Perfetto or chrome://tracing: buffers as slices, bytes alive as a counter. Points are
// microseconds.
stow_status stow_report_trace(const stow_report *report, stow_sink sink);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_REPORT_H
