/* From the configuration to what ports and shards want to know. Pure; any thread. */
#ifndef RN_NIC_SETTINGS_H
#define RN_NIC_SETTINGS_H

#include "config/config.h"
#include "shard/core.h"
#include "base/impair.h"
#include "rn/link.h"
#include "port/vdev.h"

/* An adapter limit that no key sets. */
#define RN_SETTINGS_MAX_CQE (1u << 20)

/* The adapter's MAC when neither the configuration nor the port gives one: local, made from the name. */
void rn_settings_mac(const struct rn_config_adapter *a, uint8_t mac[6]);

void rn_settings_core(const struct rn_config *cfg, unsigned index, const struct rn_secrets *secrets,
		      struct rn_core_cfg *core);
/* The rate at which limits of congestion control end, if the configuration names none: the port's speed. */
void rn_settings_line(struct rn_core_cfg *core, uint32_t mbps);
/* mac: as decided. */
void rn_settings_port(const struct rn_config_adapter *a, const uint8_t mac[6], const struct rn_config_protocol *p,
		      struct rn_port_attr *attr);
/* `mac` must outlive *spec. */
void rn_settings_vdev(const struct rn_config *cfg, unsigned index, const uint8_t mac[6], struct rn_vdev_spec *spec);
void rn_settings_impair(const struct rn_config *cfg, struct rn_impair *rule);
/* As the configuration calls it. */
const char *rn_settings_policy_word(enum rn_config_policy policy);
/* The part of the description that holds before anything runs; mac and guid as far as the configuration tells. */
void rn_settings_info(const struct rn_config *cfg, unsigned index, struct rn_link_info *info);
/* Those that are static neighbours; the array is the caller's to free, NULL when there are none or no memory. */
struct rn_static_neigh *rn_settings_neigh(const struct rn_config_adapter *a, uint32_t *n);

#endif
