/* What ThreadSanitizer cannot see for itself: frames change threads inside DPDK's libraries (a port's rings, a pool's),
 * which are not instrumented; and a ring in RTS mode orders its producers by a word of which the consumer reads one half.
 * Saying so keeps the checks of everything that passes there; nothing in other builds. */
#ifndef RN_HANDOVER_H
#define RN_HANDOVER_H

struct rte_mbuf;

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);

/* A function whose own accesses are not looked at. */
#define RN_HANDOVER_UNSEEN __attribute__((no_sanitize("thread")))

static inline void rn_handover_give_one(void *what)
{
	__tsan_release(what);
}
static inline void rn_handover_take_one(void *what)
{
	__tsan_acquire(what);
}
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
#define RN_HANDOVER_UNSEEN
static inline void rn_handover_give_one(void *what)
{
}
static inline void rn_handover_take_one(void *what)
{
}
static inline void rn_handover_give(struct rte_mbuf **m, unsigned n)
{
}
static inline void rn_handover_take(struct rte_mbuf **m, unsigned n)
{
}
#endif

#endif
