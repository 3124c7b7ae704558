// A text cut at line ends and parsed by several threads. Pure but for the threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "apps/graph/formats/scanner.h"
#include "apps/graph/threads.h"

namespace graph {

// The text in pieces of whole lines, in their order; one piece for one thread.
inline std::vector<std::string_view> CutAtLines(std::string_view text, int threads) {
  constexpr std::size_t kLeast = std::size_t{1} << 18, kPerThread = 8;
  const std::size_t size =
      threads <= 1
          ? text.size()
          : std::max(kLeast, text.size() / (static_cast<std::size_t>(threads) * kPerThread));
  std::vector<std::string_view> pieces;
  while (text.size() > size) {
    const std::size_t end = text.find('\n', size);
    if (end == std::string_view::npos) break;
    pieces.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  if (!text.empty() || pieces.empty()) pieces.push_back(text);
  return pieces;
}

// A value: the results of all pieces, and whether each could be parsed.
template <typename Found>
struct Pieces {
  std::vector<Found> found;
  std::vector<absl::Status> statuses;

  bool ok() const {
    return std::all_of(statuses.begin(), statuses.end(),
                       [](const absl::Status& status) { return status.ok(); });
  }
};

// Calls parse(piece, scanner, found) for each piece, with a scanner before its first line. Line
// numbers are right only in a body of one piece: a parse by one thread names the faulty line.
template <typename Found, typename Parse>
Pieces<Found> ParsePieces(const Body& body, int threads, const Parse& parse) {
  const std::vector<std::string_view> texts = CutAtLines(body.text, threads);
  Pieces<Found> pieces;
  pieces.found.resize(texts.size());
  pieces.statuses.resize(texts.size());
  ForEachByThreads(texts.size(), threads, [&](std::size_t i) {
    Scanner scanner(Body{body.file, texts[i], body.lines_before, body.separator});
    pieces.statuses[i] = parse(i, scanner, pieces.found[i]);
  });
  return pieces;
}

}  // namespace graph
