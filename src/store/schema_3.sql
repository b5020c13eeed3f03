-- Schema 3: what a plan did. Its finished cells are runs with plan_id; plan_cells is the journal that
-- it goes on from. Never edited once it has shipped.
ALTER TABLE plans ADD COLUMN title TEXT;
ALTER TABLE plans ADD COLUMN repetitions INTEGER NOT NULL DEFAULT 1; -- of the whole, A B B A
ALTER TABLE plans ADD COLUMN spec TEXT;   -- the data sheet, lines NAME = VALUE
ALTER TABLE verdicts ADD COLUMN target INTEGER; -- of a plan: where it belongs
ALTER TABLE verdicts ADD COLUMN repetition INTEGER;
ALTER TABLE verdicts ADD COLUMN step INTEGER;
ALTER TABLE verdicts ADD COLUMN step_name TEXT;
ALTER TABLE verdicts ADD COLUMN cell_name TEXT;

-- In the order in which it was done.
CREATE TABLE plan_cells (
	plan_id INTEGER NOT NULL REFERENCES plans ON DELETE CASCADE,
	number INTEGER NOT NULL,
	target INTEGER NOT NULL, repetition INTEGER NOT NULL, step INTEGER NOT NULL,
	pass INTEGER NOT NULL, round INTEGER NOT NULL, cell INTEGER NOT NULL,
	load REAL NOT NULL,               -- of find: percent of the rate, depth or jobs
	state TEXT NOT NULL,              -- done, errors, skipped
	step_name TEXT NOT NULL,
	cell_name TEXT NOT NULL,          -- "bs=4k numjobs=8"; "" the only one of its step
	run_id INTEGER REFERENCES runs ON DELETE SET NULL,
	began_unix_ns INTEGER NOT NULL,
	span_ns INTEGER NOT NULL,
	written_bytes INTEGER NOT NULL,
	errors INTEGER NOT NULL,
	intervals INTEGER NOT NULL,       -- whole ones, and of them without any I/O
	zero_intervals INTEGER NOT NULL,
	moved_percent REAL,               -- range of five parts of the cell, of their mean
	note TEXT,
	PRIMARY KEY (plan_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX plan_cells_by_run ON plan_cells (run_id) WHERE run_id IS NOT NULL;

-- Figures of a cell: each direction, and all together with latencies weighted by requests.
CREATE TABLE plan_figures (
	plan_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	direction TEXT NOT NULL,          -- read, write, trim, all
	ios INTEGER NOT NULL,
	ios_per_s REAL, bytes_per_s REAL,
	mean_ns REAL, p50_ns REAL, p99_ns REAL, p999_ns REAL, p9999_ns REAL, max_ns REAL,
	counts BLOB,                      -- latencies (result/codec.h)
	PRIMARY KEY (plan_id, number, direction),
	FOREIGN KEY (plan_id, number) REFERENCES plan_cells ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- How rounds ended: a line a tracked variable.
CREATE TABLE plan_rounds (
	plan_id INTEGER NOT NULL REFERENCES plans ON DELETE CASCADE,
	target INTEGER NOT NULL, repetition INTEGER NOT NULL, step INTEGER NOT NULL,
	pass INTEGER NOT NULL,
	variable TEXT NOT NULL,           -- "iops[bs=4k]"
	attained INTEGER NOT NULL,
	first_round INTEGER NOT NULL,     -- of the window, from 0
	rounds INTEGER NOT NULL,          -- all that were done
	mean REAL, slope REAL, range_percent REAL, slope_percent REAL,
	PRIMARY KEY (plan_id, target, repetition, step, pass, variable)
) STRICT, WITHOUT ROWID;

CREATE VIEW plan_list AS
	SELECT 'p' || id AS plan, name, title,
		datetime(started_unix_ns / 1000000000, 'unixepoch') AS started_utc, state, scale,
		repetitions, (SELECT count(*) FROM plan_cells WHERE plan_id = plans.id) AS cells
	FROM plans;
CREATE VIEW plan_matrix AS
	SELECT 'p' || plan_cells.plan_id AS plan, plan_cells.number, target, repetition, step_name,
		cell_name, pass, round, load, state, 'r' || run_id AS run, direction,
		ios_per_s AS iops, bytes_per_s / 1e6 AS mb_per_s, mean_ns / 1e3 AS mean_us,
		p50_ns / 1e3 AS p50_us, p99_ns / 1e3 AS p99_us, p999_ns / 1e3 AS p999_us,
		p9999_ns / 1e3 AS p9999_us, max_ns / 1e3 AS max_us, note
	FROM plan_cells LEFT JOIN plan_figures USING (plan_id, number);
