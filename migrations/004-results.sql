-- Tool results that are too long to be read at once. The text is last: what stands before it is read without it.

CREATE TABLE results (
  room      TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  fd        INTEGER NOT NULL,
  tool      TEXT NOT NULL,
  page_size INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  bytes     INTEGER NOT NULL,
  text      TEXT NOT NULL,
  PRIMARY KEY (room, fd)
) STRICT;

CREATE INDEX results_by_time ON results (at);

-- The last fd that a room gave, so that none is given twice when results are let go.
CREATE TABLE result_numbers (
  room TEXT PRIMARY KEY REFERENCES rooms (name) ON DELETE CASCADE,
  last INTEGER NOT NULL
) STRICT;
