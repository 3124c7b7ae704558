#include "taskrt/ompc/translate/translate.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/directive.h"
#include "taskrt/ompc/translate/functions.h"
#include "taskrt/ompc/translate/source.h"

namespace taskrt {
namespace {

// "f(a, b);"
struct Call {
  std::string function;
  std::vector<std::string> arguments;
};

// A task's lists as elements of C's arrays.
struct Lists {
  std::vector<std::string> in, out, maps;
};

std::string BlockOf(const ListItem& item) {
  if (!item.is_section) return absl::StrCat("OMPC_BLOCK(", item.base, ")");
  return absl::StrCat("OMPC_PART(", item.base, ", ", item.lower.empty() ? "0" : item.lower, ")");
}

std::string MapOf(const ListItem& item, const std::string& type) {
  const std::string copy = type == "in" ? "0" : type == "out" ? "1" : "2";
  if (item.length.empty()) return absl::StrCat("OMPC_MAP(", item.base, ", ", copy, ")");
  return absl::StrCat("OMPC_MAP_PART(", item.base, ", ", item.lower.empty() ? "0" : item.lower,
                      ", ", item.length, ", ", copy, ")");
}

absl::Status AddToLists(const Directive& directive, Lists& lists) {
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "depend" && clause.name != "map") continue;
    const auto list = clause.name == "depend" ? ParseDepend(clause) : ParseMap(clause);
    if (!list.ok()) return list.status();
    for (const ListItem& item : list->items) {
      if (clause.name == "map") {
        lists.maps.push_back(MapOf(item, list->type));
        continue;
      }
      if (list->type != "out") lists.in.push_back(BlockOf(item));
      if (list->type != "in") lists.out.push_back(BlockOf(item));
    }
  }
  return absl::OkStatus();
}

// "void *ompc_in[] = {...}; ", and how it is handed over: "2, ompc_in".
std::string ArrayOf(const std::string& name, const std::vector<std::string>& elements) {
  if (elements.empty()) return "";
  return absl::StrCat("void *", name, "[] = {", absl::StrJoin(elements, ", "), "}; ");
}
std::string Passed(const std::string& name, const std::vector<std::string>& elements) {
  return elements.empty() ? "0, NULL" : absl::StrCat(elements.size(), ", ", name);
}

class Translator {
 public:
  Translator(std::string_view text, std::string_view file) : source_(text, file) {}

  absl::StatusOr<std::string> Run() {
    auto functions = FunctionsOf(source_);
    if (!functions.ok()) return functions.status();
    functions_ = *std::move(functions);
    if (absl::Status status = CopyUntil(source_.text().size()); !status.ok()) return status;
    std::string before = "#include \"taskrt/ompc/omp.h\"\n";
    std::string behind = called_.empty() ? "" : "\n/* By ompc: how tasks call functions. */\n";
    for (const std::string& function : called_) {
      absl::StrAppend(&before, "static void ompc_call_", function, "(void **args);\n");
      behind += CallOf(function);
    }
    return absl::StrCat(before, "#line 1 \"", source_.file(), "\"\n", out_, behind);
  }

 private:
  absl::Status CopyUntil(std::size_t end) {
    while (at_ < end) {
      if (source_.IsDirective(at_)) {
        const absl::Status done = CopyDirective();
        if (!done.ok()) return done;
        continue;
      }
      const std::size_t after = std::max(source_.AfterText(at_), at_ + 1);
      Copy(after);
    }
    return absl::OkStatus();
  }
  void Copy(std::size_t to) {
    out_ += source_.Text(at_, to);
    at_ = to;
  }
  // The lines up to there, without what is on them.
  void Skip(std::size_t to) {
    const std::string skipped = source_.Text(at_, to);
    out_.append(static_cast<std::size_t>(std::count(skipped.begin(), skipped.end(), '\n')), '\n');
    at_ = to;
  }

  // "#pragma omp ..." as it says; any other line of the preprocessor as it is.
  absl::Status CopyDirective() {
    const std::size_t start = at_, end = source_.AfterDirective(at_);
    std::size_t word = source_.AfterSpace(at_ + 1);
    const bool is_pragma = source_.WordAt(word) == "pragma";
    word = source_.AfterSpace(source_.AfterWord(word));
    if (!is_pragma || source_.WordAt(word) != "omp") {
      Copy(end);
      return absl::OkStatus();
    }
    std::string text = source_.Text(source_.AfterWord(word), end);
    std::replace(text.begin(), text.end(), '\\', ' ');
    const auto directive = ParseDirective(text);
    if (!directive.ok()) return At(start, directive.status());
    Skip(end);
    if (directive->name == "parallel") return Region();
    if (directive->name == "task" || directive->name == "target") {
      return At(start, Create(*directive));
    }
    if (directive->name == "declare variant") return At(start, AddVariant(*directive));
    // A single region is its statement, as one thread is all there is.
    if (directive->name == "taskwait")
      out_ += " { ompc_begin(); ompc_require(tasklet_wait_all()); }";
    return absl::OkStatus();
  }

  // What was expected, with a line; unless it has one.
  absl::Status At(std::size_t at, const absl::Status& status) const {
    if (status.ok() || status.message().find(": expected ") != std::string::npos) return status;
    return source_.Expected(at, std::string(status.message()));
  }

  absl::Status Region() {
    const auto end = source_.AfterStatement(at_);
    if (!end.ok()) return end.status();
    out_ += " { ompc_begin();";
    if (absl::Status body = CopyUntil(*end); !body.ok()) return body;
    out_ += " ompc_require(ompc_target_end_region()); }";
    return absl::OkStatus();
  }

  // The statement here, which goes.
  absl::StatusOr<Call> TakeCall() {
    std::size_t at = source_.AfterSpace(at_);
    const std::string_view text = source_.text();
    const auto end = source_.AfterStatement(at_);
    if (!end.ok()) return end.status();
    const bool is_block = text[at] == '{';
    const std::size_t start = is_block ? source_.AfterSpace(at + 1) : at;
    const auto wrong = source_.Expected(start, "a call, f(...), as all that a task does");
    Call call{source_.WordAt(start), {}};
    at = source_.AfterSpace(source_.AfterWord(start));
    if (call.function.empty() || text[at] != '(') return wrong;
    const auto after = source_.AfterBrackets(at);
    if (!after.ok()) return after.status();
    call.arguments = SplitAtCommas(text.substr(at + 1, *after - at - 2));
    at = source_.AfterSpace(*after);
    if (text[at] != ';') return wrong;
    at = is_block ? source_.AfterSpace(at + 1) + 1 : at + 1;
    if (at != *end) return wrong;
    Skip(*end);
    return call;
  }

  // What the call of `function` needs: its arguments in an array.
  absl::StatusOr<std::string> ArgumentsFor(const std::string& function, const Call& call) {
    const auto found = functions_.find(function);
    if (found == functions_.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a declaration of ", function, " in this file, which says how its arguments are passed"));
    }
    const std::vector<Parameter>& parameters = found->second.parameters;
    if (!found->second.is_callable) {
      return absl::InvalidArgumentError(
          absl::StrCat("pointers and scalars as the parameters of ", function));
    }
    if (parameters.size() != call.arguments.size()) {
      return absl::InvalidArgumentError(absl::StrCat(parameters.size(), " arguments for ", function,
                                                     ", not ", call.arguments.size()));
    }
    called_.insert(function);
    if (parameters.empty()) return std::string();
    std::string text = absl::StrCat("void *ompc_args[", parameters.size(), "] = {0}; ");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].is_pointer) {
        absl::StrAppend(&text, "ompc_args[", i, "] = (void *)(", call.arguments[i], "); ");
      } else {
        absl::StrAppend(&text, "OMPC_PUT(ompc_args[", i, "], ", parameters[i].type, ", ",
                        call.arguments[i], "); ");
      }
    }
    return text;
  }

  absl::Status Create(const Directive& directive) {
    const bool is_target = directive.name == "target";
    std::string device;
    bool waits = true;
    for (const Clause& clause : directive.clauses) {
      if (clause.name == "device") device = clause.text;
      if (clause.name == "async" || clause.name == "nowait") waits = false;
    }
    Lists lists;
    if (absl::Status added = AddToLists(directive, lists); !added.ok()) return added;
    const auto call = TakeCall();
    if (!call.ok()) return call.status();
    const auto function = is_target ? VariantOf(call->function, device) : call->function;
    if (!function.ok()) return function.status();
    const auto arguments = ArgumentsFor(*function, *call);
    if (!arguments.ok()) return arguments.status();
    const std::string named = absl::StrCat("\"", *function, "\", ompc_call_", *function);
    absl::StrAppend(&out_, " { ompc_begin(); ", *arguments, ArrayOf("ompc_in", lists.in),
                    ArrayOf("ompc_out", lists.out), ArrayOf("ompc_maps", lists.maps),
                    "ompc_require(",
                    is_target ? absl::StrCat("tasklet_target_create(ompc_kernel_or(", named, "), 0")
                              : absl::StrCat("tasklet_create_named(", named),
                    ", ", Passed("ompc_args", call->arguments), ", ", Passed("ompc_in", lists.in),
                    ", ", Passed("ompc_out", lists.out));
    if (is_target)
      absl::StrAppend(&out_, ", ", Passed("ompc_maps", lists.maps), waits ? ", 0" : ", 1");
    out_ += ")); }";
    return absl::OkStatus();
  }

  // The variant's declaration follows.
  absl::Status AddVariant(const Directive& directive) {
    const auto variant = ParseVariant(directive);
    if (!variant.ok()) return variant.status();
    const std::size_t start = source_.AfterSpace(at_);
    const std::string rest(source_.text().substr(start));
    const Declaration declaration = ParseDeclaration(rest.substr(0, rest.find_first_of(";{")));
    if (declaration.name.empty()) {
      return absl::InvalidArgumentError("the variant's declaration behind declare variant");
    }
    variants_[variant->base][variant->device] = declaration.name;
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> VariantOf(const std::string& function,
                                        const std::string& device) const {
    const auto variants = variants_.find(function);
    if (variants == variants_.end()) return function;
    const auto& by_device = variants->second;
    if (device.empty() && by_device.size() == 1) return by_device.begin()->second;
    const auto found = by_device.find(device);
    if (found != by_device.end()) return found->second;
    return absl::InvalidArgumentError(
        device.empty() ? absl::StrCat("device(...), as there are several variants of ", function)
                       : absl::StrCat("a declare variant of ", function, " for device ", device));
  }

  // The function that a task of it runs.
  std::string CallOf(const std::string& function) const {
    const std::vector<Parameter>& parameters = functions_.at(function).parameters;
    std::string text = absl::StrCat("static void ompc_call_", function, "(void **args) {\n");
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].is_pointer) {
        arguments.push_back(absl::StrCat("args[", i, "]"));
        continue;
      }
      arguments.push_back(absl::StrCat("arg", i));
      absl::StrAppend(&text, "  OMPC_GET(", parameters[i].type, ", arg", i, ", args[", i, "]);\n");
    }
    if (parameters.empty()) text += "  (void)args;\n";
    return absl::StrCat(text, "  ", function, "(", absl::StrJoin(arguments, ", "), ");\n}\n");
  }

  const Source source_;
  std::size_t at_ = 0;
  std::string out_;
  std::map<std::string, Function> functions_;
  std::map<std::string, std::map<std::string, std::string>> variants_;  // by function and device
  std::set<std::string> called_;
};

}  // namespace

absl::StatusOr<std::string> TranslateOpenMp(std::string_view source, std::string_view file) {
  return Translator(source, file).Run();
}

}  // namespace taskrt
