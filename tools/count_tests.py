#!/usr/bin/env python3
"""Says what a `bazel test` did, from the events that it wrote.

usage: tools/count_tests.py EVENTS EXIT_CODE

EVENTS is the file of --build_event_json_file, EXIT_CODE what bazel ended with.
Prints one line for each test that failed, one for each that skipped something
with its reason, and last `N passed, N failed`, which counts test targets. A build
that failed without failing a test counts as one failure.
"""

import json
import os
import re
import sys
import urllib.parse
import xml.etree.ElementTree

BUILD_ENDS_WELL = (0, 3, 4)  # All well; a test failed; there was no test to run.
TEST_ENDS_WELL = ("PASSED", "FLAKY")


def read_events(path):
    """Yields the events; a line cut short by a crash ends them."""
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                return


def read_file(uri):
    try:
        path = urllib.parse.unquote(urllib.parse.urlparse(uri).path)
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def skips_of_googletest(text):
    """Yields (test, reason) of each GTEST_SKIP in a test.xml."""
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError:
        return
    for case in root.iter("testcase"):
        skipped = case.find("skipped")
        if skipped is not None:
            # The message is "file:line, newline, reason" in some versions, the reason alone in others.
            message = (skipped.get("message") or skipped.text or "").strip()
            reason = " ".join(line for line in message.splitlines() if not re.search(r":\d+$", line))
            yield f"{case.get('classname')}.{case.get('name')}", reason or "no reason given"


def skips_of_script(text):
    """Yields ("", reason) of each line `SKIPPED: reason` in a test.log."""
    for line in text.splitlines():
        if line.startswith("SKIPPED: "):
            yield "", line[len("SKIPPED: "):].strip()


class Outcome:
    """What the events say of each target that is a test."""

    def __init__(self):
        self.tests = set()
        self.status = {}  # test -> its status; where several are given, the worst.
        self.left_out = {}  # test -> why it did not run.
        self.skips = {}  # (test, reason) -> the cases in it; one "" where it is a script.

    def see(self, event):
        kind, about = next(iter(event["id"].items()))
        label = about.get("label") if isinstance(about, dict) else None
        if kind == "targetConfigured":
            if "_test rule" in event.get("configured", {}).get("targetKind", ""):
                self.tests.add(label)
        elif kind == "targetCompleted":
            self.see_built(label, event)
        elif kind == "testSummary":
            self.set_status(label, event.get("testSummary", {}).get("overallStatus", "NO_STATUS"))
        elif kind == "testResult":
            self.see_result(label, event.get("testResult", {}))

    def see_built(self, label, event):
        if "aborted" in event:
            if event["aborted"].get("reason") == "SKIPPED":
                self.left_out[label] = "not for this machine (target_compatible_with)"
            else:
                self.set_status(label, "FAILED_TO_BUILD")
        elif not event.get("completed", {}).get("success"):
            self.set_status(label, "FAILED_TO_BUILD")
        else:
            tags = [tag for tag in event["completed"].get("tag", []) if tag.startswith("no-")]
            self.left_out[label] = "left out by its tags" + (f" ({', '.join(tags)})" if tags else "")

    def set_status(self, label, status):
        if self.status.get(label) in (None,) + TEST_ENDS_WELL:
            self.status[label] = status

    def see_result(self, label, result):
        files = {file.get("name"): file.get("uri", "") for file in result.get("testActionOutput", [])}
        found = list(skips_of_googletest(read_file(files["test.xml"]))) if "test.xml" in files else []
        if not found and "test.log" in files:
            found = list(skips_of_script(read_file(files["test.log"])))
        for case, reason in found:
            cases = self.skips.setdefault((label, reason), [])
            if case not in cases:
                cases.append(case)


def main(arguments):
    if "-h" in arguments or "--help" in arguments:
        print(__doc__.strip())
        return 0
    if len(arguments) != 2 or not arguments[1].isdigit():
        print("tools/count_tests.py: give a file of events and Bazel's exit code; see --help.", file=sys.stderr)
        return 2
    outcome = Outcome()
    for event in read_events(arguments[0]):
        outcome.see(event)

    passed, failed = 0, 0
    for label in sorted(outcome.tests):
        status = outcome.status.get(label)
        if status in TEST_ENDS_WELL:
            passed += 1
        elif status:
            failed += 1
            print(f"failed: {label}: {status.lower().replace('_', ' ')}")
        else:
            print(f"skipped: {label}: {outcome.left_out.get(label, 'it was not run')}")
    for (label, reason), cases in sorted(outcome.skips.items()):
        count = f"{len(cases)} of its tests, {cases[0]} first" if len(cases) > 1 else cases[0]
        print(f"skipped: {label}: {reason}{f' ({count})' if count else ''}")
    if failed == 0 and int(arguments[1]) not in BUILD_ENDS_WELL:
        failed = 1
        print(f"failed: the build itself (bazel ended with {arguments[1]})")
    elif failed == 0 and int(arguments[1]) == 3:
        failed = 1
        print("failed: bazel says that a test failed and does not say which")
    print(f"{passed} passed, {failed} failed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
