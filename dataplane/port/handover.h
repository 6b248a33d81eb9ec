/* What ThreadSanitizer cannot see for itself: frames change threads inside DPDK's libraries (a port's rings, a pool's),
 * which are not instrumented. Saying so keeps the checks of everything that touches frames; nothing in other builds. */
#ifndef RN_HANDOVER_H
#define RN_HANDOVER_H

struct rte_mbuf;

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);

/* Before giving mbufs away; after getting them. */
static inline void rn_handover_give(struct rte_mbuf **m, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		__tsan_release(m[i]);
}
static inline void rn_handover_take(struct rte_mbuf **m, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		__tsan_acquire(m[i]);
}
#else
static inline void rn_handover_give(struct rte_mbuf **m, unsigned n)
{
}
static inline void rn_handover_take(struct rte_mbuf **m, unsigned n)
{
}
#endif

#endif
