#include "apps/bfs/measure.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/bfs/forecast.h"

namespace bfs {
namespace {

using graph::Vertex;

constexpr std::uint64_t kBlock = 4096;  // tuples, which a core's first cache holds

// All threads take blocks in turn, and show each to all validations.
absl::Status LookAtAll(const topo::Topology& topology, const topo::Mapping& mapping,
                       const Tuples& tuples, std::vector<Validation>& validations) {
  std::vector<absl::Status> seen(static_cast<std::size_t>(mapping.size()));
  const absl::Status ran = topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
    absl::Status& status = seen[static_cast<std::size_t>(slot.thread)];
    std::vector<graph::Edge> block(kBlock);
    const auto stride = static_cast<std::uint64_t>(mapping.size()) * kBlock;
    for (std::uint64_t first = static_cast<std::uint64_t>(slot.thread) * kBlock;
         first < tuples.count() && status.ok(); first += stride) {
      block.resize(std::min(kBlock, tuples.count() - first));
      tuples.Read(first, block);
      for (Validation& validation : validations) status.Update(validation.Look(block));
    }
  });
  if (!ran.ok()) return ran;
  for (const absl::Status& status : seen) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Validate(const topo::Topology& topology, const topo::Mapping& mapping,
                      const Tuples& tuples, std::vector<std::vector<Vertex>> parents,
                      std::span<Searched> searched, const Witness& witness) {
  // Each thread begins and ends some keys' validations.
  const auto by_all = [&](const std::function<void(std::size_t key)>& body) {
    return topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
      for (auto key = static_cast<std::size_t>(slot.thread); key < searched.size();
           key += static_cast<std::size_t>(mapping.size())) {
        body(key);
      }
    });
  };
  std::vector<absl::StatusOr<Validation>> begun(searched.size(), absl::UnknownError(""));
  absl::Status status = by_all([&](std::size_t key) {
    begun[key] = Validation::Begin(searched[key].root, parents[key]);
    parents[key] = {};
  });
  if (!status.ok()) return status;
  std::vector<Validation> validations;
  for (auto& validation : begun) {
    if (!validation.ok()) return validation.status();
    validations.push_back(*std::move(validation));
  }
  status = LookAtAll(topology, mapping, tuples, validations);
  if (!status.ok()) return status;
  std::vector<absl::StatusOr<Component>> components(searched.size(), absl::UnknownError(""));
  status = by_all([&](std::size_t key) { components[key] = validations[key].End(); });
  if (!status.ok()) return status;
  for (std::size_t key = 0; key < searched.size(); ++key) {
    if (!components[key].ok()) return components[key].status();
    searched[key].component = *components[key];
    if (witness) witness(validations[key]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Searched>> SearchAndValidate(
    const topo::Topology& topology, const topo::Mapping& mapping, const Tuples& tuples,
    std::span<const Vertex> keys, const Searcher& searcher,
    const std::function<void(const std::string&)>& progress, const Witness& witness) {
  std::vector<Searched> all;
  all.reserve(keys.size());
  const auto at_once =
      static_cast<std::size_t>(KeysAtOnce(tuples.vertices(), static_cast<int>(keys.size())));
  for (std::size_t first = 0; first < keys.size(); first += at_once) {
    const auto some = keys.subspan(first, std::min(at_once, keys.size() - first));
    progress(absl::StrCat(std::string(topo::ToString(mapping.policy())), ", ", mapping.size(),
                          " threads: search ", first + 1, " of ", keys.size()));
    // Made before: what is called during the searches must not throw.
    std::vector<std::vector<Vertex>> parents(some.size(), std::vector<Vertex>(tuples.vertices()));
    std::size_t next = 0;
    const absl::Status ran = searcher(some, [&](const Answer& answer) {
      std::copy(answer.parents.begin(), answer.parents.end(), parents[next++].begin());
      all.push_back({answer.root, answer.seconds, {}, {}});
      if (all.size() == 1) all.front().steps = answer.steps;
    });
    if (!ran.ok()) return ran;
    const absl::Status valid = Validate(topology, mapping, tuples, std::move(parents),
                                        std::span(all).last(some.size()), witness);
    if (!valid.ok()) return valid;
  }
  return all;
}

}  // namespace bfs
