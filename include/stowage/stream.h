//===- stowage/stream.h - statements executed together, row by row --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WHAT. A program is a list of statements. Each runs a loop, whose iteration i touches some rows of
// some buffers: rows stride * i + low to stride * i + high. Executed one after the other, each
// buffer must hold all of its rows. Executed together, some rows at a time, a buffer holds only the
// rows that are still needed.
//
//     convolution   writes a[i]      reads x[i .. i+2]           a step:  a[t]
//     convolution   writes b[i]      reads a[i .. i+2]                    b[t - 2]
//
//     a keeps 3 rows.
//
// A *stream* is a range of statements executed in this way, in steps. A statement runs every
// `period` steps: in step period * k + delay it executes its iterations [rate * k, rate * (k + 1)),
// as far as they exist. So each iteration is executed once, and in order; a statement after a
// stride of 2 runs in every other step. Within a step, statements that depend on each other run in
// program order.
//
// A statement that cannot be split, or whose result another one needs as a whole, runs once, before
// the steps or after them.
//
// HOW. `stow_stream_schedule` gives the order for one range. `stow_stream_cut` chooses
// the ranges so that the bytes in use at the worst moment are fewest. `stow_stream_verify`
// replays a schedule row by row and shares nothing with what made it.
//
// PROMISES. As in plan.h: no printing, no clock, no globals; equal input gives equal
// output. Functions that allocate return false when memory runs out.
//
// SOURCES. Sliding windows and storage folding: Ragan-Kelley et al., "Halide", PLDI 2013.
// Delays are a retiming of a multirate dataflow graph: Leiserson and Saxe, "Retiming
// synchronous circuitry", Algorithmica 1991.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_H
#define STOWAGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

typedef struct stow_stream_access {
  size_t buffer;
  bool writes;               // or only reads
  bool whole;                // any row, in any iteration
  int64_t stride, low, high; // else iteration i: rows stride * i + low to stride * i + high;
                             // stride >= 0, low <= high
  uint64_t again; // bytes that it touches each time that the statement runs, if not by rows
} stow_stream_access;

typedef struct stow_stream_statement {
  int64_t iterations; // 0: it cannot be split
  const stow_stream_access *accesses;
  size_t access_count;
  uint64_t used_once; // of the bytes that it touches each time, those that an iteration uses once
} stow_stream_statement;

typedef struct stow_stream_buffer {
  int64_t rows;
  uint64_t row_bytes;
  uint64_t bytes; // of all of it; 0: memory that is not ours to count
  bool local;     // nothing but the statements touches it; else it stays once it is touched
  bool passing;   // not local, but freed after its last use: counted, and not planned here
  bool scattered; // its rows are not contiguous, one behind the other
} stow_stream_buffer;

// Statements of one block, in program order.
typedef struct stow_stream_problem {
  const stow_stream_statement *statements;
  size_t statement_count;
  const stow_stream_buffer *buffers;
  size_t buffer_count;
  uint64_t alignment; // memory is given out in so many bytes, a power of two; 0: 1
} stow_stream_problem;

//===----------------------------------------------------------------------===//
// A schedule
//===----------------------------------------------------------------------===//

typedef enum stow_stream_stage {
  STOW_STREAM_STEPS,  // with the others, in steps
  STOW_STREAM_BEFORE, // as a whole, before the steps
  STOW_STREAM_AFTER,  // as a whole, after them
} stow_stream_stage;

typedef struct stow_stream_order {
  stow_stream_stage stage;
  int64_t rate;   // iterations each time
  int64_t period; // steps from one time to the next
  int64_t delay;  // the step of the first iteration; >= 0
  size_t group;   // a step runs groups in this order; all of one run in the same steps
} stow_stream_order;

// How a buffer keeps its rows, if all that touches it runs in the steps. Any other is whole.
typedef enum stow_stream_storage {
  STOW_STREAM_LOCAL, // no row outlives its step
  STOW_STREAM_SHIFT, // a window whose last rows move to its front from time to time
  STOW_STREAM_RING,  // rows in a circle; the last ones are copied in front of the first
} stow_stream_storage;

// Before each step phase + n * period, n >= 0, the last `moved` slots of a window are copied to the
// first ones, if the step before it is one of [begin, end). In step t, row r of a buffer is slot
// r - (advance * floor((t - phase) / period) + base) of its window. In a ring, the last row r that
// a statement touches at a time is slot moved + (r - base) mod advance; the rows before r are in
// the slots before that one.
typedef struct stow_stream_window {
  size_t buffer;
  stow_stream_storage storage;
  int64_t period, phase; // phase < period
  int64_t advance;       // rows per period
  int64_t base;          // may be negative
  int64_t kept;          // slots
  int64_t moved;
  int64_t begin, end; // behind other steps nothing moves
} stow_stream_window;

typedef struct stow_stream_schedule {
  size_t first, end;         // statements [first, end)
  int64_t steps;             // 0: nothing runs in steps
  stow_stream_order *orders; // one per statement of the range
  size_t *sequence;          // statements in steps as they follow each other in one: by group, then
  size_t sequence_count;     // as in the program
  stow_stream_window *windows; // of the buffers that are not whole; by ascending buffer
  size_t window_count;
  size_t *moves; // at the end of a step, windows move in this order: indices of those that do
  size_t move_count;
  uint64_t kept_bytes;  // of all windows, those of LOCAL ones at the worst moment of a step
  uint64_t peak_bytes;  // with all local buffers alive beside, at the worst moment of the range
  uint64_t heap_bytes;  // with those that are not local, too
  uint64_t held_bytes;  // of those that are not local, most of them while a local one is alive
  uint64_t moved_bytes; // in all steps together
  double again;         // bytes that are touched again each time, where no cache holds them
  double used_once;     // bytes that statements load again each time for fewer than 4 iterations
  double traffic;       // bytes between memory and a cache, less those without the stream
} stow_stream_schedule;

// The window of a buffer, or NULL: it is whole.
const stow_stream_window *stow_stream_find_window(const stow_stream_schedule *schedule,
                                                  size_t buffer);

// The first slot of an access when its statement runs for the k-th time, k >= 0:
// by * ((k + ahead) % cycle) + first.
typedef struct stow_stream_slot {
  int64_t by, ahead, cycle, first; // >= 0; cycle >= 1
} stow_stream_slot;

stow_stream_slot stow_stream_slot_of(const stow_stream_window *window,
                                     const stow_stream_order *order,
                                     const stow_stream_access *access);

typedef struct stow_stream_options {
  int64_t rows; // iterations of a statement each time. 0: 1; if ranges are chosen, as many up to 8
                // as cost no byte (but see stow_stream_cut_problem), or up to 64 if a step touches
                // much memory again or its rows are short
  double max_moved; // the most bytes that are moved to keep windows contiguous, as a share of those
                    // that the statements touch; 0: none, below 0: any. Larger windows move less
  uint64_t memory; // bytes of local buffers without streams, where other buffers lend them some and
                   // these are fewer than their peak; 0: their peak
  bool overlap; // rows may use the bytes of dead rows, and peaks count that. A step then keeps the
                // program's order of statements instead of forming few groups, and windows move
                // in reverse order: more rows are dead when others are written
  uint64_t most_shared; // bytes of all buffers that share bytes, where the caller has no use for
                        // more; 0: any number
} stow_stream_options;

// Freed with stow_stream_schedule_free, also after false. No options: as few bytes as can be.
bool stow_stream_schedule_range(const stow_stream_problem *problem, size_t first, size_t end,
                                const stow_stream_options *options,
                                stow_stream_schedule *out_schedule);
void stow_stream_schedule_free(stow_stream_schedule *schedule);

// Per buffer: the first statement that touches it and cannot be in one stream with all statements
// from the buffer's first use to its last; SIZE_MAX: all can.
bool stow_stream_find_obstacles(const stow_stream_problem *problem, const size_t *buffers,
                                size_t count, size_t *out_statements);

//===----------------------------------------------------------------------===//
// Which ranges
//===----------------------------------------------------------------------===//

typedef struct stow_stream_cut {
  stow_stream_schedule *streams; // in program order; statements in none of them run as before
  size_t stream_count;
  uint64_t peak_bytes;  // of local buffers at the worst moment
  uint64_t peak_before; // without streams, and without what alignment costs
  uint64_t most_bytes;  // of one memory for all local buffers: with it, and buffers that are not
                        // local, no more bytes are in use than before
} stow_stream_cut;

// *Traffic* is the bytes that miss a cache of 1 MiB. The cache holds the rows of a stream, and what
// its statements touch in each step if that fits. Between statements that run one after the other,
// it does not hold a buffer that is larger than the cache.
//
// Chooses streams by these rules, the first one first:
//   - There is no stream unless peak_bytes is below peak_before. Together with buffers that are not
//     local, no more bytes than before are in use, if the local ones are in one memory that is as
//     large as their peak and exists from the first of them to the last.
//   - peak_bytes is least. If options->rows is 0, it may be up to an eighth more if 2 to 8 rows
//     save very much traffic, and up to a quarter of peak_before if 2 or 4 rows share what is
//     loaded for one (STOW_STREAM_RAISED_BY, STOW_STREAM_PART_FOR_REGISTERS in limits.h).
//   - Traffic is least; then the number of streams.
// Freed with stow_stream_cut_free, also after false.
bool stow_stream_cut_problem(const stow_stream_problem *problem, const stow_stream_options *options,
                             stow_stream_cut *out_cut);
void stow_stream_cut_free(stow_stream_cut *cut);

//===----------------------------------------------------------------------===//
// Buffers that share bytes
//===----------------------------------------------------------------------===//

typedef struct stow_stream_place {
  size_t buffer;
  uint64_t offset;
  size_t over; // an earlier buffer, alive with this one at some moment, that shares bytes with it:
               // the one that shares most. SIZE_MAX: none
} stow_stream_place;

// One memory for several buffers, or for their windows. Rows use the bytes of dead rows.
typedef struct stow_stream_places {
  stow_stream_place *at; // by ascending buffer
  size_t count;
  uint64_t bytes;
} stow_stream_places;

// Places the buffers that are asked for, all of them local: the planner of plan.h does. The streams
// are disjoint, in program order. Freed with stow_stream_places_free, also after false.
bool stow_stream_place_buffers(const stow_stream_problem *problem,
                               const stow_stream_schedule *streams, size_t stream_count,
                               const bool *asked, stow_stream_places *out_places);

// The place of a buffer, or NULL.
const stow_stream_place *stow_stream_find_place(const stow_stream_places *places, size_t buffer);

// Places the buffers that are asked for, and schedules streams again where that takes fewer bytes.
// Places none if all together take no fewer bytes than the cut's peak. Freed with
// stow_stream_places_free, also after false.
bool stow_stream_overlap(const stow_stream_problem *problem, const stow_stream_options *options,
                         const bool *asked, stow_stream_cut *cut, stow_stream_places *out_places);
void stow_stream_places_free(stow_stream_places *places);

//===----------------------------------------------------------------------===//
// The checker
//===----------------------------------------------------------------------===//

typedef struct stow_stream_fault {
  const char *what;
  size_t statement, buffer;
  int64_t iteration, row;
} stow_stream_fault;

typedef enum stow_stream_verdict {
  STOW_STREAM_HOLDS,
  STOW_STREAM_BROKEN, // see the fault
  STOW_STREAM_NO_MEMORY,
} stow_stream_verdict;

// Replays the range in program order and as scheduled, row by row, slot by slot. Takes time and
// memory by rows: for tests and for builds with asserts.
stow_stream_verdict stow_stream_verify(const stow_stream_problem *problem,
                                       const stow_stream_schedule *schedule,
                                       stow_stream_fault *out_fault);

// The same for all statements, with streams in program order, and buffers that share bytes.
stow_stream_verdict stow_stream_verify_places(const stow_stream_problem *problem,
                                              const stow_stream_schedule *streams,
                                              size_t stream_count, const stow_stream_places *places,
                                              stow_stream_fault *out_fault);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_STREAM_H
