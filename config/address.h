/* For use inside config/ only: parses addresses. Every _parse function returns false and leaves the
 * result unchanged unless the whole text is exactly one valid address. */
#ifndef RN_CONFIG_ADDRESS_H
#define RN_CONFIG_ADDRESS_H

#include "config/config.h"

bool rn_config_mac_parse(const char *text, struct rn_config_mac *mac); /* a unicast MAC, not zero */
/* address of one host: see the head of address.c */
bool rn_config_ip4_parse(const char *text, struct rn_config_ip *ip);
/* address of one host: see the head of address.c; an IPv4-mapped address is refused */
bool rn_config_ip6_parse(const char *text, struct rn_config_ip *ip);
bool rn_config_net4_parse(const char *text, struct rn_config_net *net); /* "address/prefix" */
bool rn_config_net6_parse(const char *text, struct rn_config_net *net);

/* True for the all-zero address, which stands for "no address configured". */
bool rn_config_ip_is_none(const struct rn_config_ip *ip);
bool rn_config_ip_equal(const struct rn_config_ip *a, const struct rn_config_ip *b);
/* True when the address `ip` is within the subnet of `net`; both must be IPv4 or both IPv6. */
bool rn_config_net_covers(const struct rn_config_net *net, const struct rn_config_ip *ip);

#endif
