//===- sizes.c - formulas of a dynamic arena, for its report ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas that an arena's bytes and offsets are, as steps of which each needs earlier ones
// only. What several formulas have in common is one step: the atoms that any of them is made of
// come first, in their own order, then the formulas.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"

#include <stdlib.h>

typedef struct stepper {
  const stow_arenas *arenas;
  const stow_extents *extents;
  const stow_formulas *table;
  size_t *atoms;  // per needed atom that was reached: its step
  size_t *wholes; // per formula: its step, or NONE
  STOW_ARRAY(stow_report_size) found;
  STOW_ARRAY(stow_report_step) steps;
  STOW_ARRAY(size_t) operands;
} stepper;

static const size_t NONE = SIZE_MAX;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static size_t add_step(stepper *b, stow_report_step_kind kind, int64_t number,
                       const size_t *operands, size_t count) {
  STOW_PUSH(b->steps, (stow_report_step){kind, number, b->operands.count, count});
  for (size_t i = 0; i < count; ++i)
    STOW_PUSH(b->operands, operands[i]);
  return b->steps.count - 1;
}

static size_t add_number(stepper *b, int64_t number) {
  return add_step(b, STOW_STEP_NUMBER, number, NULL, 0);
}

// A number, a product, or one atom alone.
static size_t add_term(stepper *b, const stow_term *term) {
  size_t factors[STOW_MOST_FACTORS + 1], count = 0;
  if (term->coefficient != 1 || term->count == 0)
    factors[count++] = add_number(b, term->coefficient);
  for (size_t i = 0; i < term->count; ++i)
    factors[count++] = b->atoms[term->atoms[i]];
  return count == 1 ? factors[0] : add_step(b, STOW_STEP_PRODUCT, 0, factors, count);
}

static size_t add_formula(stepper *b, stow_formula formula) {
  if (b->wholes[formula] != NONE)
    return b->wholes[formula];
  const stow_polynomial p = stow_formula_terms(b->table, formula);
  size_t terms[STOW_MOST_TERMS];
  for (size_t t = 0; t < p.count; ++t)
    terms[t] = add_term(b, &p.terms[t]);
  return b->wholes[formula] = p.count == 0   ? add_number(b, 0)
                              : p.count == 1 ? terms[0]
                                             : add_step(b, STOW_STEP_SUM, 0, terms, p.count);
}

static const stow_report_step_kind kinds[] = {
    [STOW_ATOM_VARIABLE] = STOW_STEP_SIZE,     [STOW_ATOM_LARGEST] = STOW_STEP_LARGEST,
    [STOW_ATOM_SMALLEST] = STOW_STEP_SMALLEST, [STOW_ATOM_QUOTIENT] = STOW_STEP_QUOTIENT,
    [STOW_ATOM_INVERTED] = STOW_STEP_INVERTED, [STOW_ATOM_SUM] = STOW_STEP_SUM,
    [STOW_ATOM_PRODUCT] = STOW_STEP_PRODUCT};

static size_t add_size(stepper *b, const stow_atom *atom) {
  const stow_variable *variable = &b->extents->variables.at[atom->variable];
  const int64_t value = stow_arena_typical_value(&b->arenas->options, b->extents, atom->variable);
  STOW_PUSH(b->found,
            (stow_report_size){.name = variable->name ? stow_ir_format("%s", variable->name) : NULL,
                               .value = value,
                               .either = value == STOW_EITHER,
                               .low = atom->low,
                               .high = atom->high});
  return add_step(b, STOW_STEP_SIZE, (int64_t)b->found.count - 1, NULL, 0);
}

static size_t add_atom(stepper *b, const stow_atom *atom) {
  if (atom->kind == STOW_ATOM_VARIABLE)
    return add_size(b, atom);
  size_t *operands = stow_ir_allocate(atom->operand_count, sizeof *operands);
  for (size_t i = 0; i < atom->operand_count; ++i)
    operands[i] = add_formula(b, stow_atom_operand(b->table, atom, i));
  const size_t step = add_step(b, kinds[atom->kind], atom->divisor, operands, atom->operand_count);
  free(operands);
  return step;
}

static void add_atoms(stepper *b, const stow_atoms *needed) {
  for (size_t a = 0; a < needed->count; ++a) {
    const stow_atom atom = stow_atom_of(b->table, needed->at[a]);
    b->atoms[needed->at[a]] = add_atom(b, &atom);
  }
}

//===----------------------------------------------------------------------===//
// An arena
//===----------------------------------------------------------------------===//

static const stow_extent *size_of(const stow_arenas *arenas, const stow_arena *arena, size_t i) {
  return &stow_arena_fact(arenas, arena, arena->planned[i])->size;
}

// The atoms that its sizes and offsets are made of.
static stow_atoms atoms_of(stow_formulas *table, const stow_arenas *arenas,
                           const stow_arena *arena) {
  STOW_ARRAY(stow_formula) all = {0};
  for (size_t i = 0; i < arena->planned_count; ++i)
    if (!size_of(arenas, arena, i)->known)
      STOW_PUSH(all, size_of(arenas, arena, i)->formula);
  for (size_t k = 0; k < arena->stackings.count; ++k) {
    STOW_PUSH(all, arena->stackings.at[k].size);
    for (size_t i = 0; i < arena->planned_count; ++i)
      STOW_PUSH(all, arena->stackings.at[k].at[i]);
  }
  const stow_atoms atoms = stow_formula_atoms(table, all.at, all.count);
  free(all.at);
  return atoms;
}

static size_t *bytes_of_buffers(stepper *b, const stow_arenas *arenas, const stow_arena *arena) {
  size_t *bytes = stow_ir_allocate(arena->planned_count, sizeof *bytes);
  for (size_t i = 0; i < arena->planned_count; ++i) {
    const stow_extent *size = size_of(arenas, arena, i);
    bytes[i] = size->known ? add_number(b, (int64_t)size->bytes) : add_formula(b, size->formula);
  }
  return bytes;
}

static size_t *offsets_of_plans(stepper *b, const stow_arena *arena) {
  const size_t count = arena->planned_count;
  size_t *offsets = stow_ir_allocate(arena->stackings.count * count, sizeof *offsets);
  for (size_t k = 0; k < arena->stackings.count; ++k)
    for (size_t i = 0; i < count; ++i)
      offsets[k * count + i] = add_formula(b, arena->stackings.at[k].at[i]);
  return offsets;
}

static size_t *bytes_of_plans(stepper *b, const stow_arena *arena) {
  size_t *bytes = stow_ir_allocate(arena->stackings.count, sizeof *bytes);
  for (size_t k = 0; k < arena->stackings.count; ++k)
    bytes[k] = add_formula(b, arena->stackings.at[k].size);
  return bytes;
}

static stepper begin(const stow_arenas *arenas, const stow_extents *extents) {
  const stow_formulas *table = extents->formulas;
  const size_t atoms = stow_atom_count(table), formulas = stow_formula_count(table);
  stepper b = {.arenas = arenas,
               .extents = extents,
               .table = table,
               .atoms = stow_ir_allocate(atoms, sizeof *b.atoms),
               .wholes = stow_ir_allocate(formulas, sizeof *b.wholes)};
  for (size_t f = 0; f < formulas; ++f)
    b.wholes[f] = NONE;
  return b;
}

stow_report_formulas *stow_arena_formulas(const stow_arenas *arenas, const stow_arena *arena) {
  if (arena->stackings.count == 0 || arena->tenants.count > 0)
    return NULL;
  const stow_extents *extents = stow_arena_function(arenas, arena)->extents;
  const stow_atoms needed = atoms_of(extents->formulas, arenas, arena);
  stepper b = begin(arenas, extents);
  add_atoms(&b, &needed);
  stow_report_formulas *out = stow_ir_allocate(1, sizeof *out);
  out->buffer_bytes = bytes_of_buffers(&b, arenas, arena);
  out->buffer_count = arena->planned_count;
  out->offsets = offsets_of_plans(&b, arena);
  out->arena_bytes = bytes_of_plans(&b, arena);
  out->plan_count = arena->stackings.count;
  out->sizes = b.found.at;
  out->size_count = b.found.count;
  out->steps = b.steps.at;
  out->step_count = b.steps.count;
  out->operands = b.operands.at;
  free(needed.at);
  free(b.atoms);
  free(b.wholes);
  return out;
}

void stow_arena_formulas_free(stow_report_formulas *formulas) {
  if (!formulas)
    return;
  for (size_t i = 0; i < formulas->size_count; ++i)
    free((void *)formulas->sizes[i].name);
  free((void *)formulas->sizes);
  free((void *)formulas->steps);
  free((void *)formulas->operands);
  free((void *)formulas->buffer_bytes);
  free((void *)formulas->offsets);
  free((void *)formulas->arena_bytes);
  free(formulas);
}
