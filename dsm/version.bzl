"""dsm's version. Release: raise it, add to CHANGELOG.md, commit, tools/release dsm."""

NAME = "dsm"
VERSION = "0.2.0"
REQUIRES = {"llcl": ">=0.2,<0.3", "topo": ">=0.1,<0.2"}
