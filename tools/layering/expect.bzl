"""A test of what Starlark functions return."""

def _impl(ctx):
    lines = ["#!/bin/sh"]
    if len(ctx.attr.actual) != len(ctx.attr.expected):
        lines.append("echo 'different lengths'; failed=1")
    for i in range(min(len(ctx.attr.actual), len(ctx.attr.expected))):
        actual, expected = ctx.attr.actual[i], ctx.attr.expected[i]
        if actual != expected:
            lines.append("cat <<'END'\nexpected: {}\n  actual: {}\nEND\nfailed=1".format(expected, actual))
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "\n".join(lines + ["exit ${failed:-0}", ""]), is_executable = True)
    return [DefaultInfo(executable = script)]

expectations_test = rule(
    doc = "Passes when each string of `actual` equals the one of `expected` beside it.",
    implementation = _impl,
    test = True,
    attrs = {"actual": attr.string_list(), "expected": attr.string_list()},
)
