import type { Generated } from 'kysely'
import type { EntryId, EntryKind, RoomName, TurnId } from '../words/entry.ts'
import type { Sanction } from '../chat/moderation/index.ts'
import type { Fingerprint, PersonId } from '../words/person.ts'
import type { Membership } from '../chat/index.ts'
import type { Condition, RoutineId, RoutineProgress } from '../turns/routines/index.ts'

/** A boolean in a column of numbers. */
type Flag = 0 | 1

/**
 * The columns of both engines after all migrations. Whole numbers are INTEGER in SQLite and BIGINT in
 * PostgreSQL; times are in ms since the epoch. Absent: what only PostgreSQL has (tables of
 * postgres/cluster.ts; `entries.thread`, `turns.server`, `rooms.closing_server`), and the unused
 * `held_presence` and `model_facts`.
 */
export interface Tables {
  people: { id: PersonId; name: string; skeleton: string; admin: Flag; created_at: number; look: string }
  name_rules: { rules: string }
  /** Keys that are proved. */
  person_keys: { person: PersonId; fingerprint: Fingerprint; added_at: number }
  /** Keys that were added and not yet used. */
  waiting_keys: { person: PersonId; fingerprint: Fingerprint; added_at: number }
  /** Former names, which nobody else may take before `until`. */
  kept_names: { skeleton: string; person: PersonId; until: number; name: string }
  rooms: {
    name: RoomName
    topic: string
    vibe: string
    private: Flag
    owner: PersonId | null
    created_at: number
    keep_days: Generated<number | null>
    talk: Generated<string | null>
  }
  members: { room: RoomName; person: PersonId; membership: Membership }
  room_values: { room: RoomName; key: string; value: string }
  room_scripts: {
    room: RoomName
    version: number
    source: string
    author: string
    at: number
    person: PersonId | null
  }
  /** An empty `model` means all models; an empty `text` ends the instruction. */
  room_instructions: {
    room: RoomName
    model: string
    version: number
    text: string
    author: string
    at: number
  }
  /** An empty `text` removes the persona; `tools` is JSON. */
  room_personas: {
    room: RoomName
    name: string
    version: number
    model: string
    text: string
    tools: string | null
    author: string
    at: number
  }
  /** Without a room: what the person said of themselves. An empty `text` forgets it. */
  memories: {
    room: RoomName | null
    person: PersonId
    number: number
    version: number
    text: string
    author: string
    at: number
  }
  memory_rooms: { person: PersonId; room: RoomName; goes: Flag }
  room_summaries: {
    room: RoomName
    version: number
    text: string
    first: EntryId
    last: EntryId
    author: string
    at: number
  }
  /** `data` is JSON: all fields of the entry that are no columns. */
  entries: {
    id: EntryId
    room: RoomName
    at: number
    kind: EntryKind
    author: string
    text: string
    data: string
  }
  token_counts: { entry: EntryId; encoding: string; tokens: number }
  /** The newest version of an entry; a retracted one has no text. */
  revisions: { target: EntryId; revision: EntryId; text: string | null }
  tool_calls: { room: RoomName; tool: string; calls: number }
  /** `prompt` is JSON of older versions; `request_days`: the days after which the requests were removed. */
  turns: {
    id: TurnId
    room: RoomName
    model: string
    requester: string
    started_at: number
    ended_at: number | null
    outcome: string | null
    input: number | null
    output: number | null
    error: string | null
    prompt: string | null
    cached: number | null
    parent: string | null
    message: EntryId | null
    person: PersonId | null
    request_days: number | null
  }
  /** `sent` is JSON of older versions. */
  turn_steps: { turn: TurnId; step: number; sent: string }
  turn_parts: { turn: TurnId; step: number; position: number; hash: Uint8Array }
  /** `hash` is the SHA-256 of the text, and `bytes` its raw deflate stream. */
  request_parts: { hash: Uint8Array; bytes: Uint8Array }
  /** `room` is empty if the room was deleted. Prices are null if the config has none. */
  charges: {
    at: number
    room: string
    person: string
    model: string
    turns: Flag
    input: number
    cached: number
    output: number
    input_price: number | null
    cached_price: number | null
    output_price: number | null
    input_estimated: number
    output_estimated: number
  }
  /** Tokens of the last day by payer, for quotas. */
  spendings: { payer: string; at: number; tokens: number }
  calibrations: {
    model: string
    factor: number
    reports: number
    at: number
    doubted: number
    most: number
    most_at: number
  }
  grants: {
    room: RoomName
    id: number
    person: PersonId
    name: string
    tool: string
    target: string
    until: number | null
    by: string
    at: number
    routine: string | null
  }
  /** `bytes` is the size of the text in UTF-8, and `outside` is JSON: which of its lines strangers wrote. */
  results: {
    room: RoomName
    fd: number
    tool: string
    page_size: number
    at: number
    bytes: number
    text: string
    outside: string | null
  }
  result_numbers: { room: RoomName; last: number }
  /** `people` and `keys` are JSON. */
  sanctions: {
    id: string
    kind: Sanction['kind']
    room: RoomName | null
    who: string
    people: string
    keys: string
    network: string | null
    reason: string
    by: string
    at: number
    until: number | null
  }
  /** `what` is the sentence of `sshawl audit`. */
  removals: { id: string; at: number; room: RoomName | null; who: string; what: string; by: string }
  invites: {
    id: Generated<number>
    digest: string
    by: PersonId
    room: RoomName | null
    uses: number
    uses_left: number
    until: number
    at: number
  }
  tokens: {
    id: Generated<number>
    digest: string
    person: PersonId
    key: Fingerprint | null
    scoped: Flag
    until: number
    at: number
  }
  token_rooms: { token: number; room: RoomName }
  direct_messages: {
    id: string
    recipient: PersonId
    sender: PersonId
    name: string
    guest: Flag
    at: number
    text: string
    key: Fingerprint | null
  }
  ignored: { person: PersonId; other: PersonId; name: string; key: Fingerprint | null }
  away: { person: PersonId; text: string; at: number }
  typed_lines: { id: Generated<number>; person: PersonId; text: string }
  drafts: { person: PersonId; at: number; text: string }
  untold_invitations: { person: PersonId; room: RoomName; inviter: string; at: number }
  preferences: { person: PersonId; option: string; value: string }
  last_seen: { person: PersonId; room: RoomName; entry: EntryId; at: number | null }
  /** `condition` and `scope` are JSON; `claim_until` is by the database's clock. */
  routines: {
    id: RoutineId
    room: RoomName | null
    number: number
    kind: Condition['kind']
    person: PersonId
    text: string
    condition: string
    scope: string | null
    zone: string
    tokens: number | null
    runs_left: number | null
    until: number | null
    token: number | null
    at: number
    state: RoutineProgress['state']
    reason: string
    next_at: number | null
    last_at: number | null
    outcome: string | null
    failures: number
    failing_at: number | null
    seen_at: number
    spent: number
    spent_day: number
    claimed_by: string | null
    claim_until: number | null
  }
  mcp_pins: { server: string; tool: string; hash: string; definition: string }
  /** `entry` is JSON with the keys of `[[mcp]]`. */
  mcp_servers: { name: string; entry: string; by: string; at: number }
}
