/** What this browser keeps of how a user left the page: each user's own, so that nothing of one is shown to the next. */
import { effect, type ReadonlySignal, signal } from "@preact/signals"
import { userId } from "../session.ts"

export interface PerUser {
  /** Null: nothing is kept of the user, or there is none. */
  readonly text: ReadonlySignal<string | null>
  readonly keep: (text: string) => void
}

export const perUser = (name: string): PerUser => {
  const text = signal<string | null>(null)
  const key = (): string => `console.${name}.${userId.peek() ?? ""}`
  effect(() => {
    text.value = userId.value === null ? null : localStorage.getItem(key())
  })
  return {
    text,
    keep: (next) => {
      localStorage.setItem(key(), next)
      text.value = next
    },
  }
}
