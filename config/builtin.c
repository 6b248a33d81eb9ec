/* Which configuration does a process use if it names no configuration file? Two adapters joined
 * inside the process. config/loopback.conf has the same text, so that users can copy the file and
 * change it; a test compares file and text. This file has constant data only. */
#include "config/config.h"

/* clang-format off */
static const char builtin[] =
"# Two adapters joined inside one process: what softrnic uses when it is given no configuration.\n"
"# Every key: docs/configuration.md\n"
"adapters = (\n"
"  {\n"
"    name = \"softrnic0\";\n"
"    port = \"ring\";\n"
"    peer = \"softrnic1\";\n"
"    mac = \"02:00:00:00:00:01\";\n"
"    ipv4 = [ \"192.0.2.1/24\" ];\n"
"    ipv6 = [ \"2001:db8::1/64\" ];\n"
"    mtu = 9000;\n"
"  },\n"
"  {\n"
"    name = \"softrnic1\";\n"
"    port = \"ring\";\n"
"    peer = \"softrnic0\";\n"
"    mac = \"02:00:00:00:00:02\";\n"
"    ipv4 = [ \"192.0.2.2/24\" ];\n"
"    ipv6 = [ \"2001:db8::2/64\" ];\n"
"    mtu = 9000;\n"
"  }\n"
");\n";
/* clang-format on */

const char *rn_config_builtin(void)
{
	return builtin;
}
