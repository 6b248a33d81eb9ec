/* Where are packet buffers and threads of a network card best placed? On a machine with several
 * processors each has its own memory, and cards are attached to one of them: a NUMA node. A node is
 * a number from 0, or -1 if it is unknown or does not matter, as for software ports. The functions
 * depend on their arguments only. */
#ifndef RN_NUMA_H
#define RN_NUMA_H

#include <stdbool.h>

/* Returns the node for a pool of packet buffers that ports on these n nodes share: the node of all
 * that have one, or -1 if they differ or none has one. */
int rn_numa_pool(const int *node, unsigned n);

/* Does every frame between a card and a thread on these nodes cross from one node to another? */
bool rn_numa_far(int card, int thread);

#endif
