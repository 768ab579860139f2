/**
 * One book of the wall: the best five levels of each side, beside each other. The one thing to know: a level is one line of text, so that a
 * change of it lays out one line and not a grid of boxes, at half the browser's work a frame. A book that is not trusted is dimmed from that
 * moment on and says why.
 */
import { Book, type Distrust } from "../../../clients/typescript/src/index.ts"
import { age, basisPoints } from "../format.ts"
import { Column } from "../parts/column.ts"
import { write } from "../parts/text-cell.ts"
import { gateway, wordsOf } from "../session.ts"
import { SILENCE_MS, WHY } from "../trade/trust.ts"

const LEVELS = 5
/** Of a line, in the narrowest tile; longer ones are written smaller. */
const CHARACTERS_MAX = 35
/** Younger than that a book has no age that is worth reading. */
const AGED_MS = 2_000

interface Row {
  readonly bidSize: Text
  readonly bid: Text
  readonly ask: Text
  readonly askSize: Text
}

const textIn = (row: HTMLElement, name: string): Text => {
  const box = document.createElement("span")
  box.className = name
  const text = document.createTextNode("")
  box.append(text)
  row.append(box)
  return text
}

export interface Heard {
  /** Something of it is to be drawn. */
  readonly onDue: (tile: Tile) => void
  readonly onOpen: (instrumentId: string) => void
  readonly onRemove: (instrumentId: string) => void
}

export class Tile {
  readonly element = document.createElement("li")
  readonly name = document.createElement("button")
  /** How often its book changed. */
  changes = 0
  /** On the screen, not above or below it. */
  isSeen = true
  readonly #book: Book
  readonly #trust = document.createElement("span")
  readonly #words = document.createTextNode("")
  readonly #spread = document.createTextNode("")
  readonly #rows: ReadonlyArray<Row>
  #why: Distrust | null = "OPENING"
  #heardAt = 0
  readonly #prices = new Column()
  readonly #sizes = new Column()
  #characters = 0

  constructor(
    readonly instrumentId: string,
    heard: Heard,
  ) {
    this.element.className = "tile stale"
    this.element.dataset["book"] = instrumentId
    this.name.type = "button"
    this.name.className = "quiet"
    this.name.tabIndex = -1
    this.name.title = `Trade ${instrumentId}`
    const at = instrumentId.indexOf(":")
    const venue = document.createElement("small")
    venue.className = "dim"
    venue.append(`${instrumentId.slice(0, at)} `)
    this.name.append(venue, instrumentId.slice(at + 1))
    this.name.addEventListener("click", () => heard.onOpen(instrumentId))
    this.#trust.className = "badge"
    this.#trust.append(this.#words)
    const remove = document.createElement("button")
    remove.type = "button"
    remove.className = "quiet remove"
    remove.tabIndex = -1
    remove.title = remove.ariaLabel = `Take ${instrumentId} off the wall`
    remove.append("×")
    remove.addEventListener("click", () => heard.onRemove(instrumentId))
    const head = document.createElement("header")
    const spread = document.createElement("small")
    spread.className = "dim num"
    spread.append(this.#spread)
    head.append(this.name, spread, this.#trust, remove)
    this.element.append(head)
    this.#rows = Array.from({ length: LEVELS }, () => {
      const row = document.createElement("div")
      row.className = "level"
      this.element.append(row)
      return {
        bidSize: textIn(row, "size"),
        bid: textIn(row, "bid"),
        ask: textIn(row, "ask"),
        askSize: textIn(row, "size"),
      }
    })
    const due = (): void => heard.onDue(this)
    this.#book = new Book(gateway, instrumentId, {
      silenceMs: SILENCE_MS,
      onChange: () => {
        this.changes += 1
        this.#heardAt = performance.now()
        due()
      },
      onTrust: (why) => {
        this.#why = why
        this.element.classList.toggle("stale", why !== null)
        this.#trust.title = why === null ? "Every update was seen, in order." : WHY[why]
        due()
      },
    })
    this.#book.ready().catch((error: unknown) => {
      this.#trust.title = wordsOf(error)
    })
    this.#tell()
  }

  close(): void {
    this.#book.close()
    this.element.remove()
  }

  draw(): void {
    const { bids, asks } = this.#book
    for (let at = 0; at < LEVELS; at++)
      for (const level of [bids[at], asks[at]]) {
        if (level === undefined) continue
        this.#prices.see(level[0])
        this.#sizes.see(level[1])
      }
    const [prices, sizes] = [this.#prices, this.#sizes]
    for (const [at, row] of this.#rows.entries()) {
      const [bid, ask] = [bids[at], asks[at]]
      write(row.bid, prices.padded(bid?.[0] ?? ""))
      write(row.bidSize, sizes.padded(bid?.[1] ?? ""))
      write(row.ask, prices.padded(ask?.[0] ?? ""))
      write(row.askSize, sizes.padded(ask?.[1] ?? ""))
    }
    this.#fit(2 * (prices.width + sizes.width))
    this.element.dataset["sequence"] = String(this.#book.sequence ?? "")
    const [bid, ask] = [bids[0], asks[0]]
    write(this.#spread, bid === undefined || ask === undefined ? "" : basisPoints(bid[0], ask[0]))
    this.#tell()
  }

  /** Its age, and whether it is trusted: once a second, too. */
  tick(): void {
    this.#tell()
  }

  /** What a line has of the width goes between its columns. */
  #fit(characters: number): void {
    if (characters === this.#characters) return
    this.#characters = characters
    this.element.style.setProperty("--characters", String(characters))
    this.element.classList.toggle("long", characters > CHARACTERS_MAX)
  }

  #tell(): void {
    const silent = performance.now() - this.#heardAt
    const old = this.#heardAt !== 0 && silent > AGED_MS ? age(silent) : ""
    const words = this.#why === null ? old || "live" : `${this.#why.toLowerCase()}${old === "" ? "" : ` ${old}`}`
    write(this.#words, words)
    const name = this.#why === null ? "badge live" : "badge bad"
    if (this.#trust.className !== name) this.#trust.className = name
  }
}
