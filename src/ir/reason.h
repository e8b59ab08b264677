//===- reason.h - why a buffer is left alone ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line per reason: enumerator, code for programs, clause for people, and what
// they can do about it (NULL where nothing can be done). A clause with %s takes the
// name of the op or function that is in the way. Where several reasons hold, one is
// given: what the type says before what the flow says, and of the flow the first in
// program order.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_REASON_H
#define STOWAGE_IR_REASON_H

#define STOW_REASONS(X)                                                                            \
  X(STOW_PLANNED, "planned", "it is planned", NULL)                                                \
  X(STOW_UNREACHABLE, "unreachable", "it is in a block that is never reached", "run canonicalize") \
  X(STOW_NO_ORDER, "no-order", "it is in a region of '%s' whose ops have no order, or no end",     \
    NULL)                                                                                          \
  X(STOW_DYNAMIC, "dynamic-shape", "its size is known only at run time", NULL)                     \
  X(STOW_LAYOUT, "layout", "its layout is not the identity", "bufferize with identity layouts")    \
  X(STOW_ELEMENT, "element-type", "the size of its element type is not known", NULL)               \
  X(STOW_TOO_LARGE, "too-large", "its arena could exceed 2^62 bytes", NULL)                        \
  X(STOW_COROUTINE, "coroutine", "its function may stop and go on later",                          \
    "run buffer-reuse before async-to-async-runtime")                                              \
  X(STOW_WORKGROUP, "workgroup-memory", "threads share it, and only barriers order what they do",  \
    NULL)                                                                                          \
  X(STOW_DIVERGENT, "divergent-barrier",                                                           \
    "some threads may reach '%s' without the others, or again",                                    \
    "move it to the kernel's own blocks")                                                          \
  X(STOW_NO_KERNEL, "not-a-kernel", "its function may be called again while threads still use it", \
    "inline it into its kernels")                                                                  \
  X(STOW_ATTRIBUTES, "attributes", "its attributes say more of it than an alignment", NULL)        \
  X(STOW_RETURNED, "returned", "it is returned",                                                   \
    "run buffer-results-to-out-params{hoist-static-allocs}")                                       \
  X(STOW_STORED, "stored", "'%s' may store its address", NULL)                                     \
  X(STOW_POINTER, "pointer-taken", "'%s' makes something else of its address", NULL)               \
  X(STOW_DISTINCT, "distinct-object", "'%s' promises that it shares no allocation",                \
    "drop the op, or run buffer-reuse before it is made")                                          \
  X(STOW_ASYNC, "asynchronous", "'%s' may still use it after it has run", NULL)                    \
  X(STOW_CALLED, "passed-to-call", "it is passed to '%s', which may keep it",                      \
    "give the callee a body, or set unknown-ops=use")                                              \
  X(STOW_UNKNOWN_OP, "unknown-op", "the effects of '%s' are not known",                            \
    "give the op memory effects, or set unknown-ops=use")                                          \
  X(STOW_FREED_BY, "freed-elsewhere", "'%s' frees it", "lower to memref.dealloc first")            \
  X(STOW_LEAVES_SCOPE, "leaves-scope", "its value leaves the region that owns it", NULL)           \
  X(STOW_CARRIED, "loop-carried", "its value survives the loop iteration that allocates it", NULL) \
  X(STOW_IN_TERMINATOR, "used-by-terminator", "the terminator of its scope uses it", NULL)         \
  X(STOW_UNUSED, "unused", "nothing touches it", "run canonicalize")                               \
  X(STOW_NO_DEALLOC, "no-dealloc", "nothing deallocates it",                                       \
    "run buffer-deallocation-pipeline, or set require-dealloc=false")                              \
  X(STOW_CONDITIONAL, "conditional-dealloc", "it is deallocated on some paths only", NULL)         \
  X(STOW_SHARED_DEALLOC, "shared-dealloc", "its dealloc may free something that is not planned",   \
    NULL)                                                                                          \
  X(STOW_OTHER_SPACE, "memory-space", "its memory space is not among memory-spaces", NULL)         \
  X(STOW_TRACER, "tracer", "the tracer leaves it alone", NULL)                                     \
  X(STOW_SMALL, "small", "it is smaller than min-size-in-bytes", NULL)                             \
  X(STOW_EMPTY, "empty", "it holds no bytes", NULL)                                                \
  X(STOW_NO_GAIN, "no-gain", "aligned slices would take more bytes than the buffers do apart",     \
    "lower alignment-in-bytes, or set pool-all")                                                   \
  X(STOW_NO_PARTNER, "no-partner", "no other planned buffer is dead while it lives",               \
    "pool-all puts it into the arena, unless it would be alone there")

typedef enum stow_reason {
#define STOW_REASON_ENUMERATOR(ENUM, CODE, CLAUSE, SUGGESTION) ENUM,
  STOW_REASONS(STOW_REASON_ENUMERATOR)
#undef STOW_REASON_ENUMERATOR
      STOW_REASON_COUNT
} stow_reason;

const char *stow_reason_code(stow_reason reason);
const char *stow_reason_clause(stow_reason reason);     // may hold one %s
const char *stow_reason_suggestion(stow_reason reason); // or NULL

#endif // STOWAGE_IR_REASON_H
