import { markup, type Html } from '../../base/markup.ts'
import { counted } from '../../base/amounts.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { BudgetReport, Prompt, PromptTool, ToolDefinition } from '../../wrap/index.ts'
import {
  layerTexts,
  keptText,
  percentOf,
  sharesOf,
  type BudgetShare,
  type ShownPrompt,
  type SourceGroup,
} from './prompt-report.ts'
import { PAGE_END, exactText, momentHtml, pageHead, partColourOf } from './page.ts'

/** The next prompt of a model in a room, for this person. `at`: milliseconds since the epoch. */
export async function wrapPage(
  { model, prompt, groups }: ShownPrompt,
  { room, person, at }: { readonly room: string; readonly person: string; readonly at: number },
): Promise<Html> {
  return markup`${await pageHead(`@${model} in ${room}: the next prompt`)}
    <h1>What @${model} would be sent in ${room}</h1>
    <p class="dim">
      As ${person} would ask it at ${momentHtml(at)} UTC${prompt.message === '' ? ', with an empty message' : ''}. Every part unfolds to its
      exact text.
    </p>
    ${promptParts(prompt, groups)}${PAGE_END}`
}

/** The tools of a group without a source, as in a stored turn, are shown as a plain list. */
export type ShownGroups = readonly (Omit<SourceGroup, 'source'> & { readonly source?: string })[]

/** Renders a prompt: a picture of its budget, then every part, which unfolds to the exact text. */
export function promptParts(prompt: Prompt, groups: ShownGroups): Html {
  const { budget } = prompt
  const shares = sharesOf(prompt)
  const texts = layerTexts(prompt)
  return markup`<p>
      ${budget.used} of ${budget.target} tokens (${percentOf(budget.used, budget.target)}),
      ${prompt.encoding}: system ${budget.system} + context ${budget.context} + message ${budget.message} +
      tools ${budget.tools} + framing ${budget.framing}${budget.pictures ? ` + pictures ${budget.pictures}` : ''}. ${budget.target - budget.used} are free;
      ${keptText(budget)}.
    </p>
    ${budgetBar(shares, budget)}
    <div class="part heads">
      <span></span><span>part</span><span class="number">tokens</span><span class="number">share</span
      ><span class="note">state</span>
    </div>
    ${shares.map((share, at) => partHtml(share, { at, prompt, groups, text: share.layer && texts?.get(share.layer) }))}
    ${texts ? '' : wholeTexts(prompt)}
    ${prompt.warnings.map((warning) => markup`<p class="error">${visibleLine(warning)}</p>`)} `
}

const BAR_UNITS = 1000

/** Renders one stacked bar. The text below has the same numbers. */
function budgetBar(shares: readonly BudgetShare[], { target, used }: BudgetReport): Html {
  const whole = shares.reduce((sum, { tokens }) => sum + tokens, 0)
  const scale = BAR_UNITS / Math.max(target, used, whole, 1)
  let sum = 0
  const rects = shares.map(({ tokens, name }, at) => {
    const x = sum * scale
    sum += tokens
    return markup`<rect
      class="${partColourOf(at)}"
      x="${x.toFixed(1)}"
      width="${(tokens * scale).toFixed(1)}"
      height="32"
      ><title>${name}: ${tokens}</title></rect
    >`
  })
  return markup`<svg
    class="bar"
    role="img"
    aria-label="${used} of ${target} tokens, part by part"
    viewBox="0 0 ${BAR_UNITS} 32"
    preserveAspectRatio="none"
  >
    ${rects}
  </svg>`
}

interface PartOf {
  readonly at: number
  readonly prompt: Prompt
  readonly groups: ShownGroups
  readonly text: string | undefined
}

function partHtml(share: BudgetShare, { at, prompt, groups, text }: PartOf): Html {
  const { name, tokens, note, layer } = share
  const facts = layer ? `${layer.placement}, priority ${layer.priority}, ${note}` : note
  const row = markup`${mark(at)}${cells(name, tokens, prompt.budget.target, facts)}`
  const inside = share.isTools
    ? groups.map(groupHtml)
    : name === 'message' && !layer
      ? exactText(prompt.message)
      : text !== undefined && text !== '' && exactText(text)
  return inside
    ? markup`<details>
        <summary class="part">${row}</summary>
        <div class="inside">${inside}</div>
      </details> `
    : markup`<div class="part">${row}</div> `
}

const mark = (at: number): Html =>
  markup`<svg class="${partColourOf(at)}" viewBox="0 0 10 10" aria-hidden="true">
    <rect width="10" height="10" />
  </svg>`

const cells = (name: string, tokens: number, target: number, note: string): Html =>
  markup`<span class="name">${name}</span><span class="number">${tokens}</span
    ><span class="number">${percentOf(tokens, target)}</span><span class="note">${note}</span>`

function groupHtml({ source, tools, tokens }: ShownGroups[number]): Html {
  const list = tools.map(toolHtml)
  if (source === undefined) return markup`${list}`
  return markup`<details>
    <summary>${visibleLine(source)}: ${counted(tools.length, 'tool')}, ${tokens} tokens</summary>
    <div class="inside">${list}</div>
  </details> `
}

const toolHtml = ({ name, tokens, form, definition }: PromptTool): Html =>
  definition
    ? definitionHtml(definition, `${tokens} tokens, ${form}`)
    : markup`<p>${visibleLine(name)}: ${form}, only its name is sent</p> `

/** A definition unfolds to exactly the JSON that is counted and sent. */
export const definitionHtml = (definition: ToolDefinition, note: string): Html =>
  markup`<details>
    <summary>${visibleLine(definition.name)}: ${note}</summary>
    ${exactText(JSON.stringify(definition))}
  </details> `

const wholeTexts = ({ system, context }: Prompt): Html =>
  markup`<details>
      <summary>the system text</summary>
      ${exactText(system)}
    </details>
    <details>
      <summary>the context</summary>
      ${exactText(context)}
    </details> `
