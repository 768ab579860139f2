/** Which books stand on the wall, in the order in which they were put there. Kept by the browser, for each user apart. */
import { computed } from "@preact/signals"
import { perUser } from "../parts/per-user.ts"

const own = perUser("wall")
const FIRST = ["BTC/USDT", "ETH/USDT", "SOL/USDT", "BTC/EUR", "ETH/BTC"].map((symbol) => `MOCK:${symbol}`)
/** Beyond that no page is read any more, and no browser draws it calmly. */
export const LISTED_MAX = 60

export const listed = computed((): ReadonlyArray<string> => {
  const text = own.text.value
  if (text === null) return FIRST
  try {
    const ids: unknown = JSON.parse(text)
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string").slice(0, LISTED_MAX) : FIRST
  } catch {
    return FIRST
  }
})

const keep = (ids: ReadonlyArray<string>): void => own.keep(JSON.stringify(ids))

export const list = (ids: ReadonlyArray<string>): void =>
  keep([...new Set([...listed.value, ...ids])].slice(0, LISTED_MAX))
export const unlist = (id: string): void => keep(listed.value.filter((it) => it !== id))
