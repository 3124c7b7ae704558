// The other ranks of the job: what all do together, and which of them are gone.
//
// Threads: any; Meet, Allgather and Agree by one of a rank at a time, by all ranks in the same
//   order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dsm/threads/waiter.h"
#include "llcl/completion.h"
#include "llcl/endpoint.h"
#include "llcl/team.h"

namespace dsm {

// A value; the endpoint and the team outlive it. The team has all ranks of the endpoint, and is the
// space's own: the program uses Endpoint::world in its own order. Errors of all members, where
// nothing else is said: Unavailable where a rank is gone, or does not come in time.
class Peers {
 public:
  Peers(llcl::Endpoint& endpoint, llcl::Team& team, Waiter waiter)
      : endpoint_(&endpoint), team_(&team), waiter_(waiter) {}

  llcl::Endpoint& endpoint() const { return *endpoint_; }
  int rank() const { return ToInt(endpoint_->rank()); }
  int size() const { return endpoint_->size(); }
  bool IsGone(int rank) const { return endpoint_->IsDown(llcl::Rank{rank}); }
  // "rank 3 has left" or "rank 3 is gone". Precondition: IsGone(rank).
  std::string HowGone(int rank) const;
  // Unavailable: names all that are gone, as a rank that goes takes others along. The second
  // returns `otherwise` where none is.
  absl::Status CheckAllThere() const;
  absl::Status WhyNotAll(const char* otherwise) const;

  // Returns when the operation that was posted has ended.
  absl::Status Finish(llcl::Posted posted, llcl::Flag& done) const;
  // Returns when the flag was raised; other threads of the waiter's run meanwhile.
  void WaitFor(const llcl::Flag& done) const;

  // Returns when all ranks have called it.
  absl::Status Meet() const;
  // `all`: one for each rank.
  template <typename T>
  absl::Status Allgather(const T& mine, std::span<T> all) const {
    return AllgatherBytes(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(all));
  }
  // All ranks have the same result: `mine` where that is an error, else Aborted with the first rank
  // whose status is one: "rank 3 cannot <what>".
  absl::Status Agree(const absl::Status& mine, const char* what) const;
  // `number`: of each rank, then in `all`; less than the greatest.
  absl::Status Agree(const absl::Status& mine, const char* what, std::uint64_t number,
                     std::vector<std::uint64_t>& all) const;

 private:
  absl::Status AllgatherBytes(std::span<const std::byte> mine, std::span<std::byte> all) const;

  llcl::Endpoint* endpoint_;
  llcl::Team* team_;
  Waiter waiter_;
};

}  // namespace dsm
