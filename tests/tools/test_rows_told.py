"""usage: test_rows_told.py RN_CONFORM README

Prints TAP: README.md has the number of rows that rn_conform plays."""
import os
import re
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import tap  # noqa: E402


def rows_told():
    listed = subprocess.run([sys.argv[1], "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    with open(sys.argv[2], encoding="utf-8") as f:
        told = re.findall(r"`rn_conform`\s+plays\s+(\d+)", f.read())
    return [] if told == [str(len(listed))] else [f"rn_conform plays {len(listed)} rows, README.md says {told}"]


if __name__ == "__main__":
    tap.run([("the number of rows", rows_told)])
