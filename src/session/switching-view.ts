import type { Personal } from './personal.ts'
import type { Terminal } from './ports.ts'
import type { SessionView } from './session-view.ts'

/** Makes a view of a kind that a person can have; it is closed before there is another one. */
type OpenView = (terminal: Terminal, personal: Personal) => SessionView

/** The plain view or the live one, as the person wants it now. */
export function createSwitchingView(
  terminal: Terminal,
  personal: Personal,
  views: { readonly plain: OpenView; readonly live: OpenView },
): SessionView {
  let resized = (): void => undefined
  let drained = (): void => undefined
  let changed = (): void => undefined
  let draft: Parameters<SessionView['draft']>[0] | undefined
  let isPlain = personal.isPlain()
  let view = open()
  terminal.onResize(() => resized())
  terminal.onDrain(() => drained())
  personal.onChange(() => {
    if (personal.isPlain() === isPlain) changed()
    else change()
  })

  /** A view that was closed hears nothing any more. */
  function open(): SessionView {
    return views[isPlain ? 'plain' : 'live'](
      {
        ...terminal,
        onResize: (listener) => void (resized = listener),
        onDrain: (listener) => void (drained = listener),
      },
      { ...personal, onChange: (listener) => void (changed = listener) },
    )
  }

  function change(): void {
    isPlain = !isPlain
    view.close()
    view = open()
    if (draft) view.draft(draft)
  }

  return {
    entry: (entry, how) => view.entry(entry, how),
    print: (...printed) => view.print(...printed),
    echo: (line) => view.echo(line),
    message: (...shown) => view.message(...shown),
    takes: (key) => view.takes(key),
    draft(next) {
      draft = next
      view.draft(next)
    },
    sent: (sent) => view.sent(sent),
    refresh: () => view.refresh(),
    redraw: () => view.redraw(),
    bell: () => view.bell(),
    close: (farewell) => view.close(farewell),
  }
}
