"""Runs the programs of the workspace for the papers' rows: each command once, its JSON for whoever asks again."""

import json
import shlex
import subprocess
import tempfile

from verdicts import Failure

SECONDS = 1800  # Of a program; the longest row takes some minutes.
TARGETS = {"topo": "//topo/cli:topo", "matmul": "//apps/matmul", "cholesky": "//apps/cholesky", "simpath": "//apps/simpath",
           "bfs": "//apps/bfs", "sdpa": "//apps/sdpa", "stencil": "//apps/stencil", "stream": "//apps/stream", "predict": "//apps/predict",
           "rma": "//apps/rma", "report": "//apps/report"}


def last_line(errors):
    return (errors.strip() or "no reason given").splitlines()[-1].rstrip(".")


class Programs:
    """A resource: the built programs. `commands` has what was run since it was last emptied, as a user types it."""

    def __init__(self, root, options=()):
        self.root = root
        self.commands = []
        self._options = options
        self._answers = {}
        built = subprocess.run(["bazel", "build", "-c", "opt", *options, *TARGETS.values()], cwd=root, capture_output=True,
                               text=True, check=False)
        if built.returncode != 0:
            raise Failure(f"the programs cannot be built: {last_line(built.stderr)}")
        self._bin = self._info("bazel-bin", options)

    def _info(self, key, options):
        return subprocess.run(["bazel", "info", "-c", "opt", *options, key], cwd=self.root, capture_output=True, text=True,
                              check=True).stdout.strip()

    def text(self, program, *flags):
        """What the program writes to standard output."""
        target = TARGETS[program]
        command = f"bazel run -c opt {target} -- {shlex.join(flags)}"
        if command not in self.commands:
            self.commands.append(command)
        if command not in self._answers:
            folder, _, name = target[2:].partition(":")
            path = f"{self._bin}/{folder}/{name or folder.rsplit('/', 1)[-1]}"
            try:
                answer = subprocess.run([path, *flags], cwd=self.root, capture_output=True, text=True, check=False, timeout=SECONDS)
            except subprocess.TimeoutExpired as error:
                raise Failure(f"`{command}` did not end within {SECONDS} s") from error
            if answer.returncode != 0:
                raise Failure(f"`{command}` failed: {last_line(answer.stderr)}")
            self._answers[command] = answer.stdout
        return self._answers[command]

    def figure(self, program, *flags):
        """What the program draws with --svg."""
        with tempfile.NamedTemporaryFile("r", suffix=".svg", encoding="utf-8") as file:
            self.text(program, *flags, f"--svg={file.name}")
            # The program has put another file in its place.
            with open(file.name, encoding="utf-8") as svg:
                return svg.read()

    def passes(self, target):
        """Whether a test passes."""
        command = f"bazel test {target}"
        self.commands.append(command)
        if command not in self._answers:
            answer = subprocess.run(["bazel", "test", *self._options, target], cwd=self.root, capture_output=True, text=True,
                                    check=False, timeout=SECONDS)
            # 3: it was built, and did not pass.
            if answer.returncode not in (0, 3):
                raise Failure(f"`{command}` failed: {last_line(answer.stderr)}")
            self._answers[command] = answer.returncode == 0
        return self._answers[command]

    def json(self, program, *flags):
        """topo's --format=json."""
        return json.loads(self.text(program, *flags))

    def results(self, program, *flags):
        """The rows of a program's --json=-."""
        return self.json(program, *flags, "--json=-")["results"]
