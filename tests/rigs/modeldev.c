/*
 * modeldev: a device that follows a queueing model to the microsecond, and says so in a log.
 *
 * It serves one file, MOUNT/disk, through FUSE. Requests wait for one of N servers, each busy with
 * one request for service_ns; every reply is delayed by latency_ns more, which costs no server. So
 * depth 1 sees service + latency, and a deep queue sees N / service requests a second. The file
 * lies in memory.
 *
 *     modeldev MOUNT SIZE SERVERS SERVICE_NS LATENCY_NS
 *
 * Commands come as lines on stdin; each is answered by one line on stdout, "ok OPS" or "no OPS",
 * once it is in force (OPS: how many are in the log). Without stdin (the test died) it unmounts and
 * ends; SIGTERM does the same.
 *
 *     stall NS [OPS]     serves nothing for NS, from now or from the OPS-th arrival from now on
 *     resume             ends a stall, and answers at once all that wait
 *     error EVERY ERRNO  every EVERY-th read or write from now on moves no data and fails; 0: none
 *     service NS         and
 *     latency NS         change the model for the requests to come
 *     forget             empties the log
 *     log PATH           writes the log, one line an op:
 *                        arrival_ns due_ns done_ns op offset len errno
 *
 * Times are CLOCK_MONOTONIC. due is when the model says that the op is done, done is just before
 * the reply: done - due is how late this machine was. op is r, w, f (fsync: behind all that came
 * before it) or t (a hole punched). The lines stand in the order of the replies.
 */
#define FUSE_USE_VERSION 312

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#define DISK_NAME    "disk"
#define DISK_INO     2
#define SERVERS_MAX  1024
#define LOG_MAX	     (4u << 20) /* ops; the memory is taken only as it fills */
#define REQUESTS_MAX 65536	/* in flight: far above what FUSE lets through */
#define FOREVER_S    1e6 /* the kernel may keep names and attributes: nothing ever changes */
#define NS_PER_S     UINT64_C(1000000000)

struct op {
	uint64_t arrival_ns;
	uint64_t due_ns;
	uint64_t done_ns;
	uint64_t offset;
	uint32_t len;
	int16_t error;
	char kind;
};

/* A request between its arrival and its reply. */
struct request {
	struct op op;
	fuse_req_t fuse;
};

struct model {
	pthread_mutex_t lock; /* guards all below but the disk's memory */
	pthread_cond_t changed;

	uint64_t service_ns;
	uint64_t latency_ns;
	uint32_t nservers;
	uint64_t free_ns[SERVERS_MAX]; /* when each server will be free */

	uint64_t stall_ns;
	uint64_t stall_after; /* arrivals until it begins; 0: no stall planned */
	uint64_t error_every;
	uint64_t error_count;
	int16_t error;

	/* Min-heap by due_ns; of equals, any first. */
	struct request *heap;
	uint32_t nheap;

	struct op *log;
	uint32_t nlog;

	char *disk;
	uint64_t disk_bytes;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The queue of requests that wait for their due time. */

static void heap_add(struct model *m, const struct request *request)
{
	uint32_t at = m->nheap++;

	while (at > 0) {
		uint32_t parent = (at - 1) / 2;

		if (m->heap[parent].op.due_ns <= request->op.due_ns)
			break;
		m->heap[at] = m->heap[parent];
		at = parent;
	}
	m->heap[at] = *request;
}

static struct request heap_take(struct model *m)
{
	struct request first = m->heap[0];
	struct request last = m->heap[--m->nheap];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= m->nheap)
			break;
		if (child + 1 < m->nheap &&
		    m->heap[child + 1].op.due_ns < m->heap[child].op.due_ns)
			child++;
		if (last.op.due_ns <= m->heap[child].op.due_ns)
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = last;
	return first;
}

/* The model. All of it runs under the lock. */

static void model_stall(struct model *m, uint64_t from_ns)
{
	for (uint32_t i = 0; i < m->nservers; i++)
		m->free_ns[i] = max_u64(m->free_ns[i], from_ns) + m->stall_ns;
	/* All wait equally longer, so the heap keeps its order. */
	for (uint32_t i = 0; i < m->nheap; i++)
		m->heap[i].op.due_ns += m->stall_ns;
}

static void model_resume(struct model *m, uint64_t at_ns)
{
	m->stall_after = 0;
	for (uint32_t i = 0; i < m->nservers; i++)
		m->free_ns[i] = min_u64(m->free_ns[i], at_ns);
	for (uint32_t i = 0; i < m->nheap; i++) /* cut off alike: the heap keeps its order */
		m->heap[i].op.due_ns = min_u64(m->heap[i].op.due_ns, at_ns);
}

static uint64_t model_serve(struct model *m, uint64_t arrival_ns)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < m->nservers; i++)
		if (m->free_ns[i] < m->free_ns[first])
			first = i;
	m->free_ns[first] = max_u64(m->free_ns[first], arrival_ns) + m->service_ns;
	return m->free_ns[first] + m->latency_ns;
}

static uint64_t model_flush(const struct model *m, uint64_t arrival_ns)
{
	uint64_t last_ns = arrival_ns;

	for (uint32_t i = 0; i < m->nheap; i++)
		last_ns = max_u64(last_ns, m->heap[i].op.due_ns);
	return last_ns + m->latency_ns;
}

/* Stamps the arrival and decides the outcome; then data may move, and model_queue follows. */
static void model_admit(struct model *m, struct op *op)
{
	op->arrival_ns = now_ns();
	if (op->kind != 'r' && op->kind != 'w')
		return;
	pthread_mutex_lock(&m->lock);
	if (m->error_every && ++m->error_count % m->error_every == 0)
		op->error = m->error;
	pthread_mutex_unlock(&m->lock);
}

/* From here on the request is the replier's. */
static void model_queue(struct model *m, struct request *request)
{
	struct op *op = &request->op;

	pthread_mutex_lock(&m->lock);
	if (m->stall_after && --m->stall_after == 0)
		model_stall(m, op->arrival_ns);
	op->due_ns = op->kind == 'f' ? model_flush(m, op->arrival_ns)
				     : model_serve(m, op->arrival_ns);
	assert(m->nheap < REQUESTS_MAX);
	heap_add(m, request);
	pthread_cond_signal(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

static void request_reply(const struct model *m, const struct request *request)
{
	const struct op *op = &request->op;

	if (op->error)
		fuse_reply_err(request->fuse, op->error);
	else if (op->kind == 'r')
		fuse_reply_buf(request->fuse, m->disk + op->offset, op->len);
	else if (op->kind == 'w')
		fuse_reply_write(request->fuse, op->len);
	else
		fuse_reply_err(request->fuse, 0);
}

/* The thread that replies when the time has come. */
static void *replier(void *arg)
{
	struct model *m = arg;

	prctl(PR_SET_TIMERSLACK, 1);
	pthread_mutex_lock(&m->lock);
	for (;;) {
		if (m->nheap == 0) {
			pthread_cond_wait(&m->changed, &m->lock);
			continue;
		}
		uint64_t due_ns = m->heap[0].op.due_ns;

		if (due_ns > now_ns()) {
			struct timespec until = {.tv_sec = due_ns / NS_PER_S,
						 .tv_nsec = due_ns % NS_PER_S};

			pthread_cond_timedwait(&m->changed, &m->lock, &until);
			continue;
		}
		struct request request = heap_take(m);

		request.op.done_ns = now_ns();
		if (m->nlog < LOG_MAX)
			m->log[m->nlog++] = request.op;
		pthread_mutex_unlock(&m->lock);
		request_reply(m, &request);
		pthread_mutex_lock(&m->lock);
	}
	return NULL;
}

/* The file system. */

static struct stat stat_of(const struct model *m, fuse_ino_t ino)
{
	struct stat st = {.st_ino = ino, .st_mode = S_IFDIR | 0755, .st_nlink = 2};

	if (ino == DISK_INO) {
		st.st_mode = S_IFREG | 0600;
		st.st_nlink = 1;
		st.st_size = m->disk_bytes;
		st.st_blocks = m->disk_bytes / 512;
		st.st_blksize = 4096;
	}
	return st;
}

static void on_init(void *user, struct fuse_conn_info *conn)
{
	(void)user;
	conn->max_background = 512; /* the default of 12 would be the depth */
	conn->congestion_threshold = 512;
	conn->want |= conn->capable & FUSE_CAP_ASYNC_DIO;
}

static void on_lookup(fuse_req_t fuse, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = {
		.ino = DISK_INO, .attr_timeout = FOREVER_S, .entry_timeout = FOREVER_S};

	if (parent != FUSE_ROOT_ID || strcmp(name, DISK_NAME) != 0) {
		fuse_reply_err(fuse, ENOENT);
		return;
	}
	entry.attr = stat_of(fuse_req_userdata(fuse), DISK_INO);
	fuse_reply_entry(fuse, &entry);
}

static void on_getattr(fuse_req_t fuse, fuse_ino_t ino, struct fuse_file_info *file)
{
	struct stat st = stat_of(fuse_req_userdata(fuse), ino);

	(void)file;
	fuse_reply_attr(fuse, &st, FOREVER_S);
}

/* The size is fixed, as a device's is: O_TRUNC and ftruncate succeed and change nothing. */
static void on_setattr(fuse_req_t fuse, fuse_ino_t ino, struct stat *attr, int to_set,
		       struct fuse_file_info *file)
{
	(void)attr;
	(void)to_set;
	on_getattr(fuse, ino, file);
}

static void on_open(fuse_req_t fuse, fuse_ino_t ino, struct fuse_file_info *file)
{
	/* The kernel's struct fuse_open_out by hand: libfuse 3.14 cannot set parallel writes. */
	enum { DIRECT_IO = 1 << 0, PARALLEL_DIRECT_WRITES = 1 << 6 };
	const struct {
		uint64_t handle;
		uint32_t flags;
		uint32_t padding;
	} out = {.flags = DIRECT_IO | PARALLEL_DIRECT_WRITES};

	(void)file;
	if (ino != DISK_INO)
		fuse_reply_err(fuse, EISDIR);
	else
		fuse_reply_buf(fuse, (const char *)&out, sizeof(out));
}

static void on_readdir(fuse_req_t fuse, fuse_ino_t ino, size_t size, off_t offset,
		       struct fuse_file_info *file)
{
	struct stat st = stat_of(fuse_req_userdata(fuse), DISK_INO);
	char entry[256];
	size_t len;

	(void)file;
	(void)size;
	if (ino != FUSE_ROOT_ID || offset > 0) {
		fuse_reply_buf(fuse, NULL, 0);
		return;
	}
	len = fuse_add_direntry(fuse, entry, sizeof(entry), DISK_NAME, &st, 1);
	fuse_reply_buf(fuse, entry, len);
}

/* The part of a transfer that lies on the disk; only holes come near 4 GiB, and are cut. */
static uint32_t clip(const struct model *m, uint64_t size, uint64_t offset)
{
	if (offset >= m->disk_bytes)
		return 0;
	if (size > m->disk_bytes - offset)
		size = m->disk_bytes - offset;
	return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

static void on_read(fuse_req_t fuse, fuse_ino_t ino, size_t size, off_t offset,
		    struct fuse_file_info *file)
{
	struct model *m = fuse_req_userdata(fuse);
	uint32_t len = clip(m, size, offset);
	struct request request = {.fuse = fuse,
				  .op = {.kind = 'r', .offset = offset, .len = len}};

	(void)ino;
	(void)file;
	if (len == 0) {
		fuse_reply_buf(fuse, NULL, 0);
		return;
	}
	model_admit(m, &request.op);
	model_queue(m, &request);
}

static void on_write(fuse_req_t fuse, fuse_ino_t ino, const char *data, size_t size,
		     off_t offset, struct fuse_file_info *file)
{
	struct model *m = fuse_req_userdata(fuse);
	uint32_t len = clip(m, size, offset);
	struct request request = {.fuse = fuse,
				  .op = {.kind = 'w', .offset = offset, .len = len}};

	(void)ino;
	(void)file;
	if (len == 0) {
		fuse_reply_err(fuse, ENOSPC);
		return;
	}
	model_admit(m, &request.op);
	if (request.op.error == 0)
		memcpy(m->disk + offset, data, len);
	model_queue(m, &request);
}

static void on_fsync(fuse_req_t fuse, fuse_ino_t ino, int datasync, struct fuse_file_info *file)
{
	struct model *m = fuse_req_userdata(fuse);
	struct request request = {.fuse = fuse, .op = {.kind = 'f'}};

	(void)ino;
	(void)datasync;
	(void)file;
	model_admit(m, &request.op);
	model_queue(m, &request);
}

static void on_fallocate(fuse_req_t fuse, fuse_ino_t ino, int mode, off_t offset, off_t length,
			 struct fuse_file_info *file)
{
	struct model *m = fuse_req_userdata(fuse);
	uint32_t len = clip(m, length, offset);
	struct request request = {.fuse = fuse,
				  .op = {.kind = 't', .offset = offset, .len = len}};

	(void)ino;
	(void)file;
	if (!(mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))) {
		fuse_reply_err(fuse, 0); /* the space is there already */
		return;
	}
	model_admit(m, &request.op);
	memset(m->disk + offset, 0, len);
	model_queue(m, &request);
}

static const struct fuse_lowlevel_ops OPS = {
	.init = on_init,
	.lookup = on_lookup,
	.getattr = on_getattr,
	.setattr = on_setattr,
	.open = on_open,
	.readdir = on_readdir,
	.read = on_read,
	.write = on_write,
	.fsync = on_fsync,
	.fallocate = on_fallocate,
};

/* The commands. */

static bool log_save(const struct op *log, uint32_t nlog, const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	for (uint32_t i = 0; i < nlog; i++)
		(void)fprintf(file,
			      "%" PRIu64 " %" PRIu64 " %" PRIu64 " %c %" PRIu64 " %u %d\n",
			      log[i].arrival_ns, log[i].due_ns, log[i].done_ns, log[i].kind,
			      log[i].offset, log[i].len, log[i].error);
	return fclose(file) == 0;
}

static void set_stall(struct model *m, uint64_t ns, uint64_t after_ops)
{
	m->stall_ns = ns;
	m->stall_after = after_ops;
	if (after_ops == 0)
		model_stall(m, now_ns());
}

static void set_resume(struct model *m, uint64_t unused, uint64_t unused_too)
{
	(void)unused;
	(void)unused_too;
	model_resume(m, now_ns());
}

static void set_error(struct model *m, uint64_t every, uint64_t error)
{
	m->error_every = every;
	m->error_count = 0;
	m->error = (int16_t)error;
}

static void set_service(struct model *m, uint64_t ns, uint64_t unused)
{
	(void)unused;
	m->service_ns = ns;
}

static void set_latency(struct model *m, uint64_t ns, uint64_t unused)
{
	(void)unused;
	m->latency_ns = ns;
}

static void set_forget(struct model *m, uint64_t unused, uint64_t unused_too)
{
	(void)unused;
	(void)unused_too;
	m->nlog = 0;
}

/* Run under the lock, with the numbers that follow the name; 0 where none do. */
static const struct command {
	const char *name;
	void (*run)(struct model *m, uint64_t first, uint64_t second);
} COMMANDS[] = {
	{"stall", set_stall},	  {"resume", set_resume},   {"error", set_error},
	{"service", set_service}, {"latency", set_latency}, {"forget", set_forget},
};

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < sizeof(COMMANDS) / sizeof(*COMMANDS); i++)
		if (strcmp(COMMANDS[i].name, name) == 0)
			return &COMMANDS[i];
	return NULL;
}

static bool command_run(struct model *m, const char *name, char *rest)
{
	const struct command *command = command_find(name);
	uint64_t first = strtoull(rest, &rest, 10);
	uint64_t second = strtoull(rest, &rest, 10);

	if (!command || *rest != '\0')
		return false;
	pthread_mutex_lock(&m->lock);
	command->run(m, first, second);
	pthread_cond_signal(&m->changed);
	pthread_mutex_unlock(&m->lock);
	return true;
}

static uint32_t log_count(struct model *m)
{
	uint32_t nlog;

	pthread_mutex_lock(&m->lock);
	nlog = m->nlog;
	pthread_mutex_unlock(&m->lock);
	return nlog;
}

static void *commander(void *arg)
{
	struct model *m = arg;
	char line[1100];

	while (fgets(line, sizeof(line), stdin)) {
		char *rest = line;
		const char *name;
		uint32_t nlog = log_count(m);
		bool ok;

		line[strcspn(line, "\n")] = '\0';
		name = strsep(&rest, " ");
		/* The log only grows at its end, so it is read without the lock. */
		if (strcmp(name, "log") == 0)
			ok = rest && log_save(m->log, nlog, rest);
		else
			ok = command_run(m, name, rest ? rest : line + strlen(line));
		(void)printf("%s %u\n", ok ? "ok" : "no", nlog);
		(void)fflush(stdout);
	}
	kill(getpid(), SIGTERM); /* only the main thread takes it: the session loop ends */
	return NULL;
}

static void *map(uint64_t size)
{
	void *area = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return area == MAP_FAILED ? NULL : area;
}

static bool model_init(struct model *m, char **argv)
{
	pthread_condattr_t attr;

	m->disk_bytes = strtoull(argv[2], NULL, 10);
	m->nservers = (uint32_t)strtoul(argv[3], NULL, 10);
	m->service_ns = strtoull(argv[4], NULL, 10);
	m->latency_ns = strtoull(argv[5], NULL, 10);
	if (m->disk_bytes == 0 || m->nservers == 0 || m->nservers > SERVERS_MAX)
		return false;

	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->changed, &attr);
	m->disk = map(m->disk_bytes);
	m->heap = map(REQUESTS_MAX * sizeof(*m->heap));
	m->log = map(LOG_MAX * sizeof(*m->log));
	return m->disk && m->heap && m->log;
}

/* Signals are left to the main thread, which sits in the session loop. */
static bool thread_start(void *(*body)(void *), struct model *m)
{
	pthread_t thread;
	sigset_t all;
	sigset_t before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	error = pthread_create(&thread, NULL, body, m);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error == 0;
}

int main(int argc, char **argv)
{
	static struct model m;
	char *options[] = {argv[0], (char[]){"-o"}, (char[]){"fsname=modeldev"}, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(3, options);
	struct fuse_session *session;
	int rc = 1;

	if (argc != 6 || !model_init(&m, argv)) {
		(void)fprintf(stderr,
			      "usage: modeldev MOUNT SIZE SERVERS SERVICE_NS LATENCY_NS\n");
		return 2;
	}
	session = fuse_session_new(&args, &OPS, sizeof(OPS), &m);
	if (!session)
		return 1;
	if (fuse_set_signal_handlers(session) == 0 &&
	    fuse_session_mount(session, argv[1]) == 0) {
		if (thread_start(replier, &m) && thread_start(commander, &m)) {
			(void)puts("ready");
			(void)fflush(stdout);
			rc = fuse_session_loop(session) < 0;
		}
		fuse_session_unmount(session);
	}
	/* The session is not destroyed: the replier may be using it until the process ends. */
	return rc;
}
