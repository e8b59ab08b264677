//===- block.h - the statements of a block, and its buffers ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op of a block that touches memory is a *statement*. A linalg op or a copy may be
// split along one of its loops; any other touches memory as a whole. A *buffer* is an
// allocation of the block; all memory that may be named in several ways is one more, and
// so are the values that statements compute. Of that memory, what the block allocates or
// gets from a call is counted, too: the bytes of it, and from where to where it is there.
//
// read.c fills the tables, choose.c says what the rows of each buffer are, and problem.c
// makes of it what src/stream schedules.
//
//   block --rename--> an alloc for each life of a buffer                    rename.c
//         --shift---> operands that begin at the first index that is used   origins.c
//         --read----> statements, buffers, who touches what                 read.c
//         --choose--> the rows of each buffer, and the loop along which
//                     each op is split                                      choose.c, loops.c,
//                     views.c
//         --cuts----> other rules for that choice, and which one is taken   cuts.c, across.c
//         --problem-> accesses: iteration i touches rows s*i + low to high  problem.c
//         --cut-----> ranges of statements, each with a schedule            src/stream
//         --rewrite-> a loop of steps, windows in place of buffers          rewrite.c, share.c
//
// stream_rows.c is that list as code. A function is rewritten and planned as merge-alloc would;
// where its arenas did not become smaller, its copy from before takes its place.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ROWS_BLOCK_H
#define STOWAGE_ROWS_BLOCK_H

#include "ir/build.h"
#include "ir/parts.h"
#include "ir/size.h"
#include "ir/support.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"
#include "reduce/attempts.h"
#include "rows/limits.h"
#include "stowage/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

//===----------------------------------------------------------------------===//
// views.c: rows of a buffer behind its views
//===----------------------------------------------------------------------===//
//
// The rows of a buffer are blocks of `unit` indices along one of its dimensions. A view
// may name some of them, as blocks along a dimension of its own: all rows but a rim
// (subview), each one W indices long (collapse_shape of H and W).

// Block b along dimension `dim` of a view, indices b * unit and the unit - 1 after it, is row
// scale * b + offset of the buffer.
typedef struct stow_rows_place {
  intptr_t dim;
  int64_t unit, scale, offset;
} stow_rows_place;

int64_t stow_rows_extent(MlirValue value, intptr_t dim);

// Which dimension and unit of the root, the value that `view` is a view of, blocks along a
// dimension of the view belong to.
bool stow_rows_of_view(MlirValue view, intptr_t dim, int64_t unit, intptr_t *out_dim,
                       int64_t *out_unit);

// The blocks of `view` that start with its block `first`, `count` of them: `rows` is memory that
// holds exactly their rows of the root.
MlirValue stow_rows_rebuild(const stow_builder *builder, MlirValue view, intptr_t dim, int64_t unit,
                            MlirValue rows, int64_t count);

// Whether each view of the value is a subview that takes any strides of it: so its bytes may lie in
// another order.
bool stow_rows_takes_strides(MlirValue value);

// Types of those views, when the strides of the value have changed.
void stow_rows_renew_types(MlirValue value);

// Indices of `memref` along `dim`: `size` of them, `stride` apart, from `offset` on, or from
// `first` where that is not null.
MlirValue stow_rows_slice(const stow_builder *builder, MlirValue memref, intptr_t dim,
                          MlirValue first, int64_t offset, int64_t size, int64_t stride);

//===----------------------------------------------------------------------===//
// loops.c: along which loop an op is split
//===----------------------------------------------------------------------===//

// The loops of a linalg op or a copy.
typedef struct stow_rows_loops {
  intptr_t count;
  int64_t extents[STOW_ROWS_MOST_RANK];
  bool parallel[STOW_ROWS_MOST_RANK];
} stow_rows_loops;

// One index into an operand: the sum of coefficient * loop, plus the constant; or, where the
// divisor is above 1, that loop whose coefficient is 1, divided and rounded down.
typedef struct stow_rows_index {
  int64_t coefficients[STOW_ROWS_MOST_RANK];
  int64_t constant, divisor;
} stow_rows_index;

// False: not such an op.
bool stow_rows_loops_of(MlirOperation op, stow_rows_loops *out);

// False: not of this form.
bool stow_rows_index_of(MlirAffineMap map, intptr_t dim, stow_rows_index *out);

// Whether an expression of any form depends on a loop.
bool stow_rows_index_uses(MlirAffineMap map, intptr_t dim, intptr_t loop);

// The least and the largest value of an index while `loop` is 0.
void stow_rows_index_range(const stow_rows_loops *loops, const stow_rows_index *index,
                           intptr_t loop, int64_t *out_low, int64_t *out_high);

// Whether the op computes the same, bit for bit, if it runs for a part of the iterations of `loop`
// after the other, in their order.
bool stow_rows_can_split(MlirOperation op, const MlirAffineMap *maps, const stow_rows_loops *loops,
                         intptr_t loop);

//===----------------------------------------------------------------------===//
// read.c: statements and their buffers
//===----------------------------------------------------------------------===//

// The buffers that are no allocation.
enum { STOW_ROWS_OUTSIDE, STOW_ROWS_VALUES, STOW_ROWS_FIRST_ALLOC };

typedef struct stow_rows_buffer {
  MlirValue
      value;  // what memref.alloc makes, or memory of the caller's that is reached by no other name
  bool given; // it is the caller's
  bool escapes; // by a return only, if it is not one with STOW_ROWS_OUTSIDE, nor given
  bool has_rows;
  intptr_t dim; // its rows are blocks of `unit` indices along this dimension
  int64_t unit;
  bool scattered;  // a row is several runs of bytes: dimensions in front have more than one index
  bool transposed; // in memory shared with others, the dimension of its rows is outermost
  uint64_t bytes, alignment;
  uint64_t asked; // alignment that its op asks for; 0: none
  bool passes;    // only counted: freed behind its last use
} stow_rows_buffer;

// What a statement does with one memref, or with values.
typedef struct stow_rows_use {
  size_t statement, buffer;
  intptr_t operand; // of a statement with loops, or -1
  bool writes;
} stow_rows_use;

typedef struct stow_rows_statement {
  MlirOperation op;
  bool has_loops;
  stow_rows_loops loops;
  MlirAffineMap *maps;       // per operand, from the loops to its indices; none without loops
  intptr_t loop;             // along which it is split, or -1
  int64_t unit;              // a row is so many iterations of the loop
  int64_t grain;             // so many iterations of the loop are one of the statement
  size_t first_use, end_use; // its entries of `uses`
} stow_rows_statement;

typedef struct stow_rows_block {
  MlirBlock block;
  stow_layout layout;
  bool noalias; // arguments share no byte
  STOW_ARRAY(stow_rows_buffer) buffers;
  size_t alloc_end; // buffers from here on are only counted
  STOW_ARRAY(stow_rows_statement) statements;
  STOW_ARRAY(stow_rows_use) uses;    // by statement
  size_t *by_buffer, *buffer_begins; // uses by buffer
  stow_map buffer_of;                // allocs' results, and what is given
  stow_map counted_of;               // what is only counted
  stow_map statement_of;             // ops
} stow_rows_block;

// Whether every name of an allocation is known, and none leaves the block (read.c).
bool stow_rows_is_local(MlirBlock block, MlirValue alloc);

// Whether a memref.dealloc names it (read.c).
bool stow_rows_is_freed(MlirValue memref);

// Whether an op is a linalg op or a copy that does nothing but compute and load (read.c).
bool stow_rows_has_loops(MlirOperation op);

// Gives buffers that are overwritten as a whole an allocation for each life.
void stow_rows_rename(MlirBlock block);

// Has operands begin at the first index that is used of them (origins.c).
void stow_rows_shift(MlirBlock block);

// `noalias`: arguments of functions share no byte. Freed with stow_rows_block_free.
void stow_rows_read(MlirBlock block, const stow_layout *layout, bool noalias, stow_rows_block *out);
void stow_rows_block_free(stow_rows_block *block);

// Adds buffers that are only counted (count.c).
void stow_rows_add_counted(stow_rows_block *block, const stow_layout *layout);

// Rows of a buffer along another dimension than the one that most bytes would share.
typedef struct stow_rows_across {
  size_t buffer;
  intptr_t dim;
  int64_t unit;
} stow_rows_across;

// How rows are chosen. First, with all of it zero, what rows propagate to adds them up where need
// be.
typedef struct stow_rows_rules {
  bool without_sums; // no statement adds up rows, but those across
  STOW_ARRAY(stow_rows_across) across;
} stow_rows_rules;

// Decides what the rows of buffers are, and along which loop each statement is split; then chooses
// rows across these.
void stow_rows_choose(stow_rows_block *block, const stow_rows_rules *rules);

// Whether the statement of a use adds up such rows.
bool stow_rows_sums_across(const stow_rows_block *block, const stow_rows_use *use,
                           const stow_rows_across *rows);

// Statements, by their number. `at` is freed with free().
typedef struct stow_rows_statements {
  size_t *at, count;
  double again; // bytes that they touch again each time that they run, with these rows
} stow_rows_statements;

// The statements that such rows get to.
stow_rows_statements stow_rows_reach(stow_rows_block *block, const stow_rows_across *rows);

// Freed with stow_rows_problem_free.
typedef struct stow_rows_problem {
  stow_stream_problem problem; // statements and buffers as in the block
  stow_stream_statement *statements;
  stow_stream_access *accesses; // one per use
  stow_stream_buffer *buffers;
} stow_rows_problem;

void stow_rows_make_problem(const stow_rows_block *block, stow_rows_problem *out);
void stow_rows_problem_free(stow_rows_problem *problem);

// The bytes of an operand that is no part of the iterations: all of it is touched each time.
uint64_t stow_rows_again_of(const stow_rows_block *block, const stow_rows_use *use);

// The streams of a block, and how its rows were chosen.
typedef struct stow_rows_cut {
  stow_stream_cut cut;
  stow_rows_rules rules;
} stow_rows_cut;

// Chooses rows, and makes the problem (across.c).
void stow_rows_prepare(stow_rows_block *block, const stow_rows_rules *rules,
                       stow_rows_problem *out);

// Adds rows across that touch less again and fit into the peak. Rows are chosen anew.
void stow_rows_find_across(stow_rows_block *block, const stow_rows_problem *problem,
                           const stow_stream_options *options, uint64_t peak, stow_rows_rules *out);

// Chooses rows by the first rules, makes the problem and cuts it into streams (cuts.c).
void stow_rows_cut_first(stow_rows_block *block, const stow_stream_options *options,
                         stow_rows_problem *out_problem, stow_rows_cut *out);

// The same by the best rules.
void stow_rows_cut_block(stow_rows_block *block, const stow_stream_options *options,
                         stow_rows_problem *out_problem, stow_rows_cut *out);

// Frees also what is left of it.
void stow_rows_cut_free(stow_rows_cut *cut);

// The dimension of an operand that is cut to the iterations of its statement's loop, or -1.
intptr_t stow_rows_sliced_dim(const stow_rows_statement *statement, intptr_t operand);

// How many indices along that dimension `count` iterations use; the next ones begin `out_by`
// indices later per iteration (rewrite.c).
int64_t stow_rows_indices_of(const stow_rows_statement *statement, intptr_t operand, intptr_t dim,
                             int64_t count, int64_t *out_by);

// Where the rows of a buffer are in an operand that is a view of it.
bool stow_rows_in_operand(const stow_rows_statement *statement, const stow_rows_buffer *buffer,
                          intptr_t operand, stow_rows_place *out);

// Why a buffer is whole, for people: a code, a clause, what changes it or NULL, and the op that
// needs it so, or null.
typedef struct stow_rows_cause {
  const char *code, *clause, *suggestion;
  MlirOperation op;
} stow_rows_cause;

// A buffer that is used and has a window in no stream.
typedef struct stow_rows_whole {
  size_t buffer;
  stow_rows_cause why;
} stow_rows_whole;

// By ascending buffer. `at` is freed with free().
typedef STOW_ARRAY(stow_rows_whole) stow_rows_wholes;

// Those of at least so many bytes.
void stow_rows_find_wholes(const stow_rows_block *block, const stow_rows_problem *problem,
                           const stow_stream_cut *cut, uint64_t bytes, stow_rows_wholes *out);

// Per buffer, whether a stream has a window of it. Freed with free().
bool *stow_rows_windowed(const stow_rows_block *block, const stow_stream_cut *cut);

// Adds what became a stream, and of large buffers why they stay whole.
void stow_rows_remark(stow_remarks *to, const stow_rows_block *block,
                      const stow_rows_problem *problem, const stow_stream_cut *cut,
                      const stow_stream_places *places);

// The memory of buffers that share bytes.
typedef struct stow_rows_shared {
  const stow_stream_places *places;
  MlirValue memory; // null: none
  stow_constants constants;
} stow_rows_shared;

// Per buffer, whether it may share bytes with the others of which that is said. Freed with free().
bool *stow_rows_sharers(const stow_rows_block *block, const stow_rows_problem *problem);

// Makes the memory, in front of all that lies in it, and where it is freed if those are.
void stow_rows_make_shared(const stow_rows_block *block, const stow_stream_places *places,
                           stow_rows_shared *out);

// The place of a buffer or of its window, or a null value.
MlirValue stow_rows_share(stow_rows_shared *shared, const stow_builder *builder,
                          const stow_rows_block *block, size_t buffer, MlirType type);

// When streams are rewritten: buffers that are whole become views, too.
void stow_rows_share_whole(const stow_rows_block *block, const stow_stream_cut *cut,
                           stow_rows_shared *shared);

// Whether the op or one inside it takes a value of an op in the map.
bool stow_rows_depends_on(MlirOperation op, const stow_map *makers);

// Rewrites a stream, before the problem that it was scheduled for is gone.
void stow_rows_rewrite(stow_rows_block *block, const stow_rows_problem *problem,
                       const stow_stream_schedule *schedule, stow_rows_shared *shared);

#endif // STOWAGE_ROWS_BLOCK_H
