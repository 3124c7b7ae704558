#include "apps/sdpa/elements/picks.h"

#include <algorithm>
#include <map>

#include "apps/sdpa/linear/for_each_processor.h"
#include "apps/sdpa/linear/four.h"

namespace sdpa {

void Picks::AddMatrix(std::span<const Element> matrix, std::size_t n) {
  std::map<int, std::size_t> count;  // of the elements in the row and the column of that number
  for (const Element& element : matrix) {
    ++count[element.row];
    if (element.row != element.column) ++count[element.column];
  }
  std::vector<Element> read;  // as they are read
  for (const auto [row, column, value] : matrix) {
    const bool is_mirrored = count[column] > count[row];
    read.push_back({is_mirrored ? column : row, is_mirrored ? row : column,
                    row == column ? value / 2 : value});
  }
  std::sort(read.begin(), read.end(), [](const Element& a, const Element& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  for (std::size_t k = 0; k < read.size(); ++k) {
    const bool goes_on =
        k > 0 && read[k].row == read[k - 1].row && read[k].column == read[k - 1].column + 1;
    if (!goes_on) {
      const std::size_t offset =
          static_cast<std::size_t>(read[k].row) * n + static_cast<std::size_t>(read[k].column);
      runs_.push_back({.value = values_.size(), .offset = offset, .length = 0});
    }
    ++runs_.back().length;
    values_.push_back(read[k].value);
  }
  begin_.push_back(runs_.size());
}

double Picks::WorkOf(std::size_t matrix) const {
  constexpr double kOfRun = 1, kOfElement = 0.15;
  double work = 0;
  for (const PickRun& run : runs_of(matrix)) {
    work += kOfRun + kOfElement * static_cast<double>(run.length);
  }
  return work;
}

SDPA_FOR_EACH_PROCESSOR
void AddPicks(std::span<const Part> parts, const Picks& picks, std::size_t first, const double* s,
              Sums<double> sums) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    double sum = 0;
    Four sums_of_runs = {};
    for (const PickRun& run : picks.runs_of(first + p)) {
      const double* const values = picks.values() + run.value;
      const double* const of_s = s + run.offset;
      std::size_t k = 0;
      for (; k + 4 <= run.length; k += 4) {
        sums_of_runs += reinterpret_cast<const FourInMemory*>(values + k)->all *
                        reinterpret_cast<const FourInMemory*>(of_s + k)->all;
      }
      for (; k < run.length; ++k) sum += values[k] * of_s[k];
    }
    sums[parts[p].constraint] +=
        sum + ((sums_of_runs[0] + sums_of_runs[2]) + (sums_of_runs[1] + sums_of_runs[3]));
  }
}

}  // namespace sdpa
