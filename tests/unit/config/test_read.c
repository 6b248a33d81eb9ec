/* Tests the reading of configuration files. Values reach struct rn_config. Errors are reported for
 * missing and unreadable files, wrong syntax and unknown keys. The built-in configuration and the
 * profiles are valid. */
#include "snippet.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static struct rn_config cfg;
static char err[1024];

static void test_a_missing_file_is_named(void **state)
{
	assert_int_equal(rn_config_load("/nonexistent/x.conf", &cfg, err, sizeof(err)), -ENOENT);
	assert_string_equal(
		err,
		"/nonexistent/x.conf: No such file or directory, allowed: a readable text file");
}

static void test_a_directory_is_an_error(void **state)
{
	assert_int_equal(rn_config_load("/", &cfg, err, sizeof(err)), -EISDIR);
}

static void test_a_file_of_other_bytes_is_an_error(void **state)
{
	char path[] = "/tmp/test_read.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "a = 1;\0b", 8), 8);
	close(fd);
	assert_int_equal(rn_config_load(path, &cfg, err, sizeof(err)), -EILSEQ);
	unlink(path);
}

static void test_syntax_errors_name_the_line(void **state)
{
	static const struct snippet rows[] = {
		{"adapters = (\n{ name = \"a\"\n port == 7; });",
		 "t.conf:3: syntax error, allowed: key = value; (libconfig syntax)"},
		{"a = 1;\na = 2;",
		 "t.conf:2: duplicate setting name, allowed: key = value; (libconfig syntax)"},
	};

	check_snippets(rows, 2);
}

static void test_unknown_keys_are_errors(void **state)
{
	static const struct snippet rows[] = {
		{SECTION("colour = 7;"),
		 "t.conf:2: colour: found an unknown key, allowed: adapters, idle, limits, timers, "
		 "protocol, congestion, impair, eal, capture, log, daemon"},
		{SECTION("capture = {\n colour = 7; };"),
		 "t.conf:3: capture.colour: found an unknown key, allowed: file, snaplen"},
	};

	check_snippets(rows, 2);
	assert_int_equal(rn_config_parse(ADAPTER("colour = 7;"), "t.conf", &cfg, err, sizeof(err)),
			 -EINVAL);
	assert_non_null(strstr(
		err,
		"t.conf:2: adapters[0].colour: found an unknown key, allowed: name, port, peer"));
}

/* No key may turn the ICRC check off, not even for debugging, because wrong data would be
 * delivered. */
static void test_a_wrong_icrc_cannot_be_accepted(void **state)
{
	assert_int_equal(rn_config_parse(SECTION("protocol = { accept_bad_icrc = true; };"),
					 "t.conf", &cfg, err, sizeof(err)),
			 -EINVAL);
	assert_non_null(strstr(
		err, "t.conf:2: protocol.accept_bad_icrc: found an unknown key, allowed: seed"));
}

static void test_shape_of_sections(void **state)
{
	static const struct snippet rows[] = {
		{"", "t.conf: adapters: found no such key, allowed: a list of 1..8 groups"},
		{"adapters = ();",
		 "t.conf:1: adapters: found no adapter, allowed: a list of 1..8 groups: ({ name = ...; }, ...)"},
		{"adapters = { };",
		 "t.conf:1: adapters: found a value that is not a list, allowed: a list of 1..8 groups: ({ name = ...; }, ...)"},
		{"adapters = ({},{},{},{},{},{},{},{},{});",
		 "t.conf:1: adapters: found too many adapters, allowed: a list of 1..8 groups: ({ name = ...; }, ...)"},
		{"adapters = (1);",
		 "t.conf:1: adapters[0]: found no group, allowed: { name = ...; }"},
		{SECTION("log = 3;"), "t.conf:2: log: found no group, allowed: log = { ... }"},
	};

	check_snippets(rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_defaults_hold_without_a_key(void **state)
{
	read_good(ADAPTER(""), &cfg);
	assert_int_equal(cfg.nadapters, 1);
	assert_int_equal(cfg.adapter[0].mtu, 1500);
	assert_int_equal(cfg.adapter[0].max_path_mtu, 4096);
	assert_false(cfg.adapter[0].mac.set);
	assert_int_equal(cfg.idle.policy, RN_CONFIG_POLICY_ADAPTIVE);
	assert_int_equal(cfg.timers.ack_timeout, 17);
	assert_true(cfg.protocol.check_source);
	assert_true(cfg.impair.loss == 0.0 && cfg.impair.seed == 1);
	assert_string_equal(cfg.eal.prefix, "softrnic");
	assert_int_equal(cfg.capture.file[0], 0);
	assert_int_equal(cfg.log.level, RN_CONFIG_LEVEL_WARNING);
	assert_true(cfg.daemon.strict && cfg.daemon.clients == 64);
	assert_string_equal(cfg.daemon.group, "");
}

static void test_built_in_text_is_two_joined_adapters(void **state)
{
	static const uint8_t first4[16] = {[10] = 0xff, 0xff, 192, 0, 2, 1};
	static const uint8_t second6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 2};

	assert_int_equal(rn_config_load(NULL, &cfg, err, sizeof(err)), 0);
	assert_int_equal(cfg.nadapters, 2);
	assert_string_equal(cfg.adapter[0].peer, cfg.adapter[1].name);
	assert_memory_equal(cfg.adapter[0].ipv4.net[0].ip.b, first4, 16);
	assert_int_equal(cfg.adapter[0].ipv4.net[0].prefix_len, 24);
	assert_memory_equal(cfg.adapter[1].ipv6.net[0].ip.b, second6, 16);
	assert_int_equal(cfg.adapter[1].mtu, 9000);
	assert_int_equal(cfg.adapter[0].mac.b[5], 1);
}

static const char *source_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", getenv("SOFTRNIC_SOURCE"), name);
	return path;
}

static void test_loopback_profile_is_the_built_in_text(void **state)
{
	char text[4096];
	FILE *f = fopen(source_path("config/loopback.conf"), "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, rn_config_builtin());
}

static void test_every_profile_loads(void **state)
{
	DIR *dir = opendir(source_path("config"));
	struct dirent *entry;
	unsigned n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[1024];

		if (!strstr(entry->d_name, ".conf"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", source_path("config"), entry->d_name);
		if (rn_config_load(path, &cfg, err, sizeof(err)))
			fail_msg("%s", err);
		n++;
	}
	closedir(dir);
	assert_true(n >= 12);
}

static void test_profiles_say_what_their_names_promise(void **state)
{
	static const struct {
		const char *file, *vdev;
	} devices[] = {
		{"config/tap-a.conf", "net_tap0,iface=rn-tap-a"},
		{"config/tap-b.conf", "net_tap0,iface=rn-tap-b"},
		{"config/vhost-a.conf", "net_vhost0,iface=/tmp/softrnic-vhost,queues=1"},
		{"config/vhost-b.conf",
		 "net_virtio_user0,path=/tmp/softrnic-vhost,queues=1,mac=02:00:00:00:03:02"},
		{"config/af_xdp-a.conf", "net_af_xdp0,iface=veth-a"},
		{"config/af_xdp-b.conf", "net_af_xdp0,iface=veth-b"},
	};

	assert_int_equal(rn_config_load(source_path("config/lossy.conf"), &cfg, err, sizeof(err)),
			 0);
	assert_true(cfg.impair.loss > 0 && cfg.impair.dup > 0 && cfg.impair.reorder > 0 &&
		    cfg.impair.corrupt > 0);
	assert_int_equal(rn_config_load(source_path("config/memif-b.conf"), &cfg, err, sizeof(err)),
			 0);
	assert_int_equal(cfg.adapter[0].port, RN_CONFIG_PORT_MEMIF);
	assert_int_equal(cfg.adapter[0].role, RN_CONFIG_ROLE_CLIENT);
	assert_int_equal(
		rn_config_load(source_path("config/af_packet-a.conf"), &cfg, err, sizeof(err)), 0);
	assert_string_equal(cfg.adapter[0].iface, "veth-a");
	assert_string_equal(rn_config_port_word(cfg.adapter[0].port), "af_packet");
	for (unsigned i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		assert_int_equal(
			rn_config_load(source_path(devices[i].file), &cfg, err, sizeof(err)), 0);
		assert_int_equal(cfg.adapter[0].port, RN_CONFIG_PORT_VDEV);
		assert_string_equal(cfg.adapter[0].vdev, devices[i].vdev);
	}
}

static void test_path_comes_from_caller_then_environment(void **state)
{
	unsetenv("SOFTRNIC_CONFIG");
	assert_null(rn_config_path(NULL));
	setenv("SOFTRNIC_CONFIG", "", 1);
	assert_null(rn_config_path(NULL));
	setenv("SOFTRNIC_CONFIG", "/e.conf", 1);
	assert_string_equal(rn_config_path(NULL), "/e.conf");
	assert_string_equal(rn_config_path("/p.conf"), "/p.conf");
}

static void test_a_short_error_buffer_is_respected(void **state)
{
	char tiny[8];

	memset(tiny, 'x', sizeof(tiny));
	assert_int_equal(rn_config_parse(ADAPTER("mtu = 1;"), "t.conf", &cfg, tiny, 7), -EINVAL);
	assert_string_equal(tiny, "t.conf");
	assert_int_equal(tiny[7], 'x');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_missing_file_is_named),
		cmocka_unit_test(test_a_directory_is_an_error),
		cmocka_unit_test(test_a_file_of_other_bytes_is_an_error),
		cmocka_unit_test(test_syntax_errors_name_the_line),
		cmocka_unit_test(test_unknown_keys_are_errors),
		cmocka_unit_test(test_a_wrong_icrc_cannot_be_accepted),
		cmocka_unit_test(test_shape_of_sections),
		cmocka_unit_test(test_defaults_hold_without_a_key),
		cmocka_unit_test(test_built_in_text_is_two_joined_adapters),
		cmocka_unit_test(test_loopback_profile_is_the_built_in_text),
		cmocka_unit_test(test_every_profile_loads),
		cmocka_unit_test(test_profiles_say_what_their_names_promise),
		cmocka_unit_test(test_path_comes_from_caller_then_environment),
		cmocka_unit_test(test_a_short_error_buffer_is_respected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
