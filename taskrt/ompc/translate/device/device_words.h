// Statements and expressions of C, written in OpenCL C. Each variable gets a name of its own, as
// OpenCL's words are other words than C's; the functions of <math.h> have C's types of arguments
// and results. The text is refused unless every word and mark of it is one that means the same in
// both languages.
//
// Pure. Threads: any. Source: OpenCL C 1.2, sections 6.1 to 6.3 and 6.12.2.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "taskrt/ompc/translate/device/device_types.h"

namespace taskrt {

// "v_x": a number, a pointer to numbers, or an array that the text declares.
std::string DeviceNameOf(const std::string& name);
// A constant: the bound of a row's dimension, by its number from 1 on.
std::string DeviceBoundOf(const std::string& name, std::size_t dimension);

// A value: what is known while one kernel is written.
class DeviceWords {
 public:
  // `macros`: the text of each, as Translator has it.
  explicit DeviceWords(const std::map<std::string, std::string>& macros) : macros_(macros) {}

  // A variable that the text may use, by its DeviceNameOf. kPlace: a pointer to it has that name.
  // Of a pointer to arrays, or an array elsewhere, all elements are in a row behind the name;
  // DeviceBoundOf says how they are divided.
  enum class As { kItself, kPlace, kRow };
  void Add(const std::string& name, As as, const DeviceShape& shape);

  // Appends the text in OpenCL C; false: it cannot be written, and `out` has a part of it.
  bool Write(std::string_view text, std::string& out);

  // The definitions of the functions that Write has used; has it used numbers of type double?
  std::string functions() const;
  bool uses_double() const { return uses_double_; }
  void UseType(const DeviceType& type) { uses_double_ |= type.name == "double"; }

 private:
  // A value: a name, a number, or a mark with all of its characters.
  struct Word {
    enum class Kind { kName, kNumber, kMark } kind = Kind::kMark;
    std::string text;
    bool Is(std::string_view what) const { return kind != Kind::kNumber && text == what; }
  };
  struct Known {
    As as = As::kItself;
    std::size_t rank = 0;
  };

  static bool WordsOf(std::string_view text, std::vector<Word>& words);
  static bool NumberAt(std::string_view text, std::size_t& at, std::vector<Word>& words);
  bool Write(const std::vector<Word>& words, std::size_t begin, std::size_t end, std::string& out);
  bool WriteType(const std::vector<Word>& words, std::size_t& at, std::size_t end,
                 std::string& out);
  bool WriteDeclared(const std::vector<Word>& words, std::size_t& at, std::size_t end,
                     std::string& out);
  bool WriteName(const std::vector<Word>& words, std::size_t& at, std::size_t end,
                 std::string& out);
  bool WriteElement(const Known& known, const std::vector<Word>& words, std::size_t& at,
                    std::size_t end, std::string& out);
  bool WriteMacro(const std::string& name, std::string& out);

  const std::map<std::string, std::string>& macros_;
  std::map<std::string, Known> known_;
  std::set<std::string> functions_, expanding_;
  int declaring_ = 0;  // depth of the brackets that a declaration is in, from 1 on; 0: in none
  bool uses_double_ = false;
};

}  // namespace taskrt
