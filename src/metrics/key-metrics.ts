/** What operators see of the keys: which are in force, and how stored secrets come under the newest. */
import type { Reading } from "../ports/meters.ts"
import { by, reading } from "./exposition.ts"

export const keyMetrics = (figures: {
  readonly encryptionKid: string
  readonly signingKid: string
  readonly resealed: Readonly<Record<string, number>>
  readonly unreadable: number
  readonly working: boolean
}): ReadonlyArray<Reading> => [
  reading("keys_in_force", [{ labels: { encryption: figures.encryptionKid, signing: figures.signingKid }, value: 1 }]),
  reading("keys_reseal_working", figures.working ? 1 : 0),
  reading("keys_resealed_rows_total", by("table", figures.resealed)),
  reading("keys_unreadable_rows", figures.unreadable),
]
