#include "dsm/mpc/translate.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dsm/mpc/reader.h"
#include "dsm/mpc/shared_declaration.h"
#include "dsm/mpc/shared_scalars.h"

namespace dsm {
namespace {

using mpc::IsWord;
using mpc::Linkage;
using mpc::SharedData;
using mpc::SharedScalars;

class Translator {
 public:
  Translator(std::string_view source, std::string_view file) : reader_(source, file) {}

  absl::StatusOr<std::string> Run() {
    const std::string_view source = reader_.source();
    out_ = absl::StrCat("#include \"dsm/mpc/mpc.h\"\n#line 1 \"", reader_.file(), "\"\n");
    if (const std::size_t at = source.find('\0'); at != std::string_view::npos) {
      return reader_.Expected(at, "a program, and not a file of other bytes");
    }
    while (!reader_.at_end()) {
      const std::size_t start = reader_.at();
      const absl::Status status = reader_.SkipText()       ? Text(start)
                                  : IsWord(reader_.next()) ? Word(start)
                                                           : Character();
      if (!status.ok()) return status;
    }
    if (!open_.empty()) {
      return reader_.Expected(
          open_.back(), absl::StrCat("an end of this ", std::string(1, source[open_.back()])));
    }
    // A macro of the program's own, with arguments or without, may stand for a declaration.
    const bool may_be_macro = source[last_] == ')' || (words_ == 1 && others_ == 0);
    if (!begins_ && !may_be_macro) {
      return reader_.Expected(last_, "a declaration to end with ; or }");
    }
    return out_ + mpc::AllocationOf(shared_);
  }

 private:
  // A comment, a string or a line of the preprocessor, that SkipText has skipped.
  absl::Status Text(std::size_t start) {
    const std::string_view source = reader_.source();
    const bool is_text = source[start] == '"' || source[start] == '\'';
    // What an #if leaves out may be prose.
    if (!reader_.is_whole() && (branches_.empty() || !is_text)) {
      return reader_.Expected(start, "the end of the comment or text that begins here");
    }
    const std::string_view text = source.substr(start, reader_.at() - start);
    out_ += text;
    if (source[start] == '#') Branch(text);
    // A line of the preprocessor stands between declarations, a string in one.
    if (!is_text) return absl::OkStatus();
    scalars_.Read('"');
    begins_ = false;
    last_ = reader_.at() - 1;
    ++others_;
    return absl::OkStatus();
  }

  // At a line of the preprocessor: each branch of an #if begins with the brackets that are open
  // before it.
  void Branch(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
    if (line.starts_with("if")) {
      branches_.push_back(open_);
    } else if (line.starts_with("el") && !branches_.empty()) {
      open_ = branches_.back();
    } else if (line.starts_with("endif") && !branches_.empty()) {
      branches_.pop_back();
    }
  }

  absl::Status Word(std::size_t start) {
    const std::string word = reader_.Word();
    if (word == "shared" && IsWordNext()) return Shared(start, Linkage::kExternal);
    if (begins_ && open_.empty() && (word == "static" || word == "extern")) {
      const std::size_t behind = reader_.at();
      reader_.SkipSpace();
      const std::size_t shared = reader_.at();
      if (reader_.Word() == "shared" && IsWordNext() && !IsPointerNext()) {
        return Shared(shared, word == "static" ? Linkage::kStatic : Linkage::kElsewhere);
      }
      reader_.MoveTo(behind);
    }
    begins_ = false;
    last_ = reader_.at() - 1;
    ++words_;
    switch (scalars_.Read(word)) {
      case SharedScalars::Word::kOther:
        out_ += word;
        break;
      case SharedScalars::Word::kUse:
        out_ += mpc::UseOfScalar(word);
        break;
      case SharedScalars::Word::kDeclares:
        return reader_.Expected(start, absl::StrCat("another name than ", word,
                                                    ", which is a shared scalar's in this file"));
    }
    return absl::OkStatus();
  }

  bool IsWordNext() const {
    mpc::Reader ahead = reader_;
    ahead.SkipSpace();
    return !ahead.at_end() && IsWord(ahead.next());
  }
  // The words of a type, and then a star.
  bool IsPointerNext() const {
    mpc::Reader ahead = reader_;
    for (ahead.SkipSpace(); !ahead.at_end() && IsWord(ahead.next()); ahead.SkipSpace()) {
      ahead.Word();
    }
    return !ahead.at_end() && ahead.next() == '*';
  }

  // Behind the word `shared`, before another word.
  absl::Status Shared(std::size_t start, Linkage linkage) {
    if (IsPointerNext()) return absl::OkStatus();  // Without the word it is what it says.
    if (!open_.empty()) {
      return reader_.Expected(start, "shared data to be declared outside of functions");
    }
    if (!begins_) return reader_.Expected(start, "`shared` at the beginning of a declaration");
    auto read = mpc::ReadShared(reader_, start, linkage);
    if (!read.ok()) return read.status();
    for (SharedData& data : *read) {
      out_ += mpc::PointerOf(data);
      if (data.is_scalar()) scalars_.Add(data.name);
      shared_.push_back(std::move(data));
    }
    // The lines that it took.
    out_ += std::string(static_cast<std::size_t>(reader_.LinesSince(start)), '\n');
    scalars_.Read(';');
    return absl::OkStatus();
  }

  absl::Status Character() {
    const char c = reader_.next();
    const std::size_t at = reader_.at();
    if (c == '{' || c == '(' || c == '[') open_.push_back(at);
    if (c == '}' || c == ')' || c == ']') {
      const char opening = c == '}' ? '{' : c == ')' ? '(' : '[';
      if (open_.empty() || reader_.source()[open_.back()] != opening) {
        return reader_.Expected(
            at, absl::StrCat("a ", std::string(1, opening), " before this ", std::string(1, c)));
      }
      open_.pop_back();
    }
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) scalars_.Read(c);
    if (c == ';' || c == '{' || c == '}') {
      begins_ = true;
      words_ = others_ = 0;
    } else if (!is_space) {
      begins_ = false;
      last_ = at;
      ++others_;
    }
    out_ += c;
    reader_.Move();
    return absl::OkStatus();
  }

  mpc::Reader reader_;
  std::string out_;
  std::vector<SharedData> shared_;
  SharedScalars scalars_;
  std::vector<std::size_t> open_;  // where the brackets are that are open
  // For each #if that is open, which brackets were open there.
  std::vector<std::vector<std::size_t>> branches_;
  bool begins_ = true;          // may a declaration begin here?
  std::size_t last_ = 0;        // of the declaration's text
  int words_ = 0, others_ = 0;  // of the declaration
};

}  // namespace

absl::StatusOr<std::string> TranslateMpc(std::string_view source, std::string_view file) {
  return Translator(source, file).Run();
}

}  // namespace dsm
