#include "llcl/c/collective.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "llcl/c/forms.h"
#include "llcl/c/handles.h"
#include "llcl/c/results.h"
#include "llcl/team.h"

namespace {

using llcl::Completion;
using llcl::c::Begins;
using llcl::c::Invalid;
using llcl::c::OwnOf;
using llcl::c::SizeOf;
using llcl::c::Sizes;
using llcl::c::Sum;
using llcl::c::Waits;

std::span<const std::byte> In(const void* memory, std::size_t bytes) {
  return {static_cast<const std::byte*>(memory), bytes};
}
std::span<std::byte> Out(void* memory, std::size_t bytes) {
  return {static_cast<std::byte*>(memory), bytes};
}
// Memory that only root names.
std::span<const std::byte> InIfAny(const void* memory, std::size_t bytes) {
  return In(memory, memory == nullptr ? 0 : bytes);
}
std::span<std::byte> OutIfAny(void* memory, std::size_t bytes) {
  return Out(memory, memory == nullptr ? 0 : bytes);
}

// The fault of the arguments of an operation with blocks of one size; null: none.
const char* Fault(const llcl_team* team, const void* memory, std::size_t bytes) {
  if (team == nullptr) return "team is NULL";
  if (memory == nullptr && bytes != 0) return "memory is NULL";
  if (bytes > SIZE_MAX / 2 / (SizeOf(*team) + 1)) return "more bytes than there are addresses";
  return nullptr;
}

template <typename Form>
llcl_status Barrier(const char* call, llcl_team* team, Form form) {
  if (team == nullptr) return Invalid(call, "team is NULL");
  return form(call, *team, [&](Completion then) { return team->team->TryBarrier(then); });
}
template <typename Form>
llcl_status Broadcast(const char* call, llcl_team* team, void* memory, std::size_t bytes, int root,
                      Form form) {
  if (const char* const fault = Fault(team, memory, bytes)) return Invalid(call, fault);
  return form(call, *team, [&](Completion then) {
    return team->team->TryBroadcast(Out(memory, bytes), root, then);
  });
}
template <typename Form>
llcl_status Gather(const char* call, llcl_team* team, const void* mine, void* all,
                   std::size_t bytes, int root, Form form) {
  if (const char* const fault = Fault(team, mine, bytes)) return Invalid(call, fault);
  return form(call, *team, [&](Completion then) {
    return team->team->TryGather(In(mine, bytes), OutIfAny(all, bytes * SizeOf(*team)), root, then);
  });
}
template <typename Form>
llcl_status Scatter(const char* call, llcl_team* team, const void* all, void* mine,
                    std::size_t bytes, int root, Form form) {
  if (const char* const fault = Fault(team, mine, bytes)) return Invalid(call, fault);
  return form(call, *team, [&](Completion then) {
    return team->team->TryScatter(InIfAny(all, bytes * SizeOf(*team)), Out(mine, bytes), root,
                                  then);
  });
}
template <typename Form>
llcl_status Allgather(const char* call, llcl_team* team, const void* mine, void* all,
                      std::size_t bytes, Form form) {
  if (const char* const fault = Fault(team, mine, bytes)) return Invalid(call, fault);
  return form(call, *team, [&](Completion then) {
    return team->team->TryAllgather(In(mine, bytes), OutIfAny(all, bytes * SizeOf(*team)), then);
  });
}
template <typename Form>
llcl_status Allgatherv(const char* call, llcl_team* team, const void* mine, void* all,
                       const std::size_t* bytes, Form form) {
  if (team == nullptr) return Invalid(call, "team is NULL");
  if (bytes == nullptr) return Invalid(call, "bytes is NULL");
  const Sizes blocks(bytes, SizeOf(*team));
  const std::size_t own = OwnOf(blocks, *team);
  if (const char* const fault = Fault(team, mine, own)) return Invalid(call, fault);
  return form(call, *team, [&](Completion then) {
    return team->team->TryAllgatherv(In(mine, own), OutIfAny(all, Sum(blocks)), blocks, then);
  });
}
template <typename Form>
llcl_status Alltoall(const char* call, llcl_team* team, const void* mine, void* theirs,
                     std::size_t bytes, Form form) {
  if (const char* const fault = Fault(team, mine, bytes)) return Invalid(call, fault);
  const std::size_t all = bytes * SizeOf(*team);
  return form(call, *team, [&](Completion then) {
    return team->team->TryAlltoall(In(mine, all), OutIfAny(theirs, all), then);
  });
}
template <typename Form>
llcl_status Alltoallv(const char* call, llcl_team* team, const void* mine, const std::size_t* sent,
                      void* theirs, const std::size_t* received, Form form) {
  if (team == nullptr) return Invalid(call, "team is NULL");
  if (sent == nullptr) return Invalid(call, "sent is NULL");
  if (received == nullptr) return Invalid(call, "received is NULL");
  const Sizes out(sent, SizeOf(*team)), in(received, SizeOf(*team));
  return form(call, *team, [&](Completion then) {
    return team->team->TryAlltoallv(InIfAny(mine, Sum(out)), out, OutIfAny(theirs, Sum(in)), in,
                                    then);
  });
}

}  // namespace

extern "C" {

llcl_status llcl_barrier(llcl_team* team) { return Barrier(__func__, team, Waits{}); }
llcl_status llcl_try_barrier(llcl_team* team, llcl_completion* then) {
  return Barrier(__func__, team, Begins{then});
}

llcl_status llcl_broadcast(llcl_team* team, void* memory, size_t bytes, int root) {
  return Broadcast(__func__, team, memory, bytes, root, Waits{});
}
llcl_status llcl_try_broadcast(llcl_team* team, void* memory, size_t bytes, int root,
                               llcl_completion* then) {
  return Broadcast(__func__, team, memory, bytes, root, Begins{then});
}

llcl_status llcl_gather(llcl_team* team, const void* mine, void* all, size_t bytes, int root) {
  return Gather(__func__, team, mine, all, bytes, root, Waits{});
}
llcl_status llcl_try_gather(llcl_team* team, const void* mine, void* all, size_t bytes, int root,
                            llcl_completion* then) {
  return Gather(__func__, team, mine, all, bytes, root, Begins{then});
}

llcl_status llcl_scatter(llcl_team* team, const void* all, void* mine, size_t bytes, int root) {
  return Scatter(__func__, team, all, mine, bytes, root, Waits{});
}
llcl_status llcl_try_scatter(llcl_team* team, const void* all, void* mine, size_t bytes, int root,
                             llcl_completion* then) {
  return Scatter(__func__, team, all, mine, bytes, root, Begins{then});
}

llcl_status llcl_allgather(llcl_team* team, const void* mine, void* all, size_t bytes) {
  return Allgather(__func__, team, mine, all, bytes, Waits{});
}
llcl_status llcl_try_allgather(llcl_team* team, const void* mine, void* all, size_t bytes,
                               llcl_completion* then) {
  return Allgather(__func__, team, mine, all, bytes, Begins{then});
}

llcl_status llcl_allgatherv(llcl_team* team, const void* mine, void* all, const size_t* bytes) {
  return Allgatherv(__func__, team, mine, all, bytes, Waits{});
}
llcl_status llcl_try_allgatherv(llcl_team* team, const void* mine, void* all, const size_t* bytes,
                                llcl_completion* then) {
  return Allgatherv(__func__, team, mine, all, bytes, Begins{then});
}

llcl_status llcl_alltoall(llcl_team* team, const void* mine, void* theirs, size_t bytes) {
  return Alltoall(__func__, team, mine, theirs, bytes, Waits{});
}
llcl_status llcl_try_alltoall(llcl_team* team, const void* mine, void* theirs, size_t bytes,
                              llcl_completion* then) {
  return Alltoall(__func__, team, mine, theirs, bytes, Begins{then});
}

llcl_status llcl_alltoallv(llcl_team* team, const void* mine, const size_t* sent, void* theirs,
                           const size_t* received) {
  return Alltoallv(__func__, team, mine, sent, theirs, received, Waits{});
}
llcl_status llcl_try_alltoallv(llcl_team* team, const void* mine, const size_t* sent, void* theirs,
                               const size_t* received, llcl_completion* then) {
  return Alltoallv(__func__, team, mine, sent, theirs, received, Begins{then});
}

}  // extern "C"
