/** The audit trail keeps what somebody did, not what anybody can make it write. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { makeAudit } from "../../../src/auth/audit-log.ts"
import { InvalidRefreshToken } from "../../../src/domain/errors/authentication.ts"
import type { SessionId, UserId } from "../../../src/domain/ids.ts"

it("a refresh that nobody proved is told to whoever watches, and writes no line", () => {
  const lines: Array<string> = []
  const observed: Array<string> = []
  const audit = makeAudit({
    line: (text) => lines.push(text),
    secret: () => Buffer.alloc(32),
    now: () => 0,
    observe: ({ action, outcome }) => observed.push(`${action} ${outcome}`),
  })
  const origin = { ip: "203.0.113.1", userAgent: null, requestId: "r" }
  const owner = { userId: "owner" as UserId, sessionId: "session" as SessionId }
  const refresh = (isProven: boolean) =>
    Effect.runSync(
      Effect.either(
        audit.act("token.refresh", origin, {}, (learn) =>
          Effect.suspend(() => {
            if (isProven) learn(owner)
            return new InvalidRefreshToken()
          }),
        ),
      ),
    )
  refresh(false)
  expect(observed).toEqual(["token.refresh InvalidRefreshToken"])
  expect(lines).toEqual([])
  refresh(true)
  expect(observed).toHaveLength(2)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ action: "token.refresh", userId: "owner" }])
})
