#include "apps/sdpa/generate/generate.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/sdpa/generate/arguments.h"
#include "apps/sdpa/generate/families.h"

namespace sdpa {
namespace {

struct Family {
  const char* name;
  absl::StatusOr<Generated> (*make)(Arguments&);
};

constexpr std::array kFamilies = {
    Family{"theta", ThetaFamily},          Family{"bordered-theta", BorderedThetaFamily},
    Family{"max-cut", MaxCutFamily},       Family{"bisection", BisectionFamily},
    Family{"control", ControlFamily},      Family{"truss", TrussFamily},
    Family{"material", MaterialFamily},    Family{"qap", QapFamily},
    Family{"random", RandomFamily},        Family{"blocks", BlocksFamily},
    Family{"infeasible", InfeasibleFamily}};

struct Short {
  const char* name;
  const char* text;
};

constexpr std::array kShort = {
    Short{"theta-200", "theta:n=200,m=1949"}, Short{"theta-300", "theta:n=300,m=4375"},
    Short{"control-40", "control:n=40"}, Short{"max-cut-800", "max-cut:torus,n=800"},
    Short{"bordered-theta-800", "bordered-theta:torus,n=800"}};

}  // namespace

std::vector<std::string> FamilyNames() {
  std::vector<std::string> names;
  for (const Family& family : kFamilies) names.emplace_back(family.name);
  return names;
}

std::vector<std::string> ShortNames() {
  std::vector<std::string> names;
  for (const Short& each : kShort) names.emplace_back(each.name);
  return names;
}

absl::StatusOr<Generated> Generate(std::string_view text) {
  std::string_view full = text;
  for (const Short& each : kShort) {
    if (text == each.name) full = each.text;
  }
  auto arguments = Arguments::Parse(full);
  if (!arguments.ok()) return arguments.status();
  for (const Family& family : kFamilies) {
    if (arguments->family() != family.name) continue;
    absl::StatusOr<Generated> generated = family.make(*arguments);
    if (generated.ok()) generated->name = text;
    return generated;
  }
  std::vector<std::string> allowed = FamilyNames();
  for (std::string& name : ShortNames()) allowed.push_back(std::move(name));
  return absl::InvalidArgumentError(
      absl::StrCat("'", std::string(text), "': no family '", arguments->family(), "', expected ",
                   Alternatives(allowed), "; sizes are given as in theta:n=50"));
}

}  // namespace sdpa
