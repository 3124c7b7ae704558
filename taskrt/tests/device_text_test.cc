// Which loops are kernels of OpenCL, and their text.
#include "taskrt/ompc/translate/device/device_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "taskrt/ompc/translate/device/device_types.h"
#include "taskrt/ompc/translate/device/device_words.h"
#include "taskrt/ompc/translate/directives/parse.h"
#include "taskrt/tests/translated.h"

namespace taskrt {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using From = DeviceVariable::From;

// "float (*a)[3]"
DeviceVariable Made(const std::string& declaration, From from) {
  return {ParseDeclared(declaration)->variables.at(0), from};
}

// The text with numbers n and x, a pointer p, rows a of m elements, and a mapped number s.
std::string Written(std::string_view text, std::map<std::string, std::string> macros = {}) {
  DeviceWords words(macros);
  const auto add = [&](const std::string& declaration, DeviceWords::As as) {
    const Variable variable = Made(declaration, From::kValue).variable;
    words.Add(variable.name, as, *DeviceShapeOf(variable));
  };
  add("int n", DeviceWords::As::kItself);
  add("int m", DeviceWords::As::kItself);
  add("float x", DeviceWords::As::kItself);
  add("float *p", DeviceWords::As::kRow);
  add("float (*a)[m]", DeviceWords::As::kRow);
  add("int s", DeviceWords::As::kPlace);
  std::string out;
  if (!words.Write(text, out)) return "none";
  std::string without;
  for (const char c : out) {
    if (c != ' ' && c != '\n') without += c;
  }
  return without;
}

TEST(DeviceTypes, HaveTheNamesThatOpenClHasForThem) {
  const auto name = [](std::vector<std::string> words) {
    const auto type = DeviceTypeOf(words);
    return type ? type->name : "none";
  };
  EXPECT_EQ(name({"const", "unsigned", "long", "int"}), "ulong");
  EXPECT_EQ(name({"long", "long"}), "long");
  EXPECT_EQ(name({"unsigned"}), "uint");
  EXPECT_EQ(name({"short", "int"}), "short");
  EXPECT_EQ(name({"signed", "char"}), "char");
  EXPECT_EQ(name({"char"}), "ompc_char");
  EXPECT_EQ(name({"size_t"}), "ulong");
  EXPECT_EQ(name({"uint8_t"}), "uchar");
  EXPECT_EQ(name({"double"}), "double");
  EXPECT_EQ(name({"long", "double"}), "none");
  EXPECT_EQ(name({"struct", "point"}), "none");
  EXPECT_EQ(name({"real"}), "none");
  EXPECT_EQ(name({"volatile", "int"}), "none");
  EXPECT_EQ(name({"const"}), "none");
}

TEST(DeviceTypes, AreOfNumbersPointersAndArraysOfNumbers) {
  const auto rank = [](const std::string& declaration) {
    const auto shape = DeviceShapeOf(ParseDeclared(declaration)->variables.at(0));
    return shape ? static_cast<int>(shape->rank()) : -1;
  };
  EXPECT_EQ(rank("int x"), 0);
  EXPECT_EQ(rank("const float *restrict x"), 1);
  EXPECT_EQ(rank("float x[2][n + 1]"), 2);
  EXPECT_EQ(rank("double (*x)[n][2]"), 3);
  EXPECT_EQ(rank("float **x"), -1);
  EXPECT_EQ(rank("float *x[2]"), -1);
  EXPECT_EQ(rank("int (*x)(int)"), -1);
  EXPECT_EQ(rank("volatile int x"), -1);
}

TEST(DeviceWords, AreThoseOfCWithNamesOfTheirOwn) {
  EXPECT_EQ(Written("p[n] = x * 2;"), "v_p[v_n]=v_x*2;");
  EXPECT_EQ(Written("if (n > 0) s += *p; else --s;"), "if(v_n>0)(*v_s)+=*v_p;else--(*v_s);");
  EXPECT_EQ(Written("for (unsigned int i = 0, j = n; i < j; i++) { const float y = p[i], z[2] = "
                    "{1, 2}; x += y * z[1]; }"),
            "for(uintv_i=0,v_j=v_n;v_i<v_j;v_i++){constfloatv_y=v_p[v_i],v_z[2]={1,2};v_x+=v_y*"
            "v_z[1];}");
  EXPECT_EQ(Written("x = (float)n / 1.5e-3f + 0x1F + 10ULL + 'a';"),
            "v_x=(float)v_n/1.5e-3f+0x1F+10ul+'a';");
  EXPECT_EQ(Written("n = n & m | n && m << 1;"), "v_n=v_n&v_m|v_n&&v_m<<1;");
  EXPECT_EQ(Written("\n#pragma omp simd\nx = 1; /* } */\n# 12 \"a.c\"\nx = 2;"), "v_x=1;v_x=2;");
}

TEST(DeviceWords, AnElementOfRowsIsOneOfARow) {
  EXPECT_EQ(Written("a[n][m + 1] = a[0][s];"),
            "v_a[((long)(v_n))*n_a_1+(v_m+1)]=v_a[((long)(0))*n_a_1+((*v_s))];");
  EXPECT_EQ(Written("x = a[(int)a[n][0]][1];"),
            "v_x=v_a[((long)((int)v_a[((long)(v_n))*n_a_1+(0)]))*n_a_1+(1)];");
  EXPECT_EQ(Written("x = *a[n];"), "none");
  EXPECT_EQ(Written("x = **a;"), "none");
}

TEST(DeviceWords, FunctionsOfMathHaveCsTypes) {
  const std::map<std::string, std::string> no_macros;
  DeviceWords words(no_macros);
  words.Add("x", DeviceWords::As::kItself, *DeviceShapeOf(Made("float x", From::kValue).variable));
  std::string out;
  EXPECT_TRUE(words.Write("sqrtf(x)", out));
  EXPECT_FALSE(words.uses_double());
  EXPECT_EQ(words.functions(), "float ompc_sqrtf(float x0) { return sqrt(x0); }\n");
  EXPECT_TRUE(words.Write("pow(x, 2) + abs(1)", out));
  EXPECT_TRUE(words.uses_double());
  EXPECT_THAT(words.functions(),
              HasSubstr("double ompc_pow(double x0, double x1) { return pow(x0, x1); }\n"));
}

TEST(DeviceWords, MacrosAreTheirText) {
  EXPECT_EQ(Written("x = N * 2;", {{"N", " 1 + M"}, {"M", " (n - 1)"}}), "v_x=1+(v_n-1)*2;");
  EXPECT_EQ(Written("float y[N];", {{"N", " 8"}}), "floatv_y[8];");
  EXPECT_EQ(Written("x = N;", {{"N", " N"}}), "none");
  EXPECT_EQ(Written("x = TWICE(2);", {{"TWICE", "(x) 2 * (x)"}}), "none");
  EXPECT_EQ(Written("x = N;", {{"N", " 1;"}}), "none");
  EXPECT_EQ(Written("x = N;", {{"N", ""}}), "none");
  EXPECT_EQ(Written("int y = N; float x = 2;", {{"x", " y"}, {"N", " 1"}}), "none");
}

TEST(DeviceWords, WhatOpenClMayNotHaveIsNotWritten) {
  for (const char* const text : {"f(n);",
                                 "x = unknown;",
                                 "goto end;",
                                 "return;",
                                 "printf(\"%d\", n);",
                                 "x = q.x;",
                                 "p->x = 1;",
                                 "float *y = p;",
                                 "x = &p[0] == &x;",
                                 "n = (int)&x;",
                                 "n = n && &x;",
                                 "float y[n];",
                                 "float y[];",
                                 "static int y;",
                                 "long double y;",
                                 "x = 1.0L;",
                                 "x = 0x1p3;",
                                 "n = sizeof(int);",
                                 "x = n ?: 1;",
                                 "x = ({ 1; });",
                                 "struct point y;",
                                 "int f(int);",
                                 "x = (float){1};",
                                 "n = '\\n';",
                                 "p(n);",
                                 "float p = 1;",
                                 "int s = 1;",
                                 "asm(\"\");",
                                 "x = sqrt;",
                                 "volatile int y;",
                                 "_Bool y;",
                                 "n = 0b11;",
                                 "x = (float *)p;",
                                 "}",
                                 "{",
                                 "n = )(;",
                                 "\n#pragma omp critical\nx = 1;",
                                 "\n#pragma omp simd private(x)\nx = 1;",
                                 "\n#if 1\nx = 1;",
                                 "int else = 1;",
                                 "int n[3], ;",
                                 "case 1 ... 2: x = 1;"}) {
    EXPECT_EQ(Written(text), "none") << text;
  }
}

std::optional<std::string> Signs(const std::string& words) {
  const auto reductions = DeviceReductionsOf(*ParseDirective(words));
  if (!reductions) return std::nullopt;
  std::string signs;
  for (const DeviceReduction& each : *reductions) signs += each.sign + each.variable + " ";
  return signs;
}

TEST(DeviceText, IsOfLoopsWhoseIterationsHaveNoOrder) {
  for (const char* const words :
       {"target teams distribute parallel for", "target parallel for simd schedule(static, 4)",
        "target teams loop bind(teams)", "target teams distribute num_teams(4)",
        "target parallel loop collapse(2) map(to: a) private(x) firstprivate(y) nowait",
        "target teams distribute parallel for simd if(n > 2) device(0) thread_limit(8)"}) {
    EXPECT_EQ(Signs(words), "") << words;
  }
  EXPECT_EQ(Signs("target parallel for reduction(+: x, y) reduction(max: z)"), "+x +y maxz ");
  for (const char* const words :
       {"target", "target simd", "target parallel", "target teams", "parallel for",
        "target parallel sections", "target parallel masked taskloop",
        "target teams distribute num_teams(1)", "target parallel for num_threads(1)",
        "target parallel for ordered", "target parallel for lastprivate(x)",
        "target parallel for linear(x)", "target parallel for reduction(+: a[0:3])",
        "target parallel for reduction(mine: x)", "target parallel for reduction(task, +: x)"}) {
    EXPECT_EQ(Signs(words), std::nullopt) << words;
  }
}

// for (int i = 0; i < n; i++) p[i] = x;
DeviceLoop Simple() {
  DeviceLoop loop;
  loop.variables = {Made("int n", From::kValue), Made("float *p", From::kPlace),
                    Made("double x", From::kValue)};
  loop.counters = {Made("int i", From::kNowhere).variable};
  Loop its;
  its.variable = "i";
  its.lower = "0";
  its.upper = "n";
  its.step = "1";
  its.relation = "<";
  loop.loops = {its};
  loop.body = "p[i] = x;";
  return loop;
}

TEST(DeviceText, TakesTheBlocksAndThenAValueOfEachArgument) {
  const auto text = DeviceTextOf(Simple());
  ASSERT_TRUE(text);
  EXPECT_EQ(text->blocks, 1);
  EXPECT_THAT(text->scalars, ElementsAre(4, 8, 8));
  EXPECT_FALSE(text->adds_in_groups);
  EXPECT_THAT(text->source,
              AllOf(HasSubstr("__kernel void ompc_loop(__global char *b_p, int i_n, long o_p, "
                              "double i_x) {"),
                    HasSubstr("#error no cl_khr_fp64"),
                    HasSubstr("__global float *v_p = (__global float *)(b_p + o_p);"),
                    HasSubstr("double v_x = i_x;"), HasSubstr("int v_i;"),
                    HasSubstr("v_i = ompc_lower0 + ompc_index0 * ompc_step0;"),
                    HasSubstr("{\nv_p [ v_i ] = v_x ;\n\n}")));
}

TEST(DeviceText, AReductionHasAnItemsOwnValueAndAddsAGroups) {
  DeviceLoop loop = Simple();
  loop.variables.push_back(Made("unsigned long s", From::kPlace));
  loop.reductions = {{"min", "s"}};
  loop.body = "if (i < s) s = i;";
  const auto text = DeviceTextOf(loop);
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->adds_in_groups);
  EXPECT_THAT(text->source,
              AllOf(HasSubstr("ulong v_s = ULONG_MAX;"), HasSubstr("__local ulong l_s[64];"),
                    HasSubstr("cl_khr_int64_base_atomics"), HasSubstr("barrier("),
                    HasSubstr("if ( v_i < v_s ) v_s = v_i ;")));
  loop.variables.back() = Made("short s", From::kPlace);
  EXPECT_FALSE(DeviceTextOf(loop));
  loop.variables.back() = Made("int s[2]", From::kPlace);
  EXPECT_FALSE(DeviceTextOf(loop));
  loop.variables.back() = Made("int s", From::kValue);
  EXPECT_FALSE(DeviceTextOf(loop));
}

TEST(DeviceText, TheBoundsOfRowsAreThoseBeforeTheLoop) {
  DeviceLoop loop = Simple();
  loop.variables.push_back(Made("float a[2][n + 1]", From::kPlace));
  loop.body = "int m = 1; a[i][m] = n = 2;";
  ASSERT_TRUE(DeviceTextOf(loop));
  EXPECT_THAT(DeviceTextOf(loop)->source,
              AllOf(HasSubstr("const long n_a_1 = v_n + 1 ;\n"),
                    HasSubstr("v_a[((long)(v_i )) * n_a_1 + (v_m )] = v_n = 2 ;")));
  loop.variables.push_back(Made("int m", From::kNowhere));
  for (const char* const bound : {"i", "m", "unknown"}) {
    loop.variables[3] = Made("float a[2][" + std::string(bound) + "]", From::kPlace);
    EXPECT_FALSE(DeviceTextOf(loop)) << bound;
  }
}

TEST(DeviceText, CountsIterationsAsTheHostDoes) {
  const auto count = [](const std::string& relation, const std::string& step) {
    DeviceLoop loop = Simple();
    loop.loops[0].relation = relation;
    loop.loops[0].step = step;
    const auto text = DeviceTextOf(loop);
    const std::size_t at = text->source.find("ompc_count0 = ") + 14;
    return text->source.substr(at, text->source.find(';', at) - at);
  };
  EXPECT_EQ(count("<", "1"),
            "(v_n ) > ompc_lower0 ? (long)(((ulong)(v_n ) - (ulong)ompc_lower0 - !0) / "
            "(ulong)ompc_step0 + 1) : 0 && "
            "(v_n ) == ompc_lower0 ? 1L : 0L");
  EXPECT_EQ(count(">=", "-(2)"),
            "ompc_lower0 > (v_n ) ? (long)(((ulong)ompc_lower0 - (ulong)(v_n ) - !1) / "
            "(ulong)-ompc_step0 + 1) : 1 && "
            "ompc_lower0 == (v_n ) ? 1L : 0L");
  EXPECT_EQ(count("!=", "(2)"),
            "ompc_step0 > 0 ? (long)(((ulong)(v_n ) - (ulong)ompc_lower0) / (ulong)ompc_step0) : "
            "(long)(((ulong)ompc_lower0 - (ulong)(v_n )) / (ulong)-ompc_step0)");
}

TEST(DeviceText, AnItemHasAllOfAChunkInOrder) {
  DeviceLoop loop = Simple();
  EXPECT_THAT(DeviceTextOf(loop)->source, Not(HasSubstr("ompc_chunk")));
  loop.chunk = "n + 1";
  EXPECT_THAT(DeviceTextOf(loop)->source,
              AllOf(HasSubstr("const long ompc_chunk = v_n + 1 ;"),
                    HasSubstr("for (long ompc_k = ompc_part * ompc_chunk; ")));
  loop.chunk = "f()";
  EXPECT_FALSE(DeviceTextOf(loop));
}

TEST(DeviceText, IsOfTheLoopBehindTheDirectivesOfATarget) {
  const auto program = [](const std::string& between) {
    return Translated("void g(float *a, int n) {\n#pragma omp target map(a[0:n])\n" + between +
                      "for (int i = 0; i < n; i++) a[i] = 1;\n}\n");
  };
  const auto is_kernel = HasSubstr("ompc_kernel_of_loop(");
  EXPECT_THAT(program("#pragma omp parallel for\n"), is_kernel);
  EXPECT_THAT(program("# 3 \"program.c\"\n#pragma omp teams\n#pragma omp distribute\n"), is_kernel);
  EXPECT_THAT(program("#pragma omp simd\n"), Not(is_kernel));
  EXPECT_THAT(program(""), Not(is_kernel));
  EXPECT_THAT(program("#pragma omp parallel for schedule(static, n ? 1 : 2)\n"), Not(is_kernel));
}

TEST(DeviceText, IsNotThereForOtherVariablesAndBounds) {
  const auto with = [](const DeviceVariable& variable) {
    DeviceLoop loop = Simple();
    loop.variables.push_back(variable);
    return DeviceTextOf(loop).has_value();
  };
  EXPECT_TRUE(with(Made("int y[3]", From::kNowhere)));
  EXPECT_FALSE(with(Made("int y[n]", From::kNowhere)));
  EXPECT_FALSE(with(Made("int *y", From::kNowhere)));
  EXPECT_FALSE(with(Made("int *y", From::kValue)));
  EXPECT_FALSE(with(Made("int **y", From::kPlace)));
  EXPECT_FALSE(with(Made("struct point y", From::kPlace)));
  DeviceLoop loop = Simple();
  loop.loops.push_back(loop.loops[0]);
  loop.counters.push_back(Made("int j", From::kNowhere).variable);
  EXPECT_TRUE(DeviceTextOf(loop));
  loop.loops[1].upper = "i";  // Not rectangular.
  EXPECT_FALSE(DeviceTextOf(loop));
  loop = Simple();
  loop.counters[0] = Made("float *i", From::kNowhere).variable;
  EXPECT_FALSE(DeviceTextOf(loop));
}

}  // namespace
}  // namespace taskrt
