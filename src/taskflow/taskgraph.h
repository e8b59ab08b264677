//===- taskgraph.h - tasks and the buffers between them ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_TASKGRAPH_H
#define STOWAGE_TASKFLOW_TASKGRAPH_H

#include "taskflow/memory.h"

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

#endif // STOWAGE_TASKFLOW_TASKGRAPH_H
