// Random programs with OpenMP's tasks have the results of serial execution, once they are
// translated: compiled by the machine's C compiler, with and without translation, and loaded.
//
// VICINITY_RANDOM_PROGRAMS: how many files of them. VICINITY_RANDOM_SEED: of the first, the next
// has the next; or `fresh`.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc.h"
#include "taskrt/ompc/omp_calls.h"
#include "taskrt/ompc/omp_depend.h"
#include "taskrt/ompc/omp_graph.h"
#include "taskrt/ompc/omp_regions.h"
#include "taskrt/ompc/translate/translate.h"
#include "taskrt/tests/random_omp_program.h"
#include "tools/random/seeds.h"

namespace taskrt {
namespace {

constexpr int kFunctions = 6;  // of a file

// What loaded programs call, so that it is linked.
[[gnu::used]] void* const kCalled[] = {
    reinterpret_cast<void*>(&ompc_task_create), reinterpret_cast<void*>(&make_map_desc),
    reinterpret_cast<void*>(&ompc_list_add),    reinterpret_cast<void*>(&ompc_graph_begin),
    reinterpret_cast<void*>(&ompc_parallel),    reinterpret_cast<void*>(&ompc_threadprivate_of)};

struct Memory {
  std::array<long, kCells> v{};
  std::array<std::array<long, kColumns>, kRows> w{};
  friend bool operator==(const Memory&, const Memory&) = default;
};
Memory Initial() {
  Memory memory;
  long next = 1;
  for (long& cell : memory.v) cell = next++;
  for (auto& row : memory.w) {
    for (long& element : row) element = next++;
  }
  return memory;
}

// A resource: a C file's functions.
class Loaded {
 public:
  Loaded(const std::string& name, const std::string& text) {
    const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
    std::ofstream(path + ".c") << text;
    const std::string command =
        absl::StrCat("${CC:-cc} -std=gnu11 -O1 -w -I. -shared -fPIC ", path, ".c -o ", path, ".so");
    if (std::system(command.c_str()) != 0) return;
    handle_ = dlopen((path + ".so").c_str(), RTLD_NOW);
    if (handle_ == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  }
  ~Loaded() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  bool ok() const { return handle_ != nullptr; }
  Memory Run(int number) const {
    using Program = void(long*, long(*)[kColumns]);
    auto* const program =
        reinterpret_cast<Program*>(dlsym(handle_, absl::StrCat("program", number).c_str()));
    Memory memory = Initial();
    program(memory.v.data(), reinterpret_cast<long(*)[kColumns]>(memory.w.data()));
    return memory;
  }

 private:
  void* handle_ = nullptr;
};

TEST(RandomOmp, ATranslatedProgramHasTheResultsOfSerialExecution) {
  const std::uint64_t first = random_programs::FirstSeed();
  for (std::uint64_t seed = first; seed < first + random_programs::Programs(4); ++seed) {
    std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
    const std::string text = RandomOmpProgram(seed, kFunctions);
    const auto translated = TranslateOpenMp(text, "random.c");
    ASSERT_TRUE(translated.ok()) << translated.status() << text;
    const Loaded serial(absl::StrCat("serial", seed), text);
    const Loaded tasks(absl::StrCat("tasks", seed), *translated);
    ASSERT_TRUE(serial.ok() && tasks.ok());
    for (const char* const devices : {"", "sim:2"}) {
      ompc_options options = {};
      options.devices = devices;
      options.workers = 3;
      ASSERT_EQ(ompc_init(&options), 0) << ompc_error();
      for (int number = 0; number < kFunctions; ++number) {
        ASSERT_EQ(tasks.Run(number), serial.Run(number))
            << "program" << number << " of seed " << seed << " on \"" << devices << "\"";
      }
      ASSERT_EQ(ompc_finish(), 0) << ompc_error();
    }
  }
}

}  // namespace
}  // namespace taskrt
