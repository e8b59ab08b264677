//===- ownership.c - who owns what in a module ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are decided callees first, so that the contracts of calls are known. Where functions
// call each other, contracts are guessed: at first, that they do nothing. All of them are decided
// by that, which proves contracts, the next guess, until a guess is proven. Who was guessed to own
// and does not never will: so a guess is the same whatever the order of the functions.
//
// If no guess proves itself, contracts grow instead, each by what its function proves to do. What
// was found to be kept as long as less was known of results is forgotten then: who frees a result
// that is thought to be nobody's may seem to free what it is not.
//
// Functions that one indirect call may call share one contract, which is guessed, too: they agree
// on who owns what. A call minds only what those keep and free that it may call itself.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/ownership.h"
#include "dealloc/own/limits.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Contracts of callees
//===----------------------------------------------------------------------===//

static const stow_contract *shared_contract(stow_ownership *o, int32_t callee) {
  o->guessed[o->shared[callee]] |= !o->decided[callee];
  return &o->contracts[o->shared[callee]];
}

static const stow_contract *contract_by_name(stow_ownership *o, int32_t callee) {
  stow_contract_agree(&o->alone[callee], shared_contract(o, callee));
  return &o->alone[callee];
}

static const stow_contract *contract_by_address(stow_ownership *o, int32_t call) {
  const stow_index *callees = &o->calls.callees;
  const int32_t first = callees->first[call], end = callees->first[call + 1];
  if (first == end)
    return NULL;
  stow_contract *contract = &o->by_address[call];
  stow_contract_restart(contract);
  for (int32_t i = first; i < end; ++i) {
    stow_contract_agree(contract, shared_contract(o, callees->items[i]));
    stow_contract_keep(contract, &o->alone[callees->items[i]]);
  }
  for (int32_t i = first; i < end; ++i)
    if (o->seen[callees->items[i]])
      stow_contract_mix(contract, &o->alone[callees->items[i]]);
  if (o->calls.leaves[call])
    stow_contract_lose(contract);
  return contract;
}

static const stow_contract *contract_of_callee(void *user, MlirOperation call) {
  stow_ownership *o = user;
  const int32_t callee = stow_ir_called(&o->calls, call),
                number = stow_ir_call_by_address(&o->calls, call);
  if (callee >= 0)
    return contract_by_name(o, callee);
  return number >= 0 ? contract_by_address(o, number) : NULL;
}

static bool borrows(void *user, MlirOperation call, intptr_t argument) {
  return stow_ir_call_borrows(&((const stow_ownership *)user)->calls, call, argument);
}

static bool lends(void *user, MlirOperation call, intptr_t result) {
  return stow_ir_call_lends(&((const stow_ownership *)user)->calls, call, result);
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

static stow_decision *add_decision(stow_ownership *o) {
  stow_decision *decision = stow_ir_allocate(1, sizeof *decision);
  STOW_PUSH(o->decisions, decision);
  return decision;
}

// A region, and the regions in it whose control flow is not known.
static void decide_region(stow_ownership *o, MlirOperation op, MlirRegion region,
                          const stow_contract *promised) {
  const stow_domain_context context = {.unknown_ops_escape = o->settings.unknown_ops_escape,
                                       .ignored = o->settings.ignored,
                                       .callee = contract_of_callee,
                                       .borrows = borrows,
                                       .lends = lends,
                                       .user = o};
  size_t next = o->decisions.count;
  stow_dealloc_decide(op, region, &context, promised, &o->settings.prefer, add_decision(o));
  for (; next < o->decisions.count; ++next)
    STOW_EACH_ITEM(MlirRegion, inner, o->decisions.at[next]->domain.inner) {
      if (mlirBlockIsNull(mlirRegionGetFirstBlock(inner)))
        continue;
      MlirOperation around = mlirBlockGetParentOperation(mlirRegionGetFirstBlock(inner));
      stow_dealloc_decide(around, inner, &context, NULL, &o->settings.prefer, add_decision(o));
    }
}

static void forget_decisions(stow_ownership *o, size_t first) {
  for (size_t i = first; i < o->decisions.count; ++i) {
    stow_decision_free(o->decisions.at[i]);
    free(o->decisions.at[i]);
  }
  o->decisions.count = first;
}

// What is promised of a function before it is decided: what was guessed of its results.
static stow_contract terms_of(const stow_ownership *o, int32_t function) {
  stow_contract terms = stow_contract_empty(o->calls.functions[function]);
  const stow_ownership *before = o->settings.before;
  if (o->guessed[o->shared[function]])
    stow_contract_agree(&terms, &o->contracts[o->shared[function]]);
  for (size_t a = 0; a < terms.argument_count; ++a)
    terms.arguments[a] = before ? before->contracts[before->shared[function]].arguments[a]
                                : (stow_contract_argument){0};
  return terms;
}

// Lets the function own the arguments that it frees, or that functions with the same contract own,
// unless that has failed before.
static bool offer_arguments(const stow_ownership *o, int32_t function, const stow_contract *proven,
                            stow_contract *terms) {
  const stow_contract *guess = &o->contracts[o->shared[function]];
  bool any = false;
  for (size_t a = 0; !o->settings.before && a < terms->argument_count; ++a) {
    terms->arguments[a].owned =
        (proven->arguments[a].freed || guess->arguments[a].owned) && !guess->arguments[a].disowned;
    any |= terms->arguments[a].owned;
  }
  return any;
}

// Takes back the arguments that the program does not free or return on every path. False: none.
static bool take_back_arguments(const stow_decision *decision, stow_contract *terms) {
  bool any = false;
  for (size_t a = 0; a < terms->argument_count; ++a) {
    if (!terms->arguments[a].owned || stow_dealloc_frees_argument(decision, a))
      continue;
    terms->arguments[a].owned = false;
    any = true;
  }
  return any;
}

// An argument that the function frees on some paths, and that would be cloned on others, is
// unclear.
static bool leave_arguments(const stow_decision *decision, const stow_contract *proven,
                            stow_contract *terms) {
  bool any = false;
  for (size_t a = 0; a < terms->argument_count; ++a) {
    stow_contract_argument *argument = &terms->arguments[a];
    if (!proven->arguments[a].freed || argument->owned || argument->unclear ||
        !stow_dealloc_clones_argument(decision, a))
      continue;
    argument->unclear = any = true;
  }
  return any;
}

static stow_contract decide_on_terms(stow_ownership *o, int32_t function,
                                     const stow_contract *terms) {
  MlirOperation op = o->calls.functions[function];
  size_t first = o->decisions.count;
  decide_region(o, op, stow_bridge_function_body(op), terms);
  stow_contract proven = stow_contract_of(o->decisions.at[first]);
  for (size_t a = 0; a < terms->argument_count; ++a)
    proven.arguments[a].unclear = terms->arguments[a].unclear;
  return proven;
}

static void decide_again(stow_ownership *o, int32_t function, size_t first,
                         const stow_contract *terms, stow_contract *proven) {
  forget_decisions(o, first);
  stow_contract_free(proven);
  *proven = decide_on_terms(o, function, terms);
}

// Decides a function's body; its decision is at `first`.
static stow_contract prove_contract(stow_ownership *o, int32_t function) {
  size_t first = o->decisions.count;
  stow_contract terms = terms_of(o, function);
  stow_contract proven = decide_on_terms(o, function, &terms);
  for (bool again = offer_arguments(o, function, &proven, &terms); again;) {
    decide_again(o, function, first, &terms, &proven);
    again = take_back_arguments(o->decisions.at[first], &terms);
  }
  if (!o->settings.before && leave_arguments(o->decisions.at[first], &proven, &terms))
    decide_again(o, function, first, &terms, &proven);
  stow_contract_free(&terms);
  return proven;
}

//===----------------------------------------------------------------------===//
// Functions that call each other
//===----------------------------------------------------------------------===//

typedef struct members {
  const int32_t *at;
  int32_t count;
} members;

static members members_of(const stow_ownership *o, int32_t component) {
  const stow_components *c = &o->calls.components;
  return (members){c->members + c->first[component], c->first[component + 1] - c->first[component]};
}

// Nothing is known of the functions but what they do not own.
static void restart(stow_ownership *o, members m) {
  for (int32_t i = 0; i < m.count; ++i) {
    stow_contract_restart(&o->alone[m.at[i]]);
    stow_contract_restart(&o->contracts[o->shared[m.at[i]]]);
    o->seen[m.at[i]] = o->decided[m.at[i]] = false;
  }
}

// What contracts grow by in a round.
typedef struct growth {
  bool any, results; // at all; in what they say of results
  bool disowned;     // by what functions were guessed to own, and do not
} growth;

static void grow(stow_contract *to, const stow_contract *proven, const stow_contract *guess,
                 growth *g) {
  const size_t disowned = stow_contract_disowned(to);
  bool results;
  g->any |= stow_contract_join(to, proven, guess, &results);
  g->results |= results;
  g->disowned |= stow_contract_disowned(to) > disowned;
}

// Facts that were found while less was known of who owns may only hold because they are believed.
static void forget_stale(stow_ownership *o, members m, const growth *g) {
  if (g->disowned) {
    restart(o, m);
    return;
  }
  for (int32_t i = 0; g->results && i < m.count; ++i) {
    stow_contract_forget_kept(&o->alone[m.at[i]]);
    stow_contract_forget_kept(&o->contracts[o->shared[m.at[i]]]);
  }
}

// That a result is not owned may follow from a wrong guess of what becomes of an argument.
static growth join_proven(stow_ownership *o, members m) {
  growth g = {0};
  bool results_change = false, arguments_change = false;
  for (int32_t i = 0; i < m.count; ++i) {
    const int32_t s = o->shared[m.at[i]];
    stow_contract_agree(&o->next[s], &o->contracts[s]);
    stow_contract_restart(&o->next[s]);
  }
  for (int32_t i = 0; i < m.count; ++i) {
    const int32_t s = o->shared[m.at[i]];
    grow(&o->next[s], &o->proven[m.at[i]], &o->contracts[s], &g);
  }
  for (int32_t i = 0; i < m.count; ++i) {
    const int32_t s = o->shared[m.at[i]];
    results_change |= !stow_contract_results_are(&o->next[s], &o->contracts[s]);
    arguments_change |=
        o->guessed[s] && !stow_contract_arguments_are(&o->next[s], &o->contracts[s]);
  }
  g.disowned = false;
  for (int32_t i = 0; i < m.count; ++i) {
    const int32_t s = o->shared[m.at[i]];
    if (arguments_change)
      stow_contract_keep_guess_of_results(&o->next[s], &o->contracts[s]);
    g.disowned |= stow_contract_disowned(&o->next[s]) > stow_contract_disowned(&o->contracts[s]);
  }
  g.results = results_change;
  return g;
}

// What was proven is the next guess. True: it is what was guessed, where something was.
static bool guess_next(stow_ownership *o, members m) {
  bool held = true;
  const growth g = join_proven(o, m);
  for (int32_t i = 0; i < m.count; ++i) {
    const int32_t f = m.at[i], s = o->shared[f];
    const bool differs = stow_contract_set_own(&o->alone[f], &o->proven[f]);
    held &= !o->guessed[s] || (!differs && stow_contract_is(&o->next[s], &o->contracts[s]));
    o->seen[f] = true;
  }
  for (int32_t i = 0; i < m.count; ++i) {
    const int32_t f = m.at[i];
    if (o->shared[f] != f)
      continue;
    const stow_contract before = o->contracts[f];
    o->contracts[f] = o->next[f];
    o->next[f] = before;
  }
  if (!held)
    forget_stale(o, m, &g);
  return held;
}

// All functions are decided by what the round before has proven, so that their order plays no part.
static bool decide_by_rounds(stow_ownership *o, members m) {
  const size_t first = o->decisions.count;
  for (int32_t round = 0; round < STOW_OWN_MOST_GUESSES; ++round) {
    forget_decisions(o, first);
    for (int32_t i = 0; i < m.count; ++i) {
      stow_contract_free(&o->proven[m.at[i]]);
      o->proven[m.at[i]] = prove_contract(o, m.at[i]);
    }
    if (guess_next(o, m))
      return true;
  }
  forget_decisions(o, first);
  return false;
}

static void decide_function(stow_ownership *o, int32_t function, growth *g) {
  stow_contract *shared = &o->contracts[o->shared[function]];
  stow_contract proven = prove_contract(o, function);
  g->any |= stow_contract_keep(&o->alone[function], &proven);
  grow(shared, &proven, shared, g);
  stow_contract_free(&proven);
  o->decided[function] = o->seen[function] = true;
}

// Contracts only grow, until the functions do no more than they say.
static void decide_by_growth(stow_ownership *o, members m) {
  const size_t first = o->decisions.count;
  growth g;
  restart(o, m);
  do {
    g = (growth){0};
    forget_decisions(o, first);
    for (int32_t i = 0; i < m.count; ++i)
      o->decided[m.at[i]] = false;
    for (int32_t i = 0; i < m.count; ++i)
      decide_function(o, m.at[i], &g);
    forget_stale(o, m, &g);
  } while (g.any);
}

static void decide_component(stow_ownership *o, members m) {
  if (!decide_by_rounds(o, m))
    decide_by_growth(o, m);
  for (int32_t i = 0; i < m.count; ++i)
    o->decided[m.at[i]] = true;
}

//===----------------------------------------------------------------------===//
// A module
//===----------------------------------------------------------------------===//

stow_ownership_settings stow_ownership_settings_of(const char *pass,
                                                   const stow_deallocation_options *options) {
  stow_deallocation_options o;
  stow_ir_take_options(&o, options, sizeof o);
  return (stow_ownership_settings){.unknown_ops_escape = o.unknown_ops == STOW_UNKNOWN_OPS_ESCAPE,
                                   .prefer = {.clone_first = o.clone_first},
                                   .pass = pass};
}

static void start(stow_ownership *o) {
  size_t functions = o->calls.function_count;
  o->contracts = stow_ir_allocate(functions, sizeof *o->contracts);
  o->alone = stow_ir_allocate(functions, sizeof *o->alone);
  o->next = stow_ir_allocate(functions, sizeof *o->next);
  o->proven = stow_ir_allocate(functions, sizeof *o->proven);
  o->by_address = stow_ir_allocate(o->calls.by_address_count, sizeof *o->by_address);
  o->shared = stow_ir_allocate(functions, sizeof *o->shared);
  o->decided = stow_ir_allocate(functions, sizeof *o->decided);
  o->guessed = stow_ir_allocate(functions, sizeof *o->guessed);
  o->seen = stow_ir_allocate(functions, sizeof *o->seen);
  for (size_t f = 0; f < functions; ++f) {
    o->contracts[f] = stow_contract_empty(o->calls.functions[f]);
    o->alone[f] = stow_contract_empty(o->calls.functions[f]);
    o->next[f] = stow_contract_empty(o->calls.functions[f]);
    o->shared[f] = o->calls.alike[f];
    o->guessed[f] = o->calls.pointed[f];
  }
  const stow_index *callees = &o->calls.callees;
  for (size_t c = 0; c < o->calls.by_address_count; ++c)
    if (callees->first[c] < callees->first[c + 1])
      o->by_address[c] = stow_contract_empty(o->calls.functions[callees->items[callees->first[c]]]);
}

stow_ownership stow_ownership_of(MlirOperation module, const stow_ownership_settings *settings) {
  stow_ownership o = {.calls = stow_calls_of(module), .settings = *settings};
  start(&o);
  for (int32_t c = 0; c < o.calls.components.count; ++c)
    decide_component(&o, members_of(&o, c));
  return o;
}

void stow_ownership_free(stow_ownership *o) {
  forget_decisions(o, 0);
  for (size_t f = 0; f < o->calls.function_count; ++f) {
    stow_contract_free(&o->contracts[f]);
    stow_contract_free(&o->alone[f]);
    stow_contract_free(&o->next[f]);
    stow_contract_free(&o->proven[f]);
  }
  for (size_t i = 0; i < o->calls.by_address_count; ++i)
    stow_contract_free(&o->by_address[i]);
  free(o->contracts);
  free(o->alone);
  free(o->next);
  free(o->proven);
  free(o->by_address);
  free(o->shared);
  free(o->decided);
  free(o->guessed);
  free(o->seen);
  free(o->decisions.at);
  stow_calls_free(&o->calls);
}

//===----------------------------------------------------------------------===//
// One owner
//===----------------------------------------------------------------------===//

int32_t stow_dealloc_freed_owner(const stow_decision *decision, const stow_own_mention *mention) {
  int32_t owner = stow_dealloc_only_owner(&decision->owners, mention->ref);
  bool known =
      owner >= 0 && !decision->owners.of[owner].conditional && stow_ir_is_dealloc(mention->op);
  return known ? owner : -1;
}

// Ops that go, with an index.
typedef struct going {
  stow_op_list *ops;
  stow_map index;
} going;

static void add_going(going *g, MlirOperation op) {
  stow_map_add(&g->index, op.ptr, 1);
  STOW_PUSH(*g->ops, op);
}

static bool all_uses_go(const going *g, MlirValue value) {
  STOW_EACH_USE(use, value)
    if (stow_map_get(&g->index, mlirOpOperandGetOwner(use).ptr) < 0)
      return false;
  return true;
}

// Whether an op does nothing but give the buffer that is its first operand another name, which only
// ops that go mention.
static bool is_name_that_goes(const going *g, MlirOperation op) {
  bool goes = stow_map_get(&g->index, op.ptr) < 0 && mlirOperationGetNumRegions(op) == 0 &&
              stow_bridge_op_has_no_effect(op);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n && goes; ++i)
    goes = stow_ir_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, i))) == (i == 0);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n && goes; ++i)
    goes = all_uses_go(g, mlirOperationGetResult(op, i));
  return goes && mlirOperationGetNumOperands(op) > 0;
}

static void add_name(going *g, MlirOperation op) {
  MlirValue freed = mlirOperationGetOperand(op, 0);
  if (mlirValueIsAOpResult(freed) && is_name_that_goes(g, mlirOpResultGetOwner(freed)))
    add_going(g, mlirOpResultGetOwner(freed));
}

void stow_dealloc_add(const stow_decision *decision, const bool *wanted, stow_op_list *deallocs) {
  going g = {.ops = deallocs};
  size_t first = deallocs->count;
  for (size_t f = 0; f < decision->domain.frees.count; ++f) {
    int32_t owner = stow_dealloc_freed_owner(decision, &decision->domain.frees.at[f]);
    if (owner >= 0 && (!wanted || wanted[owner]))
      add_going(&g, decision->domain.frees.at[f].op);
  }
  for (size_t i = first; i < deallocs->count; ++i)
    add_name(&g, deallocs->at[i]);
  stow_map_free(&g.index);
}

// Whether some phi of the owner's buffer owns it, or a clone of it.
static bool is_passed_on(const stow_decision *decision, int32_t owner) {
  const stow_domain *domain = &decision->domain;
  const stow_index *behind = &decision->owners.behind;
  STOW_EACH_OF(r, *behind, owner) {
    if (decision->owners.of[r].conditional)
      return true;
    STOW_EACH_OF(f, domain->forwarded_of, r)
      if (decision->owners.transfers[f].kind != STOW_BORROW)
        return true;
  }
  return false;
}

// Frees other than memref.dealloc (a realloc, a callee's) cannot be moved.
static bool is_freed_otherwise(const stow_decision *decision, int32_t owner) {
  STOW_EACH(const stow_own_mention, mention, decision->domain.frees)
    if (stow_dealloc_only_owner(&decision->owners, mention->ref) == owner &&
        stow_dealloc_freed_owner(decision, mention) != owner)
      return true;
  return false;
}

bool stow_dealloc_stays_with(const stow_decision *decision, int32_t owner) {
  return !is_passed_on(decision, owner) && !is_freed_otherwise(decision, owner);
}
