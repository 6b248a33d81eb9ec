"""The record of instruction counts (perf/instructions.txt): one line per scenario with its count and the reason why the count last
changed. A count may rise by 2 %; above that the check fails until the record is written again with a reason."""

RISE = 1.02     # a count above this multiple of its record fails
SAME = 0.002    # counts that differ by less than this share are the same count
HEAD = """\
# Instructions of one message, round trip, request, completion or poll: perf/instructions.sh --check perf/instructions.txt
# After a change: perf/instructions.sh --write perf/instructions.txt [--reason "why the counts have changed"]
"""
FIRST = "first record"


class Record:
    """`built` says which compiler and options the counts are of; `rows` maps a scenario to (count, reason)."""

    def __init__(self):
        self.built, self.rows = "", {}

    @classmethod
    def read(cls, path):
        with open(path, encoding="utf-8") as f:
            return cls.parse(f.read())

    @classmethod
    def parse(cls, text):
        """Raises ValueError for a line that is neither a comment, the build nor a scenario with count and reason."""
        found = cls()
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("built:"):
                found.built = line[len("built:"):].strip()
                continue
            words = line.split(None, 2)
            if len(words) != 3 or words[0] in found.rows:
                raise ValueError(f"line {number}: not a new scenario, a count and a reason: {line}")
            found.rows[words[0]] = (float(words[1]), words[2])
        return found

    def text(self):
        lines = [f"{name:<26} {count:>12.1f}  {reason}\n" for name, (count, reason) in self.rows.items()]
        return HEAD + f"built: {self.built}\n" + "".join(lines)

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.text())

    def compare(self, counts):
        """Returns a sentence for each count that is not the recorded one; those that fail begin with FAIL."""
        found = []
        for name, count in counts.items():
            if name not in self.rows:
                found.append(f"FAIL {name}: {count} instructions, and no record")
                continue
            was = self.rows[name][0]
            change = f"{name}: {count} instructions, {100 * (count / was - 1):+.1f} % against the record of {was}"
            if count > was * RISE:
                found.append(f"FAIL {change}")
            elif count < was / RISE:
                found.append(f"lower {change}; --write keeps the gain")
        return found

    def update(self, counts, built, reason=None):
        """Takes new counts and keeps the reasons of those that are unchanged. Without a reason, changes nothing and returns
        one complaint for each count that has risen too much. Counts of another build are not compared."""
        reason = " ".join(reason.split()) if reason else None
        if reason is None and built == self.built:
            risen = [f"{c}: give --reason" for c in self.compare(counts) if c.startswith("FAIL") and c.split()[1][:-1] in self.rows]
            if risen:
                return risen
        for name, count in counts.items():
            was, why = self.rows.get(name, (0, FIRST))
            changed = abs(count - was) > SAME * was
            self.rows[name] = (count, reason if changed and reason else why)
        self.built = built
        return []
