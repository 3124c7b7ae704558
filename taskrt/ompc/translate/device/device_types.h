// The types of C that OpenCL C has, too, by the text of their declarations: integers and floating
// point numbers, pointers to them, and arrays of them. A typedef's name, a structure, a pointer to
// a pointer and a function are none.
//
// Pure. Threads: any. Source: OpenCL C 1.2, sections 6.1.1 and 6.9.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taskrt/ompc/translate/c/scope.h"

namespace taskrt {

// A value: OpenCL's name of a type of numbers, whose values are C's. Where the host's plain char
// has no sign, ompc_char has none (OMPC_LOOP_OPTIONS in omp.h).
struct DeviceType {
  std::string name;
  int bytes = 0;
  bool is_floating = false, is_unsigned = false;
};

// "const unsigned long int" is ulong.
std::optional<DeviceType> DeviceTypeOf(std::span<const std::string> words);
// May the word be in a type's name?
bool IsDeviceTypeWord(const std::string& word);

// A value: what a variable is.
struct DeviceShape {
  enum class Kind { kNumber, kPointer, kArray } kind = Kind::kNumber;
  DeviceType type;                  // of it, or of its elements
  std::vector<std::string> bounds;  // kArray: all; kPointer: of the arrays that it points to

  // With how many indices an element is named.
  std::size_t rank() const { return bounds.size() + (kind == Kind::kPointer ? 1 : 0); }
  // The bounds of all dimensions but the first, by which an index is multiplied.
  std::span<const std::string> inner() const {
    return std::span(bounds).subspan(kind == Kind::kArray ? 1 : 0);
  }
};
std::optional<DeviceShape> DeviceShapeOf(const Variable& variable);

}  // namespace taskrt
