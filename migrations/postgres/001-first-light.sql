-- The schema that SQLite's migrations 001 to 026 make, at once. Applied once, in one transaction, and never edited afterwards: a
-- change is a new file. Times are milliseconds since the epoch; JSON is text. Texts sort by their bytes, as in SQLite, whatever the
-- language of the database. What differs from SQLite, and why, is told in the decision on PostgreSQL (docs/decisions).

CREATE TABLE people (
  id         TEXT COLLATE "C" PRIMARY KEY,
  name       TEXT COLLATE "C" NOT NULL,
  skeleton   TEXT COLLATE "C" NOT NULL UNIQUE,
  admin      BIGINT NOT NULL DEFAULT 0 CHECK (admin IN (0, 1)),
  created_at BIGINT NOT NULL,
  look       TEXT COLLATE "C" NOT NULL DEFAULT ''
);

CREATE INDEX people_by_look ON people (look);

-- The rules by which all names were filed last.
CREATE TABLE name_rules (
  rules TEXT COLLATE "C" NOT NULL
);

CREATE TABLE person_keys (
  person      TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  fingerprint TEXT COLLATE "C" NOT NULL,
  added_at    BIGINT NOT NULL,
  PRIMARY KEY (person, fingerprint)
);

CREATE INDEX person_keys_by_fingerprint ON person_keys (fingerprint);

-- Keys that somebody added and that have not logged in under that name yet.
CREATE TABLE waiting_keys (
  person      TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  fingerprint TEXT COLLATE "C" NOT NULL,
  added_at    BIGINT NOT NULL,
  PRIMARY KEY (person, fingerprint)
);

-- The former names of people, which nobody else can have until then.
CREATE TABLE kept_names (
  skeleton TEXT COLLATE "C" PRIMARY KEY,
  person   TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  until    BIGINT NOT NULL,
  name     TEXT COLLATE "C" NOT NULL DEFAULT ''
);

CREATE INDEX kept_names_by_person ON kept_names (person);

CREATE TABLE rooms (
  name       TEXT COLLATE "C" PRIMARY KEY,
  topic      TEXT COLLATE "C" NOT NULL,
  vibe       TEXT COLLATE "C" NOT NULL,
  private    BIGINT NOT NULL CHECK (private IN (0, 1)),
  owner      TEXT COLLATE "C" REFERENCES people (id),
  created_at BIGINT NOT NULL
);

CREATE TABLE members (
  room       TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  person     TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  membership TEXT COLLATE "C" NOT NULL CHECK (membership IN ('owner', 'op', 'member', 'invited')),
  PRIMARY KEY (room, person)
);

CREATE INDEX members_by_person ON members (person);

CREATE TABLE room_values (
  room  TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  key   TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (room, key)
);

CREATE TABLE room_scripts (
  room    TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  version BIGINT NOT NULL,
  source  TEXT COLLATE "C" NOT NULL,
  author  TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (room, version)
);

-- A room's rolling summary, with its older versions. An empty text: the summary was cleared.
CREATE TABLE room_summaries (
  room    TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  version BIGINT NOT NULL,
  text    TEXT COLLATE "C" NOT NULL,
  first   TEXT COLLATE "C" NOT NULL,
  last    TEXT COLLATE "C" NOT NULL,
  author  TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (room, version)
);

CREATE TABLE summary_drafts (
  room  TEXT COLLATE "C" PRIMARY KEY REFERENCES rooms (name) ON DELETE CASCADE,
  text  TEXT COLLATE "C" NOT NULL,
  first TEXT COLLATE "C" NOT NULL,
  last  TEXT COLLATE "C" NOT NULL
);

-- Everything that was said and done. `data` holds what only some kinds have; what is asked for of that has a column, since
-- PostgreSQL reads no JSON with a lone surrogate in it. `words` are what a search finds.
CREATE TABLE entries (
  id      TEXT COLLATE "C" PRIMARY KEY,
  room    TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL,
  kind    TEXT COLLATE "C" NOT NULL,
  author  TEXT COLLATE "C" NOT NULL,
  text    TEXT COLLATE "C" NOT NULL,
  data    TEXT COLLATE "C" NOT NULL,
  thread  TEXT COLLATE "C",
  edits   TEXT COLLATE "C",
  reacts  TEXT COLLATE "C",
  not_run BIGINT NOT NULL CHECK (not_run IN (0, 1)),
  words   TSVECTOR NOT NULL
);

CREATE INDEX entries_by_room ON entries (room, id);
CREATE INDEX entries_by_kind ON entries (room, kind, id);
CREATE INDEX entries_by_words ON entries USING GIN (words);

CREATE TABLE token_counts (
  entry    TEXT COLLATE "C" NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
  encoding TEXT COLLATE "C" NOT NULL,
  tokens   BIGINT NOT NULL,
  PRIMARY KEY (entry, encoding)
);

-- The last version of an entry that was edited or taken back; without a text, it was taken back.
CREATE TABLE revisions (
  target   TEXT COLLATE "C" PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE,
  revision TEXT COLLATE "C" NOT NULL,
  text     TEXT COLLATE "C"
);

-- How often each tool ran in a room; whatever appends to the log counts it.
CREATE TABLE tool_calls (
  room  TEXT COLLATE "C" NOT NULL,
  tool  TEXT COLLATE "C" NOT NULL,
  calls BIGINT NOT NULL,
  PRIMARY KEY (room, tool)
);

-- Comings and goings that are to be summed up in one entry, in the order of `id`.
CREATE TABLE held_presence (
  id    BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  room  TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  name  TEXT COLLATE "C" NOT NULL,
  event TEXT COLLATE "C" NOT NULL CHECK (event IN ('joined', 'left'))
);

CREATE INDEX held_presence_by_room ON held_presence (room, id);

CREATE TABLE turns (
  id         TEXT COLLATE "C" PRIMARY KEY,
  room       TEXT COLLATE "C" NOT NULL,
  model      TEXT COLLATE "C" NOT NULL,
  requester  TEXT COLLATE "C" NOT NULL,
  started_at BIGINT NOT NULL,
  ended_at   BIGINT,
  outcome    TEXT COLLATE "C",
  input      BIGINT,
  output     BIGINT,
  error      TEXT COLLATE "C",
  prompt     TEXT COLLATE "C",
  cached     BIGINT,
  parent     TEXT COLLATE "C",
  message    TEXT COLLATE "C",
  person     TEXT COLLATE "C"
);

CREATE INDEX turns_by_time ON turns (started_at);
CREATE INDEX turns_by_room ON turns (room, started_at);
CREATE INDEX turns_unfinished ON turns (started_at) WHERE ended_at IS NULL;
CREATE INDEX turns_by_asker ON turns (room, person, started_at, id) WHERE message IS NOT NULL;

-- What each later request of a turn had that the one before it had not, as JSON.
CREATE TABLE turn_steps (
  turn TEXT COLLATE "C" NOT NULL REFERENCES turns (id),
  step BIGINT NOT NULL,
  sent TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (turn, step)
);

-- What each request to a model used, and its prices at that time.
CREATE TABLE charges (
  at               BIGINT NOT NULL,
  room             TEXT COLLATE "C" NOT NULL,
  person           TEXT COLLATE "C" NOT NULL,
  model            TEXT COLLATE "C" NOT NULL,
  turns            BIGINT NOT NULL CHECK (turns IN (0, 1)),
  input            BIGINT NOT NULL,
  cached           BIGINT NOT NULL,
  output           BIGINT NOT NULL,
  input_price      BIGINT,
  cached_price     BIGINT,
  output_price     BIGINT,
  input_estimated  BIGINT NOT NULL DEFAULT 0,
  output_estimated BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX charges_by_time ON charges (at);
CREATE INDEX charges_by_room ON charges (room, at, input, output);

-- Who pays for each request, for the last day.
CREATE TABLE spendings (
  payer  TEXT COLLATE "C" NOT NULL,
  at     BIGINT NOT NULL,
  tokens BIGINT NOT NULL
);

CREATE INDEX spendings_by_payer ON spendings (payer, at, tokens);
CREATE INDEX spendings_by_time ON spendings (at);

-- How a provider's counts of prompts compare with ours.
CREATE TABLE calibrations (
  model   TEXT COLLATE "C" PRIMARY KEY,
  factor  DOUBLE PRECISION NOT NULL CHECK (factor > 0),
  reports BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  doubted BIGINT NOT NULL DEFAULT 0,
  most    DOUBLE PRECISION NOT NULL DEFAULT 1,
  most_at BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE model_facts (
  model TEXT COLLATE "C" PRIMARY KEY,
  facts TEXT COLLATE "C" NOT NULL
);

-- What one person's tools may do in one room without asking again.
CREATE TABLE grants (
  room   TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  id     BIGINT NOT NULL,
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name   TEXT COLLATE "C" NOT NULL,
  tool   TEXT COLLATE "C" NOT NULL,
  target TEXT COLLATE "C" NOT NULL,
  until  BIGINT,
  "by"   TEXT COLLATE "C" NOT NULL,
  at     BIGINT NOT NULL,
  PRIMARY KEY (room, id)
);

-- A target may be longer than what an index holds.
CREATE UNIQUE INDEX grants_by_target ON grants (person, room, tool, md5(target));

-- Tool results that are too long to be read at once.
CREATE TABLE results (
  room      TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  fd        BIGINT NOT NULL,
  tool      TEXT COLLATE "C" NOT NULL,
  page_size BIGINT NOT NULL,
  at        BIGINT NOT NULL,
  bytes     BIGINT NOT NULL,
  text      TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (room, fd)
);

CREATE INDEX results_by_time ON results (at);

CREATE TABLE result_numbers (
  room TEXT COLLATE "C" PRIMARY KEY REFERENCES rooms (name) ON DELETE CASCADE,
  last BIGINT NOT NULL
);

-- Who may not come in, who may not speak, and rooms in which nobody may. `people` and `keys` are JSON lists.
CREATE TABLE sanctions (
  id      TEXT COLLATE "C" PRIMARY KEY,
  kind    TEXT COLLATE "C" NOT NULL CHECK (kind IN ('ban', 'mute', 'archive')),
  room    TEXT COLLATE "C" REFERENCES rooms (name) ON DELETE CASCADE,
  who     TEXT COLLATE "C" NOT NULL,
  people  TEXT COLLATE "C" NOT NULL,
  keys    TEXT COLLATE "C" NOT NULL,
  network TEXT COLLATE "C",
  reason  TEXT COLLATE "C" NOT NULL,
  "by"    TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL,
  until   BIGINT
);

-- Codes that let newcomers in. A code itself is kept nowhere: `digest` is its SHA-256 in hex.
CREATE TABLE invites (
  id        BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  digest    TEXT COLLATE "C" NOT NULL UNIQUE,
  "by"      TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  room      TEXT COLLATE "C" REFERENCES rooms (name) ON DELETE CASCADE,
  uses      BIGINT NOT NULL CHECK (uses > 0),
  uses_left BIGINT NOT NULL CHECK (uses_left > 0 AND uses_left <= uses),
  until     BIGINT NOT NULL,
  at        BIGINT NOT NULL
);

CREATE INDEX invites_by_person ON invites ("by");

-- Tokens with which programs of a person come in over HTTP. Where `scoped` is 1, there are only the rooms of `token_rooms`.
CREATE TABLE tokens (
  id     BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  digest TEXT COLLATE "C" NOT NULL UNIQUE,
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  key    TEXT COLLATE "C",
  scoped BIGINT NOT NULL CHECK (scoped IN (0, 1)),
  until  BIGINT NOT NULL,
  at     BIGINT NOT NULL
);

CREATE INDEX tokens_by_person ON tokens (person);

CREATE TABLE token_rooms (
  token BIGINT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  room  TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  PRIMARY KEY (token, room)
);

CREATE INDEX token_rooms_by_room ON token_rooms (room);

-- Messages to one person that wait for them. What was shown is deleted.
CREATE TABLE direct_messages (
  id        TEXT COLLATE "C" PRIMARY KEY,
  recipient TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  sender    TEXT COLLATE "C" NOT NULL,
  name      TEXT COLLATE "C" NOT NULL,
  guest     BIGINT NOT NULL CHECK (guest IN (0, 1)),
  at        BIGINT NOT NULL,
  text      TEXT COLLATE "C" NOT NULL,
  key       TEXT COLLATE "C"
);

CREATE INDEX direct_messages_by_recipient ON direct_messages (recipient, id);
CREATE INDEX direct_messages_by_time ON direct_messages (at);

-- Whom somebody ignores; `name` is what they were called then.
CREATE TABLE ignored (
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  other  TEXT COLLATE "C" NOT NULL,
  name   TEXT COLLATE "C" NOT NULL,
  key    TEXT COLLATE "C",
  PRIMARY KEY (person, other)
);

CREATE TABLE away (
  person TEXT COLLATE "C" PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
  text   TEXT COLLATE "C" NOT NULL,
  at     BIGINT NOT NULL
);

-- What people typed, for themselves alone.
CREATE TABLE typed_lines (
  id     BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  text   TEXT COLLATE "C" NOT NULL
);

CREATE INDEX typed_lines_by_person ON typed_lines (person, id);

CREATE TABLE drafts (
  person TEXT COLLATE "C" PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
  at     BIGINT NOT NULL,
  text   TEXT COLLATE "C" NOT NULL
);

CREATE INDEX drafts_by_time ON drafts (at);

-- Invitations that the person was not told of yet. A row is deleted as it is told.
CREATE TABLE untold_invitations (
  person  TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  room    TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  inviter TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (person, room)
);

-- How people want their sessions: one row for each option that somebody has set.
CREATE TABLE preferences (
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  option TEXT COLLATE "C" NOT NULL,
  value  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (person, option)
);

-- The newest entry of a room that was there when the person last left it.
CREATE TABLE last_seen (
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  room   TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  entry  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (person, room)
);

-- The definition of each tool of an MCP server as it was first seen, or as an admin approved it.
CREATE TABLE mcp_pins (
  server     TEXT COLLATE "C" NOT NULL,
  tool       TEXT COLLATE "C" NOT NULL,
  hash       TEXT COLLATE "C" NOT NULL,
  definition TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (server, tool)
);

-- The servers that admins connected with a command, and not in the config. `entry` is JSON.
CREATE TABLE mcp_servers (
  name  TEXT COLLATE "C" PRIMARY KEY,
  entry TEXT COLLATE "C" NOT NULL,
  "by"  TEXT COLLATE "C" NOT NULL,
  at    BIGINT NOT NULL
);
