/**
 * One key, one act. The one thing to know: while something is typed into a field only Escape is heard, and keys with Ctrl, Alt or Meta are
 * the browser's.
 */
export interface Shortcut {
  /** As `KeyboardEvent.key`, upper case with Shift. */
  readonly key: string
  readonly what: string
  readonly act: () => void
}

const shortcuts = new Map<string, Shortcut>()

/** Answers what takes them away. In a layout effect: a key is heard as soon as its screen is seen. */
export const listenFor = (given: ReadonlyArray<Shortcut>): (() => void) => {
  for (const shortcut of given) shortcuts.set(shortcut.key, shortcut)
  return () => {
    for (const shortcut of given) if (shortcuts.get(shortcut.key) === shortcut) shortcuts.delete(shortcut.key)
  }
}

export const allShortcuts = (): ReadonlyArray<Shortcut> => [...shortcuts.values()]

/** Of all pages of this browser: a session is theirs together. */
const TOUCHED = "console.touched"
const TOUCHES_KEPT_EVERY_MS = 5_000
let touchedAt = Date.now()
let keptAt = 0
for (const kind of ["keydown", "pointerdown", "pointermove", "wheel"])
  addEventListener(
    kind,
    () => {
      touchedAt = Date.now()
      if (touchedAt - keptAt < TOUCHES_KEPT_EVERY_MS) return
      keptAt = touchedAt
      localStorage.setItem(TOUCHED, String(touchedAt))
    },
    { passive: true },
  )

/** Since a page of the console was touched. */
export const untouchedMs = (): number => Date.now() - Math.max(touchedAt, Number(localStorage.getItem(TOUCHED) ?? 0))

const AWAY_MS = 300_000
/** Nobody has touched the page for a while, or sees it: what is asked again and again would keep a session alive that is to end by itself. */
export const isAway = (): boolean => document.hidden || Date.now() - touchedAt > AWAY_MS

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.isContentEditable)

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return
  if (isTyping(event.target)) {
    if (event.key === "Escape") (event.target as HTMLElement).blur()
    return
  }
  if (document.querySelector("dialog[open]") !== null) return
  const shortcut = shortcuts.get(event.key)
  if (shortcut === undefined) return
  event.preventDefault()
  shortcut.act()
})
