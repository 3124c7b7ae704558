// The stacks of threads that wait, as reports print them.
//
// Threads: any, while no thread of the pool runs and none is resumed.
#pragma once

#include <string>

namespace lwt {

class DescriptorStore;

// For the first kMost threads that wait: a line with the name, and a line for each frame, innermost
// first, with the function's name, or with the file and the address in it where there is no symbol.
// Empty: no thread waits.
std::string BlockedStacks(const DescriptorStore& threads);

}  // namespace lwt
