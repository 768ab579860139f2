/** What the demo's parts share: numbered steps, a user of one gateway, and waiting for expected results. */
import { Gateway } from "../clients/typescript/src/index.ts"

export const PASSWORD = "correct horse battery staple"

export interface Stage {
  /** Of the gateway. */
  readonly url: string
  /** Done; the next one begins after the pause. */
  readonly step: (title: string, seen: string) => Promise<void>
  readonly say: (text: string) => void
  readonly expect: (what: string, actual: unknown, wanted: unknown) => void
  /** At most 30 s. */
  readonly until: (what: string, seen: () => boolean | Promise<boolean>) => Promise<void>
}

const WAIT_MILLIS = 30_000
const LOOK_MILLIS = 100

const pause = (millis: number) => new Promise((done) => setTimeout(done, millis))

/** `steps`: how many there will be; `pauseMillis` after each, for eyes that follow. */
export const openStage = (url: string, steps: () => number, pauseMillis: number): Stage => {
  let done = 0
  const say = (text: string): void => {
    for (const line of text.split("\n")) console.log(`      ${line}`)
  }
  return {
    url,
    say,
    step: async (title, seen) => {
      done++
      const all = steps()
      console.log(`[${"#".repeat(done).padEnd(all, ".")}] ${String(done).padStart(2)}/${all} ${title}`)
      say(seen)
      await pause(pauseMillis)
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

/** A user who signs up, as those of the walks do. */
export const signUp = async (url: string, email: string, setupToken?: string) => {
  const person = { email, password: PASSWORD, ...(setupToken === undefined ? {} : { setupToken }) }
  const session = await new Gateway({ url }).post("auth/signup", person)
  // With SIGNUP=confirm the answer is the user, and the session comes with the mailed token.
  if (!("accessToken" in session))
    throw new Error(
      `${url} wants addresses confirmed by mail (SIGNUP=confirm), and this is nobody's: start a gateway with SIGNUP=open for the demo, or run it without an address, against one of its own`,
    )
  return session
}
