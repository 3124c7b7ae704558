#include "taskrt/ompc/translate/c/structured.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/scope.h"

namespace taskrt {
namespace {

// A value: a jump, or a label, and its place.
struct Named {
  std::string label;
  std::size_t at = 0;
};

// The words of a range that control follows, with the loops and switches around them.
class Flow {
 public:
  Flow(const Source& source, const Macros& macros) : source_(source), macros_(macros) {}

  // The first word that leaves the range by itself.
  std::optional<std::pair<std::string, std::size_t>> leaving;
  std::vector<Named> gotos, labels;

  void Read(const Block& block) {
    at_ = block.begin;
    while (at_ < block.end) {
      if (source_.IsDirective(at_)) {
        at_ = source_.AfterDirective(at_);
        before_ = ";";
      } else if (const std::size_t after = source_.AfterText(at_); after > at_) {
        if (source_.text()[at_] != '/') before_ = "text";
        at_ = after;
      } else if (IsWordCharacter(source_.text()[at_])) {
        ReadWord(block);
      } else {
        const std::string mark = source_.Text(at_, at_ + 1);
        if (!Trimmed(mark).empty()) before_ = mark;
        ++at_;
      }
    }
  }

 private:
  struct Inner {
    std::size_t end = 0;
    bool is_switch = false;
  };

  void Leaves(const std::string& word) {
    if (!leaving) leaving.emplace(word, at_);
  }

  bool IsInSwitch() const {
    return std::any_of(inner_.begin(), inner_.end(),
                       [&](const Inner& each) { return at_ < each.end && each.is_switch; });
  }
  bool IsInLoop() const {
    return std::any_of(inner_.begin(), inner_.end(),
                       [&](const Inner& each) { return at_ < each.end && !each.is_switch; });
  }
  bool Begins(std::initializer_list<std::string_view> marks) const {
    return std::find(marks.begin(), marks.end(), before_) != marks.end();
  }

  // "(...) {", or "{", behind a word that may be a macro: perhaps a loop's head.
  void ReadUnknownHead(std::size_t at) {
    if (at < source_.text().size() && source_.text()[at] == '(') {
      const auto after = source_.AfterBrackets(at);
      if (!after.ok()) return;
      at = source_.AfterSpace(*after);
    }
    if (at >= source_.text().size() || source_.text()[at] != '{') return;
    const auto end = source_.AfterStatement(at);
    if (!end.ok()) return;
    inner_.push_back({*end, true});
    inner_.push_back({*end, false});
  }

  void ReadWord(const Block& block) {
    const std::string word = source_.WordAt(at_);
    const std::size_t next = source_.AfterSpace(source_.AfterWord(at_));
    const char mark = next < block.end ? source_.text()[next] : ' ';
    const bool begins = Begins({";", "{", "}", ":"});
    const bool is_behind_head = Begins({")", "else", "do"});
    if (begins) {
      if (const auto body = FunctionBodyAt(source_, at_)) {
        const auto end = source_.AfterBrackets(*body);
        if (end.ok()) {
          at_ = *end;
          before_ = "}";
          return;
        }
      }
    }
    if (word == "for" || word == "while" || word == "do" || word == "switch") {
      const auto end = source_.AfterStatement(at_);
      if (end.ok()) inner_.push_back({*end, word == "switch"});
    } else if (word == "return") {
      Leaves("return");
    } else if (word == "break" && !IsInSwitch() && !IsInLoop()) {
      Leaves("break");
    } else if (word == "continue" && block.kind != Block::Kind::kLoopBody && !IsInLoop()) {
      Leaves("continue");
    } else if ((word == "case" || word == "default") && begins && !IsInSwitch()) {
      Leaves(word);
    } else if (word == "goto") {
      gotos.push_back({source_.WordAt(next), at_});
      before_ = word;
      at_ = std::max(next, source_.AfterWord(next));
      return;
    } else if ((begins || is_behind_head) && mark == ':' && word != "default") {
      labels.push_back({word, at_});
    } else if (const auto macro = macros_.find(word); macro != macros_.end()) {
      for (const Token& token : TokensOf(macro->second)) {
        if (token.Is("return")) Leaves(absl::StrCat("return in ", word));
        if (token.Is("for") || token.Is("while") || token.Is("do") || token.Is("switch")) {
          ReadUnknownHead(next);
        }
      }
    } else if (begins && word != "if" && mark == '(') {
      ReadUnknownHead(next);
    }
    before_ = word;
    at_ = source_.AfterWord(at_);
  }

  const Source& source_;
  const Macros& macros_;
  std::size_t at_ = 0;
  std::string before_ = ";";  // the last word or mark
  std::vector<Inner> inner_;
};

bool Has(const std::vector<Named>& all, const std::string& label) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Named& each) { return each.label == label; });
}

}  // namespace

std::optional<std::size_t> FunctionBodyAt(const Source& source, std::size_t at) {
  const std::string_view text = source.text();
  bool has_parameters = false;
  std::size_t body = at;
  while (body < text.size() && text[body] != '{') {
    const char c = text[body];
    if (const std::size_t after = source.AfterText(body); after > body) {
      if (c != '/') return std::nullopt;
      body = after;
    } else if (c == '(') {
      const auto after = source.AfterBrackets(body);
      if (!after.ok()) return std::nullopt;
      has_parameters = true;
      body = *after;
    } else if (IsWordCharacter(c) || c == '*' || Trimmed(std::string_view(&c, 1)).empty()) {
      ++body;
    } else {
      return std::nullopt;
    }
  }
  if (!has_parameters || body >= text.size()) return std::nullopt;
  const auto declared = ParseDeclared(text.substr(at, body - at));
  const bool is_one = declared && declared->functions.size() == 1 && declared->variables.empty();
  return is_one ? std::optional(body) : std::nullopt;
}

absl::Status CheckStructured(const Source& source, const Block& block, const Block& function,
                             const std::string& directive, const Macros& macros) {
  Flow inside(source, macros);
  inside.Read(block);
  if (inside.leaving) {
    const auto& [word, at] = *inside.leaving;
    const bool enters = word == "case" || word == "default";
    return source.Expected(at,
                           absl::StrCat("no ", word, enters ? ", which enters" : ", which leaves",
                                        " the block of ", directive));
  }
  for (const Named& jump : inside.gotos) {
    if (jump.label.empty() || Has(inside.labels, jump.label)) continue;
    return source.Expected(
        jump.at, absl::StrCat("no goto ", jump.label, ", which leaves the block of ", directive));
  }
  if (inside.labels.empty()) return absl::OkStatus();
  Flow all(source, macros);
  all.Read(function);
  for (const Named& jump : all.gotos) {
    const bool is_outside = jump.at < block.begin || jump.at >= block.end;
    if (!is_outside || !Has(inside.labels, jump.label)) continue;
    return source.Expected(
        jump.at, absl::StrCat("no goto ", jump.label, ", which enters the block of ", directive));
  }
  return absl::OkStatus();
}

}  // namespace taskrt
