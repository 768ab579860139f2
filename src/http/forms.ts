/** What the patterns of the wire's texts mean, in words: a caller is told what would be right, never a regular expression. */

const DECIMAL =
  'in a JSON string, for example "0.01": digits, at most 36 before the point and 18 behind it, no exponent'

/** By the pattern's source, as JSON Schema has it. A test holds it to the OpenAPI document: each pattern there has its words. */
const FORMS: ReadonlyMap<string, string> = new Map([
  [
    "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
    "a UUID, for example 0190b4a3-5a9c-7c1e-9d2f-3b8e6f4a1c70",
  ],
  ["^-?(0|[1-9]\\d{0,35})(\\.\\d{1,18})?$", `a decimal number ${DECIMAL}`],
  ["^(0|[1-9]\\d{0,35})(\\.\\d{1,18})?$", `a decimal number without a minus sign ${DECIMAL}`],
  ["^[A-Za-z0-9._:-]{1,64}$", "1 to 64 of letters, digits and . _ : -"],
  ["^[A-Za-z0-9._-]{1,64}$", "1 to 64 of letters, digits and . _ -"],
  ["^[A-Z0-9.]{1,30}$", "an asset, for example USDT: 1 to 30 of upper-case letters, digits and ."],
  ["^[A-Z0-9][A-Z0-9.]{0,29}$", "an asset, for example USDT: 1 to 30 of upper-case letters, digits and ."],
  ["^[A-Z0-9][A-Z0-9._-]{0,31}$", "an asset, for example USDT: 1 to 32 of upper-case letters, digits and . _ -"],
  ["^[A-Z0-9.]{1,30}\\/[A-Z0-9.]{1,30}$", "a pair <BASE>/<QUOTE> in upper case, for example BTC/USDT"],
])

/** Undefined: nobody has said it. */
export const formInWords = (pattern: string): string | undefined => FORMS.get(pattern)
