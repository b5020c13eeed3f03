/* What two drives share on their way to the CPU, from recorded trees. */
#include "device/shared.h"

#include "tree.h"

/* "" for nothing. */
static const char *between(const struct tree *tree, const char *a, const char *b,
			   char text[SHARED_TEXT_BYTES])
{
	struct device first, second;
	struct err err = {0};

	assert_int_equal(device_from_name(&first, a, &tree->roots, &err), 0);
	assert_int_equal(device_from_name(&second, b, &tree->roots, &err), 0);
	text[0] = '\0';
	if (!device_share(&first, &second, &tree->roots, text))
		assert_string_equal(text, "");
	return text;
}

static void drives_of_one_controller_share_it(void **state)
{
	char text[SHARED_TEXT_BYTES];
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-sas.tree");
	assert_string_equal(between(&tree, "sda", "sdb", text),
			    "the PCI function 0000:18:00.0");
	tree_close(&tree);
	tree_open(&tree, "sys-nvme.tree");
	assert_non_null(strstr(between(&tree, "nvme1n1", "nvme1n2", text),
			       "the PCI function 0000:5d:00.0"));
	assert_string_equal(between(&tree, "nvme0n1", "nvme1n1", text), "");
	assert_string_equal(between(&tree, "nvme0n1", "nvme0n1", text), "the drive nvme0n1");
	tree_close(&tree);
}

/* A root complex is no link: each of its ports has its own. */
static void drives_of_different_controllers_share_nothing(void **state)
{
	char text[SHARED_TEXT_BYTES];
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-sata.tree");
	assert_string_equal(between(&tree, "sda", "sdb", text), "");
	assert_string_equal(between(&tree, "sda", "sdc", text), "");
	tree_close(&tree);
	tree_open(&tree, "sys-virtio.tree");
	assert_string_equal(between(&tree, "vda", "vdb", text), "");
	tree_close(&tree);
}

/* Two sticks of one hub, at two ports of a bus that has its width behind a switch. */
static void the_narrowest_place_is_named(void **state)
{
	struct device a = {.name = "sda",
			   .sysfs =
				   "/devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3.1/block/sda"},
		      b = {.name = "sdb",
			   .sysfs = "/devices/pci0000:00/0000:00:14.0/usb2/2-4/block/sdb"},
		      c = {.name = "nvme0n1",
			   .sysfs = "/devices/pci0000:00/0000:00:01.0/0000:01:00.0/"
				    "0000:02:01.0/0000:03:00.0/nvme/nvme0/nvme0n1"},
		      d = {.name = "nvme1n1",
			   .sysfs = "/devices/pci0000:00/0000:00:01.0/0000:01:00.0/"
				    "0000:02:02.0/0000:04:00.0/nvme/nvme1/nvme1n1"};
	char text[SHARED_TEXT_BYTES], path[200];
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	assert_true(device_share(&a, &b, &tree.roots, text));
	assert_string_equal(text, "the USB bus 2");
	(void)snprintf(path, sizeof(path),
		       "%s/devices/pci0000:00/0000:00:01.0/0000:01:00.0/current_link_speed",
		       tree.sys);
	tree_text(path, "8.0 GT/s PCIe");
	(void)snprintf(path, sizeof(path),
		       "%s/devices/pci0000:00/0000:00:01.0/0000:01:00.0/current_link_width",
		       tree.sys);
	tree_text(path, "4");
	assert_true(device_share(&c, &d, &tree.roots, text));
	assert_string_equal(text, "the PCI function 0000:01:00.0 (8.0 GT/s PCIe x4)");
	assert_false(device_share(&a, &c, &tree.roots, text));
	tree_close(&tree);
}

static void files_of_one_file_system_lie_on_one_drive(void **state)
{
	char text[SHARED_TEXT_BYTES];

	(void)state;
	/* Of this machine: what is below the folder, if anything, is below it twice. */
	if (device_shared("/var/tmp/a", "/var/tmp/b", &device_roots_real, text))
		assert_int_equal(strncmp(text, "the drive ", 10), 0);
	assert_false(device_shared("/not-there/a", "/proc/b", &device_roots_real, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drives_of_one_controller_share_it),
		cmocka_unit_test(drives_of_different_controllers_share_nothing),
		cmocka_unit_test(the_narrowest_place_is_named),
		cmocka_unit_test(files_of_one_file_system_lie_on_one_drive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
