// Kernels whose bodies are functions of typed views.
//
//   const taskrt::TypedKernel scale("scale", [](View<double> x, double by) { ... });
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/future.h"
#include "taskrt/kept.h"
#include "taskrt/kernel.h"
#include "taskrt/matrix.h"
#include "taskrt/tile.h"
#include "taskrt/view.h"

namespace taskrt {
namespace typed {

template <typename T>
struct IsView : std::false_type {};
template <typename T>
struct IsView<View<T>> : std::true_type {};

template <typename T>
struct IsAccess : std::false_type {};
template <typename Element>
struct IsAccess<TypedAccess<Element>> : std::true_type {};

// What the body takes, one after the other.
struct Arguments {
  std::span<const Tile> tiles;
  std::span<const std::byte> scalars;

  template <typename T>
  T Next() {
    if constexpr (IsView<T>::value) {
      const Tile& tile = tiles.front();
      tiles = tiles.subspan(1);
      return T(tile);
    } else {
      T value;
      std::memcpy(&value, scalars.data(), sizeof(T));
      scalars = scalars.subspan(sizeof(T));
      return value;
    }
  }
};

// What a body's caller gets of it: void for an absl::Status, T for a T or an absl::StatusOr<T>.
template <typename T>
struct ResultOf {
  using Type = T;
};
template <>
struct ResultOf<absl::Status> {
  using Type = void;
};
template <typename T>
struct ResultOf<absl::StatusOr<T>> {
  using Type = T;
};

template <typename Returned, typename... Parameters>
struct SignatureOfFunction {
  using Tuple = std::tuple<std::decay_t<Parameters>...>;
  using Result = typename ResultOf<std::decay_t<Returned>>::Type;

  template <typename Body>
  static Kernel::Body Erase(Body body) {
    return [body](std::span<const Tile> tiles, std::span<const std::byte> scalars) {
      Arguments arguments{tiles, scalars};
      // In braces: in their order.
      Tuple values{arguments.Next<std::decay_t<Parameters>>()...};
      if constexpr (std::is_void_v<Returned>) {
        std::apply(body, std::move(values));
        return absl::OkStatus();
      } else if constexpr (std::is_void_v<Result>) {
        return std::apply(body, std::move(values));
      } else {
        auto* const state = arguments.Next<typename Future<Result>::State*>();
        if constexpr (std::is_same_v<std::decay_t<Returned>, Result>) {
          state->emplace(std::apply(body, std::move(values)));
        } else {
          auto returned = std::apply(body, std::move(values));
          if (!returned.ok()) return returned.status();
          state->emplace(*std::move(returned));
        }
        return absl::OkStatus();
      }
    };
  }
};
// Bodies are const: several tasks may run one at the same time.
template <typename T>
struct Signature;
template <typename F, typename Result, typename... Parameters>
struct Signature<Result (F::*)(Parameters...) const> : SignatureOfFunction<Result, Parameters...> {
};
template <typename F, typename Result, typename... Parameters>
struct Signature<Result (F::*)(Parameters...) const noexcept>
    : SignatureOfFunction<Result, Parameters...> {};
template <typename F>
concept HasOneConstCall = requires {
  typename Signature<decltype(&F::operator())>::Tuple;
};
template <typename F>
struct SignatureOf {
  static_assert(HasOneConstCall<F>,
                "a kernel's body is a function, or an object with one operator() that is const and "
                "no template: a lambda that is not mutable and has no auto among its parameters");
  using Tuple = std::tuple<>;
  using Result = void;
  static Kernel::Body Erase(F) { return {}; }
};
template <HasOneConstCall F>
struct SignatureOf<F> : Signature<decltype(&F::operator())> {};
template <typename Result, typename... Parameters>
struct SignatureOf<Result (*)(Parameters...)> : SignatureOfFunction<Result, Parameters...> {};
template <typename Result, typename... Parameters>
struct SignatureOf<Result (*)(Parameters...) noexcept>
    : SignatureOfFunction<Result, Parameters...> {};

// What is submitted for a parameter.
template <typename T>
struct ParameterOf {
  using Type = T;
};
template <typename Element>
struct ParameterOf<TypedAccess<Element>> {
  using Type = View<Element>;
};

}  // namespace typed

// A resource: a kernel whose body for the host is a function, or a lambda, of views, in the order
// of the accesses, and of scalars behind them. It returns nothing or an absl::Status: an error is
// its task's, as is what it throws; or a value or an absl::StatusOr of one, which Submit's Future
// has. Devices have bodies of their own, which return nothing: `OnOpenCl`, ... of kernel(). The
// kernel may end before its tasks. Threads: made by one; submitted by any.
template <typename Parameters, typename Result = void>
class TypedKernel {
 public:
  template <typename F>
  TypedKernel(std::string name, F body) : kernel_(std::make_shared<Kernel>(std::move(name))) {
    kernel_->OnHost(typed::SignatureOf<F>::Erase(std::move(body)));
  }
  // The copy is a kernel of its own.
  TypedKernel(const TypedKernel& other) : kernel_(std::make_shared<Kernel>(*other.kernel_)) {}
  TypedKernel& operator=(const TypedKernel&) = delete;
  ~TypedKernel() { kept_by_.LeaveTo(kernel_); }

  Kernel& kernel() { return *kernel_; }
  const Kernel& kernel() const { return *kernel_; }

  // For Submit.
  const std::shared_ptr<Kernel>& shared() const { return kernel_; }
  KeptBy& kept_by() const { return kept_by_; }

 private:
  const std::shared_ptr<Kernel> kernel_;
  mutable KeptBy kept_by_;
};
template <typename F>
TypedKernel(std::string, F)
    -> TypedKernel<typename typed::SignatureOf<F>::Tuple, typename typed::SignatureOf<F>::Result>;

}  // namespace taskrt
