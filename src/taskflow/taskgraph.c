//===- taskgraph.c - tasks and the buffers between them ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/taskgraph.h"

#include "taskflow/memory.h"
#include "taskflow/thread.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

static void add_task(stow_task_graph *graph, const stow_task *task) {
  stow_figures figures = stow_accesses_in(task->op);
  STOW_PUSH(graph->tasks, (stow_graph_task){stow_copy_string(stow_task_name(task)), figures.loads,
                                            figures.stores});
}

static void add_edge(stow_task_graph *graph, size_t from, size_t to, MlirValue buffer) {
  stow_graph_edge edge = {from, to, stow_type_text(mlirValueGetType(buffer)), 0, false};
  edge.bytes_known = stow_allocation_bytes(stow_root_of(buffer), &edge.bytes);
  STOW_PUSH(graph->edges, edge);
}

stow_task_graph stow_task_graph_of(MlirOperation function) {
  stow_task_graph graph = {0};
  stow_values written = {0};
  STOW_ARRAY(size_t) writer_of = {0};
  stow_op_list tasks = stow_tasks_of(function);
  for (size_t t = 0; t < tasks.count; ++t) {
    stow_task task = stow_task_of(tasks.at[t]);
    add_task(&graph, &task);
    for (intptr_t i = 0; i < task.reads; ++i) {
      int32_t index = stow_values_find(&written, stow_task_original_read(&task, i));
      if (index >= 0)
        add_edge(&graph, writer_of.at[index], t, stow_task_original_read(&task, i));
    }
    for (intptr_t i = 0; i < task.writes; ++i) {
      size_t index = stow_values_add(&written, stow_task_original_write(&task, i));
      if (index == writer_of.count)
        STOW_PUSH(writer_of, t);
      writer_of.at[index] = t;
    }
  }
  stow_values_free(&written);
  free(tasks.at);
  free(writer_of.at);
  return graph;
}

void stow_task_graph_free(stow_task_graph *graph) {
  for (size_t i = 0; i < graph->tasks.count; ++i)
    free(graph->tasks.at[i].name);
  for (size_t i = 0; i < graph->edges.count; ++i)
    free(graph->edges.at[i].buffer);
  free(graph->tasks.at), free(graph->edges.at);
  *graph = (stow_task_graph){0};
}

//===----------------------------------------------------------------------===//
// DOT
//===----------------------------------------------------------------------===//

static void put_node_name(stow_sink sink, const char *name, size_t task) {
  stow_put(sink, "\"");
  stow_put(sink, name);
  stow_put(sink, ".");
  stow_put_unsigned(sink, task);
  stow_put(sink, "\"");
}

// DOT strings escape as JSON's do, as far as names of tasks and types go.
static void put_dot_node(stow_sink sink, const stow_task_graph *graph, const char *name,
                         size_t task) {
  stow_put(sink, "    ");
  put_node_name(sink, name, task);
  stow_put(sink, " [label=");
  stow_put_json_string(sink, graph->tasks.at[task].name);
  stow_put(sink, ", tooltip=\"");
  stow_put_unsigned(sink, graph->tasks.at[task].loads);
  stow_put(sink, " loads, ");
  stow_put_unsigned(sink, graph->tasks.at[task].stores);
  stow_put(sink, " stores\"]\n");
}

void stow_task_graph_put_dot(stow_sink sink, const stow_task_graph *graph, const char *name,
                             const char *title) {
  stow_put(sink, "  subgraph \"cluster ");
  stow_put(sink, name);
  stow_put(sink, "\" {\n    label=");
  stow_put_json_string(sink, title);
  stow_put(sink, "\n    node [shape=box]\n");
  for (size_t i = 0; i < graph->tasks.count; ++i)
    put_dot_node(sink, graph, name, i);
  for (size_t i = 0; i < graph->edges.count; ++i) {
    stow_put(sink, "    ");
    put_node_name(sink, name, graph->edges.at[i].from);
    stow_put(sink, " -> ");
    put_node_name(sink, name, graph->edges.at[i].to);
    stow_put(sink, " [label=");
    stow_put_json_string(sink, graph->edges.at[i].buffer);
    stow_put(sink, "]\n");
  }
  stow_put(sink, "  }\n");
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//
//
// Tasks one below the other in program order; an edge is an arc to the right of them that bends the
// more, the further it goes, with its buffer written where it leaves.

enum { TITLE = 30, ROW = 56, BOX_WIDTH = 300, BOX_HEIGHT = 36, REACH = 26, MOST_REACH = 200 };

size_t stow_task_graph_svg_height(const stow_task_graph *graph) {
  return TITLE + graph->tasks.count * ROW;
}

static void put_number_attribute(stow_sink sink, const char *name, size_t value) {
  stow_put(sink, " ");
  stow_put(sink, name);
  stow_put(sink, "=\"");
  stow_put_unsigned(sink, value);
  stow_put(sink, "\"");
}

static void put_text(stow_sink sink, const char *class, size_t x, size_t y, const char *text) {
  stow_put(sink, "<text class=\"");
  stow_put(sink, class);
  stow_put(sink, "\"");
  put_number_attribute(sink, "x", x);
  put_number_attribute(sink, "y", y);
  stow_put(sink, ">");
  stow_put_markup(sink, text);
  stow_put(sink, "</text>\n");
}

static void put_task(stow_sink sink, const stow_graph_task *task, size_t x, size_t y) {
  char *accesses = stow_format("%llu loads, %llu stores", (unsigned long long)task->loads,
                               (unsigned long long)task->stores);
  stow_put(sink, "<rect");
  put_number_attribute(sink, "x", x);
  put_number_attribute(sink, "y", y);
  put_number_attribute(sink, "width", BOX_WIDTH);
  put_number_attribute(sink, "height", BOX_HEIGHT);
  stow_put(sink, "/>\n");
  put_text(sink, "task", x + 8, y + 15, task->name);
  put_text(sink, "small", x + 8, y + 29, accesses);
  free(accesses);
}

static void put_edge(stow_sink sink, const stow_graph_edge *edge, size_t x, size_t y) {
  size_t from = y + edge->from * ROW + BOX_HEIGHT / 2 + 6,
         to = y + edge->to * ROW + BOX_HEIGHT / 2 - 6;
  size_t right = x + BOX_WIDTH, reach = REACH * (edge->to - edge->from);
  size_t bend = right + (reach < MOST_REACH ? reach : MOST_REACH);
  stow_put(sink, "<path d=\"M");
  const size_t points[] = {right, from, bend, from, bend, to, right, to};
  for (size_t i = 0; i < 8; ++i) {
    stow_put(sink, i == 2 ? " C" : i ? " " : "");
    stow_put_unsigned(sink, points[i]);
  }
  stow_put(sink, "\" marker-end=\"url(#arrow)\"/>\n");
  stow_text label = {0};
  stow_text_printf(&label, "%s", edge->buffer);
  if (edge->bytes_known)
    stow_text_printf(&label, ", %llu B", (unsigned long long)edge->bytes);
  put_text(sink, "small", right + 8, from + 10, label.data);
  free(label.data);
}

void stow_task_graph_put_svg(stow_sink sink, const stow_task_graph *graph, const char *title,
                             size_t x, size_t y) {
  put_text(sink, "title", x, y + 18, title);
  y += TITLE;
  for (size_t i = 0; i < graph->edges.count; ++i)
    put_edge(sink, &graph->edges.at[i], x, y);
  for (size_t i = 0; i < graph->tasks.count; ++i)
    put_task(sink, &graph->tasks.at[i], x, y + i * ROW);
}
