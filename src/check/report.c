//===- report.c - faults as located errors --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the faults of a function. Each becomes a located error that names who writes, what is
// lost and who reads it; an arena that no path frees is a remark.
//
//===----------------------------------------------------------------------===//

#include "check/steps.h"

#include "check/op.h"

#include "mlir-c/BuiltinTypes.h"

#include <inttypes.h>

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

// What of it numbers tell that are known at run time only: 1 an offset, 2 a size, 3 both, or 0.
static int known_later(const stow_check_name *name) {
  const MlirType type = mlirValueGetType(name->value);
  return (name->loose >= 0) | (mlirTypeIsAShaped(type) && !mlirShapedTypeHasStaticShape(type)) << 1;
}

static void report_clobber(stow_check_program *p, const stow_check_fault *f) {
  static const char *const written[] = {
      "this is the view that is written",
      "this is the view that is written, at an offset known at run time only",
      "this is the view that is written, of a size known at run time only",
      "this is the view that is written, at an offset and of a size known at run time only"};
  static const char *const other[] = {
      "this is the other view", "this is the other view, at an offset known at run time only",
      "this is the other view, of a size known at run time only",
      "this is the other view, at an offset and of a size known at run time only"};
  const stow_check_name *name = &p->names.at[f->name];
  const int by = p->numbers ? 0 : known_later(&p->names.at[f->other]);
  const int of = p->numbers ? 0 : known_later(name);
  const char *perhaps =
      by | of
          ? "not decided for the views below (samples=64 tries numbers for arguments and loads, "
            "which shows faults but proves nothing; or bound the offset by constants): perhaps "
            "this "
          : "";
  bool read_here = f->reader >= 0;
  stow_check_note notes[] = {
      {.value = p->names.at[f->other].value, .text = written[by]},
      {.value = name->value, .text = other[of]},
      {.op = p->ops.at[f->written], .text = "it is written here"},
      {.op = read_here ? p->ops.at[f->reader] : p->function,
       .text = read_here ? "and read here" : "and may be read when the function is done"}};
  if (name->kind != STOW_CHECK_CHOICE && name->anchor == name->root &&
      name->address + f->bytes.hi < STOW_CHECK_FAR)
    stow_check_complain(p, p->ops.at[f->by], notes, 4,
                        "%soverwrites bytes %" PRId64 " to %" PRId64
                        " of an arena, which hold what another view has yet to read",
                        perhaps, name->address + f->bytes.lo, name->address + f->bytes.hi);
  else
    stow_check_complain(
        p, p->ops.at[f->by], notes, 4,
        "%soverwrites bytes of an arena that hold what another view has yet to read", perhaps);
}

static void report_used(stow_check_program *p, const stow_check_fault *f) {
  stow_check_note notes[] = {{.op = p->ops.at[f->by], .text = "it is deallocated here"},
                             {.value = p->names.at[f->name].value, .text = "this is the arena"}};
  stow_check_complain(p, p->ops.at[f->reader], notes, 2,
                      f->kind == STOW_CHECK_FAULT_USED
                          ? "uses an arena after it was deallocated"
                          : "deallocates an arena for the second time");
}

void stow_check_report_faults(stow_check_program *p, const stow_check_fault *faults, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (faults[i].kind == STOW_CHECK_FAULT_CLOBBERED)
      report_clobber(p, &faults[i]);
    else
      report_used(p, &faults[i]);
}

void stow_check_report_effort(stow_check_program *p) {
  stow_check_complain(p, p->function, NULL, 0,
                      "was not checked: %" PRIu64 " steps do not suffice; raise max-effort",
                      p->options->max_effort);
}

//===----------------------------------------------------------------------===//
// Leaks
//===----------------------------------------------------------------------===//

static bool escapes(const stow_check_program *p, int32_t root) {
  for (size_t i = 0; i < p->escaped.count; ++i)
    if (p->names.at[p->escaped.at[i].name].root == root ||
        p->names.at[p->escaped.at[i].name].root < 0)
      return true;
  return false;
}

static bool is_freed(const stow_check_program *p, int32_t root) {
  STOW_EACH(const stow_check_event, event, p->events) {
    bool returns = event->kind == STOW_CHECK_EVENT_ACCESS &&
                   (stow_op_facts(p->ops.at[event->op]) & STOW_OP_RETURN);
    for (size_t a = 0; a < event->count && (event->kind == STOW_CHECK_EVENT_FREE || returns); ++a) {
      int32_t freed = p->names.at[p->accesses.at[event->first + a].place.name].root;
      if (freed == root || freed < 0)
        return true;
    }
  }
  return escapes(p, root);
}

void stow_check_report_leaks(const stow_check_program *p) {
  for (size_t n = 0; n < p->names.count; ++n) {
    const stow_check_name *name = &p->names.at[n];
    if (name->kind != STOW_CHECK_ROOT || !mlirValueIsAOpResult(name->value))
      continue;
    MlirOperation op = mlirOpResultGetOwner(name->value);
    if (!(stow_check_kinds(op) & STOW_CHECK_HEAP) || is_freed(p, (int32_t)n))
      continue;
    stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_ANALYSIS,
                                    .location = mlirOperationGetLocation(op),
                                    .category = "check-arena-plan",
                                    .name = "leak",
                                    .function = stow_bridge_function_name(p->function),
                                    .text = "no path deallocates this arena"});
  }
}
