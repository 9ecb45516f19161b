/** Tokens kept for the answer in a window of so many, where nobody says it: at most a quarter of the window. */
export const usualOutput = (window: number): number => Math.min(4_096, Math.floor(window / 4))
