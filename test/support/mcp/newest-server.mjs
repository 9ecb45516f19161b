/**
 * An MCP server in JSON lines, without any library, that speaks the revision of 2026-07-28 alone, or meets its first request
 * as older servers do. Its first argument says how it behaves; a file tells how often it was started.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [behaviour = 'usual', file = ''] = process.argv.slice(2)
const REVISION = '2026-07-28'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const complete = (id, result) => send({ id, result: { resultType: 'complete', ...result } })
const said = (id, text) => complete(id, { content: [{ type: 'text', text }] })
const refuse = (id, code, message, data) => send({ id, error: { code, message, data } })
const tool = (name, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more })
const needs = (id, inputRequests, requestState) =>
  send({ id, result: { resultType: 'input_required', inputRequests, requestState } })

const tools = ['echo', 'meta', 'slow', 'hang', 'cancelled', 'streams', 'grow', 'starts'].map((name) =>
  tool(name),
)
const ODD = [
  {},
  null,
  tool('echo'),
  tool('strange', { inputSchema: { type: 'string' } }),
  tool('marked', {
    inputSchema: { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A B' } } },
  }),
]
const ASKING = ['elicit', 'sample', 'roots', 'unknown', 'nothing', 'again', 'forever', 'capable'].map(
  (name) => tool(name),
)

/** Ids of the streams that are open for changes, and how many there ever were. */
const listening = new Set()
let streams = 0
let cancelled = 'nothing'
let isListed = false

const CALLS = {
  echo: (id, { arguments: args }) => said(id, JSON.stringify(args)),
  meta: (id, { _meta }) => said(id, JSON.stringify(_meta)),
  slow: (id, { _meta }) => {
    const told = { progress: 2, total: 4, message: 'half way' }
    send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, ...told } })
    said(id, 'done')
  },
  hang: () => undefined,
  cancelled: (id) => said(id, `cancelled: ${cancelled}`),
  streams: (id) => said(id, `streams: ${streams}, open: ${listening.size}`),
  starts: (id) => said(id, `starts: ${starts()}`),
  strange: (id) =>
    complete(id, {
      content: [
        { type: 'smell', data: 7 },
        { type: 'text', text: 'and a text' },
      ],
    }),
  grow: (id) => {
    tools.push(tool(`more_${tools.length}`))
    for (const stream of listening)
      send({ method: 'notifications/tools/list_changed', params: { _meta: { [SUBSCRIPTION]: stream } } })
    said(id, 'grown')
  },
  elicit: (id) =>
    needs(id, {
      one: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Your password?',
          requestedSchema: { type: 'object', properties: {} },
        },
      },
    }),
  sample: (id) =>
    needs(id, { one: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } }),
  roots: (id) => needs(id, { one: { method: 'roots/list' } }),
  unknown: (id) => needs(id, { one: { method: 'wallet/open', params: {} } }),
  nothing: (id) => needs(id, {}),
  // It sheds load: whoever comes back with this has the answer.
  again: (id, { requestState }) =>
    requestState === undefined
      ? needs(id, undefined, 'st\u00e4te')
      : said(id, `came back with ${requestState}`),
  forever: (id) => needs(id, undefined, 'state'),
  capable: (id) => refuse(id, -32021, 'needs elicitation', { requiredCapabilities: { elicitation: {} } }),
}

/** How often a program with this file was started, this one too. */
const starts = () => readFileSync(file, 'utf8').length

function discover(id) {
  if (behaviour === 'turncoat' && isListed) return refuse(id, -32601, 'Method not found')
  complete(id, {
    supportedVersions: [REVISION],
    capabilities: { tools: { listChanged: true } },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'newest', version: '1' } },
  })
}

function listen(id) {
  if (behaviour === 'unheard') return refuse(id, -32601, 'Method not found')
  streams++
  const _meta = { [SUBSCRIPTION]: id }
  send({
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta, notifications: { toolsListChanged: true } },
  })
  if (behaviour === 'fickle' && streams < 4) complete(id, { _meta })
  else listening.add(id)
}

function answer({ id, method, params }) {
  if (behaviour === 'deaf' && isListed) return
  switch (method) {
    case 'server/discover':
      return discover(id)
    case 'tools/list': {
      isListed = true
      const listed = behaviour === 'odd' ? ODD : behaviour === 'asking' ? ASKING : tools
      // One that is sloppy says nothing of how long this holds.
      return complete(id, {
        tools: listed,
        ...(behaviour === 'odd' ? {} : { ttlMs: 0, cacheScope: 'private' }),
      })
    }
    case 'tools/call':
      return (CALLS[params.name] ?? CALLS.echo)(id, params)
    case 'subscriptions/listen':
      return listen(id)
    case 'notifications/cancelled':
      if (!listening.delete(params.requestId)) cancelled = params.reason
      return
    case 'initialize':
      return refuse(id, -32022, 'Unsupported protocol version', { supported: [REVISION], requested: 'older' })
    default:
      if (id !== undefined) refuse(id, -32601, `${method} is not a method of this revision`)
  }
}

/** As a server of an older revision, after its first request was another one than `initialize`. */
function answerAsOlder({ id, method, params }, isFirst) {
  if (isFirst && method !== 'initialize') {
    if (behaviour === 'brittle') process.exit(9)
    // It waits for an `initialize` that is lost, and reads nothing more.
    input.removeAllListeners('line')
    return
  }
  const result = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'older', version: '1' },
    },
    'tools/list': { tools: [tool('older'), tool('starts')] },
    'tools/call': {
      content: [{ type: 'text', text: params?.name === 'starts' ? `starts: ${starts()}` : 'x' }],
    },
  }[method]
  if (id !== undefined) send({ id, result: result ?? {} })
}

if (file !== '') appendFileSync(file, '.')
const input = createInterface({ input: process.stdin })
let lines = 0
input.on('line', (line) => {
  const message = JSON.parse(line)
  lines++
  if (behaviour === 'brittle' || behaviour === 'wedged') answerAsOlder(message, lines === 1)
  // Its first start takes longer than anybody waits.
  else if (behaviour !== 'tardy' || starts() > 1) answer(message)
})
input.on('close', () => process.exit(0))
