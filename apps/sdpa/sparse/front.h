// A front of the multifrontal method, which is a dense symmetric matrix of which some first columns
// are eliminated. Its lower triangle counts; all by columns.
//
// Threads: from a lightweight thread where a front is large, whose tiles are computed in parallel;
// any otherwise. The BLAS must have one thread. Each result is the same to the last bit whichever
// and however many threads compute it.
//
// Source: J. W. H. Liu, The multifrontal method for sparse matrix solution, SIAM Review 34, 1992.
#pragma once

#include <cstddef>
#include <span>

#include "apps/sdpa/sparse/busy_time.h"

namespace sdpa {

// A value: a view of a front.
struct Front {
  int rows = 0;
  int columns = 0;           // that are eliminated
  double* panel = nullptr;   // those columns: rows x columns elements
  double* update = nullptr;  // the other rows' and columns' square, which the elimination changes

  int rows_below() const { return rows - columns; }
  double* column(int number) const {
    const auto j = static_cast<std::ptrdiff_t>(number);
    if (number < columns) return panel + j * rows;
    return update + (j - columns) * rows_below() - columns;
  }
};

// `busy`: the calling thread's, for all.

// Sets all elements of the lower triangle to zero.
void Clear(const Front& front, BusyTime& busy);

// Adds a child's update, of places.size() rows and columns; places: the front's rows for these.
void AddUpdate(const double* update, std::span<const int> places, const Front& front,
               BusyTime& busy);

// Eliminates the columns: the panel becomes the factor's, what is left is in the update. Returns
// the column whose pivot is not positive or no number, or kNone (elimination_tree.h).
int Eliminate(const Front& front, BusyTime& busy);

}  // namespace sdpa
