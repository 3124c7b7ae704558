// A rank for hostile_host_test: sums an array written by all ranks, in a space given by the
// arguments, and prints the missing features. Whatever Join or a barrier refuses is one sentence on
// standard output, and exit code 1.
//
// usage: hostile_rank [segv|userfaultfd|server] [cache] [threads] [checkpoint] [small]
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "dsm/dsm.h"

namespace {

constexpr std::size_t kCount = 1 << 20;

[[noreturn]] void Refuse(const absl::Status& why) {
  std::printf("refused: %s\n", why.ToString().c_str());
  std::exit(1);
}
void Require(const absl::Status& status) {
  if (!status.ok()) Refuse(status);
}

double SumOf(std::span<const double> numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

// Restore undoes all writes behind the checkpoint, also on its pages of zeros.
void SaveAndRestore(dsm::Space& space, std::span<double> numbers) {
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path =
      std::string(folder != nullptr ? folder : "/tmp") + "/hostile-" + std::to_string(getppid());
  Require(space.Save(path));
  const dsm::Bounds mine = space.DistributionOf(numbers.data()).LocalBlock(space.rank());
  for (auto i = mine.begin[0]; i < mine.end[0]; ++i) numbers[i] = 7;
  Require(space.Barrier(dsm::Consistency::kFlush));
  const absl::Status restored = space.Restore(path);
  (void)unlink((path + "." + std::to_string(space.rank())).c_str());
  Require(restored);
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IONBF, 0);
  dsm::SpaceOptions options;
  options.bytes = std::uint64_t{1} << 30;
  bool saves = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "segv") options.engine = dsm::EngineKind::kSegv;
    if (word == "userfaultfd") options.engine = dsm::EngineKind::kUserfaultfd;
    if (word == "server") options.engine = dsm::EngineKind::kServer;
    if (word == "cache") options.cache_bytes = 64 * 4096;
    if (word == "threads") options.threads = 1;
    if (word == "small") options.bytes = std::uint64_t{1} << 26;
    if (word == "checkpoint") saves = true;
  }
  const auto space = dsm::Space::Join(options);
  if (!space.ok()) Refuse(space.status());
  const int rank = (*space)->rank(), ranks = (*space)->ranks();
  if (rank == 0) std::printf("engine %s\n", dsm::NameOf((*space)->engine()).c_str());
  const auto memory =
      (*space)->Allocate({{2 * kCount}, sizeof(double)}, dsm::Block{.count = ranks});
  if (!memory.ok()) Refuse(memory.status());
  const std::span<double> numbers(reinterpret_cast<double*>(memory->data()), 2 * kCount);
  const dsm::Bounds mine = (*space)->DistributionOf(numbers.data()).LocalBlock(rank);
  // The second half of each rank's block stays zero.
  const auto middle = (mine.begin[0] + mine.end[0]) / 2;
  for (auto i = mine.begin[0]; i < middle; ++i) numbers[i] = 1;
  Require((*space)->Barrier(dsm::Consistency::kFlush));
  const double sum = SumOf(numbers);
  Require((*space)->Barrier(dsm::Consistency::kFlush));
  if (saves) SaveAndRestore(**space, numbers);
  const double again = SumOf(numbers);
  if (rank == 0) std::printf("%.0f and %.0f of %zu\n", sum, again, kCount);
  Require((*space)->Barrier(dsm::Consistency::kFlush));
  return sum == kCount && again == kCount ? 0 : 3;
}
