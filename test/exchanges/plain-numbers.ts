/** Numbers without trailing zeros, `0.00001186` and `31684.5`. */
import { formatFixed } from "./binance/fixed.ts"

/** Of a fixed-point number (binance/fixed.ts). */
export const plain = (units: bigint): string => {
  const text = formatFixed(units)
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text
}
