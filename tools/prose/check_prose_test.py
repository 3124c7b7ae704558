#!/usr/bin/env python3
"""Shows the check of prose refusing what it is there to refuse, and nothing else."""
import importlib.util
import pathlib
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("check_prose", HERE / "check_prose.py")
prose = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(prose)


class Sentences(unittest.TestCase):
    def refuses(self, text, path="lwt/x.h", count=1):
        self.assertEqual(len(list(prose.faults(path, text))), count, text)

    def accepts(self, text, path="lwt/x.h"):
        self.refuses(text, path, 0)

    def test_a_statement_whose_subject_is_who_is_refused(self):
        self.refuses("// Who waits is suspended.")
        self.refuses("// Threads: any. Who gives up\n// holds others up.")
        self.refuses("int a;  // Whoever comes second frees it.")
        self.refuses("- Fast. Who waits sleeps.", "lwt/README.md")
        self.refuses("# Who looks for leaks passes it.", "tools/library.bzl")

    def test_a_question_and_who_within_a_sentence_are_accepted(self):
        self.accepts("// Who holds it?")
        self.accepts("// The thread that knows who holds it goes on.")

    def test_what_is_told_is_refused(self):
        self.refuses("// `then` is told when it has ended.")
        self.accepts("// `then` completes when it has ended. The bold one is gold.")

    def test_code_strings_and_code_blocks_are_not_prose(self):
        self.accepts('Print("// Who waits is told.");')
        self.accepts("```\nWho waits is told.\n```\n", "README.md")
        self.accepts("const int who_waits = 0;")

    def test_a_fault_names_its_file_and_line(self):
        self.assertIn("lwt/x.h:3: ", next(prose.faults("lwt/x.h", "int a;\n\n// Who waits\n// sleeps.\n")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
