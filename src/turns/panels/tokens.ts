import { Refusal } from '../../words/errors.ts'

/** The tokens of one panel, which its requests share. */
export class PanelTokens {
  readonly limit: number
  #spent = 0
  #reserved = 0
  #refusal: string | undefined
  #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.limit = limit
  }

  /** Why a request was refused; undefined as long as all requests fitted. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  spend(tokens: number): void {
    this.#spent += tokens
  }

  /**
   * Reserves a request's input and longest output. Waits for other requests if it might fit after them.
   * Resolves to a function that ends the reservation. Rejects with `Refusal` if the request does not fit.
   */
  async reserve(tokens: number): Promise<() => void> {
    while (tokens > this.#left() && this.#reserved > 0)
      await new Promise<void>((resolve) => void this.#waiting.push(resolve))
    const left = this.#left()
    if (tokens > left) {
      this.#refusal = `the next request may need ${tokens} tokens, and ${left} of ${this.limit} are left`
      throw new Refusal(this.#refusal)
    }
    this.#reserved += tokens
    return () => {
      this.#reserved -= tokens
      for (const wake of this.#waiting.splice(0)) wake()
    }
  }

  #left(): number {
    return Math.max(0, this.limit - this.#spent - this.#reserved)
  }
}
