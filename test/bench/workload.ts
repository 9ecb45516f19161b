import { NO_LOG } from '../../src/wrap/embedding/context.ts'
import { createComposer } from '../../src/wrap/lua/composer.ts'
import { paths } from '../../src/base/paths.ts'
import type { CatalogueTool, HistoryRow, Snapshot } from '../../src/wrap/snapshot.ts'
import { catalogue, messages, sampleModel, sampleSnapshot, sampleTool } from '../support/snapshot.ts'

/** Tokens that the prompt may have. */
export const TARGET = 8000

/** Wrap processes as a server has them; `size`: how many, as many as it has if absent. */
export const openComposer = (size?: number) =>
  createComposer({
    ...{ entry: paths.wrapProcess, packageRoot: paths.root, engine: 'wasmoon', log: NO_LOG },
    ...(size === undefined ? {} : { size }),
  })

const TOPICS = ['files', 'issues', 'people', 'rooms', 'notes', 'builds', 'logs', 'pages', 'songs', 'maps']
const VERBS = Object.entries({
  list: 'Lists the newest',
  find: 'Finds by their words',
  read: 'Reads one of the',
  make: 'Makes one of the',
  move: 'Moves one of the',
  drop: 'Takes away one of the',
  sort: 'Puts in order all',
  count: 'Counts all',
  share: 'Shows to others one of the',
  watch: 'Tells of changes to',
})

/** A hundred small tools, no two of them alike: as many are sent as the default share allows, the others by name. */
const hundredTools: readonly CatalogueTool[] = catalogue(
  ...TOPICS.flatMap((topic) =>
    VERBS.map(([verb, does]) =>
      sampleTool(`${verb}_${topic}`, {
        description: `${does} ${topic}.`,
        schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      }),
    ),
  ),
)

/** The bundled seven layers and one of the room's own; all messages are looked at. */
const EIGHT_LAYERS = `
function default_wrap(target)
  return wrap(target):system():model_identity():tools(room_tool_scope()):room():user():participants()
    :custom("house", "Be kind; this room is for work.", 60):history({ limit = 500 })
end
`

/** Eight layers, a hundred tools and the given messages under 8,000 tokens; no two messages are alike. */
export const workload = (
  history: readonly HistoryRow[] = messages(500),
  message = 'alice: hello?',
): Snapshot =>
  sampleSnapshot({
    room: {
      name: 'lobby',
      topic: 'what we build this week',
      vibe: 'calm',
      private: false,
      exits: [{ direction: 'north', room: 'attic' }],
      todo: [{ content: 'measure', status: 'pending' }],
      values: {},
    },
    model: { ...sampleModel, contextWindow: TARGET + sampleModel.maxOutput },
    tools: hundredTools,
    history,
    message,
    script: { source: EIGHT_LAYERS, version: 1 },
  })

/** A room of so many layers, all of which fit, and nothing else that takes long. */
export const layered = (count: number): Snapshot => ({
  ...workload([], 'alice: hello?'),
  model: { ...sampleModel, contextWindow: 33_000 },
  tools: [],
  script: {
    source: `
function default_wrap(target)
  local prompt = wrap(target):system():model_identity():room():user()
  for number = 1, ${count - 5} do
    prompt:custom("layer " .. number, "Layer " .. number .. " says a few words of its own.", 40 + number, number % 2 == 0)
  end
  return prompt
end
`,
    version: 1,
  },
})
