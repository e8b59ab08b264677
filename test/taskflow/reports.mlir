// The graph before and after, and the account as JSON.
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion='report=json:%t.json,dot:%t.dot,svg:%t.svg,text:%t.txt' -o /dev/null
// RUN: FileCheck %s --input-file=%t.dot --check-prefix=DOT
// RUN: FileCheck %s --input-file=%t.svg --check-prefix=SVG
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=TEXT
// RUN: %python -c "import json,xml.dom.minidom; f=json.load(open(r'%t.json'))['functions'][0]; print(f['after'], f['search'], f['in_place'], f['pairs'][0]['fused'], f['pairs'][1]['reason'], len(f['graph_before']['edges'])); xml.dom.minidom.parse(r'%t.svg')" | FileCheck %s --check-prefix=JSON
// RUN: not stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion=report=pdf:x 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion=report=json: 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion=report=json:/no/such/folder/x --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=FILE

// DOT: digraph tasks {
// DOT: label="@f before: 3 tasks, 64 bytes"
// DOT: "0 before.0" [label="Task_0", tooltip="8 loads, 8 stores"]
// DOT: "0 before.0" -> "0 before.1" [label="memref<8xf32>"]
// DOT: label="@f after: 2 tasks, 32 bytes"
// DOT: "0 after.0" [label="Task_0_Task_1_fused", tooltip="8 loads, 8 stores"]
// DOT: "0 after.0" -> "0 after.1" [label="memref<8xf32>"]

// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: >@f before: 3 tasks, 64 bytes</text>
// SVG: >memref&lt;8xf32&gt;, 32 B</text>
// SVG: >Task_0</text>
// SVG: >@f after: 2 tasks, 32 bytes</text>
// SVG: </svg>

// TEXT: @f
// TEXT-NEXT: before 3 tasks 64 bytes 24 loads 24 stores
// TEXT-NEXT: after 2 tasks 32 bytes 16 loads 16 stores
// TEXT-NEXT: 6 ways tried, 2 more as good; no choice of pairs is left
// TEXT-NEXT: round 1: @Task_0_Task_1_fused: 32 bytes, 8 loads, 8 stores fewer
// TEXT-NEXT: @Task_0_Task_1_fused and @Task_2 stay two (dependence):

// JSON: {'tasks': 2, 'bytes': 32, 'loads': 16, 'stores': 16, 'exact': True} {'ways': 6, 'trials': 20, 'exhausted': True, 'floor': 0, 'as_good': 2} {'buffers': 0, 'bytes': 0} Task_0_Task_1_fused dependence 2

// KIND: error: memory-access-streaming-fusion: report must be text, text:FILE, json:FILE, dot:FILE, svg:FILE or none, not
// FILE: error: memory-access-streaming-fusion: cannot write the report to '/no/such/folder/x': No such file
// FILE-NOT: _fused
// FILE: taskflow.task @Task_1
// FILE-NOT: _fused

func.func @f(%a: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  %u = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[-%i + 7] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %u[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %u[%i] : memref<8xf32>
    affine.store %v, %a[%i] : memref<8xf32>
  }
  return
}
