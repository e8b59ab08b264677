//===- fusion.h - memory-access-streaming-fusion: its account of what it did ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   function --unthread--> tasks on the buffers themselves               thread.c
//            --copied----> readers of copies that read the source        copied.c, unread.c
//     pair   --open------> a copy of both bodies, one after the other    open.c
//            --align-----> loops that may become common                  align.c, nest.c
//            --reverse---> loops that run in one direction               reverse.c
//            --pace------> loops split into runs, so that they may       pace.c
//            --order-----> proof that no conflict changes its order      order.c, executions.c
//            --reshape---> common loops                                  reshape.c, tighten.c
//            --forward---> values instead of loads; carried cells        forward.c
//            --window----> how much of each buffer must be kept          window.c
//            --replay----> whether that holds, by a run of both          replay.c
//     best   --place-----> where the task may be, with no higher peak    place.c, alive.c
//            --close-----> one task instead of two                       close.c, fusion.c
//   pair   --twins-----> what came of one that is alike, instead          twins.c
//   task   --steady----> runs without conditions                         steady.c
//   block  --channels--> or else, channels in place of buffers          channels.c
//   function --search----> all of that again, other pairs kept apart     search.c
//            --in place--> or with buffers in the place of others        inplace.c
//   function --thread----> versions, derived from program order          thread.c
//
// A pair is tried on a copy that is in no block, so that a refusal leaves no trace. Each step makes
// an equal program, whatever the steps before were for.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_FUSION_H
#define STOWAGE_TASKFLOW_FUSION_H

#include "ir/report_files.h"
#include "ir/sequences.h"
#include "stowage/passes.h"
#include "taskflow/memory.h"
#include "taskflow/open.h"
#include "taskflow/steps.h"

//===----------------------------------------------------------------------===//
// trial.c: one fusion, tried on a copy
//===----------------------------------------------------------------------===//

typedef struct stow_trial_options {
  stow_align_options align;
  bool windows; // a window in place of a buffer is a gain, too
  bool distinct_arguments;
} stow_trial_options;

// A buffer that the fused task names in stores only.
typedef struct stow_dry_buffer {
  MlirValue buffer;
  uint64_t stores; // to it that are left
} stow_dry_buffer;

// What came of a pair. It holds no ops of the copy, and stays true while the tasks do not change.
typedef struct stow_trial {
  stow_fusion_reason reason;
  size_t candidate; // the alignment, or after these the pace
  bool reversed;    // ... of nests with loops that run backwards
  bool streams;     // all loads of some buffer that the reader has get their values
  MlirLocation blame[2];
  size_t blame_count;     // where the reason lies
  uint64_t loads, stores; // that the fused task saves
  STOW_ARRAY(stow_dry_buffer) dry;
  STOW_ARRAY(stow_window) windows; // of buffers that nobody else uses, if so
} stow_trial;

// Tries alignments until one is legal and gives all loads of some buffer that the reader has their
// values; where none does, the one, or the pace, that leaves the smallest windows. `buffers`: what
// the writer writes and the reader reads.
stow_trial stow_taskflow_try_fusion(const stow_task *writer, const stow_task *reader,
                                    const stow_values *buffers, stow_trial_options options);

// Does it again, and leaves the result open.
stow_open_pair stow_taskflow_redo_fusion(const stow_task *writer, const stow_task *reader,
                                         const stow_values *buffers, stow_trial_options options,
                                         const stow_trial *trial);

void stow_trial_free(stow_trial *trial);

// Whether the reader has a value of the writer's as an operand.
bool stow_taskflow_reader_needs_value(const stow_task *writer, const stow_task *reader);

//===----------------------------------------------------------------------===//
// twins.c: pairs of tasks that are alike
//===----------------------------------------------------------------------===//

typedef struct stow_twin {
  stow_trial trial;
  stow_values buffers; // of that pair, in its order; they may be gone
  size_t blame[2];     // the ops whose locations these are, among those of both tasks
  bool located;        // all of them are there
} stow_twin;

// Trials in one function, with the same options but for windows. A zeroed one is empty.
typedef struct stow_twins {
  stow_sequences bodies, pairs;
  STOW_ARRAY(stow_twin) known; // by the number of the pair's sequence
} stow_twins;

// What stow_taskflow_try_fusion gives, which is asked where no twin is known.
stow_trial stow_taskflow_try_twin(stow_twins *twins, const stow_task *writer,
                                  const stow_task *reader, const stow_values *buffers,
                                  stow_trial_options options);

void stow_twins_free(stow_twins *twins);

//===----------------------------------------------------------------------===//
// taskgraph.c: tasks and the buffers between them
//===----------------------------------------------------------------------===//

typedef struct stow_graph_task {
  char *name;
  uint64_t loads, stores;
} stow_graph_task;

// One task reads what another wrote last.
typedef struct stow_graph_edge {
  size_t from, to;
  char *buffer; // its type
  uint64_t bytes;
  bool bytes_known;
} stow_graph_edge;

typedef struct stow_task_graph {
  STOW_ARRAY(stow_graph_task) tasks; // in program order
  STOW_ARRAY(stow_graph_edge) edges;
} stow_task_graph;

// Of a function in which no versions are in use.
stow_task_graph stow_task_graph_of(MlirOperation function);
void stow_task_graph_free(stow_task_graph *graph);

// The graph as a cluster of a DOT file, and as a column of an SVG picture whose upper left corner
// is at (x, y). `name` makes it distinct from others in the file, `title` stands above it.
void stow_task_graph_put_dot(stow_text *out, const stow_task_graph *graph, const char *name,
                             const char *title);
void stow_task_graph_put_svg(stow_text *out, const stow_task_graph *graph, const char *title,
                             size_t x, size_t y);
size_t stow_task_graph_svg_height(const stow_task_graph *graph);
enum { STOW_TASK_GRAPH_WIDTH = 560 };

//===----------------------------------------------------------------------===//
// fusion.c: one way to fuse the tasks of a function
//===----------------------------------------------------------------------===//

// A writer and a reader, and what became of them. Text is owned.
typedef struct stow_fusion_record {
  char *function, *writer, *reader, *fused; // fused: NULL where they stay two
  MlirLocation writer_location, reader_location;
  stow_fusion_reason reason;
  bool noalias; // arguments were taken not to overlap
  MlirLocation blame[2];
  size_t blame_count;
  size_t round;
  size_t tied;              // other pairs that would have gained as much
  size_t buffers;           // that are gone
  size_t windows;           // that have taken the place of buffers
  uint64_t depth, elements; // of the channel between them, where there is one
  uint64_t bytes;           // saved by all of these
  uint64_t loads, stores;   // saved
} stow_fusion_record;

// Two tasks of one block, by the numbers that they have before any is fused, counted from 1.
typedef struct stow_task_edge {
  size_t block;
  uint32_t writer, reader;
} stow_task_edge;

typedef STOW_ARRAY(stow_task_edge) stow_task_edges;

// One way to fuse the tasks of a function, and what came of it.
typedef struct stow_fusion_way {
  MlirOperation function;
  stow_figures figures;
  size_t unread_buffers;                  // that nothing read; they are gone
  uint64_t unread_bytes;                  // of these
  STOW_ARRAY(stow_fusion_record) records; // fused ones in their order, then refused ones
  stow_task_edges joined;                 // by fused ones
  stow_task_edges pairs;                  // of writers and readers, before any was fused
  size_t trials;
} stow_fusion_way;

// Fuses the tasks of a function without versions by gain; those that are `apart` stay two. `twins`:
// of earlier ways of the function.
stow_fusion_way stow_taskflow_fuse(MlirOperation function, const stow_fusion_options *options,
                                   const stow_task_edges *apart, bool sums_outside,
                                   stow_twins *twins);

// Of two tasks of which nothing else is known.
stow_fusion_record stow_fusion_record_of(MlirOperation function, MlirOperation writer,
                                         MlirOperation reader, stow_fusion_reason reason,
                                         bool noalias);

void stow_fusion_record_free(stow_fusion_record *record); // what it holds

// All but the function.
void stow_fusion_way_free(stow_fusion_way *way);

//===----------------------------------------------------------------------===//
// search.c: memory-access-streaming-fusion: the best way, and an account of it
//===----------------------------------------------------------------------===//

enum { STOW_SEARCH_TRIALS = 500 }; // unless the caller says how many

typedef struct stow_buffer_count {
  size_t buffers;
  uint64_t bytes;
} stow_buffer_count;

// How the way was found.
typedef struct stow_fusion_search {
  size_t ways, trials;        // trials: of those after the first
  bool exhausted;             // no other choice of pairs is left
  uint64_t floor;             // no way leaves fewer bytes
  size_t as_good;             // ways that left as much as the best
  stow_buffer_count in_place; // that took the place of others first
} stow_fusion_search;

typedef struct stow_function_fusion {
  MlirOperation function;
  stow_figures before, after;
  size_t unread_buffers; // that nothing read; they are gone
  uint64_t unread_bytes; // of these
  stow_fusion_search search;
  stow_task_graph graph_before, graph_after;
} stow_function_fusion;

typedef struct stow_fusion {
  MlirOperation module;
  stow_fusion_options options;
  // Per function fused ones in their order, then refused ones.
  STOW_ARRAY(stow_fusion_record) records;
  STOW_ARRAY(stow_function_fusion) functions;
} stow_fusion;

//===----------------------------------------------------------------------===//
// copied.c: buffers that hold what an argument or a global holds
//===----------------------------------------------------------------------===//

// Lets the readers of a copy read its source, where that stays as it is. Tells whether there were
// any; what wrote the copies is there still. No versions are in use.
bool stow_taskflow_read_through_copies(stow_fusion *fusion, MlirOperation function);

//===----------------------------------------------------------------------===//
// describe.c: what is said of it
//===----------------------------------------------------------------------===//

void stow_fusion_remarks(const stow_fusion *fusion);

// The reports that the options ask for, each of all of the fusion.
stow_report_files stow_fusion_files(const stow_fusion *fusion);

#endif // STOWAGE_TASKFLOW_FUSION_H
