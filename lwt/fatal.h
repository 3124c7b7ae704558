// What lwt says before it ends a program, or where one seems to have ended without
// knowing it: the one place where it prints.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

namespace lwt {

// A scheduling policy dropped a thread that had begun to run.
[[noreturn]] void DieOfLostThread(std::string_view name, std::uint32_t depth);

// Every thread waits for another. `report`: a line for each.
[[noreturn]] void DieOfDeadlock(std::string_view report);

// These do, whatever the others do. `report`: a line for each, with its name.
[[noreturn]] void DieOfCycle(std::string_view report);

// As DieOfDeadlock, unless somebody outside of the pool comes: a warning.
void WarnOfStall(std::string_view report);

// A caller did not keep to what it must (contract.h), in that line.
[[noreturn]] void DieOfBrokenContract(std::string_view contract, std::string_view file, int line);

// `error` came from where nobody can take it. `thrower`: a clause, "the policy of
// worker 3"; `rule`: a sentence, why nobody can.
[[noreturn]] void DieOfException(const std::exception_ptr& error, std::string_view thrower,
                                 std::string_view rule);
// The same of a thread that was detached.
[[noreturn]] void DieOfDetachedException(const std::exception_ptr& error, std::string_view name,
                                         std::uint32_t depth);

// While one lives on a worker's OS thread, a fault in the guard of a stack is told
// as the overflow that it is, with the name and depth of the thread; then
// the program ends as by any fault. Other faults go to whoever was there before
// (the first such object of a process puts a SIGSEGV and SIGBUS handler in
// front of it). Has a signal stack of its own.
class OverflowWatch {
 public:
  OverflowWatch();
  ~OverflowWatch();
  OverflowWatch(const OverflowWatch&) = delete;
  OverflowWatch& operator=(const OverflowWatch&) = delete;

 private:
  void* stack_ = nullptr;
  std::size_t bytes_ = 0;
  stack_t before_ = {};
};

}  // namespace lwt
