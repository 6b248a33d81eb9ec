"""Builds a library that differs from the build's in one changed source file, and runs tests with
it."""
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile

LIBRARY = "provider/libsoftrnic.so"
WAIT_MS = "5000"  # milliseconds until a test gives up waiting for an event


def replaced(root, fault):
    """The text of the fault's file with the fault in it. ValueError if `text` does not occur
    exactly once."""
    with open(os.path.join(root, fault.file), encoding="utf-8") as f:
        text = f.read()
    if text.count(fault.text) != 1:
        raise ValueError(f"{fault.file}: the text occurs {text.count(fault.text)} times, not once: {fault.text!r}")
    if fault.text == fault.instead:
        raise ValueError(f"{fault.file}: nothing changes")
    return text.replace(fault.text, fault.instead)


def without_lto(words):
    """A command without link-time optimisation, which would take longer than all the rest."""
    return [word for word in words if word not in ("-flto", "-flto=auto", "-ffat-lto-objects")]


class Bench:
    """The commands of a build: how each file is compiled and the library linked. Several threads
    may use one bench."""

    def __init__(self, root, build):
        self.root, self.build = os.path.abspath(root), os.path.abspath(build)
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as f:
            self.compilations = json.load(f)
        with open(os.path.join(self.build, "meson-info/intro-tests.json"), encoding="utf-8") as f:
            self.tests = {t["name"]: t for t in json.load(f)}
        self.link = self._link_command()

    def _link_command(self):
        """The command that links the library, as a list of words."""
        built = os.path.relpath(os.path.realpath(os.path.join(self.build, LIBRARY)), self.build)
        commands = subprocess.run(["ninja", "-C", self.build, "-t", "commands", built], capture_output=True, text=True, check=True)
        lines = [line for line in commands.stdout.splitlines() if f" -o {built} " in line]
        return without_lto(shlex.split(lines[-1]))

    def _source(self, entry):
        return os.path.normpath(os.path.join(entry["directory"], entry["file"]))

    def _affected(self, path):
        """The compilations to repeat: the file itself, or for a header all files of its folder;
        only files of the library."""
        archives = tuple(word + ".p/" for word in self.link if word.endswith(".a"))
        inside = [e for e in self.compilations if e["output"].startswith(archives)]
        if path.endswith(".c"):
            return [e for e in inside if self._source(e) == path]
        return [e for e in inside if os.path.dirname(self._source(e)) == os.path.dirname(path)]

    def _run(self, words, seconds=300):
        done = subprocess.run(words, cwd=self.build, capture_output=True, text=True, timeout=seconds, check=False)
        if done.returncode != 0:
            raise ValueError("does not build: " + " ".join(words[:1]) + "\n" + done.stderr[-2000:])

    def plant(self, fault, folder):
        """Makes folder/libsoftrnic.so.0 with the fault. ValueError if the text is missing or the
        file does not compile."""
        path = os.path.join(self.root, fault.file)
        text = replaced(self.root, fault)
        # `folder` gets links to the other files of the source's folder, and folder/rooms/NAME is a
        # link to `folder`, so that an include "NAME/header.h" finds the changed file.
        room = os.path.basename(os.path.dirname(path))
        for name in os.listdir(os.path.dirname(path)):
            if name != os.path.basename(path) and name.endswith((".c", ".h")):
                os.symlink(os.path.join(os.path.dirname(path), name), os.path.join(folder, name))
        os.mkdir(os.path.join(folder, "rooms"))
        os.symlink(folder, os.path.join(folder, "rooms", room))
        with open(os.path.join(folder, os.path.basename(path)), "w", encoding="utf-8") as f:
            f.write(text)
        entries = self._affected(path)
        if not entries:
            raise ValueError(f"{fault.file} is not part of the library")
        objects = {}
        for e in entries:
            made = os.path.join(folder, os.path.basename(self._source(e)) + ".o")
            words = without_lto(shlex.split(e["command"]))
            words[words.index("-c") + 1] = os.path.join(folder, os.path.basename(self._source(e)))
            words[words.index("-o") + 1] = made
            for flag in ("-MQ", "-MF"):
                del words[words.index(flag):words.index(flag) + 2]
            words.remove("-MD")
            words.insert(next(at for at, word in enumerate(words) if word.startswith("-I")), "-I" + os.path.join(folder, "rooms"))
            self._run(words + ["-w"])
            objects[e["output"]] = made
        self._run(self._relink(objects, os.path.join(folder, "libsoftrnic.so.0")))

    def _relink(self, objects, out):
        words = list(self.link)
        words[words.index("-o") + 1] = out
        for output in objects:
            archive = output.split(".p/")[0]
            if archive in words:
                members = [e["output"] for e in self.compilations if e["output"].startswith(archive + ".p/")]
                at = words.index(archive)
                words[at:at + 1] = [objects.get(m, m) for m in members]
        return words

    def run_test(self, program, test, folder, seconds):
        """Runs one test; returns None if it passed, else the failure in a few words. ValueError
        if it did not start."""
        command = self.tests[program]["cmd"]
        env = dict(os.environ, **self.tests[program]["env"])
        env.update(ND2_ONLY=test, ND2_WAIT_MS=WAIT_MS, CMOCKA_MESSAGE_OUTPUT="TAP", LD_LIBRARY_PATH=folder or "")
        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen(command, env=env, cwd=self.build, stdin=subprocess.DEVNULL, stdout=out,
                                     stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = child.wait(seconds)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                child.wait()
            out.seek(0)
            said = out.read().decode(errors="replace")
        if status is None:
            return f"does not end in {seconds:.0f} s"
        if status == 0 and re.search(rf"^ok \d+ - {test}\b", said, re.M):
            return None
        if status < 0:
            return f"ends by {signal.Signals(-status).name}"
        if "GROUP SETUP" in said:  # cmocka's message if the setup of the group failed
            raise ValueError(f"{test} is not reached: {said[-500:]}")
        why = re.search(r"^# (?!ok - )(\S.*)", said, re.M)
        return why.group(1) if why else f"exit status {status}"
