#include "apps/sdpa/sparse/supernodes.h"

#include <algorithm>
#include <limits>

#include "apps/sdpa/sparse/at.h"
#include "apps/sdpa/sparse/elimination_tree.h"

namespace sdpa {
namespace {

// Columns next to each other, which a supernode may become.
struct Group {
  int begin = 0, end = 0;
  int rows = 0;      // of the front
  double zeros = 0;  // among the elements

  // With the group right after it, which has all rows of this one's front but for its columns.
  Group JoinedWith(const Group& next) const {
    const int columns = end - begin;
    const double more = static_cast<double>(columns) * (columns + next.rows - rows);
    return {begin, next.end, columns + next.rows, zeros + next.zeros + more};
  }
  bool IsAllowedBy(std::span<const JoinRule> rules) const {
    if (zeros == 0) return true;
    const double columns = end - begin;
    const double elements = columns * (columns + 1) / 2 + columns * (rows - columns);
    return std::any_of(rules.begin(), rules.end(), [&](const JoinRule& rule) {
      return columns <= rule.columns && zeros <= rule.zeros * elements;
    });
  }
};

// The largest groups without zeros.
std::vector<Group> GroupsWithoutZeros(const std::vector<int>& parents,
                                      const std::vector<int>& counts) {
  std::vector<Group> groups;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    const int column = static_cast<int>(j);
    if (j > 0 && parents[j - 1] == column && counts[j - 1] == counts[j] + 1) {
      groups.back().end = column + 1;
    } else {
      groups.push_back({column, column + 1, counts[j], 0});
    }
  }
  return groups;
}

// From the last on, so that a group joins what the one after it has become.
std::vector<Group> Joined(const std::vector<Group>& groups, const std::vector<int>& parents,
                          std::span<const JoinRule> rules) {
  std::vector<Group> joined;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const int parent = parents[At(group->end - 1)];
    if (!joined.empty() && parent != kNone && parent < joined.back().end) {
      const Group joint = group->JoinedWith(joined.back());
      if (joint.IsAllowedBy(rules)) {
        joined.back() = joint;
        continue;
      }
    }
    joined.push_back(*group);
  }
  std::reverse(joined.begin(), joined.end());
  return joined;
}

// By row of the matrix, its row in the front of that supernode.
void SetFrontRows(const Supernodes& supernodes, int s, std::vector<int>& front_rows) {
  int next = 0;
  for (int j = 0; j < supernodes.columns(s); ++j) {
    front_rows[At(supernodes.first_column(s) + j)] = next++;
  }
  for (const int row : supernodes.rows_below(s)) front_rows[At(row)] = next++;
}

}  // namespace

std::span<const JoinRule> DefaultJoinRules() {
  static constexpr JoinRule kRules[] = {
      {4, 1.0}, {16, 0.8}, {48, 0.1}, {std::numeric_limits<int>::max(), 0.05}};
  return kRules;
}

Supernodes FindSupernodes(const SparsePattern& pattern, const std::vector<int>& parents,
                          const std::vector<int>& counts, std::span<const JoinRule> rules) {
  const std::vector<Group> groups = Joined(GroupsWithoutZeros(parents, counts), parents, rules);
  Supernodes found;
  std::vector<int> supernode_of(parents.size());
  for (const Group& group : groups) {
    std::fill(supernode_of.begin() + group.begin, supernode_of.begin() + group.end,
              static_cast<int>(found.column_begin.size()));
    found.column_begin.push_back(group.begin);
  }
  found.column_begin.push_back(pattern.size());
  found.below_begin.push_back(0);

  // A supernode's rows are those of its columns in the pattern and those of its children.
  std::vector<std::vector<int>> children(groups.size());
  std::vector<int> place(parents.size(), kNone);  // in the front of the supernode at hand
  for (int s = 0; s < static_cast<int>(groups.size()); ++s) {
    const Group& group = groups[At(s)];
    const auto first = static_cast<std::ptrdiff_t>(found.below.size());
    const auto add = [&](int row) {
      if (row < group.end || place[At(row)] == s) return;
      place[At(row)] = s;
      found.below.push_back(row);
    };
    for (int j = group.begin; j < group.end; ++j) {
      for (const int row : pattern.column(j)) add(row);
    }
    for (const int child : children[At(s)]) {
      for (std::size_t k = found.below_begin[At(child)]; k < found.below_begin[At(child) + 1];
           ++k) {
        add(found.below[k]);
      }
    }
    std::sort(found.below.begin() + first, found.below.end());
    found.below_begin.push_back(found.below.size());
    const bool is_root = found.below.size() == static_cast<std::size_t>(first);
    const int parent =
        is_root ? kNone : supernode_of[At(found.below[static_cast<std::size_t>(first)])];
    found.parents.push_back(parent);
    if (parent != kNone) children[At(parent)].push_back(s);
  }

  found.children_begin.push_back(0);
  for (const std::vector<int>& of_one : children) {
    found.children.insert(found.children.end(), of_one.begin(), of_one.end());
    found.children_begin.push_back(found.children.size());
  }
  found.places.resize(found.below.size());
  for (int s = 0; s < found.size(); ++s) {
    SetFrontRows(found, s, place);
    for (const int child : found.children_of(s)) {
      for (std::size_t k = found.below_begin[At(child)]; k < found.below_begin[At(child) + 1];
           ++k) {
        found.places[k] = place[At(found.below[k])];
      }
    }
  }
  return found;
}

std::vector<int> FrontRows(const SparsePattern& pattern, const Supernodes& supernodes) {
  std::vector<int> front_rows;
  front_rows.reserve(pattern.elements());
  std::vector<int> place(At(pattern.size()));
  for (int s = 0; s < supernodes.size(); ++s) {
    SetFrontRows(supernodes, s, place);
    for (int j = supernodes.first_column(s); j < supernodes.column_begin[At(s) + 1]; ++j) {
      for (const int row : pattern.column(j)) front_rows.push_back(place[At(row)]);
    }
  }
  return front_rows;
}

// Column i of the front, which has r rows from its diagonal on: a root, r - 1 divisions, and a
// multiplication and an addition for each element of the triangle right of it.
double FlopsOf(int columns, int front_rows) {
  double flops = 0;
  for (int i = 0; i < columns; ++i) {
    const double rows = front_rows - i;
    flops += rows * rows;
  }
  return flops;
}

std::uint64_t UpdateElements(const Supernodes& supernodes, int s) {
  const std::uint64_t rows = supernodes.rows_below(s).size();
  return rows * rows;
}

std::uint64_t UpdatesAtOnce(const Supernodes& supernodes, int begin, int end) {
  std::uint64_t waiting = 0, most = 0;
  for (int s = begin; s < end; ++s) {
    waiting += UpdateElements(supernodes, s);
    most = std::max(most, waiting);
    for (const int child : supernodes.children_of(s)) waiting -= UpdateElements(supernodes, child);
  }
  return most;
}

Work WorkOf(const Supernodes& supernodes) {
  Work work = {.factor_elements = 0,
               .update_elements = UpdatesAtOnce(supernodes, 0, supernodes.size()),
               .flops = 0};
  for (int s = 0; s < supernodes.size(); ++s) {
    const auto columns = static_cast<std::uint64_t>(supernodes.columns(s));
    work.factor_elements += columns * static_cast<std::uint64_t>(supernodes.front_rows(s));
    work.flops += FlopsOf(supernodes.columns(s), supernodes.front_rows(s));
  }
  return work;
}

}  // namespace sdpa
