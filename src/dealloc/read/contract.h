//===- contract.h - what a function does with buffers --------------------===//
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

// What a function does with the buffers it is given, and how it gives its own.
typedef struct stow_contract_argument {
  bool kept, freed, written;
  bool owned;    // freed on every path, but for those on which it becomes an owned result
  bool disowned; // that was guessed, and has proven wrong
  bool unclear;  // freed on some paths and given back on others, but not so on every path
} stow_contract_argument;

typedef struct stow_contract_result {
  bool owned;   // the caller must free it
  bool unowned; // that cannot be: nobody frees it, whatever was guessed
  bool part;    // it may lie inside an allocation
  bool foreign; // it may be memory from elsewhere
  bool *may_be; // per argument
} stow_contract_result;

typedef struct stow_contract {
  size_t argument_count, result_count;
  stow_contract_argument *arguments;
  stow_contract_result *results;
  bool writes_outside; // memory that it is not given
} stow_contract;

// What a function does with an operand of a call of it; null: not known.
const stow_contract_argument *stow_contract_argument_at(const stow_contract *contract,
                                                        MlirOperation call, intptr_t operand);

// That of a function that does nothing. Freed with stow_contract_free.
stow_contract stow_contract_empty(MlirOperation function);
void stow_contract_free(stow_contract *contract);

// Makes a contract promise what another one does, too, of as many arguments and results. True: it
// did not before.
bool stow_contract_join(stow_contract *contract, const stow_contract *other);

#endif // STOWAGE_DEALLOC_CONTRACT_H
