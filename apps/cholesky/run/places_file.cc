#include "apps/cholesky/run/places_file.h"

#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace cholesky {
namespace {

constexpr char kFirstLine[] = "vicinity schedule 1";

}  // namespace

absl::StatusOr<std::vector<taskrt::Place>> ReadSchedule(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("--schedule: cannot read \"", path, "\""));
  const auto expected = [&](std::size_t line, const char* what) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", line, ": expected ", what));
  };
  std::string text;
  if (!std::getline(file, text) || text != kFirstLine) return expected(1, kFirstLine);
  std::vector<taskrt::Place> places;
  while (std::getline(file, text)) {
    int place = 0;
    if (!absl::SimpleAtoi(text, &place) || place < 0 || place >= taskrt::kMostPlaces) {
      return expected(places.size() + 2, "a place, 0 for the host");
    }
    places.push_back(place);
  }
  return places;
}

std::string ScheduleToText(std::span<const taskrt::Place> places) {
  std::string text = absl::StrCat(kFirstLine, "\n");
  for (const taskrt::Place place : places) absl::StrAppend(&text, place, "\n");
  return text;
}

}  // namespace cholesky
