/**
 * A simple model of the ledger: maps, bigints, one request after the other. Slow, obvious, and written from contract C9, not from the function
 * that it is compared with.
 */
export interface ModelTransfer {
  readonly id: string
  readonly kind: "single" | "pending" | "post" | "void"
  readonly hold: string | null
  readonly from: string
  readonly to: string
  readonly asset: string
  /** Null: all that is held. */
  readonly amount: bigint | null
  readonly expiresAt: number | null
}

export interface ModelRequest {
  readonly id: string
  readonly transfers: ReadonlyArray<ModelTransfer>
  /** On an admin's word; else on the gateway's own. */
  readonly asAdmin: boolean
}

interface Account {
  posted: bigint
  held: bigint
  claimed: bigint
}

interface Hold {
  readonly from: string
  readonly to: string
  readonly asset: string
  readonly amount: bigint
  readonly expiresAt: number | null
  isOpen: boolean
}

export type Status = "ACTIVE" | "FROZEN" | "CLOSED"

const contentOf = (t: ModelTransfer, amount: bigint | null): string =>
  `${t.kind} ${t.hold} ${t.kind === "single" || t.kind === "pending" ? `${t.from} ${t.to} ${t.asset}` : ""} ${t.kind === "void" ? "" : amount}`

export class LedgerModel {
  readonly #accounts = new Map<string, Account>()
  readonly #holds = new Map<string, Hold>()
  readonly #done = new Map<string, string>()
  readonly #refused = new Map<string, string>()
  readonly #requests = new Map<string, { readonly content: string; readonly word: string }>()

  /** What they were when they were closed counts. */
  readonly #frozen = new Set<string>()

  constructor(
    readonly statuses: Map<string, Status>,
    readonly free: ReadonlySet<string>,
  ) {}

  account(wallet: string, asset: string): Account {
    const key = `${wallet} ${asset}`
    const account = this.#accounts.get(key) ?? { posted: 0n, held: 0n, claimed: 0n }
    this.#accounts.set(key, account)
    return account
  }

  setStatus(wallet: string, wanted: Status): string | null {
    const now = this.statuses.get(wallet)
    if (now === undefined) return "WalletNotFound"
    if (this.free.has(wallet) && wanted !== "ACTIVE") return "accounting"
    if (now === wanted) return null
    if (now === "CLOSED") return "WalletClosed"
    const isHeld = [...this.#accounts].some(([key, it]) => key.startsWith(wallet) && (it.held > 0n || it.claimed > 0n))
    if (wanted === "CLOSED" && isHeld) return "WalletHasHolds"
    this.statuses.set(wallet, wanted)
    if (wanted === "FROZEN") this.#frozen.add(wallet)
    else if (wanted === "ACTIVE") this.#frozen.delete(wallet)
    return null
  }

  request(request: ModelRequest, now: number): string {
    const content = JSON.stringify(request.transfers.map((t) => [t.id, contentOf(t, t.amount)].map(String)))
    const known = this.#requests.get(request.id)
    if (known !== undefined) {
      if (known.content !== content) return "id used otherwise"
      return known.word === "applied" ? "replayed" : known.word
    }
    const undo: Array<() => void> = []
    let word = "applied"
    // An admin reaches what is there, and hears of what is not before anything is judged.
    const isBeyond = request.transfers.some((t) => !this.statuses.has(t.from) || !this.statuses.has(t.to))
    if (request.asAdmin && isBeyond) word = "WalletNotFound"
    for (const transfer of word === "applied" ? request.transfers : []) {
      const refused = this.#transfer(transfer, now, undo, request.asAdmin)
      if (refused === null) continue
      word = refused
      break
    }
    if (word !== "applied") for (const back of undo.reverse()) back()
    this.#requests.set(request.id, { content, word })
    return word
  }

  /** Null: done. `undo` gets what takes it back. */
  #transfer(t: ModelTransfer, now: number, undo: Array<() => void>, asAdmin: boolean): string | null {
    const hold = t.hold === null ? undefined : this.#holds.get(t.hold)
    const amount = t.kind === "void" || t.amount === null ? (hold?.amount ?? 0n) : t.amount
    const content = contentOf(t, amount)
    const done = this.#done.get(t.id)
    if (done !== undefined) return done === content ? null : "id used otherwise"
    const before = this.#refused.get(t.id)
    if (before !== undefined) return before
    const refusal = this.#refusal(t, hold, amount, now, asAdmin)
    if (refusal !== null) {
      this.#refused.set(t.id, refusal)
      return refusal
    }
    const [from, to, asset] = hold === undefined ? [t.from, t.to, t.asset] : [hold.from, hold.to, hold.asset]
    const debit = this.account(from, asset)
    const credit = this.account(to, asset)
    const posted = t.kind === "single" || t.kind === "post" ? amount : 0n
    const bound = t.kind === "pending" ? amount : t.kind === "single" ? 0n : -hold!.amount
    const book = (sign: bigint): void => {
      debit.posted -= sign * posted
      credit.posted += sign * posted
      debit.held += sign * bound
      credit.claimed += sign * bound
    }
    book(1n)
    this.#done.set(t.id, content)
    if (hold !== undefined) hold.isOpen = false
    if (t.kind === "pending") this.#holds.set(t.id, { from, to, asset, amount, expiresAt: t.expiresAt, isOpen: true })
    undo.push(() => {
      book(-1n)
      this.#done.delete(t.id)
      if (hold !== undefined) hold.isOpen = true
      if (t.kind === "pending") this.#holds.delete(t.id)
    })
    return null
  }

  #refusal(t: ModelTransfer, hold: Hold | undefined, amount: bigint, now: number, asAdmin: boolean): string | null {
    if (t.kind === "post" || t.kind === "void") {
      if (hold === undefined) return "no such hold"
      if (!hold.isOpen) return "hold resolved"
      if (t.kind === "void") return null
      if (hold.expiresAt !== null && hold.expiresAt <= now) return "hold expired"
      if (amount > hold.amount) return "more than is held"
    }
    const [from, to, asset] = hold === undefined ? [t.from, t.to, t.asset] : [hold.from, hold.to, hold.asset]
    const [out, into] = [this.statuses.get(from), this.statuses.get(to)]
    if (out === undefined || into === undefined) return "WalletNotFound"
    if (out === "FROZEN" || into === "FROZEN") return "WalletFrozen"
    if (into === "CLOSED") return "WalletClosed"
    const account = this.account(from, asset)
    if (out === "CLOSED") {
      if (t.kind !== "single") return "WalletClosed"
      if (this.#frozen.has(from) && !asAdmin) return "WalletFrozen"
      if (amount !== account.posted) return "OnlyFullWithdrawal"
    }
    if (hold === undefined && !this.free.has(from) && amount > account.posted - account.held)
      return "InsufficientBalance"
    return null
  }

  /** Every balance that is not zero: wallet, asset, balance, held. */
  balances(): ReadonlyArray<string> {
    return [...this.#accounts]
      .filter(([, it]) => it.posted !== 0n || it.held !== 0n)
      .map(([key, it]) => `${key} ${it.posted} ${it.held}`)
      .sort()
  }
}
