// A rank for handlers_misuse_test.sh: TASK [ENGINE]. The program's messages do what the task says.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dsm/dsm.h"
#include "dsm/tests/engine_named.h"
#include "llcl/llcl.h"

namespace {

// The misuse that a handler tries, when the program has set it.
std::function<void()> work;
std::atomic<bool> is_set{false};
void OnMessage(llcl::Message&) {
  if (is_set.load(std::memory_order_acquire)) work();
}

llcl::Posted SendTo(dsm::Space& space, int rank) {
  llcl::Endpoint& endpoint = space.endpoint();
  return endpoint.KeepTrying([&] {
    return endpoint.TrySend({.to = llcl::Rank{rank}, .handler = dsm::Space::HandlerOf(0)});
  });
}

// The last rank is killed when the two others have come: their messages, collective operations and
// barriers say so.
int Lose(dsm::Space& space) {
  const int last = space.ranks() - 1;
  static std::atomic<int> messages{0};
  work = [] { messages.fetch_add(1); };
  is_set.store(true, std::memory_order_release);
  if (!space.Barrier(dsm::Consistency::kKeep).ok()) return 3;
  if (space.rank() == last) {
    while (messages < last) usleep(100);
    raise(SIGKILL);
  }
  if (SendTo(space, last) != llcl::Posted::kPosted) return 3;
  llcl::Flag met;
  const llcl::Posted posted = space.endpoint().world().TryBarrier(met.completion());
  const bool ends =
      posted == llcl::Posted::kPeerDown ||
      (posted == llcl::Posted::kPosted && space.endpoint().Wait(met) == llcl::Outcome::kPeerDown);
  while (!space.IsGone(last)) usleep(100);
  const bool is_refused = SendTo(space, last) == llcl::Posted::kPeerDown;
  const int other = 1 - space.rank();
  const bool others_hear = SendTo(space, other) == llcl::Posted::kPosted;
  // A rank that ends has perhaps not sent its message yet.
  while (messages == 0 && !space.IsGone(other)) usleep(100);
  const absl::Status status = space.Barrier(dsm::Consistency::kFlush);
  std::fprintf(stderr, "rank %d: %s, %s, %s, %s\n", space.rank(),
               ends ? "the collective operation ends" : "the collective operation does not end",
               is_refused ? "the lost gets no message" : "the lost gets a message",
               others_hear ? "the other does" : "the other does not",
               std::string(status.message()).c_str());
  _exit(4);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 3;
  const std::string task = argv[1];
  dsm::SpaceOptions options;
  if (argc > 2) options.engine = dsm::EngineNamed(argv[2]);
  const char* const rank = std::getenv("PMI_RANK");
  const bool is_first = rank == nullptr || std::string(rank) == "0";
  options.handlers.assign(task == "counts" && is_first ? 2 : 3, OnMessage);
  if (task == "none" && is_first) options.handlers.clear();
  if (task == "empty") options.handlers[1] = nullptr;
  auto joined = dsm::Space::Join(options);
  if (!joined.ok()) {
    std::fprintf(stderr, "%s\n", std::string(joined.status().message()).c_str());
    return 2;
  }
  dsm::Space& space = **joined;
  if (task == "lost") return Lose(space);
  // The next rank's, and memory that no rank has touched.
  const int ranks = space.ranks(), next = (space.rank() + 1) % ranks;
  constexpr std::size_t kEach = 1 << 20;
  const auto memory =
      space.Allocate({{kEach * static_cast<std::size_t>(ranks)}, 1}, dsm::Block{.count = ranks});
  const auto untouched = space.Allocate({{1 << 20}, 1}, dsm::FirstTouch{});
  auto mutex = dsm::Mutex::Make(space, 0);
  if (!memory.ok() || !untouched.ok() || !mutex.ok()) return 3;
  volatile std::byte* const home = memory->data() + static_cast<std::size_t>(space.rank()) * kEach;
  volatile std::byte* const absent = memory->data() + static_cast<std::size_t>(next) * kEach;
  auto* const word = reinterpret_cast<std::uint64_t*>(memory->data());
  const std::vector<std::pair<std::string, std::function<void()>>> works = {
      {"read", [&] { (void)*absent; }},
      {"write", [&] { *absent = std::byte{1}; }},
      {"first-touch", [&] { (void)*static_cast<volatile std::byte*>(untouched->data()); }},
      {"barrier", [&] { (void)space.Barrier(dsm::Consistency::kKeep); }},
      {"atomic", [&] { (void)space.Atomic<std::uint64_t>(word, llcl::AtomicOp::kAdd, 1); }},
      {"lock", [&] { (void)mutex->Lock(); }},
      {"preload", [&] { (void)space.Preload(*memory); }},
      {"late", [&] { *home = std::byte{1}; }}};
  for (const auto& [name, its_work] : works) {
    if (name == task) work = its_work;
  }
  if (!work) return task == "none" || task == "counts" ? 0 : 3;
  is_set.store(true, std::memory_order_release);
  if (!space.Barrier(dsm::Consistency::kKeep).ok()) return 3;
  if (task == "late") {
    // The spaces end while messages are on their way.
    for (int i = 0; i < 50; ++i) (void)SendTo(space, next);
    joined->reset();
    std::printf("rank has ended\n");
    return 0;
  }
  (void)SendTo(space, next);
  for (int i = 0; i < 100'000; ++i) usleep(100);
  return 3;
}
