//===- downstream.cpp - ops that tell where their buffers go --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ops of unknown effects. `window` is a view of its operand (ViewLikeOpInterface),
// `either` returns one of its operands (BufferViewFlowOpInterface), `opaque` tells
// nothing. Stowage follows buffers through the first two and gives up at the third.
//
// Three ops that allocate. `alloc` says that memref.dealloc frees its result
// (AllocationOpInterface): Stowage plans and frees it as it does memref.alloc. `acquire` says
// that `release` frees its result: buffer-deallocation builds that. Of `take` it is known only
// that it allocates (MemoryEffectOpInterface), and it is left alone.
//
// One that starts work. `transfer` copies its first memref to its second one, behind the tokens
// that it is given, and is done when its token is (AsyncOpInterface): Stowage keeps both buffers
// until a gpu.wait, and orders transfers by their tokens.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/AllocationOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

using namespace mlir;

namespace {

class WindowOp
    : public Op<WindowOp, OpTrait::OneOperand, OpTrait::OneResult, ViewLikeOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "downstream.window"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  Value getViewSource() { return getOperand(); }
};

class EitherOp : public Op<EitherOp, OpTrait::VariadicOperands, OpTrait::OneResult,
                           bufferization::BufferViewFlowOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "downstream.either"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void populateDependencies(bufferization::RegisterDependenciesFn tell) {
    for (Value operand : getOperation()->getOperands())
      tell(operand, getOperation()->getResult(0));
  }
  bool mayBeTerminalBuffer(Value) { return false; }
};

class OpaqueOp : public Op<OpaqueOp, OpTrait::VariadicOperands, OpTrait::ZeroResults> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "downstream.opaque"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

class AllocOp
    : public Op<AllocOp, OpTrait::ZeroOperands, OpTrait::OneResult, MemoryEffectOpInterface::Trait,
                bufferization::AllocationOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "downstream.alloc"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(Effects &effects) {
    effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getResult(0));
  }
  static std::optional<Operation *> buildDealloc(OpBuilder &builder, Value alloc) {
    return memref::DeallocOp::create(builder, alloc.getLoc(), alloc).getOperation();
  }
  static HoistingKind getHoistingKind() { return HoistingKind::Loop | HoistingKind::Block; }
};

class ReleaseOp : public Op<ReleaseOp, OpTrait::OneOperand, OpTrait::ZeroResults,
                            MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "downstream.release"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(Effects &effects) {
    effects.emplace_back(MemoryEffects::Free::get(), &getOperation()->getOpOperand(0));
  }
};

class AcquireOp
    : public Op<AcquireOp, OpTrait::ZeroOperands, OpTrait::OneResult,
                MemoryEffectOpInterface::Trait, bufferization::AllocationOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "downstream.acquire"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(Effects &effects) {
    effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getResult(0));
  }
  static std::optional<Operation *> buildDealloc(OpBuilder &builder, Value alloc) {
    return builder.create(
        OperationState(alloc.getLoc(), ReleaseOp::getOperationName(), alloc, TypeRange()));
  }
};

class TakeOp
    : public Op<TakeOp, OpTrait::ZeroOperands, OpTrait::OneResult, MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "downstream.take"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(Effects &effects) {
    effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getResult(0));
  }
};

class TransferOp : public Op<TransferOp, OpTrait::VariadicOperands, OpTrait::VariadicResults,
                             MemoryEffectOpInterface::Trait, gpu::AsyncOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "downstream.transfer"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  OperandRange getAsyncDependencies() { return getOperation()->getOperands().drop_back(2); }
  void addAsyncDependency(Value token) { getOperation()->insertOperands(0, token); }
  Value getAsyncToken() {
    return getOperation()->getNumResults() > 0 ? getOperation()->getResult(0) : Value();
  }
  void getEffects(Effects &effects) {
    MutableArrayRef<OpOperand> memory = getOperation()->getOpOperands().take_back(2);
    effects.emplace_back(MemoryEffects::Read::get(), &memory[0]);
    effects.emplace_back(MemoryEffects::Write::get(), &memory[1]);
  }
};

class DownstreamDialect : public Dialect {
public:
  explicit DownstreamDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<DownstreamDialect>()) {
    addOperations<WindowOp, EitherOp, OpaqueOp, AllocOp, ReleaseOp, AcquireOp, TakeOp,
                  TransferOp>();
  }
  static constexpr StringLiteral getDialectNamespace() { return StringLiteral("downstream"); }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Downstream", "1",
          [](DialectRegistry *registry) { registry->insert<DownstreamDialect>(); }};
}
