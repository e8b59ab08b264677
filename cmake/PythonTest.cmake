# add_python_test(NAME ARGUMENT...): a test that is a script of this tree, as a file or as -m MODULE. It finds
# the tree's packages (testing, fuzz, bench), this build and LLVM's tools; see testing/places.py.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(add_python_test name)
  add_test(NAME ${name} COMMAND "${Python3_EXECUTABLE}" ${ARGN})
  set(environment "PYTHONPATH=${PROJECT_SOURCE_DIR}" "STOWAGE_BUILD=${CMAKE_BINARY_DIR}" PYTHONDONTWRITEBYTECODE=1)
  if(STOWAGE_MLIR)
    list(APPEND environment "LLVM_BINDIR=${LLVM_TOOLS_BINARY_DIR}")
  endif()
  if(STOWAGE_SANITIZE)
    list(APPEND environment STOWAGE_SANITIZED=1)
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" SKIP_RETURN_CODE 77)
endfunction()
