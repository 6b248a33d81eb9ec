/* Which rules hold between several configuration keys?
 * - Names and addresses are unique.
 * - The two ends of a ring port name each other.
 * - An adapter has no key that belongs to another kind of port, and none that softrnicd decides.
 * - A minimum does not exceed its maximum.
 * Each rule is one function for one adapter. An error names the line of the wrong setting. The
 * functions keep no state. Any thread may call the functions. */
#include "config/keys.h"

#include <string.h>

#include "base/pci_addr.h"
#include "config/address.h"

#define RN_CONFIG_ADDRESSES 16u /* maximum number of addresses of one port */

/* The arguments of a rule: adapter i (`a`), and the adapter's settings in the file (`group`). */
struct look {
	const struct rn_config_reader *r;
	const config_setting_t *root;
	const struct rn_config *cfg;
	const struct rn_config_adapter *a;
	config_setting_t *group;
	unsigned i;
};

/* Returns the setting at which an error about `key` points: the setting `key` if the file contains
 * it, else the group of the adapter. */
static const config_setting_t *where(const struct look *l, const char *key)
{
	const config_setting_t *s = config_setting_get_member(l->group, key);

	return s ? s : l->group;
}

static int check_name(const struct look *l)
{
	if (!config_setting_get_member(l->group, "name"))
		return rn_config_fail(l->r, l->group,
				      "found no name, allowed: a unique name = \"...\";");
	for (unsigned k = 0; k < l->i; k++) {
		if (!strcmp(l->cfg->adapter[k].name, l->a->name))
			return rn_config_fail(
				l->r, where(l, "name"),
				"found \"%s\", the name of adapters[%u], allowed: a unique name",
				l->a->name, k);
	}
	return 0;
}

#define PCI_BUS "pci:"

/* net_af_packet has two names. */
static const char *const kernel_drivers[] = {"net_af_packet", "eth_af_packet"};

static const struct {
	const char *key;
	enum rn_config_port port;
	bool required;
} port_keys[] = {
#define X(key, kind, required) {#key, RN_CONFIG_PORT_##kind, required},
	RN_CONFIG_PORT_KEYS(X)
#undef X
};

/* Does one of the rows allow this key with this kind of port? A key may have several rows. */
static bool allowed_with(const char *key, enum rn_config_port port)
{
	for (unsigned k = 0; k < sizeof(port_keys) / sizeof(port_keys[0]); k++)
		if (!strcmp(port_keys[k].key, key) && port_keys[k].port == port)
			return true;
	return false;
}

/* Writes the kinds of port that allow this key: "\"memif\" or \"daemon\"". */
static void list_kinds(const char *key, char *out, size_t outlen)
{
	size_t used = 0;

	for (unsigned k = 0; k < sizeof(port_keys) / sizeof(port_keys[0]) && used < outlen; k++)
		if (!strcmp(port_keys[k].key, key))
			used += (size_t)snprintf(out + used, outlen - used, "%s\"%s\"",
						 used ? " or " : "",
						 rn_config_port_word(port_keys[k].port));
}

static int check_port_keys(const struct look *l)
{
	char kinds[64];

	for (unsigned k = 0; k < sizeof(port_keys) / sizeof(port_keys[0]); k++) {
		const char *key = port_keys[k].key;
		bool written = config_setting_get_member(l->group, key);
		bool ours = port_keys[k].port == l->a->port;

		if (ours && port_keys[k].required && !written)
			return rn_config_fail(l->r, where(l, "port"),
					      "found no %s, required with port = \"%s\"", key,
					      rn_config_port_word(l->a->port));
		if (written && !allowed_with(key, l->a->port)) {
			list_kinds(key, kinds, sizeof(kinds));
			return rn_config_fail(
				l->r, where(l, key),
				"found with port = \"%s\", allowed: only with port = %s",
				rn_config_port_word(l->a->port), kinds);
		}
	}
	if (l->a->port == RN_CONFIG_PORT_PCAP && !l->a->rx_pcap[0] && !l->a->tx_pcap[0])
		return rn_config_fail(l->r, where(l, "port"),
				      "found neither rx_pcap nor tx_pcap, required: one or both");
	return 0;
}

/* The path of the daemon's socket that an adapter with port = "daemon" uses. */
static const char *daemon_socket(const struct rn_config_adapter *a)
{
	return a->socket[0] ? a->socket : RN_CONFIG_DAEMON_SOCKET;
}

/* The driver of a port of softrnicd, net_virtio_user of DPDK 22.11, has no more pairs of queues.
 * Its own refusal would not name the key. */
#define DAEMON_SHARDS 8u

static int check_daemon_shards(const struct look *l)
{
	const char *key = l->a->shards != 0 ? "shards" : "lcores";
	unsigned shards = l->a->shards != 0 ? l->a->shards : l->a->lcores.n;

	if (l->a->port != RN_CONFIG_PORT_DAEMON || shards <= DAEMON_SHARDS)
		return 0;
	return rn_config_fail(l->r, where(l, key),
			      "found %u shards with port = \"daemon\", allowed: at most %u", shards,
			      DAEMON_SHARDS);
}

/* softrnicd owns the port and gives all its clients the same attributes, so an adapter cannot
 * choose them. Two adapters with one daemon would have the same addresses. */
static int check_daemon(const struct look *l)
{
	static const char *const decided[] = {
#define X(key) #key,
		RN_CONFIG_DAEMON_DECIDES(X)
#undef X
	};

	if (l->a->port != RN_CONFIG_PORT_DAEMON)
		return 0;
	for (unsigned k = 0; k < sizeof(decided) / sizeof(decided[0]); k++)
		if (config_setting_get_member(l->group, decided[k]))
			return rn_config_fail(
				l->r, where(l, decided[k]),
				"found with port = \"daemon\", allowed: with other ports only; softrnicd decides it");
	for (unsigned k = 0; k < l->i; k++)
		if (l->cfg->adapter[k].port == RN_CONFIG_PORT_DAEMON &&
		    !strcmp(daemon_socket(&l->cfg->adapter[k]), daemon_socket(l->a)))
			return rn_config_fail(
				l->r, where(l, "socket"),
				"found \"%s\", the daemon of adapters[%u], allowed: one adapter for each daemon",
				daemon_socket(l->a), k);
	return 0;
}

/* Does the device string begin with a PCI address? EAL also accepts "pci:" before it. */
static bool is_pci(const char *device)
{
	struct rn_pci_addr addr;

	return !strncmp(device, PCI_BUS, strlen(PCI_BUS)) || rn_pci_addr_parse(device, &addr);
}

#define AUXILIARY_BUS "auxiliary:"

/* Does the device string begin with a part of a card, such as a subfunction of mlx5? */
static bool is_part_of_card(const char *device)
{
	return !strncmp(device, AUXILIARY_BUS, strlen(AUXILIARY_BUS));
}

/* May this argument of a device string stand for a card, although it is no PCI address?
 * net_failsafe also takes its members from a program or a file: "exec(COMMAND)", "fd(NUMBER)".
 * `next` is the character behind the word. */
static bool may_be_card(const char *word, char next)
{
	return is_part_of_card(word) ||
	       (next == '(' && (!strcmp(word, "exec") || !strcmp(word, "fd")));
}

/* Finds a network card among the arguments of a device string, as net_bonding and net_failsafe have
 * them for their member cards: "slave=0000:04:00.0", "dev(0000:04:00.0)". Returns NULL if there is
 * none, else a text that says what `card` is. */
static const char *find_member_card(const char *device, char *card, size_t len)
{
	static const char separators[] = ",=()";

	device += strcspn(device, separators);
	while (*device != '\0') {
		device += strspn(device, separators);
		size_t n = strcspn(device, separators);

		snprintf(card, len, "%.*s", (int)n, device);
		if (is_pci(card))
			return "the PCI address ";
		if (may_be_card(card, device[n]))
			return "";
		device += n;
	}
	return NULL;
}

/* Under port = "vdev" some devices are refused, because another kind of port does more for them.
 * The port "af_packet" sets up the driver's sockets, checks the MTU of the interface, and checks
 * that no other adapter uses the addresses. The port "pci" makes EAL probe the card and no other,
 * and sets the card's MAC and MTU. A card behind a software port gets neither, and is not closed at
 * the end: it could then write into memory that is freed. */
static int check_vdev(const struct look *l)
{
	char card[sizeof(l->a->vdev)];

	if (l->a->port != RN_CONFIG_PORT_VDEV)
		return 0;
	for (unsigned i = 0; i < sizeof(kernel_drivers) / sizeof(kernel_drivers[0]); i++)
		if (!strncmp(l->a->vdev, kernel_drivers[i], strlen(kernel_drivers[i])))
			return rn_config_fail(
				l->r, where(l, "vdev"),
				"found the driver %s, allowed: another one; for a kernel interface "
				"write port = \"af_packet\"; iface = \"...\";",
				kernel_drivers[i]);
	if (is_pci(l->a->vdev) || is_part_of_card(l->a->vdev))
		return rn_config_fail(
			l->r, where(l, "vdev"),
			"found %s\"%s\", allowed: a software port; for a network card "
			"write port = \"pci\"; pci = \"...\";",
			is_pci(l->a->vdev) ? "the PCI address " : "", l->a->vdev);
	const char *kind = find_member_card(l->a->vdev, card, sizeof(card));
	if (kind != NULL)
		return rn_config_fail(
			l->r, where(l, "vdev"),
			"found %s\"%s\" among the driver's arguments, allowed: members that "
			"are software ports; a network card needs an adapter of its own with port = \"pci\"",
			kind, card);
	return 0;
}

/* Returns true if the other adapter has the same card, whatever driver options follow. */
static bool same_card(const struct rn_config_adapter *a, const struct rn_pci_addr *addr)
{
	struct rn_pci_addr other;

	return a->port == RN_CONFIG_PORT_PCI && rn_pci_addr_parse(a->pci, &other) &&
	       other.domain == addr->domain && other.bus == addr->bus &&
	       other.device == addr->device && other.function == addr->function;
}

static int check_pci(const struct look *l)
{
	struct rn_pci_addr addr;

	if (l->a->port != RN_CONFIG_PORT_PCI)
		return 0;
	if (!rn_pci_addr_parse(l->a->pci, &addr))
		return rn_config_fail(
			l->r, where(l, "pci"),
			"found \"%s\", allowed: a PCI address such as \"0000:04:00.0\", driver options "
			"may follow it after a comma; softrnic-config --devices lists the cards",
			l->a->pci);
	for (unsigned k = 0; k < l->i; k++) {
		if (same_card(&l->cfg->adapter[k], &addr))
			return rn_config_fail(
				l->r, where(l, "pci"),
				"found \"%s\", the card of adapters[%u], allowed: a card of its own for "
				"each adapter",
				l->a->pci, k);
	}
	return 0;
}

static int check_peer(const struct look *l)
{
	if (l->a->port != RN_CONFIG_PORT_RING)
		return 0;
	for (unsigned k = 0; k < l->cfg->nadapters; k++) {
		const struct rn_config_adapter *other = &l->cfg->adapter[k];

		if (k != l->i && other->port == RN_CONFIG_PORT_RING &&
		    !strcmp(other->name, l->a->peer) && !strcmp(other->peer, l->a->name))
			return 0;
	}
	return rn_config_fail(
		l->r, where(l, "peer"),
		"found \"%s\", allowed: another adapter with port = \"ring\" and peer = \"%s\"",
		l->a->peer, l->a->name);
}

static bool has_address(const struct rn_config_nets *nets, unsigned n,
			const struct rn_config_ip *ip)
{
	for (unsigned k = 0; k < n; k++) {
		if (rn_config_ip_equal(&nets->net[k].ip, ip))
			return true;
	}
	return false;
}

/* Checks that no address of `nets` occurs a second time, in `nets` itself or among the addresses of
 * an earlier adapter. */
static int check_unique(const struct look *l, const char *key, const struct rn_config_nets *nets)
{
	const config_setting_t *list = where(l, key);

	for (unsigned n = 0; n < nets->n; n++) {
		bool twice = has_address(nets, n, &nets->net[n].ip);

		for (unsigned k = 0; k < l->i; k++) {
			const struct rn_config_adapter *other = &l->cfg->adapter[k];

			twice |= has_address(&other->ipv4, other->ipv4.n, &nets->net[n].ip) ||
				 has_address(&other->ipv6, other->ipv6.n, &nets->net[n].ip);
		}
		if (twice)
			return rn_config_fail(
				l->r, list, "found \"%s\" a second time, allowed: unique addresses",
				config_setting_get_string_elem(list, (int)n));
	}
	return 0;
}

static bool is_link_local(const struct rn_config_ip *ip)
{
	return ip->b[0] == 0xfe && (ip->b[1] & 0xc0) == 0x80;
}

static int check_gateway(const struct look *l, const char *key, const struct rn_config_ip *gateway,
			 const struct rn_config_nets *nets)
{
	bool own = has_address(nets, nets->n, gateway);

	if (rn_config_ip_is_none(gateway))
		return 0;
	/* A link-local gateway need not be within a configured prefix, because routers usually
	 * announce their link-local address. */
	if (!own && is_link_local(gateway) && (nets->n || l->a->link_local))
		return 0;
	for (unsigned k = 0; k < nets->n && !own; k++) {
		if (rn_config_net_covers(&nets->net[k], gateway))
			return 0;
	}
	return rn_config_fail(l->r, where(l, key),
			      "found \"%s\", allowed: another host within one of the prefixes",
			      config_setting_get_string(where(l, key)));
}

static int check_addresses(const struct look *l)
{
	int err = 0;

	if (l->a->ipv4.n + l->a->ipv6.n == 0 && !l->a->link_local &&
	    l->a->port != RN_CONFIG_PORT_DAEMON)
		err = rn_config_fail(
			l->r, l->group,
			"found no address, allowed: ipv4 = [...], ipv6 = [...] or both");
	if (!err)
		err = check_unique(l, "ipv4", &l->a->ipv4);
	if (!err)
		err = check_unique(l, "ipv6", &l->a->ipv6);
	if (!err)
		err = check_gateway(l, "gateway4", &l->a->gateway4, &l->a->ipv4);
	if (!err)
		err = check_gateway(l, "gateway6", &l->a->gateway6, &l->a->ipv6);
	return err;
}

static int check_mac(const struct look *l)
{
	for (unsigned k = 0; k < l->i && l->a->mac.set; k++) {
		const struct rn_config_mac *other = &l->cfg->adapter[k].mac;

		if (other->set && !memcmp(other->b, l->a->mac.b, 6))
			return rn_config_fail(
				l->r, where(l, "mac"),
				"found the address of adapters[%u], allowed: a unique one", k);
	}
	return 0;
}

static int check_neighbours(const struct look *l)
{
	const struct rn_config_neighs *list = &l->a->neighbours;

	for (unsigned n = 0; n < list->n; n++) {
		for (unsigned k = 0; k < n; k++) {
			if (rn_config_ip_equal(&list->neigh[k].ip, &list->neigh[n].ip))
				return rn_config_fail(
					l->r, where(l, "neighbours"),
					"found one address in entries %u and %u, allowed: unique addresses",
					k, n);
		}
	}
	return 0;
}

static int check_vlan(const struct look *l)
{
	if (l->a->vlan_prio && !l->a->vlan_id)
		return rn_config_fail(l->r, where(l, "vlan_prio"),
				      "found without vlan_id, allowed: only with vlan_id");
	return 0;
}

static int check_link_local(const struct look *l)
{
	if (!l->a->link_local)
		return 0;
	if (l->a->port == RN_CONFIG_PORT_AF_PACKET && !l->a->mac.set)
		return rn_config_fail(l->r, where(l, "link_local"),
				      "found without mac on af_packet, allowed: only with mac");
	if (l->a->ipv4.n + l->a->ipv6.n >= RN_CONFIG_ADDRESSES)
		return rn_config_fail(l->r, where(l, "link_local"),
				      "found with %u addresses, allowed: with fewer than %u",
				      l->a->ipv4.n + l->a->ipv6.n, RN_CONFIG_ADDRESSES);
	return 0;
}

static int check_adapter(const struct look *l)
{
	static int (*const rules[])(const struct look *) = {
		check_name,	  check_port_keys, check_daemon,     check_daemon_shards,
		check_vdev,	  check_pci,	   check_addresses,  check_mac,
		check_neighbours, check_vlan,	   check_link_local,
	};

	for (unsigned k = 0; k < sizeof(rules) / sizeof(rules[0]); k++) {
		int err = rules[k](l);

		if (err)
			return err;
	}
	return 0;
}

/* Checks that `low` does not exceed `high`. The error names high_key if the file contains it, else
 * low_key. */
static int check_order(const struct rn_config_reader *r, const config_setting_t *root,
		       const char *section, const char *low_key, uint32_t low, const char *high_key,
		       uint32_t high)
{
	const config_setting_t *group = config_setting_get_member(root, section);
	const config_setting_t *at;

	if (low <= high)
		return 0;
	at = config_setting_get_member(group, high_key);
	if (!at)
		at = config_setting_get_member(group, low_key);
	return rn_config_fail(r, at, "found %s = %u and %s = %u, allowed: %s not above %s", low_key,
			      low, high_key, high, low_key, high_key);
}

#define MOST_CM	  65536u
#define LISTENERS 1024u

uint32_t rn_config_max_cm(const struct rn_config *cfg, unsigned adapter)
{
	uint32_t qps = cfg->limits.max_qp * cfg->adapter[adapter].shards;

	if (cfg->limits.max_cm)
		return cfg->limits.max_cm;
	return qps < MOST_CM - LISTENERS ? qps + LISTENERS : MOST_CM;
}

void rn_config_note(const struct rn_config *cfg, unsigned adapter, char *note, size_t len)
{
	uint32_t qps = cfg->limits.max_qp * cfg->adapter[adapter].shards,
		 cms = rn_config_max_cm(cfg, adapter);

	snprintf(note, len, "%s", "");
	if (cms < qps)
		snprintf(
			note, len,
			"limits.max_cm allows %u connections and listeners, fewer than the %u queue pairs of limits.max_qp",
			cms, qps);
}

int rn_config_check(const struct rn_config_reader *r, const config_setting_t *root,
		    struct rn_config *cfg)
{
	config_setting_t *list = config_setting_get_member(root, "adapters");
	int err = 0;

	/* The second pass checks the key `peer`: check_peer() also reads adapters further down in
	 * the file, which the first pass has checked by then. */
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < cfg->nadapters && !err; i++) {
			struct look l = {
				r, root, cfg, &cfg->adapter[i], config_setting_get_elem(list, i),
				i};

			err = pass ? check_peer(&l) : check_adapter(&l);
		}
	}
	if (!err)
		err = check_order(r, root, "idle", "sleep_min_us", cfg->idle.sleep_min_us,
				  "sleep_max_us", cfg->idle.sleep_max_us);
	if (!err)
		err = check_order(r, root, "timers", "rto_floor_us", cfg->timers.rto_floor_us,
				  "rto_initial_us", cfg->timers.rto_initial_us);
	for (unsigned i = 0; i < cfg->nadapters; i++) {
		struct rn_config_adapter *a = &cfg->adapter[i];

		if (a->shards == 0)
			a->shards = a->lcores.n ? a->lcores.n : 1;
		if (a->port == RN_CONFIG_PORT_DAEMON && !a->socket[0])
			snprintf(a->socket, sizeof(a->socket), "%s", RN_CONFIG_DAEMON_SOCKET);
	}
	return err;
}
