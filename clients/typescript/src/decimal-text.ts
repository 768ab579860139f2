/** Decimals as text, as they come over the wire: compared by value, never turned into binary floating point. */

const parts = (text: string): { readonly isBelow: boolean; readonly whole: string; readonly fraction: string } => {
  const isBelow = text.startsWith("-")
  const [whole = "", fraction = ""] = (isBelow ? text.slice(1) : text).split(".")
  return { isBelow, whole: whole.replace(/^0+/, ""), fraction: fraction.replace(/0+$/, "") }
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Below zero: `a` is the smaller one. */
export const compareDecimals = (a: string, b: string): number => {
  if (a === b) return 0
  const [left, right] = [parts(a), parts(b)]
  const isZero = (it: typeof left) => it.whole === "" && it.fraction === ""
  if (isZero(left) && isZero(right)) return 0
  if (left.isBelow !== right.isBelow) return left.isBelow ? -1 : 1
  const by =
    left.whole.length - right.whole.length ||
    compareText(left.whole, right.whole) ||
    compareText(left.fraction, right.fraction)
  return left.isBelow ? -by : by
}

/** `"0"`, `"0.00"`. */
export const isZeroDecimal = (text: string): boolean => /^-?0*\.?0*$/.test(text)
