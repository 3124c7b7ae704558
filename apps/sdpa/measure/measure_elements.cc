#include "apps/sdpa/measure/measure_elements.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/memory.h"
#include "apps/program/spread.h"
#include "apps/sdpa/elements/check.h"
#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/elements/order.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/schur/make.h"
#include "apps/sdpa/schur/plain.h"
#include "taskrt/runtime.h"

namespace sdpa {
namespace {

using Clock = std::chrono::steady_clock;

// A value: Y and X^-1.
struct Data {
  topo::Array<double> y, inverse;
};

topo::Placement PlacementOf(DataPlacement placement, const topo::Topology& topology,
                            const topo::Mapping& mapping) {
  const std::vector<topo::NodeId> nodes = program::MemoryNodesOf(mapping, topology);
  switch (placement) {
    case DataPlacement::kFirstTouch:
      break;
    case DataPlacement::kLocal:
      return topo::Placement::OnNode(nodes.front());
    case DataPlacement::kInterleaved:
      return topo::Placement::Interleave(nodes);
  }
  return topo::Placement::FirstTouch();
}

// Symmetric, of the same numbers each time; larger on the diagonal.
void Fill(const Layout& layout, std::uint64_t seed, std::span<double> elements) {
  std::mt19937_64 random(seed);
  for (std::size_t l = 0; l < layout.blocks.size(); ++l) {
    const auto size = static_cast<std::size_t>(layout.blocks[l].size);
    const bool is_dense = layout.blocks[l].shape == Shape::kDense;
    const auto block = elements.subspan(layout.begin[l], layout.begin[l + 1] - layout.begin[l]);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = is_dense ? 0 : i; j <= i; ++j) {
        const double value = static_cast<double>(random() >> 11) * 0x1p-53 + (i == j ? 1 : 0);
        if (!is_dense) {
          block[i] = value;
        } else {
          block[i * size + j] = block[j * size + i] = value;
        }
      }
    }
  }
}

absl::StatusOr<Data> Place(const topo::Topology& topology, const topo::Mapping& mapping,
                           DataPlacement placement, const Layout& layout) {
  Data data;
  std::uint64_t seed = 1;
  for (topo::Array<double>* const array : {&data.y, &data.inverse}) {
    auto allocated = topo::Array<double>::Allocate(topology, layout.elements(),
                                                   PlacementOf(placement, topology, mapping));
    if (!allocated.ok()) return allocated.status();
    *array = *std::move(allocated);
    Fill(layout, seed++, {array->data(), layout.elements()});
  }
  return data;
}

// A resource: what all rows share.
class Measurement {
 public:
  Measurement(const Problem& problem, const topo::Topology& topology, const ElementsPlan& plan)
      : topology_(topology),
        plan_(plan),
        ordered_(Reordered(problem, FullestFirst(problem))),
        layout_(std::make_shared<const Layout>(problem.blocks)),
        columns_(ordered_, layout_) {}

  absl::StatusOr<ElementsTime> Row(Method method, const topo::Mapping& mapping,
                                   DataPlacement placement) const {
    ElementsTime row = {.method = method,
                        .policy = mapping.policy(),
                        .placement = placement,
                        .threads = mapping.size()};
    const auto data = Place(topology_, mapping, placement, *layout_);
    if (!data.ok()) return data.status();
    taskrt::RuntimeOptions options;
    options.pool.workers = mapping.size();
    options.pool.placement = mapping.policy();
    auto runtime = taskrt::Runtime::Create(std::move(options));
    if (!runtime.ok()) return runtime.status();
    UseOneThread();
    const absl::Status done = (*runtime)->Run([&](taskrt::Runtime& rt) {
      return method == Method::kTerms ? ByTerms(rt, *data, row) : ByFormulas(*data, row);
    });
    if (!done.ok()) return done;
    constexpr double kMostError = 1e-10;
    if (row.largest_error <= kMostError) return row;  // False for what is no number.
    return absl::InternalError(absl::StrCat(plan_.name, ", by ",
                                            std::string(kMethods.Print(method)),
                                            ": an element is wrong by ", row.largest_error));
  }

 private:
  std::span<const double> View(const topo::Array<double>& array) const {
    return {array.data(), layout_->elements()};
  }

  absl::Status ByTerms(taskrt::Runtime& rt, const Data& data, ElementsTime& row) const {
    const auto made = MakeSchur<double>(rt, columns_, plan_.schur, plan_.most_bytes);
    if (!made.ok()) return made.status();
    SchurComplement<double>* const schur = made->get();
    absl::Status status;
    row.seconds = MedianTime([&] {
      if (status.ok()) status = schur->Compute(View(data.y), View(data.inverse));
    });
    // With the one that is not counted.
    row.elements_seconds = schur->seconds().elements / (plan_.repetitions + 1);
    row.is_sparse = schur->is_sparse();
    row.largest_error = LargestError(ordered_, *layout_, View(data.y), View(data.inverse),
                                     [&](std::size_t i, std::size_t j) { return schur->at(i, j); });
    return status;
  }

  absl::Status ByFormulas(const Data& data, ElementsTime& row) const {
    const std::size_t m = ordered_.constraints();
    std::vector<double> b(m * m);
    row.seconds =
        MedianTime([&] { PlainSchur(ordered_, *layout_, View(data.y), View(data.inverse), b); });
    row.largest_error = LargestError(ordered_, *layout_, View(data.y), View(data.inverse),
                                     [&](std::size_t i, std::size_t j) { return b[i * m + j]; });
    return absl::OkStatus();
  }

  // The first time memory is touched, and not counted.
  template <typename Body>
  double MedianTime(const Body& body) const {
    body();
    std::vector<double> seconds;
    for (int i = 0; i < plan_.repetitions; ++i) {
      const auto begun = Clock::now();
      body();
      seconds.push_back(std::chrono::duration<double>(Clock::now() - begun).count());
    }
    return program::Median(seconds);
  }

  const topo::Topology& topology_;
  const ElementsPlan& plan_;
  const Problem ordered_;
  const std::shared_ptr<const Layout> layout_;
  const Columns columns_;
};

}  // namespace

absl::StatusOr<std::vector<ElementsTime>> MeasureElements(
    const Problem& problem, const topo::Topology& topology, const ElementsPlan& plan,
    const std::function<void(const std::string&)>& progress) {
  const Measurement measurement(problem, topology, plan);
  std::vector<ElementsTime> rows;
  for (const Method method : plan.methods) {
    for (const DataPlacement placement : plan.placements) {
      for (const topo::Mapping& mapping : plan.mappings) {
        progress(absl::StrCat(std::string(kMethods.Print(method)), ", ",
                              std::string(kDataPlacements.Print(placement)), ", ", mapping.size(),
                              " threads"));
        auto row = measurement.Row(method, mapping, placement);
        if (!row.ok()) return row.status();
        rows.push_back(*std::move(row));
      }
    }
  }
  return rows;
}

}  // namespace sdpa
