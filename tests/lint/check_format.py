"""usage: check_format.py ROOT      every rule of layout.py over the tree, as TAP"""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import layout  # noqa: E402
import source  # noqa: E402
import tap  # noqa: E402

tree = source.Tree(sys.argv[1])


def check(rule):
    try:
        return rule(tree)
    except layout.Missing as why:
        raise tap.Skip(why) from None


tap.run([(rule.__name__, lambda r=rule: check(r)) for rule in layout.RULES])
