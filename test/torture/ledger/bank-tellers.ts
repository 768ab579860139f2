/**
 * Tellers: loops that move money between wallets of one user over HTTP, each move under a key of its own, repeated under it until the
 * answer is definite. What each was told is the history that the journal is held against.
 */

import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { founder } from "../../kit/servers/founder.ts"
import { type Api, api, type Gateway } from "../../kit/servers/gateway.ts"

const ASSET = "USDT"
const FUNDS = 1_000
const WALLETS_EACH = 6
/** Definite: the ledger judged it, and nothing was moved. */
const REFUSALS: ReadonlySet<number> = new Set([-111000, -150002])
const FETCH_MILLIS = 8_000

export interface Customer {
  readonly calls: Api
  readonly wallets: ReadonlyArray<string>
}

export interface Move {
  readonly key: string
  readonly customer: Customer
  readonly from: string
  readonly to: string
  /** No other move has it: by its amount it is found in the journal. */
  readonly amount: string
  told: "nothing" | "done" | "refused"
  /** Times that it was asked for. */
  asked: number
  /** The last answer that was not definite. */
  doubt: string
}

export class Tellers {
  readonly moves: Array<Move> = []
  #isOpen = true
  #working: Array<Promise<void>> = []

  constructor(
    readonly customers: ReadonlyArray<Customer>,
    readonly random: () => number,
  ) {}

  /** `n` loops at once: as many connections. */
  begin(n: number): void {
    this.#working = Array.from({ length: n }, (_, index) => this.#work(this.customers[index % this.customers.length]!))
  }

  /** Takes nothing new; done when every move has its definite answer, or after a minute. */
  async end(): Promise<void> {
    this.#isOpen = false
    await Promise.all(this.#working)
  }

  count(told: Move["told"]): number {
    return this.moves.filter((it) => it.told === told).length
  }

  /** Asks once more under the same key: what it is told, and whether as a repeat. */
  async again(move: Move): Promise<{ readonly told: Move["told"]; readonly isReplay: boolean }> {
    const { told, isReplay } = await this.#ask(move)
    return { told, isReplay }
  }

  async #work(customer: Customer): Promise<void> {
    while (this.#isOpen) {
      const move = this.#next(customer)
      this.moves.push(move)
      const deadlineAt = Date.now() + 120_000
      while (move.told === "nothing" && Date.now() < deadlineAt) {
        const { told, doubt } = await this.#ask(move)
        move.told = told
        move.doubt = doubt
        if (told === "nothing") await sleep(50)
      }
    }
  }

  #next(customer: Customer): Move {
    const { wallets } = customer
    const from = Math.floor(this.random() * wallets.length)
    const to = (from + 1 + Math.floor(this.random() * (wallets.length - 1))) % wallets.length
    // Up to more than there is: a part is refused.
    const whole = Math.floor(this.random() ** 3 * FUNDS * 2)
    const amount = `${whole}.${String(this.moves.length + 1).padStart(9, "0")}`
    return {
      key: randomUUID(),
      customer,
      from: wallets[from]!,
      to: wallets[to]!,
      amount,
      told: "nothing",
      asked: 0,
      doubt: "",
    }
  }

  async #ask(move: Move): Promise<{ readonly told: Move["told"]; readonly isReplay: boolean; readonly doubt: string }> {
    move.asked += 1
    const unknown = (doubt: string) => ({ told: "nothing", isReplay: false, doubt }) as const
    try {
      const answer = await Promise.race([
        move.customer.calls.call<string>(
          "POST",
          "/wallet/transfer",
          { sourceWalletId: move.from, destWalletId: move.to, asset: ASSET, amount: move.amount },
          { "idempotency-key": move.key },
        ),
        sleep(FETCH_MILLIS, undefined),
      ])
      if (answer === undefined) return unknown("no answer")
      const isReplay = answer.headers.get("idempotency-replayed") === "true"
      if (answer.status === 200) return { told: "done", isReplay, doubt: "" }
      if (REFUSALS.has(answer.envelope.errno)) return { told: "refused", isReplay, doubt: "" }
      return unknown(`HTTP ${answer.status} ${answer.envelope.errno}`)
    } catch (error) {
      return unknown(String(error))
    }
  }
}

/** At a gateway without an admin: theirs funds them all. */
export const openBank = async (
  gateway: Gateway,
  customers: number,
): Promise<{ readonly admin: Api; readonly customers: ReadonlyArray<Customer>; readonly total: number }> => {
  const signed = async (name: string): Promise<Api> =>
    api(gateway).as((await api(gateway).signup(`${name}@example.com`)).record.accessToken)
  const admin = await founder(gateway)
  const all: Array<Customer> = []
  for (let i = 0; i < customers; i++) {
    const calls = await signed(`bank-${i}`)
    const wallets: Array<string> = []
    for (let n = 0; n < WALLETS_EACH; n++) {
      const { walletId } = (await calls.post<{ readonly walletId: string }>("/wallet/create", {})).record
      await admin.post("/wallet/deposit", { walletId, asset: ASSET, amount: String(FUNDS) }).then((it) => it.record)
      wallets.push(walletId)
    }
    all.push({ calls, wallets })
  }
  return { admin, customers: all, total: customers * WALLETS_EACH * FUNDS }
}
