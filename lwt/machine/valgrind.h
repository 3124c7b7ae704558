// Announces stacks to Valgrind. A program pays some instructions for each stack that is made, and
// none for a switch or a spawn.
//
// Valgrind takes a jump of the stack pointer into a stack that it knows for a switch, and any other
// for frames that come or go. What lies below the stack pointer is then out of bounds for Memcheck,
// so a stack that is used again is announced as unused.
//
// Empty where the header <valgrind/valgrind.h> is missing as lwt is compiled.
#pragma once

namespace lwt {

// Is the program run by Memcheck, the tool of Valgrind's that tells used memory from unused?
bool RunsOnMemcheck();

// The addresses [lowest, end) are a stack; returns the number by which Valgrind knows it.
unsigned AnnounceStack(const void* lowest, const void* end);
// A number from AnnounceStack, of a stack that nothing runs on any more.
void ForgetStack(unsigned number);

// No flow is on the stack [lowest, end): what is written there next is no error.
void AnnounceUnused(const void* lowest, const void* end);

}  // namespace lwt
