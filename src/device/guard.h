/*
 * The guard: asked before the first write to a target, and the only place that decides whether
 * it may be. Facts are gathered first (guard_gather; it opens the device read-only, once), then
 * guard_decide() turns facts and rules into a verdict: a pure function, so that each rule is
 * tested with facts that no machine at hand could provide.
 *
 * The ladder: a device in use is refused, and nothing overrides that; one that carries data
 * needs consent; a blank one is written. Files: see guard_decide.
 */
#pragma once

#include <stddef.h>

#include "device/device.h"
#include "device/filesystem.h"

enum guard_face {
	GUARD_NATIVE,
	GUARD_FIO,     /* asks less: blank devices and files are written without a word */
	GUARD_FIO_OFF, /* ASSAY_GUARD=fio: only fio's own refusal, a mounted device */
};

/* How a device is in use. */
enum guard_use_kind {
	USE_MOUNTED,
	USE_SWAP,
	USE_HOLDER, /* md, device-mapper, LVM, bcache: what stands in sysfs' holders */
	USE_LOOP,   /* a loop device's backing file is this device */
	USE_ZFS,
	USE_EXCLUSIVE, /* O_EXCL says somebody has it, and nothing above says who */
	NUSE,
};

struct guard_use {
	enum guard_use_kind kind;
	char device[64]; /* which: the target, a partition of it, or what is stacked on it */
	char where[300]; /* mount point, name of the swap, md0, pool */
};
#define GUARD_USES_MAX 32

enum guard_signature_kind {
	SIGNATURE_FILESYSTEM,
	SIGNATURE_PARTITIONS,
	SIGNATURE_RAID,
	SIGNATURE_CRYPTO
};
struct guard_signature {
	enum guard_signature_kind kind;
	char type[48];	   /* libblkid's name: "ext4", "gpt", "LVM2_member", "crypto_LUKS" */
	char label[64];	   /* "" none */
	char device[64];   /* the target, or a partition of it */
	uint64_t at_bytes; /* where its magic stands */
};
#define GUARD_SIGNATURES_MAX 16

enum guard_target { GUARD_BLOCK, GUARD_FILE, GUARD_NEW_FILE, GUARD_CHAR, GUARD_SIM };

struct guard_facts {
	enum guard_target target;
	char path[4096];      /* as given; of "serial:…" the device's */
	struct device device; /* of GUARD_BLOCK */

	struct guard_use use[GUARD_USES_MAX];
	unsigned nuses; /* counts on past the array's end */
	struct guard_signature signature[GUARD_SIGNATURES_MAX];
	unsigned nsignatures;
	uint32_t sampled_blocks, data_blocks; /* read, and of them not all zero */
	uint64_t first_data_bytes;	      /* offset of the first of those */
	int unreadable; /* negative errno when it could not be looked at */

	/* Of files: an active swap file and one behind a loop device stand in `use`. */
	struct filesystem fs;
	uint64_t file_bytes;
	uint64_t file_dev, file_ino;
	bool ours;     /* the attribute user.assay, or the run's manifest */
	bool harmless; /* GUARD_CHAR: null, zero, full: nothing can be lost there */
	unsigned char_major, char_minor;
};

/* A file that this run made, where attributes are not supported. */
struct guard_own {
	uint64_t dev, ino;
};

struct guard_rules {
	enum guard_face face;
	bool readonly;		   /* --readonly: no write whatever else holds */
	bool allow_mounted_write;  /* fio's option; heeded by GUARD_FIO_OFF alone */
	const char *const *tokens; /* of --destroy and ASSAY_DESTROY */
	unsigned ntokens;
	const struct guard_own *own;
	unsigned nown;
};

enum guard_decision { GUARD_ALLOW, GUARD_NEEDS_CONSENT, GUARD_REFUSE };

struct guard_verdict {
	enum guard_decision decision;
	bool by_consent;   /* ALLOW because a token named it: to be stored with a plan */
	bool unnamed_data; /* consent is for data alone: no file system, no table names them */
	char token[300];   /* what --destroy= must say; "" when nothing helps */
	char found[400];   /* "ext4 \"home\" on sda2, mounted on /home": for lists */
	char message[480]; /* whole: target, what was found and where, the remedy */
};

/*
 * Looks at `path` (a device, a file, "serial:…", a name that does not exist yet) and tells what
 * is there. Opens block devices O_RDONLY, and once more with O_EXCL, closed at once. Fails
 * only where nothing can be said: a missing folder, a directory as target.
 */
int guard_gather(struct guard_facts *ret_facts, const char *path,
		 const struct device_roots *roots, struct err *err);
/* For lists: `with_contents` false leaves out what needs the device opened. */
int guard_gather_device(struct guard_facts *ret_facts, const struct device *device,
			bool with_contents, const struct device_roots *roots, struct err *err);

/* Pure. */
void guard_decide(const struct guard_facts *facts, const struct guard_rules *rules,
		  struct guard_verdict *ret_verdict);

/* Both: 0 when `path` may be written, else a refusal in `err` (ERR_REFUSED, exit 5) with the
 * verdict's message. `ret_facts` may be NULL. */
int guard_check(const char *path, const struct guard_rules *rules,
		const struct device_roots *roots, struct guard_facts *ret_facts,
		struct guard_verdict *ret_verdict, struct err *err);

/* After open, before the first write: is the descriptor still what was looked at? By device
 * number, size, attachment and serial; of a file by device and inode. */
int guard_recheck_fd(int fd, const struct guard_facts *facts, const struct device_roots *roots,
		     struct err *err);

/* Marks a file of our making: user.assay=1. -EOPNOTSUPP where the file system has no
 * attributes: then the run's manifest (guard_rules.own) must carry it. */
int guard_mark_ours(int fd);
bool guard_is_ours(int fd);

/* Splits "A,B" (--destroy, ASSAY_DESTROY) into tokens in the arena; empty ones are dropped. */
void guard_tokens_parse(struct arena *arena, const char *text, const char *const **ret_tokens,
			unsigned *ret_ntokens);
