// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What runs before main on a Cortex-M with an FPU: the vector table, memory as C wants it, and the
// stack painted so that the most it ever held can be read off afterwards.

#include "../console.h"

#include <stdint.h>

int main(void);
void reset(void);

// From board.ld.
extern uint32_t stack_begin[], stack_end[];
extern uint32_t data_begin[], data_end[], data_image[];
extern uint32_t bss_begin[], bss_end[];

static const uint32_t paint = 0x57ACC57A;

// Painted below this function's own frame; what lies above it is in use already.
static void paint_stack(void) {
  volatile uint32_t *here = __builtin_frame_address(0);
  for (volatile uint32_t *word = stack_begin; word < here - 16; ++word)
    *word = paint;
}

static unsigned stack_used(void) {
  const uint32_t *word = stack_begin;
  while (word < stack_end && *word == paint)
    ++word;
  return (unsigned)((uintptr_t)stack_end - (uintptr_t)word);
}

// Access to the coprocessors 10 and 11, which are the FPU, for all code (CPACR).
static void enable_fpu(void) {
  *(volatile uint32_t *)0xE000ED88 |= 0xFU << 20;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
}

// The core's own timer, which counts down: control, value to begin with, present value.
static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010;

static void start_clock(void) {
  systick[1] = 0xFFFFFF;
  systick[2] = 0;
  systick[0] = 1 << 2 | 1; // the processor's clock, no interrupt, enabled
}

unsigned ticks(void) { return 0xFFFFFF - systick[2]; }

static void prepare_memory(void) {
  const uint32_t *from = data_image;
  for (volatile uint32_t *to = data_begin; to < data_end; ++to)
    *to = *from++;
  for (volatile uint32_t *to = bss_begin; to < bss_end; ++to)
    *to = 0;
}

void reset(void) {
  enable_fpu();
  paint_stack();
  prepare_memory();
  start_clock();
  int status = main();
  print_number("# stack ", stack_used());
  finish(status);
}

static void fault(void) {
  print_text("fault\n");
  finish(1);
}

// The first word is the stack pointer, the second where to begin; then come the exceptions of the
// core.
__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_end,
    (const void *)reset,
    (const void *)fault,
    (const void *)fault,
    (const void *)fault,
    (const void *)fault,
    (const void *)fault,
    0,
    0,
    0,
    0,
    (const void *)fault,
    (const void *)fault,
    0,
    (const void *)fault,
    (const void *)fault,
};
