//===- bridge.cpp - the questions that MLIR answers only in C++ -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"

#include "bridge/mlir_version.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/IR/AllocationOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <cassert>

using namespace mlir;
using namespace stowage;

//===----------------------------------------------------------------------===//
// What an operation is
//===----------------------------------------------------------------------===//

static bool runsAtOnce(Operation *op) {
  return op->hasTrait<OpTrait::HasParallelRegion>() ||
         isa<affine::AffineParallelOp, gpu::LaunchOp>(op);
}

static bool hasGraphRegion(Operation *op) {
  return llvm::any_of(op->getRegions(), mayBeGraphRegion);
}

static bool branchesBetweenRegions(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  return branch && staysInside(branch);
}

static bool effectsKnown(Operation *op) {
  return isa<MemoryEffectOpInterface>(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

// Interfaces and traits are registered by name. What they say of an op's regions is its own.
uint32_t stow_bridge_op_shared_facts(MlirOperation wrapped) {
  Operation *op = unwrap(wrapped);
  assert(op);
  uint32_t facts = 0;
  auto set = [&](bool holds, stow_op_fact fact) { facts |= holds ? fact : 0; };
  set(isa<FunctionOpInterface>(op), STOW_OP_FUNCTION);
  set(isa<CallOpInterface>(op), STOW_OP_CALL);
  set(isa<BranchOpInterface>(op), STOW_OP_BRANCH);
  set(op->hasTrait<OpTrait::IsTerminator>(), STOW_OP_TERMINATOR);
  set(isa<RegionBranchTerminatorOpInterface>(op), STOW_OP_REGION_TERMINATOR);
  set(op->hasTrait<OpTrait::ReturnLike>(), STOW_OP_RETURN);
  set(effectsKnown(op), STOW_OP_EFFECTS_KNOWN);
  set(isa<LoopLikeOpInterface>(op), STOW_OP_LOOP);
  set(isa<bufferization::AllocationOpInterface>(op), STOW_OP_ALLOCATION);
  set(runsAtOnce(op), STOW_OP_PARALLEL);
  set(op->hasTrait<OpTrait::IsIsolatedFromAbove>(), STOW_OP_ISOLATED);
  set(isa<linalg::LinalgOp, memref::GenericAtomicRMWOp>(op), STOW_OP_STRUCTURED);
  set(isa<RegionBranchOpInterface, RegionKindInterface>(op) || !op->isRegistered(),
      STOW_OP_FACTS_VARY);
  return facts;
}

uint32_t stow_op_facts_with(MlirOperation wrapped, uint32_t shared) {
  const uint32_t ofRegions =
      STOW_OP_LOOP | STOW_OP_PARALLEL | STOW_OP_ISOLATED | STOW_OP_STRUCTURED | STOW_OP_FACTS_VARY;
  Operation *op = unwrap(wrapped);
  if (op->getNumRegions() == 0)
    return shared & ~ofRegions;
  assert((shared & STOW_OP_FACTS_VARY) || !(branchesBetweenRegions(op) || hasGraphRegion(op)));
  if (!(shared & STOW_OP_FACTS_VARY))
    return shared;
  uint32_t facts = shared & ~STOW_OP_FACTS_VARY;
  if (branchesBetweenRegions(op))
    facts |= STOW_OP_REGION_BRANCH;
  if (hasGraphRegion(op))
    facts |= STOW_OP_GRAPH_REGION;
  return facts;
}

uint32_t stow_op_facts(MlirOperation op) {
  return stow_op_facts_with(op, stow_bridge_op_shared_facts(op));
}

bool stow_bridge_op_is_function(MlirOperation op) { return isa<FunctionOpInterface>(unwrap(op)); }
bool stow_bridge_op_is_call(MlirOperation op) { return isa<CallOpInterface>(unwrap(op)); }
bool stow_bridge_op_is_allocation(MlirOperation op) {
  return isa<bufferization::AllocationOpInterface>(unwrap(op));
}

bool stow_bridge_op_is_asynchronous(MlirOperation op) {
  return unwrap(op)->getNumRegions() == 0 && isa<gpu::AsyncOpInterface>(unwrap(op));
}

bool stow_bridge_op_has_stack(MlirOperation op) {
  return unwrap(op)->hasTrait<OpTrait::AutomaticAllocationScope>() ||
         unwrap(op)->getParentWithTrait<OpTrait::AutomaticAllocationScope>();
}

// Looked at directly: by name, MLIR looks for the context first, in the op's location.
MlirAttribute stow_bridge_op_alignment(MlirOperation wrapped) {
  Operation *op = unwrap(wrapped);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return wrap(Attribute(alloc.getAlignmentAttr()));
  const StringRef name = "alignment";
  std::optional<RegisteredOperationName> kind = op->getRegisteredInfo();
  const bool declared = !kind || llvm::is_contained(kind->getAttributeNames(), name);
  Attribute found = declared ? op->getAttr(name) : op->getRawDictionaryAttrs().get(name);
  assert(found == op->getAttr(name));
  return wrap(found);
}

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

static uint8_t maskOf(MemoryEffects::Effect *effect) {
  if (isa<MemoryEffects::Read>(effect))
    return STOW_READ;
  if (isa<MemoryEffects::Write>(effect))
    return STOW_WRITE;
  return isa<MemoryEffects::Allocate>(effect) ? STOW_ALLOCATE : STOW_FREE;
}

// An effect names a value; the op may hold that value in several operands, and all of them have it.
static bool spread(ValueRange values, Value value, uint8_t mask, uint8_t *out) {
  bool found = false;
  for (auto [index, candidate] : llvm::enumerate(values))
    if (candidate == value) {
      found = true;
      out[index] |= mask;
    }
  return found;
}

bool stow_bridge_op_has_no_effect(MlirOperation op) { return isMemoryEffectFree(unwrap(op)); }
bool stow_bridge_op_is_pure(MlirOperation op) { return isPure(unwrap(op)); }

static void effectsOf(MemoryEffectOpInterface op, uint8_t *out_operands, uint8_t *out_results,
                      uint8_t *out_other) {
  SmallVector<MemoryEffects::EffectInstance, 8> effects; // most ops have fewer
  op.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    uint8_t mask = maskOf(effect.getEffect());
    Value value = effect.getValue();
    assert(mask == STOW_READ || mask == STOW_WRITE || mask == STOW_ALLOCATE ||
           isa<MemoryEffects::Free>(effect.getEffect()));
    if (!value || (!spread(op->getOperands(), value, mask, out_operands) &&
                   !spread(op->getResults(), value, mask, out_results)))
      *out_other |= mask;
  }
}

// linalg.generic, which most ops of many programs are. Its interface says the same, and makes
// attributes on the way.
static void effectsOf(linalg::GenericOp op, uint8_t *out_operands) {
  const unsigned inputs = op.getInputs().size();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    uint8_t mask = operand.getOperandNumber() < inputs        ? STOW_READ
                   : op.payloadUsesValueFromOperand(&operand) ? STOW_READ | STOW_WRITE
                                                              : STOW_WRITE;
    spread(op->getOperands(), operand.get(), mask, out_operands);
  }
}

#ifndef NDEBUG
static bool saysTheSame(MemoryEffectOpInterface op, const uint8_t *operands) {
  SmallVector<uint8_t> told(op->getNumOperands()), results(op->getNumResults());
  uint8_t other = 0;
  effectsOf(op, told.data(), results.data(), &other);
  return std::equal(told.begin(), told.end(), operands) && !other &&
         llvm::all_of(results, [](uint8_t mask) { return mask == 0; });
}
#endif

void stow_bridge_op_effects(MlirOperation wrapped, uint8_t *out_operands, uint8_t *out_results,
                            uint8_t *out_other) {
  Operation *op = unwrap(wrapped);
  std::fill_n(out_operands, op->getNumOperands(), 0);
  std::fill_n(out_results, op->getNumResults(), 0);
  *out_other = 0;
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    effectsOf(generic, out_operands);
    assert(saysTheSame(cast<MemoryEffectOpInterface>(op), out_operands));
  } else if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    effectsOf(interface, out_operands, out_results, out_other);
  }
}

static bool isOutput(linalg::LinalgOp op, OpOperand &operand) {
  if (auto generic = dyn_cast<linalg::GenericOp>(*op))
    return operand.getOperandNumber() >= generic.getInputs().size();
  return op.isDpsInit(&operand);
}

bool stow_bridge_is_overwritten_output(MlirOperation wrapped, intptr_t index) {
  auto op = dyn_cast<linalg::LinalgOp>(unwrap(wrapped));
  if (!op)
    return false;
  assert(0 <= index && index < op->getNumOperands());
  OpOperand &operand = op->getOpOperand(index);
  return isOutput(op, operand) && !op.payloadUsesValueFromOperand(&operand) &&
         op.getMatchingIndexingMap(&operand).isPermutation();
}

MlirValue stow_bridge_updated_operand(MlirOperation wrapped, intptr_t index) {
  Operation *op = unwrap(wrapped);
  assert(0 <= index && index < op->getNumResults());
  OpOperand *operand = nullptr;
  if (auto output = dyn_cast<DestinationStyleOpInterface>(op))
    operand = output.getTiedOpOperand(op->getResult(index));
  else if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    operand = loop.getTiedLoopInit(op->getResult(index));
  const bool same = operand && operand->get().getType() == op->getResult(index).getType();
  return same ? wrap(operand->get()) : MlirValue{nullptr};
}

void stow_bridge_heap_results(MlirOperation wrapped, bool *out_results) {
  Operation *op = unwrap(wrapped);
  std::fill_n(out_results, op->getNumResults(), false);
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (isa<MemoryEffects::Allocate>(effect.getEffect()) &&
        !isa<SideEffects::AutomaticAllocationScopeResource>(effect.getResource()))
      for (OpResult result : op->getResults())
        out_results[result.getResultNumber()] |= result == effect.getValue();
}

static Operation *buildDealloc(Operation *op, OpBuilder &builder) {
  auto interface = dyn_cast<bufferization::AllocationOpInterface>(op);
  if (!interface || op->getNumResults() == 0)
    return nullptr;
  return interface.buildDealloc(builder, op->getResult(0)).value_or(nullptr);
}

// Interfaces of ops of other dialects can only be asked by having them build.
static bool buildsDealloc(Operation *op, llvm::function_ref<bool(Operation *)> holds) {
  OpBuilder builder(op->getContext());
  Operation *dealloc = buildDealloc(op, builder);
  const bool does = dealloc && holds(dealloc);
  if (dealloc)
    dealloc->destroy();
  return does;
}

bool stow_bridge_builds_memref_dealloc(MlirOperation wrapped) {
  return buildsDealloc(unwrap(wrapped), [](Operation *op) { return isa<memref::DeallocOp>(op); });
}

bool stow_bridge_builds_own_dealloc(MlirOperation wrapped) {
  Operation *op = unwrap(wrapped);
  return op->getNumResults() == 1 && buildsDealloc(op, [&](Operation *dealloc) {
           auto effects = dyn_cast<MemoryEffectOpInterface>(dealloc);
           return effects && !isa<memref::DeallocOp>(dealloc) && dealloc->getNumResults() == 0 &&
                  effects.getEffectOnValue<MemoryEffects::Free>(op->getResult(0)).has_value();
         });
}

MlirOperation stow_bridge_build_own_dealloc(MlirOperation alloc, MlirOperation before) {
  OpBuilder builder(unwrap(before));
  return wrap(buildDealloc(unwrap(alloc), builder));
}

static bool hasNoEffectBut(MemoryEffectOpInterface op, Value made) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  op.getEffects(effects);
  return !effects.empty() && llvm::all_of(effects, [&](const MemoryEffects::EffectInstance &e) {
    return isa<MemoryEffects::Allocate>(e.getEffect()) && e.getValue() == made &&
           !isa<SideEffects::AutomaticAllocationScopeResource>(e.getResource());
  });
}

MlirAttribute stow_bridge_op_attributes(MlirOperation op) {
  return wrap(Attribute(unwrap(op)->getAttrDictionary()));
}

bool stow_bridge_only_allocates(MlirOperation wrapped) {
  Operation *op = unwrap(wrapped);
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || op->getNumResults() != 1 || op->getNumRegions() > 0 || op->getNumSuccessors() > 0)
    return false;
  auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
  return type && type.hasStaticShape() && hasNoEffectBut(effects, op->getResult(0)) &&
         llvm::all_of(op->getOperandTypes(),
                      [](Type operand) { return stow_bridge_type_is_plain(wrap(operand)); }) &&
         stow_bridge_builds_memref_dealloc(wrapped);
}

bool stow_bridge_may_be_hoisted(MlirOperation wrapped) {
  const auto every = static_cast<uint8_t>(HoistingKind::Loop | HoistingKind::Block);
  auto op = dyn_cast<bufferization::AllocationOpInterface>(unwrap(wrapped));
  return op && (static_cast<uint8_t>(op.getHoistingKind()) & every) == every;
}

bool stow_bridge_view_flow(MlirOperation wrapped, stow_view_flow_fn fn, void *user) {
  Operation *op = unwrap(wrapped);
  auto tell = [&](Value source, Value target) { fn(user, wrap(source), wrap(target)); };
  if (auto flow = dyn_cast<bufferization::BufferViewFlowOpInterface>(op))
    flow.populateDependencies([&](ValueRange sources, ValueRange targets) {
      for (Value source : sources)
        for (Value target : targets)
          tell(source, target);
    });
  else if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    tell(view.getViewSource(), view.getViewDest());
  else
    return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void stow_bridge_branch_edges(MlirOperation wrapped, stow_control_edge_fn fn, void *user) {
  auto branch = cast<BranchOpInterface>(unwrap(wrapped));
  for (auto [s, block] : llvm::enumerate(branch->getSuccessors())) {
    SuccessorOperands operands = branch.getSuccessorOperands(s);
    SmallVector<stow_pass> passes;
    for (auto [i, argument] : llvm::enumerate(block->getArguments()))
      passes.push_back({operands.isOperandProduced(i) ? -1 : operands.getOperandIndex(i),
                        wrap(Value(argument))});
    stow_control_edge edge = {wrapped,      wrap(block), static_cast<intptr_t>(s),
                              STOW_PARENT,  STOW_PARENT, passes.data(),
                              passes.size()};
    fn(user, &edge);
  }
}

void stow_bridge_region_edges(MlirOperation wrapped, stow_control_edge_fn fn, void *user) {
  Operation *op = unwrap(wrapped);
  forEachRegionEdge(cast<RegionBranchOpInterface>(op), [&](const RegionEdge &told) {
    bool enters = told.to != STOW_PARENT && !op->getRegion(told.to).empty();
    SmallVector<stow_pass> passes;
    for (auto [i, target] : llvm::enumerate(told.targets.take_front(told.operands.size())))
      passes.push_back({told.operandIndex(i), wrap(target)});
    stow_control_edge edge = {wrap(told.terminator),
                              wrap(enters ? &op->getRegion(told.to).front() : nullptr),
                              -1,
                              told.from,
                              told.to,
                              passes.data(),
                              passes.size()};
    fn(user, &edge);
  });
}

static void markForwarded(OperandRange range, bool *out) {
  if (!range.empty())
    std::fill_n(out + range.getBeginOperandIndex(), range.size(), true);
}

// Of the edges that leave from `terminator`, or from the op itself.
static void markForwarded(RegionBranchOpInterface op, Operation *terminator, bool *out) {
  forEachRegionEdge(op, [&](const RegionEdge &edge) {
    if (edge.terminator == terminator)
      markForwarded(edge.operands, out);
  });
}

void stow_bridge_forwarded_operands(MlirOperation wrapped, bool *out_forwarded) {
  Operation *op = unwrap(wrapped);
  std::fill_n(out_forwarded, op->getNumOperands(), false);
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    for (unsigned i = 0; i < op->getNumSuccessors(); ++i)
      markForwarded(branch.getSuccessorOperands(i).getForwardedOperands(), out_forwarded);
  if (auto regions = dyn_cast<RegionBranchOpInterface>(op))
    markForwarded(regions, nullptr, out_forwarded);
  auto parent = dyn_cast_or_null<RegionBranchOpInterface>(op->getParentOp());
  if (parent && isa<RegionBranchTerminatorOpInterface>(op))
    markForwarded(parent, op, out_forwarded);
}

struct stow_symbols {
  SymbolTableCollection tables;
};

stow_symbols *stow_symbols_create(void) { return new stow_symbols; }
void stow_symbols_destroy(stow_symbols *symbols) { delete symbols; }

MlirOperation stow_bridge_callee(MlirOperation call, stow_symbols *symbols) {
  Operation *callee = cast<CallOpInterface>(unwrap(call)).resolveCallableInTable(&symbols->tables);
  return wrap(isa_and_nonnull<FunctionOpInterface>(callee) ? callee : nullptr);
}

MlirOperation stow_bridge_named_function(MlirOperation wrapped, const char *attribute,
                                         stow_symbols *symbols) {
  Operation *op = unwrap(wrapped);
  auto name = op->getAttrOfType<SymbolRefAttr>(attribute);
  Operation *found = name ? symbols->tables.lookupNearestSymbolFrom(op, name) : nullptr;
  return wrap(isa_and_nonnull<FunctionOpInterface>(found) ? found : nullptr);
}

void stow_bridge_call_arguments(MlirOperation call, intptr_t *out_first, intptr_t *out_count) {
  OperandRange arguments = cast<CallOpInterface>(unwrap(call)).getArgOperands();
  *out_count = static_cast<intptr_t>(arguments.size());
  *out_first = arguments.empty() ? 0 : arguments.getBeginOperandIndex();
}

bool stow_bridge_argument_has_attribute(MlirOperation op, intptr_t index, const char *name) {
  auto function = cast<FunctionOpInterface>(unwrap(op));
  return static_cast<unsigned>(index) < function.getNumArguments() &&
         function.getArgAttr(index, name);
}

bool stow_bridge_result_has_attribute(MlirOperation op, intptr_t index, const char *name) {
  auto function = cast<FunctionOpInterface>(unwrap(op));
  return static_cast<unsigned>(index) < function.getNumResults() &&
         function.getResultAttr(static_cast<unsigned>(index), name);
}

void stow_bridge_mark_result(MlirOperation op, intptr_t index, const char *name) {
  auto function = cast<FunctionOpInterface>(unwrap(op));
  assert(0 <= index && index < function.getNumResults());
  function.setResultAttr(static_cast<unsigned>(index), name, UnitAttr::get(function.getContext()));
}

void stow_bridge_set_argument_attribute(MlirOperation op, intptr_t index, const char *name,
                                        MlirAttribute value) {
  auto function = cast<FunctionOpInterface>(unwrap(op));
  assert(0 <= index && index < function.getNumArguments());
  function.setArgAttr(static_cast<unsigned>(index), name, unwrap(value));
}

MlirRegion stow_bridge_function_body(MlirOperation op) {
  auto function = cast<FunctionOpInterface>(unwrap(op));
  return wrap(function.isExternal() ? nullptr : &function.getFunctionBody());
}

intptr_t stow_bridge_function_argument_count(MlirOperation op) {
  return static_cast<intptr_t>(cast<FunctionOpInterface>(unwrap(op)).getNumArguments());
}

intptr_t stow_bridge_function_result_count(MlirOperation op) {
  return static_cast<intptr_t>(cast<FunctionOpInterface>(unwrap(op)).getNumResults());
}

MlirStringRef stow_bridge_function_name(MlirOperation op) {
  auto symbol = dyn_cast<SymbolOpInterface>(unwrap(op));
  return wrap(symbol ? symbol.getName() : StringRef(""));
}

MlirValue stow_bridge_append_argument(MlirOperation op, MlirType type, MlirLocation location) {
  auto function = cast<FunctionOpInterface>(unwrap(op));
  assert(unwrap(type) && !function.isExternal());
  const unsigned last = function.getNumArguments();
  if (failed(function.insertArgument(last, unwrap(type), {}, unwrap(location))))
    llvm::report_fatal_error("a function does not take one more argument");
  return wrap(Value(function.getArgument(last)));
}

void stow_bridge_append_operands(MlirOperation wrapped, const MlirValue *operands, intptr_t count) {
  Operation *op = unwrap(wrapped);
  for (intptr_t i = 0; i < count; ++i) {
    assert(unwrap(operands[i]));
    op->insertOperands(op->getNumOperands(), unwrap(operands[i]));
  }
}

void stow_bridge_erase_operand(MlirOperation op, intptr_t index) {
  assert(0 <= index && index < unwrap(op)->getNumOperands());
  unwrap(op)->eraseOperand(static_cast<unsigned>(index));
}

MlirOpOperand stow_bridge_use_by(MlirOperation op, intptr_t index) {
  assert(0 <= index && index < unwrap(op)->getNumOperands());
  return wrap(&unwrap(op)->getOpOperand(static_cast<unsigned>(index)));
}

void stow_bridge_erase_result_type(MlirOperation op, intptr_t index) {
  auto function = cast<FunctionOpInterface>(unwrap(op));
  assert(0 <= index && index < function.getNumResults());
  if (failed(function.eraseResult(static_cast<unsigned>(index))))
    llvm::report_fatal_error("a function does not let go of a result");
}

bool stow_bridge_symbol_uses(MlirOperation root, stow_symbols *symbols, stow_symbol_use_fn fn,
                             void *user) {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&unwrap(root)->getRegion(0));
  if (!uses)
    return false;
  for (SymbolTable::SymbolUse use : *uses)
    fn(user, wrap(use.getUser()),
       wrap(symbols->tables.lookupNearestSymbolFrom(use.getUser(), use.getSymbolRef())));
  return true;
}

MlirOperation stow_bridge_symbol_named(MlirOperation root, const char *name) {
  return wrap(SymbolTable::lookupSymbolIn(unwrap(root), name));
}

void stow_bridge_rename_symbol(MlirOperation symbol, const char *name) {
  SymbolTable::setSymbolName(unwrap(symbol), name);
}

bool stow_bridge_is_private(MlirOperation symbol) {
  return SymbolTable::getSymbolVisibility(unwrap(symbol)) == SymbolTable::Visibility::Private;
}

struct stow_post_dominance {
  PostDominanceInfo info;
};

stow_post_dominance *stow_post_dominance_create(MlirOperation op) {
  return new stow_post_dominance{PostDominanceInfo(unwrap(op))};
}
void stow_post_dominance_destroy(stow_post_dominance *dominance) { delete dominance; }

bool stow_bridge_post_dominates(stow_post_dominance *dominance, MlirBlock block, MlirBlock of) {
  return dominance->info.postDominates(unwrap(block), unwrap(of));
}

struct stow_dominance {
  DominanceInfo info;
};

stow_dominance *stow_dominance_create(MlirOperation op) {
  return new stow_dominance{DominanceInfo(unwrap(op))};
}
void stow_dominance_destroy(stow_dominance *dominance) { delete dominance; }

bool stow_bridge_dominates(stow_dominance *dominance, MlirValue value, MlirOperation op) {
  assert(unwrap(value) && unwrap(op));
  return dominance->info.dominates(unwrap(value), unwrap(op));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

uint64_t stow_bridge_index_bits(MlirOperation scope) {
  Type index = IndexType::get(unwrap(scope)->getContext());
  return DataLayout::closest(unwrap(scope)).getTypeSizeInBits(index).getFixedValue();
}

bool stow_bridge_layout_is_specified(MlirOperation scope) {
  auto specifies = [](auto op) { return op && op.getDataLayoutSpec(); };
  for (Operation *op = unwrap(scope); op; op = op->getParentOp())
    if (specifies(dyn_cast<DataLayoutOpInterface>(op)) || specifies(dyn_cast<ModuleOp>(op)))
      return true;
  return false;
}

bool stow_bridge_layout_of(MlirOperation scope, MlirType type, uint64_t *out_size,
                           uint64_t *out_alignment) {
  if (!isa<DataLayoutTypeInterface>(unwrap(type)) && !unwrap(type).isIntOrIndexOrFloat())
    return false;
  DataLayout layout = DataLayout::closest(unwrap(scope));
  llvm::TypeSize size = layout.getTypeSize(unwrap(type));
  if (size.isScalable())
    return false;
  *out_alignment = std::max<uint64_t>(1, layout.getTypeABIAlignment(unwrap(type)));
  *out_size = llvm::alignTo(size.getFixedValue(), *out_alignment);
  return true;
}

// Aggregates of LLVM that hold numbers alone are numbers: what storage a tensor has, say.
static bool isPlain(Type type) {
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    return !structure.isOpaque() && llvm::all_of(structure.getBody(), isPlain);
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return isPlain(array.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return type.isIntOrIndexOrFloat() || isa<NoneType>(type);
}

bool stow_bridge_type_is_plain(MlirType type) { return isPlain(unwrap(type)); }

bool stow_bridge_type_is_token(MlirType type) {
  const StringRef name = unwrap(type).getAbstractType().getName();
  return isa<async::TokenType, async::GroupType, gpu::AsyncTokenType>(unwrap(type)) ||
         name == "mpi.request" || name == "nvgpu.device.async.token";
}

// Eight rows of a swizzled tile are one pattern.
uint64_t stow_bridge_tma_alignment(MlirType map) {
  const auto descriptor = dyn_cast<nvgpu::TensorMapDescriptorType>(unwrap(map));
  if (!descriptor || descriptor.getSwizzle() == nvgpu::TensorMapSwizzleKind::SWIZZLE_128B)
    return 1024;
  if (descriptor.getSwizzle() == nvgpu::TensorMapSwizzleKind::SWIZZLE_64B)
    return 512;
  return descriptor.getSwizzle() == nvgpu::TensorMapSwizzleKind::SWIZZLE_32B ? 256 : 128;
}

uint64_t stow_bridge_mbarriers_in(MlirType group) {
  return cast<nvgpu::MBarrierGroupType>(unwrap(group)).getNumBarriers();
}

bool stow_bridge_type_is_tensor(MlirType type) { return isa<TensorType>(unwrap(type)); }

bool stow_bridge_can_cast(MlirType from, MlirType to) {
  assert(isa<BaseMemRefType>(unwrap(from)) && isa<BaseMemRefType>(unwrap(to)));
  return memref::CastOp::areCastCompatible(unwrap(from), unwrap(to));
}

void stow_bridge_replace_memory_spaces(MlirOperation root, stow_space_fn map, const void *user) {
  AttrTypeReplacer replacer;
  auto mapped = [=](Attribute space) { return unwrap(map(user, wrap(space))); };
  replacer.addReplacement([&](MemRefType type) {
    return MemRefType::get(type.getShape(), replacer.replace(type.getElementType()),
                           type.getLayout(), mapped(type.getMemorySpace()));
  });
  replacer.addReplacement([&](UnrankedMemRefType type) {
    return UnrankedMemRefType::get(replacer.replace(type.getElementType()),
                                   mapped(type.getMemorySpace()));
  });
  replacer.recursivelyReplaceElementsIn(unwrap(root), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false, /*replaceTypes=*/true);
}

bool stow_bridge_memref_has_identity_layout(MlirType type) {
  return cast<MemRefType>(unwrap(type)).getLayout().isIdentity();
}

//===----------------------------------------------------------------------===//
// Diagnostics and remarks
//===----------------------------------------------------------------------===//

void stow_bridge_error(MlirLocation location, const char *text, const stow_note *notes,
                       size_t note_count) {
  InFlightDiagnostic error = emitError(unwrap(location), text);
  for (size_t i = 0; i < note_count; ++i)
    error.attachNote(unwrap(notes[i].location)) << notes[i].text;
}

static thread_local int muted; // how often

void stow_bridge_mute(bool mute) { muted += mute ? 1 : -1; }

static std::atomic<void (*)(const stow_remark *)> counter;

void stow_bridge_count_remarks(void (*count)(const stow_remark *remark)) { counter = count; }

static thread_local struct {
  void (*take)(void *user, const stow_remark *remark);
  void *user;
} diverted;

void stow_bridge_divert_remarks(void (*take)(void *user, const stow_remark *remark), void *user) {
  assert(!take || !diverted.take);
  diverted = {take, user};
}

static bool remarkIsWanted(const stow_remark *remark) {
  if (!muted && counter && !diverted.take)
    counter.load()(remark);
  return !muted;
}

bool stow_remarks_enabled(MlirContext context) {
  return !muted && (counter || remarksEnabled(unwrap(context)));
}

void stow_remark_emit(const stow_remark *remark) {
  assert(remark->category && remark->name && remark->text);
  if (!remarkIsWanted(remark))
    return;
  if (diverted.take)
    diverted.take(diverted.user, remark);
  else
    emitRemark(*remark, unwrap(remark->location), unwrap(remark->function));
}

static void divertBuilt(stow_remark remark, stow_remark_texts (*build)(const void *user),
                        const void *user) {
  const stow_remark_texts texts = build(user);
  remark.text = texts.text;
  remark.reason = texts.reason;
  remark.suggestion = texts.suggestion;
  diverted.take(diverted.user, &remark);
  free(texts.text);
  free(texts.reason);
  free(texts.suggestion);
}

void stow_remark_build(const stow_remark *remark, stow_remark_texts (*build)(const void *user),
                       const void *user) {
  if (!remarkIsWanted(remark))
    return;
  if (!diverted.take)
    buildRemark(*remark, unwrap(remark->location), unwrap(remark->function), build, user);
  else if (stow_remarks_enabled(mlirLocationGetContext(remark->location)))
    divertBuilt(*remark, build, user);
}

static void (*listener)(const char *text);

void stow_bridge_listen(void (*line)(const char *text)) { listener = line; }

bool stow_bridge_somebody_listens(MlirContext context) {
  return (listener && !muted && !diverted.take) || stow_remarks_enabled(context);
}

void stow_remark_idle_pass(MlirOperation module, const char *pass, const char *why) {
  const stow_remark remark = {STOW_REMARK_ANALYSIS,
                              mlirOperationGetLocation(module),
                              pass,
                              "nothing-done",
                              mlirStringRefCreateFromCString(""),
                              why,
                              nullptr,
                              nullptr,
                              0};
  if (stow_remarks_enabled(mlirOperationGetContext(module)))
    stow_remark_emit(&remark);
}

void stow_bridge_tell_idle_pass(MlirOperation module, const char *pass, const char *why) {
  stow_remark_idle_pass(module, pass, why);
  if (listener && !muted && !diverted.take)
    listener((std::string(pass) + ": " + why).c_str());
}

void stow_bridge_load_dialects(MlirContext context) {
  unwrap(context)
      ->loadDialect<arith::ArithDialect, bufferization::BufferizationDialect,
                    cf::ControlFlowDialect, linalg::LinalgDialect, memref::MemRefDialect,
                    scf::SCFDialect>();
}

void stow_bridge_out_of_memory(void) { llvm::report_bad_alloc_error("stowage: allocation failed"); }
