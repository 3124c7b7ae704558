#!/usr/bin/env python3
"""tools/release: what a release's files say, and what it refuses, in a small tree of its own."""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

TOOL = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../release"))


def load():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("release", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
    loader.exec_module(module)
    return module


release = load()

TREE = {
    "far/version.bzl": 'NAME = "far"\nVERSION = "0.3.1"\nREQUIRES = {"near": ">=0.2,<0.3"}\n',
    "far/CHANGELOG.md": "# far changelog\n\n## 0.3.1 (2026-01-02)\n\n- It is.\n",
    "far/BUILD": 'load("//near:version.bzl", "VERSION")\ndeps = ["//near", "//nearby", "//near/x:y", "//far:parts", "@z//near"]\n',
    "near/version.bzl": 'NAME = "near"\nVERSION = "0.2.4"\nREQUIRES = {}\n',
    "near/CHANGELOG.md": "# near changelog\n\n## 0.2.4 (in the making)\n",
    "near/BUILD": "",
    "MODULE.bazel": 'module(\n    name = "vicinity",\n    version = "0.1.0",\n)\n\nbazel_dep(name = "rules_cc", version = "0.0.9")\n\ndependencies = 1\n',
    "third_party/required.bzl": '"""Doc."""\n\nREQUIRED = {}\n',
    "tools/test": "#!/bin/sh\n",
    "tools/api": "#!/bin/sh\n",
    "toolsmith/BUILD": "",
    "tools/demo": "#!/bin/sh\n",
    "tools/tests/BUILD": "",
    "apps/BUILD": "",
    "LICENSE": "law\n",
}


class Rules(unittest.TestCase):
    def test_labels_of_required_libraries_alone_lead_to_their_repositories(self):
        self.assertEqual(
            release.rewrite_labels('"//near" "//near:x" "$(location //near/y:z)" "//nearby" "@a//near" "//far"', {"near": ""}),
            '"@vicinity_near//near" "@vicinity_near//near:x" "$(location @vicinity_near//near/y:z)" "//nearby" "@a//near" "//far"')
        self.assertEqual(release.rewrite_labels('"//far"', {}), '"//far"')

    def test_the_lowest_version_of_a_range(self):
        self.assertEqual(release.least(">=0.1,<0.2"), "0.1.0")
        self.assertEqual(release.least("<2,>=1.4.2"), "1.4.2")
        with self.assertRaisesRegex(release.Refusal, "'<2' names no lowest version"):
            release.least("<2")

    def test_a_section_without_a_date_is_no_release(self):
        self.assertTrue(release.is_released("# x\n\n## 0.1.0 (2026-11-24)\n", "0.1.0"))
        for heading in ["## 0.1.0 (in the making)", "## 0.1.0", "## 0.1.01 (2026-11-24)", "## 0x1.0 (2026-11-24)"]:
            self.assertFalse(release.is_released(f"# x\n\n{heading}\n", "0.1.0"), heading)

    def test_changes_that_wait_above_the_last_release_are_no_release(self):
        waiting = "# x\n\n## Unreleased\n\n- breaks all\n\n## 0.1.0 (2026-11-24)\n"
        self.assertFalse(release.is_released(waiting, "0.1.0"))

    def test_the_same_files_give_the_same_bytes(self):
        packed = {"b": (b"2", 0o755), "a": (b"1", 0o644)}
        self.assertEqual(release.tarball("x", packed, 7), release.tarball("x", dict(reversed(packed.items())), 7))


class InATree(unittest.TestCase):
    def setUp(self):
        self.tree = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.tree)
        for path, text in TREE.items():
            self.write(path, text)
        for tool in ("test", "api"):
            os.chmod(os.path.join(self.tree, "tools", tool), 0o755)
        shutil.copy(TOOL, os.path.join(self.tree, "tools/release"))
        for arguments in [("init", "-q"), ("config", "user.name", "x"), ("config", "user.email", "x@example.org")]:
            self.git(*arguments)
        self.commit()

    def write(self, path, text):
        full = os.path.join(self.tree, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.tree, check=True, timeout=60, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def release(self, *arguments):
        output = tempfile.mkdtemp(dir=self.tree, prefix=".git/")
        answer = subprocess.run([os.path.join(self.tree, "tools/release"), f"--output={output}", *arguments],
                                text=True, capture_output=True, check=False, timeout=60)
        return answer, [os.path.join(output, name) for name in sorted(os.listdir(output))]

    def refused(self, sentence, *arguments):
        answer, files = self.release(*arguments)
        self.assertEqual((answer.returncode, files, answer.stdout), (2, [], ""))
        self.assertEqual(answer.stderr, f"tools/release: {sentence}\n")

    def test_a_tarball_has_the_library_alone_as_a_module_and_repository_of_its_own_name(self):
        answer, files = self.release("far")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("git tag -a far-0.3.1", answer.stdout)
        with tarfile.open(files[0]) as archive:
            texts = {entry.name: archive.extractfile(entry).read().decode() for entry in archive}
            self.assertEqual(archive.getmember("vicinity_far-0.3.1/tools/test").mode, 0o755)
        inside = "vicinity_far-0.3.1/"
        self.assertEqual(sorted(name[len(inside):] for name in texts), [
            "LICENSE", "MODULE.bazel", "README.md", "WORKSPACE", "far/BUILD", "far/CHANGELOG.md", "far/version.bzl",
            "third_party/required.bzl", "tools/test"])
        self.assertIn('name = "vicinity_far",\n    version = "0.3.1"', texts[inside + "MODULE.bazel"])
        self.assertIn('bazel_dep(name = "vicinity_near", version = "0.2.0")', texts[inside + "MODULE.bazel"])
        for file in ("WORKSPACE", "MODULE.bazel"):
            self.assertIn('path = "../vicinity_near-0.2.4"', texts[inside + file])
        self.assertIn('REQUIRED = {"near": ">=0.2,<0.3"}', texts[inside + "third_party/required.bzl"])
        self.assertIn('["@vicinity_near//near", "//nearby", "@vicinity_near//near/x:y", "//far:parts", "@z//near"]',
                      texts[inside + "far/BUILD"])

    def test_a_changed_tree_is_refused(self):
        self.write("far/new.cc", "")
        self.refused("the tree has changes; commit them first, for a release is a commit.", "far")

    def test_a_changelog_in_the_making_is_refused(self):
        self.refused("near/CHANGELOG.md has no section `## 0.2.4 (YEAR-MONTH-DAY)`.", "near")

    def test_a_tag_that_exists_is_refused(self):
        self.git("tag", "far-0.3.1")
        self.refused("the tag far-0.3.1 exists; raise VERSION in far/version.bzl.", "far")

    def test_a_change_that_needs_a_higher_version_is_refused(self):
        self.git("tag", "far-0.3.0")
        self.write("tools/api", "#!/bin/sh\n[ $# = 1 ] || { echo needs 0.4.0 && exit 1; }\n")
        self.commit()
        self.refused("`tools/api --since=far-0.3.0 far` says: needs 0.4.0", "far")

    def test_a_list_of_declarations_that_is_old_is_refused(self):
        self.write("tools/api", "#!/bin/sh\necho \"$1: Gone\"\nexit 1\n")
        self.commit()
        self.refused("`tools/api far` says: far: Gone", "far")

    def test_what_is_no_library_is_refused(self):
        self.refused("there is no apps/version.bzl, so 'apps' is no library of this workspace.", "apps")
        self.refused("there is no ./far/version.bzl, so './far' is no library of this workspace.", "./far")
        self.refused("the following arguments are required: library; see --help.")
        self.refused("unrecognized arguments: --quick; see --help.", "far", "--quick")

    def test_a_trial_packs_the_folder_as_it_is(self):
        self.write("near/new.cc", "")
        answer, files = self.release("near", "--trial")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        with tarfile.open(files[0]) as archive:
            self.assertIn("vicinity_near-0.2.4/near/new.cc", archive.getnames())


if __name__ == "__main__":
    unittest.main()
