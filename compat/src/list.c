/*
 * How do threads push entries to a shared stack (SLIST) and pop entries from it? This file keeps no
 * state: the client's memory contains the head and the entries. The functions run on the caller's
 * thread.
 */
#include <interlockedapi.h>
#include <sched.h>

static void lock(PSLIST_HEADER head)
{
	while (__atomic_exchange_n(&head->compat_locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(PSLIST_HEADER head)
{
	__atomic_store_n(&head->compat_locked, 0, __ATOMIC_RELEASE);
}

void InitializeSListHead(PSLIST_HEADER head)
{
	*head = (SLIST_HEADER){0};
}

PSLIST_ENTRY InterlockedPushEntrySList(PSLIST_HEADER head, PSLIST_ENTRY entry)
{
	PSLIST_ENTRY former;

	lock(head);
	former = head->compat_first;
	entry->Next = former;
	head->compat_first = entry;
	head->compat_depth++;
	unlock(head);
	return former;
}

PSLIST_ENTRY InterlockedPopEntrySList(PSLIST_HEADER head)
{
	PSLIST_ENTRY entry;

	lock(head);
	entry = head->compat_first;
	if (entry) {
		head->compat_first = entry->Next;
		head->compat_depth--;
	}
	unlock(head);
	return entry;
}

PSLIST_ENTRY InterlockedFlushSList(PSLIST_HEADER head)
{
	PSLIST_ENTRY first;

	lock(head);
	first = head->compat_first;
	head->compat_first = NULL;
	head->compat_depth = 0;
	unlock(head);
	return first;
}

USHORT QueryDepthSList(PSLIST_HEADER head)
{
	USHORT depth;

	lock(head);
	depth = (USHORT)head->compat_depth;
	unlock(head);
	return depth;
}
