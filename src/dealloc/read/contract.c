//===- contract.c - what a function does with buffers ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contract says of each argument whether it is owned, freed, kept, written, and of each result
// whether it is owned and which arguments it may be. In recursion a contract grows by joins from
// one that claims the least, until it is what the function does; functions that are called by one
// address share one.
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"
#include "dealloc/read/domain.h"
#include "ir/support.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

stow_contract stow_contract_empty(MlirOperation function) {
  MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(function));
  size_t arguments = (size_t)mlirBlockGetNumArguments(entry);
  size_t results = (size_t)stow_bridge_function_result_count(function);
  stow_contract contract = {
      .argument_count = arguments,
      .result_count = results,
      .arguments = stow_ir_allocate(arguments, sizeof(stow_contract_argument)),
      .results = stow_ir_allocate(results, sizeof(stow_contract_result)),
  };
  for (size_t i = 0; i < results; ++i)
    contract.results[i].may_be = stow_ir_allocate(arguments, sizeof(bool));
  return contract;
}

static bool add(bool *to, bool from) {
  bool grows = from && !*to;
  *to |= from;
  return grows;
}

// All functions with one contract must agree on who owns: callers free an argument, or they do not.
static bool join_argument(stow_contract_argument *to, const stow_contract_argument *from,
                          bool guessed) {
  const bool was = to->owned;
  bool grows = add(&to->disowned, guessed && !from->owned);
  to->owned = (was || from->owned) && !to->disowned;
  grows |= add(&to->kept, from->kept);
  grows |= add(&to->unclear, from->unclear);
  grows |= add(&to->freed, from->freed);
  return add(&to->written, from->written) || grows || to->owned != was;
}

static bool join_result(stow_contract_result *to, const stow_contract_result *from, bool guessed,
                        size_t arguments) {
  const bool was = to->owned;
  bool grows = add(&to->disowned, guessed && !from->owned);
  grows |= add(&to->unowned, from->unowned || to->disowned);
  to->owned = (was || from->owned) && !to->unowned;
  grows |= add(&to->part, from->part);
  grows |= add(&to->foreign, from->foreign);
  for (size_t a = 0; a < arguments; ++a)
    grows |= add(&to->may_be[a], from->may_be[a]);
  return grows || to->owned != was;
}

// Of two contracts that are read side by side.
static inline void assert_alike(const stow_contract *a, const stow_contract *b) {
  assert(a->argument_count == b->argument_count && a->result_count == b->result_count);
  (void)a;
  (void)b;
}

// What is disowned is not owned.
static inline void assert_one_owner(const stow_contract *contract) {
  for (size_t a = 0; a < contract->argument_count; ++a)
    assert(!contract->arguments[a].owned || !contract->arguments[a].disowned);
  for (size_t r = 0; r < contract->result_count; ++r) {
    assert(!contract->results[r].owned || !contract->results[r].unowned);
    assert(!contract->results[r].disowned || contract->results[r].unowned);
  }
  (void)contract;
}

bool stow_contract_join(stow_contract *to, const stow_contract *from, const stow_contract *guess,
                        bool *out_results) {
  assert_alike(to, from);
  *out_results = false;
  for (size_t r = 0; r < to->result_count; ++r)
    *out_results |= join_result(&to->results[r], &from->results[r], guess->results[r].owned,
                                to->argument_count);
  bool grows = add(&to->writes_outside, from->writes_outside) || *out_results;
  for (size_t a = 0; a < to->argument_count; ++a)
    grows |= join_argument(&to->arguments[a], &from->arguments[a], guess->arguments[a].owned);
  assert_one_owner(to);
  return grows;
}

bool stow_contract_results_are(const stow_contract *contract, const stow_contract *other) {
  assert_alike(contract, other);
  bool are = true;
  for (size_t r = 0; r < contract->result_count; ++r) {
    const stow_contract_result *x = &contract->results[r], *y = &other->results[r];
    are &= x->owned == y->owned && x->disowned == y->disowned && x->unowned == y->unowned &&
           x->part == y->part && x->foreign == y->foreign &&
           memcmp(x->may_be, y->may_be, contract->argument_count * sizeof *x->may_be) == 0;
  }
  return are;
}

bool stow_contract_arguments_are(const stow_contract *contract, const stow_contract *other) {
  assert_alike(contract, other);
  return memcmp(contract->arguments, other->arguments,
                contract->argument_count * sizeof *contract->arguments) == 0;
}

bool stow_contract_is(const stow_contract *contract, const stow_contract *other) {
  return stow_contract_results_are(contract, other) &&
         stow_contract_arguments_are(contract, other) &&
         contract->writes_outside == other->writes_outside;
}

void stow_contract_forget_kept(stow_contract *contract) {
  for (size_t a = 0; a < contract->argument_count; ++a)
    contract->arguments[a].kept = false;
}

void stow_contract_restart(stow_contract *contract) {
  contract->writes_outside = false;
  for (size_t a = 0; a < contract->argument_count; ++a)
    contract->arguments[a] = (stow_contract_argument){.disowned = contract->arguments[a].disowned};
  for (size_t r = 0; r < contract->result_count; ++r) {
    stow_contract_result *result = &contract->results[r];
    memset(result->may_be, 0, contract->argument_count * sizeof *result->may_be);
    *result = (stow_contract_result){
        .disowned = result->disowned, .unowned = result->disowned, .may_be = result->may_be};
  }
}

size_t stow_contract_disowned(const stow_contract *contract) {
  size_t count = 0;
  for (size_t a = 0; a < contract->argument_count; ++a)
    count += contract->arguments[a].disowned;
  for (size_t r = 0; r < contract->result_count; ++r)
    count += contract->results[r].disowned;
  return count;
}

void stow_contract_keep_guess_of_results(stow_contract *contract, const stow_contract *guess) {
  assert_alike(contract, guess);
  for (size_t r = 0; r < contract->result_count; ++r) {
    stow_contract_result *to = &contract->results[r];
    const stow_contract_result *guessed = &guess->results[r];
    if (to->disowned && !guessed->disowned) {
      to->owned = guessed->owned;
      to->disowned = false;
      to->unowned = guessed->unowned;
    }
  }
  assert_one_owner(contract);
}

bool stow_contract_set_own(stow_contract *contract, const stow_contract *proven) {
  assert_alike(contract, proven);
  bool differs = false;
  for (size_t a = 0; a < contract->argument_count; ++a) {
    stow_contract_argument *to = &contract->arguments[a];
    differs |= to->kept != proven->arguments[a].kept || to->freed != proven->arguments[a].freed;
    to->kept = proven->arguments[a].kept;
    to->freed = proven->arguments[a].freed;
  }
  return differs;
}

bool stow_contract_keep(stow_contract *contract, const stow_contract *proven) {
  assert_alike(contract, proven);
  bool grows = false;
  for (size_t a = 0; a < contract->argument_count; ++a) {
    grows |= add(&contract->arguments[a].kept, proven->arguments[a].kept);
    grows |= add(&contract->arguments[a].freed, proven->arguments[a].freed);
  }
  return grows;
}

void stow_contract_agree(stow_contract *contract, const stow_contract *shared) {
  assert_alike(contract, shared);
  contract->writes_outside = shared->writes_outside;
  for (size_t a = 0; a < contract->argument_count; ++a) {
    const stow_contract_argument own = contract->arguments[a];
    contract->arguments[a] = shared->arguments[a];
    contract->arguments[a].kept = own.kept;
    contract->arguments[a].freed = own.freed;
  }
  for (size_t r = 0; r < contract->result_count; ++r) {
    bool *may_be = contract->results[r].may_be;
    contract->results[r] = shared->results[r];
    contract->results[r].may_be = may_be;
    memcpy(may_be, shared->results[r].may_be, contract->argument_count * sizeof *may_be);
  }
}

bool stow_contract_frees(const stow_contract_argument *argument) {
  return argument->freed || argument->owned;
}

void stow_contract_mix(stow_contract *contract, const stow_contract *callee) {
  assert_alike(contract, callee);
  for (size_t a = 0; a < contract->argument_count; ++a) {
    stow_contract_argument *argument = &contract->arguments[a];
    argument->mixed |= !argument->owned && argument->freed != callee->arguments[a].freed;
  }
}

void stow_contract_lose(stow_contract *contract) {
  contract->writes_outside = true;
  for (size_t a = 0; a < contract->argument_count; ++a)
    contract->arguments[a].kept = contract->arguments[a].written = true;
  for (size_t r = 0; r < contract->result_count && contract->argument_count > 0; ++r) {
    stow_contract_result *result = &contract->results[r];
    result->owned = false;
    result->part = result->foreign = true;
    for (size_t a = 0; a < contract->argument_count; ++a)
      result->may_be[a] = true;
  }
}

const stow_contract_argument *stow_contract_argument_at(const stow_contract *contract,
                                                        MlirOperation call, intptr_t operand) {
  intptr_t first, count;
  stow_bridge_call_arguments(call, &first, &count);
  bool known = contract->argument_count == (size_t)count && operand >= first;
  return known && operand < first + count ? &contract->arguments[operand - first] : NULL;
}

void stow_contract_free(stow_contract *contract) {
  for (size_t i = 0; i < contract->result_count; ++i)
    free(contract->results[i].may_be);
  free(contract->arguments);
  free(contract->results);
  *contract = (stow_contract){0};
}
