/**
 * Strings PostgreSQL cannot store: NUL and lone surrogates. One of them would lose the whole group that is committed with it (order-path
 * 1), so they are refused before anything is stored.
 */

/** Why the text is refused; undefined when it is fine. */
export const faultOfText = (text: string): string | undefined => {
  if (text.includes("\u0000")) return "contains NUL"
  return isWellFormed(text) ? undefined : "contains a lone surrogate"
}

/** `String.prototype.isWellFormed` is in Node 20 but not in the ES2023 library. */
const isWellFormed = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xd800 || unit > 0xdfff) continue
    const next = text.charCodeAt(i + 1)
    if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return false
    i++
  }
  return true
}
