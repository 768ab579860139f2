/** Which known name somebody meant who wrote another: of fields, headers and settings. */

/** Longer names are not compared to their end: the work is the product of two lengths. */
const COMPARED = 64

/** Case, underscores, hyphens and dots aside: `stop_loss_price` and `stopLossprice` are one name. */
const plain = (name: string): string =>
  name
    .slice(0, COMPARED)
    .toLowerCase()
    .replaceAll(/[_\-. ]/g, "")

/** Insertions, deletions, replacements and swaps of neighbours between two names, written without case and separators. */
export const slips = (one: string, other: string): number => {
  const [a, b] = [plain(one), plain(other)]
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

/** `markup` for `markupBps`, `side` for `orderSide`: as good as two slips. */
const isPart = (one: string, other: string): boolean => {
  const [a, b] = [plain(one), plain(other)]
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.length >= 4 && (long.startsWith(short) || long.endsWith(short))
}

/** Null: none of them is near. */
export const nearestName = (given: string, known: Iterable<string>): string | null => {
  const most = Math.max(1, Math.floor(given.length / 3))
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const name of known) {
    const apart = slips(given, name)
    const counted = isPart(given, name) ? Math.min(apart, 2) : apart
    if (counted >= least || (counted > most && !isPart(given, name))) continue
    nearest = name
    least = counted
  }
  return nearest
}
