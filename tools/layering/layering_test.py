#!/usr/bin/env python3
"""Shows each source check refusing what it is there to refuse."""
import importlib.util
import os
import pathlib
import shutil
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def load(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


headers = load("check_headers")
floors = load("floors")
includes = load("check_includes")
purity = load("check_purity")


class Includes(unittest.TestCase):
    def refuses(self, path, line, words):
        found = list(includes.faults(path, line))
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def accepts(self, path, line):
        self.assertEqual(list(includes.faults(path, line)), [])

    def test_each_edge_that_is_not_in_the_picture_is_refused(self):
        libraries = includes.LIBRARIES
        for user in libraries:
            for used in libraries:
                line = f'#include "{used}/{used}.h"'
                if used == user or used in includes.EDGES[user]:
                    self.accepts(f"{user}/x.cc", line)
                else:
                    self.refuses(f"{user}/x.cc", line, f"{user} may not include {used}")

    def test_a_header_that_is_not_for_users_is_refused_outside_of_its_library(self):
        hidden = {"lwt/queue/deque.h"}
        for user in ["taskrt/x.cc", "taskrt/tests/x_test.cc", "apps/x/main.cc"]:
            found = list(includes.faults(user, '#include "lwt/queue/deque.h"', hidden))
            self.assertEqual(len(found), 1, found)
            self.assertIn("not for users of lwt", found[0])
            self.assertEqual(list(includes.faults(user, '#include "lwt/lwt.h"', hidden)), [])
        self.assertEqual(list(includes.faults("lwt/tests/x_test.cc", '#include "lwt/queue/deque.h"', hidden)), [])

    def test_a_source_that_does_not_include_its_own_header_first_is_refused(self):
        headers = {"lwt/lwt.h", "lwt/x.h"}
        for text, count in [('#include "lwt/x.h"\n#include <vector>\n', 0), ('#include <vector>\n#include "lwt/x.h"\n', 1), ("", 1)]:
            self.assertEqual(len(list(includes.faults("lwt/x.cc", text, headers=headers))), count, text)
        self.assertEqual(list(includes.faults("lwt/y.cc", "#include <vector>\n", headers=headers)), [])

    def test_a_library_that_includes_a_program_is_refused(self):
        self.refuses("topo/x.cc", '#include "apps/stream/kernels.h"', "do not know the programs")

    def test_programs_may_include_every_library(self):
        for library in includes.LIBRARIES:
            self.accepts("apps/x/main.cc", f'#include "{library}/{library}.h"')

    def test_hwloc_outside_its_one_file_is_refused(self):
        self.refuses("topo/mapping.cc", "#include <hwloc.h>", "only topo/discover.cc and topo/read_machine.cc")
        self.accepts("topo/discover.cc", "#include <hwloc.h>")

    def test_tbb_outside_its_target_is_refused(self):
        self.refuses("topo/memory.h", "#include <oneapi/tbb/task_arena.h>", "topo/tbb")

    def test_a_library_header_with_a_test_or_flag_dependency_is_refused(self):
        self.refuses("lwt/x.h", "#include <nlohmann/json.hpp>", "its users would need it too")
        self.refuses("lwt/x.h", '#include "absl/container/flat_hash_map.h"', "its users would need it too")
        self.accepts("lwt/tests/x_test.cc", "#include <nlohmann/json.hpp>")

    def test_a_file_name_that_says_nothing_is_refused(self):
        self.refuses("topo/utils.h", "", "says nothing")
        self.refuses("topo/detail/x.h", "", "says nothing")


class Floors(unittest.TestCase):
    """A library x: the words of its root, then the rooms low and high, then its roof."""

    HOUSE = {
        "x/word.h": "",
        "x/low/bolt.h": '#include "x/word.h"\n',
        "x/low/deep/nut.h": '#include "x/low/bolt.h"\n',
        "x/high/door.h": '#include "x/low/deep/nut.h"\n',
        "x/high/door.cc": '#include "x/high/door.h"\n',
        "x/x.h": '#include "x/high/door.h"\n',
    }

    def found(self, added, circles=()):
        floor = floors.Floors("x", {"rooms": [["word.h"], ["low"], ["high"], ["."]], "circles": list(circles)})
        return list(floors.faults(floor, {**self.HOUSE, **added}))

    def test_includes_that_run_down_are_accepted(self):
        self.assertEqual(self.found({}), [])
        self.assertEqual(self.found({"x/high/door.cc": '#include "x/high/door.h"\n#include "x/word.h"\n#include "y/y.h"\n'}), [])

    def test_an_include_that_runs_up_is_refused(self):
        for path, header, words in [
                ("x/word.h", "x/low/bolt.h", "'word.h' stands below 'low'"),
                ("x/low/deep/nut.cc", "x/high/door.h", "'low' stands below 'high'"),
                ("x/low/bolt.cc", "x/x.h", "'low' stands below '.'")]:
            found = self.found({path: f'#pragma once\n#include "{header}"\n'})
            self.assertTrue(found and found[0].startswith(f"{path}:2: ") and words in found[0], found)

    def test_a_file_of_the_root_is_not_taken_for_the_folder_of_its_name(self):
        self.assertEqual(self.found({"x/low.h": '#include "x/high/door.h"\n'}), [])

    def test_tests_may_include_every_room(self):
        self.assertEqual(self.found({"x/tests/door_test.cc": '#include "x/high/door.h"\n#include "x/x.h"\n'}), [])

    def test_a_path_that_is_not_from_the_root_of_the_tree_is_refused(self):
        for header in ["../x.h", "./bolt.h", "bolt.h"]:
            found = self.found({"x/low/nail.h": f'#include "{header}"\n'})
            self.assertEqual(found, [f"x/low/nail.h:1: {header} is not a path from the root of the tree"])

    def test_a_room_without_files_is_refused(self):
        floor = floors.Floors("x", {"rooms": [["word.h"], ["low"], ["lwo"], ["high"], ["."]], "circles": []})
        self.assertEqual(list(floors.faults(floor, self.HOUSE)), ["x/BUILD: declares the room 'lwo', in which there is no file"])

    def test_a_file_in_no_room_is_refused(self):
        self.assertIn("x/attic/box.h: stands in no room", "".join(self.found({"x/attic/box.h": ""})))

    def test_units_in_a_circle_are_refused_where_their_room_is_not_declared_for_it(self):
        circle = {"x/high/one.h": '#include "x/high/two.h"\n', "x/high/two.h": "", "x/high/two.cc": '#include "x/high/three.h"\n',
                  "x/high/three.h": '#include "x/high/one.h"\n'}
        self.assertEqual(self.found(circle), ["x/high/one.h: includes itself by way of x/high/three, x/high/two"])
        self.assertEqual(self.found(circle, ["high"]), [])

    def test_a_source_without_a_header_of_its_name_belongs_to_the_class_whose_members_it_defines(self):
        cut = {"x/high/one.h": "class One final {\n};\n",
               "x/high/more.cc": '#include "x/high/two.h"\n#include "x/high/one.h"\nint One::Do(int n) {\n}\n',
               "x/high/two.h": '#include "x/high/one.h"\n'}
        self.assertEqual(self.found(cut), ["x/high/one.h: includes itself by way of x/high/two"])

    def test_the_check_reads_the_rooms_of_a_folder(self):
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            try:
                os.makedirs("x/low")
                pathlib.Path("x/rooms.json").write_text('{"rooms": [["low"], ["."]], "circles": []}')
                pathlib.Path("x/low/bolt.h").write_text('#include "x/x.h"\n')
                pathlib.Path("x/x.h").write_text("")
                found = includes.faults_of(["x/rooms.json", "x/low/bolt.h", "x/x.h"])
            finally:
                os.chdir(here)
        self.assertEqual(found, ["x/low/bolt.h:1: the room 'low' stands below '.' and may not include x/x.h"])


class Purity(unittest.TestCase):
    def refuses(self, line):
        self.assertEqual(len(list(purity.faults("topo/x.cc", line, {"topo/x.h"}))), 1, line)

    def accepts(self, line):
        self.assertEqual(list(purity.faults("topo/x.cc", line, {"topo/x.h"})), [])

    def test_threads_clocks_and_files_are_refused(self):
        for header in ["thread", "atomic", "chrono", "fstream", "mutex", "random"]:
            self.refuses(f"#include <{header}>")

    def test_the_word_in_a_header_puts_it_and_its_source_under_the_check(self):
        here = os.getcwd()
        files = {
            "x/pure.txt": "x/listed.h\ny/below.h\n",
            "x/listed.h": "#include <mutex>\n",
            "x/worded.h": '// A rule.\n//\n// Pure; any thread may call.\n#pragma once\n#include "y/below.h"\n#include "x/listed.h"\nstruct Rule {\n};\n',
            "x/up.h": '// Pure.\n#include "y/other.h"\n',
            "x/more.cc": '#include "x/worded.h"\n#include <mutex>\nvoid Rule::Do() {\n}\n',
            "x/worded.cc": '#include "x/worded.h"\n#include <thread>\n',
            "x/free.h": "// A file that acts.\n#pragma once\n#include <thread>\n// Pure. Not at the top.\n",
        }
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            try:
                os.mkdir("x")
                for name, text in files.items():
                    pathlib.Path(name).write_text(text)
                found = purity.faults_of(files)
            finally:
                os.chdir(here)
        self.assertEqual([fault.split(":")[0] for fault in found], ["x/listed.h", "x/more.cc", "x/up.h", "x/worded.cc"], found)

    def test_system_headers_are_refused(self):
        for header in ["sched.h", "sys/mman.h", "unistd.h", "hwloc.h"]:
            self.refuses(f"#include <{header}>")

    def test_a_file_of_the_library_that_is_not_pure_is_refused(self):
        self.refuses('#include "topo/memory.h"')

    def test_algorithms_status_and_pure_files_are_accepted(self):
        for line in ["#include <algorithm>", '#include "absl/status/status.h"', '#include "topo/x.h"']:
            self.accepts(line)


REFUSAL = """#pragma once
#if __cplusplus < 202002L
#error "x is C++20: compile this file with -std=c++20"
#include "compiled with -std=c++20"
#endif
"""


@unittest.skipIf(shutil.which(headers.COMPILER) is None, "there is no compiler")
class Headers(unittest.TestCase):
    def found(self, text):
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            try:
                os.mkdir("x")
                pathlib.Path("x/language.h").write_text(REFUSAL)
                pathlib.Path("x/x.h").write_text(text)
                return headers.faults_of(["x/x.h"])
            finally:
                os.chdir(here)

    def test_a_clean_header_that_refuses_another_language_is_accepted(self):
        self.assertEqual(self.found('#pragma once\n#include "x/language.h"\ninline int F(int n) { return n; }\n'), [])

    def test_each_kind_of_warning_is_refused(self):
        for body, kind in [("long n = 1; return (long)n;", "useless-cast"), ("int n = 1; { int n = 2; (void)n; } return n;", "shadow"),
                           ("int n = 1; unsigned long m = n; return (long)m;", "sign-conversion"), ("long n = 1; int m = n; return m;", "conversion")]:
            found = self.found(f'#pragma once\n#include "x/language.h"\ninline long F() {{ {body} }}\n')
            self.assertTrue(found and f"-W{kind}" in "".join(found), found)

    def test_a_header_that_does_not_refuse_another_language_is_refused(self):
        self.assertIn("compiles with -std=c++17", "".join(self.found("#pragma once\ninline int F() { return 1; }\n")))
        self.assertIn("not that of language.h", "".join(self.found(
            '#pragma once\n#include <coroutine>\n#include "x/language.h"\n')))


if __name__ == "__main__":
    unittest.main(verbosity=1)
