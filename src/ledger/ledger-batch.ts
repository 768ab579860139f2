/** A batch of requests as ledger_apply reads it, and its answer as outcomes. Frozen when it is sent: sent again it is the same text. */
import { createHash } from "node:crypto"
import type { WalletBalance } from "../domain/wallet/wallet.ts"
import type { LedgerOutcome, LedgerRequest, Transfer } from "../ports/ledger-port.ts"
import { actRow } from "../store/audit/write.ts"
import { balanceOf } from "../store/ledger/wallets.ts"
import { authorityRow } from "../store/users/authority.ts"
import { failureOf } from "./ledger-failures.ts"

/** A request and the server's clock when it was handed over: what decides whether a hold is over. */
export interface Accepted {
  readonly request: LedgerRequest
  readonly at: number
}

export interface Fence {
  readonly nodeId: string
  readonly epoch: number
}

/** Without instants: a repeat may have been made later. */
const contentOf = (t: Transfer): ReadonlyArray<string | null> => [
  t.kind,
  t.transferId,
  t.pendingId,
  "asset" in t ? t.debitWalletId : null,
  "asset" in t ? t.creditWalletId : null,
  "asset" in t ? t.asset : null,
  t.amount === null ? null : t.amount.toString(),
  t.code,
  t.reference,
]

/** 128 bits of SHA-256, as a uuid is written. */
const fingerprintOf = (contents: ReadonlyArray<ReadonlyArray<string | null>>): string =>
  createHash("sha256").update(JSON.stringify(contents)).digest("hex").slice(0, 32)

/** The argument of ledger_apply, in JSON. */
export const batchText = (batchId: string, fence: Fence, batch: ReadonlyArray<Accepted>): string => {
  const requests: Array<ReadonlyArray<unknown>> = []
  const transfers: Array<ReadonlyArray<unknown>> = []
  const guards: Array<ReadonlyArray<unknown>> = []
  const actors: Array<ReadonlyArray<unknown>> = []
  const acts: Array<ReadonlyArray<unknown>> = []
  const facts: Record<string, Array<ReadonlyArray<unknown>>> = {}
  for (const [index, { request, at }] of batch.entries()) {
    const number = index + 1
    const contents = request.transfers.map(contentOf)
    requests.push([request.requestId, fingerprintOf(contents), at])
    if (request.authority !== undefined) actors.push([number, ...authorityRow(request.authority)])
    if (request.act !== undefined) acts.push([number, actRow(request.act, at)])
    for (const [i, content] of contents.entries()) {
      const transfer = request.transfers[i]!
      transfers.push([number, ...content, "asset" in transfer ? transfer.expiresAt : null])
    }
    for (const [i, fact] of request.facts.entries()) {
      if (fact.refusal !== undefined) guards.push([number, i, fact.tag, fact.row])
      else if (facts[fact.tag] === undefined) facts[fact.tag] = [[number, fact.row]]
      else facts[fact.tag]!.push([number, fact.row])
    }
  }
  const { nodeId: node, epoch } = fence
  return JSON.stringify({ id: batchId, node, epoch, requests, transfers, guards, facts, actors, acts })
}

interface BatchAnswer {
  /** Failure, detail, refusedAt, replayed. */
  readonly results: ReadonlyArray<readonly [string | null, unknown, number | null, boolean]>
  /** Request, wallet, asset, balance, held. */
  readonly balances: ReadonlyArray<readonly [number, string, string, string, string]>
}

/** One outcome per request, in order. */
export const outcomesOf = (batch: ReadonlyArray<Accepted>, answer: unknown): ReadonlyArray<LedgerOutcome> => {
  const { results, balances } = answer as BatchAnswer
  const touched = batch.map((): Array<WalletBalance> => [])
  for (const [number, wallet, asset, balance, held] of balances)
    touched[number - 1]!.push(balanceOf(wallet, asset, balance, held))
  return batch.map(({ request }, index) => {
    const [word, detail, refusedAt, replayed] = results[index]!
    if (word === null) return { _tag: "Applied", replayed, balances: touched[index]! }
    const at = refusedAt ?? 0
    return { _tag: "Refused", failure: failureOf(request, word, detail, at), at }
  })
}
