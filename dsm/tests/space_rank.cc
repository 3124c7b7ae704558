// Joins a space by its arguments, ENGINE [PAGE_BYTES [CACHE_PAGES [bound | races | waiter]]], and
// runs the tests in it.
#include "dsm/tests/space_rank.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "dsm/tests/engine_named.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  dsm::SpaceOptions options;
  if (argc > 1) options.engine = dsm::EngineNamed(argv[1]);
  if (argc > 2) options.page_bytes = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3) options.cache_bytes = std::strtoull(argv[3], nullptr, 10) * options.page_bytes;
  if (argc > 4 && std::string(argv[4]) == "bound") options.threads = 1;
  options.finds_races = argc > 4 && std::string(argv[4]) == "races";
  if (argc > 4 && std::string(argv[4]) == "waiter") {
    options.waiter = [] {
      std::this_thread::yield();
      return dsm::waits.fetch_add(1, std::memory_order_relaxed) % 2 == 0;
    };
  }
  auto space = dsm::Space::Join(options);
  if (!space.ok()) {
    std::fprintf(stderr, "%s\n", space.status().ToString().c_str());
    return 1;
  }
  dsm::space = *std::move(space);
  int result = RUN_ALL_TESTS();
  if (dsm::space->counts().races > 0) {
    std::fprintf(stderr, "there are no races in these programs\n");
    result = 1;
  }
  dsm::space.reset();
  return result;
}
