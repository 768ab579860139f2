/**
 * Every key of the console, in one table. The one thing to know: what hears a key names its group and gives an act for each of its keys, so a key
 * without words here does not compile, and `?` shows them all.
 */

interface Group {
  /** On which screen, or where else. */
  readonly where: string
  /** By `KeyboardEvent.key`, upper case with Shift: what it does. */
  readonly keys: Readonly<Record<string, string>>
}

export const SHORTCUTS = {
  help: { where: "Everywhere", keys: { "?": "All keys" } },
  screens: {
    where: "Everywhere",
    keys: {
      Digit1: "Trade",
      Digit2: "Books",
      Digit3: "Orders",
      Digit4: "Wallets",
      Digit5: "Quotes",
      Digit6: "Operator",
      Digit7: "Keys",
    },
  },
  market: { where: "Trade", keys: { i: "Choose the instrument", "/": "Choose the instrument" } },
  ticket: { where: "Trade", keys: { b: "Buy: to the quantity", s: "Sell: to the quantity" } },
  orders: {
    where: "Trade and Quotes",
    keys: {
      j: "The next order",
      k: "The order before",
      o: "All that is known of the chosen order",
      x: "Cancel the chosen order, or the only one",
      X: "Cancel all orders",
    },
  },
  books: {
    where: "Books",
    keys: {
      ArrowRight: "The next book",
      ArrowLeft: "The book before",
      ArrowDown: "The book below",
      ArrowUp: "The book above",
      a: "Add a book to the wall",
      x: "Take the chosen book off the wall",
    },
  },
  wallets: { where: "Wallets", keys: { j: "The next wallet", k: "The wallet before" } },
  request: { where: "Quotes", keys: { q: "Ask for a quote: to the quantity" } },
  firm: { where: "Quotes", keys: { t: "Take the firm quote" } },
  health: { where: "Operator", keys: { h: "Halt trading, or change its mode" } },
  users: { where: "Operator", keys: { u: "Find a user" } },
  apiKeys: { where: "Keys", keys: { n: "New API key" } },
  credentials: { where: "Keys", keys: { e: "New key of an exchange" } },
} as const satisfies Readonly<Record<string, Group>>

/** What fields and buttons hear by themselves. */
const OWN: ReadonlyArray<Group> = [
  {
    where: "In a field",
    keys: {
      "↑ ↓": "One step of the instrument; with ⇧ ten",
      Enter: "Checks, or asks; once more sends",
      Esc: "Leaves the field",
    },
  },
  { where: "Books", keys: { Enter: "Trade the chosen book" } },
  { where: "In a dialog", keys: { Esc: "Closes it" } },
]

type Groups = typeof SHORTCUTS
export type GroupName = keyof Groups
export type Acts<G extends GroupName> = { readonly [K in keyof Groups[G]["keys"]]: () => void }

const ARROWS: Readonly<Record<string, string>> = { ArrowRight: "→", ArrowLeft: "←", ArrowDown: "↓", ArrowUp: "↑" }

/** As it stands on a keyboard. */
export const capOf = (key: string): string => {
  const named = ARROWS[key] ?? key.replace("Digit", "")
  return named.length === 1 && named !== named.toLowerCase() ? `⇧${named}` : named
}

/** All keys, place by place, in the order of the table. */
export const allShortcuts = (): ReadonlyMap<string, ReadonlyArray<readonly [cap: string, what: string]>> => {
  const places = new Map<string, Array<readonly [string, string]>>()
  for (const { where, keys } of [...Object.values<Group>(SHORTCUTS), ...OWN]) {
    const place = places.get(where) ?? []
    for (const [key, what] of Object.entries(keys)) place.push([capOf(key), what])
    places.set(where, place)
  }
  return places
}
