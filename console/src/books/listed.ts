/** Which books stand on the wall, in the order in which they were put there. Kept by the browser. */
import { signal } from "@preact/signals"

const LISTED = "console.wall"
const FIRST = ["BTC/USDT", "ETH/USDT", "SOL/USDT", "BTC/EUR", "ETH/BTC"].map((symbol) => `MOCK:${symbol}`)
/** Beyond that no page is read any more, and no browser draws it calmly. */
export const LISTED_MAX = 60

const kept = (): ReadonlyArray<string> => {
  const text = localStorage.getItem(LISTED)
  if (text === null) return FIRST
  try {
    const ids: unknown = JSON.parse(text)
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string").slice(0, LISTED_MAX) : FIRST
  } catch {
    return FIRST
  }
}

export const listed = signal<ReadonlyArray<string>>(kept())

const keep = (ids: ReadonlyArray<string>): void => {
  localStorage.setItem(LISTED, JSON.stringify(ids))
  listed.value = ids
}

export const list = (ids: ReadonlyArray<string>): void =>
  keep([...new Set([...listed.value, ...ids])].slice(0, LISTED_MAX))
export const unlist = (id: string): void => keep(listed.value.filter((it) => it !== id))
