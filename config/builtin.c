/* Which configuration does a process use without a configuration file? The built-in text joins two
 * adapters inside the process. config/loopback.conf is a copy that users can change; a test
 * compares both texts. This file has constant data only. */
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
