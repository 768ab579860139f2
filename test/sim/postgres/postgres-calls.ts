/** What the simulation asks of the thread that has the real store. Decimals lose their class on the way and get it back. */

import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { CredentialId } from "../../../src/domain/ids.ts"
import type { Unit } from "../../../src/ports/account-store.ts"

export const READS = ["load", "find", "names", "ofList", "lastSequence", "events"] as const

export type Call =
  | { readonly _tag: "Reset" | "Begin" | "State" | "End" }
  | { readonly _tag: "Insert"; readonly account: TradingAccount }
  | { readonly _tag: "Revoke"; readonly id: CredentialId; readonly at: number }
  | { readonly _tag: "Commit"; readonly units: ReadonlyArray<Omit<Unit, "settled">> }
  | { readonly _tag: "Read"; readonly method: (typeof READS)[number]; readonly args: ReadonlyArray<unknown> }

const isDecimal = (value: object): boolean => "units" in value && typeof value.units === "bigint" && "scale" in value

/** The same value, its decimals decimals again. */
export const revived = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || value instanceof Decimal) return value
  if (isDecimal(value)) return Object.setPrototypeOf(value, Decimal.prototype) as A
  if (value instanceof Map || value instanceof Set) return value
  for (const one of Object.values(value)) revived(one)
  return value
}
