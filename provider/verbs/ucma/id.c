/* Ids: their numbers, creation and destruction, and the commands for that. Owns the table of ids.
 * The callers hold the lock.
 *
 * A number consists of a slot of the table and a count of the slot's ids, so that the number of an
 * id that was destroyed means nothing for a long time. */
#include "ucma/ucma.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define SLOT_BITS 16
#define MAX_IDS	  (1u << SLOT_BITS)

static struct ucma_id **slots;
static uint8_t *uses; /* how many ids each slot has had, modulo 255 */
static uint32_t nslots, nids, cursor;

static uint32_t slot_of(uint32_t handle)
{
	return handle & (MAX_IDS - 1);
}

/* Doubles the table. */
static bool grow(void)
{
	uint32_t n = nslots ? 2 * nslots : 64;
	struct ucma_id **more = realloc(slots, n * sizeof(struct ucma_id *));
	uint8_t *more_uses;

	if (more == NULL)
		return false;
	slots = more;
	more_uses = realloc(uses, n);
	if (more_uses == NULL)
		return false;
	uses = more_uses;
	for (uint32_t i = nslots; i < n; i++) {
		slots[i] = NULL;
		uses[i] = 0;
	}
	cursor = nslots;
	nslots = n;
	return true;
}

/* Gives the id a slot and a number. Every slot gets its turn before one is used again. */
static bool add(struct ucma_id *id)
{
	if (nids == MAX_IDS || (nids == nslots && !grow()))
		return false;
	while (slots[cursor % nslots] != NULL)
		cursor++;
	cursor %= nslots;
	uses[cursor] = (uint8_t)(uses[cursor] % 255 + 1);
	id->handle = (uint32_t)uses[cursor] << SLOT_BITS | cursor;
	slots[cursor++] = id;
	nids++;
	return true;
}

struct ucma_id *ucma_id_find(uint32_t handle)
{
	uint32_t slot = slot_of(handle);

	return slot < nslots && slots[slot] != NULL && slots[slot]->handle == handle ? slots[slot]
										     : NULL;
}

struct ucma_id *ucma_id_next(uint32_t *at)
{
	while (*at < nslots) {
		struct ucma_id *id = slots[(*at)++];

		if (id != NULL)
			return id;
	}
	return NULL;
}

uint64_t ucma_id_user(const struct ucma_id *id, const struct ucma_adapter *adapter)
{
	return adapter->target.number | (uint64_t)id->handle << VB_TARGET_TAG_SHIFT;
}

struct ucma_id *ucma_id_new(struct ucma_file *file, uint16_t port_space, uint8_t qp_type)
{
	struct ucma_id *id = calloc(1, sizeof(*id));

	if (id == NULL)
		return NULL;
	/* Others on the network must not be able to guess the PSN. */
	if (getrandom(&id->psn, sizeof(id->psn), 0) != sizeof(id->psn) || !add(id)) {
		free(id);
		return NULL;
	}
	id->psn &= VB_PSN_MASK;
	id->file = file;
	id->port_space = port_space;
	id->qp_type = qp_type;
	return id;
}

/* Ends what the id does on the wire: the CM sends the peer what the state demands. */
static void end_on_wire(struct ucma_id *id)
{
	unsigned n;
	struct ucma_adapter *all = ucma_adapters(&n);

	if (id->cm != 0)
		vb_engine.cm_destroy(id->adapter->nic->client, id->cm);
	id->cm = 0;
	for (unsigned i = 0; i < n; i++) {
		if (id->listener[i] != 0)
			vb_engine.cm_destroy(all[i].nic->client, id->listener[i]);
		id->listener[i] = 0;
	}
}

void ucma_id_destroy(struct ucma_id *id)
{
	struct ucma_group *group;

	end_on_wire(id);
	ucma_event_withdraw(id, NULL);
	while ((group = id->groups) != NULL) {
		id->groups = group->next;
		free(group);
	}
	slots[slot_of(id->handle)] = NULL;
	nids--;
	free(id);
}

/* Takes the lock when the process ends. Returns false if the lock stays taken for a second: a
 * signal handler may have called exit() in a command. */
static bool lock_at_end(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	return pthread_mutex_clocklock(&ucma_lock, CLOCK_MONOTONIC, &until) == 0;
}

/* Ends all ids on the wire, so that peers need not time out. */
void vb_ucma_end(void)
{
	struct ucma_id *id;
	uint32_t at = 0;

	if (!lock_at_end())
		return;
	while ((id = ucma_id_next(&at)) != NULL)
		end_on_wire(id);
	pthread_mutex_unlock(&ucma_lock);
}

bool vb_ucma_forget(const struct vb_nic *nic)
{
	struct ucma_adapter *all;
	struct ucma_id *id;
	uint32_t at = 0;
	unsigned n;

	if (!lock_at_end())
		return false;
	ucma_adapter_end(nic);
	/* Threads of the program may still give commands. */
	while ((id = ucma_id_next(&at)) != NULL) {
		all = ucma_adapters(&n);
		for (unsigned i = 0; i < n; i++)
			if (all[i].ended)
				id->listener[i] = 0;
		if (id->adapter != NULL && id->adapter->ended) {
			id->cm = 0;
			id->state = UCMA_ADAPTER_REMOVED;
		}
	}
	pthread_mutex_unlock(&ucma_lock);
	return true;
}

/* ---- commands ---- */

int ucma_call_id(const struct ucma_call *call, uint32_t handle, bool needs_adapter,
		 struct ucma_id **id)
{
	*id = ucma_id_find(handle);
	if (*id == NULL)
		return ENOENT;
	if ((*id)->file != call->file)
		return EINVAL;
	if ((*id)->state == UCMA_ADAPTER_REMOVED)
		return ENXIO;
	return needs_adapter && (*id)->adapter == NULL ? EINVAL : 0;
}

/* The kind of queue pairs that a port space has; 0: no such port space. */
static uint8_t type_of(const struct rdma_ucm_create_id *cmd)
{
	switch (cmd->ps) {
	case RDMA_PS_TCP:
		return IBV_QPT_RC;
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
		return IBV_QPT_UD;
	case RDMA_PS_IB:
		return cmd->qp_type;
	default:
		return 0;
	}
}

int ucma_create_id(struct ucma_call *call)
{
	const struct rdma_ucm_create_id *cmd = &call->in.create_id;
	uint8_t type = type_of(cmd);
	struct ucma_id *id;

	if (type == 0)
		return EINVAL;
	id = ucma_id_new(call->file, cmd->ps, type);
	if (id == NULL)
		return ENOMEM;
	id->uid = cmd->uid;
	call->out.create_id.id = id->handle;
	return 0;
}

int ucma_destroy_id(struct ucma_call *call)
{
	struct ucma_id *id;
	int rc = ucma_call_id(call, call->in.destroy_id.id, false, &id);

	if (rc != 0 && rc != ENXIO)
		return rc;
	ucma_event_withdraw(id, NULL);
	call->out.destroy_id.events_reported = id->events_reported;
	ucma_id_destroy(id);
	return 0;
}

static int migrate(struct ucma_call *call, struct ucma_file *from)
{
	struct ucma_id *id = ucma_id_find(call->in.migrate_id.id);

	if (id == NULL)
		return ENOENT;
	if (id->file != from)
		return EINVAL;
	if (id->state == UCMA_ADAPTER_REMOVED)
		return ENXIO;
	if (from != call->file) {
		ucma_event_move(id, call->file);
		id->file = call->file;
	}
	call->out.migrate.events_reported = id->events_reported;
	return 0;
}

/* Moves an id, which the command names with its old file, to the file of the command. */
int ucma_migrate_id(struct ucma_call *call)
{
	int fd = (int)call->in.migrate_id.fd, rc;
	struct ucma_file *from = ucma_file_get(fd);

	if (from == NULL)
		return fcntl(fd, F_GETFD) == -1 ? ENOENT : EINVAL;
	rc = migrate(call, from);
	ucma_file_put(from);
	return rc;
}
