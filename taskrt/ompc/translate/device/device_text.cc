#include "taskrt/ompc/translate/device/device_text.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/device/device_types.h"
#include "taskrt/ompc/translate/device/device_words.h"
#include "taskrt/ompc/translate/directives/parse.h"

namespace taskrt {
namespace {

using From = DeviceVariable::From;
using Kind = DeviceShape::Kind;

// The value that changes no other one, of a reduction by `sign`.
std::string InitialOf(const std::string& sign, const DeviceType& type) {
  if (sign == "*" || sign == "&&") return "1";
  if (sign == "&") return absl::StrCat("(", type.name, ")~0");
  if (sign != "min" && sign != "max") return "0";
  const bool is_most = sign == "min";
  if (type.is_floating) return is_most ? "INFINITY" : "-INFINITY";
  if (type.is_unsigned && !is_most) return "0";
  const std::string limit = type.name == "int"    ? "INT_"
                            : type.name == "uint" ? "UINT_"
                            : type.name == "long" ? "LONG_"
                                                  : "ULONG_";
  return limit + (is_most ? "MAX" : "MIN");
}
std::string Combined(const std::string& sign, const std::string& left, const std::string& right) {
  if (sign == "min") return absl::StrCat("(", right, " < ", left, " ? ", right, " : ", left, ")");
  if (sign == "max") return absl::StrCat("(", right, " > ", left, " ? ", right, " : ", left, ")");
  return absl::StrCat("(", left, " ", sign == "-" ? "+" : sign, " ", right, ")");
}

// The parts of a kernel that is written.
class Kernel {
 public:
  explicit Kernel(const DeviceLoop& loop) : loop_(loop), words_(loop.macros) {}

  std::optional<DeviceText> Write() {
    for (const Variable& counter : loop_.counters) counters_.insert(counter.name);
    for (const DeviceVariable& each : loop_.variables) {
      if (!AddVariable(each)) return std::nullopt;
    }
    for (const DeviceVariable& each : loop_.variables) {
      if (each.from == From::kPlace && !AddBounds(each.variable)) return std::nullopt;
    }
    for (const DeviceReduction& each : loop_.reductions) {
      if (!AddReduction(each)) return std::nullopt;
    }
    for (std::size_t i = loop_.loops.size(); i-- > 0;) {
      if (!AddLoop(i)) return std::nullopt;
    }
    std::string body;
    if (!AddOrder() || !words_.Write(loop_.body, body)) return std::nullopt;
    text_.adds_in_groups = !loop_.reductions.empty();
    text_.source = absl::StrCat(
        Head(), "__kernel ",
        text_.adds_in_groups
            ? absl::StrCat("__attribute__((reqd_work_group_size(", kDeviceGroup, ", 1, 1))) ")
            : "",
        "void ompc_loop(", blocks_, text_.scalars.empty() ? "" : ", ", scalars_, ") {\n", declared_,
        counts_, order_, " {\nlong ompc_rest = ompc_k;\n", indices_, "{\n", body, "\n}\n}\n",
        Tail(), "}\n");
    return text_;
  }

 private:
  // An argument, and the variable that the body names.
  bool AddVariable(const DeviceVariable& each) {
    const std::string& name = each.variable.name;
    const auto shape = DeviceShapeOf(each.variable);
    if (!shape) return false;
    const std::string own = DeviceNameOf(name), type = shape->type.name;
    const bool is_counter = counters_.contains(name);
    if (each.from == From::kPlace) {
      const bool is_number = shape->kind == Kind::kNumber;
      absl::StrAppend(&blocks_, blocks_.empty() ? "" : ", ", "__global char *b_", name);
      ++text_.blocks;
      AddScalar("long", 8, absl::StrCat("o_", name));
      if (is_counter) return true;
      words_.Add(name, is_number ? DeviceWords::As::kPlace : DeviceWords::As::kRow, *shape);
      absl::StrAppend(&declared_, "__global ", type, " *", own, " = (__global ", type, " *)(b_",
                      name, " + o_", name, ");\n");
      return true;
    }
    const bool is_value = each.from == From::kValue;
    if (shape->kind == Kind::kPointer || (is_value && shape->kind != Kind::kNumber)) return false;
    if (is_value) AddScalar(type, shape->type.bytes, absl::StrCat("i_", name));
    if (is_counter) return true;
    words_.Add(name, DeviceWords::As::kItself, *shape);
    // The bounds of a private array are numbers.
    absl::StrAppend(&declared_, type, " ", own);
    for (const std::string& bound : shape->bounds) {
      const bool is_number =
          std::all_of(bound.begin(), bound.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!is_number) return false;
      absl::StrAppend(&declared_, "[", bound, "]");
    }
    absl::StrAppend(&declared_, is_value ? absl::StrCat(" = i_", name) : "", ";\n");
    return true;
  }

  // Of rows, as they are before the loop: of variables that it neither counts nor has for itself.
  bool AddBounds(const Variable& variable) {
    const DeviceShape shape = *DeviceShapeOf(variable);
    for (std::size_t i = 0; i < shape.inner().size(); ++i) {
      const std::string& bound = shape.inner()[i];
      for (const std::string& name : NamesIn(bound)) {
        const auto is_one = [&](const DeviceVariable& each) {
          return each.variable.name == name && each.from == From::kNowhere;
        };
        const auto is_reduced = [&](const DeviceReduction& each) { return each.variable == name; };
        const bool is_own =
            counters_.contains(name) ||
            std::any_of(loop_.reductions.begin(), loop_.reductions.end(), is_reduced) ||
            std::any_of(loop_.variables.begin(), loop_.variables.end(), is_one);
        if (is_own) return false;
      }
      std::string text;
      if (!words_.Write(bound, text)) return false;
      absl::StrAppend(&declared_, "const long ", DeviceBoundOf(variable.name, i + 1), " = ", text,
                      ";\n");
    }
    return true;
  }

  void AddScalar(const std::string& type, int bytes, const std::string& name) {
    absl::StrAppend(&scalars_, scalars_.empty() ? "" : ", ", type, " ", name);
    text_.scalars.push_back(bytes);
  }

  // The item's own value, one for each item of the group, and what adds a group's to the variable.
  bool AddReduction(const DeviceReduction& each) {
    const auto found = std::find_if(
        loop_.variables.begin(), loop_.variables.end(),
        [&](const DeviceVariable& variable) { return variable.variable.name == each.variable; });
    if (found == loop_.variables.end() || found->from != From::kPlace) return false;
    const auto shape = DeviceShapeOf(found->variable);
    const bool is_once = reduced_.insert(each.variable).second;
    if (!shape || shape->kind != Kind::kNumber || shape->type.bytes < 4 || !is_once ||
        counters_.contains(each.variable)) {
      return false;
    }
    const DeviceType& type = shape->type;
    const std::string &name = each.variable, own = DeviceNameOf(name);
    const std::string bits = type.bytes == 8 ? "ulong" : "uint";
    adds_long_ |= type.bytes == 8;
    words_.Add(name, DeviceWords::As::kItself, *shape);
    const std::size_t at = declared_.find(absl::StrCat("__global ", type.name, " *", own, " ="));
    declared_.replace(at, declared_.find('\n', at) + 1 - at,
                      absl::StrCat("__local ", type.name, " l_", name, "[", kDeviceGroup, "];\n",
                                   type.name, " ", own, " = ", InitialOf(each.sign, type), ";\n"));
    absl::StrAppend(&adders_, "void ompc_add_", name, "(volatile __global ", bits, " *at, ",
                    type.name, " value) {\n", bits, " old = *at;\nfor (;;) {\nconst ", bits,
                    " seen = ", type.bytes == 8 ? "atom_cmpxchg" : "atomic_cmpxchg",
                    "(at, old, as_", bits, "((", type.name, ")",
                    Combined(each.sign, absl::StrCat("as_", type.name, "(old)"), "value"),
                    "));\nif (seen == old) return;\nold = seen;\n}\n}\n");
    absl::StrAppend(&values_, "l_", name, "[get_local_id(0)] = ", own, ";\n");
    absl::StrAppend(&sums_, "for (int ompc_i = 1; ompc_i < ", kDeviceGroup, "; ++ompc_i) ", own,
                    " = ", Combined(each.sign, own, absl::StrCat("l_", name, "[ompc_i]")),
                    ";\nompc_add_", name, "((volatile __global ", bits, " *)(b_", name, " + o_",
                    name, "), ", own, ");\n");
    return true;
  }

  // Where the loop begins, its step, and how often it repeats: as omp.h's macros compute it.
  bool AddLoop(std::size_t i) {
    const Loop& loop = loop_.loops[i];
    const Variable& counter = loop_.counters[i];
    const auto shape = DeviceShapeOf(counter);
    if (!shape || shape->kind != Kind::kNumber || shape->type.is_floating) return false;
    for (const std::string& bound : {loop.lower, loop.upper, loop.step}) {
      const std::vector<std::string> names = NamesIn(bound);
      const auto is_counter = [&](const std::string& name) { return counters_.contains(name); };
      if (std::any_of(names.begin(), names.end(), is_counter)) return false;
    }
    std::string lower, upper, step;
    const std::string n = std::to_string(i), low = "ompc_lower" + n, by = "ompc_step" + n,
                      count = "ompc_count" + n, index = "ompc_index" + n;
    if (!words_.Write(loop.lower, lower) || !words_.Write(loop.upper, upper) ||
        !words_.Write(loop.step, step)) {
      return false;
    }
    const std::string last = absl::StrCat("(", upper, ")");
    const std::string& relation = loop.relation;
    const bool is_up = relation[0] == '<';
    const std::string from = is_up ? low : last, to = is_up ? last : low;
    const std::string is_closed = relation.size() > 1 ? "1" : "0";
    const std::string all =
        relation == "!="
            ? absl::StrCat(by, " > 0 ? (long)(((ulong)", last, " - (ulong)", low, ") / (ulong)", by,
                           ") : (long)(((ulong)", low, " - (ulong)", last, ") / (ulong)-", by, ")")
            : absl::StrCat(to, " > ", from, " ? (long)(((ulong)", to, " - (ulong)", from, " - !",
                           is_closed, ") / (ulong)", is_up ? "" : "-", by, " + 1) : ", is_closed,
                           " && ", to, " == ", from, " ? 1L : 0L");
    counts_ = absl::StrCat(shape->type.name, " ", low, " = ", lower, ";\nconst long ", by, " = ",
                           step, ";\nconst long ", count, " = ", all, ";\n", counts_);
    total_ = absl::StrCat(count, total_.empty() ? "" : " * ", total_);
    // The innermost loop's is the rest of the division, as the loops are added from it outwards.
    absl::StrAppend(&indices_, "const long ", index, " = ompc_rest",
                    i == 0 ? "" : absl::StrCat(" % ", count, ";\nompc_rest /= ", count), ";\n");
    absl::StrAppend(&indices_, DeviceNameOf(counter.name), " = ", low, " + ", index, " * ", by,
                    ";\n");
    words_.Add(counter.name, DeviceWords::As::kItself, *shape);
    absl::StrAppend(&declared_, shape->type.name, " ", DeviceNameOf(counter.name), ";\n");
    return true;
  }

  // Which iterations the item has, in which order.
  bool AddOrder() {
    const auto by_items = [](const std::string& number, const std::string& count) {
      return absl::StrCat("for (long ", number, " = (long)get_global_id(0); ", number, " < ", count,
                          "; ", number, " += (long)get_global_size(0))");
    };
    if (loop_.chunk.empty()) {
      order_ = by_items("ompc_k", total_);
      return true;
    }
    std::string chunk;
    if (!words_.Write(loop_.chunk, chunk)) return false;
    order_ =
        absl::StrCat("const long ompc_chunk = ", chunk, ";\nconst long ompc_total = ", total_,
                     ";\n", by_items("ompc_part", "(ompc_total + ompc_chunk - 1) / ompc_chunk"),
                     "\nfor (long ompc_k = ompc_part * ompc_chunk; ompc_k < ompc_total && ompc_k < "
                     "(ompc_part + 1)"
                     " * ompc_chunk; ++ompc_k)");
    return true;
  }

  std::string Head() const {
    std::string head = "#pragma OPENCL FP_CONTRACT OFF\n";
    const auto needs = [&](const std::string& extension) {
      absl::StrAppend(&head, "#ifndef ", extension, "\n#error no ", extension,
                      "\n#endif\n#pragma OPENCL EXTENSION ", extension, " : enable\n");
    };
    if (words_.uses_double()) needs("cl_khr_fp64");
    if (adds_long_) needs("cl_khr_int64_base_atomics");
    return absl::StrCat(head, words_.functions(), adders_);
  }

  // The first item of a group adds the values of all.
  std::string Tail() const {
    if (values_.empty()) return "";
    return absl::StrCat(values_, "barrier(CLK_LOCAL_MEM_FENCE);\nif (get_local_id(0) == 0) {\n",
                        sums_, "}\n");
  }

  const DeviceLoop& loop_;
  DeviceWords words_;
  DeviceText text_;
  std::set<std::string> counters_, reduced_;
  std::string blocks_, scalars_, declared_, counts_, total_, order_, indices_, adders_, values_,
      sums_;
  bool adds_long_ = false;
};

}  // namespace

std::optional<std::vector<DeviceReduction>> DeviceReductionsOf(const Directive& directive) {
  // Parts that share a loop, and parts beside them.
  static const auto& kinds = *new std::map<std::string, bool>{
      {"distribute", true}, {"for", true},   {"loop", true},  {"target", false}, {"teams", false},
      {"parallel", false},  {"simd", false}, {"tile", false}, {"unroll", false}};
  bool shares = false;
  for (const std::string& part : directive.parts) {
    const auto kind = kinds.find(part);
    if (kind == kinds.end()) return std::nullopt;
    shares |= kind->second;
  }
  if (!shares || directive.parts[0] != "target") return std::nullopt;
  static const auto& clauses = *new std::set<std::string>{
      "async",       "collapse",  "default",  "defaultmap", "depend",   "device",   "firstprivate",
      "if",          "map",       "nowait",   "num_teams",  "bind",     "priority", "private",
      "num_threads", "reduction", "schedule", "shared",     "num_units"};
  std::vector<DeviceReduction> reductions;
  for (const Clause& clause : directive.clauses) {
    if (!clauses.contains(clause.name)) return std::nullopt;
    // One thread may have an order.
    const bool is_one =
        (clause.name == "num_teams" || clause.name == "num_threads") && Trimmed(clause.text) == "1";
    if (is_one) return std::nullopt;
    if (clause.name != "reduction") continue;
    static const auto& signs =
        *new std::set<std::string>{"+", "-", "*", "&", "|", "^", "&&", "||", "min", "max"};
    const std::size_t colon = FindOutside(clause.text, ':');
    if (colon == std::string::npos) return std::nullopt;
    const std::string sign = Trimmed(std::string_view(clause.text).substr(0, colon));
    const auto items = ParseItems({"reduction", clause.text.substr(colon + 1)});
    if (!signs.contains(sign) || !items.ok()) return std::nullopt;
    for (const ListItem& item : *items) {
      if (item.is_section) return std::nullopt;
      reductions.push_back({sign, item.base});
    }
  }
  return reductions;
}

std::optional<DeviceText> DeviceTextOf(const DeviceLoop& loop) { return Kernel(loop).Write(); }

}  // namespace taskrt
