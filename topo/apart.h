// Calls a function in a process of its own. A library may abort at a broken file: then only the
// process apart ends.
//
// Threads: any. In the process apart f is the only thread; it must not wait for others.
#pragma once

#include <chrono>
#include <functional>

#include "absl/status/status.h"

namespace topo {

// Returns f's status from the process apart, which writes nothing to the standard error. Aborted: f
// ended the process. DeadlineExceeded: f took longer than `most`, and this process ended the other.
// OK, and f was not called, where the system makes no process.
absl::Status CallApart(const std::function<absl::Status()>& f, std::chrono::milliseconds most);

}  // namespace topo
