// The translator's passes one by one: the pieces that a text is read into, and the regions that its
// directives become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "taskrt/ompc/translate/c/functions.h"
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
#pragma omp parallel sections
  {
    f(1, a);
#pragma omp section
    f(2, a);
  }
  int sum = 0;
#pragma omp for reduction(inscan, + : sum)
  for (int i = 0; i < n; ++i) {
    sum += n;
#pragma omp scan inclusive(sum)
    a[i] = sum;
  }
#pragma omp metadirective when(user = {condition(n > 3)} : parallel) default(single)
  counter += n;
  return counter;
}
)";

// The places at which the pieces do not go on where the last one ended.
void AddGaps(const Code& code, std::size_t begin, std::size_t end, std::vector<std::size_t>& gaps);

void AddGaps(const ParsedConstruct& construct, std::vector<std::size_t>& gaps) {
  const std::size_t at = construct.loops.empty() ? construct.at : construct.loops.back().body;
  if (!construct.code.empty()) AddGaps(construct.code, at, construct.code_end, gaps);
  for (const ParsedSection& each : construct.sections) {
    AddGaps(each.code, each.begin, each.end, gaps);
  }
  if (construct.scan) {
    AddGaps(construct.scan->before, construct.scan->begin, construct.scan->directive, gaps);
    AddGaps(construct.scan->after, construct.scan->behind, construct.end - 1, gaps);
  }
  for (const Choice& each : construct.choices) {
    AddGaps(each.code, construct.at, construct.end, gaps);
  }
}

void AddGaps(const Code& code, std::size_t begin, std::size_t end, std::vector<std::size_t>& gaps) {
  for (const Piece& piece : code) {
    // A construct begins with the directive, whose ends of lines are a piece before it.
    const auto* const construct = std::get_if<std::shared_ptr<const ParsedConstruct>>(&piece.is);
    if ((construct == nullptr ? piece.begin : (*construct)->at) != begin) gaps.push_back(begin);
    if (construct != nullptr) AddGaps(**construct, gaps);
    if (const auto* const its = std::get_if<std::shared_ptr<const ParsedFunction>>(&piece.is)) {
      AddGaps((*its)->body, piece.begin, piece.end, gaps);
    }
    begin = piece.end;
  }
  if (begin != end) gaps.push_back(begin);
}

TEST(Parser, ReadsAllOfTheText) {
  const Source source(kProgram, "program.c");
  const auto code = Parser(source).ParseFile();
  ASSERT_TRUE(code.ok()) << code.status();
  std::vector<std::size_t> gaps;
  AddGaps(*code, 0, kProgram.size(), gaps);
  EXPECT_THAT(gaps, IsEmpty());
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
  const auto functions = FunctionsOf(source);
  EXPECT_TRUE(functions.ok()) << functions.status();
  const auto program = Resolve(source, *code, *functions);
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
  ASSERT_EQ(loops.size(), 2u);
  ASSERT_EQ(loops[0].loops.size(), 1u);
  EXPECT_EQ(loops[0].loops[0].loop.upper, "(*ompc_at_n)");
  EXPECT_FALSE(loops[0].waits);  // The region's end does.
  ASSERT_EQ(loops[0].privates.variables.size(), 2u);
  const auto* const reduced = std::get_if<ReducedVariable>(&loops[0].privates.variables[0]);
  ASSERT_NE(reduced, nullptr);
  EXPECT_EQ(reduced->name, "+");
  EXPECT_EQ(reduced->shown, "counter");
}

// An expression that the text does not get is not looked up: the variables in it would become
// arguments of the functions around.
TEST(Resolve, CapturesNoVariableOfAnExpressionThatIsNotWritten) {
  // The loop declares another i.
  const auto regions = RegionsOf<ParallelRegion>(
      "void f(int n, int i, float *a) {\n#pragma omp parallel default(none) shared(n, a)\n"
      "#pragma omp taskloop shared(a)\nfor (int i = 0; i < n; ++i) a[i] = 0;\n}\n");
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_THAT(SharedBy(regions[0].captures),
              ElementsAre(Pair("n", Sharing::kShared), Pair("a", Sharing::kShared)));
  // Memory of a device is the host's, and a loop that runs in order has no chunk.
  for (const std::string_view words :
       {"target is_device_ptr(a) if(c)\n{ a[0] = 1; }", "target data if(c)\n{ a[0] = 1; }",
        "for ordered(1) schedule(static, c)\nfor (int i = 0; i < 4; ++i) a[i] = 1;"}) {
    const auto tasks = RegionsOf<TaskRegion>(
        "void f(int c, float *a) {\n#pragma omp task default(none) firstprivate(a)\n{\n#pragma "
        "omp " +
        std::string(words) + "\n}\n}\n");
    ASSERT_EQ(tasks.size(), 1u) << words;
    EXPECT_THAT(SharedBy(tasks[0].captures), ElementsAre(Pair("a", Sharing::kFirstPrivate)))
        << words;
  }
}

TEST(Parser, RefusesAnEmptyExpression) {
  for (const std::string_view words :
       {"task detach()", "parallel num_threads()", "task final()", "target num_units()"}) {
    const std::string text = "void f(void) {\n#pragma omp " + std::string(words) + "\n{ }\n}\n";
    const Source source(text, "program.c");
    EXPECT_THAT(std::string(Parser(source).ParseFile().status().message()),
                ::testing::StartsWith("program.c:2: expected an expression in "))
        << words;
  }
}

// The file's variable of that name is another one.
TEST(Resolve, CopiesAVariableThatHidesAThreadprivateOne) {
  const auto tasks = RegionsOf<TaskRegion>(
      "int x;\n#pragma omp threadprivate(x)\nvoid f(int x) {\n#pragma omp task\n{ x = 1; }\n}\n");
  ASSERT_EQ(tasks.size(), 1u);
  ASSERT_EQ(tasks[0].function.variables.size(), 1u);
  const Variable& own = tasks[0].function.variables[0].variable;
  EXPECT_EQ(own.Declare(own.name), "int x");
  EXPECT_EQ(own.shown, "");
}

TEST(Parser, RefusesMoreConstructsInsideOfEachOtherThanThePassesFollow) {
  std::string text = "void f(void) {\n";
  for (int i = 0; i < 5000; ++i) text += "#pragma omp critical\n";
  text += ";\n}\n";
  const Source source(text, "program.c");
  EXPECT_THAT(std::string(Parser(source).ParseFile().status().message()),
              ::testing::HasSubstr("constructs inside of each other at most"));
}

}  // namespace
}  // namespace taskrt
