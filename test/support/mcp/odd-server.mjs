/**
 * An MCP server that does one odd thing, as servers in use do it. With `stdio` and the name of that as its
 * arguments it
 * speaks on its standard input and output. With `http`, `text`, `events` or `forgets` it speaks over HTTP:
 * its first line
 * is its address, to which the name of what is odd is added.
 */
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

const [way, ownOddity] = process.argv.slice(2)

const TOOL = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } }
const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'odd', version: '1' },
}
const DONE = { content: [{ type: 'text', text: 'done' }] }
const image = (bytes) => ({ type: 'image', mimeType: 'image/png', data: 'iVBO'.repeat(bytes / 3) })

const hello = (more) => ({ initialize: { result: { ...HELLO, ...more } } })
const list = (result) => ({ 'tools/list': { result } })
const call = (result) => ({ 'tools/call': { result } })
const refusal = (error) => ({ 'tools/call': { error } })
const tool = (more) => list({ tools: [{ ...TOOL, ...more }] })

/** Streams of events that were opened by a GET. */
let streams = 0

/** By oddity: what is answered to a method, as parts of a message or as the text of one. */
const ODDITIES = {
  usual: {},
  // Null for absent
  'null-instructions': hello({ instructions: null }),
  'null-title': hello({ serverInfo: { name: 'odd', version: '1', title: null } }),
  'null-capability': hello({ capabilities: { tools: {}, prompts: null, resources: null, logging: null } }),
  'null-cursor': list({ tools: [TOOL], nextCursor: null }),
  'null-description': tool({ description: null }),
  'null-title-of-tool': tool({ title: null, outputSchema: null, _meta: null, icons: null }),
  'null-schema': tool({ inputSchema: null }),
  'null-in-schema': tool({ inputSchema: { type: 'object', properties: null, required: null } }),
  'null-annotations': tool({ annotations: null }),
  'null-hint': tool({ annotations: { readOnlyHint: true, openWorldHint: null, title: null } }),
  'null-default': tool({
    inputSchema: { type: 'object', properties: { a: { default: null, enum: [null, 1] } } },
  }),
  'null-error': { '*': { error: null } },
  'null-result-beside-error': { 'tools/call': { result: null, error: { code: -32_000, message: 'no' } } },
  'null-content': call({ content: null, structuredContent: { a: null } }),
  'null-structured': call({ ...DONE, structuredContent: null, isError: null, _meta: null }),
  'null-in-block': call({ content: [{ type: 'text', text: 'done', annotations: null, _meta: null }] }),
  'null-result': call(null),
  'null-block': call({ content: [null, ...DONE.content] }),
  // Absent, or of the wrong form
  'no-version': hello({ serverInfo: { name: 'odd' } }),
  'no-server-info': hello({ serverInfo: undefined }),
  'number-as-version': hello({ serverInfo: { name: 'odd', version: 2 } }),
  'no-capabilities': hello({ capabilities: undefined }),
  'empty-capabilities': hello({ capabilities: {} }),
  'tools-true': hello({ capabilities: { tools: true } }),
  'no-protocol-version': hello({ protocolVersion: undefined }),
  'error-as-text': refusal('it is broken'),
  'error-code-null': refusal({ code: null, message: 'it is broken' }),
  'error-code-text': refusal({ code: 'E_BROKEN', message: 'it is broken' }),
  'error-message-object': refusal({ code: -32_000, message: { why: 'it is broken' } }),
  'error-without-message': refusal({ code: 7 }),
  'content-as-text': call({ content: 'done' }),
  'content-as-block': call({ content: DONE.content[0] }),
  'content-of-texts': call({ content: ['done'] }),
  'block-without-type': call({ content: [{ text: 'done' }] }),
  'text-as-object': call({ content: [{ type: 'text', text: { a: 'done' } }] }),
  'result-as-text': call('done'),
  'result-as-list': { ...list([TOOL]), ...call(DONE.content) },
  'is-error-as-text': call({ ...DONE, isError: 'true' }),
  'image-without-type': call({ content: [{ type: 'image', data: 'aaaa' }] }),
  'schema-as-text': list({ tools: [{ ...TOOL, inputSchema: JSON.stringify(TOOL.inputSchema) }] }),
  'tools-by-name': list({ tools: { echo: { ...TOOL, name: undefined } } }),
  'id-as-text': { '*': (id) => ({ id: String(id) }) },
  'no-jsonrpc': { '*': { jsonrpc: undefined } },
  'jsonrpc-1': { '*': { jsonrpc: '1.0' } },
  'more-fields': { '*': { timestamp: 1, took: '3 ms' } },
  bom: { initialize: (id) => `\uFEFF${JSON.stringify({ jsonrpc: '2.0', id, result: HELLO })}` },
  batch: { '*': (id, answer) => JSON.stringify([answer]) },
  // Without an end, or too large
  'same-cursor': list({ tools: [TOOL], nextCursor: 'again' }),
  'empty-cursor': list({ tools: [TOOL], nextCursor: '' }),
  'number-as-cursor': list({ tools: [TOOL], nextCursor: 7 }),
  'large-image': call({ content: [image(6 * 1024 * 1024), { type: 'text', text: 'a picture' }] }),
  'two-large-images': call({ content: [image(9 * 1024 * 1024), image(3 * 1024 * 1024)] }),
  'large-text': call({ content: [{ type: 'text', text: 'x y'.repeat(3 * 1024 * 1024) }] }),
  // What cannot be read
  'no-list': list({ items: [] }),
  'list-is-text': list('echo'),
  'list-is-nan': { 'tools/list': (id) => `{"jsonrpc":"2.0","id":${id},"result":{"tools":[],"cost":NaN}}` },
  'list-is-cut': { 'tools/list': (id) => `{"jsonrpc":"2.0","id":${id},"result":{"tools":[` },
  'call-is-nan': { 'tools/call': (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"cost":NaN}}` },
  'hello-is-nan': { initialize: (id) => `{"jsonrpc":"2.0","id":${id},"result":{"cost":NaN}}` },
  'counts-streams': {
    'tools/call': () => ({ result: { content: [{ type: 'text', text: `streams: ${streams}` }] } }),
  },
  'no-tools': { 'tools/list': { error: { code: -32_601, message: 'Method not found' } } },
}

const USUAL = {
  initialize: { result: HELLO },
  'tools/list': { result: { tools: [TOOL] } },
  'tools/call': { result: DONE },
  ping: { result: {} },
}

/** As a text; undefined for a notification. */
function answerTo({ id, method }, oddity) {
  if (id === undefined) return undefined
  const odd = ODDITIES[oddity]
  const usual = {
    jsonrpc: '2.0',
    id,
    ...(USUAL[method] ?? { error: { code: -32_601, message: 'no such method' } }),
  }
  const own = odd[method] ?? (method in USUAL ? odd['*'] : undefined) ?? {}
  const made = typeof own === 'function' ? own(id, usual) : own
  if (typeof made === 'string') return made
  const { result: _, ...rest } = 'error' in made && method in odd ? usual : { ...usual }
  return JSON.stringify({ ...('error' in made && method in odd ? rest : usual), ...made })
}

if (way === 'stdio') {
  const input = createInterface({ input: process.stdin })
  input.on('line', (line) => {
    const answer = answerTo(JSON.parse(line), ownOddity)
    if (answer !== undefined) process.stdout.write(`${answer}\n`)
  })
  input.on('close', () => process.exit(0))
} else serveHttp()

function serveHttp() {
  let sessions = 0
  let calls = 0
  const server = createServer((request, response) => void serve(request, response))
  async function serve(request, response) {
    const { method, headers, url } = request
    const oddity = url.slice(1)
    const body = await text(request)
    if (method === 'GET' && way === 'forgets') {
      streams++
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    }
    if (method !== 'POST') return response.writeHead(method === 'DELETE' ? 200 : 405).end()
    const asked = JSON.parse(body)
    if (way === 'forgets') {
      if (asked.method === 'initialize') response.setHeader('mcp-session-id', `session-${++sessions}`)
      else if (headers['mcp-session-id'] !== undefined) {
        // Each third call finds it restarted.
        if (asked.method === 'tools/call' && ++calls % 3 === 2) sessions++
        if (headers['mcp-session-id'] !== `session-${sessions}`)
          return oddity === 'bom'
            ? response.writeHead(400).end('Bad Request: No valid session ID provided')
            : response.writeHead(404).end('Session not found')
      }
    }
    const answer = answerTo(asked, oddity)
    if (answer === undefined) return response.writeHead(202).end()
    if (way === 'events')
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`event: message\ndata: ${answer}\n\n`)
    else
      response
        .writeHead(200, { 'content-type': way === 'text' ? 'text/plain' : 'application/json' })
        .end(answer)
  }
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))
  process.stdin.resume().on('end', () => process.exit(0))
}
