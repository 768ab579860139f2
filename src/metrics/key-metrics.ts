/** What operators see of the keys: which are in force, and how stored secrets come under the newest. */
import { by, counter, type Family, gauge } from "./exposition.ts"

export const keyMetrics = (figures: {
  readonly encryptionKid: string
  readonly signingKid: string
  readonly resealed: Readonly<Record<string, number>>
  readonly unreadable: number
  readonly working: boolean
}): ReadonlyArray<Family> => [
  gauge("keys_in_force", "1, with the ids of the keys in force", [
    { labels: { encryption: figures.encryptionKid, signing: figures.signingKid }, value: 1 },
  ]),
  gauge("keys_reseal_working", "1: stored secrets are being sealed with the newest key", figures.working ? 1 : 0),
  counter("keys_resealed_rows_total", "Stored secrets sealed anew", by("table", figures.resealed)),
  gauge("keys_unreadable_rows", "Stored secrets that no key opens, at the last look", figures.unreadable),
]
