// The threads of a pool that wait, as reports print them.
#pragma once

#include <string>

namespace lwt {

class DescriptorStore;

// A line for each thread that waits, with its name and what it waits for. A thread that is just
// being resumed may be in it. Threads: any.
std::string BlockedThreads(const DescriptorStore& threads);

// For the first 16 threads that wait: a line with the name, and a line for each of the 24 innermost
// frames, with the function's name, where there is a symbol, and the place for addr2line. Empty: no
// thread waits. Threads: any, while no thread of the pool runs and none is resumed.
std::string BlockedStacks(const DescriptorStore& threads);

}  // namespace lwt
