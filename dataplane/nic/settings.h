/* Translates the configuration into the structures of ports, shards and links. The functions have
 * no state of their own, and any thread may call them. */
#ifndef RN_NIC_SETTINGS_H
#define RN_NIC_SETTINGS_H

#include "config/config.h"
#include "shard/core.h"
#include "base/impair.h"
#include "rn/daemon.h"
#include "rn/link.h"
#include "port/vdev.h"

/* The largest CQ depth, which no configuration key sets. */
#define RN_SETTINGS_MAX_CQE (1u << 20)

/* Draws the secrets from which keys, QPNs and PSNs of the adapter are made. The secrets come from
 * the kernel, or from the configured seed so that a test can repeat a run. Returns 0 or -errno. */
int rn_settings_secrets(const struct rn_config *cfg, unsigned index, struct rn_secrets *secrets);
/* Returns the configured MAC. If no MAC is configured, derives a locally administered MAC from the
 * adapter's name. */
void rn_settings_mac(const struct rn_config_adapter *a, uint8_t mac[6]);

void rn_settings_core(const struct rn_config *cfg, unsigned index, const struct rn_secrets *secrets,
		      struct rn_core_cfg *core);
/* Applies what softrnicd gives this client: its number, and its share of queue pairs. */
void rn_settings_client(struct rn_core_cfg *core, const struct rn_daemon_port *p);
/* Have the shards of a client of a switch enough QPNs for limits.max_qp? Returns 0, or -EINVAL and
 * writes the reason to err. */
int rn_settings_fit(const struct rn_core_cfg *core, char *err, size_t errlen);
/* Sets the maximum rate of congestion control (cc.line_rate). If the configuration gives no rate,
 * the maximum is the port's speed `mbps` in Mbit/s. A maximum below the configured minimum rate is
 * raised to the minimum rate. */
void rn_settings_line(struct rn_core_cfg *core, uint32_t mbps);
/* Fills in the port attributes. `mac` is the MAC that the adapter uses; with an af_packet port it
 * may be the interface's own MAC. */
void rn_settings_port(const struct rn_config_adapter *a, const uint8_t mac[6],
		      const struct rn_config_protocol *p, struct rn_port_attr *attr);
/* Gives an adapter whose port is softrnicd's the attributes of that port, which the caller has
 * checked (daemon_link.h). The other settings of the adapter stay. Returns 0, or -EPROTO if the
 * port has more addresses of a family than an adapter can have. */
int rn_settings_daemon(struct rn_config_adapter *a, const struct rn_daemon_port *p);
/* Returns the number of entries of a ring that softrnic makes itself: limits.port_ring, or its
 * default if no number is configured. */
uint32_t rn_settings_ring(const struct rn_config *cfg);
/* Fills in the device specification. cfg and mac must outlive *spec, which refers to the strings in
 * cfg and to mac without copying. */
void rn_settings_vdev(const struct rn_config *cfg, unsigned index, const uint8_t mac[6],
		      struct rn_vdev_spec *spec);
void rn_settings_impair(const struct rn_config *cfg, struct rn_impair *rule);
/* Returns the idle policy's name in the configuration, such as "adaptive". */
const char *rn_settings_policy_word(enum rn_config_policy policy);
/* Fills *info with all attributes that are known before the adapter starts. MAC and GUID come from
 * the configuration. With an af_packet port the start may replace both by those of the
 * interface. */
void rn_settings_info(const struct rn_config *cfg, unsigned index, struct rn_link_info *info);
/* Returns an array of the *n configured static neighbours, which the caller frees. Returns NULL if
 * no neighbour is configured or there is no memory. */
struct rn_static_neigh *rn_settings_neigh(const struct rn_config_adapter *a, uint32_t *n);

#endif
