//===- reason.h - why a buffer is left alone ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line per reason: enumerator, code for programs, clause for people, and what
// they can do about it: advice (NULL where there is none) and options, named where the
// pass at hand has them. A clause with %s takes the name of the op or function that is
// in the way, advice with %s the name of the pass. Where several reasons hold, one is
// given: what the type says before what the flow says, and of the flow the first in
// program order. What a pass leaves alone for reasons of its own has rows in its component
// (arena/reasons.h).
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_REASON_H
#define STOWAGE_IR_REASON_H

#define STOW_REASON_OPTIONS(X)                                                                     \
  X(STOW_BY_ALIGNMENT, 1, "lower alignment-in-bytes")                                              \
  X(STOW_BY_UNKNOWN_OPS, 2, "set unknown-ops=use")                                                 \
  X(STOW_BY_REQUIRE_DEALLOC, 4, "set require-dealloc=false")                                       \
  X(STOW_BY_POOL_ALL, 8, "set pool-all")                                                           \
  X(STOW_BY_HEAP_OVERHEAD, 32, "raise max-heap-overhead")                                          \
  X(STOW_BY_DYNAMIC, 64, "set dynamic=exact")                                                      \
  X(STOW_BY_BOUND, 128, "state max in the stowage.dims of arguments and set dynamic=bound")        \
  X(STOW_BY_RESULT_ARGUMENTS, 16, "name its function in entries and set result-arguments")

typedef enum stow_reason_option {
#define STOW_OPTION_ENUMERATOR(ENUM, BIT, ADVICE) ENUM = BIT,
  STOW_REASON_OPTIONS(STOW_OPTION_ENUMERATOR)
#undef STOW_OPTION_ENUMERATOR
} stow_reason_option;

#define STOW_REASONS(X)                                                                            \
  X(STOW_PLANNED, "planned", "it is planned", NULL, 0)                                             \
  X(STOW_UNREACHABLE, "unreachable", "it is in a block that is never reached", "run canonicalize", \
    0)                                                                                             \
  X(STOW_NO_ORDER, "no-order",                                                                     \
    "it is in a region of '%s' whose ops have no program order, or that may not end", NULL, 0)     \
  X(STOW_DYNAMIC, "dynamic-shape", "its size is known only at run time", NULL,                     \
    STOW_BY_DYNAMIC | STOW_BY_BOUND)                                                               \
  X(STOW_DEVICE_DYNAMIC, "dynamic-device",                                                         \
    "it is memory of a device, and its size is known only at run time",                            \
    "allocate it with a static shape", 0)                                                          \
  X(STOW_UNBOUNDED, "unbounded", "no upper bound of its size is known that memory could hold",     \
    "state max in the stowage.dims of arguments, or set dynamic=exact", 0)                         \
  X(STOW_LAYOUT, "layout", "its layout is not the identity", "bufferize with identity layouts", 0) \
  X(STOW_ELEMENT, "element-type", "the size of its element type is not known", NULL, 0)            \
  X(STOW_TOO_LARGE, "too-large", "its arena could exceed 2^62 bytes", NULL, 0)                     \
  X(STOW_COROUTINE, "coroutine", "its function is a coroutine and may be suspended",               \
    "run %s before async-to-async-runtime", 0)                                                     \
  X(STOW_WORKGROUP, "workgroup-memory", "threads share it, and only barriers order what they do",  \
    NULL, 0)                                                                                       \
  X(STOW_MANUAL, "manual-deallocation",                                                            \
    "'bufferization.manual_deallocation' says that the program frees it itself", NULL, 0)          \
  X(STOW_RETURNED, "returned", "it is returned",                                                   \
    "run buffer-results-to-out-params{hoist-static-allocs modify-public-functions}",               \
    STOW_BY_RESULT_ARGUMENTS)                                                                      \
  X(STOW_STORED, "stored", "'%s' may store its address", NULL, 0)                                  \
  X(STOW_POINTER, "pointer-taken", "'%s' turns its address into something other than a memref",    \
    NULL, 0)                                                                                       \
  X(STOW_DISTINCT, "distinct-object", "'%s' promises that it shares no allocation",                \
    "drop the op, or run %s before it is made", 0)                                                 \
  X(STOW_ASYNC, "asynchronous", "'%s' starts work that may still use it later", NULL, 0)           \
  X(STOW_CALLED, "passed-to-call", "it is passed to '%s', which may keep it",                      \
    "give the callee a body", STOW_BY_UNKNOWN_OPS)                                                 \
  X(STOW_UNKNOWN_OP, "unknown-op", "the effects of '%s' are not known",                            \
    "give the op memory effects", STOW_BY_UNKNOWN_OPS)                                             \
  X(STOW_FREED_BY, "freed-elsewhere", "'%s' frees it", "lower to memref.dealloc first", 0)         \
  X(STOW_LEAVES_SCOPE, "leaves-scope", "its value leaves the region that owns it", NULL, 0)        \
  X(STOW_CARRIED, "loop-carried", "its value survives the loop iteration that allocates it",       \
    "run elide-copies before: it updates what loops carry in place where it can", 0)               \
  X(STOW_IN_TERMINATOR, "used-by-terminator", "the terminator of its scope uses it", NULL, 0)      \
  X(STOW_UNUSED, "unused", "nothing touches it", "run canonicalize", 0)                            \
  X(STOW_CONDITIONAL, "conditional-dealloc", "it is deallocated on some paths only", NULL, 0)      \
  X(STOW_SHARED_DEALLOC, "shared-dealloc", "its dealloc may free something that is not planned",   \
    NULL, 0)

// One of these, or from STOW_REASON_COUNT on one of a component that selects buffers.
typedef unsigned stow_reason;

enum {
#define STOW_REASON_ENUMERATOR(ENUM, CODE, CLAUSE, ADVICE, OPTIONS) ENUM,
  STOW_REASONS(STOW_REASON_ENUMERATOR)
#undef STOW_REASON_ENUMERATOR
      STOW_REASON_COUNT
};

typedef struct stow_reason_row {
  const char *code, *clause, *advice;
  unsigned options;
} stow_reason_row;

#define STOW_REASON_ROW(ENUM, CODE, CLAUSE, ADVICE, OPTIONS) {CODE, CLAUSE, ADVICE, OPTIONS},

// Of a reason of this table.
const stow_reason_row *stow_reason_row_of(stow_reason reason);

// What can be done about a reason in a pass that has `options`, or NULL. Freed with free().
char *stow_reason_suggestion(const stow_reason_row *reason, const char *pass, unsigned options);

#endif // STOWAGE_IR_REASON_H
