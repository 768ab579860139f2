/**
 * Plays a capture: every frame at its recorded distance from the one before, divided by the speed, in file order.
 * The clock of the replay stands still while it is paused, so a consumer can hold the market at one exact frame.
 */

import type { DepthShown } from "../market.ts"
import type { CaptureFrame, SnapshotLine } from "./capture.ts"
import { findSnapshot, readCapture } from "./capture.ts"

export interface ReplayOptions {
  readonly file: string
  /** 1 is the recorded pace, 20 is twenty times as fast; `Infinity` does not wait at all. Default 1. */
  readonly speed?: number
  /** Default "first depth subscriber": nobody misses the beginning. */
  readonly start?: "at once" | "first depth subscriber" | "by hand"
  /** Stop after this many frames. Default: the whole file. */
  readonly frameLimit?: number
  /** Hears of each frame right before it leaves: whoever throws a fault here hits this very frame. */
  readonly sending?: (frame: CaptureFrame) => void
  /** Hears of each book that REST or a partial stream shows. */
  readonly showing?: (depth: DepthShown) => void
}

/** Frames due at once are sent in one go, but never more than this without letting sockets breathe. */
const BURST = 200

export class Replay {
  /** Resolves when the last frame has been sent, or when the replay is closed. Rejects when the capture is broken. */
  readonly done: Promise<void>
  framesSent = 0
  readonly #speed: number
  readonly #open: () => void
  readonly #settled: { readonly resolve: () => void; readonly reject: (cause: unknown) => void }
  #isClosed = false
  #pausedAt: number | undefined
  #wake: (() => void) | undefined
  /** Where recorded time 0 lies on `performance.now()`. */
  #origin = 0
  #stops: Array<{
    readonly matches: (frame: CaptureFrame) => boolean
    readonly reached: (frame: CaptureFrame) => void
  }> = []
  readonly #started: Promise<void>

  private constructor(
    readonly options: ReplayOptions,
    readonly snapshot: SnapshotLine,
    readonly symbol: string,
    send: (frame: CaptureFrame) => void,
  ) {
    this.#speed = options.speed ?? 1
    const { promise, resolve, reject } = withResolvers()
    this.done = promise
    this.#settled = { resolve, reject }
    // Whoever never looks at `done` must not lose the process to an unhandled rejection.
    promise.catch(() => undefined)
    const started = withResolvers()
    this.#started = started.promise
    this.#open = started.resolve
    void this.#play(send).then(resolve, reject)
    if (options.start === "at once") this.start()
  }

  /** Reads the snapshot ahead, so that a client can ask for it before the first frame is sent. */
  static async open(options: ReplayOptions, send: (replay: Replay, frame: CaptureFrame) => void): Promise<Replay> {
    const snapshot = await findSnapshot(options.file)
    if (snapshot === undefined) throw new Error(`${options.file} has no inlined depth snapshot to start from`)
    const symbol = await firstSymbol(options.file)
    const replay: Replay = new Replay(options, snapshot, symbol, (frame) => send(replay, frame))
    return replay
  }

  /** Begins; a second call does nothing. */
  start(): void {
    this.#open()
  }

  get isPaused(): boolean {
    return this.#pausedAt !== undefined
  }

  pause(): void {
    this.#pausedAt ??= performance.now()
  }

  resume(): void {
    if (this.#pausedAt === undefined) return
    this.#origin += performance.now() - this.#pausedAt
    this.#pausedAt = undefined
    this.#wake?.()
  }

  /** Pauses right after the next frame that matches has been sent, and resolves with it. Go on with `resume()`. */
  pauseAfter(matches: (frame: CaptureFrame) => boolean): Promise<CaptureFrame> {
    return new Promise((resolve) => {
      this.#stops.push({ matches, reached: resolve })
    })
  }

  /** Ends the replay where it is. */
  close(): void {
    this.#isClosed = true
    this.#open()
    this.#wake?.()
    this.#settled.resolve()
  }

  async #play(send: (frame: CaptureFrame) => void): Promise<void> {
    await this.#started
    let firstNanos: bigint | undefined
    let inBurst = 0
    for await (const line of readCapture(this.options.file)) {
      if (line.kind === "snapshot") continue
      if (firstNanos === undefined) {
        firstNanos = line.receivedAtNanos
        this.#origin = performance.now()
      }
      const offsetMillis = Number(line.receivedAtNanos - firstNanos) / 1e6 / this.#speed
      while (!this.#isClosed && (this.isPaused || this.#dueIn(offsetMillis) > 0)) {
        await this.#sleep(this.isPaused ? undefined : this.#dueIn(offsetMillis))
        inBurst = 0
      }
      if (this.#isClosed) return
      this.options.sending?.(line)
      send(line)
      this.framesSent += 1
      if (this.framesSent === this.options.frameLimit) return
      this.#stopAfter(line)
      inBurst += 1
      if (inBurst === BURST) {
        inBurst = 0
        await this.#sleep(0)
      }
    }
  }

  #stopAfter(frame: CaptureFrame): void {
    const reached = this.#stops.filter((stop) => stop.matches(frame))
    if (reached.length === 0) return
    this.#stops = this.#stops.filter((stop) => !reached.includes(stop))
    this.pause()
    for (const stop of reached) stop.reached(frame)
  }

  #dueIn(offsetMillis: number): number {
    return this.#origin + offsetMillis - performance.now()
  }

  /** Without a time it sleeps until `resume` or `close`. */
  #sleep(millis: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = millis === undefined ? undefined : setTimeout(resolve, millis)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

const firstSymbol = async (file: string): Promise<string> => {
  for await (const line of readCapture(file)) if (line.kind !== "snapshot") return line.symbol
  throw new Error(`${file} has no frames`)
}

const withResolvers = () => {
  let resolve = (): void => undefined
  let reject = (_cause: unknown): void => undefined
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
