/** `1 turn`, `2 turns`: for words that form their plural with an s. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** `1 turn is`, `2 turns are`. */
export const countedAre = (count: number, what: string): string =>
  `${counted(count, what)} ${count === 1 ? 'is' : 'are'}`
