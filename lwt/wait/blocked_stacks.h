// The stacks of threads that wait, as reports print them.
//
// Threads: any, while no thread of the pool runs and none is resumed.
#pragma once

#include <string>

namespace lwt {

class DescriptorStore;

// For the first 16 threads that wait: a line with the name, and a line for each of the 24 innermost
// frames, with the function's name, where there is a symbol, and the place for addr2line. Empty: no
// thread waits.
std::string BlockedStacks(const DescriptorStore& threads);

}  // namespace lwt
