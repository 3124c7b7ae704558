#include "apps/sdpa/sparse/ordering.h"

#include <suitesparse/amd.h>

#include <new>

#include "lwt/contract.h"

namespace sdpa {

std::vector<int> MinimumDegreeOrder(const SparsePattern& pattern) {
  // AMD's integers of 64 bits: those of 32 would be too few for the rows of nearly dense matrices.
  using Integer = SuiteSparse_long;
  const std::vector<Integer> begin(pattern.column_begin.begin(), pattern.column_begin.end());
  const std::vector<Integer> rows(pattern.rows.begin(), pattern.rows.end());
  std::vector<Integer> order(static_cast<std::size_t>(pattern.size()));
  if (order.empty()) return {};
  const int status = amd_l_order(pattern.size(), begin.data(), rows.data(), order.data(),
                                 /*Control=*/nullptr, /*Info=*/nullptr);
  if (status == AMD_OUT_OF_MEMORY) throw std::bad_alloc();
  lwt::CheckContract(status == AMD_OK, "a pattern has ascending rows of its own size by columns");
  return {order.begin(), order.end()};
}

}  // namespace sdpa
