-- Schema 7: how the machine and the drives fared while a part ran (doc/store.md). Never edited once
-- it has shipped.
CREATE TABLE vital_channels (
	part_id INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE,
	channel INTEGER NOT NULL,
	kind TEXT NOT NULL,               -- temperature, power, cpu (device/vitals.h)
	name TEXT NOT NULL,               -- nvme0n1, package-0, cpu3, all
	unit TEXT NOT NULL,
	step_ns INTEGER NOT NULL,         -- row r is of [r * step_ns, (r + 1) * step_ns)
	rows INTEGER NOT NULL,
	PRIMARY KEY (part_id, channel)
) STRICT, WITHOUT ROWID;
CREATE TABLE vital_rows (
	part_id INTEGER NOT NULL,
	channel INTEGER NOT NULL,
	row INTEGER NOT NULL,
	value REAL NOT NULL,              -- what is unknown has no line
	PRIMARY KEY (part_id, channel, row),
	FOREIGN KEY (part_id, channel) REFERENCES vital_channels ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE VIEW vitals AS
	SELECT 'r' || parts.run_id AS run, parts.name AS part, parts.load, parts.repeat,
		vital_rows.row * step_ns / 1e9 AS second, kind, vital_channels.name AS of, unit, value
	FROM vital_rows JOIN vital_channels USING (part_id, channel)
		JOIN parts ON parts.id = part_id;
