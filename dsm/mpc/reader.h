// A place in the text of a C program, that moves over comments, strings and the preprocessor's
// lines as one.
//
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace dsm::mpc {

bool IsWord(char c);

// A value: it refers to the text.
class Reader {
 public:
  Reader(std::string_view source, std::string_view file) : source_(source), file_(file) {}

  bool at_end() const { return at_ >= source_.size(); }
  char next() const { return source_[at_]; }
  std::size_t at() const { return at_; }
  std::string_view source() const { return source_; }
  const std::string& file() const { return file_; }
  void Move() { ++at_; }
  void MoveTo(std::size_t at) { at_ = at; }
  int LinesSince(std::size_t start) const;

  // "file:line: expected ..." of a place.
  absl::Status Expected(std::size_t at, const std::string& what) const;

  // A comment, a string, a character, or a line of the preprocessor. is_whole(): it has an end.
  bool SkipText();
  bool is_whole() const { return is_whole_; }
  // Blanks and comments.
  void SkipSpace();
  // The letters, digits and underscores from here on; "" where there is none.
  std::string Word();
  bool Take(std::string_view what);
  // What stands before one of `ends`, brackets within counted.
  std::string Until(std::string_view ends);
  // "[a][b][c]"; "" of an empty one. Ends before a bracket that nothing closes.
  std::vector<std::string> Bracketed();

 private:
  std::string_view source_;
  std::string file_;
  std::size_t at_ = 0;
  bool is_whole_ = true;
};

}  // namespace dsm::mpc
