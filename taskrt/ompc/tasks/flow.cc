#include "taskrt/ompc/tasks/flow.h"

#include "topo/atomic.h"

namespace taskrt {
namespace {

thread_local lwt::Guest* own_guest = nullptr;

// An OS thread that looks for something spins so long, which is shorter than a sleep in the kernel.
constexpr int kSpins = 200;

}  // namespace

// Not inlined: a task may go on in another OS thread.
[[gnu::noinline]] lwt::Guest* OwnGuest() {
  return lwt::Worker::Current() == nullptr ? own_guest : nullptr;
}

BecomesGuest::BecomesGuest(lwt::Guest& guest) : before_(own_guest) { own_guest = &guest; }
BecomesGuest::~BecomesGuest() { own_guest = before_; }

void GiveWay(int looks) {
  if (lwt::IsLightweightThread()) {
    if (!lwt::Yield()) std::this_thread::yield();
    return;
  }
  if (looks < kSpins) return topo::Pause();
  lwt::Guest* const guest = OwnGuest();
  if (guest == nullptr || !guest->RunOne()) std::this_thread::yield();
}

}  // namespace taskrt
