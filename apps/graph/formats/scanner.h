// The lines of a text, the fields of a line, and errors that name line and field. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/format.h"

namespace graph {

// A value: the noun of a number and its bounds, for reading and for messages.
struct Expected {
  const char* noun;  // with its article
  std::uint64_t low = 0;
  std::uint64_t high = ~std::uint64_t{0};
};

// 'text' in quotes: bytes that do not print are escaped, a long one is cut.
std::string Quoted(std::string_view text);

// A value: a text of lines, perhaps a part of a file.
struct Body {
  std::string_view file;
  std::string_view text;
  std::uint64_t lines_before = 0;
  // Between fields, beside blanks and tabs, and once at most; 0: none.
  char separator = 0;
};

// A value; the text must live as long. Blanks, tabs and the body's separator stand between fields.
class Scanner {
 public:
  Scanner(std::string_view file, std::string_view text) : Scanner(Body{file, text}) {}
  explicit Scanner(const Body& body)
      : file_(body.file), rest_(body.text), line_(body.lines_before), separator_(body.separator) {}

  // Goes to the next line; false where there is none.
  bool NextLine();
  // Goes to the next line that has a field and does not begin with one of these.
  bool NextLineWithout(std::string_view comments);

  // The next field of the line; empty at its end.
  std::string_view NextField();
  bool AtLineEnd();
  // Is this the first byte of what is left of the line?
  bool StartsWith(char c) const { return !fields_.empty() && fields_.front() == c; }
  // The fields of the line that were not read, as they stand.
  std::string_view fields() const { return fields_; }

  // The next field as an integer within its bounds.
  absl::StatusOr<std::uint64_t> Integer(const Expected& expected);
  // The next field as one of the vertices that the file numbers from `first` to `last`.
  absl::StatusOr<Vertex> VertexId(std::uint64_t first, std::uint64_t last);
  // The next field must be any integer, or any real number. It is added to `weights` where that is
  // not null, and must then be finite.
  absl::Status ReadInteger(const char* noun, std::vector<double>* weights = nullptr);
  absl::Status ReadReal(const char* noun, std::vector<double>* weights = nullptr);
  // No field may be left.
  absl::Status EndLine();

  // The line that NextLine last went to, from 1; 0 before.
  std::uint64_t line() const { return line_; }
  // The lines after the current one.
  Body rest() const { return {file_, rest_, line_, separator_}; }
  // "file:line: found ..., expected ...".
  absl::Status Fault(std::string_view found, std::string_view expected) const;
  // Fault of the field that was read last, with its number; an empty one is the end of the line.
  absl::Status FieldFault(std::string_view field, std::string_view expected) const;
  // Fault of the end of the file, or of an empty file.
  absl::Status EndFault(std::string_view expected) const;

 private:
  bool IsBetween(char c) const {
    return c == ' ' || c == '\t' || (c == separator_ && separator_ != 0);
  }
  // Of a field that is a number.
  absl::Status Keep(std::string_view field, const char* noun, std::vector<double>* weights);

  std::string_view file_;
  std::string_view rest_;    // after the current line
  std::string_view fields_;  // of the current line, after those that were read
  std::uint64_t line_ = 0;
  std::uint64_t field_ = 0;  // fields of the line that were read
  char separator_ = 0;
  bool may_skip_separator_ = false;
};

}  // namespace graph
