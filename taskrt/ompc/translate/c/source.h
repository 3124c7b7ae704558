// C as text: where comments, literals, brackets and statements end. What the translator
// (translate.h) finds its way by.
//
// Pure. Threads: any.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace taskrt {

// A value: a file's text, which outlives it. Places in it are numbers of bytes.
class Source {
 public:
  Source(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }
  std::string Text(std::size_t from, std::size_t to) const {
    return std::string(text_.substr(from, to - from));
  }
  // Of a place: the line and the file that the line markers before it say ("# 12 "x.c"").
  struct Line {
    std::string file;
    long number = 1;
  };
  Line LineOf(std::size_t at) const;
  // "file:line: expected ..."
  absl::Status Expected(std::size_t at, const std::string& what) const;
  // The same for the InvalidArgument of a place in it that has no line yet.
  absl::Status At(std::size_t at, const absl::Status& status) const;

  // Behind the comment, string or character that begins here; `at` where none does.
  std::size_t AfterText(std::size_t at) const;
  // Behind white space and comments.
  std::size_t AfterSpace(std::size_t at) const;
  // Does a line of the preprocessor begin here, with its #? And where does it end?
  bool IsDirective(std::size_t at) const;
  std::size_t AfterDirective(std::size_t at) const;
  // Behind the word that begins here; `at` where none does.
  std::size_t AfterWord(std::size_t at) const;
  std::string WordAt(std::size_t at) const { return Text(at, AfterWord(at)); }
  // Behind the bracket that closes the one here.
  absl::StatusOr<std::size_t> AfterBrackets(std::size_t at) const;
  // Behind the statement that begins here or behind space and pragmas. Of this and AfterBrackets:
  // InvalidArgument where a branch of #if has a part of it alone.
  absl::StatusOr<std::size_t> AfterStatement(std::size_t at) const;

 private:
  // Does a line of the preprocessor begin, split or end a conditional?
  enum class Conditional { kNone, kBegin, kElse, kEnd };
  Conditional ConditionalAt(std::size_t at) const;
  absl::Status IsCut(std::size_t at) const;
  // Behind the next `end` outside of brackets, which closes the bracket at `open`, if there is one.
  absl::StatusOr<std::size_t> After(char end, std::size_t at,
                                    std::size_t open = std::string::npos) const;

  const std::string_view text_;
  const std::string file_;
};

bool IsWordCharacter(char c);

// A value: a word, a literal, or one character of what else there is.
struct Token {
  enum class Kind { kWord, kLiteral, kMark } kind = Kind::kMark;
  std::string text;
  std::size_t begin = 0, end = 0;  // where it is
  bool Is(std::string_view what) const { return text == what && kind != Kind::kLiteral; }
};
// Without white space, comments and lines of the preprocessor but pragmas'.
std::vector<Token> TokensOf(std::string_view text);
// Behind the bracket that closes the one at `at`; the number of tokens where none does.
std::size_t AfterBrackets(const std::vector<Token>& tokens, std::size_t at);
// Is the word at `at` no variable's name, as what is before it says: a member's, a tag's, a
// label's?
bool IsOtherName(const std::vector<Token>& tokens, std::size_t at);
// `text`, with another text for each word that may be a variable's name; empty: the word stays.
std::string WithWords(const std::string& text,
                      const std::function<std::string(const std::string&)>& other);
// Words that may be variables' names.
std::vector<std::string> NamesIn(std::string_view text);
// Without white space around it.
std::string Trimmed(std::string_view text);
// At the commas that are in no brackets and no literals; each trimmed. Nothing: none.
std::vector<std::string> SplitAtCommas(std::string_view text);
// The first `c` of `text` in no brackets; npos: none.
std::size_t FindOutside(std::string_view text, char c);

}  // namespace taskrt
