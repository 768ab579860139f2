/** What the demo's walks share: calls of one gateway as somebody, numbered steps, and waiting for what must come. */

export type Json = Record<string, unknown>

export type Call = (
  method: "GET" | "POST",
  path: string,
  body?: Json,
) => Promise<{ readonly data: Json; readonly replayed: boolean }>

export interface Stage {
  /** As whoever signed up first; before that as nobody. */
  readonly call: Call
  /** As the owner of another token. */
  readonly as: (token: string) => Call
  readonly signIn: (token: string) => void
  readonly step: (title: string, seen: string) => void
  readonly expect: (what: string, actual: unknown, wanted: unknown) => void
  /** At most 30 s. */
  readonly until: (what: string, seen: () => boolean | Promise<boolean>) => Promise<void>
}

const WAIT_MILLIS = 30_000
const LOOK_MILLIS = 100

const pause = (millis: number) => new Promise((done) => setTimeout(done, millis))

/** `steps`: how many there will be. */
export const openStage = (base: string, steps: () => number): Stage => {
  let accessToken = ""
  let done = 0

  const callAs =
    (token: () => string): Call =>
    async (method, path, body) => {
      const response = await fetch(`${base}/api/v3${path}`, {
        method,
        headers: {
          "Content-Type": "application/json",
          ...(token() === "" ? {} : { Authorization: `Bearer ${token()}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const envelope = (await response.json()) as {
        success: boolean
        errno: number
        error: string | null
        data: Json
      }
      if (!envelope.success)
        throw new Error(`${method} ${path}: HTTP ${response.status}, errno ${envelope.errno}, ${envelope.error}`)
      return { data: envelope.data, replayed: response.headers.get("Idempotency-Replayed") === "true" }
    }

  return {
    call: callAs(() => accessToken),
    as: (token) => callAs(() => token),
    signIn: (token) => {
      accessToken = token
    },
    step: (title, seen) => {
      done++
      const all = steps()
      console.log(`[${"#".repeat(done).padEnd(all, ".")}] ${String(done).padStart(2)}/${all} ${title}`)
      for (const line of seen.split("\n")) console.log(`      ${line}`)
    },
    expect: (what, actual, wanted) => {
      if (actual !== wanted) throw new Error(`${what}: ${String(actual)} instead of ${String(wanted)}`)
    },
    until: async (what, seen) => {
      for (const deadlineAt = Date.now() + WAIT_MILLIS; Date.now() < deadlineAt; await pause(LOOK_MILLIS))
        if (await seen()) return
      throw new Error(`waited ${WAIT_MILLIS / 1000} s for ${what}`)
    },
  }
}
