-- How often each tool ran in a room: what is used least gives way first where not all tools fit into a prompt.
-- A trigger keeps it, so that whatever appends to the log is counted, and a prompt reads one row a tool.

CREATE TABLE tool_calls (
  room  TEXT NOT NULL,
  tool  TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (room, tool)
) STRICT, WITHOUT ROWID;

INSERT INTO tool_calls (room, tool, calls)
SELECT room, data ->> '$.tool', count(*) FROM entries
WHERE kind = 'tool_call' AND data ->> '$.tool' IS NOT NULL AND data ->> '$.notRun' IS NULL
GROUP BY 1, 2;

CREATE TRIGGER count_tool_calls AFTER INSERT ON entries
WHEN NEW.kind = 'tool_call' AND NEW.data ->> '$.tool' IS NOT NULL AND NEW.data ->> '$.notRun' IS NULL
BEGIN
  INSERT INTO tool_calls (room, tool, calls) VALUES (NEW.room, NEW.data ->> '$.tool', 1)
  ON CONFLICT DO UPDATE SET calls = calls + 1;
END;
