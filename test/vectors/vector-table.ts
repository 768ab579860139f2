/** The rows of a published document, each bound to a test or told why it cannot apply; prints the sum, and fails while a row has no entry. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

/** The text of a file beside the checkout; null where it is absent, said once. */
export const documentOf = (path: string): string | null => {
  const file = fileURLToPath(new URL(`../../../shared/data/${path}`, import.meta.url))
  if (existsSync(file)) return readFileSync(file, "utf8")
  console.warn(`vectors: skipped, ${path} is not beside this checkout (../shared/data)`)
  return null
}

/** Every criterion that a document of Vega's names, in its order. */
export const criteriaOf = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(/<a name="(\d{4}-[A-Z]{4}-\d{3})"/g)].map((found) => found[1] ?? "")),
]

type Entry =
  | { readonly _tag: "Proved"; readonly by: string; hasPassed: boolean; readonly differs: string | null }
  | { readonly _tag: "NotApplicable"; readonly why: string }

export class VectorTable {
  readonly #entries = new Map<string, Entry>()
  readonly #wrong: Array<string> = []
  readonly #rows: ReadonlySet<string>

  constructor(
    readonly name: string,
    rows: ReadonlyArray<string>,
    /** In front of the short names of rows. */
    readonly prefix = "",
  ) {
    this.#rows = new Set(rows)
  }

  /** Binds rows to a test. `rows`: names, or "007..038" for those of the document between two. */
  proved(
    rows: string | ReadonlyArray<string>,
    by: string,
    run: () => Promise<void> | void,
    /** Why the test proves our answer where the document has another. */
    differs: string | null = null,
  ): void {
    const names = this.#namesOf(rows)
    const entry: Entry = { _tag: "Proved", by, hasPassed: false, differs }
    for (const row of names) this.#enter(row, entry)
    it(`${typeof rows === "string" ? rows : names.length === 1 ? names[0] : `${names.length} rows`}: ${by}`, async () => {
      await run()
      entry.hasPassed = true
    })
  }

  notApplicable(rows: string | ReadonlyArray<string>, why: string): void {
    for (const row of this.#namesOf(rows)) this.#enter(row, { _tag: "NotApplicable", why })
  }

  /** Those of these rows that have neither passed nor a reason why they cannot apply. */
  unproved(rows: ReadonlyArray<string>): ReadonlyArray<string> {
    return rows.filter((row) => {
      const entry = this.#entries.get(row)
      return entry === undefined || (entry._tag === "Proved" && !entry.hasPassed)
    })
  }

  /** The last test of the file. */
  close(): void {
    it(`${this.name}: every row has one entry, and the entries passed`, () => {
      const missing = [...this.#rows].filter((row) => !this.#entries.has(row))
      const all = [...this.#entries]
      const open = all.flatMap(([row, it]) => (it._tag === "Proved" && !it.hasPassed ? [row] : []))
      const passed = all.flatMap(([, it]) => (it._tag === "Proved" && it.hasPassed ? [it] : []))
      const reasons = new Map<string, number>()
      for (const [, it] of all) {
        const differs = it._tag === "Proved" ? it.differs : null
        const reason =
          it._tag === "NotApplicable" ? `not applicable: ${it.why}` : differs && `passed by our own rule: ${differs}`
        if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      }
      const others = all.filter(([, it]) => it._tag === "NotApplicable").length
      const own = passed.filter(({ differs }) => differs !== null).length
      const counts = `rows passed ${passed.length} (${own} by our own rule) / not applicable ${others}`
      const why = [...reasons].map(([reason, count]) => `\n  ${count} ${reason}`).join("")
      console.info(`${this.name}: ${counts} / of ${this.#rows.size}${why}`)
      expect({ missing, wrong: this.#wrong, open }).toEqual({ missing: [], wrong: [], open: [] })
    })
  }

  #enter(row: string, entry: Entry): void {
    if (!this.#rows.has(row)) this.#wrong.push(`${row} is not in the document`)
    if (this.#entries.has(row)) this.#wrong.push(`${row} is entered twice`)
    this.#entries.set(row, entry)
  }

  #namesOf(rows: string | ReadonlyArray<string>): ReadonlyArray<string> {
    if (typeof rows !== "string") return rows.map((row) => this.prefix + row)
    return rows.split(" ").flatMap((part) => {
      const [from = "", to] = part.split("..")
      if (to === undefined) return [this.prefix + from]
      const [first, last] = [this.prefix + from, this.prefix + to]
      return [...this.#rows].filter((row) => row >= first && row <= last && row.startsWith(this.prefix))
    })
  }
}
