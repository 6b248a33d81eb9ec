/* An adapter that cannot change the depth of a completion queue: row 111 of docs/spec/nd2.md.
 * softrnic's adapter can change the depth. So the test hides the feature RN_LINK_CQ_RESIZE of the
 * NIC, and makes the command RN_CMD_RESIZE_CQ fail. */
#include "fixture.h"

#include "rn/link.h"

#include <errno.h>

/* The linker's --wrap replaces rn_link_open by __wrap_rn_link_open; the original is
 * __real_rn_link_open. */
int __real_rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err,
			size_t errlen);
int __wrap_rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err,
			size_t errlen);

static const struct rn_link_ops *all;
static struct rn_link_ops fewer;
static unsigned resizes;

static void info_without_resize(struct rn_link *link, struct rn_link_info *info)
{
	all->info(link, info);
	info->features &= ~(uint32_t)RN_LINK_CQ_RESIZE;
}

static int exec_without_resize(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	if (cmd->op != RN_CMD_RESIZE_CQ)
		return all->exec(link, cmd, rsp);
	resizes++;
	return -EOPNOTSUPP;
}

int __wrap_rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err,
			size_t errlen)
{
	int rc = __real_rn_link_open(path, index, link, err, errlen);

	if (rc != 0 || (*link)->ops == &fewer)
		return rc;
	all = (*link)->ops;
	fewer = *all;
	fewer.info = info_without_resize;
	fewer.exec = exec_without_resize;
	(*link)->ops = &fewer;
	return 0;
}

static void nd2_row_111_resize_is_not_advertised(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	assert_false(limits.AdapterFlags & ND_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED);
	HR(CALL(p.a.cq, Resize, 512), ND_NOT_SUPPORTED);
	HR(CALL(p.a.cq, Resize, 0), ND_NOT_SUPPORTED);
	assert_int_equal(resizes, 0);
	exchange(&p.b, &p.a);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_111_resize_is_not_advertised),
};

nd2_main(tests)
