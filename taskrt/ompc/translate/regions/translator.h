// The translation of one file: a walk over its text that knows the variables of each place, and
// what is written for each directive on the way.
//
//   walk.cc           the text: blocks, declarations, names
//   inner_declarations.cc  declarations inside of functions
//   directives.cc     which directive is what, part by part; critical and others without variables
//   atomic.cc         atomic
//   captures.cc       the variables of a task's function: its declarations, its arguments
//   metadirective.cc  the directives among which one chooses by its place
//   privates.cc       the variables that a block of its own declares anew: private, reduction, ...
//   regions.cc        parallel, and what its members share: sections, single, scope
//   loops.cc          for and taskloop
//   scan.cc           loops that one member runs in order
//   lists.cc          the lists of depend and map; depobj
//   tasks.cc          task and taskwait
//   graphs.cc         taskgraph
//   targets.cc        target and its kernels
//   device_loops.cc   a target's loop as a kernel of OpenCL
//   target_data.cc    the data of targets
//   declarations.cc   threadprivate, declare target, declare variant
//   own_reductions.cc declare reduction, and which one a variable's type has
//
// Names in what is written: ompc_ROLE_x is made of the program's x, and no function of the C
// interface and no other variable of a block begins with its ROLE: at, first, last, reduced,
// element, own, count, lower, private, keep, section, call.
//
// Pure. Threads: one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/c/functions.h"
#include "taskrt/ompc/translate/c/scope.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/c/structured.h"
#include "taskrt/ompc/translate/device/device_text.h"
#include "taskrt/ompc/translate/directives/directive.h"
#include "taskrt/ompc/translate/directives/parse.h"
#include "taskrt/ompc/translate/directives/pragmas.h"
#include "taskrt/ompc/translate/emit/loop_nest.h"

namespace taskrt {

// "f(a, b);"
struct Call {
  std::string function;
  std::vector<std::string> arguments;
};

// A task's lists as elements of C's arrays.
struct Lists {
  std::vector<std::string> in, out, maps;
  std::string filled;  // statements that add to lists whose lengths are not known here; or none
};

// A section's first and last element, and how many it has.
struct Span {
  std::string first, last, count;
};

// How a task's function gets a variable.
enum class Sharing { kShared, kFirstPrivate, kPrivate, kTarget };
struct Capture {
  Variable variable;
  Sharing sharing = Sharing::kFirstPrivate;
  bool is_mapped = false;   // kTarget: a map of the directive names it
  bool is_saved = false;    // kFirstPrivate: in a taskgraph, as it was recorded
  std::string default_map;  // else: what defaultmap says of its category
};

// The text of a block that declares the variables of a construct's clauses anew.
struct Privates {
  std::string before;    // in the block outside: where the variables are
  std::string declared;  // in the block
  std::vector<std::pair<std::string, std::string>> linear;  // variables, and their steps
  std::string last;        // where the last iteration, or section, was run
  std::string combined;    // of reductions, at the end
  bool has_tasks = false;  // that take part in a reduction
  Scope own;
};

// A value: a declare reduction.
struct OwnReduction {
  std::vector<std::string> types;
  std::string combiner, initializer;
  std::size_t end = std::string::npos;  // of the block that declares it
};

// Is it a loop, or are they sections, whose parts one member runs in their order?
bool RunsInOrder(const Directive& directive);

// Does a clause of this name list the variable?
bool HasItem(const Directive& directive, std::string_view clause, const std::string& name);

// C's arrays of what a task is created with, and the fields of struct ompc_task that name them.
struct Arguments {
  std::vector<std::string> args, copied;
  unsigned long saved = 0;  // bit i: of argument i, the value that a taskgraph has recorded
};

class Translator {
 public:
  Translator(std::string_view text, std::string_view file)
      : text_(WithPlainPragmas(text)), source_(text_, file) {}
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  absl::StatusOr<std::string> Run();

 private:
  // A search for uses of variables: the scopes from `own` on are the text's own.
  struct Recorder {
    std::size_t own = 0;
    std::set<std::string>* uses = nullptr;
  };

  // walk.cc
  absl::Status WalkFile();
  absl::Status WalkFunction(const std::string& declaration);
  absl::Status Walk(std::size_t end);
  absl::Status WalkFor();
  void Copy(std::size_t to);
  void Skip(std::size_t to);
  void CopyWord(const std::string& before);
  const Variable* Find(const std::string& name);
  // A declaration that the place in the source sees, whether the function that is written has the
  // variable or not.
  const Variable* FindDeclared(const std::string& name) const;
  std::string ShownHere(const std::string& name);
  std::string Rewritten(const std::string& text);
  using Body = std::function<absl::Status()>;
  absl::StatusOr<std::set<std::string>> UsesOf(std::size_t begin, std::size_t end,
                                               const Body& body);
  absl::StatusOr<std::set<std::string>> UsesOf(std::size_t begin, std::size_t end) {
    return UsesOf(begin, end, [&] { return Walk(end); });
  }
  absl::Status At(std::size_t at, const absl::Status& status) const;
  void Push(std::size_t end) { scopes_.push_back({end, {}, {}}); }

  // inner_declarations.cc
  void Declare(std::size_t to);
  absl::Status WalkNested(std::size_t body);
  std::size_t AfterMembers() const;
  void CopyMembers(std::size_t end);

  // directives.cc
  struct Section {
    std::string begin, end;
  };
  Section SectionOf(const std::string& name);
  absl::Status CopyDirective();
  absl::Status CheckBlock(const Directive& directive) const;
  absl::Status Translate(const Directive& directive);
  absl::Status Part(const Directive& directive, std::size_t part);
  absl::Status PartItself(const Directive& directive, std::size_t part);
  absl::Status Atomic(const Directive& directive);
  absl::Status ErrorOf(const Directive& directive);
  absl::Status Around(const std::string& before, const std::string& behind, const Body& body);
  absl::Status Around(const std::string& before, const std::string& behind);
  absl::StatusOr<std::string> ConditionOf(const Directive& directive, std::string_view part);

  // metadirective.cc
  absl::Status MetaDirective(const Directive& directive);

  // privates.cc
  absl::StatusOr<Privates> PrivatesOf(const Directive& directive, std::size_t part);
  absl::Status AddPrivate(const ListItem& item, const std::string& kind, Privates& all);
  absl::StatusOr<Privates> ReductionsOfTask(const Directive& directive);
  absl::Status AddReduction(const Clause& clause, Privates& all);
  absl::Status InPrivates(const Privates& privates, const std::string& head, const std::string& end,
                          const Body& body);

  // declarations.cc
  absl::Status Declare(const Directive& directive);
  absl::Status DeclareTarget(const Directive& directive);
  absl::Status AddVariant(const Directive& directive);
  absl::Status ThreadPrivate(const Directive& directive);

  // own_reductions.cc
  absl::Status DeclareReduction(const Directive& directive);
  struct FoundReduction {
    const OwnReduction* declared = nullptr;  // null: it is the operator's
    bool is_known = false;                   // the text says that the types are the same
  };
  // A reduction is named by an operator of the language, or by an identifier.
  enum class ReductionName { kIdentifier, kOperator };
  absl::StatusOr<FoundReduction> FindReduction(const std::string& name, const std::string& type,
                                               ReductionName kind) const;
  const TypeDeclaration* FindTypedef(const std::string& name) const;
  std::string PlainType(const std::string& type) const;

  // regions.cc
  absl::Status Parallel(const Directive& directive, std::size_t part);
  absl::Status Sections(const Directive& directive, std::size_t part);
  absl::Status Teams(const Directive& directive, std::size_t part);
  absl::Status Single(const Directive& directive);
  absl::Status ScopeRegion(const Directive& directive);

  // loops.cc
  absl::Status For(const Directive& directive, std::size_t part);
  absl::Status TaskLoop(const Directive& directive);
  absl::Status DeclareVariables(const std::vector<Loop>& loops, std::size_t end,
                                const std::string& directive, Privates& privates,
                                std::vector<NestedLoop>& nested);
  absl::StatusOr<Variable> VariableOf(const Loop& loop, const std::string& directive);

  // scan.cc
  absl::StatusOr<Privates> ScannedOf(const Directive& directive);
  absl::Status Scan(const Privates& scanned, std::size_t end);

  // captures.cc
  struct Given {
    std::map<std::string, Sharing> sharing;
    std::set<std::string> mapped, brought_back, saved;
    std::string by_default, default_map;
  };
  absl::StatusOr<Given> GivenBy(const Directive& directive, std::string_view part);
  absl::StatusOr<std::vector<Capture>> CapturesOf(const Directive& directive,
                                                  std::set<std::string> uses,
                                                  std::string_view part);
  absl::StatusOr<std::string> Outlined(const std::vector<Capture>& captures, std::size_t begin,
                                       std::size_t end, const std::string& head, const Body& body);
  absl::StatusOr<std::string> Outlined(const std::vector<Capture>& captures, std::size_t begin,
                                       std::size_t end, const std::string& head) {
    return Outlined(captures, begin, end, head, [&] { return Walk(end); });
  }
  static Arguments ArgumentsOf(const std::vector<Capture>& captures);
  std::string NameOf(std::size_t begin, std::size_t end) const;

  // lists.cc
  // The sections of an item lie in any memory, or each in one piece.
  enum class Pieces { kAny, kOne };
  absl::StatusOr<ListItem> WrittenItem(ListItem item, Pieces pieces);
  absl::StatusOr<std::vector<std::string>> BlocksOf(const ListItem& item);
  absl::Status AddIterated(const Directive& directive, const ItemList& list, Lists& lists);
  absl::Status AddToLists(const Directive& directive, Lists& lists);
  absl::Status DependObject(const Directive& directive);

  // tasks.cc
  absl::Status Task(const Directive& directive);
  absl::StatusOr<Lists> IterationsOf(std::size_t body, const std::string& head);
  absl::Status TaskWait(const Directive& directive);
  std::string OnceField(const Directive& directive);
  std::string FieldsOf(const Directive& directive);
  absl::StatusOr<std::string> DeferredField(const Directive& directive);
  absl::StatusOr<std::string> AtOnce(const Directive& directive, const std::string& function,
                                     const Arguments& arguments);

  // graphs.cc
  absl::Status TaskGraph(const Directive& directive);
  bool ReadsMemory(const std::string& text) const;
  void WatchPointer(const std::string& name);
  void WatchValues(const std::string& text);
  void WatchItem(const Directive& directive, const ListItem& item);

  // targets.cc
  absl::Status Target(const Directive& directive, std::size_t part);
  absl::Status AddReduced(const Directive& directive, Lists& lists);
  absl::Status TargetData(const Directive& directive);
  absl::Status TargetDataAction(const Directive& directive);
  absl::StatusOr<std::string> MapsOf(const Directive& directive, const std::string& name);
  absl::StatusOr<Call> CallAt(std::size_t begin, std::size_t end) const;
  bool IsKernelCall(const Call& call, const Directive& directive) const;
  absl::StatusOr<std::string> ArgumentsFor(const std::string& function, const Call& call,
                                           Lists& lists);
  absl::StatusOr<std::string> VariantOf(const std::string& function,
                                        const std::string& device) const;
  absl::StatusOr<std::string> KernelText(const Directive& directive, std::string kernel);
  std::string CallOf(const std::string& function) const;

  // device_loops.cc
  std::optional<Directive> AllBeforeLoop(const Directive& directive, std::size_t& at) const;
  std::optional<DeviceLoop> DeviceLoopOf(const Directive& directive,
                                         const std::vector<Capture>& captures,
                                         std::size_t begin) const;
  static std::string KernelOf(const std::string& name, const std::string& function,
                              const std::optional<DeviceLoop>& loop);

  const std::string text_;
  const Source source_;
  std::size_t at_ = 0;
  std::string out_;
  std::string function_;  // the program's, in which the place is
  std::size_t function_begin_ = 0, function_end_ = 0;
  std::map<std::string, Function> functions_;
  std::map<std::string, std::map<std::string, std::string>> variants_;  // by function and device
  std::map<std::string, std::string> macros_;                           // what they become
  std::map<std::string, std::vector<OwnReduction>> reductions_;         // by identifier
  std::set<std::string> called_;
  // In the statement of the target whose maps are read: assigned to, and arguments of calls.
  std::set<std::string> assigned_, passed_;
  std::set<std::string> sections_;  // variables of those that it has

  Scope globals_;
  std::vector<Scope> scopes_;  // of the function that is written, the innermost last
  std::vector<std::vector<Scope>> enclosing_;  // of the functions of the constructs that it is in
  std::vector<Recorder> recorders_;
  std::vector<std::string> nest_;  // the constructs that the place is in, the innermost last
  // Of the taskgraph whose block is searched: where its scopes begin, and the variables outside on
  // whose values its tasks' lists depend, those of pointer type, and others.
  struct Watched {
    std::size_t own = 0;
    std::set<std::string> pointers, values, saved;
    std::set<std::string> copied;  // variables of the file that tasks get as copies
    bool reads_memory = false;     // behind a pointer, whose value is not watched
  };
  Watched* watched_ = nullptr;
  std::set<std::size_t> iterations_;  // where the task_iterations end that taskloops have
  int graphs_ = 0;
  bool is_in_target_ = false, is_declaring_target_ = false;
  int tasks_ = 0;
  std::vector<std::string> outlined_;  // behind the function that is written
};

// Takes "saved:" from the front of a firstprivate's list; false: it is not there.
bool TakeSaved(Clause& clause);
// "void *name[] = {...}; ", and the fields that name it.
std::string ArrayOf(const std::string& type, const std::string& name,
                    const std::vector<std::string>& elements);
std::string FieldsFor(const std::string& count, const std::string& field, const std::string& name,
                      const std::vector<std::string>& elements);
// C text that makes the lists of a task, names them as fields or arguments, and frees them.
std::string ListArrays(const Lists& lists);
std::string ListFields(const Lists& lists);
std::string ListArguments(const Lists& lists);
std::string ListsEnd(const Lists& lists);
std::string SavedField(const Arguments& arguments);
std::string ArgumentFields(const Arguments& arguments);
std::string ArgumentArrays(const Arguments& arguments);
std::string ShownOf(const Variable& variable);
// `text` with other words for some.
std::string WithWords(const std::string& text, const std::map<std::string, std::string>& words);
std::string BlockOf(const ListItem& item);
Span SpanOf(const ListItem& item);
std::string MapOf(const ListItem& item, const std::string& type);

}  // namespace taskrt
