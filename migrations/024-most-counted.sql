-- The most tokens that a provider has counted for each of ours, in prompts that filled much of its window, and when.

ALTER TABLE calibrations ADD COLUMN most REAL NOT NULL DEFAULT 1;
ALTER TABLE calibrations ADD COLUMN most_at INTEGER NOT NULL DEFAULT 0;
