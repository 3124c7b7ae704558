// What lwt prints of threads that wait for each other for ever.
#pragma once

#include <string_view>

namespace lwt {

// Every thread waits, and no thread is left to wake one: ends the program. `report`: a line for
// each; `stacks`: of BlockedStacks.
[[noreturn]] void DieOfDeadlock(std::string_view report, std::string_view stacks);

// These do, whatever the others do: ends the program. `report`: a line for each, with its name.
[[noreturn]] void DieOfCycle(std::string_view report);

// As DieOfDeadlock, unless a thread outside of the pool wakes one: a warning.
void WarnOfStall(std::string_view report, std::string_view stacks);

// No thread makes progress, since threads hold workers while they wait in the kernel: a warning.
// `workers`: a line for each such worker; `threads`: a line for each thread that is suspended.
void WarnOfHeldWorkers(std::string_view workers, std::string_view threads);

}  // namespace lwt
