"""lwt's version. Release: raise it, add to CHANGELOG.md, commit, tools/release lwt."""

NAME = "lwt"
VERSION = "0.2.0"
REQUIRES = {"topo": ">=0.1,<0.2"}
