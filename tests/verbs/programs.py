"""The C programs of this folder: most under each idle policy."""
import functools
import os

from verbs import Folder, case, run


def play(name, idle, build):
    with Folder() as f:
        status, out, err = run(build, os.path.join(build, "tests", "verbs", "verbs_" + name), config=f.rings(idle))
    return [f"ends with {status}: {line}" for line in (out + err).splitlines()[-20:]] if status else []


for program in ("datagram", "ending", "events", "memory", "objects", "post_ex", "srq", "traffic", "ucma", "ucma_answers", "window"):
    for policy in ("inline", "adaptive", "poll"):
        case(functools.partial(play, program, policy), core=policy != "poll", name=f"{program}_{policy}")
case(functools.partial(play, "paths", "inline"), name="paths")
