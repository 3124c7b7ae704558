// A runtime with three blocks of one number, for tests of the ends of tasks.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "lwt/event.h"
#include "taskrt/runtime.h"
#include "taskrt/typed.h"

namespace taskrt {

// Three blocks of one number, and a task that waits for `gate_`.
class Completions : public testing::Test {
 protected:
  Completions() : runtime_(*Runtime::Create({})) {
    for (std::size_t i = 0; i < 3; ++i) {
      blocks_.emplace_back(*runtime_, std::string(1, static_cast<char>('a' + i)), 1, 1);
    }
  }
  ~Completions() override { gate_.Set(); }
  Block<long>& a() { return blocks_[0]; }
  Block<long>& b() { return blocks_[1]; }
  Block<long>& c() { return blocks_[2]; }
  long ValueOf(Block<long>& block) { return (*block.Read())[0]; }

  lwt::Event gate_;
  const TypedKernel<std::tuple<View<long>>> waits_{"waits", [this](View<long> value) {
                                                     gate_.Wait();
                                                     value[0] += 1;
                                                   }};
  const TypedKernel<std::tuple<View<long>>> increments_{"increments",
                                                        [](View<long> value) { value[0] += 1; }};
  const TypedKernel<std::tuple<View<long>, long>> sets_{
      "sets", [](View<long> value, long to) { value[0] = to; }};
  const TypedKernel<std::tuple<View<const long>, View<long>>> copies_{
      "copies", [](View<const long> from, View<long> to) { to[0] = from[0]; }};
  const std::unique_ptr<Runtime> runtime_;
  std::vector<Block<long>> blocks_;
};

}  // namespace taskrt
