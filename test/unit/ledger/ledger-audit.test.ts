/** What the audit of the ledger makes of its looks: the time of the next step, and what health says of the pass over the whole journal. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { makeLedgerAudit, STEP_MILLIS, STEP_MOST_MILLIS } from "../../../src/ledger/ledger-audit.ts"
import type { AuditLook } from "../../../src/store/ledger/audit-run.ts"

const HOUR = 3_600_000

it("gives a pass the time that it needs, says how far it is and when it ends, and that it is late before it is too old", async () => {
  const steps: Array<number> = []
  let found: Pick<AuditLook, "wholeAt" | "whole"> = { wholeAt: null, whole: null }
  let left = 0
  const audit = makeLedgerAudit({
    url: "",
    now: () => 30 * HOUR,
    notice: () => undefined,
    pauseMillis: 30_000,
    maxAgeMillis: HOUR,
    wholeMaxAgeMillis: 48 * HOUR,
    look: async ({ stepMillis }) => {
      steps.push(stepMillis!(left, found.wholeAt))
      return { violations: [], transfers: 0, since: 29 * HOUR, ...found }
    },
  })
  const look = async (wholeAt: number | null, rows: number | null) => {
    left = rows ?? 0
    found = { wholeAt, whole: rows === null ? null : { left: rows, of: 1e9, rows: 20_000, millis: 5_000 } }
    await Effect.runPromise(audit.look)
    const { wholePass, isWholeOld } = audit.health()
    return { wholePass, isWholeOld }
  }
  expect(audit.health().wholePass).toBe(null)
  const first = await look(null, 4_000_000)
  expect(first).toMatchObject({ wholePass: { left: 4_000_000, of: 1e9, isLate: false }, isWholeOld: true })
  // 1,000 s of work, by half of all time.
  expect(first.wholePass!.endsInMillis! / 1000).toBeCloseTo(2_000, -1)
  expect((await look(6 * HOUR, 4_000_000)).wholePass).toMatchObject({ isLate: false })
  expect(await look(6 * HOUR, 100_000_000)).toMatchObject({ wholePass: { isLate: false }, isWholeOld: false })
  expect(await look(6 * HOUR, 900_000_000)).toMatchObject({ wholePass: { isLate: true }, isWholeOld: false })
  expect(await look(30 * HOUR, null)).toEqual({ wholePass: null, isWholeOld: false })
  // Before a rate is known, then as long as the last pass is young, then as a long journal needs it.
  expect(steps.slice(0, 2)).toEqual([STEP_MILLIS, STEP_MILLIS])
  expect(steps[2]).toBeGreaterThan(2 * STEP_MILLIS)
  expect(steps[3]).toBeCloseTo(30_000, -2)
})

it("says how long a first pass is waited for, that it comes too late, and looks sooner while it goes through a long journal", async () => {
  let clock = 30 * HOUR
  const steps: Array<number> = []
  const audit = makeLedgerAudit({
    url: "",
    now: () => clock,
    notice: () => undefined,
    pauseMillis: HOUR,
    maxAgeMillis: 2 * HOUR,
    wholeMaxAgeMillis: 48 * HOUR,
    look: async ({ stepMillis }) => {
      steps.push(stepMillis!(100e6, null))
      const whole = { left: 100e6, of: 1e9, rows: 20_000, millis: 5_000 }
      return { violations: [], transfers: 0, wholeAt: null, since: 10 * HOUR, whole }
    },
  })
  expect([audit.health().unauditedMillis, audit.pauseMillis()]).toEqual([null, 0])
  for (let looks = 0; looks < 2; looks++) await Effect.runPromise(audit.look)
  expect(steps).toEqual([STEP_MILLIS, STEP_MOST_MILLIS])
  // As long as the step, and not an hour: half of the time is its.
  expect(audit.pauseMillis() / STEP_MOST_MILLIS).toBeCloseTo(1, 1)
  // 25,000 s of work by half of all time, so 14 h.
  expect(audit.health()).toMatchObject({ unauditedMillis: 20 * HOUR, wholePass: { isLate: false } })
  clock += 15 * HOUR
  expect(audit.health()).toMatchObject({ unauditedMillis: 35 * HOUR, isWholeOld: true, wholePass: { isLate: true } })
})

it("tells the same trouble once, and again when it comes back", async () => {
  const told: Array<unknown> = []
  let fate: string | null = null
  const audit = makeLedgerAudit({
    url: "",
    now: () => 0,
    notice: (_what, fields) => told.push(fields?.["error"]),
    pauseMillis: 1,
    maxAgeMillis: HOUR,
    wholeMaxAgeMillis: HOUR,
    look: async () => {
      if (fate !== null) throw new Error(fate)
      return { violations: [], transfers: 0, wholeAt: 0, since: 0, whole: null }
    },
  })
  for (fate of ["away", "away", "full", null, "full"]) await Effect.runPromiseExit(audit.look)
  expect(told).toEqual(["Error: away", "Error: full", "Error: full"])
  expect(audit.health()).toMatchObject({ isFailing: true, failures: 4 })
})
