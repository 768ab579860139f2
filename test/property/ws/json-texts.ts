/** JSON texts as they may be written: odd spacing, keys twice and integer-like, numbers beyond doubles, escapes of every kind. */
import fc from "fast-check"

const spaces = fc.string({ unit: fc.constantFrom(" ", "\t", "\r", "\n"), maxLength: 2 })

const numbers = fc.oneof(
  fc.constantFrom("0", "-0", "1.10", "-0.0", "1e400", "1E+2", "0.1e-7", "12345678901234567890", "9007199254740993"),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
)

const strings = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 6 }).map((text) => JSON.stringify(text).slice(1, -1)),
      fc.constantFrom(
        '\\"',
        "\\\\",
        "\\/",
        "\\n",
        "\\u0041",
        "\\ud800",
        "\\uDBFF\\uDFFF",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "наука",
      ),
    ),
    { maxLength: 4 },
  )
  .map((parts) => `"${parts.join("")}"`)

/** Few names, so that some come twice; the last two are one. */
const names = fc.oneof(fc.constantFrom('"2"', '"1"', '"data"', '"__proto__"', '"a"', '"\\u0061"'), strings)

const joined = (open: string, close: string, parts: ReadonlyArray<string>, inside: string): string =>
  `${open}${inside}${parts.join(",")}${close}`

export const jsonTexts: fc.Arbitrary<string> = fc.letrec<{ value: string; text: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom("true", "false", "null"),
    numbers,
    strings,
    fc.tuple(fc.array(tie("text"), { maxLength: 4 }), spaces).map(([items, inside]) => joined("[", "]", items, inside)),
    fc
      .tuple(fc.array(fc.tuple(spaces, names, spaces, tie("text")), { maxLength: 5 }), spaces)
      .map(([members, inside]) =>
        joined(
          "{",
          "}",
          members.map(([before, name, after, text]) => `${before}${name}${after}:${text}`),
          inside,
        ),
      ),
  ),
  text: fc.tuple(spaces, tie("value"), spaces).map((parts) => parts.join("")),
})).value
