/**
 * The end of holds by the server's clock: what is due is voided by requests like any other, whose ids are made of the hold's, so that a
 * void that was cut off by a crash is done once. The one thing to know: it begins with the process, and nothing is armed in memory.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import { nameUuid } from "../domain/ids.ts"
import type { WalletId } from "../domain/wallet/wallet.ts"
import type { LedgerRequest, OpenHold } from "../ports/ledger-port.ts"
import type { LedgerJournal } from "../store/ledger/journal.ts"

/** Of the voids' names; never to be changed. */
const NAMESPACE = Buffer.from("0d3f6a1b52c94f7d8e10b7c6a5948372", "hex")
const HOLDS_AT_ONCE = 200

const voiding = (hold: OpenHold, settled: LedgerRequest["settled"]): LedgerRequest => {
  const id = nameUuid(hold.transferId, NAMESPACE)
  return {
    requestId: id,
    transfers: [
      {
        kind: "void",
        transferId: id,
        pendingId: hold.transferId,
        amount: null,
        code: "EXPIRY",
        reference: hold.reference,
      },
    ],
    facts: [],
    settled,
  }
}

export interface HoldExpiry {
  /** Voids everything that is due, of one wallet or of all; done when it is committed. */
  readonly run: (walletId?: WalletId) => Effect.Effect<void, StorageUnavailable>
  readonly expired: () => number
}

export const makeHoldExpiry = (
  post: (request: LedgerRequest) => void,
  journal: Pick<LedgerJournal, "dueHolds">,
  now: () => number,
): HoldExpiry => {
  let expired = 0

  const voidAll = (holds: ReadonlyArray<OpenHold>): Effect.Effect<void> =>
    Effect.async((resume) => {
      let left = holds.length
      for (const hold of holds)
        post(
          voiding(hold, (outcome) => {
            // Refused: somebody else has resolved it meanwhile.
            if (outcome._tag === "Applied" && !outcome.replayed) expired++
            if (--left === 0) resume(Effect.void)
          }),
        )
    })

  const run = (walletId?: WalletId): Effect.Effect<void, StorageUnavailable> =>
    Effect.gen(function* () {
      while (true) {
        const due = yield* journal.dueHolds(now(), HOLDS_AT_ONCE, walletId ?? null)
        if (due.length > 0) yield* voidAll(due)
        if (due.length < HOLDS_AT_ONCE) return
      }
    })

  return { run, expired: () => expired }
}
