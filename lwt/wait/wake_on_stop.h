// Wakes a waiter in a list when a std::stop_token's stop is requested.
//
//   const auto waking = WakeOnStop(stop, self, [&] { return list.Remove(self); });
//   self.Wait("my queue");
//
// Threads: made and destroyed by the waiter's own thread, which holds none of the locks that
//   `give_up` takes. `give_up` is called by the thread that requests the stop, perhaps an OS thread
//   outside of pools, or by the waiter's own, where stop was requested before.
// Order: what came before the request happens before what follows Wait, where that ends the wait.
//   Once the waiter is woken, `give_up` and the waiter are not touched. The standard library knows
//   who requests by the OS thread: that is right as long as no callback suspends its lightweight
//   thread, and this one does not.
// Progress: the end of the result's life waits, on the OS thread, for a `give_up` that another
//   thread is in, and for the waking that follows it.
//
// tests/stop_model_test.cc runs the waits that are built on this under every interleaving of up to
// 3 preemptions (larger programs of fewer, down to 2; one program has no bound).
#pragma once

#include <stop_token>
#include <utility>

namespace lwt {

// From here on until the end of the result's life: when stop is requested, or now if it was before,
// `give_up()` takes `self` out of its list, and `self` is woken; or `give_up()` returns false,
// because another thread has taken it out and wakes it. `give_up` does not throw.
template <typename Waiter, typename GiveUp>
[[nodiscard]] auto WakeOnStop(const std::stop_token& stop, Waiter& self, GiveUp give_up) {
  auto wake = [&self, give_up] {
    if (give_up()) self.Wake();
  };
  return std::stop_callback<decltype(wake)>(stop, std::move(wake));
}

}  // namespace lwt
