/** The newest trades of the market, drawn like the ladder: rows once, texts when they change. */
import { useEffect, useRef } from "preact/hooks"
import { clock, filling, withoutZeros } from "../format.ts"
import { Digits } from "../parts/column.ts"
import { Scroll } from "../parts/ui.tsx"
import { instrumentId, onFrame, trades } from "./market.ts"

const ROWS = 40

const filled = (text: string, most: number): string => {
  const shown = withoutZeros(text, most)
  return shown + filling(shown, most)
}

export const Tape = () => {
  const box = useRef<HTMLTableSectionElement>(null)
  const none = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    const rows = Array.from({ length: ROWS }, () => {
      const row = document.createElement("tr")
      const cells = ["num", "num", "num dim"].map((name) => {
        const cell = document.createElement("td")
        cell.className = name
        row.append(cell)
        return cell
      })
      box.current?.append(row)
      return { row, cells }
    })
    let of = ""
    let [prices, sizes] = [new Digits(), new Digits()]
    return onFrame(() => {
      const shown = trades.slice(0, ROWS)
      if (none.current !== null && none.current.hidden !== shown.length > 0) none.current.hidden = shown.length > 0
      if (of !== instrumentId.peek()) {
        of = instrumentId.peek()
        ;[prices, sizes] = [new Digits(), new Digits()]
      }
      for (const { price, quantity } of shown) {
        prices.see(price)
        sizes.see(quantity)
      }
      for (const [at, { row, cells }] of rows.entries()) {
        const trade = shown[at]
        const name = trade === undefined ? "none" : trade.side === "BUY" ? "buy" : trade.side === "SELL" ? "sell" : ""
        if (row.className !== name) row.className = name
        const texts =
          trade === undefined
            ? ["", "", ""]
            : [filled(trade.price, prices.most), filled(trade.quantity, sizes.most), clock(trade.timestamp)]
        for (const [column, cell] of cells.entries())
          if (cell.textContent !== texts[column]) cell.textContent = texts[column] ?? ""
      }
    })
  }, [])
  return (
    <Scroll label="Trades">
      <table class="tape">
        <thead>
          <tr>
            <th>Price</th>
            <th>Size</th>
            <th>Time</th>
          </tr>
        </thead>
        <tbody ref={box} />
      </table>
      <p class="empty" ref={none}>
        No trade was told yet.
      </p>
    </Scroll>
  )
}
