//===- limits.h - what bounds the check --------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_LIMITS_H
#define STOWAGE_CHECK_LIMITS_H

// What bounds the work on one question, and the answer beyond.
enum stow_check_limit {
  STOW_CHECK_MOST_ORIGINS = 256, // leaves that a choice may be: an error
  STOW_CHECK_MOST_CUT = 64,      // choices behind one that a view is cut from: it may be any bytes
  STOW_CHECK_MOST_PAIRS = 4096, // names met while two are related: they may be the same, or overlap
  STOW_CHECK_MOST_VALUES = 4096, // values that operands depend on: they depend on the iteration
  STOW_CHECK_MOST_DEPTH = 16,    // of ops behind an offset: it is not known
  STOW_CHECK_MOST_VISITS = 64,   // to them: the same
  STOW_CHECK_MOST_HOLDERS = 64,  // tokens that stand for one work at once; by others, nothing waits
  STOW_CHECK_MOST_GROUPS = 255,  // of copies made behind another: further ones are not counted
  STOW_CHECK_MOST_RENAMED = 4,   // views of one work that loops carry; others may be any
  STOW_CHECK_MOST_PASSED = 4096, // ops between a transfer's start and wait: it may last
  STOW_CHECK_MOST_CALLED = 1024, // functions that a call may come to a barrier in
  STOW_CHECK_MOST_PHASES = 4096, // uses of a group of mbarriers: its loads may last
  STOW_CHECK_MOST_BITS = 8,      // that are the parity of its phases: others may be any
  STOW_CHECK_MOST_NAMED = 8,     // sizes that an error names
  STOW_CHECK_MOST_ASSERTED = 1024, // sizes that assertions name: samples pass over further ones
  STOW_CHECK_MOST_WAITING = 8,     // tasks that wait forever: an error names no more
  STOW_CHECK_EFFORT = 200000000,   // steps of a function, where max-effort is 0: an error
};

#endif // STOWAGE_CHECK_LIMITS_H
