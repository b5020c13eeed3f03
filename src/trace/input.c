#include "trace/input.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/library.h"
#include "base/str.h"
#include "trace/fzsample.h"

#define PACKED_BYTES (128 * KiB)
#define MAGIC_BYTES  4
#define STAGE_BYTES  (16 * KiB)

#define CALLS(X)                 \
	X(ZSTD_createDStream)    \
	X(ZSTD_freeDStream)      \
	X(ZSTD_decompressStream) \
	X(ZSTD_isError)          \
	X(ZSTD_getErrorName)

struct zstd {
	CALLS(LIBRARY_CALL)
};

struct trace_input {
	char *path; /* for messages */
	int fd;
	bool seekable, ended, cut;
	enum input_packing packing;
	const char *packing_name;
	uint64_t size_bytes, at, to; /* at: of the next pread, plain seekable files only */
	uint8_t *packed;   /* PACKED_BYTES; of plain files only the first bytes read */
	size_t head, fill; /* what of `packed` is not used yet */
	bool in_stream;	   /* a packed stream has begun and has not ended */
	z_stream zlib;
	struct zstd zstd; /* opened with the stream */
	ZSTD_DStream *zstd_stream;
	/* what comes out of zlib first lies here, and if it is samples, all of it */
	uint8_t *stage;
	size_t stage_head, stage_fill;
	bool has_samples;
};

static ssize_t raw_read(struct trace_input *input, void *buf, size_t bytes, struct err *err)
{
	ssize_t n;

	if (input->seekable)
		bytes = min_u64(bytes, input->to - input->at);
	do
		n = input->seekable ? pread(input->fd, buf, bytes, (off_t)input->at)
				    : read(input->fd, buf, bytes);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_env(err, -errno, "%s: cannot be read: %s", input->path,
			       err_name(errno));
	input->at += (uint64_t)n;
	return n;
}

/* Fills `packed` from the start up to what one read gives. Returns bytes, 0 at the end. */
static ssize_t refill(struct trace_input *input, struct err *err)
{
	ssize_t n = raw_read(input, input->packed, PACKED_BYTES, err);

	input->head = 0;
	input->fill = n > 0 ? (size_t)n : 0;
	return n;
}

static ssize_t plain_read(struct trace_input *input, void *buf, size_t bytes, struct err *err)
{
	size_t left = input->fill - input->head;

	if (!left)
		return raw_read(input, buf, bytes, err);
	left = min_u64(left, bytes);
	memcpy(buf, input->packed + input->head, left);
	input->head += left;
	return (ssize_t)left;
}

/* How far the packed file was used. */
static uint64_t packed_at(const struct trace_input *input)
{
	return input->at - (input->fill - input->head);
}

static int unpack_zlib(struct trace_input *input, uint8_t *buf, size_t bytes, size_t *ret_done,
		       struct err *err)
{
	z_stream *z = &input->zlib;
	int rc;

	if (!input->in_stream)
		(void)inflateReset(z);
	input->in_stream = true;
	z->next_in = input->packed + input->head;
	z->avail_in = (unsigned)(input->fill - input->head);
	z->next_out = buf;
	z->avail_out = (unsigned)bytes;
	rc = inflate(z, Z_NO_FLUSH);
	input->head = input->fill - z->avail_in;
	*ret_done = bytes - z->avail_out;
	if (rc == Z_STREAM_END)
		input->in_stream = false;
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		return err_input(err, "%s: the %s data is damaged before byte %llu (%s)",
				 input->path, input->packing_name,
				 (unsigned long long)packed_at(input),
				 z->msg ? z->msg : N_("no such stream"));
	return 0;
}

static int unpack_zstd(struct trace_input *input, uint8_t *buf, size_t bytes, size_t *ret_done,
		       struct err *err)
{
	ZSTD_inBuffer in = {input->packed, input->fill, input->head};
	ZSTD_outBuffer out = {.size = bytes};
	size_t rc;

	out.dst = buf;
	rc = input->zstd.ZSTD_decompressStream(input->zstd_stream, &out, &in);
	input->head = in.pos;
	*ret_done = out.pos;
	if (input->zstd.ZSTD_isError(rc))
		return err_input(err, "%s: the zstd data is damaged before byte %llu (%s)",
				 input->path, (unsigned long long)packed_at(input),
				 input->zstd.ZSTD_getErrorName(rc));
	input->in_stream = rc != 0;
	return 0;
}

static ssize_t packed_read(struct trace_input *input, uint8_t *buf, size_t bytes,
			   struct err *err)
{
	size_t done = 0;

	while (!done && !input->ended) {
		int rc = input->packing == INPUT_ZLIB
				 ? unpack_zlib(input, buf, bytes, &done, err)
				 : unpack_zstd(input, buf, bytes, &done, err);

		if (rc)
			return rc;
		if (!done && input->head == input->fill) {
			ssize_t n = refill(input, err);

			if (n < 0)
				return n;
			input->ended = n == 0;
			input->cut = n == 0 && input->in_stream;
		}
	}
	return (ssize_t)done;
}

static ssize_t stream_read(struct trace_input *input, void *buf, size_t bytes, struct err *err)
{
	/* a stream that ended exactly at the file's end leaves nothing to begin anew */
	if (!input->in_stream && input->head == input->fill && !input->ended) {
		ssize_t n = refill(input, err);

		if (n <= 0) {
			input->ended = true;
			return n;
		}
	}
	return packed_read(input, buf, bytes, err);
}

static ssize_t stage_refill(struct trace_input *input, struct err *err)
{
	size_t rest = input->stage_fill - input->stage_head;
	ssize_t n;

	memmove(input->stage, input->stage + input->stage_head, rest);
	input->stage_head = 0;
	input->stage_fill = rest;
	n = stream_read(input, input->stage + rest, STAGE_BYTES - rest, err);
	input->stage_fill += n > 0 ? (size_t)n : 0;
	return n;
}

/* Samples of an .fz log become rows of text. */
static ssize_t samples_read(struct trace_input *input, char *buf, size_t bytes, struct err *err)
{
	size_t done = 0;

	while (done + FZSAMPLE_TEXT_MAX <= bytes) {
		size_t length = 0;
		ssize_t n = fzsample_to_text(input->stage + input->stage_head,
					     input->stage_fill - input->stage_head, buf + done,
					     &length, err);

		if (n < 0)
			return n;
		input->stage_head += (size_t)n;
		done += length;
		if (n)
			continue;
		if (done) /* what is there is enough for now */
			break;
		n = stage_refill(input, err);
		if (n < 0)
			return n;
		if (n == 0) {
			input->cut |= input->stage_fill > input->stage_head;
			break;
		}
	}
	return (ssize_t)done;
}

ssize_t input_read(struct trace_input *input, void *buf, size_t bytes, struct err *err)
{
	size_t left = input->stage_fill - input->stage_head;

	if (input->packing == INPUT_PLAIN)
		return plain_read(input, buf, bytes, err);
	if (input->has_samples)
		return samples_read(input, buf, bytes, err);
	if (!left)
		return stream_read(input, buf, bytes, err);
	left = min_u64(left, bytes);
	memcpy(buf, input->stage + input->stage_head, left);
	input->stage_head += left;
	return (ssize_t)left;
}

/* Text holds no byte of zero; a sample's time has some in its first eight bytes. */
static int look_for_samples(struct trace_input *input, struct err *err)
{
	ssize_t n = 1;

	input->stage = malloc(STAGE_BYTES);
	if (!input->stage)
		return err_env(err, -ENOMEM, "%s: no memory", input->path);
	while (input->stage_fill < FZSAMPLE_BYTES_MAX && n > 0)
		n = stage_refill(input, err);
	input->has_samples = memchr(input->stage, 0, min_u64(input->stage_fill, 8)) != NULL;
	if (input->has_samples)
		input->packing_name = N_("fio's .fz");
	return n < 0 ? (int)n : 0;
}

static void find_packing(struct trace_input *input)
{
	const uint8_t *p = input->packed;

	input->packing_name = N_("plain");
	if (input->fill < MAGIC_BYTES)
		return;
	if (p[0] == 0x1f && p[1] == 0x8b) {
		input->packing = INPUT_ZLIB;
		input->packing_name = "gzip";
	} else if (p[0] == 0x78 && (p[0] * 256 + p[1]) % 31 == 0) { /* no text begins so */
		input->packing = INPUT_ZLIB;
		input->packing_name = "zlib";
	} else if (p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd) {
		input->packing = INPUT_ZSTD;
		input->packing_name = "zstd";
	}
}

static int begin_zstd(struct trace_input *input, struct err *err)
{
	static const char *const names[] = {CALLS(LIBRARY_NAME)};
	static const struct library library = {"libzstd.so.1", "libzstd1", names,
					       ARRAY_SIZE(names)};
	int rc = library_open(&library, &input->zstd, sizeof(input->zstd), err);

	if (rc)
		return rc;
	input->zstd_stream = input->zstd.ZSTD_createDStream();
	if (!input->zstd_stream)
		return err_env(err, -ENOMEM, "%s: zstd cannot start", input->path);
	return 0;
}

static int start(struct trace_input *input, struct err *err)
{
	struct stat st;
	ssize_t n;

	if (fstat(input->fd, &st) < 0)
		return err_env(err, -errno, "%s: %s", input->path, err_name(errno));
	if (S_ISDIR(st.st_mode))
		return err_input(err, "%s: is a folder; name the log files in it", input->path);
	input->seekable = S_ISREG(st.st_mode) && input->fd != STDIN_FILENO;
	input->size_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	input->to = UINT64_MAX;
	/* a pipe may give its first bytes one by one */
	while (input->fill < MAGIC_BYTES) {
		n = raw_read(input, input->packed + input->fill, PACKED_BYTES - input->fill,
			     err);
		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
		input->fill += (size_t)n;
	}
	find_packing(input);
	if (input->packing == INPUT_ZLIB && inflateInit2(&input->zlib, 15 + 32) != Z_OK)
		return err_env(err, -ENOMEM, "%s: zlib cannot start", input->path);
	if (input->packing == INPUT_ZSTD)
		return begin_zstd(input, err);
	return input->packing == INPUT_ZLIB ? look_for_samples(input, err) : 0;
}

struct trace_input *input_open(const char *path, struct err *err)
{
	bool is_stdin = str_equal(path, "-");
	struct trace_input *input = calloc(1, sizeof(*input));
	int rc;

	if (!input)
		return (void)err_env(err, -ENOMEM, "%s: no memory", path), NULL;
	input->path = strdup(is_stdin ? N_("standard input") : path);
	input->packed = malloc(PACKED_BYTES);
	input->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (!input->path || !input->packed)
		rc = err_env(err, -ENOMEM, "%s: no memory", path);
	else if (input->fd < 0)
		rc = errno == ENOENT ? err_input(err, "%s: there is no such file", path)
				     : err_env(err, -errno, "%s: cannot be opened: %s", path,
					       err_name(errno));
	else
		rc = start(input, err);
	if (!rc)
		return input;
	input_close(input);
	return NULL;
}

bool input_is_cut(const struct trace_input *input)
{
	return input->cut;
}

enum input_packing input_packing(const struct trace_input *input)
{
	return input->packing;
}

const char *input_packing_name(const struct trace_input *input)
{
	return input->packing_name;
}

uint64_t input_size_bytes(const struct trace_input *input)
{
	return input->size_bytes;
}

bool input_can_seek(const struct trace_input *input)
{
	return input->seekable && input->packing == INPUT_PLAIN;
}

void input_set_range(struct trace_input *input, uint64_t from, uint64_t to)
{
	input->head = input->fill = 0;
	input->at = from;
	input->to = to;
}

void input_close(struct trace_input *input)
{
	if (!input)
		return;
	(void)inflateEnd(&input->zlib); /* of one that never began: an error, and nothing */
	if (input->zstd_stream)
		(void)input->zstd.ZSTD_freeDStream(input->zstd_stream);
	if (input->fd > STDIN_FILENO)
		(void)close(input->fd);
	free(input->packed);
	free(input->stage);
	free(input->path);
	free(input);
}
