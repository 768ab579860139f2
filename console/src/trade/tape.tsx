/** The newest trades of the market, drawn like the ladder: rows once, texts when they change. */
import { useEffect, useRef } from "preact/hooks"
import { clock, digits, filling } from "../format.ts"
import { Scroll } from "../parts/ui.tsx"
import { onFrame, trades } from "./market.ts"

const ROWS = 40

export const Tape = () => {
  const box = useRef<HTMLTableSectionElement>(null)
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
    return onFrame(() => {
      const shown = trades.slice(0, ROWS)
      const most = Math.max(0, ...shown.map(({ quantity }) => digits(quantity)))
      const mostPrice = Math.max(0, ...shown.map(({ price }) => digits(price)))
      for (const [at, { row, cells }] of rows.entries()) {
        const trade = shown[at]
        const name = trade === undefined ? "none" : trade.side === "BUY" ? "buy" : trade.side === "SELL" ? "sell" : ""
        if (row.className !== name) row.className = name
        const texts =
          trade === undefined
            ? ["", "", ""]
            : [
                trade.price + filling(trade.price, mostPrice),
                trade.quantity + filling(trade.quantity, most),
                clock(trade.timestamp),
              ]
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
    </Scroll>
  )
}
