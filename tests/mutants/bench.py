"""A copy of the project in which faults are planted, built and tested."""
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD_SECONDS = 900


def copy_tree(to):
    """Copies the files of the project, including uncommitted changes and new files."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True,
                           check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if os.path.isfile(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(to, name))


class Bench:
    def __init__(self, tree, folder="build"):
        self.tree, self.build = tree, os.path.join(tree, folder)
        self.log = ""

    def run(self, command, seconds):
        """Runs a command and returns its exit status, or None after a timeout. `log` is the output
        of the last command; with several threads, of any of them."""
        try:
            done = subprocess.run(command, cwd=self.tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                                  check=False)
        except subprocess.TimeoutExpired:
            return None
        self.log = done.stdout.decode(errors="replace")
        return done.returncode

    def setup(self, *options):
        return self.run(["meson", "setup", *options, self.build], BUILD_SECONDS) == 0

    def ninja(self, targets):
        return self.run(["ninja", "-C", self.build, *targets], BUILD_SECONDS) == 0

    def tail(self):
        return self.log.splitlines()[-20:]

    def read(self, name):
        with open(os.path.join(self.tree, name), encoding="utf-8") as f:
            return f.read()

    def write(self, name, text):
        with open(os.path.join(self.tree, name), "w", encoding="utf-8") as f:
            f.write(text)
