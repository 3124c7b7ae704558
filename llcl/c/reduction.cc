#include "llcl/c/reduction.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "llcl/atomics.h"
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

// An element of the program's own operation. A value.
template <std::size_t kBytes>
struct alignas(kBytes < 16 ? kBytes : 16) Element {
  std::byte bytes[kBytes];
};

const char* Fault(const llcl_team* team, const void* mine, const llcl_combination* how) {
  if (team == nullptr) return "team is NULL";
  if (mine == nullptr) return "mine is NULL";
  if (how == nullptr) return "how is NULL";
  if (how->combine != nullptr) return nullptr;
  if (llcl_type_bytes(how->type) == 0) return "how->type is no type";
  if (how->op > LLCL_XOR && how->op != LLCL_PRODUCT) return "how->op combines no elements";
  return nullptr;
}
template <std::size_t kBytes, typename F>
llcl::Posted ByOwn(void (*combine)(void* to, const void* from), F f) {
  using T = Element<kBytes>;
  return f(T{}, [combine](const T& a, const T& b) {
    T to = a;
    combine(&to, &b);
    return to;
  });
}
// Calls f(an element, the operation).
template <typename F>
llcl::Posted ByElement(const llcl_combination& how, F f) {
  if (how.combine != nullptr) {
    switch (how.element_bytes) {
      case 1:
        return ByOwn<1>(how.combine, f);
      case 2:
        return ByOwn<2>(how.combine, f);
      case 4:
        return ByOwn<4>(how.combine, f);
      case 8:
        return ByOwn<8>(how.combine, f);
      case 16:
        return ByOwn<16>(how.combine, f);
      case 32:
        return ByOwn<32>(how.combine, f);
      default:
        return llcl::Posted::kBadRange;
    }
  }
  const auto op = static_cast<llcl::AtomicOp>(how.op);
  switch (how.type) {
    case LLCL_I32:
      return f(std::int32_t{}, op);
    case LLCL_U32:
      return f(std::uint32_t{}, op);
    case LLCL_I64:
      return f(std::int64_t{}, op);
    case LLCL_U64:
      return f(std::uint64_t{}, op);
    case LLCL_F32:
      return f(float{}, op);
    case LLCL_F64:
      return f(double{}, op);
  }
  return llcl::Posted::kBadRange;
}
template <typename T>
std::span<const T> Elements(const void* memory, std::size_t count) {
  return {static_cast<const T*>(memory), count};
}
template <typename T>
std::span<T> ElementsIfAny(void* memory, std::size_t count) {
  return {static_cast<T*>(memory), memory == nullptr ? 0 : count};
}

template <typename Form>
llcl_status Reduce(const char* call, llcl_team* team, const void* mine, void* result,
                   std::size_t count, const llcl_combination* how, int root, Form form) {
  if (const char* const fault = Fault(team, mine, how)) return Invalid(call, fault);
  return form(call, *team, [&](Completion then) {
    return ByElement(*how, [&]<typename T>(T, auto op) {
      return team->team->TryReduce(Elements<T>(mine, count), ElementsIfAny<T>(result, count), op,
                                   root, then);
    });
  });
}
template <typename Form>
llcl_status Allreduce(const char* call, llcl_team* team, const void* mine, void* result,
                      std::size_t count, const llcl_combination* how, Form form) {
  if (const char* const fault = Fault(team, mine, how)) return Invalid(call, fault);
  return form(call, *team, [&](Completion then) {
    return ByElement(*how, [&]<typename T>(T, auto op) {
      return team->team->TryAllreduce(Elements<T>(mine, count), ElementsIfAny<T>(result, count), op,
                                      then);
    });
  });
}
template <typename Form>
llcl_status ReduceScatter(const char* call, llcl_team* team, const void* mine, void* result,
                          const std::size_t* counts, const llcl_combination* how, Form form) {
  if (const char* const fault = Fault(team, mine, how)) return Invalid(call, fault);
  if (counts == nullptr) return Invalid(call, "counts is NULL");
  const Sizes blocks(counts, SizeOf(*team));
  const std::size_t own = OwnOf(blocks, *team);
  return form(call, *team, [&](Completion then) {
    return ByElement(*how, [&]<typename T>(T, auto op) {
      return team->team->TryReduceScatter(Elements<T>(mine, Sum(blocks)),
                                          ElementsIfAny<T>(result, own), blocks, op, then);
    });
  });
}
template <typename Form>
llcl_status Scan(const char* call, llcl_team* team, const void* mine, void* result,
                 std::size_t count, const llcl_combination* how, Form form) {
  if (const char* const fault = Fault(team, mine, how)) return Invalid(call, fault);
  return form(call, *team, [&](Completion then) {
    return ByElement(*how, [&]<typename T>(T, auto op) {
      return team->team->TryScan(Elements<T>(mine, count), ElementsIfAny<T>(result, count), op,
                                 then);
    });
  });
}

}  // namespace

extern "C" {

llcl_status llcl_reduce(llcl_team* team, const void* mine, void* result, size_t count,
                        const llcl_combination* how, int root) {
  return Reduce(__func__, team, mine, result, count, how, root, Waits{});
}
llcl_status llcl_try_reduce(llcl_team* team, const void* mine, void* result, size_t count,
                            const llcl_combination* how, int root, llcl_completion* then) {
  return Reduce(__func__, team, mine, result, count, how, root, Begins{then});
}

llcl_status llcl_allreduce(llcl_team* team, const void* mine, void* result, size_t count,
                           const llcl_combination* how) {
  return Allreduce(__func__, team, mine, result, count, how, Waits{});
}
llcl_status llcl_try_allreduce(llcl_team* team, const void* mine, void* result, size_t count,
                               const llcl_combination* how, llcl_completion* then) {
  return Allreduce(__func__, team, mine, result, count, how, Begins{then});
}

llcl_status llcl_reduce_scatter(llcl_team* team, const void* mine, void* result,
                                const size_t* counts, const llcl_combination* how) {
  return ReduceScatter(__func__, team, mine, result, counts, how, Waits{});
}
llcl_status llcl_try_reduce_scatter(llcl_team* team, const void* mine, void* result,
                                    const size_t* counts, const llcl_combination* how,
                                    llcl_completion* then) {
  return ReduceScatter(__func__, team, mine, result, counts, how, Begins{then});
}

llcl_status llcl_scan(llcl_team* team, const void* mine, void* result, size_t count,
                      const llcl_combination* how) {
  return Scan(__func__, team, mine, result, count, how, Waits{});
}
llcl_status llcl_try_scan(llcl_team* team, const void* mine, void* result, size_t count,
                          const llcl_combination* how, llcl_completion* then) {
  return Scan(__func__, team, mine, result, count, how, Begins{then});
}

}  // extern "C"
