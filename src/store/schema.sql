-- The store, schema 1 (PRAGMA user_version). doc/store.md explains it; a change is a new step in
-- store.c, never an edit here once it has shipped. Times are nanoseconds since the epoch where
-- the name says unix, else since the run's start. NULL is unknown.

CREATE TABLE meta (
	key TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One execution of a plan: p4. Its finished cells and rounds are runs with plan_id.
CREATE TABLE plans (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	uid TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	text TEXT NOT NULL,               -- the plan as it was read, includes resolved
	settings TEXT NOT NULL DEFAULT '{}', -- --set and the like, JSON
	targets TEXT NOT NULL DEFAULT '[]',  -- and what was consented to, JSON
	scale INTEGER NOT NULL DEFAULT 1,
	state TEXT NOT NULL,              -- running, done, stopped, failed
	started_unix_ns INTEGER NOT NULL,
	ended_unix_ns INTEGER
) STRICT;

-- What one command measured: r17.
CREATE TABLE runs (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	uid TEXT NOT NULL UNIQUE,
	plan_id INTEGER REFERENCES plans ON DELETE CASCADE,
	step TEXT, cell TEXT, round INTEGER, repetition INTEGER, -- of a plan
	kind TEXT NOT NULL,
	title TEXT,
	program TEXT,
	host TEXT,
	target TEXT,                      -- the first one's path
	device TEXT, serial TEXT,         -- model and serial below it
	started_unix_ns INTEGER NOT NULL,
	span_ns INTEGER NOT NULL,
	written_bytes INTEGER NOT NULL,
	uncertain_percent REAL NOT NULL DEFAULT 0,
	incomplete TEXT,
	job_text TEXT                     -- the exact jobs, as `assay run` reads them
) STRICT;
CREATE INDEX runs_by_plan ON runs (plan_id) WHERE plan_id IS NOT NULL;
CREATE INDEX runs_by_target ON runs (target, started_unix_ns);

CREATE TABLE tags (
	tag TEXT NOT NULL,
	run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
	PRIMARY KEY (tag, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_run ON tags (run_id);

CREATE TABLE remarks (
	run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
	unix_ns INTEGER NOT NULL,
	text TEXT NOT NULL
) STRICT;
CREATE INDEX remarks_by_run ON remarks (run_id);

-- A run is one result, or several (assay quick): each is a part.
CREATE TABLE parts (
	id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
	number INTEGER NOT NULL,
	name TEXT NOT NULL,
	load TEXT NOT NULL,
	repeat INTEGER NOT NULL,
	document TEXT NOT NULL,           -- JSON: what has no table of its own
	UNIQUE (run_id, number)
) STRICT;

CREATE TABLE environments (
	part_id INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE,
	phase TEXT NOT NULL,              -- run; before, after (plans)
	document TEXT NOT NULL,           -- JSON: host, targets, devices and their counters
	PRIMARY KEY (part_id, phase)
) STRICT, WITHOUT ROWID;

-- The figures of one group of jobs and direction.
CREATE TABLE cells (
	id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
	part_id INTEGER REFERENCES parts ON DELETE CASCADE, -- NULL: printed figures
	"group" INTEGER NOT NULL,
	direction TEXT NOT NULL,
	name TEXT NOT NULL,
	load TEXT NOT NULL,
	bs_bytes INTEGER NOT NULL,
	depth INTEGER NOT NULL,
	jobs INTEGER NOT NULL,
	read_percent INTEGER NOT NULL,
	repeat INTEGER NOT NULL,
	ios INTEGER NOT NULL,
	bytes INTEGER NOT NULL,
	errors INTEGER NOT NULL,
	ios_per_s REAL, bytes_per_s REAL,
	mean_ns REAL, p50_ns REAL, p99_ns REAL, p999_ns REAL, p9999_ns REAL, max_ns REAL,
	printed TEXT
) STRICT;
CREATE INDEX cells_by_run ON cells (run_id);
CREATE INDEX cells_by_part ON cells (part_id);

-- Counts of latencies, exact and mergeable (result/codec.h). row -1: the whole part.
CREATE TABLE histograms (
	part_id INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE,
	"group" INTEGER NOT NULL,
	direction INTEGER NOT NULL,       -- 0 read, 1 write, 2 trim, 3 sync; 4 lateness of arrivals
	kind INTEGER NOT NULL,            -- 0 submission, 1 completion, 2 service, 3 response
	row INTEGER NOT NULL,
	counts BLOB NOT NULL,
	PRIMARY KEY (part_id, "group", direction, kind, row)
) STRICT, WITHOUT ROWID;

-- The series: an interval and direction each, zeros included.
CREATE TABLE rows (
	part_id INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE,
	row INTEGER NOT NULL,
	direction INTEGER NOT NULL,
	begin_ns INTEGER NOT NULL,
	end_ns INTEGER NOT NULL,
	partial INTEGER NOT NULL,
	ios INTEGER NOT NULL,
	bytes INTEGER NOT NULL,
	errors INTEGER NOT NULL,
	mean_ns REAL NOT NULL,
	p50_ns INTEGER NOT NULL, p99_ns INTEGER NOT NULL, p999_ns INTEGER NOT NULL,
	max_ns INTEGER NOT NULL,
	PRIMARY KEY (part_id, row, direction)
) STRICT, WITHOUT ROWID;

CREATE TABLE health (
	run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
	phase TEXT NOT NULL,              -- before, after
	device TEXT NOT NULL,
	field TEXT NOT NULL,
	value TEXT,
	unit TEXT,
	PRIMARY KEY (run_id, phase, device, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (
	part_id INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE,
	number INTEGER NOT NULL,
	note TEXT NOT NULL,               -- littles-law
	severity INTEGER NOT NULL,        -- 0 info, 1 warning
	job TEXT,
	text TEXT NOT NULL,
	PRIMARY KEY (part_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE verdicts (
	id INTEGER PRIMARY KEY,
	run_id INTEGER REFERENCES runs ON DELETE CASCADE,
	plan_id INTEGER REFERENCES plans ON DELETE CASCADE,
	rule TEXT NOT NULL,
	outcome TEXT NOT NULL,            -- pass, fail, cannot tell
	value REAL, threshold REAL,
	text TEXT NOT NULL,
	CHECK (run_id IS NOT NULL OR plan_id IS NOT NULL)
) STRICT;
CREATE INDEX verdicts_by_run ON verdicts (run_id);
CREATE INDEX verdicts_by_plan ON verdicts (plan_id);

-- Views for people (assay results sql): documented in doc/store.md.
CREATE VIEW run_list AS
	SELECT 'r' || id AS run, datetime(started_unix_ns / 1000000000, 'unixepoch') AS started_utc,
		kind, title, target, device, host, span_ns / 1e9 AS seconds,
		(SELECT group_concat(tag, ',') FROM tags WHERE run_id = runs.id) AS tags
	FROM runs;
CREATE VIEW figures AS
	SELECT 'r' || run_id AS run, name, load, direction, bs_bytes, depth, jobs, read_percent,
		repeat, ios, bytes, errors, ios_per_s AS iops, bytes_per_s / 1e6 AS mb_per_s,
		mean_ns / 1e3 AS mean_us, p50_ns / 1e3 AS p50_us, p99_ns / 1e3 AS p99_us,
		p999_ns / 1e3 AS p999_us, p9999_ns / 1e3 AS p9999_us, max_ns / 1e3 AS max_us
	FROM cells;
CREATE VIEW series AS
	SELECT 'r' || parts.run_id AS run, parts.name, parts.load, parts.repeat,
		begin_ns / 1e9 AS second,
		CASE direction WHEN 0 THEN 'read' WHEN 1 THEN 'write' WHEN 2 THEN 'trim' ELSE 'sync' END
			AS direction,
		CASE WHEN end_ns > begin_ns THEN ios * 1e9 / (end_ns - begin_ns) END AS iops,
		CASE WHEN end_ns > begin_ns THEN bytes * 1e3 / (end_ns - begin_ns) END AS mb_per_s,
		mean_ns / 1e3 AS mean_us, p99_ns / 1e3 AS p99_us, max_ns / 1e3 AS max_us, partial
	FROM rows JOIN parts ON parts.id = rows.part_id;
CREATE VIEW remarks_and_notes AS
	SELECT 'r' || parts.run_id AS run, note,
		CASE severity WHEN 1 THEN 'warning' ELSE 'info' END AS severity, job, text
	FROM notes JOIN parts ON parts.id = notes.part_id
	UNION ALL
	SELECT 'r' || run_id, 'remark', 'person', NULL, text FROM remarks;
