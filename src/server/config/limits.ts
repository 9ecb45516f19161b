/** `[limits]`, whose keys the code uses by the same names. */
import { z } from 'zod'
import { orOff, positive } from './values.ts'

/** With fewer tokens the tool search may not fit, which leaves a model without tools. */
const LEAST_TOOLS_TOKENS = 500

export const limitsSchema = z.strictObject({
  login_timeout_s: positive(20, 'Seconds from a connection to its login.'),
  code_timeout_s: positive(120, 'Seconds to type an invite or claim code.'),
  keys_offered: positive(12, 'Keys that one connection may offer.'),
  unauthenticated_per_address: positive(8, 'Connections of an address that have not logged in.'),
  unauthenticated: positive(
    200,
    'Connections of all addresses that have not logged in; the oldest gives way.',
  ),
  address_burst: positive(40, 'Connections of an address at once, before `address_per_s` counts.'),
  address_per_s: positive(5, 'Connections a second of an address; more of them wait, up to 5 seconds.'),
  connections_per_address: positive(32, 'Connections of an address; for HTTP counted by itself.'),
  connections_per_person: positive(4, 'Connections of a person.'),
  connections: positive(4096, 'Connections in all; for HTTP counted by itself.'),
  idle_connection_s: positive(60, 'Seconds until a connection without a shell or a command is closed.'),
  channels_per_connection: positive(10, 'Channels of an SSH connection.'),
  exec_per_person: positive(8, 'Commands of a person that run at once.'),
  exec_per_address: positive(64, 'Commands of an address that run at once.'),
  http_body_bytes: positive(1_048_576, 'Bytes of the body of an HTTP request.'),
  http_request_s: positive(20, 'Seconds in which an HTTP request must have arrived.'),
  http_idle_s: positive(60, 'Seconds until an HTTP connection without a request is closed.'),
  mcp_idle_s: positive(1800, 'Seconds until an agent that asks and hears nothing is disconnected.'),
  message_chars: positive(4000, 'Characters of a message.'),
  paste_bytes: positive(65_536, 'Bytes of a paste.'),
  message_lines: positive(400, 'Lines of a message.'),
  rate_burst: positive(8, 'Messages and commands of a person at once, before `rate_per_s` counts.'),
  rate_per_s: positive(
    2,
    'Messages and commands a second of a person; more wait up to 5 seconds, then are refused.',
  ),
  bytes_per_person_day: orOff(
    33_554_432,
    'Bytes that a person may store in 24 hours: messages, files, what tools give, new parts of requests to models; 0: no limit.',
  ),
  waiting_messages_per_person: positive(
    100,
    'Messages that wait for a person who is away; a fifth of them from one sender.',
  ),
  waiting_messages: positive(10_000, 'Messages that wait for all people.'),
  presence_per_min: positive(
    20,
    'Lines a minute about people who come and go, by room; more of them are summed up.',
  ),
  names_per_key: positive(8, 'People of one key.'),
  keys_per_person: positive(16, 'Keys of a person.'),
  bearer_tokens_per_person: positive(16, 'HTTP tokens of a person.'),
  kept_names_per_person: positive(3, 'Earlier names that stay reserved for a person.'),
  renames_per_day: positive(5, 'Times in 24 hours that a person may take another name.'),
  invites_per_person: positive(16, 'Open invite codes of a person.'),
  rooms_per_person: positive(32, 'Rooms that a person may own, without talks.'),
  talks_per_person: positive(20, 'Talks of a person: private rooms in which a model answers each line.'),
  members_per_room: positive(2000, 'People in a room at once.'),
  personas_per_room: positive(16, 'Personas of a room.'),
  memories_per_room: positive(100, 'Memories of a room, which models are told in every turn.'),
  memories_per_person: positive(50, 'Memories that a person has of themselves.'),
  memory_chars: positive(500, 'Characters of a memory.'),
  approvals_per_room: positive(8, 'Open questions in a room.'),
  approvals_per_person: positive(4, 'Of those, questions for one requester; everybody may have one.'),
  queue_bytes: positive(262_144, 'Bytes that wait for a client, by channel.'),
  queues_mb: positive(256, 'Megabytes that wait for all clients.'),
  stall_s: positive(30, 'Seconds until a client that takes nothing of its queue is disconnected.'),
  drain_s: orOff(0, 'Seconds that turns may go on when the server stops.'),
  turns_per_room: positive(2, 'Turns of models that run at once in a room.'),
  turns_queued: orOff(8, 'Turns that wait in a room; 0: none waits.'),
  turn_s: positive(600, 'Seconds of a turn.'),
  turn_steps: positive(24, 'Requests to the model in a turn.'),
  turn_depth: orOff(2, 'Models that call each other, in a row; 0: none does.'),
  panel_models: positive(5, 'Models of a panel.'),
  panel_tokens: positive(200_000, 'Tokens of a panel, input and output of all its requests.'),
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
      `Tokens of tools in a prompt, at least ${LEAST_TOOLS_TOKENS}; never over 40 % of the prompt, which 0 leaves as the only limit.`,
    ),
  keep_days: orOff(
    0,
    'Days that rooms keep what is said, with results and files; a room may set fewer by `/keep`; 0: for good.',
  ),
  keep_turns_days: orOff(30, 'Days that `/turn` shows what models were sent; 0: for good.'),
  routines_per_person: positive(20, 'Routines of a person: what runs by itself.'),
  routines_per_room: positive(50, 'Routines of a room.'),
  routine_runs_per_hour: positive(
    12,
    'Times an hour that lines may start the same watch, or hooks of a room ask.',
  ),
  routine_tokens_day: orOff(200_000, 'Tokens that a routine uses in a day of UTC; 0: no limit.'),
  routines_tokens_day_server: orOff(0, 'Tokens that all routines use in a day of UTC; 0: no limit.'),
  pictures: orOff(4, 'Pictures that go along with a message to a model; 0: none.'),
  picture_mb: positive(5, 'Megabytes of each such picture.'),
  tokens_per_person_day: orOff(0, 'Tokens that models read and write for a person in 24 hours; 0: no limit.'),
  tokens_per_room_day: orOff(0, 'Tokens that models read and write in a room in 24 hours; 0: no limit.'),
})
