/* Prints the names of the devices. */
#include <infiniband/verbs.h>
#include <stdio.h>

int main(void)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	for (int i = 0; i < n; i++)
		puts(ibv_get_device_name(list[i]));
	ibv_free_device_list(list);
	return list == NULL;
}
