import type { Database } from 'better-sqlite3'

/** Statements that put at least one row into every table of an empty SQLite database, with `entries` entries. */
export function fillEveryTable(db: Database, entries: number): void {
  db.transaction(() => {
    for (const statement of ROWS) db.exec(statement)
    const insert = db.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)')
    for (let n = 0; n < entries; n++) insert.run(...entryOf(n))
  })()
}

const entryOf = (n: number): readonly unknown[] => {
  const { kind = 'message', text = `line ${n}`, ...data } = KINDS[n % KINDS.length] ?? {}
  const id = `01HZZZZZZZZZZZZZZZZZZ${String(n).padStart(5, '0')}`
  return [id, n % 7 ? 'lobby' : 'den', 1_700_000_000_000 + n, kind, 'alice', text, JSON.stringify(data)]
}

const KINDS: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { text: 'Grüße, 漢字 👩‍🚀 \u{fdd0} \\ \' "' },
  { text: 'with \0 in it', thread: 'T1' },
  { edits: '01HZZZZZZZZZZZZZZZZZZ00001', text: 'a later version' },
  { kind: 'action', reacts: '01HZZZZZZZZZZZZZZZZZZ00001', text: '🎉' },
  {
    kind: 'tool_call',
    tool: 'Bash',
    call: 'c',
    name: 'Bash',
    arguments: { a: ['\ud800', '\0'], 1: 2 },
    requester: 'bob',
  },
  { kind: 'tool_call', tool: 'Bash', call: 'c', name: 'Bash', arguments: {}, requester: 'bob', notRun: true },
  { text: 'x'.repeat(2_000) },
]

const ROWS: readonly string[] = [
  `INSERT INTO people (id, name, skeleton, admin, created_at, look) VALUES
     ('p1', 'alice', 'alice', 1, 5, 'alice'), ('p2', 'Bob', 'bob', 0, 6, 'bob')`,
  "INSERT INTO name_rules VALUES ('16/2')",
  "INSERT INTO person_keys VALUES ('p1', 'SHA256:k', 5), ('p2', 'SHA256:k', 6)",
  "INSERT INTO waiting_keys VALUES ('p1', 'SHA256:w', 7)",
  "INSERT INTO kept_names VALUES ('carol', 'p1', 99, 'Carol')",
  "INSERT INTO rooms VALUES ('lobby', '', '', 0, NULL, 1, NULL, NULL), ('den', 'topic', 'vibe', 1, 'p1', 2, 90, 'qwen')",
  "INSERT INTO members VALUES ('den', 'p1', 'owner'), ('den', 'p2', 'invited')",
  `INSERT INTO room_values VALUES ('den', 'tool_scope', '["Gr*"]')`,
  "INSERT INTO room_scripts VALUES ('den', 1, 'return 1', 'alice', 7, NULL), ('den', 2, 'return 2', 'alice', 8, 'p1')",
  "INSERT INTO room_instructions VALUES ('den', '', 1, 'be brief', 'alice', 7), ('den', 'qwen', 1, '', 'Bob', 8)",
  `INSERT INTO room_personas VALUES ('den', 'reviewer', 1, 'qwen', 'find what breaks', '["read"]', 'alice', 7),
    ('den', 'reviewer', 2, 'qwen', '', NULL, 'Bob', 8)`,
  `INSERT INTO memories VALUES ('den', 'p1', 1, 1, 'tea is at five', 'alice', 7), ('den', 'p2', 1, 2, '', 'Bob', 8),
    (NULL, 'p1', 1, 1, 'likes short answers', 'alice', 9)`,
  "INSERT INTO memory_rooms VALUES ('p1', 'lobby', 1), ('p2', 'den', 0)",
  "INSERT INTO removals VALUES ('r1', 9, 'den', 'everybody', 'read back 90d', 'alice')",
  "INSERT INTO room_summaries VALUES ('den', 3, 'they talked', '01A', '01B', 'qwen', 9)",
  "INSERT INTO summary_drafts VALUES ('den', 'they', '', '')",

  `INSERT INTO entries VALUES ('01HZZZZZZZZZZZZZZZZZZ0000A', 'den', 1, 'notice', 'system', 'hello', '{"level":"info"}')`,
  "INSERT INTO token_counts VALUES ('01HZZZZZZZZZZZZZZZZZZ0000A', 'o200k_base', 3)",
  "INSERT INTO revisions VALUES ('01HZZZZZZZZZZZZZZZZZZ0000A', '01HZZZZZZZZZZZZZZZZZZ0000B', NULL)",
  "INSERT INTO held_presence VALUES (41, 'lobby', 'ann', 'joined')",
  `INSERT INTO turns VALUES ('T1', 'den', 'qwen', 'alice', 9, 10, 'done', 3, 4, NULL, '{"system":"s"}', 1, NULL, '01A', 'p1', NULL)`,
  "INSERT INTO turn_steps VALUES ('T1', 1, '[]')",
  "INSERT INTO request_parts VALUES (x'00ff', x'0041ff00')",
  "INSERT INTO turn_parts VALUES ('T1', 2, 0, x'00ff')",
  "INSERT INTO charges VALUES (1, 'den', 'alice', 'qwen', 1, 3, 1, 4, 5, 6, 7, 1, 0), (2, '', 'Bob', 'qwen', 0, 3, 1, 4, NULL, NULL, NULL, 0, 0)",
  "INSERT INTO spendings VALUES ('person p1', 1, 7)",
  "INSERT INTO calibrations VALUES ('qwen', 1.0625, 3, 4, 5, 1.1, 6)",
  "INSERT INTO model_facts VALUES ('qwen', '{}')",
  "INSERT INTO grants VALUES ('den', 4, 'p1', 'alice', 'Bash', 'ls', NULL, 'Bob', 5, '01R')",
  "INSERT INTO results VALUES ('den', 3, 'Bash', 100, 5, 4, 'text', '[1]')",
  "INSERT INTO result_numbers VALUES ('den', 3)",
  `INSERT INTO sanctions VALUES ('s1', 'ban', NULL, 'Eve', '["p9"]', '["SHA256:e"]', '10.0.0.0/8', 'spam', 'alice', 5, NULL)`,
  "INSERT INTO invites VALUES (7, 'd7', 'p1', 'den', 3, 2, 99, 5), (9, 'd9', 'p1', NULL, 1, 1, 99, 5)",
  'DELETE FROM invites WHERE id = 9',
  "INSERT INTO tokens VALUES (5, 't5', 'p1', NULL, 1, 99, 5)",
  "INSERT INTO token_rooms VALUES (5, 'den')",
  "INSERT INTO direct_messages VALUES ('m1', 'p1', 'p2', 'Bob', 0, 5, 'psst', NULL)",
  "INSERT INTO ignored VALUES ('p1', 'p2', 'Bob', 'SHA256:k')",
  "INSERT INTO away VALUES ('p1', 'tea', 5)",
  "INSERT INTO typed_lines VALUES (12, 'p1', '/help')",
  "INSERT INTO drafts VALUES ('p1', 5, 'half a li')",
  "INSERT INTO untold_invitations VALUES ('p2', 'den', 'alice', 5)",
  "INSERT INTO preferences VALUES ('p1', 'theme', 'dark')",
  "INSERT INTO last_seen VALUES ('p1', 'den', '01A', 7), ('p2', 'den', '01A', NULL)",
  "INSERT INTO mcp_pins VALUES ('files', 'read', 'h', '{}')",
  `INSERT INTO routines VALUES ('01R', 'den', 3, 'once', 'p1', 'tea', '{"kind":"once","at":9}', '["Gr*"]', 'UTC', 5, 1, 99, NULL, 5,
     'ended', 'it has run', NULL, 9, 'said', 0, NULL, 5, 7, 19000, NULL, NULL),
    ('01S', NULL, 1, 'line', 'p2', '@qwen look', '{"kind":"line"}', NULL, 'UTC', NULL, NULL, NULL, NULL, 5,
     'paused', 'Bob paused it', NULL, 8, 'done', 1, 8, 5, 0, 0, 's1', 9)`,
  `INSERT INTO mcp_servers VALUES ('files', '{"url":"http://localhost"}', 'alice', 5)`,
]
