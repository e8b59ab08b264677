//===- pass_clock.c - processor time of parsing, of passes, of printing ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     pass_clock PLUGIN FILE PIPELINE [FILE PIPELINE ...] [PRINTS]
//
// Parses a module, runs a pipeline with the passes of a plugin, and prints what that
// made to nowhere; then the next, in a context of its own. Tells the microseconds of
// processor time that each took: the pipeline with what making it takes and without
// MLIR's verifier. With PRINTS the module is printed so many times before and after
// the passes, and of each the fastest is told; else once after them, and 0 before.
//
//===----------------------------------------------------------------------===//

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/RegisterEverything.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct plugin_info {
  uint32_t api_version;
  const char *name, *version;
  void (*register_passes)(void);
} plugin_info;

static void register_passes(const char *plugin) {
  void *library = dlopen(plugin, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  plugin_info (*info)(void);
  *(void **)&info = dlsym(library, "mlirGetPassPluginInfo");
  info().register_passes();
}

static MlirContext context_of_all_dialects(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  return context;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void write_to(MlirStringRef text, void *stream) {
  fwrite(text.data, 1, text.length, stream);
}

static bool ran(MlirContext context, MlirModule module, const char *pipeline) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  mlirPassManagerEnableVerifier(manager, false);
  bool done =
      mlirLogicalResultIsSuccess(mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                                                       mlirStringRefCreateFromCString(pipeline),
                                                       write_to, stderr)) &&
      mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module)));
  mlirPassManagerDestroy(manager);
  return done;
}

// The fastest of so many prints; of none 0.
static double print(MlirModule module, int times, FILE *out) {
  double fastest = 0;
  for (int i = 0; i < times; ++i) {
    const double begun = now();
    mlirOperationPrint(mlirModuleGetOperation(module), write_to, out);
    const double taken = now() - begun;
    fastest = i == 0 || taken < fastest ? taken : fastest;
  }
  return fastest;
}

static bool timed(MlirContext context, char **file_and_pipeline, int prints, FILE *nowhere) {
  double begun = now();
  MlirModule module =
      mlirModuleCreateParseFromFile(context, mlirStringRefCreateFromCString(file_and_pipeline[0]));
  const double parse = now() - begun;
  if (mlirModuleIsNull(module))
    return false;
  const double before = print(module, prints, nowhere);
  begun = now();
  const bool done = ran(context, module, file_and_pipeline[1]);
  const double passes = now() - begun;
  const double after = print(module, prints > 0 ? prints : 1, nowhere);
  printf("%.0f %.0f %.0f %.0f\n", parse, before, passes, after);
  mlirModuleDestroy(module);
  return done;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: pass_clock PLUGIN FILE PIPELINE [FILE PIPELINE ...] [PRINTS]\n");
    return 2;
  }
  FILE *nowhere = fopen("/dev/null", "w");
  if (nowhere == NULL) {
    perror("/dev/null");
    return 1;
  }
  register_passes(argv[1]);
  const int prints = argc % 2 != 0 ? atoi(argv[argc - 1]) : 0;
  bool done = true;
  for (int at = 2; at + 1 < argc && done; at += 2) {
    MlirContext context = context_of_all_dialects();
    done = timed(context, argv + at, prints, nowhere);
    mlirContextDestroy(context);
  }
  fclose(nowhere);
  return done ? 0 : 1;
}
