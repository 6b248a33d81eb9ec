/* Which configuration does a process use without a configuration file? If softrnicd runs, one
 * adapter with a port of the daemon. Otherwise the built-in text joins two adapters inside the
 * process. config/loopback.conf is a copy that users can change; a test
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

/* The process has just got an answer, or would not be here. */
static const char builtin_daemon[] =
	"adapters = ({ name = \"softrnic0\"; port = \"daemon\"; daemon_wait_ms = 0; });\n";

int rn_config_load_daemon(const char *socket, struct rn_config *cfg, char *err, size_t errlen)
{
	int rc = rn_config_parse(builtin_daemon, "(built-in configuration)", cfg, err, errlen);

	if (rc == 0)
		snprintf(cfg->adapter[0].socket, sizeof(cfg->adapter[0].socket), "%s", socket);
	return rc;
}

const char *rn_config_builtin(void)
{
	return builtin;
}
