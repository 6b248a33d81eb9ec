/* For use inside config/ only: parses addresses. Each _parse function returns true if the whole
 * text is exactly one valid address. Otherwise the function returns false and does not change the
 * result. */
#ifndef RN_CONFIG_ADDRESS_H
#define RN_CONFIG_ADDRESS_H

#include "config/config.h"

/* Accepts a unicast MAC that is not zero. */
bool rn_config_mac_parse(const char *text, struct rn_config_mac *mac);
/* Accepts the address of one host. The head of address.c lists the addresses that are refused. */
bool rn_config_ip4_parse(const char *text, struct rn_config_ip *ip);
/* Accepts the address of one host. Refuses an IPv4-mapped address and those listed in address.c. */
bool rn_config_ip6_parse(const char *text, struct rn_config_ip *ip);
/* Accept an address with a prefix length, such as "192.0.2.1/24". */
bool rn_config_net4_parse(const char *text, struct rn_config_net *net);
bool rn_config_net6_parse(const char *text, struct rn_config_net *net);

/* True for the all-zero address, which stands for "no address configured". */
bool rn_config_ip_is_none(const struct rn_config_ip *ip);
bool rn_config_ip_equal(const struct rn_config_ip *a, const struct rn_config_ip *b);
/* True when the address `ip` is within the subnet of `net`; both must be IPv4 or both IPv6. */
bool rn_config_net_covers(const struct rn_config_net *net, const struct rn_config_ip *ip);

#endif
