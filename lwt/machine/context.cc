#include "lwt/machine/context.h"

// Debuggers and unwinders find here that no function called this one.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl lwt_start_flow
    .type lwt_start_flow, @function
lwt_start_flow:
    .cfi_startproc
    .cfi_undefined rip
    pop %rsi
    pop %rax
    xor %ebp, %ebp
    call *%rax
    ud2
    .cfi_endproc
    .size lwt_start_flow, . - lwt_start_flow
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl lwt_start_flow
    .type lwt_start_flow, %function
lwt_start_flow:
    .cfi_startproc
    .cfi_undefined x30
    ldp x1, x2, [sp], #16
    mov x30, xzr
    blr x2
    brk #1
    .cfi_endproc
    .size lwt_start_flow, . - lwt_start_flow
)");
#endif
