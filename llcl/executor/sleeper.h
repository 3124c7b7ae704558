// How an executor's progress thread sleeps, and how many threads poll in its place. The first that
// polls keeps the device from waking it, as both would run for one answer, and maybe on one
// processor; the last that ends gives the device back.
//
// Threads: StartPolling, EndPolling and has_pollers any; the rest under the executor's lock.
// Order: the last EndPolling sees the state that threads set before their EndPolling (acq_rel).
//
// tests/sleeper_model_test.cc runs this code under every interleaving, without a bound.
#pragma once

#include <atomic>
#include <cstdint>

#include "llcl/executor/device.h"
#include "llcl/executor/sleep.h"

namespace llcl {

// kLong: longer than a spin.
enum class Wait : std::uint8_t { kShort, kLong };

// Does a caller want to learn of its command's end?
enum class CommandEnd : std::uint8_t { kIgnored, kReported };

// A resource.
template <template <typename> class AtomicT>
class BasicSleeper {
 public:
  bool has_pollers() const { return pollers_.Load(std::memory_order_relaxed) > 0; }
  // Do threads poll, or have any since the last call? A program that waits again and again leaves
  // the device unarmed in between: to arm and to disarm it are two system calls.
  bool TakePolled() {
    const bool were_any = were_pollers_.Exchange(0, std::memory_order_relaxed) != 0;
    return has_pollers() || were_any;
  }
  // True: the calling thread is to call Leave, if it gets the lock at once.
  [[nodiscard]] bool StartPolling() {
    pollers_.FetchAdd(1, std::memory_order_relaxed);
    were_pollers_.Store(1, std::memory_order_relaxed);
    return state() == Sleep::kOnDevice;
  }
  // True: the calling thread is to call GiveBack.
  [[nodiscard]] bool EndPolling(Wait wait) {
    if (pollers_.FetchAdd(-1, std::memory_order_acq_rel) > 1) return false;
    return state() == Sleep::kLeft || (wait == Wait::kLong && state() == Sleep::kLeftShortly);
  }

  Sleep state() const { return state_.Load(std::memory_order_relaxed); }
  void Set(Sleep state) { state_.Store(state, std::memory_order_relaxed); }
  // By the progress thread.
  void FallAsleep(Sleep state) {
    wakes_soon_ = state == Sleep::kLeftShortly;
    given_back_ = 0;
    Set(state);
  }

  // `disarm`: Device::Disarm.
  template <typename Disarm>
  void Leave(Disarm disarm) {
    if (state() != Sleep::kOnDevice || !disarm()) return;
    Set(wakes_soon_ ? Sleep::kLeftShortly : Sleep::kLeft);
  }
  // `try_arm`: Device::TryArm. True: the progress thread is to be woken; also where the device is
  // given back again and again: it then sleeps shortly.
  template <typename TryArm>
  [[nodiscard]] bool GiveBack(TryArm try_arm) {
    if (state() != Sleep::kLeft && state() != Sleep::kLeftShortly) return false;
    if (++given_back_ < kOften || wakes_soon_) return Arm(try_arm);
    Set(Sleep::kAwake);
    return true;
  }
  // A caller has posted a command, and the device leaves so much to a poll. True: the progress
  // thread is to be woken. Pollers see to it, or the last gives the device back; a thread that
  // wakes soon by itself reports ends early enough.
  bool MustWakeFor(Device::Left left, CommandEnd end) const {
    switch (state()) {
      case Sleep::kAwake:
      case Sleep::kLeft:
        return false;
      case Sleep::kBlind:
        return true;
      case Sleep::kLeftShortly:
        return left == Device::Left::kMore && !has_pollers();
      case Sleep::kShort:
        return left == Device::Left::kMore;
      case Sleep::kOnDevice:
        break;
    }
    return left == Device::Left::kMore ||
           (left == Device::Left::kEnds && end == CommandEnd::kReported);
  }
  // The calling thread, which may be none of the pollers, found something at the device: what it
  // left there may not make the descriptor readable any more. True: likewise.
  template <typename TryArm>
  [[nodiscard]] bool Step(TryArm try_arm) {
    return state() == Sleep::kOnDevice && Arm(try_arm);
  }

 private:
  static constexpr int kOften = 8;

  template <typename TryArm>
  bool Arm(TryArm try_arm) {
    const bool is_armed = try_arm();
    Set(is_armed ? Sleep::kOnDevice : Sleep::kAwake);
    return !is_armed;
  }

  AtomicT<int> pollers_{0}, were_pollers_{0};
  AtomicT<Sleep> state_{Sleep::kAwake};
  // Under the executor's lock.
  bool wakes_soon_ = false;  // the progress thread, by itself
  int given_back_ = 0;       // the device, since the thread fell asleep
};

}  // namespace llcl
