"""topo's version. Release: raise it, add to CHANGELOG.md, commit, tools/release topo."""

NAME = "topo"
VERSION = "0.1.1"
REQUIRES = {}
