#include "llcl/ofi/signals.h"

#include <dlfcn.h>

#include <string_view>

namespace llcl {
namespace {

bool IsOfLibfabrics(const struct sigaction& action) {
  const bool tells_more = (action.sa_flags & SA_SIGINFO) != 0;
  void* const handler = tells_more ? reinterpret_cast<void*>(action.sa_sigaction)
                                   : reinterpret_cast<void*>(action.sa_handler);
  Dl_info found = {};
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN ||
      dladdr(handler, &found) == 0 || found.dli_fname == nullptr) {
    return false;
  }
  const std::string_view path = found.dli_fname;
  const std::string_view name = path.substr(path.rfind('/') + 1);  // All of it where there is none.
  for (const std::string_view one : {"libinfinipath.so", "libpsm_infinipath.so", "libpsm2.so"}) {
    if (name.starts_with(one)) return true;
  }
  return false;
}

// Shared libraries have begun when the program's own objects do.
[[maybe_unused]] const int given_back = GiveBackSignals();

}  // namespace

int GiveBackSignals() {
  int count = 0;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) != 0 || !IsOfLibfabrics(action)) continue;
    struct sigaction systems = {};
    systems.sa_handler = SIG_DFL;
    sigaction(signal, &systems, nullptr);
    ++count;
  }
  return count;
}

KeptSignals::KeptSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &before_[i]);
}

KeptSignals::~KeptSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

}  // namespace llcl
