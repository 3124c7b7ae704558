// A job over an MPI communicator, in a program that has MPI.
//
//   MPI_Init(&argc, &argv);
//   auto job = llcl::JoinMpi(MPI_COMM_WORLD);              // all ranks of the communicator
//   ...
//   auto space = dsm::Space::JoinBy(*llcl::MakeMpiLaunch(MPI_COMM_WORLD));
//
// No other file of llcl knows MPI. The program compiles this header with its own <mpi.h>, as every
// MPI has different types; llcl itself is not linked with MPI. So JoinMpi is no member of Job:
// programs without MPI use Job, too.
//
// Only the begin and the end of a job call MPI; all other communication is by llcl. The job may end
// before MPI_Finalize or after it.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/launch/launch.h"
#include "llcl/region.h"

namespace llcl {

// The ranks of a communicator. A resource: a duplicate of the communicator, so no message of the
// program is mistaken for a message of the launch. The destructor frees the duplicate, unless MPI
// has ended before.
//
// Threads: as Launch; made, used and destroyed on threads that may call MPI by its thread level.
class MpiLaunch final : public Launch {
 public:
  // As MakeMpiLaunch.
  static absl::StatusOr<std::unique_ptr<Launch>> Make(MPI_Comm communicator) {
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);
    if (is_initialized == 0) {
      return absl::FailedPreconditionError("MPI is not initialized: call MPI_Init before");
    }
    if (HasEnded()) return absl::FailedPreconditionError("MPI has ended: MPI_Finalize was called");
    if (communicator == MPI_COMM_NULL) {
      return absl::InvalidArgumentError(
          "the communicator is MPI_COMM_NULL: this process is none of its ranks");
    }
    int is_inter = 0;
    if (const int got = MPI_Comm_test_inter(communicator, &is_inter); got != MPI_SUCCESS) {
      return Refused("MPI_Comm_test_inter", got);
    }
    if (is_inter != 0) {
      return absl::InvalidArgumentError(
          "the communicator has two groups; a job has one: use MPI_Intercomm_merge");
    }
    std::unique_ptr<MpiLaunch> launch(new MpiLaunch);
    MPI_Comm& own = launch->communicator_;
    if (const int got = MPI_Comm_dup(communicator, &own); got != MPI_SUCCESS) {
      own = MPI_COMM_NULL;
      return Refused("MPI_Comm_dup", got);
    }
    if (const int got = MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN); got != MPI_SUCCESS) {
      return Refused("MPI_Comm_set_errhandler", got);
    }
    if (const int got = MPI_Comm_rank(own, &launch->rank_); got != MPI_SUCCESS) {
      return Refused("MPI_Comm_rank", got);
    }
    if (const int got = MPI_Comm_size(own, &launch->size_); got != MPI_SUCCESS) {
      return Refused("MPI_Comm_size", got);
    }
    return launch;
  }
  ~MpiLaunch() override {
    if (communicator_ != MPI_COMM_NULL && !HasEnded()) MPI_Comm_free(&communicator_);
  }
  MpiLaunch(const MpiLaunch&) = delete;
  MpiLaunch& operator=(const MpiLaunch&) = delete;

  Rank rank() const override { return Rank{rank_}; }
  int size() const override { return size_; }

  // Errors: also FailedPrecondition after MPI_Finalize, and ResourceExhausted for 2 GiB and more of
  // all ranks together, which all ranks report.
  absl::StatusOr<std::vector<std::string>> Allgather(std::string_view mine) override {
    if (HasEnded()) return absl::FailedPreconditionError("MPI has ended: MPI_Finalize was called");
    const std::uint64_t length = mine.size();
    std::vector<std::uint64_t> lengths(static_cast<std::size_t>(size_));
    if (const int got =
            MPI_Allgather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, communicator_);
        got != MPI_SUCCESS) {
      return Refused("MPI_Allgather", got);
    }
    std::vector<int> counts, places;
    std::uint64_t sum = 0;
    for (const std::uint64_t one : lengths) {
      if (one > INT_MAX - sum) {
        return absl::ResourceExhaustedError("the ranks gather more than 2 GiB by MPI");
      }
      counts.push_back(static_cast<int>(one));
      places.push_back(static_cast<int>(sum));
      sum += one;
    }
    std::string bytes(sum, '\0');
    if (const int got =
            MPI_Allgatherv(mine.data(), static_cast<int>(length), MPI_BYTE, bytes.data(),
                           counts.data(), places.data(), MPI_BYTE, communicator_);
        got != MPI_SUCCESS) {
      return Refused("MPI_Allgatherv", got);
    }
    std::vector<std::string> all;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
      all.push_back(bytes.substr(static_cast<std::size_t>(places[rank]), lengths[rank]));
    }
    return all;
  }

  // By MPI_Abort of MPI_COMM_WORLD: of a duplicate MPICH 4.0 does not return, and does not end the
  // others; and other MPIs end all ranks for any communicator.
  void Abort(int exit_code, std::string_view why) override {
    std::fprintf(stderr, "rank %d ends the job: %.*s\n", rank_, static_cast<int>(why.size()),
                 why.data());
    if (!HasEnded()) MPI_Abort(MPI_COMM_WORLD, exit_code);
    _exit(exit_code);
  }

 private:
  MpiLaunch() = default;

  static bool HasEnded() {
    int has_ended = 0;
    MPI_Finalized(&has_ended);
    return has_ended != 0;
  }

  static absl::Status Refused(const char* function, int error) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS) length = 0;
    return absl::UnavailableError(
        std::string(function) + " failed: " + std::string(text, static_cast<std::size_t>(length)) +
        " (" + std::to_string(error) + ")");
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

// For JoinBy, and dsm's. All ranks of the communicator call it. Errors: FailedPrecondition before
// MPI_Init and after MPI_Finalize; InvalidArgument for MPI_COMM_NULL and for an intercommunicator;
// Unavailable with the error of MPI. With an error handler that ends the process, MPI's default, a
// communicator that cannot be duplicated ends the process.
inline absl::StatusOr<std::unique_ptr<Launch>> MakeMpiLaunch(MPI_Comm communicator) {
  return MpiLaunch::Make(communicator);
}

// All ranks of the communicator call it, and each is the same rank of the job. Errors:
// MakeMpiLaunch's and JoinBy's.
inline absl::StatusOr<Job> JoinMpi(MPI_Comm communicator, EndpointOptions options = {}) {
  absl::StatusOr<std::unique_ptr<Launch>> launch = MakeMpiLaunch(communicator);
  if (!launch.ok()) return launch.status();
  return JoinBy(*std::move(launch), std::move(options));
}

}  // namespace llcl
