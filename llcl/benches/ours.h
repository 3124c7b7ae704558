// Our contestants: an endpoint on a conduit, and operations on the memory of one other rank.
#pragma once

#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "llcl/benches/problems.h"
#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"

namespace vicinity {

[[noreturn]] inline void Fail(const absl::Status& status) {
  std::fprintf(stderr, "llcl_bench: %s\n", status.ToString().c_str());
  std::_Exit(1);
}

// Of messages: those of Ours::Ask, and what is answered.
inline constexpr llcl::HandlerId kQuestion{0}, kAnswer{1};

// An endpoint, and memory on another rank for it.
struct Network {
  llcl::Rank peer{};
  llcl::Counter answered;
  std::uint64_t asked = 0;
  std::unique_ptr<llcl::Endpoint> endpoint;
  llcl::Region target;
  llcl::RemoteRegion there;
  alignas(4096) std::byte memory[kMemoryBytes] = {};
  llcl::Region local;
};

// As the other contestants do, it describes what stays the same once, and counts only operations
// that have not ended when their request returns.
class Ours {
 public:
  Ours(Network& network, int thread) : Ours(network, thread, llcl::Notify::kUnlessDone) {}
  ~Ours() { WaitForAll(); }

  void Post(Op op, std::int64_t bytes) {
    llcl::Posted posted;
    while ((posted = TryPost(op, static_cast<std::uint64_t>(bytes))) != llcl::Posted::kDone) {
      if (posted == llcl::Posted::kPosted) {
        ++posted_;
        return;
      }
      if (!endpoint_.TryAdvance()) sched_yield();
    }
  }
  void WaitForAll() { endpoint_.Wait(ended_, posted_); }
  void Ask() {
    while (endpoint_.TrySend({.to = network_.peer, .handler = kQuestion}) !=
           llcl::Posted::kPosted) {
      if (!endpoint_.TryAdvance()) sched_yield();
    }
    endpoint_.Wait(network_.answered, ++network_.asked);
  }

 protected:
  Ours(Network& network, int thread, llcl::Notify notify)
      : network_(network), endpoint_(*network.endpoint) {
    const auto at = static_cast<std::uint64_t>(thread * kMostBytes);
    const llcl::RemoteAddress there{network.there, at};
    const llcl::LocalAddress here{network.local.local(), at};
    const llcl::Completion then = ended_.completion();
    read_ = {.from = there, .to = here, .then = then, .notify = notify};
    write_ = {.from = here, .to = there, .then = then, .notify = notify};
    add_ = {.target = there, .operand = 1, .fetch_to = here, .then = then, .notify = notify};
  }

 private:
  llcl::Posted TryPost(Op op, std::uint64_t bytes) {
    switch (op) {
      case Op::kRead:
        read_.bytes = bytes;
        return endpoint_.TryRead(read_);
      case Op::kWrite:
        write_.bytes = bytes;
        return endpoint_.TryWrite(write_);
      case Op::kAdd:
        break;
    }
    return endpoint_.TryAtomic(add_);
  }

  Network& network_;
  llcl::Endpoint& endpoint_;
  llcl::ReadParams read_;
  llcl::WriteParams write_;
  llcl::AtomicParams<std::uint64_t> add_;
  llcl::Counter ended_;
  std::uint64_t posted_ = 0;
};

// Each operation calls its completion, also one that is done at once.
class OursCounted : public Ours {
 public:
  OursCounted(Network& network, int thread) : Ours(network, thread, llcl::Notify::kAlways) {}
};

// All ranks call it; the first rank of the job uses the memory of `peer`.
inline std::unique_ptr<Network> Open(llcl::Launch& launch,
                                     absl::StatusOr<std::unique_ptr<llcl::Conduit>> conduit,
                                     llcl::Mode mode, bool packs, llcl::Rank peer) {
  if (!conduit.ok()) Fail(conduit.status());
  auto network = std::make_unique<Network>();
  network->peer = peer;
  llcl::EndpointOptions options;
  options.executor.mode = mode;
  options.packs = packs;
  options.handlers = {[](llcl::Message& question) { (void)question.Reply(kAnswer, {}); },
                      [answered = network->answered.completion()](llcl::Message&) {
                        answered.Complete(llcl::Outcome::kDone);
                      }};
  network->endpoint = std::make_unique<llcl::Endpoint>(*std::move(conduit), options);
  auto target = network->endpoint->Allocate(kMemoryBytes);
  auto local = network->endpoint->Register(std::span<std::byte>(network->memory));
  if (!target.ok()) Fail(target.status());
  if (!local.ok()) Fail(local.status());
  network->target = *std::move(target);
  network->local = *std::move(local);
  const llcl::RemoteRegion& mine = network->target.remote();
  const auto all = launch.Allgather({reinterpret_cast<const char*>(&mine), sizeof mine});
  if (!all.ok()) Fail(all.status());
  std::memcpy(&network->there, (*all)[static_cast<std::size_t>(ToInt(peer))].data(), sizeof mine);
  return network;
}

}  // namespace vicinity
