/** Columns of decimals: how wide each is. The one thing to know: a column never becomes narrower, so that nothing moves to and fro. */
import { neededDigits, withoutZeros } from "../format.ts"

/** How many digits a column has behind the point: as many as any text in it has needed so far, so that nothing moves to and fro. */
export class Digits {
  most = 0

  see(text: string): void {
    const needed = neededDigits(text)
    if (needed > this.most) this.most = needed
  }
}

/** A column of plain text in a font of one width, where each row is a line: filled up on both sides to the longest text that was seen. */
export class Column {
  readonly #digits = new Digits()
  #whole = 0

  see(text: string): void {
    this.#digits.see(text)
    const at = text.indexOf(".")
    const whole = at < 0 ? text.length : at
    if (whole > this.#whole) this.#whole = whole
  }

  /** In characters. */
  get width(): number {
    const { most } = this.#digits
    return this.#whole + (most === 0 ? 0 : most + 1)
  }

  padded(text: string): string {
    const { most } = this.#digits
    const shown = withoutZeros(text, most)
    const at = shown.indexOf(".")
    const whole = at < 0 ? shown.length : at
    return " "
      .repeat(Math.max(0, this.#whole - whole))
      .concat(shown)
      .padEnd(this.width)
  }
}
