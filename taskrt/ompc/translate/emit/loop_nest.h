// The C text by which a chunk of a loop nest's iterations is run. The iterations have numbers from
// 0 on, in the order of the loops. A nest whose inner bounds name outer variables, as that of a
// triangle, is no rectangle: its iterations are counted, and the first one of a chunk is found, by
// a walk over the outer loops.
//
// Pure. Threads: any. Source: OpenMP 5.1, section 2.11.1.
#pragma once

#include <span>
#include <string>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

// A value. `open` and `close` stand around the body and run the iterations from ompc_first up to
// ompc_last.
struct NestText {
  std::string head;   // declarations before the loop, where names mean the variables outside
  std::string count;  // an expression: the number of iterations
  std::string open, close;
  std::string number;  // an expression in the body: the iteration's number
  std::string last;    // behind the last iteration: the variables as C's loops leave them
};
NestText NestTextOf(std::span<const SharedLoop> loops);

}  // namespace taskrt
