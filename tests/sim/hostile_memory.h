/* The memory of a hostile run: regions of all kinds with gaps between them, some of them secret. */
#ifndef SIM_HOSTILE_MEMORY_H
#define SIM_HOSTILE_MEMORY_H

#include "hostile_state.h"

/* Refuses what lies in the region GONE, as if the application had unmapped it. */
extern const struct rn_mem_ops hostile_mem;

uint8_t *hostile_region(const struct hostile *h, unsigned node, unsigned kind);
/* As an offset from a node's arena, which is how sim_op names memory. */
uint64_t hostile_offset(const struct hostile *h, unsigned node, const uint8_t *p);

void hostile_memory_make(struct hostile *h, unsigned node);
void hostile_memory_check(struct hostile *h, unsigned node);
void hostile_memory_drop(struct hostile *h, unsigned node);
/* Does a frame that leaves carry secret memory? */
void hostile_memory_leak(struct hostile *h, unsigned from, const struct rn_pkt *pkt);

#endif
