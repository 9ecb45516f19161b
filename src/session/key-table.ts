import type { KeyName } from './keys.ts'

/** A key as people call it, and what it does. */
export interface KeyHelp {
  /** One or several, such as `Ctrl-A, Home`. */
  readonly keys: string
  readonly does: string
}

/** The one list of the keys: `/help keys` and README.md are made from it. */
export const KEY_TABLE: Readonly<Record<KeyName, KeyHelp>> = {
  enter: { keys: 'Enter', does: 'send the line' },
  newline: { keys: 'Alt-Enter', does: 'break the line' },
  tab: { keys: 'Tab', does: 'complete a word' },
  up: { keys: '↑, Ctrl-P', does: 'the line before' },
  down: { keys: '↓, Ctrl-N', does: 'the next line' },
  search: { keys: 'Ctrl-R', does: 'look for an older line' },
  'search-newer': { keys: 'Ctrl-S', does: 'back to a newer one' },
  cancel: { keys: 'Ctrl-G', does: 'give up looking' },
  left: { keys: '←, Ctrl-B', does: 'a character back' },
  right: { keys: '→, Ctrl-F', does: 'a character on' },
  'word-left': { keys: 'Alt-B, Ctrl-←', does: 'a word back' },
  'word-right': { keys: 'Alt-F, Ctrl-→', does: 'a word on' },
  home: { keys: 'Ctrl-A, Home', does: 'to the beginning' },
  end: { keys: 'Ctrl-E, End', does: 'to the end' },
  backspace: { keys: 'Backspace', does: 'delete to the left' },
  delete: { keys: 'Delete', does: 'delete to the right' },
  'kill-word': { keys: 'Ctrl-W', does: 'cut back to a blank' },
  'kill-word-left': { keys: 'Alt-Backspace', does: 'cut a word back' },
  'kill-word-right': { keys: 'Alt-D', does: 'cut a word' },
  'kill-left': { keys: 'Ctrl-U', does: 'cut to the beginning' },
  'kill-right': { keys: 'Ctrl-K', does: 'cut to the end' },
  yank: { keys: 'Ctrl-Y', does: 'put back what was cut' },
  'yank-pop': { keys: 'Alt-Y', does: 'an older cut instead' },
  undo: { keys: 'Ctrl-_', does: 'undo' },
  transpose: { keys: 'Ctrl-T', does: 'swap characters' },
  'transpose-words': { keys: 'Alt-T', does: 'swap words' },
  'upper-word': { keys: 'Alt-U', does: 'a word in upper case' },
  'lower-word': { keys: 'Alt-L', does: 'a word in lower case' },
  'capital-word': { keys: 'Alt-C', does: 'a word with a capital' },
  stop: { keys: 'Ctrl-X', does: 'stop what models do' },
  redraw: { keys: 'Ctrl-L', does: 'clear the screen' },
  interrupt: { keys: 'Ctrl-C', does: 'clear the line' },
  eof: { keys: 'Ctrl-D', does: 'leave (empty line)' },
}

/** In the order of the table. */
export const KEY_HELP: readonly KeyHelp[] = Object.values(KEY_TABLE)
