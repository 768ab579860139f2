/**
 * Reads JSON and keeps every number as it is spelled: `4714.0` is the text "4714.0". A reader of its own, so that the oracle shares
 * nothing with the connector that it judges.
 */
export type Spelled = string | boolean | null | ReadonlyArray<Spelled> | { readonly [key: string]: Spelled }

export const readSpelled = (json: string): Spelled => {
  const reader = new Reader(json)
  const value = reader.value()
  reader.end()
  return value
}

class Reader {
  #at = 0

  constructor(readonly json: string) {}

  value(): Spelled {
    this.#skip()
    const c = this.json[this.#at]
    if (c === "{") return this.#object()
    if (c === "[") return this.#list()
    if (c === '"') return this.#text()
    const word = /[^\s,\]}]+/y
    word.lastIndex = this.#at
    const found = word.exec(this.json)?.[0] ?? this.#fail()
    this.#at += found.length
    if (found === "null") return null
    if (found === "true" || found === "false") return found === "true"
    return /^-?\d/.test(found) ? found : this.#fail()
  }

  end(): void {
    this.#skip()
    if (this.#at < this.json.length) this.#fail()
  }

  #object(): Spelled {
    const members: Record<string, Spelled> = {}
    for (this.#at++; ; this.#at++) {
      this.#skip()
      if (this.json[this.#at] === "}" && Object.keys(members).length === 0) break
      const key = this.#text()
      this.#skip()
      if (this.json[this.#at++] !== ":") this.#fail()
      members[key] = this.value()
      this.#skip()
      if (this.json[this.#at] === "}") break
      if (this.json[this.#at] !== ",") this.#fail()
    }
    this.#at++
    return members
  }

  #list(): Spelled {
    const items: Array<Spelled> = []
    for (this.#at++; ; this.#at++) {
      this.#skip()
      if (this.json[this.#at] === "]" && items.length === 0) break
      items.push(this.value())
      this.#skip()
      if (this.json[this.#at] === "]") break
      if (this.json[this.#at] !== ",") this.#fail()
    }
    this.#at++
    return items
  }

  #text(): string {
    const begin = this.#at
    if (this.json[begin] !== '"') this.#fail()
    for (this.#at++; this.json[this.#at] !== '"'; this.#at++) {
      if (this.json[this.#at] === "\\") this.#at++
      if (this.#at >= this.json.length) this.#fail()
    }
    this.#at++
    return JSON.parse(this.json.slice(begin, this.#at))
  }

  #skip(): void {
    while (/\s/.test(this.json[this.#at] ?? "x")) this.#at++
  }

  #fail(): never {
    throw new Error(`not JSON at ${this.#at}: ${this.json.slice(this.#at, this.#at + 30)}`)
  }
}

/** A member of an object, by path; undefined where there is none. */
export const at = (value: Spelled | undefined, ...path: ReadonlyArray<string | number>): Spelled | undefined => {
  let here = value
  for (const step of path) {
    here =
      typeof here === "object" && here !== null
        ? Array.isArray(here)
          ? here[Number(step)]
          : (here as { readonly [key: string]: Spelled })[step]
        : undefined
  }
  return here
}

/** The text of a scalar member; "" where there is none. */
export const textAt = (value: Spelled | undefined, ...path: ReadonlyArray<string | number>): string => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : ""
}

/** A list member; empty where there is none. */
export const listAt = (value: Spelled | undefined, ...path: ReadonlyArray<string | number>): ReadonlyArray<Spelled> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
