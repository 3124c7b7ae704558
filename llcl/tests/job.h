// A job for tests: the same function on every rank, whatever the conduit is.
#pragma once

#include <gtest/gtest.h>

#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "llcl/endpoint.h"
#include "llcl/sim_conduit.h"
#include "llcl/sim_fabric.h"

namespace llcl {

// What a rank of a test has.
class Member {
 public:
  Member(Endpoint& endpoint, std::barrier<>& barrier, std::vector<RemoteRegion>& board)
      : endpoint_(endpoint), barrier_(barrier), board_(board) {}

  Endpoint& endpoint() { return endpoint_; }
  int rank() const { return ToInt(endpoint_.rank()); }
  int size() const { return endpoint_.size(); }
  int next() const { return (rank() + 1) % size(); }

  void Barrier() { barrier_.arrive_and_wait(); }
  // Everybody's region, by rank.
  std::vector<RemoteRegion> Exchange(const Region& mine) {
    board_[static_cast<std::size_t>(rank())] = mine.remote();
    Barrier();
    std::vector<RemoteRegion> all = board_;
    Barrier();
    return all;
  }

  // A span as memory to register.
  template <typename T>
  Region Register(std::vector<T>& memory) {
    auto region = endpoint_.Register(std::as_writable_bytes(std::span(memory)));
    EXPECT_TRUE(region.ok()) << region.status();
    return *std::move(region);
  }

  // Asks until it is accepted.
  template <typename Try>
  void Post(Try request) {
    while (true) {
      const Posted posted = request();
      if (posted == Posted::kPosted) return;
      ASSERT_TRUE(posted == Posted::kFull || posted == Posted::kNoTag)
          << "refused: " << static_cast<int>(posted);
      if (!endpoint_.TryAdvance()) std::this_thread::yield();
    }
  }

 private:
  Endpoint& endpoint_;
  std::barrier<>& barrier_;
  std::vector<RemoteRegion>& board_;
};

// All ranks as threads of this process, on a simulated network.
inline void RunSimJob(const SimOptions& network, const ExecutorOptions& options,
                      const std::function<void(Member&)>& f) {
  SimFabric fabric(network);
  std::barrier barrier(network.ranks);
  std::vector<RemoteRegion> board(static_cast<std::size_t>(network.ranks));
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < network.ranks; ++rank) {
    ranks.emplace_back([&, rank] {
      Endpoint endpoint(MakeSimConduit(fabric, Rank{rank}), options);
      Member member(endpoint, barrier, board);
      f(member);
      barrier.arrive_and_wait();  // Nobody's memory goes before all are done with it.
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

}  // namespace llcl
