/**
 * Many books at once, drawn by hand. The one thing to know: whatever changed is written 30 times a second, all in one frame, and nothing of a
 * book that is scrolled out of sight; what a book costs does not grow with how often it changes.
 */
import { type Heard, Tile } from "./tile.ts"

/** Somewhat less than two frames of 60 a second: each frame that changes anywhere is put together anew over the whole window, which costs more than the books do. */
const DRAWN_EVERY_MS = 30

export class Wall {
  readonly #box: HTMLElement
  readonly #tiles = new Map<string, Tile>()
  readonly #due = new Set<Tile>()
  readonly #heard: Heard
  readonly #sight: IntersectionObserver
  #frame = 0
  #drawnAt = 0

  constructor(box: HTMLElement, heard: Omit<Heard, "onDue">) {
    this.#box = box
    this.#heard = { ...heard, onDue: (tile) => this.#ask(tile) }
    this.#sight = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const tile = this.#tiles.get((target as HTMLElement).dataset["book"] ?? "")
        if (tile === undefined) continue
        tile.isSeen = isIntersecting
        if (isIntersecting) this.#ask(tile)
      }
    })
  }

  /** Exactly these, in this order. */
  show(ids: ReadonlyArray<string>): void {
    const wanted = new Set(ids)
    for (const [id, tile] of this.#tiles)
      if (!wanted.has(id)) {
        this.#tiles.delete(id)
        this.#due.delete(tile)
        this.#sight.unobserve(tile.element)
        tile.close()
      }
    for (const id of ids) {
      const known = this.#tiles.get(id)
      if (known !== undefined) continue
      const tile = new Tile(id, this.#heard)
      this.#tiles.set(id, tile)
      this.#box.append(tile.element)
      this.#sight.observe(tile.element)
    }
    this.#reach([...this.#tiles.values()][0])
  }

  /** Changes of all its books since it was made. */
  get changes(): number {
    let sum = 0
    for (const { changes } of this.#tiles.values()) sum += changes
    return sum
  }

  /** Once a second: ages go on where nothing comes. */
  tick(): void {
    for (const tile of this.#tiles.values()) if (tile.isSeen) tile.tick()
  }

  /** One place further; vertically to the next row. Undefined keys do nothing. Answers whether it was one of its keys. */
  press(key: string): boolean {
    const tiles = [...this.#tiles.values()]
    const at = tiles.findIndex(({ name }) => name === document.activeElement)
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: this.#columns(tiles),
      ArrowUp: -this.#columns(tiles),
    }
    const step = steps[key]
    if (step === undefined || tiles.length === 0) return false
    const next = at < 0 ? 0 : at + step
    const tile = tiles[next]
    if (tile === undefined) return true
    this.#reach(tile)
    tile.name.focus()
    return true
  }

  /** The one that has the focus. */
  get chosen(): string | null {
    for (const { name, instrumentId } of this.#tiles.values()) if (name === document.activeElement) return instrumentId
    return null
  }

  close(): void {
    cancelAnimationFrame(this.#frame)
    this.#sight.disconnect()
    for (const tile of this.#tiles.values()) tile.close()
    this.#tiles.clear()
    this.#due.clear()
  }

  /** The only one that Tab reaches. */
  #reach(chosen: Tile | undefined): void {
    for (const tile of this.#tiles.values()) tile.name.tabIndex = tile === chosen ? 0 : -1
  }

  #columns(tiles: ReadonlyArray<Tile>): number {
    const top = tiles[0]?.element.offsetTop
    const next = tiles.findIndex(({ element }) => element.offsetTop !== top)
    return next < 0 ? tiles.length : next
  }

  #ask(tile: Tile): void {
    if (!tile.isSeen) return
    this.#due.add(tile)
    if (this.#frame === 0) this.#await()
  }

  #await(): void {
    this.#frame = requestAnimationFrame((at) => {
      if (at - this.#drawnAt < DRAWN_EVERY_MS) return this.#await()
      this.#frame = 0
      this.#drawnAt = at
      for (const due of this.#due) due.draw()
      this.#due.clear()
    })
  }
}
