/* Lists and opens adapters, and takes the events of adapters. Owns struct rn_client. Any thread may
 * call these functions, but only one thread at a time may take events. */
#include "client/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int rn_client_list(const char *path, struct rn_link_info *info, unsigned n, char *err,
		   size_t errlen)
{
	return rn_link_list(path, info, n, err, errlen);
}

struct rn_client *rn_client_attach(struct rn_link *link)
{
	struct rn_client *client = calloc(1, sizeof(*client));

	if (client == NULL)
		return NULL;
	client->link = link;
	link->ops->info(link, &client->info);
	return client;
}

int rn_client_open(const char *path, unsigned index, struct rn_client **client, char *err,
		   size_t errlen)
{
	struct rn_link *link;
	int rc = rn_link_open(path, index, &link, err, errlen);

	if (rc != 0)
		return rc;
	*client = rn_client_attach(link);
	if (*client == NULL) {
		rn_link_close(link);
		snprintf(err, errlen, "out of memory");
		return -ENOMEM;
	}
	(*client)->owns_link = true;
	return 0;
}

void rn_client_close(struct rn_client *client)
{
	if (client->owns_link)
		rn_link_close(client->link);
	free(client);
}

const struct rn_link_info *rn_client_info(const struct rn_client *client)
{
	return &client->info;
}

void rn_client_stats(struct rn_client *client,
		     void (*fn)(void *arg, const char *name, uint64_t value), void *arg)
{
	client->link->ops->stats(client->link, fn, arg);
}

unsigned rn_client_wait(struct rn_client *client, struct rn_event *ev, unsigned n, int timeout_ms)
{
	return client->link->ops->wait(client->link, ev, n, timeout_ms);
}

void rn_client_interrupt(struct rn_client *client)
{
	client->link->ops->interrupt(client->link);
}

void rn_client_progress(struct rn_client *client)
{
	client->link->ops->progress(client->link);
}

bool rn_client_gone(const struct rn_client *client)
{
	return atomic_load(&client->link->gone) != 0;
}
