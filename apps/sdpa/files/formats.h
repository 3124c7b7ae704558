// The two file formats of semidefinite programs: SDPA's sparse one (.dat-s), which CSDP and DSDP
// read too, and its dense one (.dat). Pure.
//
//   "a title, as many lines as there are before the first number
//   m = number of constraints
//   number of blocks
//   (sizes of blocks): below 0, or 1, for a diagonal one
//   {c_1, ..., c_m}
//   sparse:  matrix block row column value      0 is F_0; numbers from 1 on
//   dense:   all blocks of F_0, then of F_1, ...: whole matrices row by row, or diagonals
//
// Commas, parentheses and braces are spaces anywhere. SDPA and CSDP drop what follows m in its
// line, and so does this, as in "3 = mDIM of 2 blocks". After the number of blocks, the last size
// and c_m, the rest of a line is dropped where it does not begin with a number: CSDP drops it
// always; SDPA never does, but takes the next number, be it in a remark. Between sizes and between
// costs, words without digits are passed over, and a word with digits is refused. A line that
// begins with a star or a quotation mark is a remark anywhere, so that a section *INTEGER, by which
// some programs ask for whole numbers, is passed over: HasIntegers. A byte order mark is passed
// over. A count may be written as 3.0. A number too small for a double is 0.
//
// An element below the diagonal stands for its mirror image, as SDPA and CSDP take it (DSDP does
// not); one that is given again, there or in its mirror image, must have the same value: SDPA takes
// one of two values without a word, CSDP refuses both.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

enum class Format { kSparse, kDense };

// By the file's extension: .dat is dense, all else sparse.
Format FormatOf(std::string_view file);

// InvalidArgument is one sentence, "file:line: found this, expected that".
absl::StatusOr<Problem> Parse(Format format, const std::string& file, std::string_view bytes);

// Does the file ask for whole numbers? What is read is the problem without that wish.
bool HasIntegers(std::string_view bytes);

// How many numbers a problem's matrices are in the dense format, where zeros are written too.
double NumbersOfDenseText(const Problem& problem);

// Read again, it is the same problem to the last bit.
std::string ToText(Format format, const Problem& problem);

}  // namespace sdpa
