// context.h for AArch64. Include context.h.
//
// A suspended flow's stack, from its stack pointer up: x29, resume address. On
// Linux x18 is a register as any other.
#pragma once

#include "lwt/machine/flow.h"

#if defined(__aarch64__)

namespace lwt {

#if defined(__ARM_FEATURE_SVE)
#define LWT_SVE_REGISTERS                                                                        \
  "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", \
      "p15", "ffr",
#else
#define LWT_SVE_REGISTERS
#endif
// All but sp, x29 and those that pass arguments here.
#define LWT_OTHER_REGISTERS                                                                        \
  LWT_SVE_REGISTERS "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", \
      "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30",   \
      "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",      \
      "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",   \
      "v27", "v28", "v29", "v30", "v31", "memory", "cc"

inline __attribute__((always_inline)) void* SwitchTo(StackPointer& save, StackPointer to,
                                                     void* value) {
  register void* passed asm("x0") = value;
  register StackPointer* where asm("x1") = &save;
  register StackPointer target asm("x2") = to;
  asm volatile(
      "adr x9, 1f\n\t"
      "stp x29, x9, [sp, #-16]!\n\t"
      "mov x9, sp\n\t"
      "str x9, [x1]\n\t"
      "mov sp, x2\n\t"
      "ldp x29, x9, [sp], #16\n\t"
      "br x9\n"
      "1:"
      : "+r"(passed), "+r"(where), "+r"(target)
      :
      : "x3", "x4", LWT_OTHER_REGISTERS);
  return passed;
}

inline __attribute__((always_inline)) void* CallOnStack(StackPointer& save, void* top,
                                                        ChildFunction function, void* first,
                                                        void* second) {
  register void* one asm("x0") = first;
  register void* two asm("x1") = second;
  register StackPointer* where asm("x2") = &save;
  register void* stack asm("x3") = top;
  register ChildFunction child asm("x4") = function;
  asm volatile(
      "adr x9, 1f\n\t"
      "stp x29, x9, [sp, #-16]!\n\t"
      "mov x9, sp\n\t"
      "str x9, [x2]\n\t"
      "mov sp, x3\n\t"
      "blr x4\n\t"
      "ldr x9, [x0]\n\t"
      "mov sp, x9\n\t"
      "ldr x29, [sp], #16\n\t"
      "mov x0, xzr\n"
      "1:"
      : "+r"(one), "+r"(two), "+r"(where), "+r"(stack), "+r"(child)
      :
      : LWT_OTHER_REGISTERS);
  return one;
}

#undef LWT_OTHER_REGISTERS
#undef LWT_SVE_REGISTERS

inline StackPointer PrepareFlow(void* top, FlowEntry entry, void* argument) {
  void** sp = static_cast<void**>(top);
  *--sp = reinterpret_cast<void*>(entry);
  *--sp = argument;
  *--sp = reinterpret_cast<void*>(&lwt_start_flow);
  *--sp = nullptr;  // x29: frames end here
  return sp;
}

}  // namespace lwt

#endif
