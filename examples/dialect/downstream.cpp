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
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
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

class DownstreamDialect : public Dialect {
public:
  explicit DownstreamDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<DownstreamDialect>()) {
    addOperations<WindowOp, EitherOp, OpaqueOp>();
  }
  static constexpr StringLiteral getDialectNamespace() { return StringLiteral("downstream"); }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Downstream", "1",
          [](DialectRegistry *registry) { registry->insert<DownstreamDialect>(); }};
}
