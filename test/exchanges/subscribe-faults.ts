/** Switches on the next subscriptions to a channel: what becomes of each is the venue's own kind of trouble. */
export class SubscribeFaults<What> {
  #waiting: Array<{ readonly channel: string; readonly what: What; left: number }> = []

  onNext(channel: string, what: What, count: number): void {
    this.#waiting.push({ channel, what, left: count })
  }

  /** The first of this channel, used up by one. */
  take(channel: string): What | undefined {
    const found = this.#waiting.find((fault) => fault.channel === channel)
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left <= 0) this.#waiting = this.#waiting.filter((fault) => fault !== found)
    return found.what
  }

  clear(): void {
    this.#waiting = []
  }
}
