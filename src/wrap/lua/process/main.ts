// The wrap process: Lua and the tokenizer, outside of the server and without rights. Reads requests from
// stdin and answers on stdout, one JSON line each; must not know anything else. This file joins the engines
// with the tokenizer.
import { createInterface } from 'node:readline'
import type { CatalogueTool, HistoryRow } from '../../snapshot.ts'
import { composePrompt } from '../../compose-prompt.ts'
import { WrapError } from '../../ports.ts'
import { runHook } from '../../run-hook.ts'
import { createComposeCache } from '../../compose-cache.ts'
import { createTokenCounters } from '../../tokens/tiktoken.ts'
import { readBundle } from '../bundle.ts'
import { openEngine } from '../engines.ts'
import type { Request, ResponseLine, Settings } from './protocol.ts'
import { createReceiver, Sender } from '../deduplicate.ts'
import { createDefinitionRemover, type ToolWithoutDefinition } from '../definitions-apart.ts'

/** The characters of one process's answers that the server keeps, for system prompts and for tools each. */
const MAX_ANSWER_CHARS = 2_000_000

const settings = JSON.parse(process.argv[2] ?? '') as Settings
const engine = await openEngine(settings.engine, await readBundle(settings.lua), settings)
const counters = createTokenCounters()
const cache = createComposeCache()
const receiveTools = createReceiver<CatalogueTool>()
const receiveRows = createReceiver<HistoryRow>()
const systemSender = new Sender<string>(
  (text) => text,
  () => true,
  MAX_ANSWER_CHARS,
)
const toolSender = new Sender<readonly ToolWithoutDefinition[]>(
  (list) => list,
  () => true,
  MAX_ANSWER_CHARS,
)
const withoutDefinitions = createDefinitionRemover()
for (const encoding of settings.warm) counters.of(encoding).count('warm')
send({ kind: 'ready' })
createInterface({ input: process.stdin }).on('line', (line) => send(answer(JSON.parse(line) as Request)))

function answer(request: Request): ResponseLine {
  const printed: string[] = []
  try {
    if (request.kind === 'count') {
      const counter = counters.of(request.encoding)
      return { kind: 'counts', counts: request.texts.map((text) => counter.count(text)) }
    }
    if (request.kind === 'hook') return { kind: 'hook', outcome: runHook(engine, request.run) }
    const [tools, history] = [receiveTools(request.tools), receiveRows(request.history)]
    const snapshot = { ...request.snapshot, tools, history }
    const counter = counters.of(snapshot.model.encoding)
    const composed = composePrompt(snapshot, engine, counter, cache, printed)
    const { system, tools: offered, ...prompt } = composed
    const parts = {
      system: systemSender.pack([system]),
      tools: toolSender.pack([withoutDefinitions(offered)]),
    }
    return { kind: 'prompt', prompt, ...parts, printed }
  } catch (error) {
    if (error instanceof WrapError)
      return { kind: 'failed', reason: error.reason, message: error.message, printed }
    console.error(error)
    return { kind: 'failed', reason: 'process', message: `wrap: ${String(error)}` }
  }
}

/** Writing to a pipe is synchronous here: an answer is out before the next request begins. */
function send(reply: ResponseLine): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`)
}
