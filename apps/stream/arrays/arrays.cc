#include "apps/stream/arrays/arrays.h"

#include <string>

#include "apps/program/memory.h"
#include "apps/stream/kernels/validate.h"

namespace stream {
namespace {

constexpr std::string_view kNames[] = {"a", "b", "c", "sink"};

topo::Placement PlacementOf(Where where, const topo::Mapping& mapping,
                            const topo::Topology& topology) {
  if (where != Where::kInterleave) return topo::Placement::FirstTouch();
  return topo::Placement::Interleave(program::MemoryNodesOf(mapping, topology));
}

double*& ArrayOf(Part& part, int index) {
  double** const arrays[] = {&part.a, &part.b, &part.c, &part.sink};
  return *arrays[index];
}

// Element by element, as stream.c does: the kernel hands out pages as they are
// touched, so that page i of one array lies beside page i of the next. Array
// after array, each would get a run of its own, a power of two from the others
// and in the same banks of memory.
void FillPart(const Part& part) {
  for (std::int64_t i = 0; i < part.size; ++i) {
    part.a[i] = kFirstA;
    part.b[i] = kFirstB;
    part.c[i] = kFirstC;
    if (part.sink != nullptr) part.sink[i] = 0;
  }
}

}  // namespace

absl::StatusOr<Arrays> Arrays::Allocate(const topo::Topology& topology,
                                        const topo::Mapping& mapping, std::int64_t elements,
                                        const ArraysOptions& options) {
  Arrays arrays;
  arrays.where_ = options.where;
  arrays.parts_.resize(mapping.size());
  const topo::MemoryOptions memory = {.pages = options.pages};
  const int count = options.sink == ArraysOptions::Sink::kAlso ? 4 : 3;
  for (int index = 0; index < count; ++index) {
    if (options.where == Where::kLocal) {
      auto local = topo::NodeArrays<double>::Allocate(topology, mapping,
                                                      static_cast<std::size_t>(elements), memory);
      if (!local.ok()) return local.status();
      for (const topo::Slot& slot : mapping.slots()) {
        const int node = mapping.node_index(slot);
        // Figure 6: this thread's piece of its node's array.
        const topo::Range share = topo::Split(static_cast<std::int64_t>((*local)[node].size()),
                                              mapping.threads_on(node), slot.ordinal);
        Part& part = arrays.parts_[slot.thread];
        ArrayOf(part, index) = (*local)[node].data() + share.begin;
        part.size = share.size();
      }
      arrays.local_.push_back(*std::move(local));
      continue;
    }
    auto whole =
        topo::Array<double>::Allocate(topology, static_cast<std::size_t>(elements),
                                      PlacementOf(options.where, mapping, topology), memory);
    if (!whole.ok()) return whole.status();
    for (const topo::Slot& slot : mapping.slots()) {
      const topo::Range share = topo::ShareOf(elements, mapping, slot);
      Part& part = arrays.parts_[slot.thread];
      ArrayOf(part, index) = whole->data() + share.begin;
      part.size = share.size();
    }
    arrays.whole_.push_back(*std::move(whole));
  }
  return arrays;
}

void Arrays::Fill(Team& team) const {
  team.Run([&](const topo::Slot& slot) {
    if (where_ != Where::kSerial) {
      FillPart(parts_[slot.thread]);
    } else if (slot.thread == 0) {
      for (const Part& part : parts_) FillPart(part);
    }
  });
}

void Arrays::AddTo(topo::Verifier& verifier, std::string_view prefix) const {
  const auto name = [&](std::size_t i) { return std::string(prefix) + std::string(kNames[i]); };
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    verifier.AddMemory(name(i), whole_[i].memory());
  }
  for (std::size_t i = 0; i < local_.size(); ++i) {
    for (int node = 0; node < local_[i].nodes(); ++node) {
      verifier.AddMemory(name(i) + "[" + std::to_string(node) + "]", local_[i][node].memory());
    }
  }
}

}  // namespace stream
