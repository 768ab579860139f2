/** exchange-core's basic.feature: its scenarios as they are written, and each of its steps as something that is done to a stage. */
import { expect } from "vitest"
import { VectorTable } from "./vector-table.ts"

export interface Step {
  readonly row: string
  readonly words: string
  /** The cells of the table below it. */
  readonly cells: ReadonlyArray<ReadonlyArray<string>>
}
export interface Scenario {
  readonly name: string
  readonly steps: ReadonlyArray<Step>
}
export type Book = { readonly asks: ReadonlyArray<readonly number[]>; readonly bids: ReadonlyArray<readonly number[]> }

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())

/** Each scenario with the background's steps in front, once per symbol of its examples. */
export const scenariosOf = (feature: string): ReadonlyArray<Scenario> =>
  feature
    .split(/\n\s*(?=Scenario)/)
    .slice(1)
    .flatMap((block) => {
      const name = /^Scenario(?: Outline)?: (.*)/.exec(block)?.[1] ?? ""
      const [told = "", examples = ""] = block.split("Examples:")
      const symbols = examples
        .split("\n")
        .flatMap((line) => cellsOf(line.trim()))
        .slice(1)
      return (symbols.length === 0 ? [null] : symbols).map((symbol) => {
        const steps: Array<Step & { cells: Array<ReadonlyArray<string>> }> = []
        for (const line of told.split("\n").map((it) => it.trim())) {
          const words = /^(?:Given|When|Then|And) (.*)/.exec(line)?.[1]?.replace("<symbol>", symbol ?? "")
          if (words !== undefined)
            steps.push({ row: `${symbol ?? name} ${steps.length + 1}: ${words}`, words, cells: [] })
          else if (line.startsWith("|")) steps.at(-1)?.cells.push(cellsOf(line))
        }
        return { name: symbol === null ? name : `${name}, ${symbol}`, steps }
      })
    })

const levelsOf = (cells: Step["cells"]): Book => {
  const rows = cells.filter(([, price]) => price !== "price").map((row) => row.map(Number))
  return {
    bids: rows.flatMap(([bid = 0, price = 0]) => (bid > 0 ? [[price, bid]] : [])),
    asks: rows.flatMap(([, price = 0, ask = 0]) => (ask > 0 ? [[price, ask]] : [])).reverse(),
  }
}

/** What the steps are done to. Prices and sizes are the feature's whole numbers. */
export interface Stage {
  readonly open: (client: string, balances: Readonly<Record<string, number>>) => Promise<void>
  readonly place: (order: {
    readonly client: string
    readonly id: string
    readonly side: "BUY" | "SELL"
    readonly price: number
    readonly size: number
    readonly type: "GTC" | "IOC"
    readonly symbol: string
  }) => Promise<void>
  readonly move: (id: string, price: number) => Promise<void>
  readonly cancel: (id: string) => Promise<void>
  readonly book: (symbol: string) => Promise<Book>
  readonly filled: (id: string) => Promise<{ readonly size: number; readonly price: number; readonly last: number }>
  readonly order: (id: string) => Promise<{ readonly price: number; readonly size: number; readonly filled: number }>
  readonly trades: () => Promise<number>
  readonly active: (client: string) => Promise<number>
  /** Null: it keeps no money. */
  readonly balances: (client: string) => Promise<Readonly<Record<string, number>> | null>
  /** Leaves nothing in the books for the next scenario. */
  readonly close: () => Promise<void>
}

const PLACES =
  /^A client (\w+) places an (ASK|BID) order (\d+) at (\d+)@(\d+) \(type: (GTC|IOC), symbol: (\w+)(?:, reservePrice: \d+)?\)$/

/** Does one step; false when nothing here knows it. */
export const does = async (stage: Stage, { words, cells }: Step, memory: { trades: number }): Promise<boolean> => {
  const rows = (): Readonly<Record<string, number>> =>
    Object.fromEntries(cells.map(([name, value]) => [name, Number(value)]))
  const is = (pattern: RegExp): ReadonlyArray<string> | undefined => pattern.exec(words)?.slice(1)
  const placed = is(PLACES)
  if (placed !== undefined) {
    const [client = "", side, id = "", price, size, type, symbol = ""] = placed
    memory.trades = await stage.trades()
    await stage.place({
      ...{ client, id, symbol, price: Number(price), size: Number(size) },
      side: side === "BID" ? "BUY" : "SELL",
      type: type === "IOC" ? "IOC" : "GTC",
    })
    return true
  }
  const moved = is(/^A client \w+ moves a price to (\d+) of the order (\d+)$/)
  if (moved !== undefined) {
    await stage.move(moved[1] ?? "", Number(moved[0]))
    return true
  }
  const cancelled = is(/^A client \w+ cancels the remaining size (\d+) of the order (\d+)$/)
  if (cancelled !== undefined) {
    const { size, filled } = await stage.order(cancelled[1] ?? "")
    expect(size - filled).toBe(Number(cancelled[0]))
    await stage.cancel(cancelled[1] ?? "")
    return true
  }
  const client = is(/^New client (\w+) has a balance:$/)?.[0]
  if (client !== undefined) {
    await stage.open(client, rows())
    return true
  }
  const symbol = is(/^An (\w+) order book is:$/)?.[0]
  if (symbol !== undefined) {
    await expect.poll(() => stage.book(symbol), { timeout: 45_000 }).toEqual(levelsOf(cells))
    return true
  }
  const matched = is(/^The order (\d+) is (partially|fully) matched\. LastPx: (\d+), LastQty: (\d+)$/)
  if (matched !== undefined) {
    const [id = "", how, price, quantity] = matched
    const seen = async () => (await stage.filled(id)).last
    await expect.poll(seen, { timeout: 45_000 }).toBe(Number(quantity))
    const order = await stage.order(id)
    expect((await stage.filled(id)).price).toBe(Number(price))
    expect(order.filled === order.size).toBe(how === "fully")
    return true
  }
  const owner = is(/^A client \w+ orders:$/)
  if (owner !== undefined) {
    for (const [id = "", price, size, filled] of cells.slice(1))
      expect(await stage.order(id)).toEqual({ price: Number(price), size: Number(size), filled: Number(filled) })
    return true
  }
  if (words === "No trade events") {
    expect(await stage.trades()).toBe(memory.trades)
    return true
  }
  const idle = is(/^A client (\w+) does not have active orders$/)?.[0]
  if (idle !== undefined) {
    await expect.poll(() => stage.active(idle), { timeout: 45_000 }).toBe(0)
    return true
  }
  const rich = is(/^A balance of a client (\w+):$/)?.[0]
  if (rich !== undefined) {
    if ((await stage.balances(rich)) !== null)
      await expect.poll(() => stage.balances(rich), { timeout: 45_000 }).toMatchObject(rows())
    return true
  }
  return false
}

/** Binds every line of the feature to its scenario on a stage; a stage without money leaves the balances out. */
export const bindFeature = (text: string, name: string, stageOf: () => Stage, moneyIsKept: boolean): void => {
  const scenarios = scenariosOf(text)
  const opened = scenariosOf(`\nScenario: Background\n${text.split("Background:")[1]?.split("@")[0] ?? ""}`).flatMap(
    ({ steps }) => steps,
  )
  const steps = [...opened, ...scenarios.flatMap((scenario) => scenario.steps)]
  const isMoney = ({ words }: Step): boolean => words.includes(" balance")
  const table = new VectorTable(
    `basic.feature, ${name}`,
    steps.map(({ row }) => row),
  )
  for (const [index, scenario] of scenarios.entries()) {
    const proved = index === 0 ? [...opened, ...scenario.steps] : scenario.steps
    table.proved(
      proved.filter((step) => moneyIsKept || !isMoney(step)).map(({ row }) => row),
      scenario.name,
      async () => {
        const stage = stageOf()
        const memory = { trades: 0 }
        for (const step of [...opened, ...scenario.steps])
          expect([step.row, await does(stage, step, memory)]).toEqual([step.row, true])
        await stage.close()
      },
    )
  }
  if (!moneyIsKept)
    table.notApplicable(
      steps.filter(isMoney).map(({ row }) => row),
      "the matcher keeps no money; proved over HTTP",
    )
  table.close()
}
