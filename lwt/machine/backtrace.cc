#include "lwt/machine/backtrace.h"

#include <unwind.h>

#include <cstdint>

// lwt_call_from(sp, function, argument) calls function(argument), and its unwind information says
// that the suspended flow `sp` called it: the frame that `sp` points to (context_x86_64.h,
// context_aarch64.h) is the caller's.
//   CFA = the flow's stack pointer as it is once it is resumed; the expression is "the word at the
//   stack pointer (and 8), plus 144 (16)".
#if defined(__x86_64__)
asm(R"(
    .text
    .type lwt_call_from, @function
lwt_call_from:
    .cfi_startproc
    push %rdi
    .cfi_escape 0x0f, 6, 0x77, 0, 0x06, 0x23, 0x90, 0x01
    .cfi_offset rip, -144
    .cfi_offset rbp, -136
    mov %rsi, %rax
    mov %rdx, %rdi
    call *%rax
    pop %rdi
    .cfi_def_cfa rsp, 8
    .cfi_restore rip
    .cfi_restore rbp
    ret
    .cfi_endproc
    .size lwt_call_from, . - lwt_call_from
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .type lwt_call_from, %function
lwt_call_from:
    .cfi_startproc
    stp x30, x0, [sp, #-16]!
    .cfi_escape 0x0f, 5, 0x8f, 8, 0x06, 0x23, 16
    .cfi_offset x30, -8
    .cfi_offset x29, -16
    mov x0, x2
    blr x1
    ldp x30, x0, [sp], #16
    .cfi_def_cfa sp, 0
    .cfi_restore x30
    .cfi_restore x29
    ret
    .cfi_endproc
    .size lwt_call_from, . - lwt_call_from
)");
#endif

extern "C" void lwt_call_from(lwt::StackPointer sp, void (*function)(void*), void* argument);

namespace lwt {
namespace {

struct Walk {
  std::uintptr_t begin, end;  // of the flow's frames
  std::span<const void*> frames;
  std::size_t count = 0;
  bool is_in_flow = false;  // the frames of the walk itself come first
};

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  if (!walk.is_in_flow) {
    walk.is_in_flow =
        _Unwind_GetRegionStart(context) == reinterpret_cast<std::uintptr_t>(&lwt_call_from);
    return _URC_NO_REASON;
  }
  // The stack pointer within the frame.
  const std::uintptr_t sp = _Unwind_GetCFA(context);
  if (sp < walk.begin || sp >= walk.end || walk.count == walk.frames.size()) {
    return _URC_END_OF_STACK;
  }
  walk.frames[walk.count++] = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

}  // namespace

std::size_t Backtrace(StackPointer sp, const void* end, std::span<const void*> frames) {
  Walk walk{reinterpret_cast<std::uintptr_t>(sp), reinterpret_cast<std::uintptr_t>(end), frames};
  lwt_call_from(
      sp, [](void* argument) { _Unwind_Backtrace(&AddFrame, argument); }, &walk);
  return walk.count;
}

}  // namespace lwt
