#include "taskrt/ompc/translate/regions/scopes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/source.h"

namespace taskrt {
namespace {

const Variable* FindIn(const Scope& scope, const std::string& name) {
  const auto at = std::find_if(scope.variables.rbegin(), scope.variables.rend(),
                               [&](const Variable& each) { return each.name == name; });
  return at == scope.variables.rend() ? nullptr : &*at;
}

const TypeDeclaration* TypedefIn(const Scope& scope, const std::string& name) {
  const auto at = std::find_if(scope.types.rbegin(), scope.types.rend(), [&](const auto& each) {
    return each.name == name && each.text.starts_with("typedef ");
  });
  return at == scope.types.rend() ? nullptr : &*at;
}

}  // namespace

const Variable* Scopes::Find(const std::string& name) {
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    const Variable* const found = FindIn(scopes_[i], name);
    if (found == nullptr) continue;
    for (const Recorder& recorder : recorders_) {
      if (i < recorder.own) recorder.uses->insert(name);
    }
    return found;
  }
  if (const Variable* const found = FindIn(globals_, name)) {
    for (const Recorder& recorder : recorders_) recorder.uses->insert(name);
    return found;
  }
  // Of a macro, the variables that it names.
  const auto macro = macros_.find(name);
  if (macro == macros_.end() || recorders_.empty()) return nullptr;
  const std::string text = std::exchange(macro->second, "");  // It may name itself.
  for (const std::string& each : NamesIn(text)) (void)Find(each);
  macros_[name] = text;
  return nullptr;
}

const Variable* Scopes::FindDeclared(const std::string& name) const {
  const auto in = [&](const std::vector<Scope>& scopes) -> const Variable* {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      if (const Variable* const found = FindIn(*scope, name)) return found;
    }
    return nullptr;
  };
  const Variable* found = in(scopes_);
  for (std::size_t i = enclosing_.size(); found == nullptr && i-- > 0;) found = in(enclosing_[i]);
  return found == nullptr ? FindIn(globals_, name) : found;
}

const TypeDeclaration* Scopes::FindTypedef(const std::string& name) const {
  const auto in = [&](const std::vector<Scope>& scopes) -> const TypeDeclaration* {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      if (const TypeDeclaration* const found = TypedefIn(*scope, name)) return found;
    }
    return nullptr;
  };
  const TypeDeclaration* found = in(scopes_);
  for (std::size_t i = enclosing_.size(); found == nullptr && i-- > 0;) found = in(enclosing_[i]);
  return found == nullptr ? TypedefIn(globals_, name) : found;
}

std::string Scopes::ShownHere(const std::string& name) {
  const bool is_function_name =
      name == "__func__" || name == "__FUNCTION__" || name == "__PRETTY_FUNCTION__";
  // In a construct's function its own would be another.
  if (is_function_name) return enclosing_.empty() ? "" : absl::StrCat("\"", function_, "\"");
  const Variable* const variable = Find(name);
  return variable == nullptr ? "" : variable->shown;
}

std::string Scopes::Rewritten(const std::string& text) {
  return WithWords(text, [&](const std::string& name) { return ShownHere(name); });
}

absl::StatusOr<std::set<std::string>> Scopes::UsesOf(std::size_t end, const Body& body) {
  std::set<std::string> uses;
  recorders_.push_back({scopes_.size(), &uses});
  Push({end, {}, {}});
  const absl::Status found = body();
  Resize(recorders_.back().own);
  recorders_.pop_back();
  if (!found.ok()) return found;
  return uses;
}

absl::Status Scopes::InFunction(Scope own, const Body& body) {
  std::vector<Scope> scopes = std::exchange(scopes_, {std::move(own)});
  enclosing_.push_back(scopes);
  const absl::Status done = body();
  scopes_ = std::move(scopes);
  enclosing_.pop_back();
  return done;
}

}  // namespace taskrt
