/** Texts that change many times a second: written only where they changed, and filled up behind so that points stand below each other. */
import { filling, withoutZeros } from "../format.ts"

export interface TextCell {
  readonly text: Text
  readonly fill: Text
}

export const write = (node: Text, text: string): void => {
  if (node.data !== text) node.data = text
}

/** In a `<span>` of its own below the parent. */
export const textCell = (parent: HTMLElement, name: string): TextCell => {
  const box = document.createElement("span")
  box.className = name
  const text = document.createTextNode("")
  const fill = document.createTextNode("")
  const padding = document.createElement("i")
  padding.setAttribute("aria-hidden", "true")
  padding.append(fill)
  box.append(text, padding)
  parent.append(box)
  return { text, fill }
}

/** Of a column of so many digits; zeros behind them are left out. */
export const writeDecimal = (cell: TextCell, text: string, most: number): void => {
  const shown = withoutZeros(text, most)
  write(cell.text, shown)
  write(cell.fill, shown === "" ? "" : filling(shown, most))
}
