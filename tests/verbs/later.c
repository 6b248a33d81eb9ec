/* Makes rdma_connect() of a program wait, so that a server that is about to listen can do so.
 *
 * A test preloads this library in clients of perftest with -R. Such a client connects twice, and
 * may connect for the second time before the server listens again. Every RDMA device refuses that
 * connection (reason 8); perftest 4.5 then resolves its server again with an identifier that has
 * been freed, and crashes. A client on a fast machine is often earlier than a server on an
 * emulated one. Thread: any.
 */
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#define WAIT_US 300000

struct rdma_cm_id;
struct rdma_conn_param;

__attribute__((visibility("default"))) int rdma_connect(struct rdma_cm_id *id,
							struct rdma_conn_param *param);

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	int (*connect)(struct rdma_cm_id *, struct rdma_conn_param *) =
		(int (*)(struct rdma_cm_id *, struct rdma_conn_param *))dlsym(RTLD_NEXT,
									      "rdma_connect");

	if (!connect) {
		errno = ENOSYS;
		return -1;
	}
	usleep(WAIT_US);
	return connect(id, param);
}
