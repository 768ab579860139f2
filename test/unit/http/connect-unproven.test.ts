/** Connecting at a venue whose orders are not proven, without the opt-in: nothing new, and a new key for what is connected. */
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { AccountDirectory } from "../../../src/actors/account/directory.ts"
import type { Credential } from "../../../src/domain/account/credential.ts"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { CredentialId, VenueId } from "../../../src/domain/ids.ts"
import type { Actor } from "../../../src/domain/user/act.ts"
import { type ConnectParts, type ConnectRequest, makeConnect } from "../../../src/http/trading-account/connect.ts"
import { venueOf } from "../../../src/venues/adapters/registry.ts"
import { principal } from "../../kit/servers/http-server.ts"
import { CREDENTIAL } from "../../kit/worlds/ready-world.ts"
import { unproven } from "../../kit/worlds/unproven-venue.ts"
import { simAccount } from "../../sim/accounts.ts"

const ELSEWHERE = "ELSEWHERE" as VenueId
const profile = unproven(ELSEWHERE, "deribit")
const FRESH: Credential = {
  ...CREDENTIAL,
  credentialId: "0eeeeeee-0000-4000-8000-000000000009" as CredentialId,
  venue: ELSEWHERE,
}
const ada = principal()

/** Its key opens the account `externalId`; `held`: what is connected already. */
const connecting = (
  externalId: string,
  held: ReadonlyArray<Partial<TradingAccount>>,
  optIns: ReadonlyArray<string> = [],
) => {
  const accounts = Effect.runSync(AccountDirectory.pipe(Effect.provide(AccountDirectory.Default)))
  for (const each of held) accounts.put({ ...simAccount(), userId: ada.userId, venue: ELSEWHERE, ...each })
  const asked: Array<string> = []
  const parts = {
    accounts,
    venues: {
      find: () => undefined,
      verify: () =>
        Effect.sync(() => {
          asked.push("verify")
          return { externalAccountId: externalId }
        }),
    },
    keeper: { open: () => Effect.succeed([{ credential: FRESH, secrets: { apiKey: "k", apiSecret: "s" } }]) },
    store: {
      prove: () => Effect.void,
      insertAccount: (account: TradingAccount) =>
        Effect.sync(() => {
          asked.push("insert")
          return account
        }),
    },
    acts: { commit: (_: unknown, run: () => Effect.Effect<unknown>) => run() },
    tradingAccounts: {
      start: (account: TradingAccount) => Effect.succeed(account),
      post: (
        id: string,
        { attach, reply }: { attach: ReadonlyArray<Credential>; reply: { ok: (it: unknown) => void } },
      ) => {
        asked.push(`attach ${attach.length}`)
        reply.ok(accounts.find(id as TradingAccount["tradingAccountId"]))
      },
    },
    sync: { ensure: () => Effect.void },
    now: () => 0,
    uuid: () => "0fffffff-0000-4000-8000-000000000001",
    initialBalances: {},
    venueSessionsMax: 10,
    accountsMax: 10,
    internalAccountsMax: 10,
    walletsMax: 10,
  } as unknown as ConnectParts
  const request: ConnectRequest = {
    principal: ada,
    actor: {} as Actor,
    venue: venueOf(profile, [], optIns),
    credentialIds: [FRESH.credentialId],
    externalTradingAccountId: null,
    dealerAccountId: null,
    nickname: null,
    claim: undefined,
  }
  const run = async () => {
    const exit = await Effect.runPromiseExit(makeConnect(parts)(request))
    return Exit.isSuccess(exit) ? exit.value.externalTradingAccountId : exit.cause.toString()
  }
  return { asked, run }
}

describe("connecting where orders are not proven", () => {
  it("is refused before the venue is asked anything", async () => {
    const { asked, run } = connecting("first", [])
    expect(await run()).toMatch(/Orders at ELSEWHERE are experimental/)
    expect(asked).toEqual([])
  })

  it("gives an account that is connected its new key, and connects no other one that the key opens", async () => {
    const known = connecting("first", [{ externalTradingAccountId: "first" }])
    expect(await known.run()).toBe("first")
    expect(known.asked).toEqual(["verify", "attach 1"])
    const other = connecting("second", [{ externalTradingAccountId: "first" }])
    expect(await other.run()).toMatch(/Orders at ELSEWHERE are experimental/)
    expect(other.asked).toEqual(["verify"])
    const gone = connecting("first", [{ externalTradingAccountId: "first", status: "DISCONNECTED" }])
    expect(await gone.run()).toMatch(/Orders at ELSEWHERE are experimental/)
  })

  it("is as anywhere with the opt-in", async () => {
    const { asked, run } = connecting("first", [], ["ELSEWHERE"])
    expect(await run()).toBe("first")
    expect(asked).toEqual(["verify", "insert"])
  })
})
