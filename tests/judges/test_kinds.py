"""usage: test_kinds.py WRITE_FRAMES WRITE_TRAFFIC...

Checks that the captures for the judges have frames of every kind in the tables of the code. Prints
TAP."""
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import kinds  # noqa: E402
import tap  # noqa: E402

WRITE_FRAMES, *WRITE_TRAFFIC = sys.argv[1:]


def known():
    """Returns {kind: name} from the tables of the code."""
    said = subprocess.run([WRITE_FRAMES, "--kinds"], check=True, capture_output=True, text=True).stdout
    return dict(line.split("\t") for line in said.splitlines())


def made_by(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.pcap")
        subprocess.run([program, path], check=True)
        return kinds.kinds_in(path)


def compare(programs, excused):
    """Returns complaints: kinds missing without an exception, exceptions for kinds that are there,
    unknown kinds."""
    names, made = known(), set().union(*map(made_by, programs))
    bad = [f"{kind} {name}: no frame" for kind, name in names.items() if kind not in made and kind not in excused]
    bad += [f"{kind} {names[kind]}: there is one, though excused: {why}" for kind, why in excused.items() if kind in made]
    return bad + [f"{kind}: not in the code's tables" for kind in made if kind not in names]


def every_kind_is_built():
    return compare([WRITE_FRAMES], kinds.NOT_BUILT)


def every_kind_is_sent():
    return compare(WRITE_TRAFFIC, {**kinds.NOT_BUILT, **kinds.NOT_SENT})


def there_are_many():
    return [] if len(known()) > 50 else [f"only {len(known())} kinds"]


tap.run([(f.__name__, f) for f in (there_are_many, every_kind_is_built, every_kind_is_sent)])
