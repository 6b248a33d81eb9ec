/* The memory of a hostile run: regions of all kinds separated by gaps. Some of them are secret. */
#ifndef SIM_HOSTILE_MEMORY_H
#define SIM_HOSTILE_MEMORY_H

#include "hostile_state.h"

/* Memory access that fails in region GONE, as if the application had unmapped it. */
extern const struct rn_mem_ops hostile_mem;

uint8_t *hostile_region(const struct hostile *h, unsigned node, unsigned kind);
/* The address as an offset from the node's arena, the form that struct sim_op uses. */
uint64_t hostile_offset(const struct hostile *h, unsigned node, const uint8_t *p);

void hostile_memory_make(struct hostile *h, unsigned node);
void hostile_memory_check(struct hostile *h, unsigned node);
void hostile_memory_drop(struct hostile *h, unsigned node);
/* Objects if a frame that the node sends carries secret memory. */
void hostile_memory_leak(struct hostile *h, unsigned from, const struct rn_pkt *pkt);

#endif
