/**
 * Random requests against the ledger and its model: every outcome and, at the end, every balance is the same. The one thing to know:
 * commands between two `sync`s are handed over at once, so that the ledger meets them in batches.
 */
import { randomUUID } from "node:crypto"
import fc from "fast-check"
import { Decimal } from "../../../src/domain/decimal.ts"
import { nameUuid } from "../../../src/domain/ids.ts"
import type { WalletId } from "../../../src/domain/wallet/wallet.ts"
import type { LedgerRequest, Transfer } from "../../../src/ports/ledger-port.ts"
import { LedgerModel, type ModelRequest, type ModelTransfer, type Status } from "./ledger-model.ts"
import { type LedgerRig, wordOf } from "./ledger-rig.ts"

/** Wallets by number: the first may go below zero, the last does not exist. */
const WALLETS = 5
const GHOST = WALLETS
const ASSETS = ["USDT", "BTC"]
const SCALE = 18
const FUNDS = 100n * 10n ** 18n

interface Leg {
  readonly kind: ModelTransfer["kind"]
  readonly from: number
  readonly to: number
  readonly asset: number
  /** In units of 10^-18; of a post in percent of nothing in particular. */
  readonly amount: bigint
  readonly whole: boolean
  /** Of the holds that were asked for so far, counted from the newest. */
  readonly hold: number
  readonly lastsMillis: number | null
  /** The id of an earlier transfer, counted from the newest; null: its own. */
  readonly idOf: number | null
}

export type Command =
  | { readonly tag: "request"; readonly legs: ReadonlyArray<Leg>; readonly asAdmin: boolean }
  | { readonly tag: "repeat"; readonly back: number; readonly other: boolean }
  | { readonly tag: "status"; readonly wallet: number; readonly statuses: ReadonlyArray<Status> }
  | { readonly tag: "wait"; readonly millis: number }
  | { readonly tag: "sync" }

const amount = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(1n, 50n).map((n) => n * 10n ** 18n) },
  { weight: 2, arbitrary: fc.bigInt(1n, 10n ** 20n) },
  { weight: 1, arbitrary: fc.constant(1n) },
)

const leg: fc.Arbitrary<Leg> = fc.record({
  kind: fc.constantFrom("single", "single", "pending", "pending", "post", "void"),
  from: fc.oneof({ weight: 30, arbitrary: fc.nat(WALLETS - 1) }, { weight: 1, arbitrary: fc.constant(GHOST) }),
  to: fc.nat(WALLETS - 1),
  asset: fc.nat(ASSETS.length - 1),
  amount,
  whole: fc.boolean(),
  hold: fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(12) }),
  lastsMillis: fc.option(fc.constantFrom(1, 5, 20, 100)),
  idOf: fc.oneof({ weight: 25, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(5) }),
})

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      tag: fc.constant("request" as const),
      legs: fc.array(leg, { minLength: 1, maxLength: 4 }),
      asAdmin: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ tag: fc.constant("repeat" as const), back: fc.nat(10), other: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      tag: fc.constant("status" as const),
      wallet: fc.nat(WALLETS - 1),
      statuses: fc.oneof(
        { weight: 5, arbitrary: fc.constant(["ACTIVE"] as const) },
        {
          weight: 3,
          arbitrary: fc.constantFrom(["FROZEN"] as const, ["CLOSED"] as const, ["FROZEN", "CLOSED"] as const),
        },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ tag: fc.constant("wait" as const), millis: fc.constantFrom(1, 5, 20) }) },
  { weight: 3, arbitrary: fc.constant({ tag: "sync" as const }) },
)

export const commands = (length: number): fc.Arbitrary<ReadonlyArray<Command>> =>
  fc.array(command, { minLength: length, maxLength: length, size: "max" })

const written = (t: ModelTransfer): Transfer => {
  const common = { transferId: t.id, reference: null }
  const value = t.amount === null ? null : Decimal.fromUnits(t.amount, SCALE)
  return t.kind === "single" || t.kind === "pending"
    ? {
        ...common,
        kind: t.kind,
        pendingId: null,
        debitWalletId: t.from as WalletId,
        creditWalletId: t.to as WalletId,
        asset: t.asset,
        amount: value!,
        code: "TRANSFER",
        expiresAt: t.expiresAt,
      }
    : { ...common, kind: t.kind, pendingId: t.hold!, amount: t.kind === "void" ? null : value, code: "TRADE" }
}

/** Plays them on fresh wallets; throws at the first difference. `rig.clock` goes on, it never goes back. */
export const play = async (rig: LedgerRig, all: ReadonlyArray<Command>): Promise<void> => {
  const wallets: Array<string> = [await rig.wallet("ACCOUNTING")]
  while (wallets.length < WALLETS) wallets.push(await rig.wallet())
  const model = new LedgerModel(new Map(wallets.map((it) => [it, "ACTIVE"])), new Set([wallets[0]!]))
  wallets.push(randomUUID())
  const asked: Array<ModelRequest> = []
  const holds: Array<string> = []
  const ids: Array<string> = []
  const open: Array<Promise<readonly [number, string, string]>> = []

  const compare = async (): Promise<void> => {
    for (const [at, expected, found] of await Promise.all(open.splice(0)))
      if (expected !== found) throw new Error(`command ${at}: the model says ${expected}, the ledger ${found}`)
  }

  const give = (at: number, request: ModelRequest): void => {
    const expected = model.request(request, rig.clock.now)
    open.push(
      new Promise((done) => {
        const settled: LedgerRequest["settled"] = (outcome) => done([at, expected, wordOf(outcome)])
        const authority = request.asAdmin ? rig.by("ADMIN") : undefined
        const transfers = request.transfers.map(written)
        rig.writer.post({ requestId: request.id, transfers, facts: [], authority, settled })
      }),
    )
  }

  const transferOf = (it: Leg, taken: ReadonlySet<string>): ModelTransfer => {
    const earlier = it.idOf === null ? undefined : ids.at(-1 - it.idOf)
    const id = earlier === undefined || taken.has(earlier) ? randomUUID() : earlier
    const ends = it.kind === "post" || it.kind === "void"
    // Between a wallet and itself nothing moves: the ledger would not write that down.
    const to = it.to === it.from ? (it.to + 1) % WALLETS : it.to
    return {
      id,
      kind: it.kind,
      hold: ends ? (holds.at(-1 - it.hold) ?? nameUuid("no hold")) : null,
      from: wallets[it.from]!,
      to: wallets[to]!,
      asset: ASSETS[it.asset]!,
      amount: it.kind === "void" || (ends && it.whole) ? null : it.amount,
      expiresAt: it.kind === "pending" && it.lastsMillis !== null ? rig.clock.now + it.lastsMillis : null,
    }
  }

  for (const wallet of wallets.slice(1, WALLETS))
    for (const asset of ASSETS) {
      const id = randomUUID()
      const deposit = {
        id,
        kind: "single",
        hold: null,
        from: wallets[0]!,
        to: wallet,
        asset,
        amount: FUNDS,
        expiresAt: null,
      } as const
      give(-1, { id, transfers: [deposit], asAdmin: false })
    }
  for (const [at, each] of all.entries()) {
    switch (each.tag) {
      case "request": {
        const taken = new Set<string>()
        const transfers: Array<ModelTransfer> = []
        for (const it of each.legs) {
          const transfer = transferOf(it, taken)
          taken.add(transfer.id)
          ids.push(transfer.id)
          if (transfer.kind === "pending") holds.push(transfer.id)
          transfers.push(transfer)
        }
        // Ends of holds are the gateway's own.
        const asAdmin = each.asAdmin && transfers.every(({ hold }) => hold === null)
        const request = { id: randomUUID(), transfers, asAdmin }
        asked.push(request)
        give(at, request)
        break
      }
      case "repeat": {
        const first = asked.at(-1 - each.back)
        if (first === undefined) break
        const [head, ...rest] = first.transfers
        const changed = { ...head!, amount: (head!.amount ?? 7n) + 1n }
        give(at, each.other ? { ...first, transfers: [changed, ...rest] } : first)
        break
      }
      case "status": {
        await compare()
        const wallet = wallets[each.wallet]!
        for (const status of each.statuses) {
          const expected = model.setStatus(wallet, status)
          const found = await rig.setStatus(wallet as WalletId, status)
          if (expected !== found) throw new Error(`command ${at}: the model says ${expected}, the ledger ${found}`)
        }
        break
      }
      case "wait":
        await compare()
        rig.clock.now += each.millis
        break
      case "sync":
        await compare()
        break
    }
  }
  await compare()
  const { rows } = await rig.client.query<{ it: string }>(
    `SELECT wallet_id || ' ' || asset || ' ' || trunc((credits_posted - debits_posted) * 1e18) || ' ' || trunc(debits_pending * 1e18) AS it
     FROM wallet_balance WHERE wallet_id = ANY ($1) AND (credits_posted <> debits_posted OR debits_pending > 0)`,
    [wallets],
  )
  const found = rows.map(({ it }) => it).sort()
  const expected = model.balances()
  if (found.join("\n") !== expected.join("\n"))
    throw new Error(`balances: the model says\n${expected.join("\n")}\nthe ledger\n${found.join("\n")}`)
}
