/*
 * Interlocked operations and singly linked lists. In C the operations are macros, in C++ function
 * templates. An operation takes the address of a pointer or of an integer of 8 to 64 bits. On Linux
 * `long` has 64 bits, LONG has 32 bits as on Windows. Each operation is a full memory barrier,
 * unless its name ends with Acquire, Release or NoFence.
 */
#ifndef COMPAT_INTERLOCKEDAPI_H
#define COMPAT_INTERLOCKEDAPI_H

#include "winnt.h"

typedef struct DECLSPEC_ALIGN(MEMORY_ALLOCATION_ALIGNMENT) _SLIST_ENTRY {
	struct _SLIST_ENTRY *Next;
} SLIST_ENTRY, *PSLIST_ENTRY;

/* The head of a singly linked list that threads share. The members differ from those on Windows. */
typedef struct DECLSPEC_ALIGN(MEMORY_ALLOCATION_ALIGNMENT) _SLIST_HEADER {
	PSLIST_ENTRY compat_first;
	ULONG compat_depth;
	ULONG compat_locked;
} SLIST_HEADER, *PSLIST_HEADER;

COMPAT_BEGIN

/* Initializes a list as empty. */
void InitializeSListHead(PSLIST_HEADER head);

/*
 * Pushes an entry to the front of the list and returns the former first entry. Takes a spin lock in
 * the list head; on Windows the list needs no lock.
 */
PSLIST_ENTRY InterlockedPushEntrySList(PSLIST_HEADER head, PSLIST_ENTRY entry);

/* Removes and returns the first entry, or returns NULL if the list is empty. */
PSLIST_ENTRY InterlockedPopEntrySList(PSLIST_HEADER head);

/*
 * Empties the list and returns the former first entry. The entries remain linked with each other.
 */
PSLIST_ENTRY InterlockedFlushSList(PSLIST_HEADER head);

/* Returns the number of entries in the list, modulo 65536. */
USHORT QueryDepthSList(PSLIST_HEADER head);

COMPAT_END

#ifndef __cplusplus

/*
 * Interlocked...Increment, ...Decrement and InterlockedAdd return the new value of *p. All other
 * operations, InterlockedExchangeAdd included, return the value that *p had before.
 */
#define InterlockedIncrement(p)		      __atomic_add_fetch((p), 1, __ATOMIC_SEQ_CST)
#define InterlockedIncrement16(p)	      __atomic_add_fetch((p), 1, __ATOMIC_SEQ_CST)
#define InterlockedIncrement64(p)	      __atomic_add_fetch((p), 1, __ATOMIC_SEQ_CST)
#define InterlockedDecrement(p)		      __atomic_sub_fetch((p), 1, __ATOMIC_SEQ_CST)
#define InterlockedDecrement16(p)	      __atomic_sub_fetch((p), 1, __ATOMIC_SEQ_CST)
#define InterlockedDecrement64(p)	      __atomic_sub_fetch((p), 1, __ATOMIC_SEQ_CST)
#define InterlockedAdd(p, v)		      __atomic_add_fetch((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedAdd64(p, v)		      __atomic_add_fetch((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedExchangeAdd(p, v)	      __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedExchangeAdd64(p, v)	      __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedExchange(p, v)	      __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedExchange8(p, v)	      __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedExchange16(p, v)	      __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedExchange64(p, v)	      __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedAnd(p, v)		      __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedAnd8(p, v)		      __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedAnd16(p, v)		      __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedAnd64(p, v)		      __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedOr(p, v)		      __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedOr8(p, v)		      __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedOr16(p, v)		      __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedOr64(p, v)		      __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedXor(p, v)		      __atomic_fetch_xor((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedXor8(p, v)		      __atomic_fetch_xor((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedXor16(p, v)		      __atomic_fetch_xor((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedXor64(p, v)		      __atomic_fetch_xor((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedIncrementAcquire(p)	      __atomic_add_fetch((p), 1, __ATOMIC_ACQUIRE)
#define InterlockedIncrement16Acquire(p)      __atomic_add_fetch((p), 1, __ATOMIC_ACQUIRE)
#define InterlockedIncrement64Acquire(p)      __atomic_add_fetch((p), 1, __ATOMIC_ACQUIRE)
#define InterlockedDecrementAcquire(p)	      __atomic_sub_fetch((p), 1, __ATOMIC_ACQUIRE)
#define InterlockedDecrement16Acquire(p)      __atomic_sub_fetch((p), 1, __ATOMIC_ACQUIRE)
#define InterlockedDecrement64Acquire(p)      __atomic_sub_fetch((p), 1, __ATOMIC_ACQUIRE)
#define InterlockedAddAcquire(p, v)	      __atomic_add_fetch((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedAdd64Acquire(p, v)	      __atomic_add_fetch((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedExchangeAddAcquire(p, v)   __atomic_fetch_add((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedExchangeAdd64Acquire(p, v) __atomic_fetch_add((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedExchangeAcquire(p, v)      __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedExchange8Acquire(p, v)     __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedExchange16Acquire(p, v)    __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedExchange64Acquire(p, v)    __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedAndAcquire(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedAnd8Acquire(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedAnd16Acquire(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedAnd64Acquire(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedOrAcquire(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedOr8Acquire(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedOr16Acquire(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedOr64Acquire(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedXorAcquire(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedXor8Acquire(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedXor16Acquire(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedXor64Acquire(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedIncrementRelease(p)	      __atomic_add_fetch((p), 1, __ATOMIC_RELEASE)
#define InterlockedIncrement16Release(p)      __atomic_add_fetch((p), 1, __ATOMIC_RELEASE)
#define InterlockedIncrement64Release(p)      __atomic_add_fetch((p), 1, __ATOMIC_RELEASE)
#define InterlockedDecrementRelease(p)	      __atomic_sub_fetch((p), 1, __ATOMIC_RELEASE)
#define InterlockedDecrement16Release(p)      __atomic_sub_fetch((p), 1, __ATOMIC_RELEASE)
#define InterlockedDecrement64Release(p)      __atomic_sub_fetch((p), 1, __ATOMIC_RELEASE)
#define InterlockedAddRelease(p, v)	      __atomic_add_fetch((p), (v), __ATOMIC_RELEASE)
#define InterlockedAdd64Release(p, v)	      __atomic_add_fetch((p), (v), __ATOMIC_RELEASE)
#define InterlockedExchangeAddRelease(p, v)   __atomic_fetch_add((p), (v), __ATOMIC_RELEASE)
#define InterlockedExchangeAdd64Release(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELEASE)
#define InterlockedExchangeRelease(p, v)      __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define InterlockedExchange8Release(p, v)     __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define InterlockedExchange16Release(p, v)    __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define InterlockedExchange64Release(p, v)    __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define InterlockedAndRelease(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_RELEASE)
#define InterlockedAnd8Release(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_RELEASE)
#define InterlockedAnd16Release(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_RELEASE)
#define InterlockedAnd64Release(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_RELEASE)
#define InterlockedOrRelease(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_RELEASE)
#define InterlockedOr8Release(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_RELEASE)
#define InterlockedOr16Release(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_RELEASE)
#define InterlockedOr64Release(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_RELEASE)
#define InterlockedXorRelease(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_RELEASE)
#define InterlockedXor8Release(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_RELEASE)
#define InterlockedXor16Release(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_RELEASE)
#define InterlockedXor64Release(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_RELEASE)
#define InterlockedIncrementNoFence(p)	      __atomic_add_fetch((p), 1, __ATOMIC_RELAXED)
#define InterlockedIncrement16NoFence(p)      __atomic_add_fetch((p), 1, __ATOMIC_RELAXED)
#define InterlockedIncrement64NoFence(p)      __atomic_add_fetch((p), 1, __ATOMIC_RELAXED)
#define InterlockedDecrementNoFence(p)	      __atomic_sub_fetch((p), 1, __ATOMIC_RELAXED)
#define InterlockedDecrement16NoFence(p)      __atomic_sub_fetch((p), 1, __ATOMIC_RELAXED)
#define InterlockedDecrement64NoFence(p)      __atomic_sub_fetch((p), 1, __ATOMIC_RELAXED)
#define InterlockedAddNoFence(p, v)	      __atomic_add_fetch((p), (v), __ATOMIC_RELAXED)
#define InterlockedAdd64NoFence(p, v)	      __atomic_add_fetch((p), (v), __ATOMIC_RELAXED)
#define InterlockedExchangeAddNoFence(p, v)   __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define InterlockedExchangeAdd64NoFence(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define InterlockedExchangeNoFence(p, v)      __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define InterlockedExchange8NoFence(p, v)     __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define InterlockedExchange16NoFence(p, v)    __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define InterlockedExchange64NoFence(p, v)    __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define InterlockedAndNoFence(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_RELAXED)
#define InterlockedAnd8NoFence(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_RELAXED)
#define InterlockedAnd16NoFence(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_RELAXED)
#define InterlockedAnd64NoFence(p, v)	      __atomic_fetch_and((p), (v), __ATOMIC_RELAXED)
#define InterlockedOrNoFence(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_RELAXED)
#define InterlockedOr8NoFence(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_RELAXED)
#define InterlockedOr16NoFence(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_RELAXED)
#define InterlockedOr64NoFence(p, v)	      __atomic_fetch_or((p), (v), __ATOMIC_RELAXED)
#define InterlockedXorNoFence(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_RELAXED)
#define InterlockedXor8NoFence(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_RELAXED)
#define InterlockedXor16NoFence(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_RELAXED)
#define InterlockedXor64NoFence(p, v)	      __atomic_fetch_xor((p), (v), __ATOMIC_RELAXED)

#define InterlockedExchangePointer(p, v)	__atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define InterlockedExchangePointerAcquire(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define InterlockedExchangePointerNoFence(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)

/* If *p equals c, stores v in *p. In either case returns the value that *p had before. */
#define InterlockedCompareExchange(p, v, c)		  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchangeAcquire(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchangeRelease(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchangeNoFence(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchange16(p, v, c)		  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchange16Acquire(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchange16Release(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchange16NoFence(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchange64(p, v, c)		  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchange64Acquire(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchange64Release(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchange64NoFence(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchangePointer(p, v, c)	  __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchangePointerAcquire(p, v, c) __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchangePointerRelease(p, v, c) __sync_val_compare_and_swap((p), (c), (v))
#define InterlockedCompareExchangePointerNoFence(p, v, c) __sync_val_compare_and_swap((p), (c), (v))

/*
 * InterlockedBitTestAndSet sets bit i of *p; InterlockedBitTestAndReset clears bit i of *p. Both
 * return whether the bit was set before.
 */
#define InterlockedBitTestAndSet(p, i)                                                            \
	((BOOLEAN)(__atomic_fetch_or((p), (LONG)(1u << ((i)&31)), __ATOMIC_SEQ_CST) >> ((i)&31) & \
		   1))
#define InterlockedBitTestAndReset(p, i)                                                  \
	((BOOLEAN)(__atomic_fetch_and((p), (LONG) ~(1u << ((i)&31)), __ATOMIC_SEQ_CST) >> \
			   ((i)&31) &                                                     \
		   1))

#else /* C++: function templates instead of macros */

extern "C++" {

/*
 * The compiler does not deduce T from a parameter of type compat_same<T>. Only the type of the
 * address determines T. A literal such as NULL or 5 is then converted to T.
 */
template <class T> struct compat_same {
	typedef T type;
};

#define COMPAT_INTERLOCKED_1(name, builtin, order)             \
	template <class T> static inline T name(T volatile *p) \
	{                                                      \
		return builtin(p, 1, order);                   \
	}
#define COMPAT_INTERLOCKED_2(name, builtin, order)                                              \
	template <class T> static inline T name(T volatile *p, typename compat_same<T>::type v) \
	{                                                                                       \
		return builtin(p, v, order);                                                    \
	}
#define COMPAT_INTERLOCKED_3(name)                                           \
	template <class T>                                                   \
	static inline T name(T volatile *p, typename compat_same<T>::type v, \
			     typename compat_same<T>::type c)                \
	{                                                                    \
		return __sync_val_compare_and_swap(p, c, v);                 \
	}

/*
 * Interlocked...Increment, ...Decrement and InterlockedAdd return the new value of *p. All other
 * operations, InterlockedExchangeAdd included, return the value that *p had before.
 */
COMPAT_INTERLOCKED_1(InterlockedIncrement, __atomic_add_fetch, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_1(InterlockedIncrement16, __atomic_add_fetch, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_1(InterlockedIncrement64, __atomic_add_fetch, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_1(InterlockedDecrement, __atomic_sub_fetch, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_1(InterlockedDecrement16, __atomic_sub_fetch, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_1(InterlockedDecrement64, __atomic_sub_fetch, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedAdd, __atomic_add_fetch, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedAdd64, __atomic_add_fetch, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedExchangeAdd, __atomic_fetch_add, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedExchangeAdd64, __atomic_fetch_add, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedExchange, __atomic_exchange_n, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedExchange8, __atomic_exchange_n, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedExchange16, __atomic_exchange_n, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedExchange64, __atomic_exchange_n, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedAnd, __atomic_fetch_and, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedAnd8, __atomic_fetch_and, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedAnd16, __atomic_fetch_and, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedAnd64, __atomic_fetch_and, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedOr, __atomic_fetch_or, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedOr8, __atomic_fetch_or, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedOr16, __atomic_fetch_or, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedOr64, __atomic_fetch_or, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedXor, __atomic_fetch_xor, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedXor8, __atomic_fetch_xor, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedXor16, __atomic_fetch_xor, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedXor64, __atomic_fetch_xor, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_1(InterlockedIncrementAcquire, __atomic_add_fetch, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_1(InterlockedIncrement16Acquire, __atomic_add_fetch, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_1(InterlockedIncrement64Acquire, __atomic_add_fetch, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_1(InterlockedDecrementAcquire, __atomic_sub_fetch, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_1(InterlockedDecrement16Acquire, __atomic_sub_fetch, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_1(InterlockedDecrement64Acquire, __atomic_sub_fetch, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedAddAcquire, __atomic_add_fetch, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedAdd64Acquire, __atomic_add_fetch, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedExchangeAddAcquire, __atomic_fetch_add, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedExchangeAdd64Acquire, __atomic_fetch_add, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedExchangeAcquire, __atomic_exchange_n, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedExchange8Acquire, __atomic_exchange_n, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedExchange16Acquire, __atomic_exchange_n, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedExchange64Acquire, __atomic_exchange_n, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedAndAcquire, __atomic_fetch_and, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedAnd8Acquire, __atomic_fetch_and, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedAnd16Acquire, __atomic_fetch_and, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedAnd64Acquire, __atomic_fetch_and, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedOrAcquire, __atomic_fetch_or, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedOr8Acquire, __atomic_fetch_or, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedOr16Acquire, __atomic_fetch_or, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedOr64Acquire, __atomic_fetch_or, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedXorAcquire, __atomic_fetch_xor, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedXor8Acquire, __atomic_fetch_xor, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedXor16Acquire, __atomic_fetch_xor, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedXor64Acquire, __atomic_fetch_xor, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_1(InterlockedIncrementRelease, __atomic_add_fetch, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_1(InterlockedIncrement16Release, __atomic_add_fetch, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_1(InterlockedIncrement64Release, __atomic_add_fetch, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_1(InterlockedDecrementRelease, __atomic_sub_fetch, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_1(InterlockedDecrement16Release, __atomic_sub_fetch, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_1(InterlockedDecrement64Release, __atomic_sub_fetch, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedAddRelease, __atomic_add_fetch, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedAdd64Release, __atomic_add_fetch, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedExchangeAddRelease, __atomic_fetch_add, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedExchangeAdd64Release, __atomic_fetch_add, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedExchangeRelease, __atomic_exchange_n, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedExchange8Release, __atomic_exchange_n, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedExchange16Release, __atomic_exchange_n, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedExchange64Release, __atomic_exchange_n, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedAndRelease, __atomic_fetch_and, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedAnd8Release, __atomic_fetch_and, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedAnd16Release, __atomic_fetch_and, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedAnd64Release, __atomic_fetch_and, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedOrRelease, __atomic_fetch_or, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedOr8Release, __atomic_fetch_or, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedOr16Release, __atomic_fetch_or, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedOr64Release, __atomic_fetch_or, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedXorRelease, __atomic_fetch_xor, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedXor8Release, __atomic_fetch_xor, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedXor16Release, __atomic_fetch_xor, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_2(InterlockedXor64Release, __atomic_fetch_xor, __ATOMIC_RELEASE)
COMPAT_INTERLOCKED_1(InterlockedIncrementNoFence, __atomic_add_fetch, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_1(InterlockedIncrement16NoFence, __atomic_add_fetch, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_1(InterlockedIncrement64NoFence, __atomic_add_fetch, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_1(InterlockedDecrementNoFence, __atomic_sub_fetch, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_1(InterlockedDecrement16NoFence, __atomic_sub_fetch, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_1(InterlockedDecrement64NoFence, __atomic_sub_fetch, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedAddNoFence, __atomic_add_fetch, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedAdd64NoFence, __atomic_add_fetch, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedExchangeAddNoFence, __atomic_fetch_add, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedExchangeAdd64NoFence, __atomic_fetch_add, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedExchangeNoFence, __atomic_exchange_n, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedExchange8NoFence, __atomic_exchange_n, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedExchange16NoFence, __atomic_exchange_n, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedExchange64NoFence, __atomic_exchange_n, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedAndNoFence, __atomic_fetch_and, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedAnd8NoFence, __atomic_fetch_and, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedAnd16NoFence, __atomic_fetch_and, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedAnd64NoFence, __atomic_fetch_and, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedOrNoFence, __atomic_fetch_or, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedOr8NoFence, __atomic_fetch_or, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedOr16NoFence, __atomic_fetch_or, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedOr64NoFence, __atomic_fetch_or, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedXorNoFence, __atomic_fetch_xor, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedXor8NoFence, __atomic_fetch_xor, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedXor16NoFence, __atomic_fetch_xor, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedXor64NoFence, __atomic_fetch_xor, __ATOMIC_RELAXED)
COMPAT_INTERLOCKED_2(InterlockedExchangePointer, __atomic_exchange_n, __ATOMIC_SEQ_CST)
COMPAT_INTERLOCKED_2(InterlockedExchangePointerAcquire, __atomic_exchange_n, __ATOMIC_ACQUIRE)
COMPAT_INTERLOCKED_2(InterlockedExchangePointerNoFence, __atomic_exchange_n, __ATOMIC_RELAXED)

/* If *p equals c, stores v in *p. In either case returns the value that *p had before. */
COMPAT_INTERLOCKED_3(InterlockedCompareExchange)
COMPAT_INTERLOCKED_3(InterlockedCompareExchangeAcquire)
COMPAT_INTERLOCKED_3(InterlockedCompareExchangeRelease)
COMPAT_INTERLOCKED_3(InterlockedCompareExchangeNoFence)
COMPAT_INTERLOCKED_3(InterlockedCompareExchange16)
COMPAT_INTERLOCKED_3(InterlockedCompareExchange16Acquire)
COMPAT_INTERLOCKED_3(InterlockedCompareExchange16Release)
COMPAT_INTERLOCKED_3(InterlockedCompareExchange16NoFence)
COMPAT_INTERLOCKED_3(InterlockedCompareExchange64)
COMPAT_INTERLOCKED_3(InterlockedCompareExchange64Acquire)
COMPAT_INTERLOCKED_3(InterlockedCompareExchange64Release)
COMPAT_INTERLOCKED_3(InterlockedCompareExchange64NoFence)
COMPAT_INTERLOCKED_3(InterlockedCompareExchangePointer)
COMPAT_INTERLOCKED_3(InterlockedCompareExchangePointerAcquire)
COMPAT_INTERLOCKED_3(InterlockedCompareExchangePointerRelease)
COMPAT_INTERLOCKED_3(InterlockedCompareExchangePointerNoFence)

/*
 * InterlockedBitTestAndSet sets bit i of *p; InterlockedBitTestAndReset clears bit i of *p. Both
 * return whether the bit was set before.
 */
template <class T> static inline BOOLEAN InterlockedBitTestAndSet(T volatile *p, LONG i)
{
	return (BOOLEAN)(__atomic_fetch_or(p, (T)(1u << (i & 31)), __ATOMIC_SEQ_CST) >> (i & 31) &
			 1);
}
template <class T> static inline BOOLEAN InterlockedBitTestAndReset(T volatile *p, LONG i)
{
	return (BOOLEAN)(__atomic_fetch_and(p, (T) ~(1u << (i & 31)), __ATOMIC_SEQ_CST) >>
				 (i & 31) &
			 1);
}
}

#endif /* end of the C++ function templates */

/* Microsoft's compiler has the same operations under names with an underscore in front. */
#define _InterlockedIncrement		   InterlockedIncrement
#define _InterlockedDecrement		   InterlockedDecrement
#define _InterlockedIncrement16		   InterlockedIncrement16
#define _InterlockedDecrement16		   InterlockedDecrement16
#define _InterlockedIncrement64		   InterlockedIncrement64
#define _InterlockedDecrement64		   InterlockedDecrement64
#define _InterlockedAdd			   InterlockedAdd
#define _InterlockedAdd64		   InterlockedAdd64
#define _InterlockedExchange		   InterlockedExchange
#define _InterlockedExchange8		   InterlockedExchange8
#define _InterlockedExchange16		   InterlockedExchange16
#define _InterlockedExchange64		   InterlockedExchange64
#define _InterlockedExchangeAdd		   InterlockedExchangeAdd
#define _InterlockedExchangeAdd64	   InterlockedExchangeAdd64
#define _InterlockedExchangePointer	   InterlockedExchangePointer
#define _InterlockedCompareExchange	   InterlockedCompareExchange
#define _InterlockedCompareExchange16	   InterlockedCompareExchange16
#define _InterlockedCompareExchange64	   InterlockedCompareExchange64
#define _InterlockedCompareExchangePointer InterlockedCompareExchangePointer
#define _InterlockedAnd			   InterlockedAnd
#define _InterlockedAnd8		   InterlockedAnd8
#define _InterlockedAnd16		   InterlockedAnd16
#define _InterlockedAnd64		   InterlockedAnd64
#define _InterlockedOr			   InterlockedOr
#define _InterlockedOr8			   InterlockedOr8
#define _InterlockedOr16		   InterlockedOr16
#define _InterlockedOr64		   InterlockedOr64
#define _InterlockedXor			   InterlockedXor
#define _InterlockedXor64		   InterlockedXor64

/*
 * Each of these macros is one atomic read or write. The end of the macro's name gives the memory
 * order: Acquire, Release or NoFence.
 */
#define ReadAcquire(p)		  __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define ReadNoFence(p)		  __atomic_load_n((p), __ATOMIC_RELAXED)
#define WriteRelease(p, v)	  __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define WriteNoFence(p, v)	  __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define ReadAcquire64(p)	  __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define ReadNoFence64(p)	  __atomic_load_n((p), __ATOMIC_RELAXED)
#define WriteRelease64(p, v)	  __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define WriteNoFence64(p, v)	  __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define ReadPointerAcquire(p)	  __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define ReadPointerNoFence(p)	  __atomic_load_n((p), __ATOMIC_RELAXED)
#define WritePointerRelease(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define WritePointerNoFence(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)

#endif
