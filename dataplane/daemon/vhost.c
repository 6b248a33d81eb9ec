/* How is a client's shared memory attached, and what may the client ask of librte_vhost? The table
 * of devices is shared by the library's threads, the control thread and the handler of SIGBUS. */
#include "daemon/vhost.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/magic.h>
#include <rte_log.h>
#include <rte_vhost.h>

#include "base/types.h"

#define REGIONS 64 /* areas of memory of one client; the library takes 8 in one message */
/* How long the library's thread waits for the rest of a message, in us. */
#define PATIENCE_US 100000

/* struct rn_vhost.used; 0: unused */
#define TAKEN 1u
#define READY 2u

struct region {
	uintptr_t at;
	size_t bytes;
};

struct rn_vhost {
	_Atomic uint32_t used;
	char path[32];
	const struct rn_vhost_ops *ops;
	void *arg;
	bool up;
	_Atomic uint32_t ended; /* the client has ended its connection */
	/* The handler of SIGBUS reads these, and sets `unusable`. */
	_Atomic uint32_t nregions;
	struct region region[REGIONS];
	_Atomic uint32_t unusable;
};

/* Static, because the handler of SIGBUS may look at any device at any time. */
static struct rn_vhost devices[RN_VHOST_MAX];

/* ---- messages ---- */

/* The messages that virtio_user sends over a socket. Numbers are those of the vhost-user
 * protocol. */
static const uint8_t allowed[] = {
	1,  /* GET_FEATURES */
	2,  /* SET_FEATURES */
	3,  /* SET_OWNER */
	5,  /* SET_MEM_TABLE */
	8,  /* SET_VRING_NUM */
	9,  /* SET_VRING_ADDR */
	10, /* SET_VRING_BASE */
	11, /* GET_VRING_BASE */
	12, /* SET_VRING_KICK */
	13, /* SET_VRING_CALL */
	15, /* GET_PROTOCOL_FEATURES */
	16, /* SET_PROTOCOL_FEATURES */
	17, /* GET_QUEUE_NUM */
	18, /* SET_VRING_ENABLE */
	39, /* SET_STATUS */
	40, /* GET_STATUS */
};
#define SET_MEM_TABLE  5
#define SET_VRING_KICK 12
#define SET_VRING_CALL 13
#define NO_FD	       0x100u /* of SET_VRING_KICK and SET_VRING_CALL: no descriptor comes along */
#define HEADER	       12     /* bytes of a message before its payload */

/* A message begins with its number. */
static uint32_t number_of(const void *msg)
{
	uint32_t number;

	memcpy(&number, msg, sizeof(number));
	return number;
}

static struct rn_vhost *device_of(int vid)
{
	char path[64];

	if (rte_vhost_get_ifname(vid, path, sizeof(path)) != 0)
		return NULL;
	for (unsigned i = 0; i < RN_VHOST_MAX; i++)
		if (atomic_load(&devices[i].used) == READY && strcmp(devices[i].path, path) == 0)
			return &devices[i];
	return NULL;
}

/* True while this thread handles SET_MEM_TABLE: the library maps other memory, translates the
 * addresses of the rings again, and reads them. `blanked`: some of that memory was missing. */
static __thread bool maps_memory, blanked;

static enum rte_vhost_msg_result before_message(int vid, void *msg)
{
	struct rn_vhost *v = device_of(vid);

	maps_memory = number_of(msg) == SET_MEM_TABLE;
	blanked = false;
	if (maps_memory && v != NULL)
		atomic_store(&v->nregions, 0);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(allowed); i++)
		if (allowed[i] == number_of(msg))
			return RTE_VHOST_MSG_RESULT_NOT_HANDLED; /* the library handles it */
	return RTE_VHOST_MSG_RESULT_ERR;
}

bool rn_vhost_is_eventfd(int fd)
{
	char path[32], link[32] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, link, sizeof(link) - 1) > 0 &&
	       strcmp(link, "anon_inode:[eventfd]") == 0;
}

/* Is the file memory of the kernel (memfd, /dev/shm, hugepages)? A page of any other file may come
 * late or never, and the forwarding thread would wait for the page: a client can have a file system
 * of its own (FUSE). */
static bool is_memory(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == HUGETLBFS_MAGIC);
}

/* Replaces memory of a client by empty pages. Can be called by a handler of signals: mmap() is not
 * in the list of POSIX for these, but it is a system call without state of the C library. */
static bool blank(const struct region *r)
{
	return mmap((void *)r->at, r->bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

/* Stores where the memory of the client is mapped, for the handler of SIGBUS. The library holds the
 * locks of the rings, so that a file that is no memory is replaced before it is used. */
static void note_memory(struct rn_vhost *v, int vid)
{
	struct rte_vhost_memory *mem = NULL;
	unsigned n = 0;

	atomic_store(&v->nregions, 0);
	if (rte_vhost_get_mem_table(vid, &mem) != 0)
		return;
	for (; n < mem->nregions && n < REGIONS; n++) {
		v->region[n] = (struct region){(uintptr_t)mem->regions[n].mmap_addr,
					       mem->regions[n].mmap_size};
		if (!is_memory(mem->regions[n].fd)) {
			atomic_store(&v->unusable, 1);
			blank(&v->region[n]);
		}
	}
	free(mem);
	atomic_store(&v->nregions, n);
}

/* Are the descriptors of the ring eventfds? Reading, writing and waiting for any other file may
 * take as long as the client likes. */
static bool has_eventfds(int vid, uint16_t ring)
{
	struct rte_vhost_vring r;

	if (rte_vhost_get_vhost_vring(vid, ring, &r) != 0)
		return true;
	return (r.callfd < 0 || rn_vhost_is_eventfd(r.callfd)) &&
	       (r.kickfd < 0 || rn_vhost_is_eventfd(r.kickfd));
}

/* Runs under the locks of the rings. */
static enum rte_vhost_msg_result after_message(int vid, void *msg)
{
	uint32_t number = number_of(msg);
	struct rn_vhost *v = device_of(vid);
	uint64_t ring;

	maps_memory = false;
	if (v == NULL)
		return RTE_VHOST_MSG_RESULT_NOT_HANDLED;
	memcpy(&ring, (const uint8_t *)msg + HEADER, sizeof(ring));
	if (blanked)
		atomic_store(&v->unusable, 1);
	if (number == SET_MEM_TABLE)
		note_memory(v, vid);
	else if ((number == SET_VRING_KICK || number == SET_VRING_CALL) && (ring & NO_FD) == 0 &&
		 !has_eventfds(vid, (uint16_t)(ring & 0xff)))
		atomic_store(&v->unusable, 1);
	return rn_vhost_broken(v) ? RTE_VHOST_MSG_RESULT_ERR : RTE_VHOST_MSG_RESULT_NOT_HANDLED;
}

static const struct rte_vhost_user_extern_ops messages = {before_message, after_message};

/* ---- the connection ---- */

/* Limits how long a read of the library from a socket of a client may take. The library does not
 * give its descriptor away, and who listens at the other end may be another process than the
 * client, so all stream sockets of the daemon get the limit. */
static void limit_reads(void)
{
	const struct timeval patience = {.tv_usec = PATIENCE_US};
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		int fd = atoi(e->d_name), type = 0, domain = 0;
		socklen_t len = sizeof(type), domain_len = sizeof(domain);

		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0 || type != SOCK_STREAM ||
		    getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_len) != 0 ||
		    domain != AF_UNIX)
			continue;
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	}
	if (dir != NULL)
		closedir(dir);
}

/* Held while a device is opened, by the thread for which `opens` is true. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static __thread bool opens;

static int new_connection(int vid)
{
	struct rn_vhost *v = device_of(vid);

	if (v == NULL || rn_vhost_broken(v))
		return -1;
	limit_reads();
	return rte_vhost_extern_callback_register(vid, &messages, NULL);
}

static void destroy_connection(int vid)
{
	struct rn_vhost *v = device_of(vid);

	/* The library enters a connection in its list after it has begun to read from it: a
	 * connection that ends at once must not be freed before that. */
	if (!opens) {
		pthread_mutex_lock(&opening);
		pthread_mutex_unlock(&opening);
	}
	if (v == NULL)
		return;
	atomic_store(&v->ended, 1);
	atomic_store(&v->nregions, 0);
}

static int new_device(int vid)
{
	struct rn_vhost *v = device_of(vid);

	if (v == NULL || rn_vhost_broken(v))
		return -1;
	v->up = true;
	v->ops->up(v->arg, vid);
	return 0;
}

static void destroy_device(int vid)
{
	struct rn_vhost *v = device_of(vid);

	if (v == NULL || !v->up)
		return;
	v->up = false;
	v->ops->down(v->arg);
}

static int vring_state_changed(int vid, uint16_t queue, int enable)
{
	struct rn_vhost *v = device_of(vid);

	if (v != NULL)
		v->ops->changed(v->arg);
	return 0;
}

static const struct rte_vhost_device_ops callbacks = {
	.new_device = new_device,
	.destroy_device = destroy_device,
	.vring_state_changed = vring_state_changed,
	.new_connection = new_connection,
	.destroy_connection = destroy_connection,
};

/* The features of a plain network device: no checksum or segmentation offloads, whose headers the
 * library would have to interpret, no packed rings, which do not survive a restart, no live
 * migration. Setting the features instead of disabling the others would disable the library's own
 * network device. */
static int choose_features(const char *path)
{
	const uint64_t wanted = 1ull << VIRTIO_F_VERSION_1 | 1ull << VIRTIO_NET_F_MRG_RXBUF |
				1ull << VIRTIO_NET_F_MQ | 1ull << VHOST_USER_F_PROTOCOL_FEATURES;
	const uint64_t protocol = 1ull << VHOST_USER_PROTOCOL_F_MQ |
				  1ull << VHOST_USER_PROTOCOL_F_REPLY_ACK |
				  1ull << VHOST_USER_PROTOCOL_F_STATUS;
	uint64_t all;

	if (rte_vhost_driver_get_features(path, &all) != 0 ||
	    rte_vhost_driver_disable_features(path, all & ~wanted) != 0 ||
	    rte_vhost_driver_set_protocol_features(path, protocol) != 0)
		return -EIO;
	return 0;
}

/* Without reconnection: a client that ends its connection is thrown out. The library's thread that
 * reconnects would use a device that is unregistered at that moment. */
static int start_device(const struct rn_vhost *v)
{
	if (rte_vhost_driver_register(v->path, RTE_VHOST_USER_CLIENT | RTE_VHOST_USER_NO_RECONNECT |
						       RTE_VHOST_USER_LINEARBUF_SUPPORT |
						       RTE_VHOST_USER_NET_COMPLIANT_OL_FLAGS) != 0)
		return -EIO;
	if (choose_features(v->path) != 0 ||
	    rte_vhost_driver_callback_register(v->path, &callbacks) != 0 ||
	    rte_vhost_driver_start(v->path) != 0) {
		rte_vhost_driver_unregister(v->path);
		return -EIO;
	}
	return 0;
}

/* ---- shortened memory ---- */

/* Replaces one page, of the size that the mapping has, in memory that the library has just mapped
 * and not yet described. */
static bool blank_page(uintptr_t at)
{
	static const size_t sizes[] = {4096, 2u << 20, 1u << 30};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(sizes); i++)
		if (blank(&(struct region){at & ~(sizes[i] - 1), sizes[i]})) {
			blanked = true;
			return true;
		}
	return false;
}

/* Replaces the memory in which the fault happened by empty pages, if it is a client's. */
static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;

	if (maps_memory && blank_page(at))
		return;
	for (unsigned i = 0; i < RN_VHOST_MAX; i++) {
		struct rn_vhost *v = &devices[i];
		uint32_t n = atomic_load(&v->nregions);

		for (uint32_t k = 0; k < n; k++) {
			if (at - v->region[k].at >= v->region[k].bytes)
				continue;
			atomic_store(&v->unusable, 1);
			if (blank(&v->region[k]))
				return;
		}
	}
	/* The fault is the daemon's own: it happens again, and ends the process. */
	signal(SIGBUS, SIG_DFL);
}

int rn_vhost_install(void)
{
	struct sigaction sa = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_NODEFER};

	/* The library logs each wrong ring entry, which a client could use to fill the disk. */
	rte_log_set_level_pattern("lib.vhost.*", RTE_LOG_EMERG);
	return sigaction(SIGBUS, &sa, NULL) == 0 ? 0 : -errno;
}

/* ---- opening and closing ---- */

/* Takes an unused device, which only the caller then changes. */
static struct rn_vhost *take_device(void)
{
	for (unsigned i = 0; i < RN_VHOST_MAX; i++) {
		uint32_t unused = 0;

		if (atomic_compare_exchange_strong(&devices[i].used, &unused, TAKEN))
			return &devices[i];
	}
	return NULL;
}

int rn_vhost_open(struct rn_vhost **out, int fd, const struct rn_vhost_ops *ops, void *arg)
{
	struct rn_vhost *v = take_device();

	if (v == NULL)
		return -ENOSPC;
	snprintf(v->path, sizeof(v->path), "/proc/self/fd/%d", fd);
	v->ops = ops;
	v->arg = arg;
	v->up = false;
	atomic_store(&v->ended, 0);
	atomic_store(&v->nregions, 0);
	atomic_store(&v->unusable, 0);
	atomic_store(&v->used, READY);
	pthread_mutex_lock(&opening);
	opens = true;
	int rc = start_device(v);
	opens = false;
	pthread_mutex_unlock(&opening);

	if (rc != 0)
		atomic_store(&v->used, 0);
	else
		*out = v;
	return rc;
}

void rn_vhost_close(struct rn_vhost *v)
{
	if (v == NULL)
		return;
	/* Ends the connection and waits for the library's threads. */
	rte_vhost_driver_unregister(v->path);
	if (v->up)
		v->ops->down(v->arg);
	atomic_store(&v->nregions, 0);
	atomic_store(&v->used, 0);
}

bool rn_vhost_broken(const struct rn_vhost *v)
{
	return atomic_load(&v->unusable) != 0 || atomic_load(&v->ended) != 0;
}
