/*
 * A drive's state on disk: a header (magic, version, geometry), the tables, a checksum. A file is
 * read twice: it is taken only when all of it has been found sound.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/memory.h"
#include "sim/drive_priv.h"

#define STATE_MAGIC   0x656c746174736d73ULL
#define STATE_VERSION 1

struct state_head {
	uint64_t magic, version;
	uint64_t geometry; /* of the profile, all but its seed and name */
	uint64_t bytes;	   /* after the head, without the checksum */
};

enum state_mode { STATE_COUNT, STATE_WRITE, STATE_READ };

/* A multiple of 8, so that the checksum does not depend on how the fields are cut. */
#define STATE_BLOCK_BYTES 65536

struct state_stream {
	struct state_file file;
	enum state_mode mode;
	FILE *stream;
	uint64_t bytes, checksum;
	bool failed;
	size_t filled; /* of `block`, when writing */
	unsigned char block[STATE_BLOCK_BYTES];
};

/* Eight bytes at a time, the last ones padded with zeros: fast, and any change shows. */
static uint64_t checksum_add(uint64_t sum, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	for (; bytes; at += 8) {
		uint64_t word = 0;
		size_t n = bytes < 8 ? bytes : 8;

		memcpy(&word, at, n);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
		sum ^= sum >> 29;
		bytes -= n;
	}
	return sum;
}

static void put_block(struct state_stream *s)
{
	s->checksum = checksum_add(s->checksum, s->block, s->filled);
	if (fwrite(s->block, 1, s->filled, s->stream) != s->filled)
		s->failed = true;
	s->filled = 0;
}

static void put(struct state_stream *s, const unsigned char *data, size_t bytes)
{
	while (bytes && !s->failed) {
		size_t n = min_u64(bytes, STATE_BLOCK_BYTES - s->filled);

		memcpy(s->block + s->filled, data, n);
		s->filled += n;
		data += n;
		bytes -= n;
		if (s->filled == STATE_BLOCK_BYTES)
			put_block(s);
	}
}

static void stream_bytes(struct state_file *file, void *data, size_t bytes)
{
	struct state_stream *s = (struct state_stream *)(void *)file;

	s->bytes += bytes;
	if (s->failed || !bytes)
		return;
	if (s->mode == STATE_WRITE)
		put(s, data, bytes);
	else if (s->mode == STATE_READ && fread(data, 1, bytes, s->stream) != bytes)
		s->failed = true;
}

/* What every kind has, then the kind's own. */
static void transfer(struct drive *drive, struct state_stream *s)
{
	s->file.bytes = stream_bytes;
	s->file.loads = s->mode == STATE_READ;
	state_field(&s->file, drive->requests);
	state_field(&s->file, drive->rng);
	state_field(&s->file, drive->health);
	drive->ops->state(drive, &s->file);
}

static uint64_t geometry_of(const struct drive *drive)
{
	struct profile profile = drive->profile;
	autostr text = {0};

	profile.seed = 0;
	profile_format(&profile, &text);
	return checksum_add(1, text.text, text.length);
}

static struct state_head head_of(struct drive *drive)
{
	struct state_stream *count = memory_zeroed(1, sizeof(*count));
	struct state_head head = {STATE_MAGIC, STATE_VERSION, geometry_of(drive), 0};

	count->mode = STATE_COUNT;
	transfer(drive, count);
	head.bytes = count->bytes;
	free(count);
	return head;
}

static int write_state(struct drive *drive, FILE *stream)
{
	struct state_head head = head_of(drive);
	struct state_stream *s = memory_zeroed(1, sizeof(*s));
	bool failed;

	s->mode = STATE_WRITE;
	s->stream = stream;
	errno = 0;
	s->failed = fwrite(&head, sizeof(head), 1, stream) != 1;
	transfer(drive, s);
	put_block(s);
	failed = s->failed || fwrite(&s->checksum, sizeof(s->checksum), 1, stream) != 1 ||
		 fflush(stream) || fsync(fileno(stream));
	free(s);
	if (!failed)
		return 0;
	return errno ? -errno : -EIO;
}

int drive_save(struct drive *drive, const char *path, struct err *err)
{
	autostr temporary = {0};
	struct memory_end end;
	FILE *stream;
	int rc;

	if (drive->in_flight)
		return err_input(err, "a drive with %u requests in flight cannot be saved",
				 drive->in_flight);
	str_printf(&temporary, "%s.new", path);
	stream = fopen(str_text(&temporary), "wbe");
	if (!stream)
		return err_env(err, -errno, "cannot write the state file \"%s\": %s", path,
			       err_name(errno));
	memory_end_add(&end, memory_end_unlink, temporary.text);
	rc = write_state(drive, stream);
	if (fclose(stream) && !rc)
		rc = -errno;
	if (!rc && rename(str_text(&temporary), path))
		rc = -errno;
	memory_end_remove(&end);
	if (rc) {
		(void)unlink(str_text(&temporary));
		return err_env(err, rc, "cannot write the state file \"%s\": %s", path,
			       err_name(rc));
	}
	return 0;
}

static int check_head(const struct state_head *head, const struct state_head *want,
		      const char *path, struct err *err)
{
	if (head->magic != STATE_MAGIC)
		return err_input(err, "\"%s\" is not a state of a simulated drive", path);
	if (head->version != STATE_VERSION)
		return err_input(err,
				 "\"%s\" has version %llu of the state's format, this program "
				 "reads version %d: make it anew",
				 path, (unsigned long long)head->version, STATE_VERSION);
	if (head->geometry != want->geometry || head->bytes != want->bytes)
		return err_input(err,
				 "\"%s\" is the state of a drive of another geometry: open it "
				 "with the profile and the values that it was saved with",
				 path);
	return 0;
}

/* The rest of the file is as long as the head says, and its checksum is right. */
static bool is_sound(FILE *stream, uint64_t bytes)
{
	unsigned char *block = memory_take(STATE_BLOCK_BYTES);
	uint64_t checksum = 0, stored = 0;
	bool sound = true;
	size_t n;

	for (; sound && bytes; bytes -= n) {
		n = min_u64(bytes, STATE_BLOCK_BYTES);
		sound = fread(block, 1, n, stream) == n;
		checksum = checksum_add(checksum, block, n);
	}
	sound = sound && fread(&stored, sizeof(stored), 1, stream) == 1 && stored == checksum &&
		fgetc(stream) == EOF;
	free(block);
	return sound;
}

static int read_state(struct drive *drive, FILE *stream, const char *path, struct err *err)
{
	struct state_head want = head_of(drive), head = {0};
	struct state_stream *s;
	bool failed;
	int rc;

	if (fread(&head, sizeof(head), 1, stream) != 1)
		return err_input(err, "\"%s\" is cut off: make it anew", path);
	rc = check_head(&head, &want, path, err);
	if (rc)
		return rc;
	if (!is_sound(stream, head.bytes))
		return err_input(err, "\"%s\" is damaged or cut off: make it anew", path);
	if (fseek(stream, sizeof(head), SEEK_SET))
		return err_env(err, -errno, "cannot read \"%s\": %s", path, err_name(errno));
	s = memory_zeroed(1, sizeof(*s));
	s->mode = STATE_READ;
	s->stream = stream;
	transfer(drive, s);
	failed = s->failed;
	free(s);
	return failed ? err_env(err, -EIO, "cannot read \"%s\" a second time", path) : 0;
}

int drive_load(struct drive *drive, const char *path, struct err *err)
{
	autostream stream = fopen(path, "rbe");

	if (!stream)
		return err_env(err, -errno, "cannot read the state file \"%s\": %s", path,
			       err_name(errno));
	if (drive->in_flight)
		return err_input(err, "a drive with %u requests in flight takes no state",
				 drive->in_flight);
	return read_state(drive, stream, path, err);
}
