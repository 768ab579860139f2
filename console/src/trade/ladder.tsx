/**
 * The book as a ladder: asks above, bids below. The one thing to know: its rows are made once and only texts that changed are written, once a
 * frame. In a row stand the venue's own digits, without zeros that no row needs; the ladder is dimmed and says why from the moment its book
 * is not trusted.
 */
import { useEffect, useRef } from "preact/hooks"
import { compareDecimals, type Level, type TradeOrder } from "../../../clients/typescript/src/index.ts"
import { basisPoints, neededDigits, plus } from "../format.ts"
import { followed } from "../live.ts"
import { Digits } from "../parts/column.ts"
import { type TextCell, textCell, writeDecimal } from "../parts/text-cell.ts"
import { currentBook, instrumentId, onFrame } from "./market.ts"

interface Row {
  readonly element: HTMLButtonElement
  readonly price: TextCell
  readonly size: TextCell
  readonly total: TextCell
  readonly own: HTMLElement
  readonly bar: HTMLElement
  level: Level | null
}

const ROW_HEIGHT = 22
const ROWS_MAX = 25
const ROWS_MIN = 5

const newRow = (side: "bid" | "ask", onPick: (row: Row) => void): Row => {
  const element = document.createElement("button")
  element.type = "button"
  element.tabIndex = -1
  element.className = `level ${side}`
  const bar = document.createElement("span")
  bar.className = "bar"
  const own = document.createElement("span")
  own.className = "own"
  element.append(bar, own)
  const [total, size, price] = [textCell(element, "total"), textCell(element, "size"), textCell(element, "price")]
  const row: Row = { element, total, size, price, own, bar, level: null }
  element.addEventListener("click", () => onPick(row))
  return row
}

/** Of our own open orders at a price: the side's quantity that is still to be executed. */
const ownAt = (orders: ReadonlyArray<TradeOrder>, side: "BUY" | "SELL"): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const order of orders)
    if (order.orderSide === side && order.limitPrice !== null && order.instrumentId === instrumentId.peek())
      found.set(order.limitPrice, (found.get(order.limitPrice) ?? 0) + 1)
  return found
}

const ownOf = (own: ReadonlyMap<string, number>, price: string): number => {
  const exact = own.get(price)
  if (exact !== undefined) return exact
  for (const [mine, count] of own) if (compareDecimals(mine, price) === 0) return count
  return 0
}

class Drawing {
  readonly #asks: Array<Row> = []
  readonly #bids: Array<Row> = []
  readonly #askBox: HTMLElement
  readonly #bidBox: HTMLElement
  readonly #spread: HTMLElement
  readonly #onPick: (price: string) => void
  readonly #box: HTMLElement
  /** The instrument whose digits are these. */
  #of = ""
  #prices = new Digits()
  #sizes = new Digits()

  constructor(box: HTMLElement, onPick: (price: string) => void) {
    this.#box = box
    this.#onPick = onPick
    this.#askBox = document.createElement("div")
    this.#askBox.className = "asks"
    this.#spread = document.createElement("div")
    this.#spread.className = "spread num"
    this.#bidBox = document.createElement("div")
    this.#bidBox.className = "bids"
    box.append(this.#askBox, this.#spread, this.#bidBox)
  }

  resize(): void {
    const rows = Math.floor((this.#box.clientHeight - 30) / 2 / ROW_HEIGHT)
    const wanted = Math.max(ROWS_MIN, Math.min(ROWS_MAX, rows))
    for (const [rows, box, side] of [
      [this.#asks, this.#askBox, "ask"],
      [this.#bids, this.#bidBox, "bid"],
    ] as const) {
      while (rows.length > wanted) rows.pop()?.element.remove()
      while (rows.length < wanted) {
        const row = newRow(side, ({ level }) => level !== null && this.#onPick(level[0]))
        rows.push(row)
        box.append(row.element)
      }
    }
  }

  draw(): void {
    const book = currentBook()
    const asks = book?.asks.slice(0, this.#asks.length) ?? []
    const bids = book?.bids.slice(0, this.#bids.length) ?? []
    const orders = followed.peek()?.orders ?? []
    if (this.#of !== instrumentId.peek()) {
      this.#of = instrumentId.peek()
      this.#prices = new Digits()
      this.#sizes = new Digits()
    }
    for (const [price, quantity] of [...asks, ...bids]) {
      this.#prices.see(price)
      this.#sizes.see(quantity)
    }
    const [priceDigits, sizeDigits] = [this.#prices.most, this.#sizes.most]
    const totals = [asks, bids].map((levels) => {
      let sum = "0"
      return levels.map(([, quantity]) => {
        sum = plus(sum, quantity)
        return sum
      })
    })
    const largest = Math.max(...totals.map((of) => Number(of.at(-1) ?? 0)), Number.MIN_VALUE)
    this.#side(this.#asks, asks, totals[0]!, largest, ownAt(orders, "SELL"), priceDigits, sizeDigits)
    this.#side(this.#bids, bids, totals[1]!, largest, ownAt(orders, "BUY"), priceDigits, sizeDigits)
    const sequence = String(book?.sequence ?? "")
    if (this.#box.dataset["sequence"] !== sequence) this.#box.dataset["sequence"] = sequence
    const [ask, bid] = [asks[0]?.[0], bids[0]?.[0]]
    const words = ask === undefined || bid === undefined ? "no book" : spreadWords(bid, ask)
    if (this.#spread.textContent !== words) this.#spread.textContent = words
  }

  #side(
    rows: ReadonlyArray<Row>,
    levels: ReadonlyArray<Level>,
    totals: ReadonlyArray<string>,
    largest: number,
    own: ReadonlyMap<string, number>,
    priceDigits: number,
    sizeDigits: number,
  ): void {
    for (const [at, row] of rows.entries()) {
      const level = levels[at] ?? null
      row.level = level
      const [price, size, total] = level === null ? ["", "", ""] : [level[0], level[1], totals[at]!]
      writeDecimal(row.price, price, priceDigits)
      writeDecimal(row.size, size, sizeDigits)
      writeDecimal(row.total, total, sizeDigits)
      const count = level === null || own.size === 0 ? 0 : ownOf(own, price)
      const mark = count === 0 ? "" : count === 1 ? "●" : String(count)
      if (row.own.textContent !== mark) row.own.textContent = mark
      row.bar.style.transform = `scaleX(${level === null ? 0 : (Number(total) / largest).toFixed(3)})`
    }
  }
}

const spreadWords = (bid: string, ask: string): string => {
  const most = Math.max(neededDigits(ask), neededDigits(bid))
  return `spread ${(Number(ask) - Number(bid)).toFixed(most)} · ${basisPoints(bid, ask)}`
}

export const Ladder = ({ onPick }: { readonly onPick: (price: string) => void }) => {
  const box = useRef<HTMLDivElement>(null)
  const picked = useRef(onPick)
  picked.current = onPick
  useEffect(() => {
    const drawing = new Drawing(box.current!, (price) => picked.current(price))
    drawing.resize()
    const observer = new ResizeObserver(() => {
      drawing.resize()
      drawing.draw()
    })
    observer.observe(box.current!)
    const stop = onFrame(() => drawing.draw())
    const unfollow = followed.subscribe(() => drawing.draw())
    return () => {
      observer.disconnect()
      stop()
      unfollow()
    }
  }, [])
  return (
    <>
      <div class="ladder-head" aria-hidden="true">
        <span>Total</span>
        <span>Size</span>
        <span>Price</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: rows are drawn by hand. */}
      <div class="ladder" id="ladder" ref={box} role="group" aria-label="Order book" />
    </>
  )
}
