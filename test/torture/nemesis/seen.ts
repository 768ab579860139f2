/** What clients saw while something was broken: answers by second, and when health said so. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Sent } from "./traffic.ts"

const POLL_MILLIS = 50

/** `-1..3 s 200:20; 4 s 200:3 503/-190001:17`: what was sent in each second since `zeroAt`, by answer; equal seconds side by side. */
export const seenBySecond = (sent: ReadonlyArray<Sent>, zeroAt: number): string => {
  const seconds = new Map<number, Map<string, number>>()
  for (const { plannedAt, first } of sent) {
    if (first === undefined) continue
    const second = Math.floor((plannedAt - zeroAt) / 1_000)
    const answers = seconds.get(second) ?? new Map<string, number>()
    const word = first.status === 0 ? "none" : first.errno === 0 ? `${first.status}` : `${first.status}/${first.errno}`
    answers.set(word, (answers.get(word) ?? 0) + 1)
    seconds.set(second, answers)
  }
  const rows: Array<{ from: number; to: number; kinds: string; counts: Map<string, number> }> = []
  for (const [second, answers] of [...seconds].sort(([a], [b]) => a - b)) {
    const kinds = [...answers.keys()].sort().join()
    const last = rows.at(-1)
    if (last !== undefined && last.kinds === kinds) {
      last.to = second
      for (const [word, count] of answers) last.counts.set(word, (last.counts.get(word) ?? 0) + count)
    } else rows.push({ from: second, to: second, kinds, counts: new Map(answers) })
  }
  return rows
    .map(({ from, to, counts }) => {
      const answers = [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([word, count]) => `${word}:${count}`)
      return `${from === to ? from : `${from}..${to}`} s ${answers.join(" ")}`
    })
    .join("; ")
}

export interface Readiness {
  /** performance.now() of the question, and what it was answered; 0: nobody answered. */
  readonly looks: ReadonlyArray<{ readonly at: number; readonly answeredAt: number; readonly status: number }>
  readonly end: () => Promise<void>
}

/** Asks for health all the time, as a load balancer does. */
export const watchHealth = (base: string): Readiness => {
  const looks: Array<Readiness["looks"][number]> = []
  let isOver = false
  const run = async (): Promise<void> => {
    while (!isOver) {
      const at = performance.now()
      const status = await fetch(`${base}/api/v3/health`).then(
        async (response) => {
          await response.text()
          return response.status
        },
        () => 0,
      )
      looks.push({ at, answeredAt: performance.now(), status })
      await sleep(POLL_MILLIS)
    }
  }
  const running = run()
  return {
    looks,
    end: () => {
      isOver = true
      return running
    },
  }
}

/** How long after `at` it first was, or was not, ready; undefined: never. */
export const firstLook = ({ looks }: Readiness, at: number, isReady: boolean): number | undefined => {
  const found = looks.find((look) => look.answeredAt >= at && (look.status === 200) === isReady)
  return found === undefined ? undefined : Math.round(found.answeredAt - at)
}

/** How long after `at` somebody was still told that it is ready, by the moment of asking; 0: nobody. */
export const lastReady = ({ looks }: Readiness, at: number): number =>
  Math.round(Math.max(0, ...looks.filter((look) => look.status === 200).map((look) => look.at - at)))
