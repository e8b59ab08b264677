//===- program.c - the tables of a program, filled and looked up ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const stow_check_place NOWHERE = {.name = STOW_CHECK_NO_NAME};

void stow_check_program_free(stow_check_program *p) {
  stow_map_free(&p->place_of);
  stow_map_free(&p->anchor_at);
  stow_map_free(&p->returned);
  free(p->places.at);
  free(p->names.at);
  free(p->sources.at);
  free(p->origins.at);
  free(p->accesses.at);
  free(p->events.at);
  free(p->ops.at);
  free(p->nodes.at);
  free(p->order.at);
  free(p->edges.at);
  stow_index_free(&p->out);
  stow_index_free(&p->in);
  free(p->escaped.at);
  free(p->summaries.at);
  stow_map_free(&p->handle_of);
  stow_map_free(&p->told);
  free(p->handles.at);
  free(p->given.at);
  free(p->works.at);
  stow_check_transfers_free(&p->transfers);
  stow_map_free(&p->body_of);
  free(p->clashes.at);
  free(p->overtakings.at);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

stow_check_place stow_check_place_of(const stow_check_program *p, MlirValue value) {
  int32_t index = stow_map_get(&p->place_of, value.ptr);
  return index < 0 ? NOWHERE : p->places.at[index];
}

stow_check_place stow_check_place_of_operand(const stow_check_program *p, MlirOperation op,
                                             intptr_t operand) {
  return stow_check_place_of(p, mlirOperationGetOperand(op, operand));
}

void stow_check_place_set(stow_check_program *p, MlirValue value, stow_check_place place) {
  int32_t index = stow_map_get(&p->place_of, value.ptr);
  if (index >= 0)
    p->places.at[index] = place;
  else
    stow_map_add(&p->place_of, value.ptr, (int32_t)STOW_PUSH(p->places, place));
}

//===----------------------------------------------------------------------===//
// Names and their sources
//===----------------------------------------------------------------------===//

int32_t stow_check_name_add(stow_check_program *p, stow_check_name name) {
  int32_t index = (int32_t)p->names.count;
  name.position = p->position++;
  name.family = index;
  name.group = STOW_CHECK_NO_NAME;
  if (name.kind == STOW_CHECK_ROOT) {
    name.root = name.anchor = index;
    name.loose = STOW_CHECK_NO_NAME;
  }
  STOW_PUSH(p->names, name);
  bool sized = name.bytes.hi < STOW_CHECK_FAR;
  stow_check_place_set(p, name.value, (stow_check_place){index, name.bytes, true, sized});
  return index;
}

void stow_check_source_add(stow_check_program *p, int32_t edge, MlirValue from, MlirValue to) {
  STOW_PUSH(p->sources, (stow_check_source){STOW_CHECK_NO_NAME, edge, from, to, .place = NOWHERE});
}

void stow_check_sources_along(const stow_check_program *p, int32_t choice, int32_t edge,
                              size_t *out_first, size_t *out_end) {
  const stow_check_name *name = &p->names.at[choice];
  const stow_check_source *of_name = p->sources.at + name->first_source;
  const stow_column edges = STOW_COLUMN(of_name, name->source_count, edge);
  size_t first = stow_ir_first_from(edges, edge), next = first;
  while (next < name->source_count && of_name[next].edge == edge)
    ++next;
  *out_first = name->first_source + first;
  *out_end = name->first_source + next;
}

bool stow_check_made_in_loop_of(const stow_check_program *p, int32_t name, int32_t edge) {
  const stow_check_node *from = &p->nodes.at[p->edges.at[edge].from];
  const stow_check_node *to = &p->nodes.at[p->edges.at[edge].to];
  int64_t position = p->names.at[name].position;
  return to->begin <= from->begin && position > to->begin && position < from->end;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void stow_check_define_add(stow_check_program *p, int32_t name) {
  STOW_PUSH(p->events, (stow_check_event){.kind = STOW_CHECK_EVENT_DEFINE, .op = -1, .name = name});
}

static int32_t add_op(stow_check_program *p, MlirOperation op) {
  size_t count = p->ops.count;
  bool again = count > 0 && mlirOperationEqual(p->ops.at[count - 1], op);
  return (int32_t)(again ? count - 1 : STOW_PUSH(p->ops, op));
}

void stow_check_barrier_add(stow_check_program *p, MlirOperation op, stow_check_event_kind kind) {
  STOW_PUSH(p->events,
            (stow_check_event){kind, add_op(p, op), STOW_CHECK_NO_NAME, p->accesses.count, 0});
}

void stow_check_handles_add(stow_check_program *p, MlirOperation op, int32_t work) {
  STOW_PUSH(p->events, (stow_check_event){STOW_CHECK_EVENT_HANDLES, add_op(p, op), work,
                                          p->accesses.count, 0});
}

int32_t stow_check_handle_of(const stow_check_program *p, MlirValue value) {
  return stow_map_get(&p->handle_of, value.ptr);
}

void stow_check_accesses_close(stow_check_program *p, stow_check_event_kind kind, MlirOperation op,
                               size_t first) {
  size_t count = p->accesses.count - first;
  if (count > 0)
    STOW_PUSH(p->events, (stow_check_event){kind, add_op(p, op), STOW_CHECK_NO_NAME, first, count});
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static MlirLocation location_of(MlirValue value) {
  if (mlirValueIsAOpResult(value))
    return mlirOperationGetLocation(mlirOpResultGetOwner(value));
  return mlirOperationGetLocation(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)));
}

void stow_check_complain(stow_check_program *p, MlirOperation op, const stow_check_note *notes,
                         size_t count, const char *format, ...) {
  char words[300], text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  char *numbers = p->numbers ? stow_check_numbers_text(p->numbers, op) : NULL;
  snprintf(text, sizeof text, "%s%s", words, numbers ? numbers : "");
  free(numbers);
  stow_note *located = stow_ir_allocate(count, sizeof *located);
  stow_map_note(&p->told, op.ptr);
  for (size_t i = 0; i < count; ++i) {
    if (!mlirOperationIsNull(notes[i].op))
      stow_map_note(&p->told, notes[i].op.ptr);
    located[i] =
        (stow_note){mlirOperationIsNull(notes[i].op) ? location_of(notes[i].value)
                                                     : mlirOperationGetLocation(notes[i].op),
                    notes[i].text};
  }
  stow_bridge_error(mlirOperationGetLocation(op), text, located, count);
  free(located);
  p->faulty = true;
}
