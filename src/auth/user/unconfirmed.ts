/** Removes users who never verified their address, so that a sign-up cannot block an address for ever. */
import { Effect } from "effect"
import { keepLoop } from "../../kernel/loop.ts"
import { Clock } from "../../ports/clock.ts"
import { Users } from "../../store/users/users.ts"

/** Looks now and every hour until the scope ends. `afterMillis` null: they stay. */
export const forgetUnconfirmed = (afterMillis: number | null) =>
  Effect.gen(function* () {
    if (afterMillis === null) return
    const { now } = yield* Clock
    const users = yield* Users
    const forget = Effect.suspend(() => users.forgetUnconfirmed(now() - afterMillis, now()))
    yield* keepLoop({ name: "unconfirmed users", pause: "1 hour", round: forget })
  })
