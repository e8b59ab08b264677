// RUN: stowage-opt --prepare-model --split-input-file --allow-unregistered-dialect --verify-diagnostics %s

// expected-error @+1 {{state must be a tensor of static shape}}
ml_program.global private mutable @scalar(0 : i32) : i32

// -----

// expected-error @+1 {{state must be a tensor of static shape}}
ml_program.global private mutable @dynamic : tensor<?xf32>

// -----

// expected-error @+1 {{its value has another type}}
ml_program.global private mutable @other(dense<0> : tensor<3xi8>) : tensor<2xi8>

// -----

ml_program.global private mutable @large : tensor<4611686018427387904xi8>
// expected-error @+1 {{all state has more than 2^62 bytes}}
ml_program.global private mutable @more : tensor<1xi8>

// -----

module {
  module @inner {
    // expected-error @+1 {{state of a module inside of the module}}
    ml_program.global private mutable @s : tensor<1xi8>
  }
}

// -----

// expected-error @+1 {{'util.global' is no state that can be the caller's; make it an ml_program.global, or an argument and a result}}
"util.global"() {sym_name = "s", type = tensor<1xi8>} : () -> ()

// -----

// expected-error @+1 {{'tosa.variable' is no state that can be the caller's; run tosa-to-mlprogram before}}
tosa.variable @s = dense<1> : tensor<1xi8>
func.func @f() { return }

// -----

ml_program.global private mutable @s : tensor<1xi8>
func.func private @step(%x: tensor<1xi8>) {
  ml_program.global_store @s = %x : tensor<1xi8>
  return
}
func.func @caller(%x: tensor<1xi8>) {
  // expected-error @+1 {{'step' keeps state, which a plain func.call in a func.func of the module can pass to it}}
  %f = func.constant @step : (tensor<1xi8>) -> ()
  call_indirect %f(%x) : (tensor<1xi8>) -> ()
  return
}

// -----

ml_program.global private mutable @s : tensor<1xi8>
ml_program.subgraph @graph() -> tensor<1xi8> { // expected-error {{'ml_program.subgraph' is no state}}
  %t = ml_program.token
  %l, %done = ml_program.global_load_graph @s ordering(() -> !ml_program.token) : tensor<1xi8>
  ml_program.output %l : tensor<1xi8>
}

// -----

ml_program.global private mutable @s : tensor<1xi8>
func.func @f_state_init() { return }
// expected-error @+1 {{there is a symbol 'f_state_init' already}}
func.func @f() -> tensor<1xi8> {
  %l = ml_program.global_load @s : tensor<1xi8>
  return %l : tensor<1xi8>
}

// -----

// A constant is no state.
ml_program.global private @c(dense<1> : tensor<1xi8>) : tensor<1xi8>
func.func @f() -> tensor<1xi8> {
  %l = ml_program.global_load @c : tensor<1xi8>
  return %l : tensor<1xi8>
}
