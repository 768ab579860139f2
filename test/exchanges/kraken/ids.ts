/** Ids in Kraken's shapes: orders `OABCDE-FGHIJ-KLMNOP`, trades `T…`, ledger entries `L…`; one series of each, never repeated. */
import { createHash } from "node:crypto"

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** The same number gives the same letters: a run can be repeated. */
const letters = (seed: string, count: number): string =>
  Array.from(
    createHash("sha256").update(seed).digest().subarray(0, count),
    (byte) => ALPHABET[byte % ALPHABET.length],
  ).join("")

export class Ids {
  #last = 0

  constructor(readonly seed: number) {}

  order(): string {
    return this.#next("O")
  }

  trade(): string {
    return this.#next("T")
  }

  ledger(): string {
    return this.#next("L")
  }

  amend(): string {
    return this.#next("T")
  }

  #next(kind: string): string {
    this.#last += 1
    const text = letters(`${kind} ${this.seed} ${this.#last}`, 16)
    return `${kind}${text.slice(0, 5)}-${text.slice(5, 10)}-${text.slice(10)}`
  }
}
