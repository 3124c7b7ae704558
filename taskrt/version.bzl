"""taskrt's version. Release: raise it, add to CHANGELOG.md, commit, tools/release taskrt."""

NAME = "taskrt"
VERSION = "0.2.0"
REQUIRES = {"lwt": ">=0.2,<0.3", "topo": ">=0.1,<0.2"}
