/* Annotations for ThreadSanitizer, which do nothing in other builds. ThreadSanitizer cannot see two
 * ways in which one thread hands data to another; the annotations tell it:
 * - Frames change threads inside DPDK's libraries (in the rings of DPDK ports and mbuf pools),
 *   which are not instrumented.
 * - In an rte_ring in RTS mode (relaxed tail synchronisation) the producer writes a 64-bit word,
 *   and the consumer reads only half of this word. */
#ifndef RN_HANDOVER_H
#define RN_HANDOVER_H

struct rte_mbuf;

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);

/* Marks a function whose memory accesses ThreadSanitizer does not check. */
#define RN_HANDOVER_UNSEEN __attribute__((no_sanitize("thread")))

static inline void rn_handover_give_one(void *what)
{
	__tsan_release(what);
}
static inline void rn_handover_take_one(void *what)
{
	__tsan_acquire(what);
}
/* rn_handover_give() is to be called before mbufs are handed to another thread. rn_handover_take()
 * is to be called after mbufs were received from another thread. */
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
