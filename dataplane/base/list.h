/* Intrusive doubly linked list. The head has the same type as an element. An unlinked element
 * points to itself, and so does the head of an empty list. A list owns no memory and is not
 * thread-safe. */
#ifndef RN_LIST_H
#define RN_LIST_H

#include <stdbool.h>

#include "base/types.h"

struct rn_list {
	struct rn_list *next, *prev;
};

static inline void rn_list_init(struct rn_list *l)
{
	l->next = l->prev = l;
}

static inline bool rn_list_empty(const struct rn_list *l)
{
	return l->next == l;
}

static inline void rn_list_add_tail(struct rn_list *head, struct rn_list *e)
{
	e->prev = head->prev;
	e->next = head;
	head->prev->next = e;
	head->prev = e;
}

static inline void rn_list_add_head(struct rn_list *head, struct rn_list *e)
{
	e->next = head->next;
	e->prev = head;
	head->next->prev = e;
	head->next = e;
}

/* Removes e from its list. Has no effect if e is initialised and in no list. */
static inline void rn_list_del(struct rn_list *e)
{
	e->prev->next = e->next;
	e->next->prev = e->prev;
	rn_list_init(e);
}

/* Unlinks and returns the first element of the list. Returns NULL if the list is empty. */
static inline struct rn_list *rn_list_pop(struct rn_list *head)
{
	struct rn_list *e = head->next;
	if (e == head)
		return NULL;
	rn_list_del(e);
	return e;
}

#define rn_list_for_each(pos, head) for ((pos) = (head)->next; (pos) != (head); (pos) = (pos)->next)

/* The loop body may unlink or free pos, but no other element. */
#define rn_list_for_each_safe(pos, tmp, head)                            \
	for ((pos) = (head)->next, (tmp) = (pos)->next; (pos) != (head); \
	     (pos) = (tmp), (tmp) = (pos)->next)

#endif
