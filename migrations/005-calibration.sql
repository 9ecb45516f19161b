-- How a provider's counts of prompts compare with ours: reported tokens are counted ones times the factor.

CREATE TABLE calibrations (
  model   TEXT PRIMARY KEY,
  factor  REAL NOT NULL CHECK (factor > 0),
  reports INTEGER NOT NULL,
  at      INTEGER NOT NULL
) STRICT;
