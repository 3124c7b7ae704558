#include "taskrt/ompc/translate/regions/resolve.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/regions/atomic.h"
#include "taskrt/ompc/translate/regions/declarations.h"
#include "taskrt/ompc/translate/regions/lists.h"
#include "taskrt/ompc/translate/regions/loops.h"
#include "taskrt/ompc/translate/regions/privates.h"
#include "taskrt/ompc/translate/regions/resolution.h"
#include "taskrt/ompc/translate/regions/target_data.h"
#include "taskrt/ompc/translate/regions/targets.h"
#include "taskrt/ompc/translate/regions/task_graphs.h"
#include "taskrt/ompc/translate/regions/tasks.h"
#include "taskrt/ompc/translate/regions/teams.h"

namespace taskrt {
namespace {

using Resolved = absl::StatusOr<ResolvedCode>;

// Code that is one region.
Resolved Alone(Region region) {
  ResolvedCode code;
  code.Add(std::move(region));
  return code;
}
template <class Value>
Resolved Alone(absl::StatusOr<Value> value) {
  if (!value.ok()) return value.status();
  return Alone(Region{*std::move(value)});
}

class Resolver {
 public:
  Resolver(const Source& source, const std::map<std::string, Function>& functions) : all_(source) {
    all_.functions = functions;
  }

  absl::StatusOr<ResolvedProgram> Run(const Code& code) {
    auto resolved = ResolveCode(code);
    if (!resolved.ok()) return resolved.status();
    ResolvedProgram program{*std::move(resolved), {}, all_.sections, all_.outlined, all_.graphs};
    for (const std::string& function : all_.called) {
      program.called.emplace(function, all_.functions.at(function));
    }
    return program;
  }

 private:
  Resolved ResolveCode(const Code& code) {
    const std::size_t outer = all_.scopes.depth();
    ResolvedCode resolved;
    for (const Piece& piece : code) {
      while (all_.scopes.depth() > outer && piece.begin >= all_.scopes.innermost().end) {
        all_.scopes.Pop();
      }
      auto its = std::visit([&](const auto& is) { return ResolvePiece(piece, is); }, piece.is);
      if (!its.ok()) return its;
      resolved.Add(*std::move(its));
    }
    while (all_.scopes.depth() > outer) all_.scopes.Pop();
    return resolved;
  }

  Resolved Text(const std::string& text) {
    ResolvedCode code;
    if (!text.empty()) code.Add(text);
    return code;
  }
  Resolved ResolvePiece(const Piece& piece, const PlainText&) {
    return Text(all_.source.Text(piece.begin, piece.end));
  }
  Resolved ResolvePiece(const Piece& piece, const Word&) {
    const std::string word = all_.source.Text(piece.begin, piece.end);
    const std::string shown = all_.scopes.ShownHere(word);
    return Text(shown.empty() ? word : shown);
  }
  Resolved ResolvePiece(const Piece& piece, const LineEnds&) {
    return Text(LineEndsOf(all_.source, piece.begin, piece.end));
  }
  Resolved ResolvePiece(const Piece&, const LibraryHeader&) {
    return Text("#include \"taskrt/ompc/omp_library.h\"");
  }
  Resolved ResolvePiece(const Piece&, const OpenedScope& opened) {
    all_.scopes.Push(*opened.scope);
    return ResolvedCode();
  }
  Resolved ResolvePiece(const Piece&, const Declarations& declared) {
    const bool is_of_file = all_.scopes.depth() == 0;
    Scope& scope = all_.scopes.innermost();
    for (Variable variable : declared.scope->variables) {
      variable.is_global = is_of_file;
      variable.is_declared_target = is_of_file && all_.is_declaring_target;
      scope.variables.push_back(std::move(variable));
    }
    const auto& types = declared.scope->types;
    scope.types.insert(scope.types.end(), types.begin(), types.end());
    return ResolvedCode();
  }
  Resolved ResolvePiece(const Piece&, const std::shared_ptr<const MacroDefinition>& macro) {
    all_.scopes.Define(macro->name, macro->text);
    return ResolvedCode();
  }
  Resolved ResolvePiece(const Piece& piece, const std::shared_ptr<const ParsedFunction>& function) {
    all_.scopes.set_function(function->name);
    all_.scopes.Push({piece.end, function->parameters, {}});
    auto body = ResolveCode(function->body);
    all_.scopes.Pop();
    if (!body.ok()) return body;
    return Alone(Region{FunctionRegion{*std::move(body), all_.source.LineOf(piece.end)}});
  }
  Resolved ResolvePiece(const Piece&, const std::shared_ptr<const ParsedConstruct>& construct) {
    auto code = ResolveConstruct(*construct);
    if (!code.ok()) return all_.source.At(construct->begin, code.status());
    return code;
  }

  Resolved ResolveConstruct(const ParsedConstruct& construct) {
    const Directive& directive = construct.directive;
    const std::string& name = directive.name;
    const auto nothing = [](absl::Status done) -> Resolved {
      if (!done.ok()) return done;
      return ResolvedCode();
    };
    if (name == "metadirective") return ResolveChoices(construct);
    if (name == "threadprivate") return Alone(ThreadPrivateOf(all_, directive));
    if (name == "declare variant") {
      all_.variants[construct.variant.base][construct.variant.device] = construct.variant.name;
      return ResolvedCode();
    }
    if (name == "declare reduction") {
      return nothing(all_.reductions.Declare(all_.scopes, directive));
    }
    if (name == "declare simd") return ResolvedCode();
    if (name.ends_with("declare target")) return nothing(DeclareTarget(all_, directive));
    if (all_.is_in_target && (name.starts_with("target") || directive.Has("depend"))) {
      return absl::InvalidArgumentError(
          absl::StrCat("no ", name, directive.Has("depend") ? " with depend" : "",
                       " inside of a target, whose statement runs on a device"));
    }
    return ResolvePart(construct, 0);
  }

  // The construct from this part on; behind the last one, the statement.
  Resolved ResolvePart(const ParsedConstruct& construct, std::size_t part) {
    const Directive& directive = construct.directive;
    const auto statement = [&] { return ResolveCode(construct.code); };
    if (part == directive.parts.size()) return statement();
    const std::string& name = directive.parts[part];
    const auto rest = [&] { return ResolvePart(construct, part + 1); };
    const auto code = [&](const Code& its) { return ResolveCode(its); };
    if (name == "taskloop") return Alone(TaskLoopOf(all_, construct, statement));
    if (SharesLoops(directive, part)) return Alone(LoopOf(all_, construct, part, code));
    if (name == "parallel") return Alone(ParallelOf(all_, construct, part, rest));
    if (name == "sections") return Alone(SectionsOf(all_, construct, part, code));
    if (name == "single") return Alone(SingleOf(all_, construct, rest));
    if (name == "scope") return Alone(ScopeOf(all_, construct, rest));
    if (name == "task") return Alone(TaskOf(all_, construct, statement));
    if (name == "taskgraph") return Alone(TaskGraphOf(all_, construct, statement));
    if (name == "depobj") return Alone(DependObjectOf(all_, directive));
    if (name == "atomic") return Alone(AtomicOf(all_, construct));
    if (name == "error") return ResolveError(construct);
    if (name == "target") return Alone(TargetOf(all_, construct, part, rest));
    if (name == "target data") return Alone(TargetDataOf(all_, construct, statement));
    if (name.starts_with("target ")) return Alone(TargetDataActionsOf(all_, construct));
    if (name == "teams") return Alone(TeamsOf(all_, construct, part, rest));
    if (name == "distribute") return rest();
    if (name == "simd") {
      const auto privates = PrivatesOf(all_, construct, part);
      if (!privates.ok()) return privates.status();
      return ResolveWithPrivates(all_, *privates, rest);
    }
    if (name == "taskwait" && directive.Has("depend")) {
      auto lists = ListsOf(all_, directive);
      if (!lists.ok()) return lists.status();
      return Alone(Region{TaskWaitRegion{*std::move(lists)}});
    }
    if (construct.end == construct.at) return ResolveAlone(name);
    return ResolveBlock(construct, name, rest);
  }

  // A directive that is one call.
  Resolved ResolveAlone(const std::string& name) {
    if (name == "task_iteration") return ResolvedCode();  // The taskloop has it.
    if (name == "taskwait") return Alone(Region{StandAlone::kTaskWait});
    if (name == "barrier") return Alone(Region{StandAlone::kBarrier});
    if (name == "taskyield") return Alone(Region{StandAlone::kTaskYield});
    if (name == "flush") return Alone(Region{StandAlone::kFlush});
    // In a loop that is run in order an ordered has nothing left to wait for.
    return Alone(Region{StandAlone::kNothing});
  }

  // A block with a call before and behind it.
  Resolved ResolveBlock(const ParsedConstruct& construct, const std::string& name,
                        const ResolveBody& body) {
    using Kind = BlockRegion::Kind;
    BlockRegion region;
    region.kind = name == "master"      ? Kind::kMaster
                  : name == "masked"    ? Kind::kMasked
                  : name == "taskgroup" ? Kind::kTaskGroup
                  : name == "critical"  ? Kind::kCritical
                                        : Kind::kOrdered;
    const Directive& directive = construct.directive;
    if (region.kind == Kind::kMasked) {
      const Clause* const filter = directive.Find("filter");
      region.argument = filter == nullptr ? "0" : all_.scopes.Rewritten(filter->text);
    }
    if (region.kind == Kind::kCritical) {
      const Clause* const its = directive.Find("");
      region.argument = its == nullptr ? "" : its->text;
      all_.sections.insert(region.argument);
    }
    auto code = InBlock(all_, body);
    if (!code.ok()) return code;
    region.body = *std::move(code);
    return Alone(Region{std::move(region)});
  }

  // By default the translation ends.
  Resolved ResolveError(const ParsedConstruct& construct) {
    const Directive& directive = construct.directive;
    const auto says = [&](const std::string& clause, const std::string& word) {
      const Clause* const found = directive.Find(clause);
      return found != nullptr && found->text == word;
    };
    const Clause* const message = directive.Find("message");
    ErrorRegion region;
    region.message =
        message == nullptr ? "\"an error directive\"" : all_.scopes.Rewritten(message->text);
    region.line = all_.source.LineOf(construct.at - 1);
    region.is_warning = says("severity", "warning");
    region.is_at_execution = says("at", "execution");
    if (!region.is_warning && !region.is_at_execution) {
      return absl::AbortedError(
          absl::StrCat(region.line.file, ":", region.line.number, ": ", region.message));
    }
    return Alone(Region{std::move(region)});
  }

  Resolved ResolveChoices(const ParsedConstruct& construct) {
    MetaRegion region;
    for (const Choice& choice : construct.choices) {
      std::string condition = all_.scopes.Rewritten(choice.condition);
      auto code = InBlock(all_, [&] { return ResolveCode(choice.code); });
      if (!code.ok()) return code;
      region.choices.push_back({std::move(condition), *std::move(code)});
    }
    return Alone(Region{std::move(region)});
  }

  Resolution all_;
};

}  // namespace

absl::StatusOr<ResolvedProgram> Resolve(const Source& source, const Code& code,
                                        const std::map<std::string, Function>& functions) {
  return Resolver(source, functions).Run(code);
}

}  // namespace taskrt
