#include "taskrt/tests/cholesky_on_host.h"

#include <cstddef>
#include <utility>

namespace taskrt::on_host {
#include "taskrt/workloads/cholesky.cu"
}  // namespace taskrt::on_host

namespace taskrt {
namespace {

template <typename... Arguments>
FakeCuda::Body BodyOf(void (*kernel)(Arguments...), on_host::Order order) {
  return {{sizeof(Arguments)...}, [=](const FakeLaunch& launch) {
            [&]<std::size_t... kI>(std::index_sequence<kI...>) {
              on_host::Launch(launch, order,
                              [&] { kernel(*static_cast<Arguments*>(launch.arguments[kI])...); });
            }
            (std::index_sequence_for<Arguments...>());
          }};
}

}  // namespace

std::map<std::string, FakeCuda::Body> CholeskyOnHost(on_host::Order order) {
#define TASKRT_BODY(name) \
  { #name, BodyOf(on_host::name, order) }
  return {TASKRT_BODY(product_f32),        TASKRT_BODY(product_f64),
          TASKRT_BODY(square_f32),         TASKRT_BODY(square_f64),
          TASKRT_BODY(solve_f32),          TASKRT_BODY(solve_f64),
          TASKRT_BODY(factorize_f32),      TASKRT_BODY(factorize_f64),
          TASKRT_BODY(mark_if_failed_f32), TASKRT_BODY(mark_if_failed_f64)};
#undef TASKRT_BODY
}

}  // namespace taskrt
