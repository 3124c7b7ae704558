// The variables that a place of a program sees, while the second pass goes through it: those of the
// function that is written, innermost scope last, those of the functions around it, the file's.
//
// Pure. Threads: one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/c/loop.h"
#include "taskrt/ompc/translate/c/scope.h"

namespace taskrt {

class Scopes {
 public:
  // The innermost variable of the name that the function that is written has; null: none. A search
  // for uses notes the name.
  const Variable* Find(const std::string& name);
  // The declaration that the place in the source sees, whether the function has the variable or
  // not.
  const Variable* FindDeclared(const std::string& name) const;
  const TypeDeclaration* FindTypedef(const std::string& name) const;
  // The text, with its names of variables as they are here.
  std::string Rewritten(const std::string& text);
  // The text that stands for a name here; empty: the name itself.
  std::string ShownHere(const std::string& name);

  std::size_t depth() const { return scopes_.size(); }
  void Push(Scope scope) { scopes_.push_back(std::move(scope)); }
  void Pop() { scopes_.pop_back(); }
  void Resize(std::size_t depth) { scopes_.resize(depth); }
  const std::vector<Scope>& all() const { return scopes_; }
  // The innermost one; outside of functions the file's.
  Scope& innermost() { return scopes_.empty() ? globals_ : scopes_.back(); }
  Scope& globals() { return globals_; }
  const Scope& globals() const { return globals_; }

  void Define(const std::string& macro, const std::string& text) { macros_[macro] = text; }
  const Macros& macros() const { return macros_; }
  void set_function(const std::string& name) { function_ = name; }

  using Body = std::function<absl::Status()>;
  // The variables of the scopes so far, and the file's, that `body` finds.
  absl::StatusOr<std::set<std::string>> UsesOf(std::size_t end, const Body& body);
  // Is a search for uses under way?
  bool is_searching() const { return !recorders_.empty(); }
  // Runs `body` in a function of its own, whose outermost scope is `own`.
  absl::Status InFunction(Scope own, const Body& body);

 private:
  // A search for uses: the scopes from `own` on are the text's own.
  struct Recorder {
    std::size_t own = 0;
    std::set<std::string>* uses = nullptr;
  };

  std::vector<Scope> scopes_;
  std::vector<std::vector<Scope>> enclosing_;
  Scope globals_;
  Macros macros_;  // what they become
  std::string function_;
  std::vector<Recorder> recorders_;
};

}  // namespace taskrt
