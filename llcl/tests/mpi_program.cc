// A rank for mpi_test.sh: a program with MPI joins a job of llcl's. The arguments:
//
//   HOW BEGIN END
//
// HOW: `find` joins by the launcher; `world` and `halves` join over a communicator. BEGIN:
// `mpi-first`, `llcl-first` or `llcl-alone`, without MPI_Init. END: `llcl-ends-first`,
// `mpi-ends-first`, or `llcl-ends-before-mpi-begins`.
//
// Or a single argument, the name of a task.

// The C functions alone.
#define MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "llcl/llcl.h"
#include "llcl/mpi.h"

namespace {

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(stderr);
  _exit(3);
}

void Check(bool is_right, const char* sentence) {
  if (!is_right) Fail(std::string("it is not so that ") + sentence);
}

int WorldRank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void CheckMpi() {
  int size = 0, sum = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int mine = WorldRank() + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  Check(sum == size * (size + 1) / 2, "MPI adds the numbers of all ranks");
}

// Each rank adds its number to a word of rank 0's.
void CheckJob(llcl::Job& job) {
  llcl::Endpoint& endpoint = *job.endpoint;
  auto word = endpoint.Allocate(8);
  Check(word.ok(), "a region is allocated");
  const auto words = llcl::Exchange(endpoint, *word);
  if (!words.ok()) Fail(words.status().ToString());
  const auto number = static_cast<std::uint64_t>(ToInt(endpoint.rank())) + 1;
  const auto meet = [&] {
    Check(llcl::PostAndWait(
              endpoint, [&](llcl::Completion then) { return endpoint.world().TryBarrier(then); }) ==
              llcl::Outcome::kDone,
          "all ranks come to the barrier");
  };
  Check(llcl::Atomic<std::uint64_t>(endpoint, {.target = {(*words)[0]}, .operand = number}) ==
            llcl::Outcome::kDone,
        "a number is added");
  meet();
  std::uint64_t sum = 0;
  std::memcpy(&sum, word->local().start, sizeof sum);
  const auto size = static_cast<std::uint64_t>(endpoint.size());
  Check(ToInt(endpoint.rank()) != 0 || sum == size * (size + 1) / 2,
        "llcl adds the numbers of all ranks");
  meet();
}

llcl::Job Join(const std::string& how) {
  absl::StatusOr<llcl::Job> job = absl::UnknownError("how?");
  int expected = 0;
  if (how == "find") job = llcl::Join();
  if (how == "world") {
    job = llcl::JoinMpi(MPI_COMM_WORLD);
    MPI_Comm_size(MPI_COMM_WORLD, &expected);
  }
  if (how == "halves") {  // In the order of their ranks backward.
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, WorldRank() % 2, -WorldRank(), &half);
    job = llcl::JoinMpi(half);
    int rank = 0;
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &expected);
    MPI_Comm_free(&half);  // The job has a duplicate.
    Check(!job.ok() || ToInt(job->endpoint->rank()) == rank,
          "a rank of the half is that of the job");
  }
  if (!job.ok()) Fail(job.status().ToString());
  Check(expected == 0 || job->endpoint->size() == expected,
        "the job has as many ranks as the communicator");
  return *std::move(job);
}

void Begins(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
}

void ExpectError(const absl::Status& status, absl::StatusCode code, const char* text) {
  Check(status.code() == code, "the error is of this kind");
  Check(std::string(status.message()).find(text) != std::string::npos, "the error says why");
}

int Errors(int argc, char** argv) {
  const auto join = [](MPI_Comm communicator) { return llcl::JoinMpi(communicator).status(); };
  ExpectError(join(MPI_COMM_WORLD), absl::StatusCode::kFailedPrecondition, "call MPI_Init before");
  Begins(&argc, &argv);
  ExpectError(join(MPI_COMM_NULL), absl::StatusCode::kInvalidArgument, "MPI_COMM_NULL");
  MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, WorldRank() % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - WorldRank() % 2, 0, &both);
  ExpectError(join(both), absl::StatusCode::kInvalidArgument, "two groups");
  ExpectError(llcl::JoinBy(nullptr).status(), absl::StatusCode::kInvalidArgument, "no launch");
  auto launch = llcl::MakeMpiLaunch(MPI_COMM_WORLD);
  Check(launch.ok(), "there is a launch over MPI_COMM_WORLD");
  MPI_Finalize();
  ExpectError((*launch)->Allgather("x").status(), absl::StatusCode::kFailedPrecondition,
              "MPI has ended");
  ExpectError(join(MPI_COMM_WORLD), absl::StatusCode::kFailedPrecondition, "MPI has ended");
  if (std::getenv("PMI_FD") != nullptr) {
    ExpectError(llcl::Join().status(), absl::StatusCode::kUnavailable, "join before");
  }
  return 0;
}

int Exchange(int argc, char** argv) {
  Begins(&argc, &argv);
  auto launch = llcl::MakeMpiLaunch(MPI_COMM_WORLD);
  Check(launch.ok(), "there is a launch");
  for (const std::size_t unit : {0, 1, 50'000}) {  // Rank r brings r times as much.
    const auto bytes = [&](int rank) {
      return std::string(unit * static_cast<std::size_t>(rank), static_cast<char>('a' + rank));
    };
    const auto all = (*launch)->Allgather(bytes(WorldRank()));
    if (!all.ok()) Fail(all.status().ToString());
    Check(static_cast<int>(all->size()) == (*launch)->size(), "each rank brings something");
    for (int rank = 0; rank < (*launch)->size(); ++rank) {
      Check((*all)[static_cast<std::size_t>(rank)] == bytes(rank), "bytes arrive as they were");
    }
  }
  launch->reset();
  CheckMpi();
  return MPI_Finalize();
}

int Abort(int argc, char** argv) {
  Begins(&argc, &argv);
  auto launch = llcl::MakeMpiLaunch(MPI_COMM_WORLD);
  if ((*launch)->rank() == llcl::Rank{1}) (*launch)->Abort(9, "enough is enough");
  pause();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "errors") return Errors(argc, argv);
  if (how == "exchange") return Exchange(argc, argv);
  if (how == "abort") return Abort(argc, argv);
  const std::string begin = argc > 2 ? argv[2] : "", end = argc > 3 ? argv[3] : "";
  if (begin == "mpi-first") Begins(&argc, &argv);
  std::optional<llcl::Job> job = Join(how);
  CheckJob(*job);
  const int rank = ToInt(job->endpoint->rank());
  if (begin == "llcl-alone") {  // A rank that ends early takes no other with it.
    job.reset();
    if (rank != 0) usleep(300'000);
    std::printf("right\n");
    return 0;
  }
  if (end == "llcl-ends-before-mpi-begins") job.reset();
  if (begin == "llcl-first") Begins(&argc, &argv);
  CheckMpi();
  if (end == "llcl-ends-first") {
    job.reset();
    CheckMpi();
    job = Join(how);  // Once more: no key of the first job is taken for one of the second.
    CheckJob(*job);
    job.reset();
    CheckMpi();
  }
  MPI_Finalize();
  if (end == "mpi-ends-first") {
    CheckJob(*job);
    job.reset();
  }
  std::printf("right\n");
  return 0;
}
