/** `[limits]`, whose keys the code uses by the same names. */
import { z } from 'zod'
import { orOff, positive } from './values.ts'

/** With fewer tokens the tool search may not fit, which leaves a model without tools. */
const LEAST_TOOLS_TOKENS = 500

export const limitsSchema = z.strictObject({
  login_timeout_s: positive(20, 'Seconds within which a new connection must log in.'),
  code_timeout_s: positive(120, 'Seconds that a person has to type an invite or claim code.'),
  keys_offered: positive(12, 'Keys that one connection may offer.'),
  unauthenticated_per_address: positive(8, 'Connections of one address that have not logged in yet.'),
  unauthenticated: positive(
    200,
    'Connections of all addresses that have not logged in yet; a further one closes the oldest.',
  ),
  address_burst: positive(
    40,
    'Connections that an address may open at once, before `address_per_s` applies.',
  ),
  address_per_s: positive(5, 'New connections per second of an address; further ones wait up to 5 seconds.'),
  connections_per_address: positive(32, 'Open connections of an address; those of HTTP are counted apart.'),
  connections_per_person: positive(4, 'Open SSH connections of a person.'),
  connections: positive(4096, 'Open connections of everybody; HTTP connections are counted separately.'),
  idle_connection_s: positive(60, 'Seconds until a connection without a shell or a command is closed.'),
  channels_per_connection: positive(10, 'Channels of an SSH connection.'),
  exec_per_person: positive(8, 'Commands of a person that run at once.'),
  exec_per_address: positive(64, 'Commands of an address that run at once.'),
  http_body_bytes: positive(1_048_576, 'Bytes of the body of an HTTP request.'),
  http_request_s: positive(20, 'Seconds within which an HTTP request must arrive completely.'),
  http_idle_s: positive(60, 'Seconds until an HTTP connection without a request is closed.'),
  mcp_idle_s: positive(1800, 'Seconds until an MCP agent without request or stream is disconnected.'),
  message_chars: positive(4000, 'Characters of a message.'),
  paste_bytes: positive(65_536, 'Bytes of a paste.'),
  message_lines: positive(400, 'Lines of a message.'),
  rate_burst: positive(8, 'Messages and commands that a person may send at once.'),
  rate_per_s: positive(
    2,
    'Messages and commands per second of a person; further ones wait up to 5 seconds, then they are refused.',
  ),
  bytes_per_person_day: orOff(
    33_554_432,
    'Bytes that a person may store in 24 hours: messages, files, results of tools, new parts of requests to models; 0: no limit.',
  ),
  waiting_messages_per_person: positive(
    100,
    'Private messages that wait for the next login of a person; at most a fifth of them from one sender.',
  ),
  waiting_messages: positive(10_000, 'Private messages that wait for all people together.'),
  presence_per_min: positive(
    20,
    'Lines per minute and room about people who join or leave; further ones are summed up in one line.',
  ),
  names_per_key: positive(8, 'People who may be registered with the same key.'),
  keys_per_person: positive(16, 'Keys of a person.'),
  bearer_tokens_per_person: positive(16, 'HTTP tokens of a person.'),
  kept_names_per_person: positive(3, 'Earlier names that stay reserved for a person.'),
  renames_per_day: positive(5, 'Times in 24 hours that a person may take another name.'),
  invites_per_person: positive(16, 'Invite codes of a person that are still valid.'),
  rooms_per_person: positive(32, 'Rooms that a person may own, not counting talks.'),
  talks_per_person: positive(20, 'Talks of a person: private rooms in which a model answers each line.'),
  members_per_room: positive(2000, 'People in a room at once.'),
  personas_per_room: positive(16, 'Personas of a room.'),
  memories_per_room: positive(100, 'Memories of a room, which models read in every turn.'),
  memories_per_person: positive(50, 'Memories that a person may store about themselves.'),
  memory_chars: positive(500, 'Characters of a memory.'),
  approvals_per_room: positive(8, 'Unanswered questions of tools in a room.'),
  approvals_per_person: positive(4, 'Unanswered questions for one person; one is always possible.'),
  queue_bytes: positive(262_144, 'Bytes that may wait to be sent on each channel of a client.'),
  queues_mb: positive(256, 'Megabytes that may wait to be sent to all clients together.'),
  stall_s: positive(30, 'Seconds until a client that reads nothing is disconnected.'),
  drain_s: orOff(0, 'Seconds that running turns get to finish when the server stops.'),
  turns_per_room: positive(2, 'Turns of models that run at once in a room.'),
  turns_queued: orOff(8, 'Turns that may wait in a room; 0: no turn waits.'),
  turn_s: positive(600, 'Seconds that a turn may take.'),
  turn_steps: positive(24, 'Requests to the model in a turn.'),
  turn_depth: orOff(2, 'Levels of side turns, in which models ask each other; 0: no model may ask another.'),
  panel_models: positive(5, 'Models of a panel.'),
  panel_tokens: positive(200_000, 'Tokens that all requests of a panel may use, input and output together.'),
  tools_tokens: z
    .int()
    .min(0)
    .max(2_000_000_000)
    .default(6000)
    .refine(
      (tokens) => tokens === 0 || tokens >= LEAST_TOOLS_TOKENS,
      `write at least ${LEAST_TOOLS_TOKENS}, since models look for tools by find_tools, which needs some of them; 0 sets no limit`,
    )
    .describe(
      `Tokens that tool definitions may take in a prompt: at least ${LEAST_TOOLS_TOKENS}, and never over 40 % of the prompt; 0: only the 40 % apply.`,
    ),
  keep_days: orOff(
    0,
    'Days that rooms keep their log, results and files; a room may set fewer by `/keep`; 0: for ever.',
  ),
  keep_turns_days: orOff(30, 'Days that the requests to models are kept, for `/turn`; 0: for ever.'),
  routines_per_person: positive(20, 'Routines of a person.'),
  routines_per_room: positive(50, 'Routines of a room.'),
  routine_runs_per_hour: positive(
    12,
    'Runs per hour of one watch, and questions per hour that the hooks of a room may ask.',
  ),
  routine_tokens_day: orOff(200_000, 'Tokens that a routine may use in a day (UTC); 0: no limit.'),
  routines_tokens_day_server: orOff(0, 'Tokens of all routines in a day (UTC); 0: no limit.'),
  pictures: orOff(4, 'Pictures that are sent to a model with one message; 0: none.'),
  picture_mb: positive(5, 'Megabytes that such a picture may have.'),
  tokens_per_person_day: orOff(0, 'Tokens that models read and write for a person in 24 hours; 0: no limit.'),
  tokens_per_room_day: orOff(0, 'Tokens that models read and write in a room in 24 hours; 0: no limit.'),
})
