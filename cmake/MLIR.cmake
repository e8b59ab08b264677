# How Stowage meets MLIR: core MLIR and LLVM come from the shared libMLIR and libLLVM that mlir-opt
# itself uses; the C API, which those do not export, from its static archives, linked by file name so
# that CMake does not drag the static core in behind them. Two copies of core MLIR in one process
# would have two sets of TypeIDs.

list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-${STOWAGE_MLIR_MAJOR})
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL STOWAGE_MLIR_MAJOR)
  message(FATAL_ERROR "Stowage needs MLIR ${STOWAGE_MLIR_MAJOR}, found ${LLVM_VERSION}; run scripts/setup.sh")
endif()

include_directories(SYSTEM ${MLIR_INCLUDE_DIRS}) # what mlir_tablegen searches
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON) # what is installed finds them where we did

add_library(stowage_mlir INTERFACE)
target_include_directories(stowage_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(stowage_mlir INTERFACE $<$<COMPILE_LANGUAGE:CXX>:NDEBUG>)
target_compile_options(stowage_mlir INTERFACE # see the file
  "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include \"${PROJECT_SOURCE_DIR}/src/bridge/type_ids.h\">")
set(capi_archives $<TARGET_FILE:MLIRCAPILinalg> $<TARGET_FILE:MLIRCAPIIR>)
if(STOWAGE_WHEEL)
  # Everything of LLVM's that is there; what nothing calls stays out. Debian has these archives as MLIR and LLVM
  # build them, a section per function.
  file(GLOB llvm_archives ${LLVM_LIBRARY_DIRS}/libMLIR*.a ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
  list(FILTER llvm_archives EXCLUDE REGEX "Test|libMLIR(Tblgen|TableGen)|libLLVMTableGen")
  target_link_libraries(stowage_mlir INTERFACE ${llvm_archives} libz.a libzstd.a m dl rt pthread)
else()
  target_link_libraries(stowage_mlir INTERFACE ${capi_archives} MLIR LLVM)
endif()
target_link_options(stowage_mlir INTERFACE # none of it shows in what we link
  LINKER:--exclude-libs,libMLIRCAPIIR.a:libMLIRCAPILinalg.a)
