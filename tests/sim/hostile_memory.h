/* The memory block of a node in a hostile run. It consists of registered regions of all kinds, with
 * gaps between the regions. Some regions and all gaps are secret. */
#ifndef SIM_HOSTILE_MEMORY_H
#define SIM_HOSTILE_MEMORY_H

#include "hostile_state.h"

/* Memory access functions that fail in region GONE, as if the application had unmapped this
 * region. */
extern const struct rn_mem_ops hostile_mem;

uint8_t *hostile_region(const struct hostile *h, unsigned node, unsigned kind);
/* Converts an address to an offset from the start of the node's arena; struct sim_op needs such
 * offsets. */
uint64_t hostile_offset(const struct hostile *h, unsigned node, const uint8_t *p);

void hostile_memory_make(struct hostile *h, unsigned node);
void hostile_memory_check(struct hostile *h, unsigned node);
void hostile_memory_drop(struct hostile *h, unsigned node);
/* Reports a failed check if a frame that node `from` sends carries secret memory. */
void hostile_memory_leak(struct hostile *h, unsigned from, const struct rn_pkt *pkt);

#endif
