// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a network on three inputs, and prints a digest of each output and of what the arena holds
// afterwards. What it held before must not matter: each input is run twice, over other bytes. With
// OWN_ARENA the network has an arena that nobody else can see.

#include "console.h"
#include "inputs.h"
#include "network.h" // written with the network

#ifndef OWN_ARENA
// All memory that the network works in.
static _Alignas(FORWARD_ARENA_ALIGNMENT) uint8_t arena[FORWARD_ARENA_BYTES];
#endif
static int8_t input[INPUT_BYTES], output[OUTPUT_BYTES];

static unsigned elapsed; // ticks of the last call

static uint64_t run(uint32_t seed, uint8_t filler) {
  fill_input(input, sizeof input, seed);
#ifdef OWN_ARENA
  (void)filler;
  const unsigned begin = ticks();
  forward(input, output);
#else
  for (uint32_t i = 0; i < sizeof arena; ++i)
    arena[i] = filler;
  const unsigned begin = ticks();
  forward(input, output, arena);
#endif
  elapsed = (ticks() - begin) & 0xFFFFFF;
  return digest(output, sizeof output);
}

int main(void) {
  for (uint32_t seed = SEED; seed < SEED + 3; ++seed) {
    const uint64_t first = run(seed, 0x5A);
    print_hex("output ", first);
#ifndef OWN_ARENA
    print_hex("arena ", digest(arena, sizeof arena));
#endif
    if (run(seed, 0xA5) != first) {
      print_text("bytes that the arena held before change the output\n");
      return 1;
    }
  }
  print_number("# ticks ", elapsed);
  return 0;
}
