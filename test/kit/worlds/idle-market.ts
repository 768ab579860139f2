/** A market whose feed is closed until the gateway asks for its ticker, and closes again when the test says so. */
import type { MovingMarket } from "../../sim/world.ts"

export class IdleMarket implements MovingMarket {
  /** How often the ticker was asked for. */
  asked = 0
  private known: string | null = null

  /** `price`: what the ticker says; null: it never comes. */
  constructor(public price: string | null) {}

  /** A client reads the ticker. */
  read(): void {
    this.known = this.price
  }

  close(): void {
    this.known = null
  }

  of() {
    return { bars: [], asks: [["100", "1000"]] as const, lastPrice: this.known }
  }

  begin(): void {
    this.close()
  }

  know(): void {
    this.asked++
    this.read()
  }

  tellsHistory(): boolean {
    return true
  }

  follow(): () => void {
    return () => undefined
  }
}
