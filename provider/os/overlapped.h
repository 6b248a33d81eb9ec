/*
 * Reads and writes the two words of a client's OVERLAPPED that the library changes while the client
 * may read them: Internal and InternalHigh. Clients read Internal directly, from any thread. A
 * client may free the OVERLAPPED as soon as Internal is not ND_PENDING.
 */
#ifndef OS_OVERLAPPED_H
#define OS_OVERLAPPED_H

#include "ndstatus.h"

static inline HRESULT os_overlapped_status(const OVERLAPPED *overlapped)
{
	/* This load is sequentially consistent, like the store in os_overlapped_store(). park.c
	 * depends on this order. */
	return (HRESULT)__atomic_load_n(&overlapped->Internal, __ATOMIC_SEQ_CST);
}

/* Publishes a status, which may be ND_PENDING. The store of a final status is the last access to
 * the OVERLAPPED. */
static inline void os_overlapped_store(OVERLAPPED *overlapped, HRESULT status)
{
	__atomic_store_n(&overlapped->InternalHigh, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&overlapped->Internal, (uint32_t)status, __ATOMIC_SEQ_CST);
}

/* Stores the status of a refused call. Stores nothing if the OVERLAPPED is pending, since another
 * request then uses it. */
static inline void os_overlapped_refuse(OVERLAPPED *overlapped, HRESULT status)
{
	ULONG_PTR seen = __atomic_load_n(&overlapped->Internal, __ATOMIC_RELAXED);

	while ((HRESULT)seen != ND_PENDING &&
	       !__atomic_compare_exchange_n(&overlapped->Internal, &seen, (uint32_t)status, 1,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

#endif
