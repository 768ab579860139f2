/**
 * `npm run torture -- timing`: whether the time of an answer tells who is registered. Login, signup (where addresses are confirmed) and
 * recovery, for addresses of users and of nobody in random order; each address is used once, as somebody who asks would. Judged by
 * Welch's t over the fastest nine tenths of each side: what is slow is slow for other reasons.
 */
import { randomInt, randomUUID } from "node:crypto"
import { type Api, api, startGateway } from "../../kit/servers/gateway.ts"
import { tokenTo } from "../../kit/servers/mailbox.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

export interface TimingOptions {
  /** Of each side. */
  readonly samples: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

const T_MAX = 3
const KEPT = 0.9
const AT_ONCE = 8

const newEmail = () => `user-${randomUUID()}@example.com`

const inParallel = async <A>(count: number, make: () => Promise<A>): Promise<ReadonlyArray<A>> => {
  const made: Array<A> = []
  const work = async () => {
    while (made.length < count) made.push(await make())
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return made.slice(0, count)
}

const moments = (times: ReadonlyArray<number>) => {
  const kept = [...times].sort((a, b) => a - b).slice(0, Math.ceil(times.length * KEPT))
  const mean = kept.reduce((sum, it) => sum + it, 0) / kept.length
  const variance = kept.reduce((sum, it) => sum + (it - mean) ** 2, 0) / (kept.length - 1)
  return { mean, error: variance / kept.length }
}

const welch = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) => {
  const a = moments(one)
  const b = moments(other)
  return { t: (a.mean - b.mean) / Math.sqrt(a.error + b.error), known: a.mean, unknown: b.mean }
}

type Call = (calls: Api, email: string) => Promise<unknown>

const CALLS: Readonly<Record<string, Call>> = {
  login: (calls, email) => calls.login(email, "not the password of anybody"),
  signup: (calls, email) => calls.signup(email, "the password of a newcomer"),
  recovery: (calls, email) => calls.post("/auth/recover", { email }),
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

export const timing = async ({ samples, built, progress }: TimingOptions): Promise<ReadonlyArray<Verdict>> => {
  const gateway = await startGateway({ built, env: { SIGNUP: "confirm" } })
  const calls = api(gateway)
  progress(`${samples} users sign up`)
  const users = await inParallel(samples, async () => {
    const email = newEmail()
    await calls.signup(email)
    const token = await tokenTo(gateway.dataDir, email, "Confirm your e-mail address")
    await calls.post("/auth/verify", { type: "signup", token })
    return email
  })
  const verdicts: Array<Verdict> = []
  for (const [name, call] of Object.entries(CALLS)) {
    for (let warm = 0; warm < 20; warm++) await call(calls, newEmail())
    const known: Array<number> = []
    const unknown: Array<number> = []
    while (known.length < samples || unknown.length < samples) {
      const isKnown = unknown.length === samples || (known.length < samples && randomInt(2) === 0)
      const email = isKnown ? users[known.length]! : newEmail()
      const millis = await timed(() => call(calls, email))
      if (isKnown) known.push(millis)
      else unknown.push(millis)
      progress(`${name}: ${known.length} + ${unknown.length} of ${samples} each`)
    }
    const { t, ...means } = welch(known, unknown)
    verdicts.push({
      name,
      passed: Math.abs(t) < T_MAX,
      says: `Welch t ${t.toFixed(2)}, users ${means.known.toFixed(2)} ms, nobody ${means.unknown.toFixed(2)} ms`,
    })
  }
  await gateway.stop()
  return verdicts
}
