#include "llcl/smp/mapper.h"

#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "llcl/smp/door.h"

namespace llcl {
namespace {

// One rank's silence holds up the memory of the others so long, each time.
constexpr std::chrono::milliseconds kPatience{100};
constexpr std::chrono::milliseconds kPause{5};  // after a failure

}  // namespace

SmpMapper::~SmpMapper() {
  {
    const topo::Lock lock(mutex_);
    is_closing_ = true;
  }
  news_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void SmpMapper::Ask(Rank rank, const std::string& address, std::uint64_t number) {
  {
    const topo::Lock lock(mutex_);
    asked_.push_back({rank, address, number});
  }
  if (!thread_.joinable()) Start();
  news_.NotifyAll();
}

// Without a thread each question is answered at once: there is no room for the memory.
void SmpMapper::Start() {
  try {
    thread_ = std::thread([this] { Serve(); });
  } catch (const std::system_error& error) {
    const topo::Lock lock(mutex_);
    for (const Question& question : asked_) {
      Report({question.rank, question.number,
              absl::ResourceExhaustedError(std::string("no thread: ") + error.what())});
    }
    asked_.clear();
  }
}

void SmpMapper::Report(Found found) {
  found_.push_back(std::move(found));
  found_count_.fetch_add(1, std::memory_order_release);
  const std::uint64_t one = 1;
  (void)!write(doorbell_, &one, sizeof one);
}

std::optional<SmpMapper::Found> SmpMapper::TryTake() {
  if (found_count_.load(std::memory_order_acquire) == 0) return std::nullopt;
  const topo::Lock lock(mutex_);
  std::optional<Found> found(std::move(found_.front()));
  found_.pop_front();
  found_count_.fetch_sub(1, std::memory_order_relaxed);
  return found;
}

void SmpMapper::Serve() {
  topo::UniqueLock lock(mutex_);
  while (true) {
    while (!is_closing_ && asked_.empty()) news_.Wait(mutex_);
    if (is_closing_) return;
    const Question question = std::move(asked_.front());
    asked_.pop_front();
    lock.Unlock();
    Found found = {question.rank, question.number, Map(question)};
    const bool failed = !found.memory.ok() && !absl::IsNotFound(found.memory.status());
    lock.Lock();
    // Not the next question either, as the one that failed may be asked again at once.
    const auto until = std::chrono::steady_clock::now() + kPause;
    while (failed && !is_closing_ && std::chrono::steady_clock::now() < until) {
      news_.WaitFor(mutex_, kPause);
    }
    Report(std::move(found));
  }
}

absl::StatusOr<Mapped> SmpMapper::Map(const Question& question) {
  const absl::StatusOr<OwnedFd> fd = Fetch(question.address, secret_, question.number, kPatience);
  if (!fd.ok()) return fd.status();
  const absl::StatusOr<std::uint64_t> bytes = SizeOf(fd->get());
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Mapped> memory = Mapped::Of(fd->get(), *bytes);
  // Its owner's core has it.
  if (memory.ok()) memory->KeepOutOfCores();
  return memory;
}

}  // namespace llcl
