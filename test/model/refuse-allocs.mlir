// RUN: stowage-opt --refuse-allocs --verify-diagnostics %s

func.func @f() -> memref<4xf32> {
  // expected-error @+1 {{this buffer is still allocated when the program runs}}
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}
