"""llcl's version. Release: raise it, add to CHANGELOG.md, commit, tools/release llcl."""

NAME = "llcl"
VERSION = "0.2.0"
REQUIRES = {"topo": ">=0.1,<0.2"}
