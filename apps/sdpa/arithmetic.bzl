"""The rules of tools/library.bzl for code with pairs of doubles (linear/double_double.h).

These are exact where each product and each sum is rounded by itself. Where a processor multiplies and adds in one, as all 64-bit
Arm do, gcc joins them unless it is told not to; who depends on //apps/sdpa:solver does not read our .bazelrc.
"""

load("//tools:library.bzl", _code = "code", _program = "program", _room = "room", _test = "test")

_COPTS = ["-ffp-contract=off"]

def code(copts = [], **kwargs):
    _code(copts = _COPTS + copts, **kwargs)

def room(copts = [], **kwargs):
    _room(copts = _COPTS + copts, **kwargs)

def program(copts = [], **kwargs):
    _program(copts = _COPTS + copts, **kwargs)

def test(copts = [], **kwargs):
    _test(copts = _COPTS + copts, **kwargs)
