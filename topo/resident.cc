#include "topo/resident.h"

#include <numaif.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topo/memory.h"

namespace topo {
namespace {

// Pages a call: bounds the arrays, not the answer.
constexpr std::size_t kBatch = 4096;

PageState Translate(int status, const std::map<int, NodeId>& node_of) {
  if (status == -ENOENT) return {PageState::Kind::kUntouched, kAnyNode};
  if (status == -EFAULT) return {PageState::Kind::kZeroPage, kAnyNode};
  const auto node = node_of.find(status);
  if (node == node_of.end()) return {PageState::Kind::kUnknown, kAnyNode};
  return {PageState::Kind::kResident, node->second};
}

}  // namespace

absl::StatusOr<std::vector<PageState>> ResidentNodes(const Topology& topology,
                                                     std::span<const std::byte> bytes) {
  if (!topology.this_machine()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot ask where pages are by a topology of another machine: ", topology.source()));
  }
  std::map<int, NodeId> node_of;
  for (const Node& node : topology.nodes()) node_of[node.os_index] = node.id;

  const std::size_t page = BasePageBytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size();
  std::vector<PageState> states;
  std::vector<void*> addresses;
  std::vector<int> status;
  for (std::uintptr_t at = begin; at < end;) {
    addresses.clear();
    for (; at < end && addresses.size() < kBatch; at += page) {
      addresses.push_back(reinterpret_cast<void*>(at));
    }
    status.assign(addresses.size(), -ENOENT);
    if (move_pages(0, addresses.size(), addresses.data(), nullptr, status.data(), 0) != 0 &&
        errno != ENOENT) {
      return absl::UnavailableError(absl::StrCat(
          "this system does not tell where pages are (move_pages: ", std::strerror(errno), ")"));
    }
    for (int one : status) states.push_back(Translate(one, node_of));
  }
  return states;
}

}  // namespace topo
