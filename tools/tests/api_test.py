#!/usr/bin/env python3
"""tools/api: what a difference of two lists means, what a list has, and the command on headers that a test writes."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{TOOLS}/declarations")
sys.dont_write_bytecode = True

import api_changes  # noqa: E402: found by the path above.
import api_declarations  # noqa: E402
import api_headers  # noqa: E402
import api_tokens  # noqa: E402


class Verdicts(unittest.TestCase):
    def breaks(self, old, new):
        changes = api_changes.compare(old, new)
        self.assertNotEqual(changes.broken, [], (old, new))
        return changes

    def adds(self, old, new):
        changes = api_changes.compare(old, new)
        self.assertEqual(changes.broken, [], (old, new))
        self.assertNotEqual(changes.added, [])

    def test_equal_lists_are_no_change(self):
        self.assertTrue(api_changes.compare(["a: class"], ["a: class"]).is_empty)

    def test_what_is_gone_breaks_and_what_is_new_adds(self):
        self.breaks(["a::F: function () -> void"], [])
        self.adds([], ["a::F: function () -> void"])

    def test_what_has_changed_is_shown_with_what_it_is_now_and_not_as_an_addition(self):
        changes = self.breaks(["a::F: function (int) -> void"], ["a::F: function (long) -> void"])
        self.assertEqual(changes.added, [])
        self.assertEqual(api_changes.describe(changes), [
            "breaks its users:", "  - a::F: function (int) -> void", "  + a::F: function (long) -> void"])

    def test_an_overload_more_adds(self):
        self.adds(["a::F: function (int) -> void"], ["a::F: function (int) -> void", "a::F: function (long) -> void"])

    def test_a_parameter_more_adds_if_it_has_a_default_and_else_breaks(self):
        old = ["a::F: function (std::pair<int, int>) -> void"]
        self.adds(old, ["a::F: function (std::pair<int, int>, int = ...) -> void"])
        self.breaks(old, ["a::F: function (std::pair<int, int>, int) -> void"])

    def test_a_default_may_come_and_not_go(self):
        without, with_it = ["a::F: function (int) const -> int"], ["a::F: function (int = ...) const -> int"]
        self.adds(without, with_it)
        self.breaks(with_it, without)

    def test_constexpr_and_noexcept_may_come_and_not_go(self):
        plain = ["a::F: function () -> int"]
        for more in ("a::F: constexpr function () -> int", "a::F: function () noexcept -> int"):
            self.adds(plain, [more])
            self.breaks([more], plain)

    def test_an_override_must_have_the_parameters_of_what_it_overrides(self):
        self.breaks(["a::A::F: virtual function (int) -> void"], ["a::A::F: virtual function (int, int = ...) -> void"])

    def test_what_a_derived_class_must_define_breaks_only_where_the_class_was_there(self):
        duty = "a::A::F: pure virtual function () -> void"
        self.breaks(["a::A: class"], ["a::A: class", duty])
        self.adds([], ["a::A: class", duty])

    def test_a_copy_that_is_deleted_breaks(self):
        self.breaks(["a::A: class"], ["a::A: class", "a::A::A: function (const a::A &) = delete"])

    def test_a_field_more_adds_at_the_end_and_breaks_before_it(self):
        old = ["a::A: struct", "a::A::x: field 1 int"]
        self.adds(old, old + ["a::A::y: field 2 int"])
        self.breaks(old, ["a::A: struct", "a::A::w: field 1 int", "a::A::x: field 2 int"])


class Versions(unittest.TestCase):
    def needs(self, old, broken=(), added=(), is_touched=True):
        changes = api_changes.Changes([(line, []) for line in broken], list(added))
        return api_changes.least_version(old, changes, is_touched)

    def test_before_one_a_break_needs_the_next_minor_version_and_all_else_the_next_patch(self):
        self.assertEqual(self.needs("0.1.3", broken=["x"]), "0.2.0")
        self.assertEqual(self.needs("0.1.3", added=["x"]), "0.1.4")
        self.assertEqual(self.needs("0.1.3"), "0.1.4")
        self.assertEqual(self.needs("0.9.9", broken=["x"]), "0.10.0")

    def test_from_one_on_semantic_versioning_holds(self):
        self.assertEqual(self.needs("1.2.3", broken=["x"], added=["y"]), "2.0.0")
        self.assertEqual(self.needs("1.2.3", added=["x"]), "1.3.0")
        self.assertEqual(self.needs("1.2.3"), "1.2.4")

    def test_no_change_needs_no_version(self):
        self.assertEqual(self.needs("0.1.3", is_touched=False), "0.1.3")

    def test_what_is_no_version_is_refused(self):
        for text in ("0.1", "0.1.x", "1.0.0-rc1"):
            with self.assertRaisesRegex(ValueError, "is no version"):
                api_changes.parse_version(text)


class Headers(unittest.TestCase):
    def test_users_see_the_exports_and_the_headers_of_public_parts(self):
        build = '''
vicinity_library(name = NAME, exports = ["b.h", "a.h"], hdrs = ["hidden.h"], pure = ["a.h"], requires = REQUIRES)
part(name = "c", hdrs = ["c.h"], library = NAME)
part(name = "d", hdrs = ["d.h"], visibility = ["//x:__pkg__"])
code(name = "e", hdrs = ["e.h"])
code(name = "f", hdrs = ["f.h"], visibility = ["//visibility:public"])
'''
        self.assertEqual(api_headers.public_headers(build), ["a.h", "b.h", "c.h", "f.h"])

    def test_a_library_without_exports_exports_all(self):
        self.assertEqual(api_headers.public_headers('vicinity_library(hdrs = ["x.h"], pure = ["y.cc", "y.h"])'),
                         ["x.h", "y.h"])


class Tokens(unittest.TestCase):
    def test_a_template_ends_where_its_requires_clause_does(self):
        for clause in ("", " requires C < T > && ( x < 1 )", " requires std :: same_as < T , A < B >> || requires ( T t ) { t ; }"):
            _, rest = api_tokens.template_head(f"template < typename T , int n = 3 >{clause} T F ( T )".split())
            self.assertEqual(rest, "T F ( T )".split(), clause)

    def test_the_text_does_not_depend_on_blanks(self):
        self.assertEqual(api_tokens.template_head("template < typename ... T > requires C < T > void".split())[0],
                         "template <typename... T> requires C<T>")

    def test_behind_the_parameters_only_what_callers_see_is_kept(self):
        tokens = "operator ( ) ( int f ( ) ) const && noexcept TOPO_GUARDED_BY ( mutex ) override = 0 ;".split()
        rest = tokens[api_tokens.parameters_end(tokens, "operator()"):]
        self.assertEqual(api_tokens.tail(rest), ["const", "&&", "noexcept", "= 0"])
        self.assertEqual(api_tokens.tail("= delete ;".split()), ["= delete"])
        self.assertEqual(api_tokens.tail("= default ;".split()), [])
        self.assertEqual(api_tokens.tail(": a ( 1 ) { const int x ; }".split()), [])


SAMPLE = '''#pragma once
#include <string>
#include <vector>
#include "lib/hidden.h"
#include "lib/version.h"
#define LIB_TWICE(x) ((x) * 2)
#define LIB_GONE 1
#undef LIB_GONE
namespace lib {
enum class Color : unsigned char { kRed, kGreen = 7 };
struct Options { int width = 3; std::vector<std::string> names; };
class Base {
 public:
  virtual ~Base() = default;
  [[nodiscard]] virtual int Run(const Options& options, int times) const = 0;
};
template <typename T>
class Box final : public Base {
 public:
  explicit Box(T value) : value_(value) {}
  Box(const Box&) = delete;
  int Run(const Options&, int) const override { return 0; }
  template <typename F>
  requires std::is_invocable_v<F>
  void Each(F&& f, int least = 0);
  friend bool operator==(const Box&, const Box&) { return true; }
 protected:
  int count_ = 0;
 private:
  void Hidden();
  T value_;
};
template <typename T>
concept Small = sizeof(T) < 8;
inline int F(Hidden hidden) { return 1; }
using Names = std::vector<std::string>;
constexpr int kMost = 3;
class OnlyDeclared;
}
extern "C" int lib_run(const char* name, ...);
'''
# Of these users have Hidden and what is in it, as F takes it by value.
HIDDEN = '''#pragma once
#include <vector>
namespace lib {
enum class Kind { kOne };
struct OnlyPassedOn { int x; };
struct Hidden { std::vector<Kind> kinds; OnlyPassedOn* next; };
struct Unseen {};
}
'''
SAMPLE_LIST = '''LIB_TWICE: macro (x)
lib::Base: class
lib::Base::Run: pure virtual function (const lib::Options &, int) const -> int
lib::Base::~Base: virtual function ()
lib::Box: base public lib::Base
lib::Box: template <typename T> class final
lib::Box::Box: explicit function (T)
lib::Box::Box: function (const Box<T> &) = delete
lib::Box::Each: function (F &&, int = ...) -> void, template <typename F> requires std::is_invocable_v<F>
lib::Box::Run: virtual function (const lib::Options &, int) const -> int
lib::Box::count_: protected field int
lib::Color: enum class : unsigned char
lib::Color::kGreen: enumerator = 7
lib::Color::kRed: enumerator = 0
lib::F: function (lib::Hidden) -> int
lib::Hidden: struct
lib::Hidden::kinds: field 1 std::vector<Kind>
lib::Hidden::next: field 2 lib::OnlyPassedOn *
lib::Kind: enum class : int
lib::Kind::kOne: enumerator = 0
lib::Names: type = std::vector<std::string>
lib::Options: struct
lib::Options::names: field 2 std::vector<std::string>
lib::Options::width: field 1 int
lib::Small: template <typename T> concept = sizeof(T) < 8
lib::kMost: constexpr variable const int
lib::operator==: function (const Box<T> &, const Box<T> &) -> bool
lib_run: function (const char *, ...) -> int
'''


def reason_without_clang():
    try:
        api_declarations.load_clang()
    except api_declarations.CannotRead as error:
        return str(error)
    return None


class WholeCommand(unittest.TestCase):
    """The command in a workspace of one library."""

    def setUp(self):
        reason = reason_without_clang()
        if reason:
            print(f"SKIPPED: {reason}.", flush=True)
            self.skipTest(reason)
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        os.makedirs(f"{self.root}/tools/declarations")
        os.makedirs(f"{self.root}/lib")
        for name in ("api", *(f"declarations/api_{part}.py" for part in ("changes", "declarations", "headers", "tokens"))):
            shutil.copy(f"{TOOLS}/{name}", f"{self.root}/tools/{name}")
        self.write("BUILD", 'vicinity_library(name = "lib", exports = ["lib.h"], hdrs = ["hidden.h"])\n')
        self.write("version.bzl", 'NAME = "lib"\nVERSION = "0.1.0"\nREQUIRES = {}\n')
        self.write("hidden.h", HIDDEN)
        self.write("lib.h", SAMPLE)

    def write(self, name, text):
        with open(f"{self.root}/lib/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(f"{self.root}/lib/{name}", encoding="utf-8") as file:
            return file.read()

    def api(self, *arguments):
        return subprocess.run([sys.executable, f"{self.root}/tools/api", *arguments], capture_output=True, text=True,
                              check=False, cwd=self.root)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", "-C", self.root, *arguments], check=True,
                       capture_output=True)

    def test_the_list_has_what_users_can_name_and_nothing_else(self):
        self.assertEqual(self.api("--update").returncode, 0)
        self.assertEqual(self.read("api.txt"), SAMPLE_LIST)
        answer = self.api()
        self.assertEqual((answer.returncode, answer.stdout), (0, "1 passed, 0 failed\n"))

    def test_a_header_that_differs_from_the_list_fails_with_what_differs(self):
        self.api("--update")
        self.write("lib.h", SAMPLE.replace("inline int F", "inline long F").replace("kMost = 3;", "kMost = 3, kLeast = 1;"))
        answer = self.api("lib")
        self.assertEqual(answer.returncode, 1)
        self.assertEqual(answer.stdout.splitlines()[-1], "0 passed, 1 failed")
        for line in ("lib: breaks its users:", "  - lib::F: function (lib::Hidden) -> int",
                     "  + lib::F: function (lib::Hidden) -> long",
                     "lib: adds:", "  + lib::kLeast: constexpr variable const int"):
            self.assertIn(line, answer.stdout.splitlines())
        self.assertIn("tools/api --update lib", answer.stdout)

    def test_a_header_that_does_not_compile_cannot_be_read(self):
        self.write("lib.h", "#include \"lib/nowhere.h\"\n")
        answer = self.api("--update")
        self.assertEqual(answer.returncode, 2)
        self.assertRegex(answer.stderr, r"\Atools/api: lib: .*lib/lib.h:1: 'lib/nowhere.h' file not found\.\n\Z")
        self.assertFalse(os.path.exists(f"{self.root}/lib/api.txt"))

    def test_a_version_that_is_too_low_for_what_has_changed_since_a_tag_fails(self):
        # The first commit has no list: its headers are read.
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "x")
        self.git("tag", "lib-0.1.0")
        self.api("--update")
        self.assertEqual(self.api("--needs-version", "lib", "lib-0.1.0").stdout, "0.1.0\n")
        self.write("lib.h", SAMPLE + "inline void lib_more() {}\n")
        self.api("--update")
        self.assertEqual(self.api("--needs-version", "lib", "lib-0.1.0").stdout, "0.1.1\n")
        self.write("lib.h", SAMPLE.replace("extern", "// extern"))
        self.api("--update")
        answer = self.api("--since=lib-0.1.0", "lib")
        self.assertEqual(answer.returncode, 1, answer.stderr)
        self.assertIn("  - lib_run: function (const char *, ...) -> int\n", answer.stdout)
        self.assertIn("lib needs version 0.2.0 or more; VERSION in lib/version.bzl is 0.1.0, which is too low.", answer.stdout)
        self.write("version.bzl", 'VERSION = "0.2.0"\n')
        self.assertEqual(self.api("--since=lib-0.1.0", "lib").returncode, 0)


if __name__ == "__main__":
    unittest.main()
