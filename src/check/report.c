//===- report.c - faults as located errors --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check/report.h"

#include <inttypes.h>
#include <stdlib.h>

static MlirLocation location_of(MlirValue value) {
  if (mlirValueIsAOpResult(value))
    return mlirOperationGetLocation(mlirOpResultGetOwner(value));
  return mlirOperationGetLocation(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)));
}

void stow_check_complain(stow_check_program *program, MlirOperation op, const char *text,
                         const stow_check_note *notes, size_t count) {
  stow_note *located = stow_allocate(count, sizeof *located);
  for (size_t i = 0; i < count; ++i)
    located[i] =
        (stow_note){mlirOperationIsNull(notes[i].op) ? location_of(notes[i].value)
                                                     : mlirOperationGetLocation(notes[i].op),
                    notes[i].text};
  stow_error(mlirOperationGetLocation(op), text, located, count);
  free(located);
  program->faulty = true;
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static char *bytes_text(const stow_check_program *p, const stow_check_fault *fault) {
  const stow_check_name *name = &p->names[fault->name];
  stow_text text = {0};
  if (name->kind != STOW_CHECK_CHOICE && name->anchor == name->root &&
      fault->bytes.hi < STOW_CHECK_FAR)
    stow_text_printf(&text,
                     "overwrites bytes %" PRId64 " to %" PRId64
                     " of an arena, which hold what another view has yet to read",
                     name->address + fault->bytes.lo, name->address + fault->bytes.hi);
  else
    stow_text_printf(&text,
                     "overwrites bytes of an arena that hold what another view has yet to read");
  return stow_text_take(&text);
}

static void report_clobber(stow_check_program *p, const stow_check_fault *f) {
  char *text = bytes_text(p, f);
  bool read_here = f->reader >= 0;
  stow_check_note notes[] = {
      {.value = p->names[f->other].value, .text = "this is the view that is written"},
      {.value = p->names[f->name].value, .text = "this is the other view"},
      {.op = p->ops[f->written], .text = "it is written here"},
      {.op = read_here ? p->ops[f->reader] : p->function,
       .text = read_here ? "and read here" : "and may be read when the function is done"}};
  stow_check_complain(p, p->ops[f->by], text, notes, sizeof notes / sizeof *notes);
  free(text);
}

static void report_used(stow_check_program *p, const stow_check_fault *f) {
  stow_check_note notes[] = {{.op = p->ops[f->by], .text = "it is deallocated here"},
                             {.value = p->names[f->name].value, .text = "this is the arena"}};
  stow_check_complain(p, p->ops[f->reader],
                      f->kind == STOW_CHECK_FAULT_USED ? "uses an arena after it was deallocated"
                                                       : "deallocates an arena for the second time",
                      notes, 2);
}

void stow_check_report_faults(stow_check_program *program, const stow_check_fault *faults,
                              size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (faults[i].kind == STOW_CHECK_FAULT_CLOBBERED)
      report_clobber(program, &faults[i]);
    else
      report_used(program, &faults[i]);
}

void stow_check_report_effort(stow_check_program *program) {
  stow_text text = {0};
  stow_text_printf(&text, "was not checked: %" PRIu64 " steps do not suffice; raise max-effort",
                   program->options->max_effort);
  stow_check_complain(program, program->function, text.data, NULL, 0);
  free(text.data);
}

//===----------------------------------------------------------------------===//
// Leaks
//===----------------------------------------------------------------------===//

static bool gets_away(const stow_check_program *p, int32_t root) {
  for (size_t i = 0; i < p->escaped_count; ++i)
    if (p->names[p->escaped[i].name].root == root || p->names[p->escaped[i].name].root < 0)
      return true;
  return false;
}

static bool is_freed(const stow_check_program *p, int32_t root) {
  for (size_t e = 0; e < p->event_count; ++e) {
    const stow_check_event *event = &p->events[e];
    bool returns = event->kind == STOW_CHECK_EVENT_ACCESS &&
                   (stow_op_facts(p->ops[event->op]) & STOW_OP_RETURN);
    for (size_t a = 0; a < event->count && (event->kind == STOW_CHECK_EVENT_FREE || returns); ++a) {
      int32_t freed = p->names[p->accesses[event->first + a].place.name].root;
      if (freed == root || freed < 0)
        return true;
    }
  }
  return gets_away(p, root);
}

void stow_check_report_leaks(const stow_check_program *p) {
  for (size_t n = 0; n < p->name_count; ++n) {
    const stow_check_name *name = &p->names[n];
    if (name->kind != STOW_CHECK_ROOT || !mlirValueIsAOpResult(name->value))
      continue;
    MlirOperation op = mlirOpResultGetOwner(name->value);
    if (!stow_op_is(op, "memref.alloc") || is_freed(p, (int32_t)n))
      continue;
    stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_ANALYSIS,
                                    .location = mlirOperationGetLocation(op),
                                    .category = "check-arena-plan",
                                    .name = "leak",
                                    .function = stow_function_name(p->function),
                                    .text = "no path deallocates this arena"});
  }
}
