#!/usr/bin/env python3
"""tools/sdplib: what it reads of solvers, and what it does with solvers that a test makes up."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{TOOLS}/figures")
sys.dont_write_bytecode = True

import sdplib_rows as figures  # noqa: E402: found by the path above.

OPTIMA = """instance,m,n,published_optimum,sdpa_gmp_phase,sdpa_gmp_primal,sdpa_gmp_dual
a,2,3,1.5e+00,pdOPT,1.25,1.25
b,2,3,-7,pFEAS,1,2
c,2,3,primal infeasible,dUNBD,2.9,2.2
d,2,3,3,,,
"""


class Optima(unittest.TestCase):
    def test_gmp_counts_where_its_two_values_agree(self):
        optima = figures.optima(OPTIMA)
        self.assertEqual([optima[name]["value"] for name in "abcd"], [1.25, -7, None, 3])
        self.assertEqual(optima["c"]["claim"], "primal infeasible")
        with self.assertRaisesRegex(figures.Failure, "no columns"):
            figures.optima("x,y\n1,2\n")

    def test_digits_are_of_the_optimum(self):
        self.assertAlmostEqual(figures.digits(1.001, 1), 3.301, 3)
        self.assertEqual(figures.digits(1, 1), 16)
        self.assertEqual(figures.digits(100, 1), 0)
        self.assertIsNone(figures.digits(None, 1))


class Solvers(unittest.TestCase):
    def test_sdpa_says_it_in_lines(self):
        text = ("phase.value  = pdFEAS    \n   Iteration = 28\nrelative gap = +5.1e-08\nobjValPrimal = +1.5e+01\n"
                "objValDual   = +1.25e+01\np.feas.error = +8.7e-11\nd.feas.error = +2.6e-09\n")
        self.assertEqual(figures.of_sdpa(text, 0), {"status": "pdFEAS", "code": 0, "value": 12.5, "error": 5.1e-8,
                                                    "iterations": 28})

    def test_csdp_has_the_six_errors(self):
        text = ("Iter:  0 Ap: 0 Pobj: 1\nIter: 19 Ap: 8.00e-01\nSuccess: SDP solved\nPrimal objective value: -4.5e+01 \n"
                "DIMACS error measures: 4.81e-08 0.00e+00 8.35e-10 0.00e+00 -7.25e-11 1.75e-09\n")
        self.assertEqual(figures.of_csdp(text, 0), {"status": "Success: SDP solved", "code": 0, "value": -45,
                                                    "error": 4.81e-8, "iterations": 19})
        declared = figures.of_csdp("Declaring dual infeasibility.\nSuccess: SDP is dual infeasible\n", 2)
        self.assertEqual(declared["status"], "Success: SDP is dual infeasible")
        self.assertEqual(figures.of_csdp("", None)["status"], "none")

    def test_dsdp_has_the_other_sign(self):
        text = "18   -2.26e+02   -2.26e+02\nDSDP Converged. \nDSDP Solution:  -2.25e+02 \n"
        row = figures.of_dsdp(text, 0)
        self.assertEqual((row["value"], row["iterations"], row["status"].strip()), (225, 18, "Converged."))
        self.assertEqual(figures.of_dsdp("DSDP Converged. \nDSDP Primal Unbounded, Dual Infeasible\n", 0)["status"],
                         "Primal Unbounded, Dual Infeasible")


# Writes the record that the flag names, unless it is to sleep.
OURS = """#!/bin/bash
for word in "$@"; do [[ $word == --json=* ]] && record=${word#--json=}; [[ $word == --problem=*slow* ]] && exec sleep 60; done
echo '{"results":[{"phase":"reduced accuracy","precision":"dd","dual":1.25,"dimacs":[1e-9,0,-3e-6,null,0,0],"iterations":7}]}' > "$record"
exit 3
"""
SDPA = "#!/bin/bash\necho 'phase.value = pdOPT'; echo 'objValDual = 1.2500001'; echo 'Iteration = 4'\n"


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        for name, text in (("ours", OURS), ("sdpa", SDPA), ("a.dat-s", ""), ("slow.dat-s", ""), ("optima.csv", OPTIMA)):
            with open(f"{self.folder.name}/{name}", "w", encoding="utf-8") as stream:
                stream.write(text)
            os.chmod(f"{self.folder.name}/{name}", 0o755)

    def tearDown(self):
        self.folder.cleanup()

    def run_tool(self, *arguments):
        folder = self.folder.name
        environment = os.environ | {"VICINITY_SDPA": f"{folder}/ours", "PATH": f"{folder}:/usr/bin:/bin"}
        return subprocess.run([sys.executable, f"{TOOLS}/sdplib", folder, *arguments], capture_output=True, text=True,
                              check=False, env=environment, timeout=60)

    def test_each_solver_has_a_row(self):
        record = f"{self.folder.name}/rows.json"
        run = self.run_tool("--peers", "--filter=^a$", f"--json={record}")
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(record, encoding="utf-8") as stream:
            rows = {row["solver"]: row for row in json.load(stream)}
        self.assertEqual(rows["vicinity"]["status"], "reduced accuracy, dd")
        self.assertEqual((rows["vicinity"]["code"], rows["vicinity"]["digits"], rows["vicinity"]["error"]), (3, 16, 3e-6))
        self.assertAlmostEqual(rows["sdpa"]["digits"], 7.35, 1)
        self.assertIn("| a | 2 | 3 | 1.25 | vicinity | 1 | reduced accuracy, dd | 16.0 | 3e-06 | 7 |", run.stdout)

    def test_a_process_that_takes_too_long_is_ended(self):
        run = self.run_tool("--filter=slow", "--seconds=0.2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("| slow |", run.stdout)

    def test_what_is_wrong_is_one_sentence(self):
        for arguments, part in ((["--filter=none"], "no instance"), (["--filter=("], "--filter"),
                                (["--threads=0"], "above 0"), (["--what"], "unrecognized")):
            run = self.run_tool(*arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertRegex(run.stderr, rf"^tools/sdplib: .*{part}.*\.\n$" if part != "--filter" else r"--filter")


if __name__ == "__main__":
    unittest.main()
