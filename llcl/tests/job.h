// A job for tests: the same function on every rank, whatever the conduit is. The library
// that a test is linked with decides: sim_job.cc runs all ranks as threads of one
// process, launched_job.cc is one rank of a job that llclrun started.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "llcl/endpoint.h"

namespace llcl {

// In gtest's reports.
inline void PrintTo(Outcome outcome, std::ostream* out) { *out << ToString(outcome); }
inline void PrintTo(Posted posted, std::ostream* out) { *out << ToString(posted); }

// Are the targets of operations registered memory of the program's?
inline bool UsesOwnMemory() { return std::getenv("LLCL_TEST_OWN_MEMORY") != nullptr; }

// A rank of a test.
class Member {
 public:
  using Allgather = std::function<std::vector<std::string>(std::string_view)>;
  Member(std::unique_ptr<Endpoint> endpoint, Allgather allgather)
      : endpoint_(std::move(endpoint)),
        allgather_(std::move(allgather)),
        rank_(ToInt(endpoint_->rank())),
        size_(endpoint_->size()) {}

  // Precondition: it has not left.
  Endpoint& endpoint() { return *endpoint_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  int next() const { return (rank() + 1) % size(); }

  void Barrier() { (void)Allgathered(""); }
  // Its endpoint ends; the launcher still carries its barriers.
  void Leave() { endpoint_.reset(); }
  // The regions of all ranks, by rank.
  std::vector<RemoteRegion> Exchange(const Region& mine) {
    const RemoteRegion& region = mine.remote();
    std::vector<RemoteRegion> all;
    for (const std::string& bytes :
         Allgathered({reinterpret_cast<const char*>(&region), sizeof region})) {
      std::memcpy(&all.emplace_back(), bytes.data(), sizeof region);
    }
    return all;
  }

  // Memory that all ranks may use, zeros: the conduit's, or, where UsesOwnMemory(), the program's.
  Region Allocate(std::uint64_t bytes) {
    if (UsesOwnMemory()) return Register(own_.emplace_back(bytes));
    auto region = endpoint_->Allocate(bytes);
    EXPECT_TRUE(region.ok()) << region.status();
    return *std::move(region);
  }
  // The local end of operations.
  template <typename T>
  Region Register(std::vector<T>& memory) {
    auto region = endpoint_->Register(std::as_writable_bytes(std::span(memory)));
    EXPECT_TRUE(region.ok()) << region.status();
    return *std::move(region);
  }

  // Repeats the request until it is accepted.
  template <typename Try>
  void Post(Try request) {
    const Posted posted = endpoint_->KeepTrying(request);
    ASSERT_EQ(posted, Posted::kPosted) << "refused: " << ToString(posted);
  }
  // Makes progress until handlers have counted so far.
  void WaitFor(const std::atomic<std::uint64_t>& count, std::uint64_t expected) {
    while (count.load() < expected) {
      if (!endpoint_->TryAdvance()) std::this_thread::yield();
    }
  }

 private:
  std::vector<std::string> Allgathered(std::string_view bytes) {
    TakeTheLockOfRegions();
    auto all = allgather_(bytes);
    TakeTheLockOfRegions();
    return all;
  }
  // The launcher carries what ranks exchange, so that ThreadSanitizer does not see the order of
  // what this thread and, for other ranks, the progress thread do with this rank's memory. Where
  // that one holds a lock meanwhile, this shows it.
  void TakeTheLockOfRegions() {
    std::byte byte{};
    if (endpoint_) (void)endpoint_->Register({&byte, 1});
  }

  std::list<std::vector<std::byte>> own_;  // As long as the endpoint lives.
  std::unique_ptr<Endpoint> endpoint_;
  Allgather allgather_;
  const int rank_, size_;
};

// The numbers of ranks that the conduit is tested with, and its name.
std::vector<int> RankCounts();
const char* ConduitName();
// How many ranks of a job this process has: all, or one.
int RanksOfThisProcess(int ranks);

using OptionsOfRank = std::function<EndpointOptions(int rank)>;

// Runs `f` on so many ranks; on those of this process. `seed`: of a simulated network.
void RunRanks(int ranks, const OptionsOfRank& options, const std::function<void(Member&)>& f,
              std::uint64_t seed = 1);

// The argument of the job's first rank; all processes call it.
std::string OfTheFirstRank(const std::string& mine);

}  // namespace llcl
