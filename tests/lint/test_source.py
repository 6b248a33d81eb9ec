"""Tests that every rule of source.py complains about bad examples and accepts good ones. Prints
TAP."""
import os
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import source  # noqa: E402
import tap  # noqa: E402

HEADERS = {"dataplane/base/list.h": "/* */\n", "dataplane/wire/pkt.h": "/* */\n", "dataplane/core/shard/core.h": "/* */\n",
           "dataplane/port/port.h": "/* */\n", "dataplane/nic/nic.h": "/* */\n", "config/config.h": "/* */\n",
           "provider/os/event.h": "/* */\n", "include/rn/abi.h": "/* */\n",
           "compat/src/text.h": "/* */\n", "compat/include/windef.h": "/* */\n"}


def c(body):
    return "/* Answers a question. */\n" + body


def arrow(includer, header):
    return {**HEADERS, includer: c(f'#include "{header}"\n')}


def function(lines):
    return c("int f(void)\n{\n" + "\tg();\n" * lines + "}\n")


UNFINISHED = "TO" + "DO"

PAGED = {**HEADERS, "dataplane/core/qp/x.c": c("static void rn_here(int a)\n{\n\tcalled_only();\n}\n")}

# (rule, files as path: text). A row of BAD must cause at least one complaint, a row of GOOD none.
BAD = [
    ("include_directions", arrow("dataplane/base/x.c", "wire/pkt.h")),
    ("include_directions", arrow("dataplane/wire/x.c", "shard/core.h")),
    ("include_directions", arrow("dataplane/core/qp/x.c", "port/port.h")),
    ("include_directions", arrow("dataplane/core/qp/x.c", "../../port/port.h")),
    ("include_directions", arrow("dataplane/port/x.c", "nic/nic.h")),
    ("include_directions", arrow("provider/nd2/x.c", "base/list.h")),
    ("include_directions", arrow("provider/nd2/x.c", "nic/nic.h")),
    ("include_directions", arrow("dataplane/core/qp/x.c", "event.h")),
    ("include_directions", arrow("config/x.c", "rn/abi.h")),
    ("include_directions", arrow("config/x.c", "wire/pkt.h")),
    ("include_directions", arrow("dataplane/core/qp/x.c", "config/config.h")),
    ("include_directions", arrow("include/rn/link.h", "base/list.h")),
    ("include_directions", arrow("compat/src/x.c", "event.h")),
    ("include_directions", arrow("compat/src/x.c", "../../provider/os/event.h")),
    ("include_directions", arrow("provider/nd2/x.c", "../../compat/src/text.h")),
    ("include_directions", arrow("include/rn/link.h", "../../compat/include/windef.h")),
    ("includes_name_their_folder", arrow("dataplane/port/x.c", "port.h")),
    ("includes_name_their_folder", arrow("dataplane/port/x.c", "../base/list.h")),
    ("dpdk_stays_in_its_folders", {"dataplane/core/qp/x.c": c("#include <rte_mbuf.h>\n")}),
    ("dpdk_stays_in_its_folders", {"provider/nd2/x.c": c("#include <rte_eal.h>\n")}),
    ("dpdk_stays_in_its_folders", {"include/rn/x.h": c("struct rte_mbuf *m;\n")}),
    ("dpdk_stays_in_its_folders", {"dataplane/core/meson.build": "core = library('core', dependencies: dpdk_dep)\n"}),
    ("pure_folders_include_little", {"dataplane/core/qp/x.c": c("#include <pthread.h>\n")}),
    ("pure_folders_include_little", {"dataplane/base/x.c": c("#include <time.h>\n")}),
    ("files_are_short", {"a.c": c("int x;\n" * 800)}),
    ("files_are_short", {"a.py": "x = 1\n" * 801}),
    ("functions_are_short", {"a.c": function(81)}),
    ("no_unfinished_work", {"a.c": c(f"/* {UNFINISHED}: later */\n")}),
    ("no_unfinished_work", {"docs/x.md": f"{UNFINISHED}\n"}),
    ("folders_have_readmes", {"a/b.c": c("")}),
    ("folders_have_readmes", {"a/README.md": "x\n", "a/b/c/README.md": "x\n"}),
    ("folders_have_readmes", {"a/b.c": c(""), "a/README.md": "x\n" * 16}),
    ("no_machine_paths", {"a.sh": "cd /home/someone\n"}),
    ("no_machine_paths", {"a.md": "see " + "/".join(["", "work", "x"]) + "\n"}),
    ("no_machine_paths", {"a.sh": "debootstrap bookworm x http://" + ".".join(["deb", "debian", "org"]) + "\n"}),
    ("text_is_clean", {"a.c": "/* x */ \n"}),
    ("the_packet_path_writes_no_log", {"dataplane/port/rxtx.c": c('#include "port/log.h"\n')}),
    ("text_is_clean", {"a.c": "/* x */"}),
    ("text_is_clean", {"a.c": "/* x */\r\n"}),
    ("sources_open_with_a_comment", {"a.c": "#include <stdio.h>\n"}),
    ("structs_are_not_typedefd", {"a.h": c("typedef struct x x_t;\n")}),
    ("pages_name_what_exists", {**PAGED, "docs/map.md": "`rn_gone()`\n"}),
    ("pages_name_what_exists", {**PAGED, "compat/porting.md": "`compat/gone/`\n"}),
    ("pages_name_what_exists", {**PAGED, "docs/map.md": "`called_only()`\n"}),
    ("pages_name_what_exists", {**PAGED, "docs/map.md": "`dataplane/core/gone.c`\n"}),
    ("pages_name_what_exists", {**PAGED, "docs/map.md": "`dataplane/gone/`\n"}),
    ("pages_name_what_exists", {**PAGED, "docs/map.md": "`rn_here()` `dataplane/core/shard/core.h`\n"}),
    ("pages_are_listed", {"docs/README.md": "# docs\n\n- `a.md`\n", "docs/a.md": "x\n", "docs/b.md": "x\n"}),
    ("pages_are_listed", {"docs/README.md": "# docs\n\n- `a.md`\n", "docs/a.md": "x\n", "docs/c/b.md": "x\n"}),
    ("the_map_has_no_empty_cell", {"docs/map.md": "| step | function | file |\n|---|---|---|\n| a | `f()` in `f.c` | |\n"}),
    ("pages_are_listed", {"docs/README.md": "# docs\n\n- `a.md` `b.md`\n", "docs/a.md": "x\n"}),
]
GOOD = [
    ("include_directions", arrow("dataplane/wire/x.c", "base/list.h")),
    ("include_directions", arrow("dataplane/core/qp/x.c", "rn/abi.h")),
    ("include_directions", arrow("dataplane/nic/x.c", "config/config.h")),
    ("include_directions", arrow("config/x.c", "base/list.h")),
    ("include_directions", arrow("provider/nd2/x.c", "../os/event.h")),
    ("include_directions", arrow("compat/src/x.c", "text.h")),
    ("include_directions", {**arrow("dataplane/nic/x.c", "thread.h"), "compat/src/thread.h": "/* */\n",
                            "dataplane/port/thread.h": "/* */\n"}),
    ("include_directions", arrow("compat/src/x.c", "windef.h")),
    ("include_directions", arrow("compat/src/x.c", "rn/abi.h")),
    ("include_directions", arrow("tests/unit/core/x.c", "shard/core.h")),
    ("include_directions", {**arrow("provider/nd2/x.c", "event.h"), "dataplane/nic/event.h": "/* */\n"}),
    ("includes_name_their_folder", arrow("dataplane/port/x.c", "base/list.h")),
    ("includes_name_their_folder", arrow("tests/port/x.c", "x.h")),
    ("dpdk_stays_in_its_folders", {"dataplane/port/x.c": c("#include <rte_mbuf.h>\n"), "meson.build": "dpdk_dep = 1\n"}),
    ("pure_folders_include_little", {"dataplane/core/qp/x.c": c("#include <string.h>\n")}),
    ("files_are_short", {"a.c": "int x;\n" * 800}),
    ("functions_are_short", {"a.c": function(80)}),
    ("functions_are_short", {"a.c": c("static const int t[] =\n{\n" + "\t1,\n" * 200 + "};\n")}),
    ("no_unfinished_work", {"a.c": c("/* methods */\n")}),
    ("folders_have_readmes", {"a/b.c": c(""), "a/README.md": "x\n" * 15, "README.md": "x\n" * 90, ".ci/run": "x\n"}),
    ("folders_have_readmes", {"a/README.md": "x\n", "a/corpus/b/seed": "x\n"}),
    ("no_machine_paths", {"a.md": "write to /run/x.sock; cd perf/work/x\n"}),
    ("the_packet_path_writes_no_log", {"dataplane/port/capture.c": c('#include "port/log.h"\n')}),
    ("text_is_clean", {"a.c": "/* x */\n", "b.pcap": "x \0"}),
    ("sources_open_with_a_comment", {"a.c": c("")}),
    ("structs_are_not_typedefd", {"include/ndspi.h": "typedef struct x x;\n", "a.h": c("struct x { int y; };\n")}),
    ("pages_name_what_exists", {**PAGED, "docs/map.md": "`rn_here()` `dataplane/core/qp/x.c` `dataplane/core/` `build/x/y`\n"}),
    ("the_map_has_no_empty_cell", {"docs/map.md": "| step | function | file |\n|---|---|---|\n| a | `f()` | `f.c` |\n"}),
    ("pages_are_listed", {"docs/README.md": "# docs\nFirst `a.md`.\n- `b/`\n", "docs/a.md": "x\n", "docs/b/c.md": "x\n"}),
    ("pages_name_what_exists", {**PAGED, "docs/decisions/1.md": "`rn_gone()`\n", "README.md": "`rn_gone()`\n"}),
]


def complaints(rule, files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write(text)
        return getattr(source, rule)(source.Tree(root))


def must_complain(rule, files):
    return [] if complaints(rule, files) else [f"{rule} accepted {files}"]


def every_rule_has_a_bad_example():
    return sorted({rule.__name__ for rule in source.RULES} - {rule for rule, _ in BAD})


tap.run([(f"bad {rule} {n}", lambda r=rule, f=files: must_complain(r, f)) for n, (rule, files) in enumerate(BAD)] +
        [(f"good {rule} {n}", lambda r=rule, f=files: complaints(r, f)) for n, (rule, files) in enumerate(GOOD)] +
        [("every_rule_has_a_bad_example", every_rule_has_a_bad_example)])
