// What the MpC translator rewrites, and what it leaves and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "dsm/mpc/translate.h"

namespace dsm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string Translated(std::string_view source) {
  const auto text = TranslateMpc(source, "program.mpc");
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}
std::string Refusal(std::string_view source) {
  return std::string(TranslateMpc(source, "program.mpc").status().message());
}

TEST(Mpc, ASharedArrayBecomesATypedPointerAndAnAllocation) {
  const std::string text = Translated("shared int a[NZ][NY][NX]::[NPROCS][1][1](0,NPROCS);\n");
  EXPECT_THAT(text, HasSubstr("\nint (*a)[NY][NX];\n"));
  EXPECT_THAT(text, HasSubstr("const size_t extents[] = {NZ, NY, NX};"));
  EXPECT_THAT(text, HasSubstr("const int divisions[] = {NPROCS, 1, 1};"));
  EXPECT_THAT(text, HasSubstr("a = sms_mapalloc(3, extents, sizeof(int), divisions, 0, NPROCS);"));
}

TEST(Mpc, SeveralInOneDeclarationAndTypesOfSeveralWords) {
  const std::string text =
      Translated("shared unsigned long a[10]::[2](0, 2), b[f(3, 4)][5] :: [1][2] (1, NPROCS - 1);");
  EXPECT_THAT(text, HasSubstr("unsigned long *a;unsigned long (*b)[5];"));
  EXPECT_THAT(text, HasSubstr("{f(3, 4), 5}"));
  EXPECT_THAT(text, HasSubstr("sizeof(unsigned long), divisions, 1, NPROCS - 1)"));
}

TEST(Mpc, AllElseStaysAsItIsOnItsLine) {
  const std::string source =
      "#define shared_memory 1\n"
      "// shared int no[1]::[1](0,1);\n"
      "/* shared int no[1]::[1](0,1); */ const char* s = \"shared int no[1]::[1](0,1);\";\n"
      "int shared_count(int shared) { return shared + '\"'; }\n"
      "shared double\n"
      "    a[7]::[1](0,1);\n"
      "int last;\n";
  const std::string text = Translated(source);
  EXPECT_THAT(text, HasSubstr("int shared_count(int shared) { return shared + '\"'; }\n"));
  EXPECT_THAT(text, Not(HasSubstr("*no;")));
  // Two lines of its own come first, of which the second says where the file begins.
  const std::size_t first = text.find("#define shared_memory");
  const std::size_t last = text.find("int last;");
  EXPECT_EQ(std::count(text.begin() + static_cast<long>(first),
                       text.begin() + static_cast<long>(last), '\n'),
            6);
}

TEST(Mpc, AnArrayWithoutAMappingIsProcess0s) {
  const std::string text = Translated("shared float a[2][N + 1], b[3];\n");
  EXPECT_THAT(text, HasSubstr("float (*a)[N + 1];float *b;\n"));
  EXPECT_THAT(text, HasSubstr("a = sms_alloc(sizeof(float) * (size_t)(2) * (size_t)(N + 1), 0);"));
  EXPECT_THAT(text, HasSubstr("b = sms_alloc(sizeof(float) * (size_t)(3), 0);"));
}

TEST(Mpc, UsesOfAScalarBecomeThoseOfWhatAPointerPointsTo) {
  const std::string text = Translated(
      "shared struct point p, n;\n"
      "int f(int m) { p.x = a * n.x + q.n + r->n + f(m, n.y); *n.z = sizeof n; return n.x; }\n"
      "struct own { int n; } own = {.n = 1};\n");
  EXPECT_THAT(text, HasSubstr("struct point *mpc_shared_p;struct point *mpc_shared_n;\n"));
  EXPECT_THAT(text, HasSubstr("(*mpc_shared_p).x = a * (*mpc_shared_n).x + q.n + r->n + "
                              "f(m, (*mpc_shared_n).y); *(*mpc_shared_n).z = "
                              "sizeof (*mpc_shared_n); return (*mpc_shared_n).x; }"));
  EXPECT_THAT(text, HasSubstr("struct own { int n; } own = {.n = 1};"));
  EXPECT_THAT(text, HasSubstr("mpc_shared_n = sms_alloc(sizeof(struct point), 0);"));
}

TEST(Mpc, ANameBeforeItsScalarIsDeclaredIsLeft) {
  EXPECT_THAT(Translated("int f(int n) { return n; }\nshared int n;\n"),
              HasSubstr("int f(int n) { return n; }\nint *mpc_shared_n;\n"));
}

TEST(Mpc, AnotherVariableOfAScalarsNameIsRefused) {
  for (const std::string_view text :
       {"int f(int n) { return 0; }", "int f(type *n);", "int f(void) { int n = 0; }",
        "int f(void) { type n; }", "int f(void) { type *n; }", "int f(void) { int **n; }",
        "int f(void) { for (int n = 0; ; ) ; }", "int f(void) { int m = g(1, 2), n; }",
        "int f(void) { type m, *n; }", "typedef int n;", "enum { n };", "int n(void);"}) {
    EXPECT_EQ(
        Refusal(absl::StrCat("shared int n;\n", std::string(text), "\n")),
        "program.mpc:2: expected another name than n, which is a shared scalar's in this file")
        << text;
  }
}

TEST(Mpc, OneFileDefinesWhatOthersDeclareAndStaticIsOfOneFile) {
  const std::string text = Translated(
      "extern shared int a[][N], n;\nextern shared int b[3];\nstatic shared int c[2];\n"
      "int f(void) { return n + a[0][1]; }\n");
  EXPECT_THAT(text, HasSubstr("extern int (*a)[N];extern int *mpc_shared_n;\nextern int *b;\n"
                              "static int *c;\n"));
  EXPECT_THAT(text, HasSubstr("return (*mpc_shared_n) + a[0][1];"));
  EXPECT_THAT(text, Not(HasSubstr(" a = ")));
  EXPECT_THAT(text, HasSubstr("  c = sms_alloc("));
  EXPECT_THAT(Translated("extern shared int a[3];\n"), Not(HasSubstr("mpc_allocate")));
}

TEST(Mpc, APointerToSharedDataIsAPointerAnywhere) {
  EXPECT_THAT(Translated("shared int *p;\nstatic shared const int *q;\n"
                         "int f(shared int *r) { shared struct s **t = (shared struct s **)r; }\n"),
              AllOf(HasSubstr("\n int *p;\nstatic  const int *q;\n"),
                    HasSubstr("int f( int *r) {  struct s **t = ( struct s **)r; }")));
}

TEST(Mpc, WhatNoSharedDataAreIsRefusedWithItsLine) {
  EXPECT_EQ(Refusal("\nshared int a = 1;\n"),
            "program.mpc:2: expected no initializer: shared data begin as zeros");
  EXPECT_EQ(Refusal("shared int a::[1](0,1);\n"),
            "program.mpc:1: expected extents before the mapping of a shared array");
  EXPECT_EQ(Refusal("extern shared int a[3]::[1](0,1);\n"),
            "program.mpc:1: expected no mapping: it stands where the array is defined");
  EXPECT_EQ(Refusal("int f(void) {\n  shared int a;\n}\n"),
            "program.mpc:2: expected shared data to be declared outside of functions");
  EXPECT_EQ(Refusal("int *shared p;\n"),
            "program.mpc:1: expected `shared` at the beginning of a declaration");
  EXPECT_EQ(Refusal("shared int a[3][];\n"),
            "program.mpc:1: expected the extents of a shared array: [..]");
  EXPECT_EQ(Refusal("shared int a[3][4]::[1](0,1);"),
            "program.mpc:1: expected as many divisions as extents");
  EXPECT_EQ(Refusal("shared int a[3]::[1];"),
            "program.mpc:1: expected (first,count) behind the divisions");
  EXPECT_EQ(Refusal("shared a[3]::[1](0,1);"),
            "program.mpc:1: expected a type and a name after `shared`");
  EXPECT_EQ(Refusal("shared int a[3]::[1](0,1)"), "program.mpc:1: expected a ; behind shared data");
  EXPECT_EQ(Refusal("int f(void) {\n  shared int a[3]::[1](0,1);\n}\n"),
            "program.mpc:2: expected shared data to be declared outside of functions");
  EXPECT_EQ(Refusal("shared int a[]::[1](0,1);\n"),
            "program.mpc:1: expected the extents of a shared array: [..]");
  EXPECT_EQ(Refusal("shared int a[3]::[](0,1);\n"),
            "program.mpc:1: expected as many divisions as extents");
}

TEST(Mpc, TextThatIsNoProgramIsRefusedWithItsLine) {
  EXPECT_EQ(Refusal("int a;\nconst shared int b[3]::[1](0,1);\n"),
            "program.mpc:2: expected `shared` at the beginning of a declaration");
  EXPECT_EQ(Refusal(std::string("\x7f"
                                "ELF\0\0",
                                6)),
            "program.mpc:1: expected a program, and not a file of other bytes");
  EXPECT_EQ(Refusal("int a;\nThis is a letter\n"),
            "program.mpc:2: expected a declaration to end with ; or }");
  EXPECT_EQ(Refusal("int f(void) {\n  return 0;\n"), "program.mpc:1: expected an end of this {");
  EXPECT_EQ(Refusal("int f(void) {\n  return (0];\n}\n"),
            "program.mpc:2: expected a [ before this ]");
  EXPECT_EQ(Refusal("int a;\n}\n"), "program.mpc:2: expected a { before this }");
  EXPECT_EQ(Refusal("int a;\n/* and so on\n"),
            "program.mpc:2: expected the end of the comment or text that begins here");
  EXPECT_EQ(Refusal("char* a =\n  \"and so on\n;\n"),
            "program.mpc:2: expected the end of the comment or text that begins here");
}

TEST(Mpc, APlainProgramStaysAsItIs) {
  const char* const kPrograms[] = {
      "#define ALL(x) int x;\nint f(int a[3]) { return a[0]; }\nALL(y)\n",
      "#define ALL(x) int x;\nALL(y)  /* and so on */\n",
      "BEGIN_DECLS\nint f(void);\nEND_DECLS\n",
      "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  return 0;\n}\n",
      "#if 0\nThis isn't C.\n#endif\nint a;\n",
      "const char* a = \"one\\\r\ntwo\";\r\n",
      "",
  };
  for (const char* const program : kPrograms) {
    const auto translated = TranslateMpc(program, "p.mpc");
    EXPECT_TRUE(translated.ok()) << program << translated.status();
  }
}

}  // namespace
}  // namespace dsm
