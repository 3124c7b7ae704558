// Tasks whose bodies are functions of typed views, and whose accesses the compiler checks: what a
// task only reads is const in its body.
//
//   const taskrt::TypedKernel gemm("gemm", [](View<const float> a, View<const float> b,
//                                             View<float> c, float alpha) { ... });
//   Block<float> a(rt, "a", a_values), ...;
//   Submit(rt, gemm, in(a), in(b), inout(c), 2.0f);
//   Submit(rt, {.priority = 1}, gemm, in(a), in(b), inout(d), 2.0f);
//   Submit(graph, gemm, in(a), in(b), inout(c), 2.0f);
//
// Header only. Threads, errors: those of runtime.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "lwt/contract.h"
#include "taskrt/block.h"
#include "taskrt/future.h"
#include "taskrt/graph.h"
#include "taskrt/kernel.h"
#include "taskrt/matrix.h"
#include "taskrt/runtime.h"
#include "taskrt/task_options.h"
#include "taskrt/typed_kernel.h"

namespace taskrt {
namespace typed {

// Accesses first, then scalars, one after the other.
template <typename... Arguments>
struct Call {
  static constexpr std::size_t kAccesses =
      (std::size_t{0} + ... + std::size_t{IsAccess<Arguments>::value});
  static constexpr std::size_t kScalarBytes =
      (std::size_t{0} + ... + (IsAccess<Arguments>::value ? 0 : sizeof(Arguments)));

  // `more`: behind the scalars.
  template <std::size_t kMoreBytes>
  struct Values {
    std::array<Access, kAccesses> accesses;
    std::array<std::byte, kScalarBytes + kMoreBytes> scalars;
  };
  template <typename... More>
  static auto Of(const Arguments&... arguments, const More&... more) {
    Values<(std::size_t{0} + ... + sizeof(More))> values;
    std::size_t accesses = 0, bytes = 0;
    const auto add = [&](const auto& argument) {
      using T = std::decay_t<decltype(argument)>;
      if constexpr (IsAccess<T>::value) {
        values.accesses[accesses++] = argument.access;
      } else {
        static_assert(std::is_trivially_copyable_v<T>, "devices copy a scalar's bytes");
        std::memcpy(values.scalars.data() + bytes, &argument, sizeof(T));
        bytes += sizeof(T);
      }
    };
    (add(arguments), ...);
    (add(more), ...);
    return values;
  }
};

template <typename Parameters, typename... Arguments>
concept Takes = std::is_same_v<Parameters, std::tuple<typename ParameterOf<Arguments>::Type...>>;

}  // namespace typed

// Submits a task. A Completion (completion.h), or the Future of what the body returns; a kernel
// with a result runs on the host. A kernel that is declared in the call itself is refused: it would
// be kept for each task.
template <typename Parameters, typename Result, typename... Arguments>
auto Submit(Runtime& runtime, const TaskOptions& options,
            const TypedKernel<Parameters, Result>& kernel, const Arguments&... arguments) {
  static_assert(typed::Takes<Parameters, Arguments...>,
                "the kernel's body takes other arguments: for in() a View<const T>, for out() and "
                "inout() a View<T>, and a scalar of the very type that is passed here");
  kernel.kept_by().Add(runtime.kept());
  if constexpr (std::is_void_v<Result>) {
    const auto call = typed::Call<Arguments...>::template Of<>(arguments...);
    return runtime.Submit(kernel.kernel(), call.accesses, call.scalars, options);
  } else {
    lwt::CheckContract(kernel.kernel().opencl() == nullptr && kernel.kernel().cuda() == nullptr &&
                           kernel.kernel().simulated() == nullptr &&
                           kernel.kernel().cuda_stream() == nullptr,
                       "a kernel with a result is for the host alone");
    auto state = std::make_shared<typename Future<Result>::State>();
    auto* const at = state.get();
    const auto call = typed::Call<Arguments...>::template Of<decltype(at)>(arguments..., at);
    return Future<Result>(runtime.Submit(kernel.kernel(), call.accesses, call.scalars, options),
                          std::move(state), runtime.kept());
  }
}
template <typename Parameters, typename Result, typename... Arguments>
auto Submit(Runtime& runtime, const TypedKernel<Parameters, Result>& kernel,
            const Arguments&... arguments) {
  return Submit(runtime, TaskOptions(), kernel, arguments...);
}
template <typename Parameters, typename Result, typename... Arguments>
void Submit(Runtime& runtime, const TaskOptions& options,
            const TypedKernel<Parameters, Result>&& kernel, const Arguments&... arguments) = delete;
template <typename Parameters, typename Result, typename... Arguments>
void Submit(Runtime& runtime, const TypedKernel<Parameters, Result>&& kernel,
            const Arguments&... arguments) = delete;

// As Graph::Submit. The graph keeps the kernel.
template <typename Parameters, typename... Arguments>
void Submit(Graph& graph, const TaskOptions& options, const TypedKernel<Parameters>& kernel,
            const Arguments&... arguments) {
  static_assert(typed::Takes<Parameters, Arguments...>,
                "the kernel's body takes other views or scalars: what is in() is a View<const T> "
                "there");
  const auto call = typed::Call<Arguments...>::template Of<>(arguments...);
  graph.Keep(kernel.shared());
  graph.Submit(kernel.kernel(), call.accesses, call.scalars, options);
}
template <typename Parameters, typename... Arguments>
void Submit(Graph& graph, const TypedKernel<Parameters>& kernel, const Arguments&... arguments) {
  Submit(graph, TaskOptions(), kernel, arguments...);
}

// As Runtime::SetReduction: `initialize` sets a partial block, `combine` adds that to the block.
// The runtime copies both.
template <typename T>
void SetReduction(Runtime& runtime, const Matrix<T>& matrix,
                  const TypedKernel<std::tuple<View<T>>>& initialize,
                  const TypedKernel<std::tuple<View<T>, View<const T>>>& combine) {
  runtime.SetReduction(matrix.handle, initialize.kernel(), combine.kernel());
}

}  // namespace taskrt
