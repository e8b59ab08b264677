//===- deallocation.c - buffer-deallocation -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are decided callees first, so that a call knows what becomes of its
// arguments and whose its results are. Where calls are recursive, a function that is
// not decided yet is taken to keep nothing and to give its results away; if that
// proves wrong, all is decided again without that trust. Nothing is rewritten before
// everything is decided.
//
//===----------------------------------------------------------------------===//

#include "dealloc/deallocation.h"
#include "ir/build.h"

#include <stdlib.h>
#include <string.h>

typedef struct deallocation {
  MlirOperation module;
  stow_deallocation_options options;
  stow_calls calls;
  stow_contract *contracts; // per function
  bool *decided, *trusted, *broken;
  stow_decision **decisions;
  size_t decision_count, decision_capacity;
} deallocation;

//===----------------------------------------------------------------------===//
// Contracts of callees
//===----------------------------------------------------------------------===//

static const stow_contract trusted = {.trusted = true};

static const stow_contract *contract_of_callee(void *user, MlirOperation call) {
  deallocation *d = user;
  int32_t callee = stow_called(&d->calls, call);
  if (callee < 0)
    return NULL;
  d->trusted[callee] |= !d->decided[callee];
  return d->decided[callee] || d->broken[callee] ? &d->contracts[callee] : &trusted;
}

// A function that was trusted before it was decided must not keep or free what it is given.
static bool breaks_trust(const stow_contract *contract) {
  for (size_t a = 0; a < contract->argument_count; ++a)
    if (contract->arguments[a].kept || contract->arguments[a].freed)
      return true;
  return false;
}

static void keep_all(stow_contract *contract) {
  for (size_t a = 0; a < contract->argument_count; ++a)
    contract->arguments[a].kept = true;
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

static stow_decision *add_decision(deallocation *d) {
  d->decisions =
      stow_grow(d->decisions, d->decision_count, &d->decision_capacity, sizeof *d->decisions);
  return d->decisions[d->decision_count++] = stow_allocate(1, sizeof(stow_decision));
}

// A region, and the regions in it whose control flow is not known.
static void decide_region(deallocation *d, MlirOperation op, MlirRegion region, bool give_all) {
  const stow_domain_context context = {
      .unknown_ops_escape = d->options.unknown_ops_escape, .callee = contract_of_callee, .user = d};
  size_t next = d->decision_count;
  stow_decide(op, region, &context, give_all, d->options.clone_first, add_decision(d));
  for (; next < d->decision_count; ++next)
    for (size_t i = 0; i < d->decisions[next]->domain.inner_count; ++i) {
      MlirRegion inner = d->decisions[next]->domain.inner[i];
      if (mlirBlockIsNull(mlirRegionGetFirstBlock(inner)))
        continue;
      MlirOperation around = mlirBlockGetParentOperation(mlirRegionGetFirstBlock(inner));
      stow_decide(around, inner, &context, false, d->options.clone_first, add_decision(d));
    }
}

static void decide_function(deallocation *d, int32_t function) {
  MlirOperation op = d->calls.functions[function];
  size_t first = d->decision_count;
  decide_region(d, op, stow_function_body(op), d->trusted[function]);
  if (!d->broken[function]) {
    stow_contract_free(&d->contracts[function]);
    d->contracts[function] = stow_contract_of(d->decisions[first]);
  }
  d->decided[function] = true;
}

static void forget_decisions(deallocation *d) {
  for (size_t i = 0; i < d->decision_count; ++i) {
    stow_decision_free(d->decisions[i]);
    free(d->decisions[i]);
  }
  d->decision_count = 0;
}

// False if a function was trusted wrongly: it is known better now.
static bool decide_all(deallocation *d) {
  bool held = true;
  memset(d->decided, 0, d->calls.function_count * sizeof *d->decided);
  for (size_t i = 0; i < d->calls.function_count; ++i) {
    int32_t f = d->calls.order[i];
    bool trusted_before = d->trusted[f];
    decide_function(d, f);
    bool late = d->trusted[f] && !trusted_before; // by itself, while it was decided
    bool wrong = d->trusted[f] && !d->broken[f] && (breaks_trust(&d->contracts[f]) || late);
    if (wrong && breaks_trust(&d->contracts[f])) {
      d->broken[f] = true;
      keep_all(&d->contracts[f]);
    }
    held &= !wrong;
  }
  return held;
}

static bool complain(const deallocation *d) {
  bool any = false;
  for (size_t i = 0; i < d->decision_count; ++i) {
    const stow_domain *domain = &d->decisions[i]->domain;
    for (size_t c = 0; c < domain->complaint_count; ++c) {
      stow_error(domain->complaints[c].location, domain->complaints[c].text, NULL, 0);
      any = true;
    }
  }
  return any;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static deallocation begin(MlirOperation module, const stow_deallocation_options *options) {
  deallocation d = {.module = module, .calls = stow_calls_of(module)};
  size_t size = options->struct_size ? options->struct_size : sizeof *options;
  memcpy(&d.options, options, size < sizeof *options ? size : sizeof *options);
  size_t functions = d.calls.function_count;
  d.contracts = stow_allocate(functions, sizeof *d.contracts);
  d.decided = stow_allocate(functions, sizeof *d.decided);
  d.trusted = stow_allocate(functions, sizeof *d.trusted);
  d.broken = stow_allocate(functions, sizeof *d.broken);
  return d;
}

static void end(deallocation *d) {
  forget_decisions(d);
  for (size_t f = 0; f < d->calls.function_count; ++f)
    stow_contract_free(&d->contracts[f]);
  free(d->contracts), free(d->decided), free(d->trusted), free(d->broken), free(d->decisions);
  stow_calls_free(&d->calls);
}

bool stow_buffer_deallocation(MlirOperation module, const stow_deallocation_options *options) {
  stow_load_dialects(mlirOperationGetContext(module));
  deallocation d = begin(module, options);
  while (!decide_all(&d))
    forget_decisions(&d);
  bool ok = !complain(&d);
  if (ok) {
    for (size_t i = 0; i < d.decision_count; ++i)
      stow_remark_decision(d.decisions[i]);
    for (size_t i = 0; i < d.decision_count; ++i)
      stow_apply_decision(d.decisions[i]);
  }
  end(&d);
  return ok;
}
