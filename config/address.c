/* Is a text an address that an adapter may have? Parses MAC, IPv4 and IPv6 addresses, and IP
 * addresses with a prefix length. Unspecified, loopback, multicast and broadcast addresses are
 * refused, because no peer could reply to such an address. The functions keep no state. Any thread
 * may call the functions. */
#include "config/address.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool rn_config_mac_parse(const char *text, struct rn_config_mac *mac)
{
	struct rn_config_mac m = {.set = true};
	uint8_t any = 0;

	for (unsigned i = 0; i < 6; i++, text += 3) {
		int high = hex_digit(text[0]);
		int low = high < 0 ? -1 : hex_digit(text[1]);

		if (low < 0 || text[2] != (i < 5 ? ':' : '\0'))
			return false;
		m.b[i] = (uint8_t)(high << 4 | low);
		any |= m.b[i];
	}
	if (!any || (m.b[0] & 1))
		return false;
	*mac = m;
	return true;
}

bool rn_config_ip4_parse(const char *text, struct rn_config_ip *ip)
{
	uint8_t b[4];

	if (inet_pton(AF_INET, text, b) != 1)
		return false;
	/* Refuses 0.0.0.0/8, loopback, multicast and reserved addresses. */
	if (b[0] == 0 || b[0] == 127 || b[0] >= 224)
		return false;
	memcpy(ip->b, mapped, 12);
	memcpy(ip->b + 12, b, 4);
	return true;
}

bool rn_config_ip6_parse(const char *text, struct rn_config_ip *ip)
{
	static const uint8_t low_reserved[15];
	uint8_t b[16];

	if (inet_pton(AF_INET6, text, b) != 1)
		return false;
	if (b[0] == 0xff || !memcmp(b, mapped, 12))
		return false;
	if (!memcmp(b, low_reserved, 15) && b[15] <= 1) /* refuse :: and ::1 */
		return false;
	memcpy(ip->b, b, 16);
	return true;
}

/* Splits "address/prefix" and copies the address to `host`, which has room for INET6_ADDRSTRLEN
 * bytes. */
static bool split_prefix(const char *text, char *host, unsigned max, uint8_t *prefix)
{
	const char *slash = strchr(text, '/');
	char *end;
	unsigned long n;

	if (!slash || slash - text >= INET6_ADDRSTRLEN || slash[1] < '0' || slash[1] > '9')
		return false;
	n = strtoul(slash + 1, &end, 10);
	if (*end || end - slash > 4 || n > max)
		return false;
	memcpy(host, text, (size_t)(slash - text));
	host[slash - text] = '\0';
	*prefix = (uint8_t)n;
	return true;
}

static bool is_ipv4_host(const uint8_t b[4], unsigned prefix)
{
	uint32_t addr = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	uint32_t hosts = prefix == 0 ? UINT32_MAX : prefix == 32 ? 0 : UINT32_MAX >> prefix;

	/* Up to prefix /30, the first and the last address of a subnet (network and broadcast) are
	 * not host addresses. Prefixes /31 and /32 reserve no address. */
	return prefix >= 31 || ((addr & hosts) != 0 && (addr & hosts) != hosts);
}

bool rn_config_net4_parse(const char *text, struct rn_config_net *net)
{
	char host[INET6_ADDRSTRLEN];
	struct rn_config_net n;

	if (!split_prefix(text, host, 32, &n.prefix_len) || !rn_config_ip4_parse(host, &n.ip))
		return false;
	if (!is_ipv4_host(n.ip.b + 12, n.prefix_len))
		return false;
	*net = n;
	return true;
}

bool rn_config_net6_parse(const char *text, struct rn_config_net *net)
{
	char host[INET6_ADDRSTRLEN];
	struct rn_config_net n;

	if (!split_prefix(text, host, 128, &n.prefix_len) || !rn_config_ip6_parse(host, &n.ip))
		return false;
	*net = n;
	return true;
}

bool rn_config_ip_is_none(const struct rn_config_ip *ip)
{
	static const struct rn_config_ip none;

	return rn_config_ip_equal(ip, &none);
}

bool rn_config_ip_equal(const struct rn_config_ip *a, const struct rn_config_ip *b)
{
	return !memcmp(a->b, b->b, sizeof(a->b));
}

bool rn_config_net_covers(const struct rn_config_net *net, const struct rn_config_ip *ip)
{
	bool v4 = !memcmp(net->ip.b, mapped, 12);
	unsigned bits = net->prefix_len + (v4 ? 96 : 0);
	unsigned bytes = bits / 8, rest = bits % 8;

	if (memcmp(net->ip.b, ip->b, bytes))
		return false;
	return !rest || !((net->ip.b[bytes] ^ ip->b[bytes]) & (0xff00 >> rest & 0xff));
}
