// The text of --generate, a family of problems and its parameters: "theta:n=200,m=1949",
// "infeasible:primal". Pure.
//
//   family[:[word][,key=value]...]
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/program/words.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value. A family asks for each of its keys, then for the status: the first wrong value, or a key
// that the family did not ask for. Where a value is wrong the answer is the default.
class Arguments {
 public:
  static absl::StatusOr<Arguments> Parse(std::string_view text);

  const std::string& family() const { return family_; }

  // The word before the keys, one of `allowed`, of which the first is the default.
  std::string Word(const std::vector<std::string>& allowed);
  int Whole(const std::string& key, int otherwise, int least, int most);
  std::uint64_t Seed();
  std::string Choice(const std::string& key, const std::vector<std::string>& allowed);
  template <typename Enum>
  Enum Choice(const std::string& key, const program::Words<Enum>& words) {
    return *words.Parse(key, Choice(key, words.Texts()));
  }
  // "5+6".
  std::vector<int> Wholes(const std::string& key, std::vector<int> otherwise, int least, int most);
  // "20+d10+5x300": a dense block of 20 rows, a diagonal of 10, 300 dense blocks of 5.
  std::vector<Block> Blocks(const std::string& key, const std::string& otherwise);

  // The key's value is wrong in what only the family knows.
  void Refuse(const std::string& key, const std::string& expected);

  // None of the values that were asked for is wrong, so far.
  bool ok() const { return first_error_.ok(); }
  // InvalidArgument is one sentence.
  absl::Status status() const;

 private:
  const std::string* Find(const std::string& key);

  std::string text_, family_;
  std::map<std::string, std::string> given_;  // the word by ""
  std::vector<std::string> asked_;
  absl::Status first_error_;
};

// "a, b or c".
std::string Alternatives(const std::vector<std::string>& words);

}  // namespace sdpa
