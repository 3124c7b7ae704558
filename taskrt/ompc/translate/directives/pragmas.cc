#include "taskrt/ompc/translate/directives/pragmas.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/directives/constructs.h"

namespace taskrt {
namespace {

constexpr auto kDigraphs = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"<%", "{ "}, {"%>", "} "}, {"<:", "[ "}, {":>", "] "}});

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// Behind the backslash here, blanks and the line's end; `at` where there is no such thing.
std::size_t AfterSplice(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '\\') return at;
  std::size_t end = at + 1;
  while (end < text.size() && IsBlank(text[end])) ++end;
  return end < text.size() && text[end] == '\n' ? end + 1 : at;
}

// A line as the preprocessor sees it: splices are gone, a comment is a space.
struct LogicalLine {
  std::string text;
  std::size_t end = 0;  // in the file
};
LogicalLine LineAt(std::string_view text, std::size_t at) {
  LogicalLine line;
  char quote = 0;
  while (at < text.size() && text[at] != '\n') {
    const std::string_view rest = text.substr(at);
    if (const std::size_t after = AfterSplice(text, at); after > at) {
      at = after;
    } else if (quote == 0 && (rest.starts_with("//") || rest.starts_with("/*"))) {
      at = Source(text, "").AfterText(at);
      line.text += ' ';
    } else {
      if (quote == 0 && (text[at] == '"' || text[at] == '\'')) {
        quote = text[at];
      } else if (text[at] == quote) {
        quote = 0;
      } else if (quote != 0 && text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n') {
        line.text += text[at++];
      }
      line.text += text[at++];
    }
  }
  line.end = at;
  return line;
}

std::size_t LinesIn(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Does a directive of OpenMP begin with the word?
bool BeginsDirective(const std::string& word) {
  const auto constructs = Constructs();
  return !word.empty() &&
         (IsPart(word) ||
          std::any_of(constructs.begin(), constructs.end(), [&](const Construct& each) {
            return each.name == word || each.name.starts_with(absl::StrCat(word, " "));
          }));
}

}  // namespace

std::string WithPlainPragmas(std::string_view text) {
  const Source source(text, "");
  std::string out;
  std::size_t line = 0;      // where it begins, in `out`
  bool is_begin = true;      // of a line, but for blanks and comments
  bool has_comment = false;  // since then
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const bool is_digraph = rest.starts_with("%:");
    if (is_begin && (rest[0] == '#' || is_digraph)) {
      const LogicalLine all = LineAt(text, at + (is_digraph ? 2 : 1));
      const std::string raw = source.Text(at, all.end);
      const Source logical(all.text, "");
      if (logical.WordAt(logical.AfterSpace(0)) == "pragma") {
        const std::size_t lines = has_comment ? LinesIn(std::string_view(out).substr(line)) : 0;
        if (has_comment) out.resize(line);
        absl::StrAppend(&out, std::string(lines, '\n'), "#", all.text,
                        std::string(LinesIn(raw), '\n'));
      } else {
        out += raw;
      }
      at = all.end;
      is_begin = false;
    } else if (const std::size_t after = source.AfterText(at); after > at) {
      const bool is_comment = rest[0] == '/';
      has_comment |= is_comment;
      is_begin = is_begin && is_comment;
      out += source.Text(at, after);
      at = after;
    } else if (rest[0] == '\n') {
      out += '\n';
      ++at;
      line = out.size();
      is_begin = true;
      has_comment = false;
    } else {
      const auto digraph = std::find_if(kDigraphs.begin(), kDigraphs.end(), [&](const auto& each) {
        return rest.starts_with(each.first);
      });
      is_begin = is_begin && IsBlank(rest[0]);
      out += digraph == kDigraphs.end() ? std::string(1, rest[0]) : std::string(digraph->second);
      at += digraph == kDigraphs.end() ? 1 : 2;
    }
  }
  return out;
}

absl::Status HasNoPragmas(const Source& translation) {
  const std::string_view text = translation.text();
  const auto after_space = [&](std::size_t at) {
    for (std::size_t next = translation.AfterSpace(at);; next = translation.AfterSpace(at)) {
      at = AfterSplice(text, next);
      if (at == next) return at;
    }
  };
  std::string before, before_that;  // the last words or marks
  for (std::size_t at = 0; at < text.size();) {
    if (translation.IsDirective(at)) {
      const std::string name = translation.WordAt(translation.AfterSpace(at + 1));
      if (name != "pragma" && name != "define") {
        at = translation.AfterDirective(at);
        continue;
      }
    }
    if (const std::size_t after = translation.AfterText(at); after > at) {
      const std::string literal = translation.Text(at, after);
      const std::string words = Trimmed(std::string_view(literal).substr(1));
      if (before == "(" && before_that == "_Pragma" && Source(words, "").WordAt(0) == "omp") {
        return translation.Expected(at, "a program that is preprocessed, as it has _Pragma of omp");
      }
      if (literal[0] != '/') before = literal;
      at = after;
      continue;
    }
    const std::size_t end = translation.AfterWord(at);
    if (end == at) {
      if (!IsBlank(text[at]) && text[at] != '\n') {
        before_that = std::exchange(before, std::string(1, text[at]));
      }
      ++at;
      continue;
    }
    const std::string word = translation.Text(at, end);
    const std::string next = translation.WordAt(after_space(end));
    if (word == "pragma" && next == "omp") {
      return translation.Expected(
          at, "a directive of omp in a place where statements or declarations are");
    }
    if (word == "omp" && before != "pragma" && BeginsDirective(next)) {
      return translation.Expected(
          at, absl::StrCat("a program that is preprocessed (gcc -E -fopenmp), as a macro makes a "
                           "directive of omp ",
                           next));
    }
    before_that = std::exchange(before, word);
    at = end;
  }
  return absl::OkStatus();
}

}  // namespace taskrt
