// A function that may end its process, in one of its own: libraries that read files abort, or
// worse, at some that are broken.
//
// Threads: any. In the process apart f is the only thread; it must not wait for others.
#pragma once

#include <chrono>
#include <functional>

#include "absl/status/status.h"

namespace topo {

// What f returns there, where nothing that it writes to the standard error is seen. Aborted: it
// ended the process. DeadlineExceeded: it took longer than `most`, and was ended. OK without f
// where the system makes no process.
absl::Status CallApart(const std::function<absl::Status()>& f, std::chrono::milliseconds most);

}  // namespace topo
