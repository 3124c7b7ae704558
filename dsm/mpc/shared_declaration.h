// A declaration of shared data: read from MpC, written as C.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dsm/mpc/reader.h"

namespace dsm::mpc {

enum class Linkage { kExternal, kStatic, kElsewhere };  // kElsewhere: declared extern

// A value: one name of a declaration.
struct SharedData {
  Linkage linkage = Linkage::kExternal;
  std::string type, name;
  std::vector<std::string> extents;  // none: a scalar
  // Of an array that is mapped; empty: process 0 is the home of all.
  std::vector<std::string> divisions;
  std::string first, count;

  bool is_scalar() const { return extents.empty(); }
};

// Behind the word `shared`, which stands at `start`, to behind the semicolon. Errors:
// InvalidArgument, "file:line: expected ...".
absl::StatusOr<std::vector<SharedData>> ReadShared(Reader& reader, std::size_t start,
                                                   Linkage linkage);

// What a program's uses of a scalar become.
std::string UseOfScalar(const std::string& name);

// The declaration of the pointer that stands for it.
std::string PointerOf(const SharedData& data);

// A function that allocates all of them, and what makes mpc_init call it; "" where there is
// nothing to allocate.
std::string AllocationOf(const std::vector<SharedData>& data);

}  // namespace dsm::mpc
