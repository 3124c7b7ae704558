// The regions of a program as values: each directive with all that its text needs. Expressions are
// C for the function in which they stand: the names of variables are those that they have there.
// The second of the translator's three passes makes them (resolve.h), the third one writes them.
//
// Pure. Threads: any.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "taskrt/ompc/translate/c/functions.h"
#include "taskrt/ompc/translate/c/loop.h"
#include "taskrt/ompc/translate/c/scope.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/device/device_text.h"
#include "taskrt/ompc/translate/directives/directive.h"

namespace taskrt {

struct Region;

// A value: code with its regions, in the order of the text. An element is a text or a region.
struct ResolvedCode {
  struct Element {
    std::string text;
    std::shared_ptr<const Region> region;
  };
  std::vector<Element> elements;

  void Add(const std::string& text);
  void Add(Region region);
  void Add(ResolvedCode code);
};

// How a construct's function gets a variable.
enum class Sharing { kShared, kFirstPrivate, kPrivate, kTarget };

// How a target that no map tells brings a variable, as defaultmap says of its category.
enum class ImpliedMap { kAsEver, kToDevice, kToHost, kBoth, kScratch, kCopy };
struct DefaultMap {
  ImpliedMap scalar = ImpliedMap::kAsEver, aggregate = ImpliedMap::kAsEver;
};

// A value: a variable of a construct's function, as the place of the construct has it.
struct Capture {
  Variable variable;
  Sharing sharing = Sharing::kFirstPrivate;
  bool is_mapped = false;                 // kTarget: a map of the directive names it
  bool is_saved = false;                  // kFirstPrivate: in a taskgraph, as it was recorded
  std::optional<DefaultMap> default_map;  // kTarget: of a directive with defaultmap
};

// A value: the function that a construct's statement becomes.
struct OutlinedFunction {
  int number = 0;                  // counted in the file; 0: not made, in a search for uses
  std::vector<std::string> types;  // declarations that its variables may need
  struct OwnVariable {
    Variable variable;  // as the function declares it
    Sharing sharing = Sharing::kFirstPrivate;
  };
  std::vector<OwnVariable> variables;
  Source::Line line;  // of the statement
  ResolvedCode body;
};

// A value: a declare reduction.
struct OwnReduction {
  std::vector<std::string> types;
  std::string combiner, initializer;
  std::size_t end = std::string::npos;  // of the block that declares it
};

// Values: a variable that a block declares anew.
struct PrivateVariable {
  enum class Kind { kPrivate, kFirstPrivate, kLastPrivate, kLinear, kLoop } kind = Kind::kPrivate;
  Variable variable;           // as the block declares it
  std::string shown;           // its name outside of the block
  bool is_declared = false;    // by a clause before
  bool waits = false;          // a barrier behind the copy: nobody may write the variable before
  std::string step;            // of kLinear
  std::optional<size_t> loop;  // of kLastPrivate: it is the variable of this loop of a taskloop
};
struct ReducedVariable {
  enum class Form {
    kScalar,
    kArray,    // the whole of it
    kSection,  // a[lower:length]
    kSpan,     // a section in several dimensions, from its first element to its last
  } form = Form::kScalar;
  Variable variable;  // as the block declares it
  std::string shown;  // its name outside of the block
  std::string name;   // of the reduction: an operator or an identifier
  ListItem item;
  std::size_t dimensions = 0;            // of kArray
  std::optional<OwnReduction> declared;  // none: the reduction is the operator's
  bool is_type_known = false;            // the text says that the types are the same
};
// The variables that the clauses of a construct declare anew, in the order of the clauses.
struct Privates {
  std::vector<std::variant<PrivateVariable, ReducedVariable>> variables;
  bool has_tasks = false;  // that take part in a reduction
  Scope own;               // the variables, as the block sees them

  bool empty() const { return own.variables.empty(); }
};

// Values: the elements of the lists of depend and map.
struct DependBlock {
  enum class Means { kBlock, kBlockOrPlace, kPlace } means = Means::kBlock;
  ListItem item;
};
struct IteratedBlocks {
  struct Iteration {
    Variable variable;
    std::string begin, end, step;
  };
  std::vector<Iteration> iterations;  // the outermost first
  std::string type;                   // in, out or inout
  std::vector<DependBlock> blocks;
  std::vector<std::string> objects;  // depend objects
};
struct MapElement {
  enum class Kind {
    kItem,      // of a map
    kArgument,  // what argument `number` points to
    kImplied,   // the variable `shown`, which no map names
  } kind = Kind::kItem;
  ListItem item;
  std::string type;      // in, out, inout, alloc, ...
  bool is_lost = false;  // the host's value
  std::size_t number = 0;
  std::string shown;
  std::optional<DefaultMap> default_map;
};
struct Lists {
  std::vector<DependBlock> in, out;
  std::vector<IteratedBlocks> iterated;
  std::vector<MapElement> maps;
};

// Values: clauses of tasks.
struct TaskClauses {
  struct Field {
    enum class Kind { kPriority, kFinal } kind = Kind::kPriority;
    std::string expression;
  };
  std::vector<Field> fields;
  std::string replayable, condition;  // empty: there is none
};

struct TaskRegion {
  TaskClauses clauses;
  std::string event;  // detach's variable
  bool has_depend = false;
  std::vector<Capture> captures;
  Lists lists;
  std::string name;
  OutlinedFunction function;
  std::string line_ends;
};

// A loop of a taskloop.
struct TaskLoop {
  Loop loop;          // its bounds are expressions of the place
  Variable variable;  // each task's own
  std::string shown;  // of a variable that the loop does not declare
};
struct TaskLoopRegion {
  TaskClauses clauses;
  bool has_group = true;
  std::vector<TaskLoop> loops;
  std::string grainsize, num_tasks;
  struct Iterated {
    std::string condition;
    Lists lists;
  };
  std::vector<Iterated> iterations;
  std::vector<Capture> captures;
  std::string name;
  OutlinedFunction function;
  std::string line_ends;
};
// The part of a taskloop's iterations that one task runs.
struct TaskLoopPart {
  std::vector<TaskLoop> loops;
  Privates privates;
  ResolvedCode body;
};

struct TaskWaitRegion {
  Lists lists;
};

struct TargetRegion {
  // A call of a function, whose arguments are taken when the task is created.
  struct CallArgument {
    Parameter parameter;
    std::string expression;
  };
  std::optional<std::vector<CallArgument>> call;
  std::string called;
  // Any other statement.
  std::vector<Capture> captures;
  OutlinedFunction function;
  std::optional<DeviceLoop> loop;

  std::string name;
  Lists lists;
  std::string replayable, priority, condition;  // empty: there is none
  std::string units;                            // num_units
  std::vector<std::string> sizes;               // work_item
  bool is_on_host = false;                      // by is_device_ptr and has_device_addr
  bool waits = false;
  std::string nowait;  // nowait's condition
  std::string line_ends;
};

struct TargetDataRegion {
  Lists lists;
  std::string condition;
  ResolvedCode body;
};
struct TargetDataAction {
  enum class Kind { kBegin, kEnd, kDelete, kUpdate } kind = Kind::kBegin;
  Lists lists;
};
struct TargetDataActions {
  std::optional<Lists> depends;
  std::string condition;
  std::vector<TargetDataAction> actions;
};

struct ParallelRegion {
  std::vector<Capture> captures;
  std::vector<std::string> copied;  // by copyin: arguments behind the captures
  OutlinedFunction function;
  std::string threads, condition;
  std::string line_ends;
};
struct CopyIn {
  std::vector<std::string> names;  // each member's own
  std::size_t first_argument = 0;
};

struct SharedLoop {
  Loop loop;  // its bounds are expressions of the place
  Variable variable;
};
// The two phases of an iteration.
struct ScanPhases {
  Privates scanned;
  bool is_inclusive = false;
  ResolvedCode before, after;
  std::string line_ends_before, line_ends_scan, line_ends_after;
};
struct LoopRegion {
  std::vector<SharedLoop> loops;
  Privates privates, scanned;
  enum class Schedule { kStatic, kDynamic, kGuided, kAuto, kRuntime } schedule = Schedule::kStatic;
  std::string chunk;
  bool is_in_order = false, is_ordered = false, waits = false;
  enum class Binding { kNone, kAlone, kBinds } binding = Binding::kNone;
  enum class Distributed { kNone, kByTeams, kInTeam } distributed = Distributed::kNone;
  ResolvedCode body;
  std::string line_ends_before, line_ends_behind;
};
struct SectionsRegion {
  Privates privates;
  bool is_in_order = false, waits = false;
  struct Section {
    std::string line_ends;
    ResolvedCode code;
  };
  std::vector<Section> sections;
  std::string line_ends;
};

struct TeamsRegion {
  std::string count = "0";  // 0: as many as there are
  ResolvedCode body;
};
struct SingleRegion {
  std::vector<std::string> copied;  // by copyprivate
  bool waits = false;
  ResolvedCode body;
};
struct ScopeRegion {
  Privates privates;
  bool waits = false;
  ResolvedCode body;
};
// A block that has variables of its own, and nothing else.
struct PrivatesRegion {
  Privates privates;
  ResolvedCode body;
};
// A block with something before and behind it.
struct BlockRegion {
  enum class Kind { kMaster, kMasked, kTaskGroup, kCritical, kOrdered } kind = Kind::kMaster;
  std::string argument;  // masked's filter, critical's name
  ResolvedCode body;
};
enum class StandAlone { kTaskWait, kBarrier, kTaskYield, kFlush, kNothing };

struct AtomicRegion {
  enum class Kind { kRead, kWrite, kUpdate } kind = Kind::kUpdate;
  enum class Order { kSequential, kAcquire, kRelease, kBoth } order = Order::kBoth;  // of memory
  std::string place;
  std::string value;       // kRead: the place that is read; else the value that is computed before
  bool is_stored = false;  // the value as it is
  std::string kept;        // the place that keeps a value
  std::string fetch;       // the operation that the processor may have
  bool is_step = false;    // ++ or --
  std::string changed;     // the statement
  std::string line_ends;
};

struct ErrorRegion {
  bool is_warning = false, is_at_execution = false;
  std::string message;
  Source::Line line;
};

struct DependObjectRegion {
  enum class Action { kDestroy, kUpdate, kSet } action = Action::kDestroy;
  std::string object, type;
  DependBlock block;
};

struct TaskGraphRegion {
  enum class Watched { kNot, kPointer, kValue };
  struct GraphVariable {
    std::string shown;
    bool is_value = false;  // a parameter that is written as an array is a pointer
    Watched watched = Watched::kNot;
  };
  std::vector<GraphVariable> variables;
  std::string id = "0", condition;
  bool is_reset = false;
  std::string reset;  // the condition of it
  bool reads_memory = false, has_group = true;
  int number = 0;  // in the file
  ResolvedCode body;
};

struct ThreadPrivateRegion {
  std::vector<std::string> names;
  bool is_of_file = false;
};

// The directives among which values choose.
struct MetaRegion {
  struct Choice {
    std::string condition;
    ResolvedCode code;
  };
  std::vector<Choice> choices;
};

struct FunctionRegion {
  ResolvedCode body;
  Source::Line line;  // behind it
};

// A value.
struct Region {
  std::variant<TaskRegion, TaskLoopRegion, TaskLoopPart, TaskWaitRegion, TargetRegion,
               TargetDataRegion, TargetDataActions, ParallelRegion, CopyIn, ScanPhases, LoopRegion,
               SectionsRegion, TeamsRegion, SingleRegion, ScopeRegion, PrivatesRegion, BlockRegion,
               StandAlone, AtomicRegion, ErrorRegion, DependObjectRegion, TaskGraphRegion,
               ThreadPrivateRegion, MetaRegion, FunctionRegion>
      is;
};

// A value: a file.
struct ResolvedProgram {
  ResolvedCode code;
  std::map<std::string, Function> called;  // by targets
  std::set<std::string> sections;          // the names of its critical sections
  int functions = 0, graphs = 0;           // how many there are
};

// The critical section of atomic, whose name no program can write.
inline constexpr std::string_view kAtomicSection = "0atomic";

// In a construct's function, the pointer to a variable's place.
std::string PlaceName(const Variable& variable);

inline std::string ShownOf(const Variable& variable) {
  return variable.shown.empty() ? variable.name : variable.shown;
}

}  // namespace taskrt
