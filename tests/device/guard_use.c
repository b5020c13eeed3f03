/* Who uses a device, from recorded trees: LVM on NVMe, md on SAS, btrfs over two SATA drives. */
#include "device/guard.h"

#include "device/stack.h"
#include "tree.h"

static struct guard_facts facts_of(const struct tree *tree, const char *name)
{
	struct guard_facts facts;
	struct device device;

	assert_int_equal(device_from_name(&device, name, &tree->roots, NULL), 0);
	assert_int_equal(guard_gather_device(&facts, &device, false, &tree->roots, NULL), 0);
	return facts;
}

static void assert_use(const struct guard_facts *facts, enum guard_use_kind kind,
		       const char *device, const char *where)
{
	for (unsigned i = 0; i < facts->nuses; i++) {
		if (facts->use[i].kind == kind && str_equal(facts->use[i].device, device) &&
		    strstr(facts->use[i].where, where))
			return;
	}
	for (unsigned i = 0; i < facts->nuses; i++)
		print_error("%d %s %s\n", facts->use[i].kind, facts->use[i].device,
			    facts->use[i].where);
	fail_msg("no use %d of %s: %s", kind, device, where);
}

static void disk_is_used_by_all_that_stands_on_its_partitions(void **state)
{
	struct guard_facts facts;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	facts = facts_of(&tree, "nvme0n1");
	assert_int_equal(facts.nuses, 4);
	assert_use(&facts, USE_MOUNTED, "nvme0n1p1", "/boot/efi");
	assert_use(&facts, USE_SWAP, "nvme0n1p2", "/dev/nvme0n1p2");
	assert_use(&facts, USE_HOLDER, "nvme0n1p3", "dm-0 (LVM volume vg-home)");
	assert_use(&facts, USE_MOUNTED, "dm-0", "/home");
	tree_close(&tree);
}

static void partition_is_used_by_its_own_users_only(void **state)
{
	struct guard_facts facts;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	facts = facts_of(&tree, "nvme0n1p1");
	assert_int_equal(facts.nuses, 1);
	assert_use(&facts, USE_MOUNTED, "nvme0n1p1", "/boot/efi");
	facts = facts_of(&tree, "nvme0n1p3");
	assert_int_equal(facts.nuses, 2);
	facts = facts_of(&tree, "dm-0");
	assert_int_equal(facts.nuses, 1);
	assert_use(&facts, USE_MOUNTED, "dm-0", "/home");
	facts = facts_of(&tree, "nvme1n1");
	assert_int_equal(facts.nuses, 0);
	tree_close(&tree);
}

static void md_member_is_refused_and_the_array_is_not(void **state)
{
	struct guard_facts facts;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-sas.tree");
	facts = facts_of(&tree, "sda");
	assert_int_equal(facts.nuses, 1);
	assert_use(&facts, USE_HOLDER, "sda", "md127");
	facts = facts_of(&tree, "md127");
	assert_int_equal(facts.nuses, 0);
	tree_close(&tree);
}

/* btrfs has an anonymous device number, and mountinfo names one of its devices only. */
static void every_device_of_a_btrfs_is_mounted(void **state)
{
	struct guard_facts facts;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-sata.tree");
	facts = facts_of(&tree, "sda");
	assert_use(&facts, USE_MOUNTED, "sda1", "/data");
	assert_use(&facts, USE_MOUNTED, "sda1", "/snap");
	facts = facts_of(&tree, "sdb");
	assert_use(&facts, USE_MOUNTED, "sdb", "4ae44b65");
	facts = facts_of(&tree, "sdc");
	assert_int_equal(facts.nuses, 0);
	tree_close(&tree);
}

static void swap_on_a_whole_disk_is_found(void **state)
{
	struct guard_facts facts;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-virtio.tree");
	facts = facts_of(&tree, "vdb");
	assert_use(&facts, USE_SWAP, "vdb", "/dev/vdb");
	facts = facts_of(&tree, "vda");
	assert_int_equal(facts.nuses, 0);
	tree_close(&tree);
}

static void without_mountinfo_nothing_is_said(void **state)
{
	struct err err = {0};
	struct guard_facts facts;
	struct device device;
	struct tree tree;
	char path[200];

	(void)state;
	tree_open(&tree, "sys-virtio.tree");
	assert_int_equal(device_from_name(&device, "vda", &tree.roots, NULL), 0);
	(void)snprintf(path, sizeof(path), "%s/self/mountinfo", tree.proc);
	assert_int_equal(unlink(path), 0);
	assert_true(guard_gather_device(&facts, &device, false, &tree.roots, &err) < 0);
	assert_non_null(strstr(err.text, "cannot tell what is mounted"));
	tree_close(&tree);
}

static void stacks_go_down_to_the_drives(void **state)
{
	static const char *const names[] = {"md127", "sda", "sdb"};
	struct device_stack stack;
	struct device device;
	struct arena arena;
	struct tree tree;

	(void)state;
	arena_init(&arena);
	tree_open(&tree, "sys-nvme.tree");
	assert_int_equal(device_from_name(&device, "dm-0", &tree.roots, NULL), 0);
	device_stack_below(&arena, &device, &tree.roots, &stack);
	assert_int_equal(stack.count, 3);
	assert_string_equal(stack.layer[1].device.name, "nvme0n1p3");
	assert_string_equal(stack.layer[2].device.name, "nvme0n1");
	assert_false(stack.layer[0].leaf);
	assert_false(stack.layer[1].leaf);
	assert_true(stack.layer[2].leaf);
	assert_int_equal(stack.layer[2].above, 1);
	tree_close(&tree);
	tree_open(&tree, "sys-sas.tree");
	assert_int_equal(device_from_name(&device, "md127", &tree.roots, NULL), 0);
	device_stack_below(&arena, &device, &tree.roots, &stack);
	assert_int_equal(stack.count, 3);
	for (unsigned i = 0; i < stack.count; i++) {
		bool found = false;

		for (unsigned j = 0; j < 3; j++)
			found |= str_equal(stack.layer[i].device.name, names[j]);
		assert_true(found);
		assert_int_equal(stack.layer[i].leaf, i > 0);
		assert_int_equal(stack.layer[i].above, i ? 0 : -1);
	}
	tree_close(&tree);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disk_is_used_by_all_that_stands_on_its_partitions),
		cmocka_unit_test(partition_is_used_by_its_own_users_only),
		cmocka_unit_test(md_member_is_refused_and_the_array_is_not),
		cmocka_unit_test(every_device_of_a_btrfs_is_mounted),
		cmocka_unit_test(swap_on_a_whole_disk_is_found),
		cmocka_unit_test(without_mountinfo_nothing_is_said),
		cmocka_unit_test(stacks_go_down_to_the_drives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
