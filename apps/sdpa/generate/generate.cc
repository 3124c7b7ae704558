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

struct Twin {
  const char* name;
  const char* text;
};

constexpr std::array kTwins = {Twin{"theta4", "theta:n=200,m=1949"},
                               Twin{"theta6", "theta:n=300,m=4375"},
                               Twin{"control8", "control:n=40"},
                               Twin{"maxG11", "max-cut:torus,n=800"},
                               Twin{"thetaG11", "bordered-theta:torus,n=800"},
                               Twin{"qap7", "qap:n=7"},
                               Twin{"qap10", "qap:n=10"}};

}  // namespace

std::vector<std::string> FamilyNames() {
  std::vector<std::string> names;
  for (const Family& family : kFamilies) names.emplace_back(family.name);
  return names;
}

std::vector<std::string> TwinNames() {
  std::vector<std::string> names;
  for (const Twin& twin : kTwins) names.emplace_back(twin.name);
  return names;
}

absl::StatusOr<Generated> Generate(std::string_view text) {
  std::string_view full = text;
  for (const Twin& twin : kTwins) {
    if (text == twin.name) full = twin.text;
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
  for (std::string& twin : TwinNames()) allowed.push_back(std::move(twin));
  return absl::InvalidArgumentError(absl::StrCat("'", std::string(text), "': no family '",
                                                 arguments->family(), "', expected ",
                                                 Alternatives(allowed)));
}

}  // namespace sdpa
