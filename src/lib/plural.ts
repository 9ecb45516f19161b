/** `1 turn`, `2 turns`: for words that form their plural with an s. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
