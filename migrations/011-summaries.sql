-- A room's rolling summary, with its older versions: what models read of the conversation that a prompt has no space for.
-- An empty text: the summary was cleared. `first` and `last` are the ids of the entries that it covers.

CREATE TABLE room_summaries (
  room    TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  text    TEXT NOT NULL,
  first   TEXT NOT NULL,
  last    TEXT NOT NULL,
  author  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (room, version)
) STRICT;

-- A summary that is being made anew. It becomes a version when it is whole. Everything is empty at its start.
CREATE TABLE summary_drafts (
  room  TEXT PRIMARY KEY REFERENCES rooms (name) ON DELETE CASCADE,
  text  TEXT NOT NULL,
  first TEXT NOT NULL,
  last  TEXT NOT NULL
) STRICT;
