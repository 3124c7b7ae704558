#include "dsm/notices.h"

#include <algorithm>
#include <map>

namespace dsm {

std::vector<Notice> Merged(std::vector<Notice> notices) {
  // Between two neighboring bounds all pages have the same writers.
  struct Change {
    std::uint64_t at = 0;
    std::int64_t writer = 0;
    int by = 0;  // 1: a notice of this writer begins, -1: it ends
  };
  std::vector<Change> changes;
  for (const Notice& notice : notices) {
    if (notice.first >= notice.last) continue;
    changes.push_back({notice.first, notice.writer, 1});
    changes.push_back({notice.last, notice.writer, -1});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.at < b.at; });
  std::vector<Notice> merged;
  std::map<std::int64_t, int> open;  // writers of the pages from here on
  for (std::size_t i = 0; i < changes.size(); ++i) {
    int& count = open[changes[i].writer];
    count += changes[i].by;
    if (count == 0) open.erase(changes[i].writer);
    if (open.empty() || i + 1 == changes.size() || changes[i].at == changes[i + 1].at) continue;
    const std::int64_t writer = open.size() == 1 ? open.begin()->first : kManyWriters;
    if (!merged.empty() && merged.back().last == changes[i].at && merged.back().writer == writer) {
      merged.back().last = changes[i + 1].at;
    } else {
      merged.push_back({changes[i].at, changes[i + 1].at, writer});
    }
  }
  return merged;
}

std::vector<std::uint64_t> ChangedByOthers(std::span<const std::uint64_t> held,
                                           std::span<const Notice> notices, int self) {
  std::vector<std::uint64_t> changed;
  auto notice = notices.begin();
  for (const std::uint64_t page : held) {
    while (notice != notices.end() && notice->last <= page) ++notice;
    if (notice == notices.end()) break;
    if (notice->first <= page && notice->writer != self) changed.push_back(page);
  }
  return changed;
}

std::vector<PageRange> AsRanges(std::span<const std::uint64_t> pages) {
  std::vector<PageRange> ranges;
  for (const std::uint64_t page : pages) {
    if (!ranges.empty() && ranges.back().last == page) {
      ++ranges.back().last;
    } else {
      ranges.push_back({page, page + 1});
    }
  }
  return ranges;
}

}  // namespace dsm
