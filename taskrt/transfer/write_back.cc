#include "taskrt/transfer/write_back.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "lwt/mutex.h"
#include "lwt/spawn.h"

namespace taskrt {

absl::Status WriteBackAll(Mover& mover, std::span<BlockRecord* const> blocks, std::size_t devices) {
  constexpr std::size_t kAtOnce = 4;  // of a device
  std::atomic<std::size_t> next{0};
  absl::Status status;
  lwt::Mutex mutex;
  const auto bring = [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1)) < blocks.size();) {
      const absl::Status written = mover.WriteBack(*blocks[i]);
      if (written.ok()) continue;
      const std::lock_guard lock(mutex);
      status.Update(written);
    }
  };
  std::vector<lwt::Thread> threads;
  for (std::size_t i = 0; i < std::min(blocks.size(), kAtOnce * devices); ++i) {
    threads.push_back(lwt::Spawn(bring));
  }
  for (lwt::Thread& thread : threads) thread.Join();
  return status;
}

}  // namespace taskrt
