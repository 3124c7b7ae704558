#include "lwt/wait/blocked_stacks.h"

#include <dlfcn.h>

#include <cstdint>
#include <span>

#include "absl/debugging/symbolize.h"
#include "absl/strings/str_cat.h"
#include "lwt/machine/backtrace.h"
#include "lwt/machine/descriptor.h"
#include "lwt/machine/descriptor_store.h"

namespace lwt {
namespace {

constexpr int kMost = 16, kMostFrames = 24;

std::string NameOf(const void* return_address) {
  // A call may be the last instruction of its function.
  const char* const call = static_cast<const char*>(return_address) - 1;
  if (char name[256]; absl::Symbolize(call, name, sizeof(name))) return name;
  Dl_info file;
  if (dladdr(call, &file) == 0) return absl::StrCat("0x", absl::Hex(call));
  return absl::StrCat(file.dli_fname, "+0x", absl::Hex(call - static_cast<char*>(file.dli_fbase)));
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
