//===- cuts.c - views of choices -------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view of a choice is a choice: where that stands for a name, the view is a carve of this name.
// Where it stands for another choice, the view is a view of that, and so on. So the sources of all
// choices behind one are repeated, once for each view.
//
//===----------------------------------------------------------------------===//

#include "check/limits.h"
#include "check/op.h"
#include "check/steps.h"

#include <stdlib.h>

// The cuts of one view, and the choices that they are cut from.
typedef struct cuts {
  stow_check_program *program;
  MlirValue view;
  STOW_ARRAY(int32_t) of, names;
} cuts;

static const stow_check_name *name_at(const cuts *c, int32_t name) {
  return &c->program->names.at[name];
}

// Another name of the view, which keeps the place that it has.
static int32_t add_name(cuts *c, stow_check_name name) {
  const stow_check_place place = stow_check_place_of(c->program, c->view);
  const int32_t added = stow_check_name_add(c->program, name);
  c->program->names.at[added].position = name.position;
  stow_check_place_set(c->program, c->view, place);
  return added;
}

// A carve that starts so many bytes behind where the place does.
static int32_t carve(cuts *c, const stow_check_name *cut, stow_check_place place) {
  const stow_check_name parent = *name_at(c, place.name);
  const int64_t start = place.bytes.lo + cut->start;
  const int32_t carved = add_name(c, (stow_check_name){.kind = STOW_CHECK_CARVE,
                                                       .value = c->view,
                                                       .bytes = cut->bytes,
                                                       .position = cut->position,
                                                       .node = -1,
                                                       .root = parent.root,
                                                       .reached = true,
                                                       .parent = place.name,
                                                       .anchor = parent.anchor,
                                                       .placed = true,
                                                       .start = start,
                                                       .address = parent.address + start,
                                                       .loose = parent.loose,
                                                       .within = place.bytes});
  stow_check_fits_carve(c->program, mlirOpResultGetOwner(c->view), carved);
  return carved;
}

// The cut of another choice.
static int32_t cut_of(cuts *c, const stow_check_name *cut, int32_t choice) {
  for (size_t i = 0; i < c->of.count; ++i)
    if (c->of.at[i] == choice)
      return c->names.at[i];
  stow_check_name other = *cut;
  other.node = name_at(c, choice)->node;
  other.parent = choice;
  other.mixed = name_at(c, choice)->mixed;
  const int32_t added = add_name(c, other);
  STOW_PUSH(c->of, choice);
  STOW_PUSH(c->names, added);
  return added;
}

static void add_source(cuts *c, int32_t cut, stow_check_source of) {
  const stow_check_name name = *name_at(c, cut);
  const bool chosen = name_at(c, of.place.name)->kind == STOW_CHECK_CHOICE;
  const int32_t from = chosen ? cut_of(c, &name, of.place.name) : carve(c, &name, of.place);
  of.choice = cut;
  of.place = (stow_check_place){from, name.bytes, true, false};
  STOW_PUSH(c->program->sources, of);
}

// Whether a choice stands for names at starts that are known.
static bool is_known(const stow_check_program *p, const stow_check_name *choice) {
  bool known = choice->group == STOW_CHECK_NO_NAME;
  for (size_t s = 0; s < choice->source_count && known; ++s) {
    const stow_check_place *place = &p->sources.at[choice->first_source + s].place;
    known = place->exact &&
            (p->names.at[place->name].kind != STOW_CHECK_CHOICE || place->bytes.lo == 0);
  }
  return known;
}

// Whether that holds of it and of all choices behind it.
static bool are_all_known(const stow_check_program *p, int32_t choice) {
  STOW_ARRAY(int32_t) behind = {0};
  stow_map seen = {0};
  bool known = true;
  STOW_PUSH(behind, choice);
  stow_map_note(&seen, &p->names.at[choice]);
  for (size_t i = 0; i < behind.count && known; ++i) {
    const stow_check_name *name = &p->names.at[behind.at[i]];
    known = is_known(p, name) && behind.count <= STOW_CHECK_MOST_CUT;
    for (size_t s = 0; s < name->source_count; ++s) {
      const int32_t from = p->sources.at[name->first_source + s].place.name;
      if (p->names.at[from].kind == STOW_CHECK_CHOICE && stow_map_note(&seen, &p->names.at[from]))
        STOW_PUSH(behind, from);
    }
  }
  stow_map_free(&seen);
  free(behind.at);
  return known;
}

static void cut_all(stow_check_program *p, int32_t cut) {
  cuts c = {.program = p, .view = p->names.at[cut].value};
  p->names.at[cut].mixed = p->names.at[p->names.at[cut].parent].mixed;
  STOW_PUSH(c.of, p->names.at[cut].parent);
  STOW_PUSH(c.names, cut);
  for (size_t i = 0; i < c.of.count; ++i) {
    const stow_check_name of = p->names.at[c.of.at[i]];
    for (size_t s = 0; s < of.source_count; ++s)
      add_source(&c, c.names.at[i], p->sources.at[of.first_source + s]);
  }
  free(c.of.at);
  free(c.names.at);
}

// Some bytes of the choice, of which it is not known which.
static void take_all(stow_check_program *p, int32_t cut) {
  stow_check_name *name = &p->names.at[cut];
  const int32_t choice = name->parent;
  stow_check_remark_chosen(p, mlirOpResultGetOwner(name->value));
  name->parent = STOW_CHECK_NO_NAME;
  name->node = -1;
  STOW_PUSH(p->sources,
            (stow_check_source){.choice = cut,
                                .edge = -1,
                                .to = name->value,
                                .place = {.name = choice, .bytes = p->names.at[choice].bytes}});
}

bool stow_check_cuts_close(stow_check_program *p) {
  const size_t count = p->names.count, sources = p->sources.count;
  for (size_t n = 0; n < count; ++n) {
    const int32_t parent = p->names.at[n].parent;
    if (p->names.at[n].kind != STOW_CHECK_CHOICE || parent == STOW_CHECK_NO_NAME)
      continue;
    if (are_all_known(p, parent))
      cut_all(p, (int32_t)n);
    else
      take_all(p, (int32_t)n);
  }
  return p->sources.count > sources;
}
