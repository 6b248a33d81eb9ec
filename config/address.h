/* Inside config/: addresses from text. All return false on anything but the whole, exact form. */
#ifndef RN_CONFIG_ADDRESS_H
#define RN_CONFIG_ADDRESS_H

#include "config.h"

bool rn_config_mac_parse(const char *text, struct rn_config_mac *mac);             /* one station, not zero */
bool rn_config_ip4_parse(const char *text, struct rn_config_ip *ip);               /* one host */
bool rn_config_ip6_parse(const char *text, struct rn_config_ip *ip);               /* one host, not a mapped IPv4 */
bool rn_config_net4_parse(const char *text, struct rn_config_net *net);            /* host/prefix */
bool rn_config_net6_parse(const char *text, struct rn_config_net *net);

bool rn_config_ip_is_none(const struct rn_config_ip *ip);
bool rn_config_ip_equal(const struct rn_config_ip *a, const struct rn_config_ip *b);
/* ip within net; both of one family */
bool rn_config_net_covers(const struct rn_config_net *net, const struct rn_config_ip *ip);

#endif
