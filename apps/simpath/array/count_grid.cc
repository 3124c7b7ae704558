#include "apps/simpath/array/count_grid.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/simpath/array/bound.h"
#include "apps/simpath/array/grid_checkpoint.h"
#include "apps/simpath/array/grid_size.h"
#include "apps/simpath/array/residues.h"
#include "apps/simpath/array/table.h"

namespace simpath {
namespace {

constexpr int kPartsPerThread = 16;

// What all threads share.
template <typename Modulo>
class Passes {
 public:
  Passes(const GridWords& grid, std::span<std::uint64_t> open, std::span<std::uint64_t> done,
         int threads, Modulo modulo)
      : grid_(grid),
        open_(open),
        done_(done),
        table_(grid, open.data(), done.data(), modulo),
        barrier_(threads),
        threads_(threads) {}

  // From this row of vertices on, of which the numbers of all rows before are in `open`.
  void Run(int thread, int first_row, const std::function<void(int row)>& passed) {
    if (first_row == 0) Clear(open_, thread);
    Clear(done_, thread);
    barrier_.ArriveAndWait([&] {
      if (first_row == 0) open_[grid_.OnlySourceAt(0)] = 1;
    });
    for (int row = first_row; row < grid_.width(); ++row) {
      for (int column = 0; column + 1 < grid_.width(); ++column) {
        ByParts([&](const GridWords::Part& part) { table_.Pass(column, part); });
      }
      if (row + 1 < grid_.width()) {
        ByParts([&](const GridWords::Part& part) { table_.EndRow(part); });
      }
      barrier_.ArriveAndWait([&] { passed(row); });
    }
  }

 private:
  void Clear(std::span<std::uint64_t> numbers, int thread) const {
    const topo::Range mine =
        topo::Split(static_cast<std::int64_t>(numbers.size()), threads_, thread);
    std::fill(numbers.begin() + mine.begin, numbers.begin() + mine.end, 0);
  }

  template <typename Body>
  void ByParts(const Body& body) {
    while (true) {
      const std::size_t part = taken_.fetch_add(1, std::memory_order_relaxed);
      if (part >= grid_.parts().size()) break;
      body(grid_.parts()[part]);
    }
    barrier_.ArriveAndWait([&] { taken_ = 0; });
  }

  const GridWords& grid_;
  std::span<std::uint64_t> open_, done_;
  Table<Modulo> table_;
  topo::Barrier barrier_;
  const int threads_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace

absl::StatusOr<Count> CountGrid(int cells, const topo::Topology& topology,
                                const topo::Mapping& mapping, const GridOptions& options) {
  const GridWords grid(cells + 1, kPartsPerThread * mapping.size());
  const auto allocate = [&](std::uint64_t words) {
    return topo::Array<std::uint64_t>::AllocateSliced(topology, mapping, words,
                                                      {.pages = topo::MemoryOptions::Pages::kHuge});
  };
  auto open = allocate(grid.open_words());
  if (!open.ok()) return open.status();
  auto done = allocate(grid.done_words());
  if (!done.ok()) return done.status();
  const std::span open_numbers(open->data(), grid.open_words()),
      done_numbers(done->data(), grid.done_words());
  const std::vector<std::uint64_t> primes =
      LargestPrimes(PrimesFor(PathBits(cells, cells), options.check));
  const int moduli = 1 + static_cast<int>(primes.size());

  GridCheckpoint checkpoint(options.checkpoint, cells, moduli);
  if (absl::Status status = checkpoint.Resume(open_numbers); !status.ok()) return status;
  std::vector<std::uint64_t>& residues = checkpoint.residues();
  const auto run = [&](auto modulo) {
    // Not on the stack: ASan's has no such alignment.
    const auto passes = std::make_unique<Passes<decltype(modulo)>>(grid, open_numbers, done_numbers,
                                                                   mapping.size(), modulo);
    const int first_row = checkpoint.TakeFirstRow();
    absl::Status written;
    absl::Status status = topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
      passes->Run(slot.thread, first_row, [&](int row) {
        if (options.progress) {
          options.progress({static_cast<int>(residues.size()), moduli, row, grid.width()});
        }
        if (row + 1 < grid.width()) written.Update(checkpoint.WriteIfDue(row + 1, open_numbers));
      });
    });
    residues.push_back(open_numbers[grid.OnlySourceAt(cells)]);
    status.Update(written);
    return status;
  };
  absl::Status status;
  while (status.ok() && residues.size() < static_cast<std::size_t>(moduli)) {
    status = residues.empty() ? run(ModuloWord{}) : run(ModuloPrime{primes[residues.size() - 1]});
  }
  if (!status.ok()) return status;
  const bool checks = options.check == Check::kOn;
  const std::size_t needed = checks ? primes.size() - 1 : primes.size();
  Count count = FromResidues(residues[0], std::span(primes).first(needed),
                             std::span(residues).subspan(1, needed));
  if (checks && Remainder(count, primes.back()) != residues.back()) {
    return absl::InternalError(absl::StrCat("the remainder modulo ", primes.back(), " is ",
                                            residues.back(), ", not that of ", count.ToString()));
  }
  return count;
}

}  // namespace simpath
