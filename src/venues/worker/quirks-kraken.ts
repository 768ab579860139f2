/**
 * Kraken's own words and ways; what ccxt 4.5.84 does with them otherwise stands in `kraken-public.ts` and `kraken-private.ts`, which
 * put it right on each instance.
 */
import { none, type Quirks } from "./quirk.ts"

export const kraken: Quirks = none
