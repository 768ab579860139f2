/** A clock that only moves when it is told to, with what waits for it: loop turns, timers, and whatever is on its way. */

interface Waiting {
  readonly at: number
  readonly order: number
  readonly work: () => void
}

export class VirtualTime {
  private waiting: Array<Waiting> = []
  private count = 0
  private time = 1_000

  readonly monotonic = (): number => this.time

  readonly after = (millis: number, work: () => void): void => {
    const entry = { at: this.time + millis, order: ++this.count, work }
    let i = this.waiting.length
    while (i > 0 && this.waiting[i - 1]!.at > entry.at) i--
    this.waiting.splice(i, 0, entry)
  }

  readonly soon = (work: () => void): void => this.after(0, work)

  readonly every = (millis: number, work: () => void): (() => void) => {
    let isOn = true
    const again = (): void => {
      if (!isOn) return
      work()
      this.after(millis, again)
    }
    this.after(millis, again)
    return () => {
      isOn = false
    }
  }

  /** Does all that is due until then. */
  pass(millis: number): void {
    const until = this.time + millis
    for (let next = this.waiting[0]; next !== undefined && next.at <= until; next = this.waiting[0]) {
      this.waiting.shift()
      this.time = Math.max(this.time, next.at)
      next.work()
    }
    this.time = until
  }
}
