import { billLine, toolResultLine } from '../../words/entry-text.ts'
import type { Entry, ToolResultEntry } from '../../words/entry.ts'
import { duration, counted } from '../../base/amounts.ts'
import { markup, type Html } from '../../base/markup.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { ToolDefinition } from '../../wrap/index.ts'
import { type TurnRecord, nothingSent, requestsOf, type SentRequest } from '../../turns/index.ts'
import type { AssistantMessage, StepMessage } from '../../wrap/loop/index.ts'
import { loadMarkdownHtml, type MarkdownToHtml } from './markdown-html.ts'
import { definitionHtml, promptParts } from './prompt.ts'
import { PAGE_END, exactText, momentHtml, pageHead } from './page.ts'

/** Yields a past turn as a page: each step's request and answer. `entries`: the turn's log entries. */
export async function* turnPage(
  turn: TurnRecord,
  entries: readonly Entry[],
): AsyncGenerator<Html, void, void> {
  const requests = requestsOf(turn)
  const shown = { entries, markdown: await loadMarkdownHtml() }
  yield markup`${await pageHead(`@${turn.model} in ${turn.room}: a turn`)}${headHtml(turn, requests.length, entries)}`
  for (const [at, request] of requests.entries())
    yield markup`<h2>Step ${at + 1}</h2>
      ${sentHtml(request, requests[at - 1], at, shown)}${backHtml(requests[at + 1], shown)}`
  for (const { text } of questionsOf(entries))
    yield markup`<details class="tool">
      <summary>${text.split('\n', 1).join('')}</summary>
      ${exactText(text)}
    </details> `
  yield markup`${requests.length === 0 && markup`<p>In this turn ${nothingSent(turn)}.</p> `}${PAGE_END}`
}

function headHtml(turn: TurnRecord, requests: number, entries: readonly Entry[]): Html {
  const { id, room, model, requester, startedAt, endedAt, outcome, error, parent } = turn
  const took = endedAt === undefined || parent !== undefined ? undefined : duration(endedAt - startedAt)
  const bill = entries.map(billLine).find((line) => line !== '')
  return markup`<h1>@${model} for ${visibleLine(requester)} in ${room}</h1>
    <p class="dim">
      Turn ${id}, begun ${momentHtml(startedAt)}
      UTC${parent !== undefined && markup`, a side turn of ${parent}`}.
    </p>
    <p>
      ${outcome ?? 'running'};
      ${counted(requests, 'step')}${bill === undefined && took !== undefined && `; ${took}`}
    </p>
    ${bill !== undefined && markup`<p class="bill">${bill}</p> `}${
      error !== undefined && markup`<p class="error">${visibleLine(error)}</p> `
    }
    <p class="dim">Every part unfolds to its exact text.</p> `
}

interface StepParts {
  readonly entries: readonly Entry[]
  readonly markdown: MarkdownToHtml
}

/** Returns a step's request: all of it for the first step, else the difference from the previous step. */
function sentHtml(request: SentRequest, before: SentRequest | undefined, at: number, shown: StepParts): Html {
  const { prompt, messages, tools } = request
  const isNew = prompt !== before?.prompt
  const shortened = messages
    .slice(0, before?.messages.length ?? 0)
    .filter((one) => !before?.messages.includes(one))
  const added = tools.filter((tool) => !before?.tools.some((other) => isSame(tool, other)))
  const gone = (before?.tools ?? []).filter(({ name }) => !tools.some((tool) => tool.name === name))
  return markup`<h3>Sent</h3>
    ${
      at > 0 && markup`<p>All of step ${at}${isNew && ', composed anew'}, then what came back from it.</p> `
    }${isNew && promptParts(prompt, [groupOf(prompt)])}${
      shortened.length > 0 &&
      markup`<p>Shortened, since there is no more space for all of it:</p>
        ${shortened.map((message) => messageHtml(message, shown))}`
    }${before && added.map((tool) => definitionHtml(tool, 'new, or changed'))}${gone.map(
      ({ name }) => markup`<p>${visibleLine(name)}: no longer sent</p> `,
    )}`
}

const groupOf = ({ tools, budget }: SentRequest['prompt']) => ({ tools, tokens: budget.tools })

const isSame = (one: ToolDefinition, other: ToolDefinition): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** Returns a step's answer: from the next request's messages, or from the room's log for the last step. */
function backHtml(next: SentRequest | undefined, shown: StepParts): Html {
  const back = next
    ? answerMessages(next.messages).map((message) => messageHtml(message, shown))
    : lastStep(shown.entries).flatMap((entry) => endHtml(entry, shown))
  return markup`<h3>Came back</h3>
    ${back.length === 0 ? markup`<p>The log has no answer of it.</p> ` : back}`
}

function answerMessages(messages: readonly StepMessage[]): readonly StepMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  return at === -1 ? [] : messages.slice(at)
}

function messageHtml(message: StepMessage, { entries, markdown }: StepParts): Html {
  if (message.role === 'assistant') return assistantHtml(message, markdown)
  const isResult = (entry: Entry): entry is ToolResultEntry =>
    entry.kind === 'tool_result' && entry.call === message.call && entry.name === message.name
  const told = entries.find(isResult)
  const line = told ? toolResultLine(told) : `${visibleLine(message.name)}: its result`
  return markup`<details class="tool${told?.isError ? ' error' : ''}">
    <summary>${line}</summary>
    ${exactText(message.content)}
  </details> `
}

const assistantHtml = ({ text, calls, thoughts = [] }: AssistantMessage, markdown: MarkdownToHtml): Html =>
  markup`${thoughts.map(
    (thought) =>
      markup`<details class="tool">
        <summary>what it thought</summary>
        ${exactText(thought.text)}
      </details> `,
  )}${text !== '' && textHtml(text, markdown)}${calls.map(
    (call) =>
      markup`<p>calls ${visibleLine(call.name)}</p>
        ${exactText(call.arguments)}`,
  )}`

const textHtml = (text: string, markdown: MarkdownToHtml): Html =>
  markup`<div class="reply">${[...markdown(text)]}</div>
    <details class="tool">
      <summary>as it was written</summary>
      ${exactText(text)}
    </details> `

/** True for the last entry of a turn, a reply with an outcome or a notice. */
export const isEnd = (entry: Entry | undefined): boolean =>
  entry?.kind === 'notice' || (entry?.kind === 'reply' && entry.outcome !== undefined)

/** Returns the questions about a turn's calls. A question before a write includes its changes. */
export const questionsOf = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter((entry) => entry.kind === 'approval' && entry.verdict === 'asked')

/** Returns the last entry of a turn, after the partial text of a stopped model. */
export function lastStep(entries: readonly Entry[]): readonly Entry[] {
  const end = entries.findLastIndex(isEnd)
  const called = entries.findLastIndex(({ kind }) => kind === 'tool_result' || kind === 'tool_call')
  return entries
    .slice(called + 1, end + 1)
    .filter((entry, at, all) => entry.kind === 'reply' || at === all.length - 1)
}

/** Returns an entry of the last step: its text, or the reason of the turn's end. */
function endHtml(entry: Entry, { markdown }: StepParts): readonly Html[] {
  if (entry.kind === 'reply')
    return [
      markup`${entry.text !== '' && textHtml(entry.text, markdown)}${
        entry.outcome !== undefined &&
        entry.outcome !== 'done' &&
        markup`<p class="error">${entry.outcome}</p> `
      }`,
    ]
  if (entry.kind === 'notice') return [markup`<p class="error">${entry.text}</p> `]
  return []
}
