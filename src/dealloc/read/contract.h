//===- contract.h - what a function does with buffers ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_CONTRACT_H
#define STOWAGE_DEALLOC_CONTRACT_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

// What a function does with its arguments, and what its results are.
typedef struct stow_contract_argument {
  bool kept, freed, written;
  bool mixed;    // some of the functions that one call may call free it, and others do not
  bool owned;    // on every path it is freed or becomes an owned result
  bool disowned; // it was guessed to be owned, and is not; this is never forgotten
  bool unclear;  // freed on some paths, returned on others, and neither on yet others
} stow_contract_argument;

typedef struct stow_contract_result {
  bool owned;    // the caller must free it
  bool disowned; // as of an argument
  bool unowned;  // it cannot be, whatever was guessed
  bool part;     // it may lie inside an allocation
  bool foreign;  // it may be memory from elsewhere
  bool *may_be;  // per argument
} stow_contract_result;

typedef struct stow_contract {
  size_t argument_count, result_count;
  stow_contract_argument *arguments;
  stow_contract_result *results;
  bool writes_outside; // it may write memory that is none of its arguments
} stow_contract;

// What a function does with an operand of a call of it; NULL: not known.
const stow_contract_argument *stow_contract_argument_at(const stow_contract *contract,
                                                        MlirOperation call, intptr_t operand);

// The contract of a function that does nothing. Freed with stow_contract_free.
stow_contract stow_contract_empty(MlirOperation function);
void stow_contract_free(stow_contract *contract);

// Adds to a contract what another one, of as many arguments and results, says that was proven on a
// guess: what was guessed to be owned and is not is disowned. True: it has grown; and of
// `out_results`, if it says more of results.
bool stow_contract_join(stow_contract *contract, const stow_contract *proven,
                        const stow_contract *guess, bool *out_results);

// Whether two contracts, of as many arguments and results, say the same; of arguments; of results.
bool stow_contract_is(const stow_contract *contract, const stow_contract *other);
bool stow_contract_arguments_are(const stow_contract *contract, const stow_contract *other);
bool stow_contract_results_are(const stow_contract *contract, const stow_contract *other);

// Says of no argument that it is kept.
void stow_contract_forget_kept(stow_contract *contract);

// Makes it empty again, but for what it does not own.
void stow_contract_restart(stow_contract *contract);

// Of how many arguments and results it says so.
size_t stow_contract_disowned(const stow_contract *contract);

// Of results that it alone disowns, says again what was guessed.
void stow_contract_keep_guess_of_results(stow_contract *contract, const stow_contract *guess);

// For the contract of one function among those that share another: that it keeps and frees what the
// proven one says, too, true where it has grown; that and nothing else, true where it differs; and
// all but that from the shared one.
bool stow_contract_keep(stow_contract *contract, const stow_contract *proven);
bool stow_contract_set_own(stow_contract *contract, const stow_contract *proven);
void stow_contract_agree(stow_contract *contract, const stow_contract *shared);

// Whether an argument is freed, or taken over.
bool stow_contract_frees(const stow_contract_argument *argument);

// The contract of a call that may also call a function with this one: what only one of them frees
// is mixed.
void stow_contract_mix(stow_contract *contract, const stow_contract *callee);

// The function may also be one that is not seen: nobody knows who owns what it is given and gives.
void stow_contract_lose(stow_contract *contract);

#endif // STOWAGE_DEALLOC_CONTRACT_H
