//===- programs.c - functions for the unit tests of src/ir ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs.h"

#include "mlir-c/Dialect/Func.h"

// One for all programs of a test: threads and dialects cost more than the programs.
static MlirContext shared_context(void) {
  static MlirContext context;
  if (context.ptr)
    return context;
  context = mlirContextCreateWithThreading(false);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__func__(), context);
  stow_bridge_load_dialects(context);
  return context;
}

test_program test_parse(const char *text) {
  test_program program = {
      mlirModuleCreateParse(shared_context(), mlirStringRefCreateFromCString(text)), {NULL}};
  if (CHECK(!mlirModuleIsNull(program.module)))
    program.function = mlirBlockGetFirstOperation(mlirModuleGetBody(program.module));
  return program;
}

void test_program_free(test_program *program) { mlirModuleDestroy(program->module); }

static const stow_summary *no_summary(void *user, MlirOperation call, bool *others) {
  (void)user;
  (void)call;
  (void)others;
  return NULL;
}

static bool no_promise(void *user, MlirOperation call, intptr_t argument) {
  (void)user;
  (void)call;
  (void)argument;
  return false;
}

stow_flow test_flow_of(const test_program *program) {
  stow_by_name names = {0};
  const stow_flow_context context = {.unknown_ops = STOW_UNKNOWN_OPS_ESCAPE,
                                     .callee = no_summary,
                                     .borrows = no_promise,
                                     .names = &names};
  stow_flow flow;
  stow_flow_read(program->function, &context, &flow);
  stow_by_name_free(&names);
  return flow;
}

void test_put_terminator(stow_text *text, test_random *random, unsigned count) {
  unsigned first = 1 + (unsigned)random_below(random, count - 1);
  unsigned second = 1 + (unsigned)random_below(random, count - 1);
  switch (random_below(random, 5)) {
  case 0:
    stow_text_printf(text, "  return\n");
    break;
  case 1:
    stow_text_printf(text, "  cf.br ^b%u\n", first);
    break;
  default:
    stow_text_printf(text, "  cf.cond_br %%c, ^b%u, ^b%u\n", first, second);
  }
}
