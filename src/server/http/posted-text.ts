import { hasTooManyValues, isJsonObject, type JsonObject, parseJson } from '../../base/json.ts'

const EXAMPLE = 'send text/plain, or JSON as Slack takes it, such as {"text": "the build is green"}'

/**
 * Extracts the message from the body of a POST: plain text, or JSON of Grafana or of Slack's incoming
 * webhooks, also as the form field `payload`
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). Returns a problem for a body
 * without a text.
 */
export function postedText(body: string, contentType = ''): PostedText {
  const type = contentType.split(';', 1).join('').trim().toLowerCase()
  const payload = type === FORM ? new URLSearchParams(body).get('payload') : undefined
  // `curl -d` declares any text as a form.
  if (type !== 'application/json' && typeof payload !== 'string') return nonEmpty(body)
  const message = jsonObject(payload ?? body)
  if (!message) return { problem: `the body is no JSON object that can be read: ${EXAMPLE}` }
  const name = textIn(message, 'username')
  const text = slackText(message)
  return nonEmpty(name === '' || text === '' ? text : `[${name}] ${text}`)
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const value = hasTooManyValues(text) ? null : parseJson(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const FORM = 'application/x-www-form-urlencoded'

type PostedText = { readonly text: string } | { readonly problem: string }

const nonEmpty = (text: string): PostedText =>
  text.trim() === '' ? { problem: `there is no text in it: ${EXAMPLE}` } : { text }

/**
 * Joins the text and the plain text of each attachment. Blocks count only without a text, which they repeat.
 */
function slackText(message: JsonObject): string {
  const grafana = [textIn(message, 'title'), textIn(message, 'message')].filter(Boolean).join('\n')
  const text = textIn(message, 'text') || grafana
  const blocks = text === '' ? listIn(message, 'blocks').map(blockText) : []
  const attachments = listIn(message, 'attachments').map(
    (one) =>
      textIn(one, 'fallback') || [textIn(one, 'title'), textIn(one, 'text')].filter(Boolean).join(': '),
  )
  return [text, ...blocks, ...attachments].filter(Boolean).map(plainSlack).join('\n')
}

function blockText(block: JsonObject): string {
  const texts = [block['text'] ?? null, ...listIn(block, 'fields')]
  const said = texts.map((one) => (isJsonObject(one) ? textIn(one, 'text') : '')).filter(Boolean)
  return said.join('\n') || textIn(block, 'alt_text')
}

/**
 * Turns `<https://example.org|the page>` into `the page (https://example.org)` and unescapes Slack's three
 * entities.
 */
const plainSlack = (text: string): string =>
  text
    .replace(/<(https?:[^<|>\s]+)\|([^<>]*)>/g, '$2 ($1)')
    .replace(/<(https?:[^<|>\s]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const textIn = (from: JsonObject, key: string): string =>
  typeof from[key] === 'string' ? from[key].trim() : ''

const listIn = (from: JsonObject, key: string): readonly JsonObject[] =>
  Array.isArray(from[key]) ? from[key].filter(isJsonObject) : []
