/** Finds the known name that a misspelt one probably meant: for fields, headers and settings. */

/** Longer names are not compared to their end: the work is the product of two lengths. */
const COMPARED = 64

/** Case, underscores, hyphens and dots aside: `stop_loss_price` and `stopLossprice` are one name. */
const plain = (name: string): string =>
  name
    .slice(0, COMPARED)
    .toLowerCase()
    .replaceAll(/[_\-. ]/g, "")

/** Insertions, deletions, replacements and swaps of neighbours between two names, written without case and separators. */
export const slips = (one: string, other: string): number => apart(plain(one), plain(other))

const apart = (a: string, b: string): number => {
  let before: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return last[b.length]!
}

/** A longer one is not a typing error: no known name has that many letters. */
const GIVEN_MAX = 32

/** Known names come from schemas, so there are a few hundred; the bound protects against other callers. */
const PLAINS_MAX = 2_000
const plains = new Map<string, string>()

const plainOfKnown = (name: string): string => {
  const before = plains.get(name)
  if (before !== undefined) return before
  const it = plain(name)
  if (plains.size >= PLAINS_MAX) plains.clear()
  plains.set(name, it)
  return it
}

/** `markup` for `markupBps`, `side` for `orderSide`: as good as two slips. */
const isPart = (a: string, b: string): boolean => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.length >= 4 && (long.startsWith(short) || long.endsWith(short))
}

/** Null: none of them is near. Only names of about the same length are compared letter by letter, for strangers decide how often this runs. */
export const nearestName = (given: string, known: Iterable<string>): string | null => {
  if (given.length > GIVEN_MAX) return null
  const most = Math.max(1, Math.floor(given.length / 3))
  const a = plain(given)
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const name of known) {
    const b = plainOfKnown(name)
    // There are at least as many slips as one of them is longer.
    const longer = Math.abs(a.length - b.length)
    const isPartOf = isPart(a, b)
    if (!isPartOf && longer > most) continue
    const counted = isPartOf ? Math.min(longer, 2) : apart(a, b)
    if (counted >= least || (counted > most && !isPartOf)) continue
    nearest = name
    least = counted
  }
  return nearest
}
