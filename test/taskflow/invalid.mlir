// Every rule of the verifier, broken once.
// RUN: stowage-opt %s -split-input-file -verify-diagnostics

func.func @argument_count(%a: memref<8xf32>) {
  // expected-error @+1 {{has 1 inputs, but its body 0 arguments}}
  "taskflow.task"(%a, %a) <{task_name = "t", operandSegmentSizes = array<i32: 1, 0, 0, 1, 0>, resultSegmentSizes = array<i32: 0, 0, 0>}> ({
    "taskflow.yield"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func @argument_type(%a: memref<8xf32>) {
  // expected-error @+1 {{argument #0 is of type 'memref<4xf32>', its operand of type 'memref<8xf32>'}}
  taskflow.task @t read_memrefs(%a : memref<8xf32>) [original_read_memrefs(%a : memref<8xf32>)] : (memref<8xf32>) -> () {
  ^bb0(%x: memref<4xf32>):
  }
  return
}

// -----

func.func @missing_original(%a: memref<8xf32>) {
  // expected-error @+1 {{has 1 read_memrefs, but 0 original_read_memrefs}}
  taskflow.task @t read_memrefs(%a : memref<8xf32>) : (memref<8xf32>) -> () {
  ^bb0(%x: memref<8xf32>):
  }
  return
}

// -----

func.func @type_of_original(%a: memref<8xf32>, %b: memref<4xf32>) {
  // expected-error @+1 {{write_memrefs #0 is of type 'memref<8xf32>', its original of type 'memref<4xf32>'}}
  taskflow.task @t write_memrefs(%a : memref<8xf32>) [original_write_memrefs(%b : memref<4xf32>)] : (memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%x: memref<8xf32>):
    taskflow.yield writes(%x : memref<8xf32>)
  }
  return
}

// -----

func.func @no_version(%a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @+1 {{read_memrefs #0 is neither its original nor a task's version of it}}
  taskflow.task @t read_memrefs(%a : memref<8xf32>) [original_read_memrefs(%b : memref<8xf32>)] : (memref<8xf32>) -> () {
  ^bb0(%x: memref<8xf32>):
  }
  return
}

// -----

func.func @version_of_another(%a: memref<8xf32>, %b: memref<8xf32>) {
  %w = taskflow.task @t write_memrefs(%a : memref<8xf32>) [original_write_memrefs(%a : memref<8xf32>)] : (memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%x: memref<8xf32>):
    taskflow.yield writes(%x : memref<8xf32>)
  }
  // expected-error @+1 {{read_memrefs #0 is neither its original nor a task's version of it}}
  taskflow.task @u read_memrefs(%w : memref<8xf32>) [original_read_memrefs(%b : memref<8xf32>)] : (memref<8xf32>) -> () {
  ^bb0(%x: memref<8xf32>):
  }
  return
}

// -----

func.func @twice(%a: memref<8xf32>) {
  // expected-error @+1 {{original_read_memrefs #1 is listed twice}}
  taskflow.task @t read_memrefs(%a, %a : memref<8xf32>, memref<8xf32>) [original_read_memrefs(%a, %a : memref<8xf32>, memref<8xf32>)] : (memref<8xf32>, memref<8xf32>) -> () {
  ^bb0(%x: memref<8xf32>, %y: memref<8xf32>):
  }
  return
}

// -----

func.func @memref_as_value(%a: memref<8xf32>) {
  // expected-error @+1 {{value_inputs #0 is a memref}}
  taskflow.task @t value_inputs(%a : memref<8xf32>) : (memref<8xf32>) -> () {
  ^bb0(%x: memref<8xf32>):
  }
  return
}

// -----

func.func @memref_as_result() {
  // expected-error @+1 {{value_outputs #0 is a memref}}
  %r = taskflow.task @t : () -> (memref<8xf32>) {
    %a = memref.alloc() : memref<8xf32>
    taskflow.yield values(%a : memref<8xf32>)
  }
  return
}

// -----

func.func @same_name() {
  // expected-note @+1 {{the other @t}}
  taskflow.task @t : () -> () {
  }
  // expected-error @+1 {{has the name of another task}}
  taskflow.task @t : () -> () {
  }
  return
}

// -----

func.func @yielded_reads(%a: memref<8xf32>) {
  %r = taskflow.task @t write_memrefs(%a : memref<8xf32>) [original_write_memrefs(%a : memref<8xf32>)] : (memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%x: memref<8xf32>):
    // expected-error @+1 {{reads #0 is no read argument of the task}}
    taskflow.yield reads(%x : memref<8xf32>)
  }
  return
}

// -----

func.func @yielded_twice(%a: memref<8xf32>) {
  %r:2 = taskflow.task @t read_memrefs(%a : memref<8xf32>) [original_read_memrefs(%a : memref<8xf32>)] : (memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
  ^bb0(%x: memref<8xf32>):
    // expected-error @+1 {{reads #1 is yielded twice}}
    taskflow.yield reads(%x, %x : memref<8xf32>, memref<8xf32>)
  }
  return
}

// -----

func.func @not_all_writes(%a: memref<8xf32>) {
  taskflow.task @t write_memrefs(%a : memref<8xf32>) [original_write_memrefs(%a : memref<8xf32>)] : (memref<8xf32>) -> () {
  ^bb0(%x: memref<8xf32>):
    // expected-error @+1 {{yields 0 writes of 1}}
    taskflow.yield
  }
  return
}

// -----

func.func @another_buffer(%a: memref<8xf32>) {
  %w = taskflow.task @t write_memrefs(%a : memref<8xf32>) [original_write_memrefs(%a : memref<8xf32>)] : (memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%x: memref<8xf32>):
    %b = memref.alloc() : memref<8xf32>
    // expected-error @+1 {{writes #0 must be write argument #0}}
    taskflow.yield writes(%b : memref<8xf32>)
  }
  return
}

// -----

func.func @result_types(%v: f32) {
  // expected-error @+1 {{result #0 is of type 'i32', but the body yields 'f32'}}
  %r = taskflow.task @t value_inputs(%v : f32) : (f32) -> (i32) {
  ^bb0(%x: f32):
    taskflow.yield values(%x : f32)
  }
  return
}

// -----

func.func @result_count(%v: f32) {
  // expected-error @+1 {{has 1 results, but its body yields 0}}
  %r = taskflow.task @t value_inputs(%v : f32) : (f32) -> (f32) {
  ^bb0(%x: f32):
  }
  return
}

// -----

func.func @input_types(%v: f32) {
  // expected-error @+1 {{input types must be those of the clauses, in their order}}
  taskflow.task @t value_inputs(%v : f32) : (i32) -> () {
  ^bb0(%x: f32):
  }
  return
}

// -----

func.func @store_through_read(%a: memref<8xf32>, %v: f32) {
  taskflow.task @t read_memrefs(%a : memref<8xf32>) value_inputs(%v : f32) [original_read_memrefs(%a : memref<8xf32>)] : (memref<8xf32>, f32) -> () {
  ^bb0(%x: memref<8xf32>, %y: f32):
    affine.for %i = 0 to 8 {
      // expected-error @+1 {{may write what its task only reads: use the write argument}}
      affine.store %y, %x[%i] : memref<8xf32>
    }
  }
  return
}

// -----

func.func @store_through_view(%a: memref<8xf32>, %v: f32) {
  taskflow.task @t read_memrefs(%a : memref<8xf32>) value_inputs(%v : f32) [original_read_memrefs(%a : memref<8xf32>)] : (memref<8xf32>, f32) -> () {
  ^bb0(%x: memref<8xf32>, %y: f32):
    %c = memref.cast %x : memref<8xf32> to memref<?xf32>
    affine.for %i = 0 to 8 {
      // expected-error @+1 {{may write what its task only reads}}
      affine.store %y, %c[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func private @f(memref<8xf32>)
func.func @call_with_read(%a: memref<8xf32>) {
  taskflow.task @t read_memrefs(%a : memref<8xf32>) [original_read_memrefs(%a : memref<8xf32>)] : (memref<8xf32>) -> () {
  ^bb0(%x: memref<8xf32>):
    // expected-error @+1 {{may write what its task only reads}}
    func.call @f(%x) : (memref<8xf32>) -> ()
  }
  return
}

// -----

func.func @isolated(%a: memref<8xf32>, %v: f32) {
  // expected-note @+1 {{required by region isolation constraints}}
  taskflow.task @t : () -> () {
    // expected-error @+1 {{using value defined outside the region}}
    affine.store %v, %a[0] : memref<8xf32>
  }
  return
}

// -----

func.func @channel_rank() {
  // expected-error @+1 {{must be of one dimension, with the identity layout}}
  %c = taskflow.channel depth 2 : memref<4x2xf32>
  return
}

// -----

func.func @channel_depth() {
  // expected-error @+1 {{is 9 elements deep, but has only 8}}
  %c = taskflow.channel depth 9 : memref<8xf32>
  return
}

// -----

func.func @channel_user(%i: index) -> f32 {
  // expected-error @+1 {{is used by an op that is neither a task nor frees it}}
  %c = taskflow.channel depth 2 : memref<8xf32>
  // expected-note @+1 {{this one}}
  %x = memref.load %c[%i] : memref<8xf32>
  return %x : f32
}

// -----

func.func @channel_stored_twice(%v: f32) {
  // expected-error @+1 {{is stored to by two tasks}}
  %c = taskflow.channel depth 2 : memref<8xf32>
  %w = taskflow.task @a write_memrefs(%c : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%c : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %x: f32):
    affine.store %x, %m[0] : memref<8xf32>
    taskflow.yield writes(%m : memref<8xf32>)
  }
  %u = taskflow.task @b write_memrefs(%w : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%c : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %x: f32):
    affine.store %x, %m[1] : memref<8xf32>
    taskflow.yield writes(%m : memref<8xf32>)
  }
  return
}

// -----

func.func @release_of_a_read(%a: memref<8xf32>) {
  taskflow.task @t read_memrefs(%a : memref<8xf32>) [original_read_memrefs(%a : memref<8xf32>)] : (memref<8xf32>) -> () {
  ^bb0(%x: memref<8xf32>):
    %n = arith.constant 1 : index
    // expected-error @+1 {{may write what its task only reads}}
    taskflow.release %x before %n : memref<8xf32>
  }
  return
}
