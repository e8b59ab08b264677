//===- few_passes.c - a tool that knows no pass but a plugin's ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     few-passes PLUGIN PIPELINE
//
// Asks, through the C API, for a pipeline in a process where MLIR's own passes are
// not registered. Prints what is said, then `built` or `refused`.
//
//===----------------------------------------------------------------------===//

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef struct plugin_info {
  uint32_t api_version;
  const char *name, *version;
  void (*register_passes)(void);
} plugin_info;

static bool register_passes(const char *plugin) {
  void *library = dlopen(plugin, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  plugin_info (*info)(void);
  *(void **)&info = dlsym(library, "mlirGetPassPluginInfo");
  info().register_passes();
  return true;
}

static void print(MlirStringRef text, void *stream) { fwrite(text.data, 1, text.length, stream); }

int main(int argc, char **argv) {
  if (argc != 3 || !register_passes(argv[1]))
    return 2;
  MlirContext context = mlirContextCreate();
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirLogicalResult result =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            mlirStringRefCreateFromCString(argv[2]), print, stdout);
  puts(mlirLogicalResultIsSuccess(result) ? "built" : "refused");
  mlirPassManagerDestroy(manager);
  mlirContextDestroy(context);
  return 0;
}
