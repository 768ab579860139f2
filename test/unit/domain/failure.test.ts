/** What a refusal is made of: an error that can be told apart by its tag, and costs neither a stack nor a check of its fields. */
import { Effect, Exit } from "effect"
import { expect, it } from "vitest"
import { OrderRateLimited } from "../../../src/domain/errors/limits.ts"
import { InstrumentNotFound } from "../../../src/domain/errors/market.ts"
import { InternalDefect } from "../../../src/domain/errors/service.ts"

const STANDS = { limit: 100, windowSeconds: 1, burst: 200, remaining: 0, resetMs: 900, retryAfterSeconds: 1 }

it("is an error with its tag, its words and its figures", () => {
  const error = new OrderRateLimited({ bucket: "orderSubmitUser", ...STANDS })
  expect(error).toBeInstanceOf(Error)
  expect(error).toBeInstanceOf(OrderRateLimited)
  expect(error).toMatchObject({ _tag: "OrderRateLimited", message: "Order rate limit", bucket: "orderSubmitUser" })
  expect(error).toMatchObject(STANDS)
  expect(new InternalDefect().message).toBe("Internal error")
})

it("fails an effect, and is caught by its tag", () => {
  const failing: Effect.Effect<string, InstrumentNotFound> = Effect.fail(
    new InstrumentNotFound({ instrumentId: "A:B/C" }),
  )
  const caught = failing.pipe(Effect.catchTag("InstrumentNotFound", ({ instrumentId }) => Effect.succeed(instrumentId)))
  expect(Effect.runSyncExit(caught)).toEqual(Exit.succeed("A:B/C"))
})

it("has no frames, and leaves those of other errors alone", () => {
  const { stackTraceLimit } = Error
  expect(new InternalDefect().stack).not.toContain("\n    at ")
  expect(Error.stackTraceLimit).toBe(stackTraceLimit)
  expect(new Error("a defect").stack).toContain("\n    at ")
})
