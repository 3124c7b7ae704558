// Tasks whose bodies are functions of typed views, and whose accesses the compiler checks: what a
// task only reads is const in its body.
//
//   const taskrt::TypedKernel gemm("gemm", [](View<const float> a, View<const float> b,
//                                             View<float> c, float alpha) { ... });
//   const Matrix<float> a = Register(rt, "a", a_values), ...;
//   Submit(rt, gemm, in(a), in(b), inout(c), 2.0f);
//
// Header only. Threads, errors: those of runtime.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "taskrt/kernel.h"
#include "taskrt/order/task_call.h"
#include "taskrt/runtime.h"

namespace taskrt {

// A value: rows of elements, where a task's body sees them.
template <typename T>
class View {
 public:
  explicit View(const Tile& tile) : tile_(tile) {}

  std::size_t rows() const { return tile_.rows; }
  std::size_t columns() const { return tile_.row_bytes / sizeof(T); }
  T& operator()(std::size_t row, std::size_t column) const { return this->row(row)[column]; }
  std::span<T> row(std::size_t row) const {
    return {reinterpret_cast<T*>(tile_.data + row * tile_.stride), columns()};
  }
  // Of one row.
  T& operator[](std::size_t column) const { return (*this)(0, column); }
  std::size_t size() const { return rows() * columns(); }

 private:
  Tile tile_;
};

// A value: a block of the user's memory, of elements of one type.
template <typename T>
struct Matrix {
  Handle handle;
};

// `rows` by `columns` elements, of which rows begin `stride` elements after each other.
template <typename T>
Matrix<T> Register(Runtime& runtime, std::string name, T* data, std::size_t rows,
                   std::size_t columns, std::size_t stride, int owner = 0) {
  static_assert(std::is_trivially_copyable_v<T>, "devices copy bytes");
  return {runtime.Register(
      std::move(name),
      {reinterpret_cast<std::byte*>(data), rows, columns * sizeof(T), stride * sizeof(T)}, owner)};
}
// One row.
template <typename T>
Matrix<T> Register(Runtime& runtime, std::string name, std::vector<T>& values, int owner = 0) {
  return Register(runtime, std::move(name), values.data(), 1, values.size(), values.size(), owner);
}

// Values: what a task does with a block, and how its body sees that.
template <typename Element>
struct TypedAccess {
  using Seen = View<Element>;
  Access access;
};
template <typename T>
TypedAccess<const T> in(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kIn}};
}
template <typename T>
TypedAccess<T> out(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kOut}};
}
template <typename T>
TypedAccess<T> inout(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kInOut}};
}
template <typename T>
TypedAccess<T> commutative(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kCommutative}};
}
template <typename T>
TypedAccess<T> reduction(const Matrix<T>& matrix) {
  return {{matrix.handle, Mode::kReduction}};
}

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

template <typename Result, typename... Parameters>
struct SignatureOfFunction {
  static_assert(std::is_void_v<Result> || std::is_same_v<Result, absl::Status>,
                "a kernel's body returns nothing or an absl::Status");
  using Tuple = std::tuple<std::decay_t<Parameters>...>;
  template <typename Body>
  static Kernel::Body Erase(Body body) {
    return [body](std::span<const Tile> tiles, std::span<const std::byte> scalars) {
      Arguments arguments{tiles, scalars};
      // In braces: in their order.
      Tuple values{arguments.Next<std::decay_t<Parameters>>()...};
      if constexpr (std::is_void_v<Result>) {
        std::apply(body, std::move(values));
        return absl::OkStatus();
      } else {
        return std::apply(body, std::move(values));
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
using SignatureOf = Signature<decltype(&F::operator())>;

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

// A value: a kernel whose body for the host is a function of views, in the order of the accesses,
// and of scalars behind them. It returns nothing, or an absl::Status: an error is its task's, as is
// what it throws. Devices have bodies of their own: `OnOpenCl`, ... of kernel().
template <typename Parameters>
class TypedKernel {
 public:
  template <typename F>
  TypedKernel(std::string name, F body) : kernel_(std::move(name)) {
    kernel_.OnHost(typed::SignatureOf<F>::Erase(std::move(body)));
  }
  Kernel& kernel() { return kernel_; }
  const Kernel& kernel() const { return kernel_; }

 private:
  Kernel kernel_;
};
template <typename F>
TypedKernel(std::string, F) -> TypedKernel<typename typed::SignatureOf<F>::Tuple>;

// The kernel outlives the task. Accesses first, then scalars.
template <typename Parameters, typename... Arguments>
void Submit(Runtime& runtime, const TypedKernel<Parameters>& kernel,
            const Arguments&... arguments) {
  static_assert(
      std::is_same_v<Parameters, std::tuple<typename typed::ParameterOf<Arguments>::Type...>>,
      "the kernel's body takes other views or scalars: what is in() is a View<const T> there");
  static_assert(
      (0 + ... + std::size_t{typed::IsAccess<Arguments>::value}) <= TaskCall::kMostAccesses,
      "a task has at most eight accesses");
  static_assert((0 + ... + (typed::IsAccess<Arguments>::value ? 0 : sizeof(Arguments))) <=
                    TaskCall::kMostScalarBytes,
                "a task's scalars have at most 64 bytes together");
  std::vector<Access> accesses;
  std::vector<std::byte> scalars;
  const auto add = [&](const auto& argument) {
    if constexpr (requires { argument.access; }) {
      accesses.push_back(argument.access);
    } else {
      static_assert(std::is_trivially_copyable_v<std::decay_t<decltype(argument)>>);
      const auto* const bytes = reinterpret_cast<const std::byte*>(&argument);
      scalars.insert(scalars.end(), bytes, bytes + sizeof(argument));
    }
  };
  (add(arguments), ...);
  runtime.Submit(kernel.kernel(), accesses, scalars);
}

// A temporary kernel would be gone before its task.
template <typename Parameters, typename... Arguments>
void Submit(Runtime& runtime, const TypedKernel<Parameters>&& kernel,
            const Arguments&... arguments) = delete;

// As Runtime::SetReduction: `initialize` sets a partial block, `combine` adds that to the block.
template <typename T>
void SetReduction(Runtime& runtime, const Matrix<T>& matrix,
                  const TypedKernel<std::tuple<View<T>>>& initialize,
                  const TypedKernel<std::tuple<View<T>, View<const T>>>& combine) {
  runtime.SetReduction(matrix.handle, initialize.kernel(), combine.kernel());
}
template <typename T>
void SetReduction(Runtime& runtime, const Matrix<T>& matrix,
                  const TypedKernel<std::tuple<View<T>>>&& initialize,
                  const TypedKernel<std::tuple<View<T>, View<const T>>>& combine) = delete;
template <typename T>
void SetReduction(Runtime& runtime, const Matrix<T>& matrix,
                  const TypedKernel<std::tuple<View<T>>>& initialize,
                  const TypedKernel<std::tuple<View<T>, View<const T>>>&& combine) = delete;
template <typename T>
void SetReduction(Runtime& runtime, const Matrix<T>& matrix,
                  const TypedKernel<std::tuple<View<T>>>&& initialize,
                  const TypedKernel<std::tuple<View<T>, View<const T>>>&& combine) = delete;

}  // namespace taskrt
