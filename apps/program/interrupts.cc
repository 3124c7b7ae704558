#include "apps/program/interrupts.h"

#include <atomic>
#include <cstddef>

namespace program {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
std::atomic<bool> was_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

std::atomic<bool> is_ignored[2];

// The next one, of either kind, is the system's.
void Ask(int) {
  was_asked.store(true, std::memory_order_relaxed);
  for (std::size_t i = 0; i < 2; ++i) {
    if (!is_ignored[i].load(std::memory_order_relaxed)) signal(kSignals[i], SIG_DFL);
  }
}

}  // namespace

Interrupts::Interrupts() {
  was_asked.store(false, std::memory_order_relaxed);
  struct sigaction action = {};
  action.sa_handler = Ask;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < 2; ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // One that the caller ignores, as under nohup, stays ignored.
    is_ignored[i].store(before_[i].sa_handler == SIG_IGN, std::memory_order_relaxed);
    if (!is_ignored[i].load(std::memory_order_relaxed)) sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < 2; ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

bool Interrupts::WasAsked() { return was_asked.load(std::memory_order_relaxed); }

}  // namespace program
