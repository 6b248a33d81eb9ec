"""usage: check_source.py ROOT

Applies every rule of source.py to the tree, and prints TAP."""
import functools
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import source  # noqa: E402
import tap  # noqa: E402

tree = source.Tree(sys.argv[1])
tap.run([(rule.__name__, functools.partial(rule, tree)) for rule in source.RULES])
