import type { Outgoing } from '../web/index.ts'
import type { RoomHooksParts } from '../turns/index.ts'
import type { CurrentConfig } from './current-config.ts'

/** Sends a room's message to a webhook of the config. */
export const createSendWebhook =
  ({ now }: Pick<CurrentConfig, 'now'>, outgoing: Pick<Outgoing, 'add'>): RoomHooksParts['sendWebhook'] =>
  (name, room, { at, ...said }, report) => {
    const webhook = now().webhooks.find((one) => one.name === name)
    if (!webhook || webhook.rooms?.includes(room) === false)
      return report(
        `there is no webhook ${name.slice(0, 40)} for this room; [[webhooks]] of the config names them`,
      )
    const { url, headers } = webhook
    outgoing.add({
      // A room that waits for the receiver does not hold up other rooms.
      queue: `webhook ${name} from ${room}`,
      url,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ room, at: new Date(Number(at)).toISOString(), ...said }),
      onDrop: () => report(`webhook ${name} fails or is too slow: requests are dropped until none waits`),
    })
  }

/** Sends a notice to a person's URL in the format of ntfy (https://docs.ntfy.sh/publish). */
export const sendNotice = (outgoing: Pick<Outgoing, 'add'>, url: string, text: string): void =>
  outgoing.add({
    queue: `notices to ${new URL(url).origin}`,
    url,
    headers: { 'content-type': 'text/plain; charset=utf-8', title: 'sshawl' },
    body: text,
  })
