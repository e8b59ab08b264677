//===- other_llvm.c - a tool of another LLVM, which loads a plugin --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     other-llvm PLUGIN MAJOR
//
// Says that it is of LLVM MAJOR.1.7, and prints the version of the entry points that
// the plugin gives then. A loader takes version 1 alone.
//
//===----------------------------------------------------------------------===//

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct plugin_info {
  uint32_t api_version;
  const char *name, *version;
  void (*register_all)(void);
} plugin_info;

static unsigned tools_major;

__attribute__((visibility("default"))) void LLVMGetVersion(unsigned *major, unsigned *minor,
                                                           unsigned *patch);

void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch) {
  *major = tools_major;
  *minor = 1;
  *patch = 7;
}

static void ask(void *library, const char *entry_point) {
  plugin_info (*info)(void);
  *(void **)&info = dlsym(library, entry_point);
  printf("%s: version %u\n", entry_point, (unsigned)info().api_version);
}

int main(int argc, char **argv) {
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "other-llvm PLUGIN MAJOR");
    return 2;
  }
  tools_major = (unsigned)strtoul(argv[2], NULL, 10);
  ask(library, "mlirGetPassPluginInfo");
  ask(library, "mlirGetDialectPluginInfo");
  return 0;
}
