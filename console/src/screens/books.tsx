/** A wall of books: many markets at a glance, one key from each to its trading. */
import { effect } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { LISTED_MAX, list, listed, unlist } from "../books/listed.ts"
import { Wall } from "../books/wall.ts"
import { listenFor } from "../keyboard.ts"
import { now } from "../live.ts"
import { Empty } from "../parts/ui.tsx"
import { userId } from "../session.ts"
import { pick } from "../trade/market.ts"
import { Picker } from "../trade/picker.tsx"

const trade = (id: string): void => {
  pick(id)
  location.hash = "#/trade"
}

export const BooksScreen = () => {
  const box = useRef<HTMLUListElement>(null)
  const rate = useRef<HTMLElement>(null)
  const [isPicking, setPicking] = useState(false)
  useEffect(() => {
    if (userId.value === null) return undefined
    const wall = new Wall(box.current!, { onOpen: trade, onRemove: unlist })
    const stopShowing = effect(() => wall.show(listed.value))
    let seen = { changes: 0, at: performance.now() }
    const stopTicking = now.subscribe(() => {
      wall.tick()
      const next = { changes: wall.changes, at: performance.now() }
      const perSecond = ((next.changes - seen.changes) * 1_000) / (next.at - seen.at || 1)
      if (rate.current !== null) rate.current.textContent = `${Math.max(0, Math.round(perSecond))} changes/s`
      seen = next
    })
    const deaf = listenFor("books", {
      ArrowRight: () => wall.press("ArrowRight"),
      ArrowLeft: () => wall.press("ArrowLeft"),
      ArrowDown: () => wall.press("ArrowDown"),
      ArrowUp: () => wall.press("ArrowUp"),
      a: () => setPicking(true),
      x: () => {
        const { chosen } = wall
        if (chosen === null) return
        wall.press("ArrowRight")
        unlist(chosen)
      },
    })
    return () => {
      deaf()
      stopTicking()
      stopShowing()
      wall.close()
    }
  }, [userId.value])
  return (
    <section class="wall" aria-label="Books">
      <header>
        <span class="num">{listed.value.length} books</span>
        <small class="dim num" id="rate" ref={rate} />
        <span class="grow" />
        <small class="dim keys-hint">
          arrows choose, <kbd>Enter</kbd> trades, <kbd>x</kbd> removes
        </small>
        <button type="button" disabled={listed.value.length >= LISTED_MAX} onClick={() => setPicking(true)}>
          Add <kbd>a</kbd>
        </button>
      </header>
      {listed.value.length === 0 && <Empty>No book stands here. Add one, or a whole venue's at once.</Empty>}
      <ul class="tiles" ref={box} />
      {isPicking && (
        <Picker title="Add a book" onTake={(id) => list([id])} onTakeAll={list} onClose={() => setPicking(false)} />
      )}
    </section>
  )
}
