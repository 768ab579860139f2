/** What each check of the health record makes of what was found. */
import { describe, expect, it } from "vitest"
import {
  clockCheck,
  databaseCheck,
  diskCheck,
  ledgerCheck,
  loopCheck,
  mailCheck,
  serviceCheck,
  upkeepCheck,
  venuesCheck,
  workersCheck,
  worst,
  writerCheck,
} from "../../../src/http/root/health-checks.ts"
import type { LoopState } from "../../../src/kernel/loop.ts"
import type { LedgerHealth } from "../../../src/ports/ledger-port.ts"
import type { DatabaseFacts } from "../../../src/store/postgres/database-watch.ts"

const facts = (patch: Partial<DatabaseFacts> = {}): DatabaseFacts => ({
  skewMillis: 0,
  skewErrorMillis: 1,
  isDurable: true,
  isCurrent: true,
  mails: { waiting: 0, oldestAt: null, attempts: 0 },
  ...patch,
})
const audited = (patch: Partial<LedgerHealth> = {}): LedgerHealth => ({
  violations: [],
  auditedAt: 1,
  wholeAt: 1,
  isFailing: false,
  ageMillis: 1,
  isOld: false,
  wholeAgeMillis: 1,
  isWholeOld: false,
  unauditedMillis: 1,
  wholePass: null,
  failures: 0,
  tookMillis: 1,
  pressure: "calm",
  ...patch,
})
const loop = (patch: Partial<LoopState> = {}): LoopState => ({
  name: "ledger audit",
  rounds: 1,
  failures: 0,
  failed: 0,
  failingSince: null,
  sinceSuccessMillis: 0,
  lateSince: null,
  ...patch,
})
const HOUR = 3_600_000
const MEGABYTE = 1_048_576
const shard = { shard: "one", state: "up", heapUsedBytes: 10, heapMaxBytes: 100 } as const

describe("the health record", () => {
  it.each([
    ["serves", serviceCheck(true), "healthy"],
    ["starts, or ends", serviceCheck(false), "unhealthy"],
    ["has its database", databaseCheck(facts(), true), "healthy"],
    ["has no answer of its database", databaseCheck(null, true), "unhealthy"],
    ["would lose orders", databaseCheck(facts({ isDurable: false }), true), "unhealthy"],
    ["does not hold its database any more", databaseCheck(facts(), false), "unhealthy"],
    ["has another schema", databaseCheck(facts({ isCurrent: false }), true), "unhealthy"],
    ["agrees about the time", clockCheck(facts({ skewMillis: -1_001, skewErrorMillis: 1 })), "healthy"],
    ["is ahead", clockCheck(facts({ skewMillis: -1_100, skewErrorMillis: 1 })), "degraded"],
    ["is behind", clockCheck(facts({ skewMillis: HOUR })), "degraded"],
    ["cannot compare the time", clockCheck(null), "degraded"],
    ["has mails that are young", mailCheck(facts({ mails: { waiting: 9, oldestAt: 0, attempts: 1 } }), 1), "healthy"],
    ["has an old mail", mailCheck(facts({ mails: { waiting: 1, oldestAt: 0, attempts: 1 } }), HOUR), "degraded"],
    ["cannot be rid of a mail", mailCheck(facts({ mails: { waiting: 1, oldestAt: 0, attempts: 5 } }), 1), "degraded"],
    ["turns", loopCheck(20), "healthy"],
    ["stalls", loopCheck(250), "degraded"],
    ["stores", writerCheck(900, "calm"), "healthy"],
    ["stores late", writerCheck(1_500, "full"), "degraded"],
    ["stores nothing", writerCheck(2_001, "full"), "unhealthy"],
    ["balances", ledgerCheck(audited()), "healthy"],
    ["does not balance", ledgerCheck(audited({ violations: ["I1"] })), "degraded"],
    ["was never audited", ledgerCheck(audited({ auditedAt: null })), "degraded"],
    ["was audited long ago", ledgerCheck(audited({ isOld: true })), "degraded"],
    ["cannot be audited", ledgerCheck(audited({ isFailing: true })), "degraded"],
    ["could never be audited", ledgerCheck(audited({ auditedAt: null, isFailing: true })), "degraded"],
    ["was audited whole long ago", ledgerCheck(audited({ isWholeOld: true })), "degraded"],
    ["was never audited whole", ledgerCheck(audited({ wholeAgeMillis: null, isWholeOld: true })), "degraded"],
    ["goes round", upkeepCheck([loop()]), "healthy"],
    ["failed twice", upkeepCheck([loop({ failures: 9, failed: 2, failingSince: 1 })]), "healthy"],
    ["fails again and again", upkeepCheck([loop({ failures: 3, failed: 3, failingSince: 1 })]), "degraded"],
    ["is not done", upkeepCheck([loop({ lateSince: 1 })]), "degraded"],
    ["books late", ledgerCheck(audited({ pressure: "full" })), "degraded"],
    [
      "reaches its venues",
      venuesCheck([
        { venue: "A", status: "up" },
        { venue: "B", status: "idle" },
      ] as never),
      "healthy",
    ],
    ["lacks a venue", venuesCheck([{ venue: "A", status: "down" }] as never), "degraded"],
    ["has its threads", workersCheck([shard]), "healthy"],
    ["lacks a thread", workersCheck([{ ...shard, state: "down" }]), "degraded"],
    ["has a full thread", workersCheck([{ ...shard, heapUsedBytes: 96 }]), "degraded"],
    ["has room", diskCheck(512 * MEGABYTE, 512), "healthy"],
    ["has little room", diskCheck(511 * MEGABYTE, 512), "degraded"],
    ["has no room", diskCheck(63 * MEGABYTE, 512), "unhealthy"],
    ["cannot read its folder", diskCheck(null, 512), "unhealthy"],
  ])("of a service that %s", (_name, { status, reason }, expected) => {
    expect({ status, isExplained: reason !== null }).toEqual({ status: expected, isExplained: expected !== "healthy" })
  })

  it.each([
    ["of the first pass", { wholeAgeMillis: null, isWholeOld: true }, "only new entries were audited"],
    [
      "of the first pass, and how far it is",
      {
        wholeAgeMillis: null,
        isWholeOld: true,
        wholePass: { left: 70, of: 90, endsInMillis: 12 * HOUR, isLate: false },
      },
      "only new entries were audited; of the whole journal 70 of 90 rows left, 12 h at this pace",
    ],
    [
      "before its pace is known",
      { wholeAgeMillis: null, isWholeOld: true, wholePass: { left: 70, of: 90, endsInMillis: null, isLate: false } },
      "only new entries were audited; of the whole journal 70 of 90 rows left",
    ],
    [
      "of one that is late",
      { wholeAgeMillis: 30 * HOUR, wholePass: { left: 70, of: 90, endsInMillis: HOUR, isLate: true } },
      "its audit is falling behind: audited whole 30 h ago; of the whole journal 70 of 90 rows left, 60 min at this pace",
    ],
    ["of one in time", { wholePass: { left: 70, of: 90, endsInMillis: HOUR, isLate: false } }, null],
  ])("says what of the ledger was audited and what not: %s", (_name, patch, reason) => {
    expect(ledgerCheck(audited(patch)).reason).toBe(reason)
  })

  it("is as bad as its worst check", () => {
    const [good, bad, dead] = [loopCheck(1), loopCheck(300), databaseCheck(null, true)]
    expect([worst({ good }), worst({ good, bad }), worst({ dead, good, bad })]).toEqual([
      "healthy",
      "degraded",
      "unhealthy",
    ])
  })
})
