// The loop of the paper's figure 14, which chooses F1, F2 or F3 for each element: its own rows are
// those of the elements, as it is a part of no solver.
#include <vector>

#include "apps/sdpa/benches/elements.h"
#include "apps/sdpa/benches/rows.h"
#include "apps/sdpa/measure/measure_elements.h"

int main(int argc, char** argv) {
  std::vector<sdpa::Row> rows;
  sdpa::AddElementsRows(sdpa::Method::kFormulas, rows);
  return sdpa::RunRows(argc, argv, "plain", "", rows);
}
