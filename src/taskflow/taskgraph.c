//===- taskgraph.c - tasks and the buffers between them ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires tasks in order. Computes an edge from the last writer of each buffer to its readers, and
// prints the graph as DOT or SVG.
//
//===----------------------------------------------------------------------===//

#include "taskflow/fusion.h"

#include "report/put.h"
#include "taskflow/thread.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

static void add_task(stow_task_graph *graph, const stow_task *task) {
  stow_figures figures = stow_taskflow_accesses_in(task->op);
  STOW_PUSH(graph->tasks, (stow_graph_task){stow_ir_copy_string(stow_task_name(task)),
                                            figures.loads, figures.stores});
}

static void add_edge(stow_task_graph *graph, size_t from, size_t to, MlirValue buffer) {
  stow_graph_edge edge = {from, to, stow_ir_type_text(mlirValueGetType(buffer)), 0, false};
  edge.bytes_known = stow_taskflow_allocation_bytes(stow_ir_root_of(buffer), &edge.bytes);
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
  free(graph->tasks.at);
  free(graph->edges.at);
  *graph = (stow_task_graph){0};
}

//===----------------------------------------------------------------------===//
// DOT
//===----------------------------------------------------------------------===//

// DOT strings escape as JSON's do, as far as names of tasks and types go.
static void put_quoted(stow_text *out, const char *text) {
  stow_report_put_json_string(stow_ir_sink_to(out), text);
}

static void put_dot_node(stow_text *out, const stow_task_graph *graph, const char *name,
                         size_t task) {
  const stow_graph_task *it = &graph->tasks.at[task];
  stow_text_printf(out, "    \"%s.%zu\" [label=", name, task);
  put_quoted(out, it->name);
  stow_text_printf(out, ", tooltip=\"%llu loads, %llu stores\"]\n", (unsigned long long)it->loads,
                   (unsigned long long)it->stores);
}

void stow_task_graph_put_dot(stow_text *out, const stow_task_graph *graph, const char *name,
                             const char *title) {
  stow_text_printf(out, "  subgraph \"cluster %s\" {\n    label=", name);
  put_quoted(out, title);
  stow_text_printf(out, "\n    node [shape=box]\n");
  for (size_t i = 0; i < graph->tasks.count; ++i)
    put_dot_node(out, graph, name, i);
  STOW_EACH(const stow_graph_edge, edge, graph->edges) {
    stow_text_printf(out, "    \"%s.%zu\" -> \"%s.%zu\" [label=", name, edge->from, name, edge->to);
    put_quoted(out, edge->buffer);
    stow_text_printf(out, "]\n");
  }
  stow_text_printf(out, "  }\n");
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

static void put_text(stow_text *out, const char *class, size_t x, size_t y, const char *text) {
  stow_text_printf(out, "<text class=\"%s\" x=\"%zu\" y=\"%zu\">", class, x, y);
  stow_report_put_markup(stow_ir_sink_to(out), text);
  stow_text_printf(out, "</text>\n");
}

static void put_task(stow_text *out, const stow_graph_task *task, size_t x, size_t y) {
  char *accesses = stow_ir_format("%llu loads, %llu stores", (unsigned long long)task->loads,
                                  (unsigned long long)task->stores);
  stow_text_printf(out, "<rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\"/>\n", x, y, BOX_WIDTH,
                   BOX_HEIGHT);
  put_text(out, "task", x + 8, y + 15, task->name);
  put_text(out, "small", x + 8, y + 29, accesses);
  free(accesses);
}

static void put_edge(stow_text *out, const stow_graph_edge *edge, size_t x, size_t y) {
  size_t from = y + edge->from * ROW + BOX_HEIGHT / 2 + 6,
         to = y + edge->to * ROW + BOX_HEIGHT / 2 - 6;
  size_t right = x + BOX_WIDTH, reach = REACH * (edge->to - edge->from);
  size_t bend = right + (reach < MOST_REACH ? reach : MOST_REACH);
  stow_text_printf(out,
                   "<path d=\"M%zu %zu C%zu %zu %zu %zu %zu %zu\" marker-end=\"url(#arrow)\"/>\n",
                   right, from, bend, from, bend, to, right, to);
  stow_text label = {0};
  stow_text_printf(&label, "%s", edge->buffer);
  if (edge->bytes_known)
    stow_text_printf(&label, ", %llu B", (unsigned long long)edge->bytes);
  put_text(out, "small", right + 8, from + 10, label.data);
  free(label.data);
}

void stow_task_graph_put_svg(stow_text *out, const stow_task_graph *graph, const char *title,
                             size_t x, size_t y) {
  put_text(out, "title", x, y + 18, title);
  y += TITLE;
  for (size_t i = 0; i < graph->edges.count; ++i)
    put_edge(out, &graph->edges.at[i], x, y);
  for (size_t i = 0; i < graph->tasks.count; ++i)
    put_task(out, &graph->tasks.at[i], x, y + i * ROW);
}
