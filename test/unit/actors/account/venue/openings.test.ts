/** Sessions of one venue open a few at once, and what the vault asks the venue about keys that are not proven yet is part of that. */
import { describe, expect, it } from "vitest"
import type { Credential } from "../../../../../src/domain/account/credential.ts"
import type { CredentialId, TradingAccountId } from "../../../../../src/domain/ids.ts"
import { CREDENTIAL } from "../../../../kit/worlds/ready-world.ts"
import { accountId, simAccount } from "../../../../sim/accounts.ts"
import { World } from "../../../../sim/world.ts"

const AT_ONCE = 16
const IDS = Array.from({ length: AT_ONCE + 4 }, (_, index) => accountId(index + 1))
const OTHER: Credential = { ...CREDENTIAL, credentialId: "0eeeeeee-0000-4000-8000-000000000002" as CredentialId }

/** A process of more accounts than may open at once; `asked`: those whose keys the vault has looked at. */
const started = () => {
  const credentials = [CREDENTIAL, OTHER]
  const [, ...others] = IDS.map((tradingAccountId, index) =>
    simAccount({ tradingAccountId, externalTradingAccountId: `X${index}`, credentials }),
  )
  const world = new World({ account: { credentials }, others, venue: { needsCredentials: true } })
  const asked = new Set<TradingAccountId>()
  const signing = { by: CREDENTIAL.credentialId }
  world.usableOf = (id) => {
    asked.add(id)
    return signing.by
  }
  world.start()
  return { world, asked, signing }
}

const statuses = (world: World): ReadonlySet<string> => new Set(IDS.map((id) => world.status(id)))

describe("accounts that start together", () => {
  it("have their keys looked at a few at once, and all of them in the end", () => {
    const { world, asked } = started()
    expect(asked.size).toBe(AT_ONCE)
    world.advance(10_000)
    expect(asked.size).toBe(IDS.length)
    expect(statuses(world)).toEqual(new Set(["ACTIVE"]))
  })

  it("all open when the key of those that have their turn, and of those that wait, is withdrawn", () => {
    const { world, signing } = started()
    signing.by = OTHER.credentialId
    const { credentialId } = CREDENTIAL
    for (const id of IDS) world.ask((reply) => ({ _tag: "CredentialGone", credentialId, reply }), id)
    world.advance(20_000)
    expect(statuses(world)).toEqual(new Set(["ACTIVE"]))
  })
})
