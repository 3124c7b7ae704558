// A set of signals, in the kernel's form.
//
// Threads: as other values.
#pragma once

#include <signal.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace lwt::c {

// A value. Has room for the signals 1 to 64.
class SignalSet {
 public:
  static constexpr int kMost = 64;

  constexpr SignalSet() = default;
  static constexpr SignalSet All() { return SignalSet(~std::uint64_t{0}); }
  static constexpr SignalSet Of(int signal) {
    return SignalSet(std::uint64_t{1} << (static_cast<unsigned>(signal) - 1));
  }
  template <typename... Signals>
  static constexpr SignalSet Of(int first, Signals... others) {
    return Of(first) | Of(others...);
  }
  // glibc's sigset_t begins with the kernel's word.
  static SignalSet From(const sigset_t& set) {
    SignalSet result;
    std::memcpy(&result.bits_, &set, sizeof result.bits_);
    return result;
  }
  sigset_t ToSystem() const {
    sigset_t set;
    sigemptyset(&set);
    std::memcpy(&set, &bits_, sizeof bits_);
    return set;
  }

  constexpr bool Has(int signal) const { return !(*this & Of(signal)).empty(); }
  constexpr bool empty() const { return bits_ == 0; }
  // Precondition: not empty.
  constexpr int lowest() const { return std::countr_zero(bits_) + 1; }

  friend constexpr SignalSet operator|(SignalSet a, SignalSet b) {
    return SignalSet(a.bits_ | b.bits_);
  }
  friend constexpr SignalSet operator&(SignalSet a, SignalSet b) {
    return SignalSet(a.bits_ & b.bits_);
  }
  // The signals of `a` that are not in `b`.
  friend constexpr SignalSet operator-(SignalSet a, SignalSet b) {
    return SignalSet(a.bits_ & ~b.bits_);
  }
  friend constexpr bool operator==(SignalSet a, SignalSet b) = default;

 private:
  explicit constexpr SignalSet(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

// Signals that the kernel sends to the thread whose instruction or system call is their reason, and
// the profiler's: never blocked on a worker.
inline constexpr SignalSet kOfTheOsThread =
    SignalSet::Of(SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPIPE, SIGXFSZ, SIGPROF);
// Nobody blocks them.
inline constexpr SignalSet kNeverBlocked = SignalSet::Of(SIGKILL, SIGSTOP);
// A worker blocks all others: a handler that interrupted lwt's own code would find its locks held.
inline constexpr SignalSet kBlockedOnWorkers = SignalSet::All() - kOfTheOsThread - kNeverBlocked;

}  // namespace lwt::c
