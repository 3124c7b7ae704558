// A loop by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

namespace graph {

// Calls call(i) for each i below `count`, by so many threads, the caller among them, which take the
// next i in turn. An exception of a call is the caller's.
template <typename Call>
void ForEachByThreads(std::size_t count, int threads, const Call& call) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) call(i);
  };
  const std::size_t workers = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < workers; ++i) {
    others.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& other : others) other.get();
}

}  // namespace graph
