#include "apps/bfs/measure/measure.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/bfs/measure/forecast.h"

namespace bfs {
namespace {

using graph::Vertex;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBlock = 4096;  // tuples, which a core's first cache holds

// By all threads; the first error of any.
absl::Status ByAll(const topo::Topology& topology, const topo::Mapping& mapping,
                   const std::function<absl::Status(std::uint64_t thread)>& body) {
  std::vector<absl::Status> seen(static_cast<std::size_t>(mapping.size()));
  const absl::Status ran = topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
    seen[static_cast<std::size_t>(slot.thread)] = body(static_cast<std::uint64_t>(slot.thread));
  });
  if (!ran.ok()) return ran;
  for (const absl::Status& status : seen) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Threads take blocks of tuples in turn.
absl::Status ForEachBlock(const Tuples& tuples, std::uint64_t thread, std::uint64_t threads,
                          const std::function<absl::Status(std::span<const graph::Edge>)>& visit) {
  std::vector<graph::Edge> block(kBlock);
  for (std::uint64_t first = thread * kBlock; first < tuples.count(); first += threads * kBlock) {
    block.resize(std::min(kBlock, tuples.count() - first));
    tuples.Read(first, block);
    if (absl::Status status = visit(block); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Each block is shown to all validations.
absl::Status LookAtAll(const Tuples& tuples, std::uint64_t thread, std::uint64_t threads,
                       std::span<Validation> validations) {
  return ForEachBlock(tuples, thread, threads, [&](std::span<const graph::Edge> block) {
    for (Validation& validation : validations) {
      if (absl::Status status = validation.Look(block); !status.ok()) return status;
    }
    return absl::OkStatus();
  });
}

absl::Status Validate(const topo::Topology& topology, const topo::Mapping& mapping,
                      const Tuples& tuples, std::span<Validation> validations) {
  const auto threads = static_cast<std::uint64_t>(mapping.size());
  const auto by_vertices = [&](absl::Status (Validation::*check)(std::uint64_t, std::uint64_t)) {
    return ByAll(topology, mapping, [&, check](std::uint64_t thread) {
      const std::uint64_t first = tuples.vertices() * thread / threads;
      const std::uint64_t last = tuples.vertices() * (thread + 1) / threads;
      for (Validation& validation : validations) {
        if (absl::Status status = (validation.*check)(first, last); !status.ok()) return status;
      }
      return absl::OkStatus();
    });
  };
  if (absl::Status status = by_vertices(&Validation::FindLevels); !status.ok()) return status;
  absl::Status status = ByAll(topology, mapping, [&](std::uint64_t thread) {
    return LookAtAll(tuples, thread, threads, validations);
  });
  if (!status.ok()) return status;
  return by_vertices(&Validation::Finish);
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

absl::StatusOr<double> SecondsToRead(const topo::Topology& topology, const topo::Mapping& mapping,
                                     const Tuples& tuples) {
  const auto threads = static_cast<std::uint64_t>(mapping.size());
  const Clock::time_point start = Clock::now();
  const absl::Status status = ByAll(topology, mapping, [&](std::uint64_t thread) {
    return ForEachBlock(tuples, thread, threads,
                        [](std::span<const graph::Edge>) { return absl::OkStatus(); });
  });
  if (!status.ok()) return status;
  return SecondsSince(start);
}

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
                          mapping.size() == 1 ? " thread: search " : " threads: search ", first + 1,
                          " of ", keys.size()));
    // Made before: what is called during the searches must not throw.
    std::vector<Validation> validations;
    for (std::size_t key = 0; key < some.size(); key += Validation::kKeys) {
      auto validation =
          Validation::Allocate(topology, mapping, tuples.vertices(), tuples.direction());
      if (!validation.ok()) return validation.status();
      validations.push_back(*std::move(validation));
    }
    std::size_t next = 0;
    absl::Status status;
    const absl::Status ran = searcher(some, [&](const Answer& answer) {
      const Clock::time_point start = Clock::now();
      status.Update(validations[next++ / Validation::kKeys].Add(answer.root, answer.parents));
      const std::span<const Step> kept =
          std::span(answer.steps).first(std::min(kLevelsKept, answer.steps.size()));
      all.push_back({.root = answer.root,
                     .seconds = answer.seconds,
                     .validation_seconds = SecondsSince(start),
                     .component = {},
                     .levels = answer.steps.size(),
                     .steps = {kept.begin(), kept.end()}});
    });
    if (!ran.ok()) return ran;
    if (!status.ok()) return status;
    const Clock::time_point start = Clock::now();
    status = Validate(topology, mapping, tuples, validations);
    if (!status.ok()) return status;
    const double share = SecondsSince(start) / static_cast<double>(some.size());
    for (std::size_t key = 0; key < some.size(); ++key) {
      const Validation& validation = validations[key / Validation::kKeys];
      all[first + key].validation_seconds += share;
      all[first + key].component = validation.component(key % Validation::kKeys);
      if (witness) witness(validation, key % Validation::kKeys);
    }
  }
  return all;
}

}  // namespace bfs
