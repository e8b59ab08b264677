//===- course.h - loops whose bounds are known, step by step ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a block, a *course* keeps some ops and the loops and conditions of affine around them, as a
// list of instructions. All that bounds, conditions and the ops' indices depend on must be numbers
// that follow from the loops' variables; then the course can be run, from one of the ops to the
// next.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_COURSE_H
#define STOWAGE_IR_COURSE_H

#include "ir/support.h"

// Levels of an index, or of what bounds a loop.
enum { STOW_COURSE_MOST_NESTED = 48 };

// A number: operators behind their operands.
typedef struct stow_course_term {
  enum {
    STOW_COURSE_NUMBER,
    STOW_COURSE_VARIABLE, // of the loop whose number `value` is
    STOW_COURSE_SUM,
    STOW_COURSE_PRODUCT,
    STOW_COURSE_REST,
    STOW_COURSE_QUOTIENT,    // rounded down
    STOW_COURSE_QUOTIENT_UP, //
    STOW_COURSE_LARGER,      // of two
    STOW_COURSE_SMALLER      //
  } kind;
  int64_t value;
} stow_course_term;

typedef struct stow_course_formula {
  size_t first, end; // of the course's terms
  bool equal;        // of a condition: it is 0, rather than at least 0
} stow_course_formula;

typedef struct stow_course_instruction {
  enum {
    STOW_COURSE_LOOP, // from its first formula to its second one
    STOW_COURSE_NEXT, // of the loop that begins at instruction `other`
    STOW_COURSE_IF,   // all of its formulas hold, or else instruction `other` is the next
    STOW_COURSE_OP    // its formulas are its indices
  } kind;
  MlirOperation op;
  size_t number; // of a loop, or of an op
  size_t other;  // of a loop: its STOW_COURSE_NEXT
  size_t first_formula, formula_count;
  int64_t step;
} stow_course_instruction;

// A zeroed one is empty.
typedef struct stow_course {
  STOW_ARRAY(stow_course_term) terms;
  STOW_ARRAY(stow_course_formula) formulas;
  STOW_ARRAY(stow_course_instruction) code;
  STOW_ARRAY(int64_t) variables, uppers; // by number of the loop
  stow_map loops;                        // by variable: the loop's number
  size_t next;                           // instruction; the end: it is done
} stow_course;

// The ops of `body` and of blocks inside that `numbers` has, by op. The indices of an op are the
// results of its map, or else its last operand. Returns an op that cannot be followed, or null.
MlirOperation stow_course_read(stow_course *course, MlirBlock body, const stow_map *numbers);

// Goes on to an op, from which stow_course_pass goes on, or to the end, which is NULL. `steps`:
// how many are left; where it is 0, the answer says nothing.
const stow_course_instruction *stow_course_run(stow_course *course, uint64_t *steps);
void stow_course_pass(stow_course *course);

// An index of the op at which the course stands.
int64_t stow_course_index(const stow_course *course, size_t index);

void stow_course_free(stow_course *course);

#endif // STOWAGE_IR_COURSE_H
