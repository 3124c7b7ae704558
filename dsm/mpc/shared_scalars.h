// Where a word of a program is a use of a shared scalar, and not something else of that name.
//
// No compiler has looked at the program yet: what may declare the name anew is refused, so that no
// other variable is taken for the shared one.
//
// Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dsm::mpc {

// A resource: what the walk over a program has seen of its current statement.
class SharedScalars {
 public:
  enum class Word {
    kOther,     // of another name, a member's, a label
    kUse,       // of the scalar
    kDeclares,  // may be another variable of its name
  };

  void Add(const std::string& name) { names_.insert(name); }
  // The next token, a word.
  Word Read(const std::string& word);
  // The next token, a character that is no blank and of no word, a comment or a text.
  void Read(char c);

 private:
  bool IsInMembers() const { return !braces_.empty() && braces_.back() == Brace::kMembers; }
  bool MayDeclare() const;

  enum class Brace { kBlock, kMembers, kEnumerators };  // of structs and unions, of enums
  static Brace BraceAfter(const std::vector<std::string>& statement);

  std::set<std::string> names_;
  std::vector<std::string> statement_;  // its tokens so far
  std::vector<Brace> braces_;           // that are open
  int parentheses_ = 0;                 // that are open in the statement
};

}  // namespace dsm::mpc
