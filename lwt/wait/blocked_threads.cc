#include "lwt/wait/blocked_threads.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <span>
#include <string>

#include "absl/debugging/symbolize.h"
#include "absl/strings/str_cat.h"
#include "lwt/machine/backtrace.h"
#include "lwt/threads/descriptor.h"
#include "lwt/threads/descriptor_store.h"

namespace lwt {
namespace {

constexpr int kMost = 16, kMostFrames = 24;

// FILE+0xOFFSET, of which `addr2line -e FILE 0xOFFSET` makes a line of source.
std::string PlaceOf(const char* call) {
  const auto address = reinterpret_cast<std::uintptr_t>(call);
  Dl_info file;
  void* loaded = nullptr;
  if (dladdr1(call, &file, &loaded, RTLD_DL_LINKMAP) == 0 || loaded == nullptr) {
    return absl::StrCat("0x", absl::Hex(address));
  }
  // By how much the file's own addresses were moved: 0 where it is no position-independent one.
  const std::uintptr_t moved_by = static_cast<const link_map*>(loaded)->l_addr;
  return absl::StrCat(file.dli_fname, "+0x", absl::Hex(address - moved_by));
}

// The function and its place: names come without template arguments, so that those of all lambda
// functions are alike.
std::string NameOf(const void* return_address) {
  // A call may be the last instruction of its function.
  const char* const call = static_cast<const char*>(return_address) - 1;
  const std::string place = PlaceOf(call);
  char name[256];
  return absl::Symbolize(call, name, sizeof(name)) ? absl::StrCat(name, " (", place, ")") : place;
}

void AppendStack(const Descriptor& thread, std::string& report) {
  // A spawned thread is called by its spawner, which is on another stack: its own frames end below
  // its body.
  const void* end = thread.stack->top();
  if (thread.body > thread.sp && thread.body < end) end = thread.body;
  const void* frames[kMostFrames];
  const std::size_t count = Backtrace(thread.sp, end, frames);
  for (std::size_t i = 0; i < count; ++i) {
    absl::StrAppend(&report, "  #", i, " ", NameOf(frames[i]), "\n");
  }
}

}  // namespace

std::string BlockedThreads(const DescriptorStore& threads) {
  std::string report;
  threads.ForEach([&](const Descriptor& thread) {
    const char* const what = thread.waits_for;
    if (what == nullptr) return;
    const std::uint32_t depth = thread.depth;
    absl::StrAppend(&report, thread.shown_name(), " (depth ", depth, ") waits for ", what, "\n");
  });
  return report;
}

std::string BlockedStacks(const DescriptorStore& threads) {
  std::string report;
  int shown = 0;
  threads.ForEach([&](const Descriptor& thread) {
    if (thread.waits_for == nullptr || thread.stack == nullptr || ++shown > kMost) return;
    const std::uint32_t depth = thread.depth;
    absl::StrAppend(&report, thread.shown_name(), " (depth ", depth, "):\n");
    AppendStack(thread, report);
  });
  if (shown > kMost) {
    absl::StrAppend(&report, "(", shown - kMost, " more stacks: gdb's `lwt threads`, lwt/gdb)\n");
  }
  return report;
}

}  // namespace lwt
