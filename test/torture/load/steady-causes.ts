/**
 * What a slow answer coincided with: a bare commit beside the gateway's that was slow too, a collection of garbage in the gateway, another
 * halt of its event loop, or one of the load's own. Times are wall ms, which both processes share.
 */
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"

const LOOK_MILLIS = 10
/** A timer that comes so much later than planned was kept waiting. */
const HALT_MILLIS = 25
const SLOW_COMMIT_MILLIS = 25
const COMMIT_PAUSE_MILLIS = 25

export type Cause = "load" | "commit" | "garbage" | "halt"

interface Span {
  readonly cause: Cause
  readonly from: number
  readonly to: number
}

/** For the main thread of the gateway: its halts and its garbage on stderr, a line each. */
export const CAUSES_PROBE = `
  const told = (cause, from, to) => process.stderr.write("span " + JSON.stringify({ cause, from, to }) + "\\n")
  let last = Date.now()
  setInterval(() => {
    const now = Date.now()
    if (now - last > ${LOOK_MILLIS + HALT_MILLIS}) told("halt", last, now)
    last = now
  }, ${LOOK_MILLIS}).unref()
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      if (duration > ${LOOK_MILLIS}) told("garbage", performance.timeOrigin + startTime, performance.timeOrigin + startTime + duration)
  }).observe({ entryTypes: ["gc"] })`

const spansOf = (stderr: string): ReadonlyArray<Span> =>
  stderr.split("\n").flatMap((line) => (line.startsWith("span {") ? [JSON.parse(line.slice("span ".length))] : []))

export interface Causes {
  /** Of answers that took from a moment to another, wall ms: how many coincided with what. */
  readonly say: (answers: ReadonlyArray<readonly [from: number, to: number]>, stderr: string) => string
  readonly end: () => Promise<void>
}

/** Watches until `end`. */
export const watchCauses = async (databaseUrl: string): Promise<Causes> => {
  const spans: Array<Span> = []
  let last = Date.now()
  const timer = setInterval(() => {
    const now = Date.now()
    if (now - last > LOOK_MILLIS + HALT_MILLIS) spans.push({ cause: "load", from: last, to: now })
    last = now
  }, LOOK_MILLIS)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  let isOpen = true
  const commits = (async () => {
    while (isOpen) {
      const from = Date.now()
      // A record of its own in the log, flushed by its commit; no table knows of it.
      await client.query("SELECT pg_logical_emit_message(true, 'steady', 'a bare commit')")
      const to = Date.now()
      if (to - from > SLOW_COMMIT_MILLIS) spans.push({ cause: "commit", from, to })
      await sleep(COMMIT_PAUSE_MILLIS)
    }
  })()
  return {
    say: (answers, stderr) => {
      const all = [...spans, ...spansOf(stderr)]
      const of = (cause: Cause, words: string): string => {
        const those = all.filter((span) => span.cause === cause)
        const count = answers.filter(([from, to]) => those.some((span) => span.from < to && span.to > from)).length
        const worst = Math.round(Math.max(0, ...those.map((span) => span.to - span.from)))
        return `${count} beside ${words} (${those.length}, worst ${worst} ms)`
      }
      const none = answers.filter(([from, to]) => !all.some((span) => span.from < to && span.to > from)).length
      return [
        of("commit", "a slow bare commit"),
        of("garbage", "the gateway's garbage"),
        of("halt", "a halt of its loop"),
        of("load", "a halt of the load's own"),
        `${none} beside none of these`,
      ].join(", ")
    },
    end: async () => {
      isOpen = false
      clearInterval(timer)
      await commits
      await client.end()
    },
  }
}
