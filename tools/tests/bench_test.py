#!/usr/bin/env python3
"""tools/bench: what its figures mean, and what it does with contestants that a test makes up."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{TOOLS}/figures")
sys.dont_write_bytecode = True

import bench_figures as figures  # noqa: E402: found by the path above.
import bench_tables as tables  # noqa: E402


def row(name, time, unit="ns", **more):
    return {"name": name, "run_type": "iteration", "real_time": time, "time_unit": unit, **more}


class NamesAndRows(unittest.TestCase):
    def test_what_the_framework_adds_to_a_name_is_no_parameter(self):
        self.assertEqual(figures.parse_name("fib/lwt/workers:1/real_time"), ("fib", "lwt", "workers:1"))
        self.assertEqual(figures.parse_name("barrier/topo/threads:2/iterations:10/manual_time"),
                         ("barrier", "topo", "threads:2"))
        self.assertEqual(figures.parse_name("load/topo"), ("load", "topo", ""))
        self.assertEqual(figures.parse_name("get/smp/size:8/ranks:2"), ("get", "smp", "size:8/ranks:2"))

    def test_a_name_without_a_contestant_is_refused(self):
        with self.assertRaisesRegex(figures.Failure, "'fib' is not named"):
            figures.parse_name("fib")

    def test_times_become_seconds_and_counters_stay_rates(self):
        text = json.dumps({"benchmarks": [row("a/x", 5, "us"), row("b/x", 5, bytes_per_second=2e9)]})
        self.assertEqual(figures.parse_rows(text, "t"), {("a", "x", ""): (5e-6, "s"), ("b", "x", ""): (2e9, "bytes/s")})

    def test_a_row_about_memory_is_not_its_time(self):
        text = json.dumps({"benchmarks": [row("blocked_thread/x", 5, bytes=4096.0)]})
        self.assertEqual(figures.parse_rows(text, "t"), {("blocked_thread", "x", ""): (4096.0, "B")})

    def test_repetitions_of_a_process_count_once_and_aggregates_not_at_all(self):
        rows = [row("a/x", time) for time in (1, 9, 2)] + [{**row("a/x_mean", 4), "run_type": "aggregate"}]
        self.assertEqual(figures.parse_rows(json.dumps({"benchmarks": rows}), "t"), {("a", "x", ""): (2e-9, "s")})

    def test_a_row_that_failed_fails_the_run(self):
        text = json.dumps({"benchmarks": [row("a/x", 0, error_occurred=True, error_message="wrong answer")]})
        with self.assertRaisesRegex(figures.Failure, "a/x failed: wrong answer"):
            figures.parse_rows(text, "t")


class Ratios(unittest.TestCase):
    def rounds(self, ours, theirs, unit="s"):
        return [{("p", "lib", ""): (a, unit), ("p", "peer", ""): (b, unit)} for a, b in zip(ours, theirs)]

    def test_above_one_means_ours_is_better_for_times_and_for_rates(self):
        (time,) = figures.compare(self.rounds([1.0] * 9, [2.0] * 9), "lib")
        (rate,) = figures.compare(self.rounds([4.0] * 9, [2.0] * 9, "items/s"), "lib")
        (memory,) = figures.compare(self.rounds([4096.0] * 9, [8192.0] * 9, "B"), "lib")
        self.assertEqual((time["ratio"], rate["ratio"], memory["ratio"]), (2, 2, 2))

    def test_a_losing_row_stays(self):
        (row_,) = figures.compare(self.rounds([2.0] * 9, [1.0] * 9), "lib")
        self.assertEqual(row_["ratio"], 0.5)

    def test_ratios_are_taken_within_a_round(self):
        # The machine is ten times slower in some rounds, for both.
        slow = [1, 10, 1, 10, 1, 10, 1, 10, 1]
        (row_,) = figures.compare(self.rounds(slow, [2 * x for x in slow]), "lib")
        self.assertEqual([row_[key] for key in ("ratio", "ratio_q1", "ratio_q3")], [2, 2, 2])

    def test_quartiles_enclose_the_median(self):
        (row_,) = figures.compare(self.rounds([1.0] * 9, [1, 2, 3, 4, 5, 6, 7, 8, 9]), "lib")
        self.assertEqual([row_[key] for key in ("ratio_q1", "ratio", "ratio_q3")], [3, 5, 7])

    def test_of_nine_rounds_the_second_and_the_eighth_enclose_the_median_with_95_percent(self):
        (row_,) = figures.compare(self.rounds([1.0] * 9, [5, 1, 9, 2, 8, 3, 7, 4, 6]), "lib")
        self.assertEqual([row_[key] for key in ("ratio_low", "ratio_high")], [2, 8])

    def test_the_interval_is_the_narrowest_that_has_95_percent(self):
        # The ranks that tables of the sign test give.
        for count, low in ((6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (15, 4), (20, 6), (25, 8), (30, 10), (50, 18)):
            self.assertEqual(figures.confidence(list(range(1, count + 1))), (low, count + 1 - low), count)

    def test_five_rounds_cannot_have_95_percent(self):
        with self.assertRaisesRegex(figures.Failure, "5 rounds are too few"):
            figures.confidence([1, 2, 3, 4, 5])

    def test_a_problem_without_a_peer_is_shown_by_itself(self):
        (row_,) = figures.compare([{("p", "lib", ""): (1e-9, "s")}] * 9, "lib")
        self.assertEqual((row_["peer"], row_["ratio"], row_["ours"]), (None, None, 1e-9))
        self.assertEqual((row_["ratio_low"], row_["ratio_high"]), (None, None))

    def test_a_row_that_is_missing_from_a_round_is_refused(self):
        rounds = self.rounds([1.0] * 9, [2.0] * 9)
        del rounds[3][("p", "peer", "")]
        with self.assertRaisesRegex(figures.Failure, "8 of 9"):
            figures.compare(rounds, "lib")

    def test_a_row_of_a_peer_that_ours_lacks_is_named(self):
        rounds = [{("p", "lib", ""): (1, "s"), ("p", "peer", "n:2"): (1, "s")}] * 9
        self.assertEqual(figures.without_ours(rounds, "lib"), ["p/peer/n:2"])
        self.assertEqual([row_["peer"] for row_ in figures.compare(rounds, "lib")], [None])

    def test_a_time_is_not_compared_with_a_rate(self):
        with self.assertRaisesRegex(figures.Failure, "cannot be compared"):
            figures.compare([{("p", "lib", ""): (1, "s"), ("p", "peer", ""): (1, "items/s")}] * 9, "lib")

    def test_two_comes_before_sixteen(self):
        rounds = [{("p", "lib", f"n:{n}"): (1, "s") for n in (16, 2, 1)}] * 9
        self.assertEqual([row_["parameters"] for row_ in figures.compare(rounds, "lib")], ["n:1", "n:2", "n:16"])


class Amounts(unittest.TestCase):
    def test_the_unit_fits_the_number(self):
        self.assertEqual(tables.amount(1.234e-7, "s"), "123 ns")
        self.assertEqual(tables.amount(2.5, "s"), "2.5 s")
        self.assertEqual(tables.amount(4.5e10, "bytes/s"), "45 Gbytes/s")
        self.assertEqual(tables.amount(3e-10, "s"), "0.3 ns")


class Intervals(unittest.TestCase):
    def rated(self, ratio, low, high, **more):
        return {"problem": "p", "peer": "x", "parameters": "", "unit": "s", "ours": 1.0, "theirs": 1.0, "ratio": ratio,
                "ratio_q1": 0.9, "ratio_q3": 1.9, "ratio_low": low, "ratio_high": high, **more}

    def test_a_ratio_is_shown_with_its_confidence_interval(self):
        self.assertEqual(tables.ratio_cell(self.rated(1.234, 1.1, 1.309)), "1.23 (1.10–1.31)")
        self.assertEqual(tables.ratio_cell(self.rated(0.5, 0.4, 0.6)), "0.50 (0.40–0.60)")

    def test_an_interval_that_contains_one_shows_no_difference(self):
        for low, high in ((0.9, 1.2), (1.0, 1.2), (0.8, 1.0)):
            self.assertTrue(tables.ratio_cell(self.rated(1, low, high)).endswith(") no difference shown"), (low, high))

    def test_an_interval_that_ends_close_to_one_does_not_read_as_one(self):
        self.assertEqual(tables.ratio_cell(self.rated(1.0066, 1.0045, 1.009)), "1.007 (1.004–1.009)")
        self.assertEqual(tables.ratio_cell(self.rated(0.0034, 0.003, 0.996)), "0.003 (0.003–0.996)")

    def test_a_figure_of_nothing_has_no_ratio(self):
        with self.assertRaises(figures.Failure):
            figures.ratio_of(0.0, 1.0, "s")

    def test_quartiles_are_never_shown_as_an_interval(self):
        old = self.rated(1.5, None, None)
        self.assertEqual(tables.ratio_cell(old), "1.50 (quartiles 0.90–1.90)")
        del old["ratio_low"], old["ratio_high"]
        self.assertEqual(tables.ratio_cell(old), "1.50 (quartiles 0.90–1.90)")
        self.assertEqual(tables.heads("lib", [old])[-1], "ratio")
        self.assertIn("where a row names quartiles, its confidence interval was not recorded", tables.legend("lib", [old]))
        mixed = [old, self.rated(1.5, 1.2, 1.8)]
        self.assertEqual(tables.heads("lib", mixed)[-1], "ratio (95 % confidence)")
        self.assertIn("names quartiles", tables.legend("lib", mixed))
        self.assertNotIn("quartiles", tables.legend("lib", mixed[1:]))

    def test_a_row_without_a_peer_has_no_ratio(self):
        self.assertEqual(tables.ratio_cell(self.rated(None, None, None)), "")


class Readme(unittest.TestCase):
    RESULTS = {"rows": [{"problem": f"p{i}", "peer": peer, "parameters": ""} for i in range(15) for peer in ("a", None)]}

    def test_only_what_stands_between_the_markers_changes(self):
        text = "# lib\n<!-- bench: a|b -->\nold\n<!-- /bench -->\nrest\n"
        self.assertEqual(tables.replace_table(text, "new"),
                         "# lib\n<!-- bench: a|b -->\n\nnew\n\n<!-- /bench -->\nrest\n")

    def test_the_marker_says_which_rows_are_shown(self):
        text = "<!-- bench: ^p1/a/|^p3/ --><!-- /bench -->"
        rows = tables.shown(text, self.RESULTS, "r")["rows"]
        self.assertEqual([(row["problem"], row["peer"]) for row in rows], [("p1", "a"), ("p3", "a"), ("p3", None)])

    def test_more_rows_than_a_reader_takes_or_none_are_refused(self):
        for expression, count in (("p", 30), ("nothing", 0)):
            with self.assertRaisesRegex(figures.Failure, f"would show {count} rows"):
                tables.shown(f"<!-- bench: {expression} --><!-- /bench -->", self.RESULTS, "README.md")

    def test_a_readme_without_markers_is_refused(self):
        for text in ("", "<!-- bench -->", "<!-- /bench --><!-- bench -->"):
            with self.assertRaisesRegex(figures.Failure, "README.md must have"):
                tables.shown(text, self.RESULTS, "README.md")

    def test_notes_stand_below_the_table(self):
        results = {"machine": {"cpu": "c", "pus": 1, "numa_nodes": 1}, "compiler": "g", "commit": "a", "date": "d",
                   "rounds": 9, "rows": []}
        self.assertTrue(tables.markdown_table("lib", results).endswith("---: | ---: | --- |"))
        table = tables.markdown_table("lib", {**results, "notes": ["x: fast", "y: slow"]})
        self.assertTrue(table.endswith("---: | ---: | --- |\n\n- x: fast\n- y: slow"), table)


CONTESTANT = """#!/bin/sh
echo run >> {log}
case "$*" in *benchmark_filter=nothing*) exit 0 ;; esac
cat << 'END'
{rows}
END
exit {code}
"""
BAZEL = """#!/bin/sh
case "$1" in --output_base=*) shift ;; esac
case "$*" in
  query*--output=build*) echo 'cc_binary(name = "lib_bench", tags = ["launcher:llclrun"])' ;;
  query*launcher:llclrun:4*) ! [ -e {root}/four ] || echo //lib/benches:lib_bench_peer ;;
  query*launcher:llclrun*) [ -e {root}/four ] || printf '//lib/benches:%s\\n' lib_bench_peer lib_benchmark ;;
  query*launcher:*) ;;
  query*manual*) printf '//lib/benches:%s\\n' lib_bench_rare ;;
  query*) printf '//lib/benches:%s\\n' lib_bench_peer lib_bench_rare lib_bench lib_benchmark ;;
  build*lib_bench_rare) [ -e {root}/bin/lib/benches/lib_bench_rare ] ||
    {{ echo "ERROR: x.bzl: vicinity: rare is missing; install the Debian package librare-dev." >&2; exit 1; }} ;;
  info*) echo "$PWD/bin" ;;
esac
"""


class WholeRun(unittest.TestCase):
    """The tool itself, with a Bazel and contestants that are shell scripts."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        for folder in ("tools/figures", "lib/benches", "bin/lib/benches", "bin/llcl", "path"):
            os.makedirs(f"{self.root}/{folder}")
        self.write("lib/benches/BUILD", "")
        self.write("tools/workspace_status", "#!/bin/sh\necho STABLE_COMMIT abc123\n")
        for name in ("bench", "figures/bench_figures.py", "figures/bench_tables.py"):
            with open(f"{TOOLS}/{name}", encoding="utf-8") as file:
                self.write(f"tools/{name}", file.read())
        self.write("path/bazel", BAZEL.format(root=self.root))
        self.write("bin/llcl/llclrun", f"#!/bin/sh\necho ranks $1 $2 >> {self.root}/llclrun.log\nshift 2\nexec \"$@\"\n")
        self.contestant("lib_bench", [row("p/lib/n:1", 10), row("alone/lib", 3)])
        self.contestant("lib_bench_peer", [row("p/peer/n:1", 15), row("p/limit/n:1", 5)])

    def write(self, path, text):
        with open(f"{self.root}/{path}", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(f"{self.root}/{path}", 0o755)

    def contestant(self, name, rows, code=0, note=""):
        printed = json.dumps({"context": {"note": note}, "benchmarks": rows})
        text = CONTESTANT.format(log=f"{self.root}/{name}.log", rows=printed, code=code)
        self.write(f"bin/lib/benches/{name}", text)

    def bench(self, *arguments):
        environment = {**os.environ, "PATH": f"{self.root}/path:{os.environ['PATH']}"}
        return subprocess.run([sys.executable, f"{self.root}/tools/bench", *arguments], env=environment,
                              capture_output=True, text=True, check=False)

    def results(self, path="lib/benches/results.json"):
        with open(f"{self.root}/{path}", encoding="utf-8") as file:
            return json.load(file)

    def test_every_contestant_runs_nine_times_and_the_file_has_every_row(self):
        answer = self.bench("lib")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        results = self.results()
        self.assertEqual([(r["problem"], r["peer"], r["ratio"]) for r in results["rows"]],
                         [("alone", None, None), ("p", "limit", 0.5), ("p", "peer", 1.5)])
        self.assertEqual(results["commit"], "abc123")
        for key in ("machine", "compiler", "date"):
            self.assertIn(key, results)
        for name in ("lib_bench", "lib_bench_peer"):
            with open(f"{self.root}/{name}.log", encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 9)
        self.assertIn("1.50 (1.50–1.50)", answer.stdout)

    def test_a_note_of_a_contestant_is_in_the_file_once(self):
        self.bench("lib")
        self.assertNotIn("notes", self.results())
        self.contestant("lib_bench_peer", [row("p/peer/n:1", 15)], note="peer: by another library")
        self.assertIn("\npeer: by another library\n", self.bench("lib").stdout)
        self.assertEqual(self.results()["notes"], ["peer: by another library"])

    def test_a_contestant_that_needs_what_is_not_there_is_left_out_and_told(self):
        answer = self.bench("lib")
        self.assertEqual(answer.returncode, 0)
        self.assertIn("tools/bench: //lib/benches:lib_bench_rare is left out: rare is missing; install the Debian "
                      "package librare-dev.\n", answer.stderr)
        self.contestant("lib_bench_rare", [row("p/rare/n:1", 20)])
        self.bench("lib")
        self.assertIn("rare", [r["peer"] for r in self.results()["rows"]])

    def test_a_peer_that_hangs_is_started_again_and_told(self):
        with open(f"{self.root}/tools/bench", encoding="utf-8") as file:
            self.write("tools/bench", file.read().replace("SECONDS_A_PEER, TRIES_OF_A_PEER = 300,",
                                                          "SECONDS_A_PEER, TRIES_OF_A_PEER = 1,"))
        self.contestant("lib_bench_rare", [row("p/rare/n:1", 20)])
        peer = f"{self.root}/bin/lib/benches/lib_bench_rare"
        with open(peer, encoding="utf-8") as file:
            text = file.read()
        log = f"{self.root}/lib_bench_rare.log"

        def hang_in(runs):
            hangs = f"[ $(wc -l < {log}) -gt {runs} ] || exec sleep 60\n"
            self.write(peer.removeprefix(self.root), text.replace("case", hangs + "case", 1))

        hang_in(1)
        answer = self.bench("lib")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("did not end within 1 s; it is started again.\n", answer.stderr)
        self.assertEqual(self.results()["notes"],
                         ["//lib/benches:lib_bench_rare has hung 1 times, and was started again."])
        # For ever: then there are no figures.
        os.remove(log)
        os.remove(f"{self.root}/lib/benches/results.json")
        hang_in(99)
        answer = self.bench("lib")
        self.assertEqual(answer.returncode, 2)
        self.assertIn("did not end within 1 s.\n", answer.stderr)
        self.assertFalse(os.path.exists(f"{self.root}/lib/benches/results.json"))

    def test_the_readme_shows_the_file(self):
        self.write("lib/README.md", "# lib\n<!-- bench: ^p/peer -->\n<!-- /bench -->\n")
        self.bench("lib")
        answer = self.bench("--readme", "lib")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        with open(f"{self.root}/lib/README.md", encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| p | n:1 | peer | 10 ns | 15 ns | 1.50 (1.50–1.50) |", text)
        self.assertIn("commit abc123", text)
        self.assertNotIn("alone", text)
        with open(f"{self.root}/lib/benches/results.md", encoding="utf-8") as file:
            self.assertIn("| alone |", file.read())

    def test_a_contestant_that_fails_fails_the_run_and_writes_nothing(self):
        self.contestant("lib_bench_peer", [row("p/peer/n:1", 15)], code=3)
        answer = self.bench("lib")
        self.assertEqual(answer.returncode, 2)
        self.assertEqual(answer.stderr.splitlines()[-1],
                         "tools/bench: //lib/benches:lib_bench_peer ended with exit code 3.")
        self.assertFalse(os.path.exists(f"{self.root}/lib/benches/results.json"))

    def test_a_part_of_the_rows_does_not_take_the_place_of_all(self):
        self.assertEqual(self.bench("lib", "--filter=p/").returncode, 0)
        self.assertFalse(os.path.exists(f"{self.root}/lib/benches/results.json"))
        self.assertEqual(self.bench("lib", "--filter=p/", f"--json={self.root}/part.json").returncode, 0)
        self.assertEqual(len(self.results("part.json")["rows"]), 3)

    def test_a_contestant_of_two_ranks_is_started_by_its_launcher(self):
        self.assertEqual(self.bench("lib").returncode, 0)
        with open(f"{self.root}/llclrun.log", encoding="utf-8") as file:
            self.assertEqual(file.read(), "ranks -n 2\n" * 9)

    def test_a_contestant_may_have_four_ranks(self):
        self.write("four", "")
        self.assertEqual(self.bench("lib").returncode, 0)
        with open(f"{self.root}/llclrun.log", encoding="utf-8") as file:
            self.assertEqual(file.read(), "ranks -n 4\n" * 9)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@y", *arguments], cwd=self.root, check=True,
                       capture_output=True)

    def test_another_commit_is_the_peer_and_leaves_nothing(self):
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message=before")
        self.contestant("lib_bench", [row("p/lib/n:1", 5), row("p/lib_slow/n:1", 40), row("new/lib", 3)])
        scratch = f"{self.root}/scratch"
        os.mkdir(scratch)
        os.environ["TMPDIR"] = scratch
        self.addCleanup(os.environ.pop, "TMPDIR")
        answer = self.bench("lib", "--base=HEAD", f"--json={self.root}/base.json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        results = self.results("base.json")
        self.assertEqual([(r["problem"], r["peer"], r["parameters"], r["ratio"]) for r in results["rows"]],
                         [("new", None, "", None), ("p", None, "lib_slow/n:1", None), ("p", "base", "n:1", 2.0)])
        self.assertEqual(len(results["base"]), 40)
        self.assertEqual(os.listdir(scratch), [])
        self.assertFalse(os.path.exists(f"{self.root}/lib/benches/results.json"))
        # Ours and the commit's, nine rounds each, as two ranks.
        with open(f"{self.root}/llclrun.log", encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 18)
        answer = self.bench("lib", "--base=nosuch")
        self.assertEqual((answer.returncode, answer.stderr),
                         (2, "tools/bench: --base=nosuch is no commit of this repository.\n"))

    def test_what_cannot_be_done_is_one_sentence(self):
        for arguments, part in ((["nolib"], "no nolib/benches/BUILD"), (["lib", "--rounds=3"], "fewer than 9"),
                                (["lib", "--filter=("], "regular expression"), ([], "library"),
                                (["lib", "--json=/nonexistent/x.json"], "/nonexistent/x.json"),
                                (["lib", "--filter=nothing"], "no row matches"), (["lib", "--fast"], "--fast"),
                                (["--readme", "lib"], "results.json")):
            answer = self.bench(*arguments)
            self.assertEqual(answer.returncode, 2, arguments)
            self.assertIn(part, answer.stderr)
            sentences = [line for line in answer.stderr.splitlines() if "is left out" not in line]
            self.assertEqual(len(sentences), 1, answer.stderr)

    def test_help_exits_zero(self):
        answer = self.bench("--help")
        self.assertEqual(answer.returncode, 0)
        self.assertIn("--rounds=N", answer.stdout)


if __name__ == "__main__":
    unittest.main()
