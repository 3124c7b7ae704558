// Switching stacks.
//
// A suspended flow of control is one word, its stack pointer: what it needs to
// go on lies on its stack. Registers that a call must preserve are named as
// clobbered, so that the compiler saves those that it uses and no others. The
// floating-point control state (rounding, exceptions) is not switched: it costs
// 2 ns and is the same for all threads of nearly every program.
//
// Processors predict returns by a stack of their own. A switch between two flows
// therefore ends in a jump (1.7 ns; a return would be mispredicted, 8.5 ns), and
// a child that CallOnStack started goes back to its caller, if that was not
// stolen, by a real return.
//
// The processor's part is in context_x86_64.h or context_aarch64.h:
//
//   void* SwitchTo(StackPointer& save, StackPointer to, void* value)
//     Suspends the caller into `save` and resumes `to`, which gets `value`.
//     Returns when the caller is resumed, with the value passed then.
//
//   void* CallOnStack(StackPointer& save, void* top, ChildFunction function,
//                     void* first, void* second)
//     Suspends the caller into `save` and calls function(first, second) on the
//     stack that ends at `top` (16-aligned). If the function returns, it returns
//     the place of a StackPointer that this function saved (the caller's own, as
//     a rule), and that flow goes on and gets nullptr. Else CallOnStack returns
//     when the caller is resumed, as SwitchTo does.
//
//   StackPointer PrepareFlow(void* top, FlowEntry entry, void* argument)
//     Lays out the stack that ends at `top` (16-aligned) so that resuming the
//     result runs entry(value, argument) there. `entry` must not return.
//
// Threads: a flow runs on one OS thread at a time; its resumption must be ordered
// after its suspension. Needs nothing but the compiler, so that it can be tested
// alone on a foreign processor.
#pragma once

#if defined(__x86_64__)
#include "lwt/machine/context_x86_64.h"  // IWYU pragma: export
#elif defined(__aarch64__)
#include "lwt/machine/context_aarch64.h"  // IWYU pragma: export
#else
#error "lwt can switch stacks on x86-64 and AArch64 only"
#endif
