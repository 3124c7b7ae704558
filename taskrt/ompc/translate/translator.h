// The translation of one file: a walk over its text that knows the variables of each place, and
// what is written for each directive on the way.
//
//   walk.cc        the text: blocks, declarations, names
//   directives.cc  which directive is what; regions, and what has no task of its own
//   captures.cc    the variables of a task: what its function declares, what it is called with
//   tasks.cc       task and taskloop
//   targets.cc     target, its data and its kernels
//
// Pure. Threads: one.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/directive.h"
#include "taskrt/ompc/translate/functions.h"
#include "taskrt/ompc/translate/scope.h"
#include "taskrt/ompc/translate/source.h"

namespace taskrt {

// "f(a, b);"
struct Call {
  std::string function;
  std::vector<std::string> arguments;
};

// A task's lists as elements of C's arrays.
struct Lists {
  std::vector<std::string> in, out, maps;
};

// How a task's function gets a variable.
enum class Sharing { kShared, kFirstPrivate, kPrivate, kTarget };
struct Capture {
  Variable variable;
  Sharing sharing = Sharing::kFirstPrivate;
  bool is_mapped = false;  // kTarget: a map of the directive names it
};

// C's arrays of what a task is created with, and the fields of struct ompc_task that name them.
struct Arguments {
  std::vector<std::string> args, copied;
};

class Translator {
 public:
  Translator(std::string_view text, std::string_view file) : source_(text, file) {}

  absl::StatusOr<std::string> Run();

 private:
  // walk.cc
  absl::Status WalkFile();
  absl::Status WalkFunction(const std::string& declaration);
  absl::Status Walk(std::size_t end);
  absl::Status WalkFor();
  void Declare(std::size_t to);
  void Copy(std::size_t to);
  void Skip(std::size_t to);
  void CopyWord(const std::string& before);
  const Variable* Find(const std::string& name);
  std::string Rewritten(const std::string& text);
  absl::StatusOr<std::set<std::string>> UsesOf(std::size_t begin, std::size_t end);
  absl::Status At(std::size_t at, const absl::Status& status) const;
  void Push(std::size_t end) { scopes_.push_back({end, {}, {}}); }

  // directives.cc
  struct Section {
    std::string begin, end;
  };
  Section SectionOf(const std::string& name);
  absl::Status CopyDirective();
  absl::Status Translate(const Directive& directive);
  absl::Status Parallel(const Directive& directive);
  absl::Status Single(const Directive& directive);
  absl::Status Atomic();
  absl::Status Around(const std::string& before, const std::string& behind);
  absl::StatusOr<std::string> PrivateOf(const Directive& directive, Scope& scope);
  absl::Status DeclareTarget(const Directive& directive);
  absl::Status AddVariant(const Directive& directive);

  // captures.cc
  absl::StatusOr<std::vector<Capture>> CapturesOf(const Directive& directive,
                                                  std::set<std::string> uses);
  absl::StatusOr<std::string> Outlined(const std::vector<Capture>& captures, std::size_t begin,
                                       std::size_t end, const std::string& head);
  static Arguments ArgumentsOf(const std::vector<Capture>& captures);
  absl::Status AddToLists(const Directive& directive, Lists& lists);
  std::string NameOf(std::size_t begin, std::size_t end) const;

  // tasks.cc
  absl::Status Task(const Directive& directive);
  absl::Status TaskLoop(const Directive& directive);
  absl::Status TaskWait(const Directive& directive);
  absl::StatusOr<std::string> FieldsOf(const Directive& directive);

  // targets.cc
  absl::Status Target(const Directive& directive);
  absl::Status TargetData(const Directive& directive);
  absl::Status TargetDataAction(const Directive& directive);
  absl::StatusOr<std::string> MapsOf(const Directive& directive, const std::string& name);
  absl::StatusOr<Call> CallAt(std::size_t begin, std::size_t end) const;
  bool IsKernelCall(const Call& call, const Directive& directive) const;
  absl::StatusOr<std::string> ArgumentsFor(const std::string& function, const Call& call,
                                           Lists& lists);
  absl::StatusOr<std::string> VariantOf(const std::string& function,
                                        const std::string& device) const;
  absl::StatusOr<std::string> KernelText(const Directive& directive, const std::string& name,
                                         const std::string& function);
  std::string CallOf(const std::string& function) const;

  // A search for uses of variables: the scopes from `own` on are the text's own.
  struct Recorder {
    std::size_t own = 0;
    std::set<std::string>* uses = nullptr;
  };

  const Source source_;
  std::size_t at_ = 0;
  std::string out_;
  std::map<std::string, Function> functions_;
  std::map<std::string, std::map<std::string, std::string>> variants_;  // by function and device
  std::map<std::string, std::string> macros_;                           // what they become
  std::set<std::string> called_;
  std::set<std::string> sections_;  // variables of those that it has

  Scope globals_;
  std::vector<Scope> scopes_;  // of the function that is written, the innermost last
  std::vector<Recorder> recorders_;
  bool is_in_target_ = false, is_declaring_target_ = false;
  int tasks_ = 0;
  std::vector<std::string> outlined_;  // behind the function that is written
};

// "void *name[] = {...}; ", and the fields that name it.
std::string ArrayOf(const std::string& type, const std::string& name,
                    const std::vector<std::string>& elements);
std::string FieldsFor(const std::string& count, const std::string& field, const std::string& name,
                      const std::vector<std::string>& elements);
std::string BlockOf(const ListItem& item);
std::string MapOf(const ListItem& item, const std::string& type);

}  // namespace taskrt
