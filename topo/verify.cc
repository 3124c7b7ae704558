#include "topo/verify.h"

#include <sched.h>

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "topo/resident.h"

namespace topo {

bool VerifyReport::ok() const {
  for (const ThreadFinding& finding : threads) {
    if (!finding.problem.empty()) return false;
  }
  for (const MemoryFinding& finding : memory) {
    if (!finding.problem.empty()) return false;
  }
  return true;
}

std::string VerifyReport::ToString() const {
  std::string text;
  for (const ThreadFinding& finding : threads) {
    if (!finding.problem.empty()) {
      absl::StrAppend(&text, "thread ", finding.thread, ": ", finding.problem, "\n");
    }
  }
  for (const MemoryFinding& finding : memory) {
    if (!finding.problem.empty()) {
      absl::StrAppend(&text, "memory ", finding.name, ": ", finding.problem, "\n");
    }
  }
  if (text.empty()) {
    absl::StrAppend(&text, threads.size(), threads.size() == 1 ? " thread" : " threads", " and ",
                    memory.size(), memory.size() == 1 ? " block" : " blocks",
                    " of memory are where they were asked to be\n");
  }
  for (const std::string& note : notes) absl::StrAppend(&text, "note: ", note, "\n");
  return text;
}

std::string JudgeThread(const PuSet& wanted, const PuSet& mask, PuId actual) {
  if (wanted.size() == 0) return "";
  if (!(mask == wanted)) {
    return absl::StrCat("asked for PU ", wanted.ToString(), ", may run on ", mask.ToString());
  }
  if (!wanted.Contains(actual)) {
    return absl::StrCat("asked for PU ", wanted.ToString(), ", ran on ", ToInt(actual));
  }
  return "";
}

Verifier::Verifier(Topology topology, Mapping mapping, Level level)
    : topology_(std::move(topology)), mapping_(std::move(mapping)), level_(level) {
  for (const Slot& slot : mapping_.slots()) {
    report_.threads.push_back({.thread = slot.thread,
                               .asked = slot.pu,
                               .mask = PuSet(),
                               .actual = kAnyPu,
                               .problem = "never reported itself"});
  }
}

void Verifier::ObserveThisThread(const Slot& slot) {
  const PuId actual{sched_getcpu()};
  const absl::StatusOr<PuSet> mask = AffinityMask(0);
  const PuSet wanted = PusOf(topology_, slot, level_);
  std::lock_guard lock(mutex_);
  ThreadFinding& finding = report_.threads[slot.thread];
  finding.actual = actual;
  if (!mask.ok()) {
    finding.problem = std::string(mask.status().message());
    return;
  }
  finding.mask = *mask;
  finding.problem = JudgeThread(wanted, *mask, actual);
}

void Verifier::AddMemory(std::string_view name, const Memory& memory) {
  if (!memory.bound().ok()) {
    std::lock_guard lock(mutex_);
    report_.notes.push_back(
        absl::StrCat(std::string(name), ": ", std::string(memory.bound().message())));
  }
  AddMemory(name, memory.bytes(),
            memory.bound().ok() ? memory.placement() : Placement::FirstTouch());
}

void Verifier::AddMemory(std::string_view name, std::span<const std::byte> bytes,
                         const Placement& placement) {
  const absl::StatusOr<std::vector<PageState>> pages = ResidentNodes(topology_, bytes);
  std::lock_guard lock(mutex_);
  if (!pages.ok()) {
    report_.notes.push_back(
        absl::StrCat(std::string(name), ": ", std::string(pages.status().message())));
    return;
  }
  MemoryFinding finding{
      .name = std::string(name),
      .asked = placement.ToString(),
      .tally = Judge(placement, *pages, BasePageBytes(), static_cast<int>(topology_.nodes().size()),
                     reinterpret_cast<std::uintptr_t>(bytes.data()) % BasePageBytes()),
      .problem = ""};
  const PlacementTally& tally = finding.tally;
  if (tally.misplaced > 0) {
    const NodeId where = (*pages)[tally.first_misplaced].node;
    finding.problem = absl::StrCat(tally.misplaced, " of ", pages->size(), " pages asked for on ",
                                   finding.asked, " are elsewhere; the first is page ",
                                   tally.first_misplaced, ", on node ", ToInt(where));
  }
  if (tally.unknown > 0) {
    report_.notes.push_back(absl::StrCat(std::string(name), ": the kernel does not say where ",
                                         tally.unknown, " pages are"));
  }
  report_.memory.push_back(std::move(finding));
}

VerifyReport Verifier::Finish() const {
  std::lock_guard lock(mutex_);
  return report_;
}

}  // namespace topo
