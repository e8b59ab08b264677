//===- clashes.c - accesses that meet work, as errors ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What pending.c has found, where no other rule names the op.
//
//===----------------------------------------------------------------------===//

#include "check/steps.h"

static int compare_clashes(const void *a, const void *b) {
  const stow_check_clash *x = a, *y = b;
  const int names = stow_ir_then(STOW_COMPARE(x->name, y->name), STOW_COMPARE(x->other, y->other));
  return stow_ir_then(stow_ir_then(STOW_COMPARE(x->work, y->work), names),
                      STOW_COMPARE(x->by, y->by));
}

static bool is_like(const stow_check_clash *a, const stow_check_clash *b) {
  return a->work == b->work && a->name == b->name && a->other == b->other;
}

static const char *why(MlirOperation work, bool waited) {
  if (waited)
    return "this work of other threads may still run, as no barrier is behind the wait";
  return mlirValueIsNull(stow_check_mbarrier_of(work))
             ? "this work may still run, as nothing has waited for it on some path"
             : "this load may still run, as no nvgpu.mbarrier.try_wait.parity is surely for its "
               "phase, on some path";
}

static void report(stow_check_program *p, const stow_check_clash *c) {
  const bool frees = c->name < 0;
  const stow_check_note notes[] = {
      {.op = p->works.at[c->work].op, .text = why(p->works.at[c->work].op, c->waited)},
      {.value = p->names.at[c->other].value, .text = "this is the view that it uses"},
      {.value = p->names.at[frees ? c->other : c->name].value, .text = "this is the other view"}};
  stow_check_complain(p, p->ops.at[c->by], notes, frees ? 2 : 3, "%s",
                      frees ? "deallocates an arena that work may still use"
                            : "uses bytes of an arena that work may still use through another "
                              "view");
}

// One for each pair of views is enough, and none where another rule names the op.
void stow_check_pending_report(stow_check_program *p) {
  STOW_SORT(p->clashes, compare_clashes);
  STOW_EACH(const stow_check_clash, c, p->clashes)
    if ((c == p->clashes.at || !is_like(c - 1, c)) &&
        stow_map_get(&p->told, p->ops.at[c->by].ptr) < 0)
      report(p, c);
}
