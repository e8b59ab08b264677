# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TVM's plan of an ONNX file: the bytes of its storages, which are intermediates and the result. Its code is not tuned here, so no
time is taken.
"""

import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

from bench.rivals import side

VERSION = f"TVM {tvm.__version__}, plan"


def measure(generated, folder, seconds):
    path = folder.parent / "ort" / "model.onnx"
    module, _ = relax.frontend.detach_params(from_onnx(onnx.load(path), keep_params_in_input=True))
    passes = relax.transform
    module = tvm.ir.transform.Sequential([
        passes.DecomposeOpsForInference(), passes.LegalizeOps(), passes.AnnotateTIROpPattern(), passes.FoldConstant(),
        passes.FuseOps(), passes.FuseTIR(), passes.ToNonDataflow(), passes.RemovePurityChecking(), passes.CallTIRRewrite(),
        passes.StaticPlanBlockMemory()])(module)  # fmt: skip
    sizes = []

    def visit(node):
        if isinstance(node, relax.Call) and getattr(node.op, "name", "") == "relax.memory.alloc_storage":
            sizes.append(int(node.args[0].values[0]))

    relax.analysis.post_order_visit(module["main"].body, visit)
    return {"bytes": sum(sizes)}


if __name__ == "__main__":
    side.run(VERSION, measure)
