/**
 * One key, one act. The one thing to know: while something is typed into a field only Escape is heard, and keys with Ctrl, Alt or Meta are
 * the browser's.
 */
import type { Acts, GroupName } from "./shortcuts.ts"

const heard = new Map<string, () => void>()

/** Answers what takes them away. In a layout effect: a key is heard as soon as its screen is seen. */
export const listenFor = <G extends GroupName>(_group: G, acts: Acts<G>): (() => void) => {
  const given = Object.entries<() => void>(acts).map(([name, act]) => [name.replace("Digit", ""), act] as const)
  for (const [key, act] of given) heard.set(key, act)
  return () => {
    for (const [key, act] of given) if (heard.get(key) === act) heard.delete(key)
  }
}

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
  const act = heard.get(event.key)
  if (act === undefined) return
  event.preventDefault()
  act()
})
