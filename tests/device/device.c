/* Who a drive is and how it is attached, from recorded trees of drives. */
#include "device/device.h"

#include "base/bits.h"
#include "device/device_priv.h"
#include "tree.h"

static struct device named(const struct tree *tree, const char *name)
{
	struct err err = {0};
	struct device device;
	int rc = device_from_name(&device, name, &tree->roots, &err);

	if (rc < 0)
		print_error("%s\n", err.text);
	assert_int_equal(rc, 0);
	return device;
}

static void nvme_tells_identity_queue_and_a_link_trained_down(void **state)
{
	struct device d;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	d = named(&tree, "nvme0n1");
	assert_string_equal(d.path, "/dev/nvme0n1");
	assert_int_equal(d.kind, DEVICE_DISK);
	assert_int_equal(d.interface, INTERFACE_NVME);
	assert_string_equal(d.model, "SAMSUNG MZQL21T9HCJR-00A07");
	assert_string_equal(d.serial, "S64GNE0R123456");
	assert_string_equal(d.token, "S64GNE0R123456");
	assert_string_equal(d.wwid, "eui.36344730522123450025384300000001");
	assert_string_equal(d.firmware, "GDC5602Q");
	assert_int_equal(d.size_bytes, 1920383410176);
	assert_int_equal(d.major, 259);
	assert_int_equal(d.minor, 0);
	assert_int_equal(d.diskseq, 7);
	assert_int_equal(d.numa_node, 1);
	assert_int_equal(d.logical_block_bytes, 512);
	assert_int_equal(d.physical_block_bytes, 4096);
	assert_int_equal(d.rotational, ANSWER_NO);
	assert_int_equal(d.write_cache, ANSWER_YES);
	assert_int_equal(d.io_poll, ANSWER_YES);
	assert_string_equal(d.scheduler, "none");
	assert_int_equal(d.nr_requests, 1023);
	assert_int_equal(d.max_transfer_bytes, 128 * KiB);
	assert_string_equal(d.link.text, "PCIe 3.0 x4");
	assert_string_equal(d.link.max_text, "PCIe 4.0 x4");
	assert_int_equal(d.link.bytes_per_s, 3938461538);
	assert_int_equal(d.link.max_bytes_per_s, 7876923076);
	assert_true(d.link.trained_down);
	d = named(&tree, "nvme1n1");
	assert_string_equal(d.link.text, "PCIe 5.0 x4");
	assert_false(d.link.trained_down);
	tree_close(&tree);
}

static void partition_has_its_disks_identity_and_a_token_of_its_own(void **state)
{
	struct tree tree;
	struct device d;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	d = named(&tree, "nvme0n1p3");
	assert_int_equal(d.kind, DEVICE_PARTITION);
	assert_string_equal(d.parent, "nvme0n1");
	assert_int_equal(d.partition, 3);
	assert_int_equal(d.start_bytes, 17827840ULL * 512);
	assert_string_equal(d.serial, "S64GNE0R123456");
	assert_string_equal(d.token, "S64GNE0R123456-part3");
	assert_string_equal(d.link.text, "PCIe 3.0 x4");
	assert_int_equal(d.logical_block_bytes, 512);
	assert_true(device_token_is(&d, "S64GNE0R123456-part3"));
	assert_true(device_token_is(&d, "S64GNE0R123456")); /* the whole disk */
	assert_false(device_token_is(&d, "S64GNE0R12345"));
	assert_false(device_token_is(&d, "S64GNE0R123456-part"));
	assert_false(device_token_is(&d, "S64GNE0R123456-part2"));
	assert_false(device_token_is(&d, ""));
	d = named(&tree, "nvme0n1");
	assert_false(device_token_is(&d, "S64GNE0R123456-part3"));
	tree_close(&tree);
}

static void namespaces_of_one_serial_are_named_by_wwid(void **state)
{
	struct device one, two;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	one = named(&tree, "nvme1n1");
	two = named(&tree, "nvme1n2");
	assert_string_equal(one.serial, two.serial);
	assert_string_equal(one.token, "eui.01000000000000001");
	assert_string_equal(two.token, "eui.01000000000000002");
	tree_close(&tree);
}

static void list_is_in_order_without_hidden_paths(void **state)
{
	static const char *const names[] = {"dm-0",	 "nvme0n1", "nvme0n1p1", "nvme0n1p2",
					    "nvme0n1p3", "nvme1n1", "nvme1n2"};
	struct device_list list;
	struct arena arena;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	arena_init(&arena);
	assert_int_equal(device_list(&arena, false, &tree.roots, &list, NULL), 0);
	assert_int_equal(list.count, ARRAY_SIZE(names));
	for (unsigned i = 0; i < list.count; i++) {
		struct device alone = named(&tree, list.items[i].name);

		assert_string_equal(list.items[i].name, names[i]);
		assert_string_equal(list.items[i].token, alone.token);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(list.items[i].token, list.items[j].token);
	}
	arena_done(&arena);
	tree_close(&tree);
}

static void sata_is_asked_by_identify(void **state)
{
	struct tree tree;
	struct device d;

	(void)state;
	tree_open(&tree, "sys-sata.tree");
	d = named(&tree, "sda");
	assert_int_equal(d.interface, INTERFACE_SATA);
	assert_string_equal(d.model, "Samsung SSD 870 EVO 1TB"); /* sysfs cuts it at 16 */
	assert_string_equal(d.serial, "S5STNF0R123456A");
	assert_string_equal(d.firmware, "SVT01B6Q");
	assert_string_equal(d.token, "S5STNF0R123456A");
	assert_string_equal(d.scheduler, "mq-deadline");
	assert_string_equal(d.link.text, "SATA 3.0 Gb/s");
	assert_string_equal(d.link.max_text, "SATA 6.0 Gb/s");
	assert_int_equal(d.link.bytes_per_s, 300000000);
	assert_int_equal(d.link.max_bytes_per_s, 600000000);
	assert_true(d.link.trained_down);
	assert_int_equal(d.numa_node, -1);
	d = named(&tree, "sdb"); /* the twin behind a SAS host */
	assert_int_equal(d.interface, INTERFACE_SATA);
	assert_string_equal(d.link.text, "SATA 6.0 Gb/s");
	assert_false(d.link.trained_down);
	tree_close(&tree);
}

static void stick_without_serial_is_named_by_name_and_size(void **state)
{
	struct tree tree;
	struct device d;

	(void)state;
	tree_open(&tree, "sys-sata.tree");
	d = named(&tree, "sdc");
	assert_int_equal(d.interface, INTERFACE_USB);
	assert_string_equal(d.model, "SanDisk Ultra Fit");
	assert_string_equal(d.serial, ""); /* eight zeros are none */
	assert_string_equal(d.token, "sdc:30752636928");
	assert_string_equal(d.link.text, "USB 5 Gb/s");
	assert_int_equal(d.link.bytes_per_s, 500000000);
	assert_int_equal(d.removable, ANSWER_YES);
	tree_close(&tree);
}

static void sas_counts_its_phys(void **state)
{
	struct tree tree;
	struct device d;

	(void)state;
	tree_open(&tree, "sys-sas.tree");
	d = named(&tree, "sda");
	assert_int_equal(d.interface, INTERFACE_SAS);
	assert_string_equal(d.model, "SEAGATE ST8000NM0075");
	assert_string_equal(d.serial, "ZC1ABCDE0000C1234567");
	assert_string_equal(d.link.text, "SAS 12.0 Gb/s x2");
	assert_int_equal(d.link.bytes_per_s, 2400000000);
	assert_string_equal(d.link.max_text, ""); /* the host's maximum is not the drive's */
	assert_false(d.link.trained_down);
	assert_int_equal(d.rotational, ANSWER_YES);
	assert_int_equal(d.discard_max_bytes, 0);
	assert_int_equal(d.numa_node, 0);
	d = named(&tree, "sdb");
	assert_string_equal(d.link.text, "SAS 12.0 Gb/s");
	d = named(&tree, "md127");
	assert_int_equal(d.kind, DEVICE_MD);
	assert_string_equal(d.token, "md127:8001427603456");
	tree_close(&tree);
}

static void virtual_machines_have_no_link(void **state)
{
	struct tree tree;
	struct device d;

	(void)state;
	tree_open(&tree, "sys-virtio.tree");
	d = named(&tree, "vda");
	assert_int_equal(d.interface, INTERFACE_VIRTIO);
	assert_string_equal(d.link.text,
			    ""); /* the 2.5 GT/s of its PCI function is a fiction */
	assert_string_equal(d.serial, "disk,one two");
	assert_string_equal(d.token, "disk_one_two"); /* a list is split at commas */
	d = named(&tree, "vdb");
	assert_string_equal(d.serial, "");
	assert_string_equal(d.token, "vdb:10737418240");
	assert_string_equal(device_text(d.model), "unknown");
	d = named(&tree, "nvme0n1");
	assert_string_equal(d.link.text, "");
	assert_false(d.link.trained_down);
	tree_close(&tree);
}

static void serial_finds_the_device(void **state)
{
	struct err err = {0};
	struct tree tree;
	struct device d;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	assert_int_equal(device_from_path(&d, "serial:S64GNE0R123456", &tree.roots, &err), 0);
	assert_string_equal(d.name, "nvme0n1");
	assert_int_equal(device_from_path(&d, "serial:S64GNE0R123456-part2", &tree.roots, &err),
			 0);
	assert_string_equal(d.name, "nvme0n1p2");
	assert_int_equal(
		device_from_path(&d, "serial:eui.01000000000000002", &tree.roots, &err), 0);
	assert_string_equal(d.name, "nvme1n2");
	assert_int_equal(device_from_path(&d, "serial:PHAB12345678", &tree.roots, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "/dev/nvme1n2"));
	err = (struct err){0};
	assert_int_equal(device_from_path(&d, "serial:NOBODY", &tree.roots, &err), -ENODEV);
	assert_int_equal(err.kind, ERR_ENVIRONMENT);
	assert_true(device_from_path(&d, "serial:", &tree.roots, NULL) < 0);
	tree_close(&tree);
}

static void other_files_are_no_block_devices(void **state)
{
	struct err err = {0};
	struct device d;

	(void)state;
	assert_int_equal(device_from_path(&d, "/dev/null", &device_roots_real, &err), -ENOTBLK);
	assert_non_null(strstr(err.text, "a character device"));
	err = (struct err){0};
	assert_int_equal(device_from_path(&d, "/tmp", &device_roots_real, &err), -ENOTBLK);
	err = (struct err){0};
	assert_int_equal(device_from_path(&d, "/dev/no-such", &device_roots_real, &err),
			 -ENOENT);
	assert_int_equal(err.kind, ERR_ENVIRONMENT);
}

static void pcie_ceiling_is_the_line_codes(void **state)
{
	(void)state;
	assert_int_equal(link_pcie_bytes_per_s("2.5 GT/s PCIe", 1), 250000000);
	assert_int_equal(link_pcie_bytes_per_s("5 GT/s", 2), 1000000000);
	assert_int_equal(link_pcie_bytes_per_s("8.0 GT/s PCIe", 1), 984615384);
	assert_int_equal(link_pcie_bytes_per_s("16.0 GT/s PCIe", 16), 31507692307);
	assert_int_equal(link_pcie_bytes_per_s("Unknown", 4), 0);
}

static void tokens_are_clean(void **state)
{
	char clean[16];

	(void)state;
	identity_clean(clean, sizeof(clean), "  a, b\x01\x02 c  ");
	assert_string_equal(clean, "a_b_c");
	identity_clean(clean, sizeof(clean), ",,,");
	assert_string_equal(clean, "");
	identity_clean(clean, sizeof(clean), "0123456789abcdefgh");
	assert_string_equal(clean, "0123456789abcde");
}

/* Whatever this machine has: what holds for every device. */
static void devices_of_this_machine_are_sound(void **state)
{
	struct device_list list;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_int_equal(device_list(&arena, false, &device_roots_real, &list, NULL), 0);
	for (unsigned i = 0; i < list.count; i++) {
		const struct device *d = &list.items[i];
		struct device by_path;

		assert_true(d->size_bytes > 0);
		assert_true(d->token[0]);
		assert_null(strpbrk(d->token, ", \t\n"));
		assert_true(device_token_is(d, d->token));
		if (access(d->path, F_OK) < 0)
			continue;
		if (device_from_path(&by_path, d->path, &device_roots_real, NULL) == 0)
			assert_string_equal(by_path.name, d->name);
	}
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvme_tells_identity_queue_and_a_link_trained_down),
		cmocka_unit_test(partition_has_its_disks_identity_and_a_token_of_its_own),
		cmocka_unit_test(namespaces_of_one_serial_are_named_by_wwid),
		cmocka_unit_test(list_is_in_order_without_hidden_paths),
		cmocka_unit_test(sata_is_asked_by_identify),
		cmocka_unit_test(stick_without_serial_is_named_by_name_and_size),
		cmocka_unit_test(sas_counts_its_phys),
		cmocka_unit_test(virtual_machines_have_no_link),
		cmocka_unit_test(serial_finds_the_device),
		cmocka_unit_test(other_files_are_no_block_devices),
		cmocka_unit_test(pcie_ceiling_is_the_line_codes),
		cmocka_unit_test(tokens_are_clean),
		cmocka_unit_test(devices_of_this_machine_are_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
