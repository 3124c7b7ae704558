#include "apps/simpath/c/simpath.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/program/c_calls.h"
#include "apps/simpath/count_paths.h"

namespace {

absl::StatusOr<simpath::Rule> RuleOf(const simpath_options& options) {
  simpath::Rule rule;
  switch (options.shape) {
    case SIMPATH_PATHS:
      break;
    case SIMPATH_ALL_PAIRS:
      rule.ends = simpath::Ends::kAny;
      break;
    case SIMPATH_CYCLES:
      rule.shape = simpath::Shape::kCycles;
      break;
    default:
      return absl::InvalidArgumentError("shape is none of simpath_shape");
  }
  if (options.visits_all != 0) rule.visits = simpath::Visits::kAllVertices;
  if (options.is_directed != 0) rule.direction = graph::Direction::kDirected;
  return rule;
}

absl::StatusOr<char*> CountOf(simpath::CountQuestion question, std::uint64_t edges,
                              const std::uint64_t* from, const std::uint64_t* to,
                              const simpath_options& options) {
  if (edges > 0 && (from == nullptr || to == nullptr)) {
    return absl::InvalidArgumentError("from or to is a null pointer");
  }
  const auto rule = RuleOf(options);
  if (!rule.ok()) return rule.status();
  std::vector<simpath::CountedEdge> all;
  all.reserve(edges);
  for (std::uint64_t i = 0; i < edges; ++i) all.push_back({from[i], to[i]});
  question.edges = all;
  question.rule = *rule;
  if (options.max_length > 0) question.max_length = options.max_length;
  simpath::CountSettings settings;
  settings.threads = options.threads;
  if (options.memory_limit > 0) settings.memory_limit = options.memory_limit;
  const auto count = simpath::CountPaths(question, settings);
  if (!count.ok()) return count.status();
  const std::string digits = count->ToString();
  char* const copy = new char[digits.size() + 1];
  std::memcpy(copy, digits.c_str(), digits.size() + 1);
  return copy;
}

}  // namespace

const char* simpath_last_error(void) { return program::LastError().c_str(); }

char* simpath_count(uint64_t vertices, uint64_t edges, const uint64_t* from, const uint64_t* to,
                    uint64_t source, uint64_t target, const simpath_options* options) {
  return program::Guarded([&]() -> char* {
    simpath::CountQuestion question;
    question.vertices = vertices;
    question.source = source;
    question.target = target;
    const auto count =
        CountOf(question, edges, from, to, options == nullptr ? simpath_options{} : *options);
    if (count.ok()) return *count;
    program::Refuse(count.status());
    return nullptr;
  });
}

void simpath_free(char* count) { delete[] count; }
