/** How long a client's request waits for the database, and what becomes of a statement that it no longer waits for. */
import { SqlError } from "@effect/sql/SqlError"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { StorageUnavailable } from "../../../src/domain/errors/service.ts"
import { orUnavailable, Patience } from "../../../src/store/postgres/storage-failure.ts"

const away = Exit.fail(new StorageUnavailable())
const patient =
  (millis: number) =>
  <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.provideService(effect, Patience, millis)

describe("a request that asks the database", () => {
  it("gets what the statement answers, at once or later", async () => {
    expect(await Effect.runPromise(patient(60_000)(orUnavailable(Effect.succeed(7))))).toBe(7)
    expect(await Effect.runPromise(patient(60_000)(orUnavailable(Effect.as(Effect.yieldNow(), 8))))).toBe(8)
  })

  it("is told that the database is away, by the server's word or by its silence", async () => {
    const refused = orUnavailable(Effect.fail(new SqlError({ cause: { code: "57P01" } })))
    expect(await Effect.runPromiseExit(patient(60_000)(refused))).toEqual(away)
    expect(await Effect.runPromiseExit(patient(5)(orUnavailable(Effect.never)))).toEqual(away)
  })

  it("hears of a defect as a defect", async () => {
    const exit = await Effect.runPromiseExit(patient(60_000)(orUnavailable(Effect.die("ours"))))
    expect(exit).toEqual(Exit.die("ours"))
  })

  it("gives up the wait and not the statement, which ends by itself", async () => {
    const [answers, stored] = [Deferred.unsafeMake<void>(Fiber.id(Effect.runFork(Effect.void))), [] as Array<string>]
    const statement = Deferred.await(answers).pipe(Effect.zipRight(Effect.sync(() => stored.push("stored"))))
    expect(await Effect.runPromiseExit(patient(5)(orUnavailable(statement)))).toEqual(away)
    expect(stored).toEqual([])
    await Effect.runPromise(Deferred.succeed(answers, undefined))
    await expect.poll(() => stored).toEqual(["stored"])
  })

  it("leaves the statement at work when it is itself interrupted", async () => {
    const [answers, stored] = [Deferred.unsafeMake<void>(Fiber.id(Effect.runFork(Effect.void))), [] as Array<string>]
    const statement = Deferred.await(answers).pipe(Effect.zipRight(Effect.sync(() => stored.push("stored"))))
    const request = Effect.runFork(patient(60_000)(orUnavailable(statement)))
    await Effect.runPromise(Effect.yieldNow())
    await Effect.runPromise(Fiber.interrupt(request))
    await Effect.runPromise(Deferred.succeed(answers, undefined))
    await expect.poll(() => stored).toEqual(["stored"])
  })
})
