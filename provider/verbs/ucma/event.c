/* The queue of events of a file. The count of the file's eventfd is the number of events, except
 * for a moment: the count is raised after an event was queued, and lowered before an event is
 * taken. If an event is withdrawn in that moment, `debt` counts the thread that has lowered the
 * count for it: the next thread that comes for an event pays the debt by waiting again. The callers
 * hold the lock, except for ucma_event_wait(). */
#include "ucma/ucma.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct ucma_event *ucma_event_new(struct ucma_id *id, enum ucma_event_kind kind, int status)
{
	struct ucma_event *ev = calloc(1, sizeof(*ev));

	if (ev == NULL)
		return NULL;
	ev->id = id;
	ev->resp.uid = id->uid;
	ev->resp.id = id->handle;
	ev->resp.event = kind;
	ev->resp.status = (uint32_t)status;
	return ev;
}

/* Raises the count by one. A write() would come back to this library as a command. */
static void raise_count(const struct ucma_file *file)
{
	const uint64_t one = 1;

	syscall(SYS_write, file->fd, &one, sizeof(one));
}

/* Lowers the count by one for an event that is withdrawn, unless a thread has done so already. */
static void lower_count(struct ucma_file *file)
{
	uint64_t one;
	const struct iovec to = {&one, sizeof(one)};
	ssize_t n = preadv2(file->fd, &to, 1, -1, RWF_NOWAIT);

	if (n != sizeof(one))
		file->debt++;
}

static void append(struct ucma_file *file, struct ucma_event *ev)
{
	ev->next = NULL;
	if (file->last != NULL)
		file->last->next = ev;
	else
		file->first = ev;
	file->last = ev;
	raise_count(file);
}

void ucma_event_send(struct ucma_event *ev)
{
	if (ev->id->uid == 0 && ev->resp.event != UCMA_CONNECT_REQUEST)
		free(ev);
	else
		append(ev->id->file, ev);
}

void ucma_event_post(struct ucma_id *id, enum ucma_event_kind kind, int status)
{
	struct ucma_event *ev = ucma_event_new(id, kind, status);

	if (ev != NULL)
		ucma_event_send(ev);
}

/* Takes the events of an id, or of one of its groups, out of the queue and returns them as a
 * list. */
static struct ucma_event *take_all(struct ucma_file *file, const struct ucma_id *id,
				   const struct ucma_group *group)
{
	struct ucma_event *taken = NULL, **taken_end = &taken, *ev, *next;
	struct ucma_event *all = file->first;

	file->first = file->last = NULL;
	for (ev = all; ev != NULL; ev = next) {
		next = ev->next;
		ev->next = NULL;
		if (ev->id == id && (group == NULL || ev->group == group)) {
			*taken_end = ev;
			taken_end = &ev->next;
			lower_count(file);
		} else {
			if (file->last != NULL)
				file->last->next = ev;
			else
				file->first = ev;
			file->last = ev;
		}
	}
	return taken;
}

void ucma_event_withdraw(struct ucma_id *id, const struct ucma_group *group)
{
	struct ucma_event *ev = take_all(id->file, id, group), *next;

	for (; ev != NULL; ev = next) {
		next = ev->next;
		if (ev->child != NULL)
			ucma_id_destroy(ev->child);
		free(ev);
	}
}

void ucma_event_move(struct ucma_id *id, struct ucma_file *to)
{
	struct ucma_event *ev = take_all(id->file, id, NULL), *next;

	for (; ev != NULL; ev = next) {
		next = ev->next;
		if (ev->child != NULL)
			ev->child->file = to;
		append(to, ev);
	}
}

static void put_file(void *file)
{
	ucma_file_put(file);
}

/* Waits for the count. Returns 0 or an errno. The program may cancel the thread here; then the
 * thread's hold on the file ends. */
static int wait_for_count(struct ucma_file *file)
{
	uint64_t one;
	int rc;

	pthread_cleanup_push(put_file, file);
	rc = read(file->fd, &one, sizeof(one)) == sizeof(one) ? 0 : errno;
	pthread_cleanup_pop(0);
	return rc;
}

int ucma_event_wait(struct ucma_file *file, struct ucma_event **ev)
{
	int rc = wait_for_count(file);

	if (rc != 0)
		return rc;
	pthread_mutex_lock(&ucma_lock);
	while (file->first == NULL || file->debt > 0) { /* the event was withdrawn */
		file->debt -= file->debt > 0;
		pthread_mutex_unlock(&ucma_lock);
		rc = wait_for_count(file);
		if (rc != 0)
			return rc;
		pthread_mutex_lock(&ucma_lock);
	}
	*ev = file->first;
	file->first = (*ev)->next;
	if (file->first == NULL)
		file->last = NULL;
	return 0;
}

void ucma_event_return(struct ucma_event *ev)
{
	struct ucma_file *file = ev->id->file;

	ev->next = file->first;
	file->first = ev;
	if (file->last == NULL)
		file->last = ev;
	raise_count(file);
}
