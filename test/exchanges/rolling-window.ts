/** Requests that are counted within a rolling window. */

/** Instants of the requests that still count, oldest first; takes one more unless there are `most`. */
export const takes = (instants: Array<number>, now: number, millis: number, most: number): boolean => {
  while ((instants[0] ?? Number.POSITIVE_INFINITY) <= now - millis) instants.shift()
  if (instants.length >= most) return false
  instants.push(now)
  return true
}
