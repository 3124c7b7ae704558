// Operations of many pieces: strided, as the rows of a part of a matrix, and lists.
//
//   // 8 rows of 100 bytes, out of a matrix whose rows are 4096 bytes apart.
//   llcl::TryReadStrided(endpoint, {.local = {mine}, .remote = {theirs}, .bytes = 100,
//                                   .dimensions = {{.count = 8, .local_stride = 100,
//                                                   .remote_stride = 4096}},
//                                   .then = done.completion()});
//
// The pieces are operations of the endpoint, some of them under way at a time; the
// completion is called once, when all have ended: with kDone, or with the outcome of the
// first piece that failed, after which no more pieces are begun.
//
// Threads: any. Errors: as the endpoint's; kBadRange where any piece lies outside of
// its region; if the first piece is refused, nothing was done.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "llcl/endpoint.h"

namespace llcl {

// `count` repetitions of the pattern of the dimensions before this one; the first dimension
// repeats single pieces. Strides in bytes.
struct Dimension {
  std::uint64_t count = 1;
  std::uint64_t local_stride = 0, remote_stride = 0;
};

struct StridedParams {
  LocalAddress local;
  RemoteAddress remote;
  std::uint64_t bytes = 0;  // of each piece
  std::vector<Dimension> dimensions;
  Completion then = {};
  Timeout timeout = {};  // of each piece
};

// The endpoint outlives the operation.
[[nodiscard]] Posted TryReadStrided(Endpoint& endpoint, const StridedParams& params);
[[nodiscard]] Posted TryWriteStrided(Endpoint& endpoint, const StridedParams& params);

// A value: a piece of a list.
struct Piece {
  LocalAddress local;
  RemoteAddress remote;
  std::uint64_t bytes = 0;
};

// `pieces` is copied. An empty list ends at once.
[[nodiscard]] Posted TryReadList(Endpoint& endpoint, std::span<const Piece> pieces, Completion then,
                                 Timeout timeout = {});
[[nodiscard]] Posted TryWriteList(Endpoint& endpoint, std::span<const Piece> pieces,
                                  Completion then, Timeout timeout = {});

}  // namespace llcl
