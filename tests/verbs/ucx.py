"""ucx_perftest over ud_verbs. UCX ignores a device without a character device /dev/infiniband/uverbs*, so each process gets a /dev of
its own, in a mount namespace, in which that name is /dev/null. UCX drops datagrams whose completion does not tell the IP header."""
import functools
import os
import re
import subprocess

import tap
from verbs import case, need, pair

# The words behind the script are those of ucx_perftest.
SCRIPT = """
folder=$(mktemp -d)
mount --rbind /dev $folder
mount -t tmpfs none /dev
mkdir /dev/infiniband /dev/shm
for name in null zero full random urandom; do touch /dev/$name; mount --bind $folder/$name /dev/$name; done
mount --bind $folder/shm /dev/shm
touch /dev/infiniband/uverbs0
mount --bind $folder/null /dev/infiniband/uverbs0
umount -l $folder
rmdir $folder
UCX_TLS=ud_verbs,self UCX_NET_DEVICES=softrnic0:1 exec ucx_perftest "$@"
"""
ALONE = ["unshare", "-m" if os.geteuid() == 0 else "-rm"]


def play(words, idle, build):
    need("ucx_perftest")
    need(ALONE[0])
    if subprocess.run([*ALONE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False).returncode:
        raise tap.Skip("no mount namespaces here")
    bad, _, text = pair(build, [*ALONE, "sh", "-ec", SCRIPT, "ucx", *words.split()], idle=idle)
    if not bad and not re.search(r"^Final: +\d+ ", text, re.M):
        bad = [f"ucx_perftest {words}: no result: {line}" for line in text.splitlines()[-6:]]
    return bad


case(functools.partial(play, "-t tag_lat -n 1000 -s 100", "inline"), name="ucx_ud_lat")
case(functools.partial(play, "-t tag_bw -n 200 -s 100000", "inline"), core=False, name="ucx_ud_bw")
case(functools.partial(play, "-t tag_lat -n 1000 -s 3000", "adaptive"), core=False, name="ucx_ud_lat_adaptive")
