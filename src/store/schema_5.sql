-- Schema 5: a cell's rate as a token bucket: a burst, and the base rate after it. Never edited once
-- it has shipped.
ALTER TABLE plan_cells ADD COLUMN base_ios_per_s REAL;  -- NULL: too short to tell, or no level held
ALTER TABLE plan_cells ADD COLUMN burst_ios_per_s REAL; -- NULL: no burst was seen to end
ALTER TABLE plan_cells ADD COLUMN burst_s REAL;         -- how long it lasted
