// The translator's passes one by one: the pieces that a text is read into, and the regions that its
// directives become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/program/parser.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolve.h"

namespace taskrt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::string_view kProgram = R"(
#define TWICE(x) (2 * (x))
int counter;
int f(int n, float *a) {
  for (int i = 0; i < n; ++i) { struct s { int n; } one; one.n = TWICE(i); }
#pragma omp parallel for reduction(+ : counter)
  for (int i = 0; i < n; ++i) counter += n;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(inout : a[0:n])
    { a[0] = n; }
#pragma omp taskwait
  }
  return counter;
}
)";

// The places at which the pieces do not go on where the last one ended.
std::vector<std::size_t> GapsOf(const Code& code, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> gaps;
  for (const Piece& piece : code) {
    // A construct begins with the directive, whose ends of lines are a piece before it.
    const auto* const construct = std::get_if<std::shared_ptr<const ParsedConstruct>>(&piece.is);
    if ((construct == nullptr ? piece.begin : (*construct)->at) != begin) gaps.push_back(begin);
    if (construct != nullptr && !(*construct)->code.empty()) {
      const ParsedConstruct& its = **construct;
      const std::size_t at = its.loops.empty() ? its.at : its.loops.back().body;
      for (const std::size_t gap : GapsOf(its.code, at, its.code_end)) gaps.push_back(gap);
    }
    if (const auto* const its = std::get_if<std::shared_ptr<const ParsedFunction>>(&piece.is)) {
      for (const std::size_t gap : GapsOf((*its)->body, piece.begin, piece.end)) {
        gaps.push_back(gap);
      }
    }
    begin = piece.end;
  }
  if (begin != end) gaps.push_back(begin);
  return gaps;
}

TEST(Parser, ReadsAllOfTheText) {
  const Source source(kProgram, "program.c");
  const auto code = Parser(source).ParseFile();
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_THAT(GapsOf(*code, 0, kProgram.size()), IsEmpty());
}

// The regions of one kind, of the text in its order, and of functions of constructs.
template <class Kind>
void Collect(const ResolvedCode& code, std::vector<Kind>& found) {
  for (const ResolvedCode::Element& element : code.elements) {
    if (element.region == nullptr) continue;
    std::visit(
        [&]<class Value>(const Value& region) {
          if constexpr (std::is_same_v<Value, Kind>) found.push_back(region);
          if constexpr (requires { region.function; }) Collect(region.function.body, found);
          if constexpr (requires { region.body; }) Collect(region.body, found);
        },
        element.region->is);
  }
}
template <class Kind>
std::vector<Kind> RegionsOf(std::string_view text) {
  const Source source(text, "program.c");
  const auto code = Parser(source).ParseFile();
  EXPECT_TRUE(code.ok()) << code.status();
  const auto program = Resolve(source, *code);
  EXPECT_TRUE(program.ok()) << program.status();
  std::vector<Kind> found;
  if (program.ok()) Collect(program->code, found);
  return found;
}

std::vector<std::pair<std::string, Sharing>> SharedBy(const std::vector<Capture>& captures) {
  std::vector<std::pair<std::string, Sharing>> all;
  for (const Capture& capture : captures) all.emplace_back(capture.variable.name, capture.sharing);
  return all;
}

TEST(Resolve, TaskOfAParallelRegionSharesItsSharedVariables) {
  const auto tasks = RegionsOf<TaskRegion>(kProgram);
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_THAT(SharedBy(tasks[0].captures),
              ElementsAre(Pair("n", Sharing::kShared), Pair("a", Sharing::kShared)));
  // The task is in the region's function, which has the place of `n`.
  EXPECT_EQ(tasks[0].captures[0].variable.shown, "(*ompc_at_n)");
  ASSERT_EQ(tasks[0].lists.in.size(), 1u);
  EXPECT_EQ(tasks[0].lists.in[0].item.length, "(*ompc_at_n)");
  EXPECT_EQ(tasks[0].lists.out.size(), 1u);
}

TEST(Resolve, TaskOutsideOfRegionsCopies) {
  const auto tasks = RegionsOf<TaskRegion>(
      "void f(int n, float *a) {\n#pragma omp task shared(a) if(n > 1) priority(n)\n{ a[n] = 0; "
      "}\n}\n");
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_THAT(SharedBy(tasks[0].captures),
              ElementsAre(Pair("n", Sharing::kFirstPrivate), Pair("a", Sharing::kShared)));
  EXPECT_EQ(tasks[0].clauses.condition, "n > 1");
  ASSERT_EQ(tasks[0].clauses.fields.size(), 1u);
  EXPECT_EQ(tasks[0].clauses.fields[0].expression, "n");
}

TEST(Resolve, LoopOfACombinedConstructHasTheReduction) {
  const auto loops = RegionsOf<LoopRegion>(kProgram);
  ASSERT_EQ(loops.size(), 1u);
  ASSERT_EQ(loops[0].loops.size(), 1u);
  EXPECT_EQ(loops[0].loops[0].loop.upper, "(*ompc_at_n)");
  EXPECT_FALSE(loops[0].waits);  // The region's end does.
  ASSERT_EQ(loops[0].privates.variables.size(), 2u);
  const auto* const reduced = std::get_if<ReducedVariable>(&loops[0].privates.variables[0]);
  ASSERT_NE(reduced, nullptr);
  EXPECT_EQ(reduced->name, "+");
  EXPECT_EQ(reduced->shown, "counter");
}

}  // namespace
}  // namespace taskrt
