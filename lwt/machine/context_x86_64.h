// context.h for x86-64 (System V). Include context.h.
//
// A suspended flow's stack, from its stack pointer up: resume address, rbp, the
// caller's red zone.
#pragma once

#include "lwt/machine/flow.h"

#if defined(__x86_64__)

namespace lwt {

#if defined(__AVX512F__)
#define LWT_AVX512_REGISTERS                                                                    \
  "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",     \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", \
      "k6", "k7",
#else
#define LWT_AVX512_REGISTERS
#endif
#if defined(__APX_F__)
#define LWT_APX_REGISTERS                                                                    \
  "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", \
      "r29", "r30", "r31",
#else
#define LWT_APX_REGISTERS
#endif
// All but rsp, rbp and those that pass arguments here.
#define LWT_OTHER_REGISTERS                                                                     \
  LWT_AVX512_REGISTERS LWT_APX_REGISTERS "rbx", "rcx", "r9", "r10", "r11", "r12", "r13", "r14", \
      "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",    \
      "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)",    \
      "st(4)", "st(5)", "st(6)", "st(7)", "memory", "cc"

inline __attribute__((always_inline)) void* SwitchTo(StackPointer& save, StackPointer to,
                                                     void* value) {
  StackPointer* where = &save;
  asm volatile(
      "lea -128(%%rsp), %%rsp\n\t"
      "push %%rbp\n\t"
      "lea 1f(%%rip), %%rax\n\t"
      "push %%rax\n\t"
      "mov %%rsp, (%%rsi)\n\t"
      "mov %%rdx, %%rsp\n\t"
      "pop %%rax\n\t"
      "jmp *%%rax\n"
      "1:\n\t"
      "pop %%rbp\n\t"
      "lea 128(%%rsp), %%rsp"
      : "+D"(value), "+S"(where), "+d"(to)
      :
      : "rax", "r8", LWT_OTHER_REGISTERS);
  return value;
}

inline __attribute__((always_inline)) void* CallOnStack(StackPointer& save, void* top,
                                                        ChildFunction function, void* first,
                                                        void* second) {
  StackPointer* where = &save;
  register void* stack asm("r8") = top;
  asm volatile(
      "lea -128(%%rsp), %%rsp\n\t"
      "push %%rbp\n\t"
      "lea 1f(%%rip), %%rcx\n\t"
      "push %%rcx\n\t"
      "mov %%rsp, (%%rdx)\n\t"
      "mov %%r8, %%rsp\n\t"
      "call *%%rax\n\t"
      "mov (%%rax), %%rsp\n\t"
      "add $8, %%rsp\n\t"
      "xor %%edi, %%edi\n"
      "1:\n\t"
      "pop %%rbp\n\t"
      "lea 128(%%rsp), %%rsp"
      : "+D"(first), "+S"(second), "+d"(where), "+r"(stack), "+a"(function)
      :
      : LWT_OTHER_REGISTERS);
  return first;
}

#undef LWT_OTHER_REGISTERS
#undef LWT_AVX512_REGISTERS
#undef LWT_APX_REGISTERS

inline StackPointer PrepareFlow(void* top, FlowEntry entry, void* argument) {
  void** sp = static_cast<void**>(top);
  *--sp = reinterpret_cast<void*>(entry);
  *--sp = argument;
  *--sp = reinterpret_cast<void*>(&lwt_start_flow);
  return sp;
}

}  // namespace lwt

#endif
