#include "dsm/mpc/translate.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dsm {
namespace {

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A shared array as it was declared.
struct Array {
  std::string type, name;
  std::vector<std::string> extents, divisions;
  std::string first, count;
};

class Translator {
 public:
  Translator(std::string_view source, std::string_view file) : source_(source), file_(file) {}

  absl::StatusOr<std::string> Run() {
    out_ = absl::StrCat("#include \"dsm/mpc/mpc.h\"\n#line 1 \"", file_, "\"\n");
    if (const std::size_t at = source_.find('\0'); at != std::string_view::npos) {
      return Expected(at, "a program, and not a file of other bytes");
    }
    std::vector<std::size_t> open;  // where the brackets are that are open
    bool begins = true;             // may a declaration begin here?
    std::size_t last = 0;           // of the declaration's text
    int words = 0, others = 0;      // of the declaration
    // For each #if that is open, which brackets were open there: each branch begins with these.
    std::vector<std::vector<std::size_t>> branches;
    while (at_ < source_.size()) {
      const std::size_t start = at_;
      if (SkipText()) {
        const bool is_text = source_[start] == '"' || source_[start] == '\'';
        // What an #if leaves out may be prose.
        if (!is_whole_ && (branches.empty() || !is_text)) {
          return Expected(start, "the end of the comment or text that begins here");
        }
        out_ += source_.substr(start, at_ - start);
        if (source_[start] == '#') Branch(source_.substr(start, at_ - start), open, branches);
        // A line of the preprocessor stands between declarations, a string in one.
        if (is_text) begins = false;
        if (is_text) last = at_ - 1, ++others;
        continue;
      }
      const char c = source_[at_];
      if (IsWord(c)) {
        const std::string word = Word();
        if (word == "shared" && open.empty() && begins) {
          if (absl::Status status = Declaration(start); !status.ok()) return status;
          continue;
        }
        if (word == "shared" && begins) {
          return Expected(start, "shared arrays to be declared outside of functions");
        }
        if (word == "shared" && open.empty()) {
          return Expected(start, "`shared` at the beginning of a declaration");
        }
        out_ += word;
        begins = false;
        last = at_ - 1;
        ++words;
        continue;
      }
      if (c == '{' || c == '(' || c == '[') open.push_back(at_);
      if (c == '}' || c == ')' || c == ']') {
        const char opening = c == '}' ? '{' : c == ')' ? '(' : '[';
        if (open.empty() || source_[open.back()] != opening) {
          return Expected(
              at_, absl::StrCat("a ", std::string(1, opening), " before this ", std::string(1, c)));
        }
        open.pop_back();
      }
      if (c == ';' || c == '{' || c == '}') {
        begins = true;
        words = others = 0;
      } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        begins = false;
        last = at_;
        ++others;
      }
      out_ += c;
      ++at_;
    }
    if (!open.empty()) {
      return Expected(open.back(),
                      absl::StrCat("an end of this ", std::string(1, source_[open.back()])));
    }
    // A macro of the program's own, with arguments or without, may stand for a declaration.
    const bool may_be_macro = source_[last] == ')' || (words == 1 && others == 0);
    if (!begins && !may_be_macro) return Expected(last, "a declaration to end with ; or }");
    out_ += Allocation();
    return out_;
  }

 private:
  // At a line of the preprocessor.
  static void Branch(std::string_view line, std::vector<std::size_t>& open,
                     std::vector<std::vector<std::size_t>>& branches) {
    line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
    if (line.starts_with("if")) {
      branches.push_back(open);
    } else if (line.starts_with("el") && !branches.empty()) {
      open = branches.back();
    } else if (line.starts_with("endif") && !branches.empty()) {
      branches.pop_back();
    }
  }

  absl::Status Expected(std::size_t at, const std::string& what) const {
    const auto line =
        1 + std::count(source_.begin(), source_.begin() + static_cast<long>(at), '\n');
    return absl::InvalidArgumentError(absl::StrCat(file_, ":", line, ": expected ", what));
  }

  // A comment, a string, a character, or a line of the preprocessor.
  bool SkipText() {
    const std::string_view rest = source_.substr(at_);
    const auto to = [&](std::size_t end) {
      at_ = end == std::string_view::npos ? source_.size() : end;
      return true;
    };
    is_whole_ = true;
    if (rest.starts_with("//")) return to(source_.find('\n', at_));
    if (rest.starts_with("/*")) {
      const std::size_t end = source_.find("*/", at_ + 2);
      is_whole_ = end != std::string_view::npos;
      return to(end == std::string_view::npos ? end : end + 2);
    }
    if (rest.starts_with('"') || rest.starts_with('\'')) {
      std::size_t end = at_ + 1;
      while (end < source_.size() && source_[end] != rest[0] && source_[end] != '\n') {
        const bool goes_on = source_.substr(end).starts_with("\\\r\n");
        end += goes_on ? 3 : source_[end] == '\\' ? 2 : 1;
      }
      is_whole_ = end < source_.size() && source_[end] == rest[0];
      return to(end + 1 > source_.size() ? std::string_view::npos : end + 1);
    }
    const std::size_t line = source_.substr(0, at_).find_last_of('\n') + 1;
    const bool is_first =
        source_.substr(line, at_ - line).find_first_not_of(" \t") == std::string_view::npos;
    if (!rest.starts_with('#') || !is_first) return false;
    std::size_t end = source_.find('\n', at_);
    while (end != std::string_view::npos && source_[end - 1] == '\\') {
      end = source_.find('\n', end + 1);
    }
    return to(end);
  }

  void SkipSpace() {
    while (at_ < source_.size()) {
      const bool is_comment =
          source_.substr(at_).starts_with("//") || source_.substr(at_).starts_with("/*");
      if (is_comment && SkipText()) continue;
      if (std::isspace(static_cast<unsigned char>(source_[at_])) == 0) return;
      ++at_;
    }
  }
  std::string Word() {
    const std::size_t start = at_;
    while (at_ < source_.size() && IsWord(source_[at_])) ++at_;
    return std::string(source_.substr(start, at_ - start));
  }
  bool Take(std::string_view what) {
    SkipSpace();
    if (!source_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  // What stands before one of `ends`, brackets within counted.
  std::string Until(std::string_view ends) {
    std::string text;
    for (int depth = 0; at_ < source_.size(); ++at_) {
      const char c = source_[at_];
      if (depth == 0 && ends.find(c) != std::string_view::npos) break;
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (c == ';') break;
      text += c == '\n' ? ' ' : c;
    }
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? ""
                                      : text.substr(first, text.find_last_not_of(' ') + 1 - first);
  }
  // "[a][b][c]"
  std::vector<std::string> Bracketed() {
    std::vector<std::string> all;
    while (Take("[")) {
      all.push_back(Until("]"));
      if (all.back().empty()) return {};
      if (!Take("]")) break;
    }
    return all;
  }

  absl::Status Declaration(std::size_t start) {
    Array array;
    // The type is all words but the last, which is the name.
    std::vector<std::string> words;
    for (SkipSpace(); at_ < source_.size() && IsWord(source_[at_]); SkipSpace()) {
      words.push_back(Word());
    }
    if (words.size() < 2) return Expected(start, "a type and a name after `shared`");
    array.name = words.back();
    words.pop_back();
    array.type = absl::StrJoin(words, " ");
    while (true) {
      array.extents = Bracketed();
      if (array.extents.empty()) return Expected(at_, "the extents of a shared array: [..]");
      if (!Take("::")) return Expected(at_, "a mapping: ::[..](first,count)");
      array.divisions = Bracketed();
      if (array.divisions.size() != array.extents.size()) {
        return Expected(at_, "as many divisions as extents");
      }
      if (!Take("(")) return Expected(at_, "(first,count) behind the divisions");
      array.first = Until(",)");
      if (!Take(",")) return Expected(at_, "(first,count) behind the divisions");
      array.count = Until(")");
      if (!Take(")")) return Expected(at_, "(first,count) behind the divisions");
      out_ += absl::StrCat("static ", array.type, " ");
      const std::vector<std::string> inner(array.extents.begin() + 1, array.extents.end());
      out_ += inner.empty()
                  ? absl::StrCat("*", array.name, ";")
                  : absl::StrCat("(*", array.name, ")[", absl::StrJoin(inner, "]["), "];");
      arrays_.push_back(array);
      if (!Take(",")) break;
      SkipSpace();
      array.name = Word();
      if (array.name.empty()) return Expected(at_, "a name");
    }
    if (!Take(";")) return Expected(at_, "a ; behind the mapping");
    // The lines that it took.
    out_ += std::string(
        static_cast<std::size_t>(std::count(source_.begin() + static_cast<long>(start),
                                            source_.begin() + static_cast<long>(at_), '\n')),
        '\n');
    return absl::OkStatus();
  }

  std::string Allocation() const {
    std::string text =
        "\n/* By mpc: what the shared declarations above mean. */\n"
        "void mpc_allocate(void) {\n";
    for (const Array& array : arrays_) {
      absl::StrAppend(&text, "  {\n    const size_t extents[] = {",
                      absl::StrJoin(array.extents, ", "), "};\n    const int divisions[] = {",
                      absl::StrJoin(array.divisions, ", "), "};\n    ", array.name,
                      " = sms_mapalloc(", array.extents.size(), ", extents, sizeof(", array.type,
                      "), divisions, ", array.first, ", ", array.count, ");\n  }\n");
    }
    return text + "}\n";
  }

  const std::string_view source_;
  const std::string file_;
  std::size_t at_ = 0;
  bool is_whole_ = true;  // what SkipText has skipped
  std::string out_;
  std::vector<Array> arrays_;
};

}  // namespace

absl::StatusOr<std::string> TranslateMpc(std::string_view source, std::string_view file) {
  return Translator(source, file).Run();
}

}  // namespace dsm
