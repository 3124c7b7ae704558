#include "apps/bfs/measure/forecast.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "apps/bfs/hubs/bitmap.h"
#include "apps/bfs/problem/answer.h"
#include "apps/program/bytes.h"

namespace bfs {
namespace {

constexpr std::uint64_t kVertexBytes = 4;
constexpr std::uint64_t kTupleBytes = 8;
constexpr std::uint64_t kBytesOfAnswer = 8;  // of a vertex: parent and depth

// Answers are copied for their validation while the searches go on.
void AddWhatBothHave(const Sizes& sizes, Forecast& forecast) {
  const auto written = static_cast<std::uint64_t>(sizes.written);
  if (written > 0) {
    forecast.text = BytesOfText(sizes.vertices, sizes.largest_id, written) +
                    written * sizes.vertices * kBytesOfAnswer;
  }
  forecast.tuples = sizes.stored ? sizes.tuples * kTupleBytes : 0;
  const auto keys = static_cast<std::uint64_t>(KeysAtOnce(sizes.vertices, sizes.keys));
  forecast.validation =
      (keys + kAnswersTogether - 1) / kAnswersTogether * sizes.vertices * kBytesTogether;
}

}  // namespace

std::uint64_t BytesOfText(std::uint64_t vertices, std::uint64_t largest_id, std::uint64_t trees) {
  // "-1" is the longest number of a small graph.
  const std::uint64_t number =
      std::max<std::uint64_t>(2, absl::StrCat(std::max(largest_id, vertices - 1)).size());
  const std::string_view words = "# vertex\n", words_of_tree = " parent: depth:";
  return words.size() + trees * (words_of_tree.size() + 2 * number) +
         vertices * (1 + 2 * trees) * (number + 1);
}

int KeysAtOnce(std::uint64_t vertices, int keys) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  const std::uint64_t groups =
      std::clamp<std::uint64_t>(kBytes / (vertices * kBytesTogether), 1, 16);
  return std::min(keys, static_cast<int>(groups * kAnswersTogether));
}

Forecast ForecastOf(const Sizes& sizes) {
  Forecast forecast;
  AddWhatBothHave(sizes, forecast);
  const auto nodes = static_cast<std::uint64_t>(sizes.nodes);
  // Of vertices that have edges; a list's place takes 4 bytes, and 8 in 64; the first neighbor 4.
  const std::uint64_t active = std::min(sizes.vertices, 2 * sizes.tuples);
  const std::uint64_t rounded = WordsOf(active) * kWordBits;
  const std::uint64_t places = (rounded + 1) * 4 + (rounded / kWordBits + 1) * 8;
  forecast.lists = 2 * sizes.tuples * kVertexBytes + places + rounded * kVertexBytes;
  // The forward lists hold each neighbor once more, and have a place for each vertex on each node.
  // An arc is in one list of each kind; another array has out-degrees, and a bit for each vertex
  // says whether an arc leaves it.
  if (sizes.directed) {
    forecast.lists += nodes * places + rounded * kVertexBytes + WordsOf(sizes.vertices) * 8;
  } else if (nodes > 1) {
    forecast.lists += 2 * sizes.tuples * kVertexBytes + nodes * places;
  }
  const std::uint64_t ids = (sizes.vertices + active) * kVertexBytes;
  // Keys and scratch of the sort by degree come before the lists; begins, ends and degrees are
  // beside them.
  const std::uint64_t degrees = sizes.vertices * (sizes.directed ? 8 : 4);
  forecast.construction = ids + active * (8 + 8) + degrees;
  const std::uint64_t before = ids + degrees + sizes.vertices * 16;
  if (before > forecast.lists + forecast.construction)
    forecast.construction = before - forecast.lists;
  // The answer, one more where it is translated, bitmaps, and the queues of two levels, which have
  // each vertex once, in parts that double as they grow.
  forecast.search = ids + (sizes.translated ? 2 : 1) * sizes.vertices * kVertexBytes +
                    2 * active * kVertexBytes + active / 8 * (2 + nodes);
  return forecast;
}

Forecast ForecastOfPlain(const Sizes& sizes) {
  Forecast forecast;
  AddWhatBothHave(sizes, forecast);
  forecast.lists = 2 * sizes.tuples * kVertexBytes + sizes.vertices * (sizes.directed ? 16 : 8);
  // The tuples as one list, and where each vertex' next neighbor goes.
  forecast.construction = sizes.tuples * kTupleBytes + sizes.vertices * 8;
  forecast.search = sizes.vertices * (3 * kVertexBytes) + sizes.vertices / 4;
  return forecast;
}

std::string ToText(const Forecast& forecast) {
  const auto size = [](std::uint64_t bytes) {
    return program::FormatBytes(static_cast<double>(bytes));
  };
  std::string text =
      absl::StrCat(size(forecast.peak()), ": lists ", size(forecast.lists), ", construction ",
                   size(forecast.construction), " or search ", size(forecast.search),
                   " and validation ", size(forecast.validation));
  if (forecast.tuples > 0) absl::StrAppend(&text, ", tuples ", size(forecast.tuples));
  if (forecast.text > 0) absl::StrAppend(&text, ", --output ", size(forecast.text));
  return text;
}

absl::Status CheckFits(const Forecast& forecast, const Limit& limit, double share,
                       const std::string& what) {
  if (static_cast<double>(forecast.peak()) * share <= static_cast<double>(limit.bytes)) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      absl::StrFormat("%s may need %s; %s allows %s", what, ToText(forecast), limit.of,
                      program::FormatBytes(static_cast<double>(limit.bytes) / share)));
}

}  // namespace bfs
