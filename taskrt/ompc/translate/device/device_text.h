// A loop of OpenMP as a kernel of OpenCL C, where its text is the same in both languages: a work
// item has every n-th chunk of iterations, of n work items.
//
//   __kernel void ompc_loop(__global char *b_a, long o_a, int i_n)
//
// The arguments are the blocks, then of each argument of the task in its order the bytes that its
// pointer is behind its block's begin, or its value. A reduction's items add up in groups, and each
// group adds its value to the variable.
//
// Pure. Threads: any. Source: OpenCL C 1.2.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "taskrt/ompc/translate/c/loop.h"
#include "taskrt/ompc/translate/c/scope.h"
#include "taskrt/ompc/translate/directives/directive.h"

namespace taskrt {

// A value: a variable of a loop, by how its task gets it.
struct DeviceVariable {
  enum class From {
    kValue,    // an argument: the number itself
    kPlace,    // an argument: a pointer, or the place of a number or an array
    kNowhere,  // each work item has its own
  };
  Variable variable;
  From from = From::kValue;
};

// A value.
struct DeviceReduction {
  std::string sign, variable;  // the variable is one of kPlace
};

// A value: loops inside of each other, the outermost first, and what the innermost one repeats.
struct DeviceLoop {
  std::vector<DeviceVariable> variables;  // the arguments of the task in their order, and others
  std::vector<DeviceReduction> reductions;
  std::vector<Loop> loops;
  std::vector<Variable> counters;  // the loops' variables
  std::string chunk;  // schedule's: so many iterations in order by one item; empty: one
  std::string body;
  std::map<std::string, std::string> macros;
};

// A value.
struct DeviceText {
  std::string source;           // of the kernel ompc_loop
  int blocks = 0;               // its first arguments
  std::vector<int> scalars;     // the bytes of each of the others
  bool adds_in_groups = false;  // of kDeviceGroup work items
};
inline constexpr int kDeviceGroup = 64;

// Do the directive's words leave open who runs which iteration, and when? Then the reductions;
// none: they do not.
std::optional<std::vector<DeviceReduction>> DeviceReductionsOf(const Directive& directive);

// None: a word, a type or a form of the loop is none that OpenCL C is sure to have.
std::optional<DeviceText> DeviceTextOf(const DeviceLoop& loop);

}  // namespace taskrt
