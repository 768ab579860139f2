/**
 * One signal's way to the collector: a bounded queue, one request on its way at a time, and patience when nobody answers. The one thing
 * to know: a collector that is away or hangs costs what does not fit into the queue, which is counted, and nothing else.
 */

export interface ExporterOptions<Item> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: (items: ReadonlyArray<Item>) => object
  readonly queueMax: number
  readonly batchMax: number
  readonly timeoutMillis: number
  readonly sent: (count: number) => void
  readonly dropped: (count: number) => void
  /** Told when it begins to fail, and when it goes again. */
  readonly trouble: (what: string) => void
  readonly monotonic: () => number
}

const PAUSE_FIRST_MILLIS = 1_000
const PAUSE_MAX_MILLIS = 60_000

/** It was understood and refused: the same again would be, too. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

export class Exporter<Item> {
  private queue: Array<Item> = []
  private running: Promise<void> | null = null
  private pauseMillis = 0
  private pausedUntil = 0

  constructor(private readonly options: ExporterOptions<Item>) {}

  get waiting(): number {
    return this.queue.length
  }

  push(item: Item): void {
    if (this.queue.length >= this.options.queueMax) return this.options.dropped(1)
    this.queue.push(item)
    if (this.queue.length >= this.options.batchMax) void this.flush()
  }

  /** Sends what waits, unless it is being sent or a pause is on. Never rejects. */
  flush(isLast = false): Promise<void> {
    if (this.running !== null) return isLast ? this.running.then(() => this.flush(true)) : this.running
    if (this.queue.length === 0 || (!isLast && this.options.monotonic() < this.pausedUntil)) return Promise.resolve()
    this.running = this.drain(isLast).finally(() => {
      this.running = null
    })
    return this.running
  }

  private async drain(isLast: boolean): Promise<void> {
    const { batchMax, queueMax, dropped, sent } = this.options
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, batchMax)
      const failure = await this.post(batch)
      if (failure === null) {
        sent(batch.length)
        if (this.pauseMillis > 0) this.options.trouble("the collector answers again")
        this.pauseMillis = 0
        continue
      }
      if (failure.isFinal || isLast) dropped(batch.length)
      else {
        // What came meanwhile is newer; the oldest that do not fit any more are lost.
        const room = Math.max(0, queueMax - this.queue.length)
        dropped(Math.max(0, batch.length - room))
        this.queue.unshift(...batch.slice(batch.length - Math.min(room, batch.length)))
      }
      if (this.pauseMillis === 0) this.options.trouble(`the collector does not take telemetry: ${failure.reason}`)
      this.pauseMillis = Math.min(PAUSE_MAX_MILLIS, Math.max(PAUSE_FIRST_MILLIS, this.pauseMillis * 2))
      this.pausedUntil = this.options.monotonic() + this.pauseMillis
      return
    }
  }

  private async post(
    batch: ReadonlyArray<Item>,
  ): Promise<{ readonly isFinal: boolean; readonly reason: string } | null> {
    const { url, headers, body, timeoutMillis } = this.options
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(body(batch)),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMillis),
      })
      await response.arrayBuffer()
      return response.ok ? null : { isFinal: isFinal(response.status), reason: `HTTP ${response.status}` }
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error
      return { isFinal: false, reason: cause instanceof Error ? cause.message : "no answer" }
    }
  }
}
