-- The definition of each tool of an MCP server as it was first seen, or as an admin approved it: another one is withheld.
CREATE TABLE mcp_pins (
  server     TEXT NOT NULL,
  tool       TEXT NOT NULL,
  hash       TEXT NOT NULL,
  definition TEXT NOT NULL,
  PRIMARY KEY (server, tool)
) STRICT, WITHOUT ROWID;

-- The servers that admins connected with a command, and not in the config.
CREATE TABLE mcp_servers (
  name  TEXT PRIMARY KEY,
  -- JSON, with the keys of [[mcp]].
  entry TEXT NOT NULL,
  "by"  TEXT NOT NULL,
  at    INTEGER NOT NULL
) STRICT;
