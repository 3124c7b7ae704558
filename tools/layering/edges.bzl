"""Which library may depend on which, and the three functions that refuse the rest.

The picture is lwt->topo, llcl->topo, dsm->{llcl,topo}, taskrt->{lwt,topo}; each
library says its own edges in version.bzl. `edge_error` reads the deps as they
are written, at load time; `edges_test` walks the graph as it is resolved, and
so sees an edge that hides in a select() or behind another target.
"""

LIBRARIES = ["topo", "lwt", "llcl", "dsm", "taskrt"]

def library_of(dep):
    """The library that a written label leads to, or None.

    In the whole tree that is `//topo...` or `@vicinity//topo...`, in the release of
    another library `@vicinity_topo//topo...` (tools/release).
    """
    repository, slashes, rest = dep.partition("//")
    if not slashes or repository not in ["", "@vicinity"] + ["@vicinity_" + library for library in LIBRARIES]:
        return None
    first = rest.split(":")[0].split("/")[0]
    return first if first in LIBRARIES else None

def edge_error(name, requires, deps):
    """Says which written dep leaves the allowed edges, or None."""
    if type(deps) != "list":
        return None  # A select(): the edges_test sees what it resolves to.
    for dep in deps:
        if dep.replace("@vicinity//", "//").startswith("//apps"):
            return "{}: may not depend on {}: libraries do not know the programs.".format(name, dep)
        library = library_of(dep)
        if library and library != name and library not in requires:
            return "{}: may not depend on {}: {}/version.bzl does not name {} in REQUIRES.".format(name, dep, name, library)
    return None

def _number(version):
    parts = [int(part) for part in version.split(".")]
    return [parts[i] if i < len(parts) else 0 for i in range(3)]

def range_error(name, library, versions, found):
    """Says how `found` leaves the range `versions` (as '>=0.1,<0.2'), or None."""
    if not found:
        return "{}: requires {} {}, and its VERSION was not given.".format(name, library, versions)
    for bound in versions.split(","):
        if bound.startswith(">="):
            good = _number(found) >= _number(bound[2:])
        elif bound.startswith("<"):
            good = _number(found) < _number(bound[1:])
        else:
            return "{}: the range '{}' of {} has a bound that is neither '>=' nor '<'.".format(name, versions, library)
        if not good:
            return "{}: requires {} {}, found {}.".format(name, library, versions, found)
    return None

Edges = provider(doc = "Edges between libraries.", fields = {"edges": "depset of 'from -> to (label)' strings"})

def _collect_impl(target, ctx):
    here = ctx.label.package.split("/")[0]
    own = []
    inherited = []
    for attribute in ["deps", "implementation_deps", "data", "srcs"]:
        for dep in getattr(ctx.rule.attr, attribute, []):
            if Edges in dep:
                inherited.append(dep[Edges].edges)
            # In a release the others are repositories of their own, whose names modules lengthen (vicinity_topo~).
            there = dep.label.workspace_name
            if there == ctx.label.workspace_name or there.startswith("vicinity_"):
                there = dep.label.package.split("/")[0]
                if there != here and (there in LIBRARIES or there == "apps"):
                    own.append("{} -> {} ({})".format(here, there, dep.label))
    return [Edges(edges = depset(own, transitive = inherited))]

_collect = aspect(implementation = _collect_impl, attr_aspects = ["deps", "implementation_deps", "data", "srcs"])

def _edges_test_impl(ctx):
    bad = [
        edge
        for edge in ctx.attr.target[Edges].edges.to_list()
        if edge.startswith(ctx.attr.library + " -> ") and
           edge.split(" -> ")[1].split(" ")[0] not in ctx.attr.requires
    ]
    lines = ["#!/bin/sh"] + ["echo 'edge not in REQUIRES: {}'".format(edge) for edge in bad]
    if ctx.attr.refuses:
        good = len([edge for edge in bad if " -> {} ".format(ctx.attr.refuses) in edge]) > 0
        lines.append("echo 'expected it to refuse an edge to {}'".format(ctx.attr.refuses))
    else:
        good = not bad
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "\n".join(lines + ["exit {}".format(0 if good else 1), ""]), is_executable = True)
    return [DefaultInfo(executable = script)]

edges_test = rule(
    doc = "Fails when the resolved graph under `target` has an edge of `library` that `requires` does not name.",
    implementation = _edges_test_impl,
    test = True,
    attrs = {
        "target": attr.label(aspects = [_collect], mandatory = True),
        "library": attr.string(mandatory = True),
        "requires": attr.string_list(),
        "refuses": attr.string(doc = "Turns the test around: it passes when an edge to this library is refused."),
    },
)
