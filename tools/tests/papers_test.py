#!/usr/bin/env python3
"""tools/papers: the papers' values can be asked for, and rules say what agrees."""

import glob
import importlib
import json
import os
import sys
import unittest

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{TOOLS}/papers")
sys.dont_write_bytecode = True

import verdicts  # noqa: E402: found by the path above.


def a_paper(**claim):
    row = {"row": "figure 1", "section": "2", "title": "x", "claims": [{"claim": "c", "rule": "equal", "paper": 1} | claim]}
    return {"paper": "P", "title": "t", "authors": "a", "machine": "m", "rows": [row]}


class Rules(unittest.TestCase):
    def expect(self, rule, paper, good, bad):
        for ours in good:
            self.assertTrue(verdicts.agrees({"rule": rule, "paper": paper}, ours), (rule, paper, ours))
        for ours in bad:
            self.assertFalse(verdicts.agrees({"rule": rule, "paper": paper}, ours), (rule, paper, ours))

    def test_each_rule_has_what_agrees_and_what_differs(self):
        self.expect("equal", [1, 2], [[1, 2]], [[2, 1], [1], 1])
        self.expect("near", 4, [4, 5, 3.2], [5.01, 3.19, 0, -4])
        self.expect("below", 1, [0.5], [1, 2])
        self.expect("at most", 1, [1, 0], [1.1])
        self.expect("at least", 1, [1, 2], [0.9])
        self.expect("between", [1, 2], [1, 1.5, 2], [0.9, 2.1])
        self.expect("order", ["a", "b"], [["a", "b"]], [["b", "a"], ["a"]])
        self.expect("contains", ["a", "b"], [["b", "c", "a"]], [["a"], []])
        self.expect("true", True, [True], [False])
        self.assertEqual(set(verdicts.RULES), {"equal", "near", "below", "at most", "at least", "between", "order", "contains", "true"})

    def test_a_row_agrees_when_all_of_its_claims_do(self):
        row = {"claims": [{"claim": "a", "rule": "equal", "paper": 1}, {"claim": "b", "rule": "equal", "paper": 2}]}
        self.assertEqual(verdicts.verdict(row, {"a": 1, "b": 2}), "agrees")
        self.assertEqual(verdicts.verdict(row, {"a": 1, "b": 3}), "differs")
        self.assertEqual(verdicts.verdict(row, {"a": 1}), "not shown")
        self.assertEqual(verdicts.verdict(row, {"a": 2}), "differs")


class Papers(unittest.TestCase):
    def test_all_five_are_there_and_have_rows(self):
        files = sorted(glob.glob(f"{TOOLS}/papers/*.json"))
        papers = []
        for file in files:
            with open(file, encoding="utf-8") as text:
                papers.append(verdicts.parse(text.read(), os.path.basename(file)))
        self.assertEqual(sorted(paper["paper"] for paper in papers), ["LLCL", "MassiveThreads", "ULIBC", "libompctarget", "mSMS"])

    def test_each_row_of_a_paper_has_a_command(self):
        for path in glob.glob(f"{TOOLS}/papers/*.json"):
            with open(path, encoding="utf-8") as text:
                rows = {row["row"] for row in json.load(text)["rows"]}
            module = importlib.import_module(f"rows_{os.path.basename(path)[:-len('.json')].lower()}")
            self.assertEqual(set(module.ROWS), rows)
            # What differs has a cause, and a figure is drawn, of rows that are there.
            self.assertLessEqual(set(module.CAUSES) | set(module.FIGURES), rows)
            for kind, _ in module.ROWS.values():
                self.assertIn(kind, ("computed", "measured", "simulated", "tested"))

    def test_what_no_rule_can_be_asked_of_is_refused(self):
        verdicts.parse(json.dumps(a_paper()), "f")
        for wrong, sentence in (({"rule": "about"}, "'about' is no rule"), ({"rule": "near", "paper": "4"}, "does not fit"),
                                ({"rule": "near", "paper": True}, "does not fit"), ({"rule": "true", "paper": 1}, "does not fit"),
                                ({"claim": ""}, "no name")):
            with self.assertRaisesRegex(verdicts.Failure, sentence):
                verdicts.parse(json.dumps(a_paper(**wrong)), "f")
        twice = a_paper()
        twice["rows"] *= 2
        with self.assertRaisesRegex(verdicts.Failure, "figure 1 is there twice"):
            verdicts.parse(json.dumps(twice), "f")
        with self.assertRaisesRegex(verdicts.Failure, "f:1: "):
            verdicts.parse("{", "f")


if __name__ == "__main__":
    unittest.main()
