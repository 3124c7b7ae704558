// Which block a host pointer means, and what a task does to it, from the words of the paper's
// interface: dependencies name pointers, and maps give sizes.
//
//   [begin, end)   a map gave its size: each pointer into the range means the block
//   begin          only a dependency named it: it orders tasks, and nothing is copied for it
//
// Threads: one at a time.
//
// Source: [WLBS20] section 3.1 and Program 3.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "taskrt/access.h"

namespace taskrt {

// What one task's words say of one block.
struct PointerUse {
  bool in = false, out = false;             // dependencies
  bool to_device = false, to_host = false;  // maps
  bool is_map_whole = false;                // the maps to the host are of all of it
};

// `out` is taken for "reads and changes", as the paper's programs mean it, but where a map says
// that all of the block only comes back.
constexpr Mode ModeOf(const PointerUse& use) {
  const bool writes = use.out || use.to_host;
  const bool only_writes = use.to_host && use.is_map_whole && !use.in && !use.to_device;
  if (!writes) return Mode::kIn;
  return only_writes ? Mode::kOut : Mode::kInOut;
}

inline std::string DescribeRange(std::uintptr_t begin, std::uint64_t bytes) {
  const std::string from = absl::StrCat("0x", absl::Hex(begin));
  return bytes == 0 ? from : absl::StrCat("[", from, ", 0x", absl::Hex(begin + bytes), ")");
}

// A value.
template <typename Value>
class Pointers {
 public:
  struct Known {
    std::uintptr_t begin = 0;
    std::uint64_t bytes = 0;  // zero: not known
    Value value;
  };
  enum class Fit {
    kInside,  // of `known`
    kGrows,   // `known` begins there, and is smaller or of unknown size
    kNew,
  };
  struct Place {
    Fit fit = Fit::kNew;
    Known* known = nullptr;
  };

  // The block that the pointer points into; null: none.
  Known* Find(std::uintptr_t pointer) {
    auto next = all_.upper_bound(pointer);
    if (next == all_.begin()) return nullptr;
    Known& before = std::prev(next)->second;
    return pointer == before.begin || pointer - before.begin < before.bytes ? &before : nullptr;
  }

  // How so many bytes lie to what is known. InvalidArgument: they are in part those of another.
  absl::StatusOr<Place> Locate(std::uintptr_t begin, std::uint64_t bytes) {
    Known* const known = Find(begin);
    if (known != nullptr && begin - known->begin + bytes <= known->bytes) {
      return Place{Fit::kInside, known};
    }
    if (known != nullptr && known->begin != begin) return Overlaps(begin, bytes, *known);
    const auto next = all_.upper_bound(begin);
    if (next != all_.end() && next->first - begin < bytes) {
      return Overlaps(begin, bytes, next->second);
    }
    if (known == nullptr) return Place{Fit::kNew, nullptr};
    return Place{bytes == 0 ? Fit::kInside : Fit::kGrows, known};
  }

  // Precondition: Locate says kNew.
  Known& Add(std::uintptr_t begin, std::uint64_t bytes, Value value) {
    return all_.emplace(begin, Known{begin, bytes, std::move(value)}).first->second;
  }
  void Remove(const Known& known) { all_.erase(known.begin); }

  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }

 private:
  static absl::Status Overlaps(std::uintptr_t begin, std::uint64_t bytes, const Known& known) {
    return absl::InvalidArgumentError(
        absl::StrCat("the block ", DescribeRange(begin, bytes), " shares memory with ",
                     DescribeRange(known.begin, known.bytes), " and is no part of it"));
  }

  std::map<std::uintptr_t, Known> all_;  // by begin
};

}  // namespace taskrt
