/**
 * Acts on one wallet at the same time end as they would one after the other, in some order: money, holds, freezes, closes, rights and
 * sessions against each other. Each rule that sees to it, taken out of the database, is found.
 */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { type ActName, openRaces, type Race, type Races, race } from "../../kit/worlds/act-races.ts"

const database = withTestDatabase()
let races: Races

beforeAll(async () => {
  races = await openRaces(database().url)
})
afterAll(() => races.close())

const of = (one: ReadonlyArray<ActName>, other: ReadonlyArray<ActName>, more: Partial<Race> = {}): Race => ({
  frozen: false,
  held: false,
  clients: [one, other],
  gate: "none",
  ...more,
})

/** A rule of a stored function, what stands there without it, and the race that sees it. */
const RULES: ReadonlyArray<readonly [rule: string, fn: string, there: RegExp, without: string, seen: Race]> = [
  [
    "a frozen wallet pays nothing on its owner's word",
    "ledger_apply(jsonb)",
    /b_frozen\[d\] AND/,
    "false AND",
    of(["close"], ["transferAll"], { frozen: true, gate: "balance" }),
  ],
  [
    "a right is locked until the move is through",
    "authority_of(jsonb)",
    /FOR SHARE;/g,
    ";",
    of(["withdraw"], ["demote", "read"], { gate: "audit" }),
  ],
  [
    "a close waits for moves that are under way",
    "wallet_set_status(uuid, text, bigint, jsonb)",
    /PERFORM 1 FROM wallet_balance[^;]*;/,
    "",
    of(["hold"], ["close"], { gate: "audit" }),
  ],
]

describe("acts at the same time", () => {
  it("end as some serial order of them ends", async () => {
    await fc.assert(
      fc.asyncProperty(race, async (one) => {
        expect(await races.run(one)).toBeNull()
      }),
      { numRuns: 40 },
    )
    expect(await races.rig.violations()).toEqual([])
    expect(races.rig.defects).toEqual([])
  })

  it.each(RULES)("are found where this is taken out: %s", async (_, fn, there, without, seen) => {
    expect(await races.run(seen, Number.POSITIVE_INFINITY)).toBeNull()
    const { rows } = await races.rig.client.query("SELECT pg_get_functiondef($1::regprocedure) AS text", [fn])
    const text: string = rows[0].text
    const changed = text.replace(there, without)
    expect(changed).not.toBe(text)
    await races.rig.client.query(changed)
    try {
      expect(await races.run(seen, Number.POSITIVE_INFINITY)).toMatch(/serial orders give/)
    } finally {
      await races.rig.client.query(text)
    }
  })
})
