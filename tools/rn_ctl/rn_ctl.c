/* What does softrnicd do? Asks it, and prints tables or JSON. Runs in one thread. */
#include <arpa/inet.h>
#include <getopt.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "common/version.h"

static int usage(FILE *f, int status)
{
	fputs("usage: rn_ctl [-s SOCKET] [-j] clients | show port | stats\n"
	      "Asks softrnicd, which shares a port among processes.\n"
	      "  clients     the processes that are attached\n"
	      "  show port   the port and its addresses, as clients use them\n"
	      "  stats       the counters of the port and of each client that are not 0\n"
	      "  -s SOCKET   socket of the daemon (default: " RN_DAEMON_SOCKET ")\n"
	      "  -j          the whole report of the daemon as JSON, whatever is asked for\n"
	      "  --version   prints softrnic's version\n"
	      "The exit status is 0 if the daemon has answered, 1 if not, 2 if the command line is wrong.\n",
	      f);
	return status;
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s != NULL ? s : "?";
}

static json_int_t number_of(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static const char *user_name(json_int_t uid, char *buf, size_t len)
{
	const struct passwd *pw = getpwuid((uid_t)uid);

	snprintf(buf, len, "%" JSON_INTEGER_FORMAT, uid);
	return pw != NULL ? pw->pw_name : buf;
}

static void print_clients(const json_t *report)
{
	const json_t *list = json_object_get(report, "clients"), *c;
	char buf[32];
	size_t i;

	printf("%6s  %-24s %8s  %-12s %5s %6s %11s %14s %14s %10s %9s\n", "number", "name",
	       "process", "user", "port", "queues", "connections", "frames sent", "frames taken",
	       "not taken", "held back");
	json_array_foreach(list, i, c)
	{
		const json_t *n = json_object_get(c, "counters");

		printf("%6" JSON_INTEGER_FORMAT "  %-24s %8" JSON_INTEGER_FORMAT
		       "  %-12s %5s %6" JSON_INTEGER_FORMAT " %11" JSON_INTEGER_FORMAT
		       " %14" JSON_INTEGER_FORMAT " %14" JSON_INTEGER_FORMAT
		       " %10" JSON_INTEGER_FORMAT " %9" JSON_INTEGER_FORMAT "\n",
		       number_of(c, "number"), text_of(c, "name"), number_of(c, "pid"),
		       user_name(number_of(c, "uid"), buf, sizeof(buf)),
		       json_is_true(json_object_get(c, "plugged")) ? "up" : "down",
		       number_of(c, "queues"), number_of(c, "connections"),
		       number_of(n, "rx_frames"), number_of(n, "tx_frames"),
		       number_of(n, "tx_dropped"), number_of(n, "held_back"));
	}
	printf("%zu of at most %" JSON_INTEGER_FORMAT " clients\n", json_array_size(list),
	       number_of(json_object_get(report, "port"), "clients_max"));
}

/* Writes a GID as an IPv4 or IPv6 address. */
static const char *address(const struct rn_gid *gid, char buf[INET6_ADDRSTRLEN])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool v4 = memcmp(gid->b, mapped, sizeof(mapped)) == 0;

	return inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? gid->b + 12 : gid->b, buf, INET6_ADDRSTRLEN);
}

static void print_gateway(const char *name, const struct rn_gid *gid)
{
	static const struct rn_gid none;
	char buf[INET6_ADDRSTRLEN];

	if (memcmp(gid, &none, sizeof(none)) != 0)
		printf("  %s: %s\n", name, address(gid, buf));
}

static void print_port(const json_t *report, const struct rn_daemon_port *p)
{
	const json_t *port = json_object_get(report, "port");
	char buf[INET6_ADDRSTRLEN];

	printf("port %s: MAC %s\n", text_of(port, "name"), text_of(port, "mac"));
	printf("  link: %s, %" PRIu32 " Mbit/s\n", p->link_up ? "up" : "down", p->speed);
	printf("  MTU: %u, path MTU at most %u\n", p->mtu, 128u << (p->max_path_mtu & 7));
	if (p->has_vlan)
		printf("  VLAN: %u, priority %u\n", p->vlan_tci & 0xfffu, p->vlan_tci >> 13);
	for (unsigned i = 0; i < p->ngids && i < RN_DAEMON_GIDS; i++)
		printf("  address: %s/%u\n", address(&p->gids[i], buf), p->prefix_len[i]);
	print_gateway("IPv4 gateway", &p->gateway4);
	print_gateway("IPv6 gateway", &p->gateway6);
	printf("  traffic class %u, hop limit %u\n", p->tclass, p->hop_limit);
	if (p->max_qp != 0)
		printf("  queue pairs of a client: at most %" PRIu32 "\n", p->max_qp);
	printf("  clients: %" JSON_INTEGER_FORMAT " of at most %" JSON_INTEGER_FORMAT "\n",
	       number_of(port, "clients"), number_of(port, "clients_max"));
}

static void print_counters(json_t *counters)
{
	const char *key;
	json_t *value;

	json_object_foreach(counters, key, value)
	{
		if (json_is_object(value))
			print_counters(value);
		else
			printf("  %-16s %20" JSON_INTEGER_FORMAT "\n", key,
			       json_integer_value(value));
	}
}

static void print_stats(const json_t *report)
{
	const json_t *port = json_object_get(report, "port"), *c;
	size_t i;

	printf("port %s\n", text_of(port, "name"));
	print_counters(json_object_get(port, "counters"));
	json_array_foreach(json_object_get(report, "clients"), i, c)
	{
		printf("client %" JSON_INTEGER_FORMAT " (%s, process %" JSON_INTEGER_FORMAT ")\n",
		       number_of(c, "number"), text_of(c, "name"), number_of(c, "pid"));
		print_counters(json_object_get(c, "counters"));
	}
}

static int answer(const char *path, const char *what, bool json)
{
	struct rn_daemon_port port;
	int fd = ask_connect(path);

	if (fd < 0)
		return 1;
	json_t *report = ask_report(fd);
	bool have = report != NULL && ask_port(fd, &port);

	close(fd);
	if (have && json) {
		json_dumpf(report, stdout, JSON_INDENT(2));
		putchar('\n');
	} else if (have && strcmp(what, "clients") == 0) {
		print_clients(report);
	} else if (have && strcmp(what, "stats") == 0) {
		print_stats(report);
	} else if (have) {
		print_port(report, &port);
	}
	json_decref(report);
	return have && fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {{"help", no_argument, NULL, 'h'}, {0}};
	const char *path = RN_DAEMON_SOCKET, *what;
	bool json = false;

	version_if_asked(argc, argv);
	for (int c; (c = getopt_long(argc, argv, "s:jh", longs, NULL)) != -1;) {
		if (c == 's')
			path = optarg;
		else if (c == 'j')
			json = true;
		else
			return usage(c == 'h' ? stdout : stderr, c == 'h' ? 0 : 2);
	}
	what = optind < argc ? argv[optind] : "";
	int words = argc - optind;

	if (!(words == 1 && (strcmp(what, "clients") == 0 || strcmp(what, "stats") == 0)) &&
	    !(words == 2 && strcmp(what, "show") == 0 && strcmp(argv[optind + 1], "port") == 0))
		return usage(stderr, 2);
	return answer(path, what, json);
}
