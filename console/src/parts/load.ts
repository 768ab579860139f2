/**
 * What a screen reads: loaded when it opens, again when it is asked to; what went wrong stands beside what was read before. The one thing to
 * know: one read at a time, so that an account that changes faster than it is read is still shown.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { isAway } from "../keyboard.ts"
import { wordsOf } from "../session.ts"
import { type OneAtATime, oneAtATime } from "./one-at-a-time.ts"

export interface Loaded<A> {
  readonly value: A | null
  /** When it was asked for, ms; null: never. */
  readonly readAt: number | null
  readonly fault: string | null
  readonly isLoading: boolean
  readonly again: () => void
}

interface Read<A> extends Pick<Loaded<A>, "value" | "readAt" | "fault"> {
  readonly key: string
}

/** Between two reads of what changes all the time. */
const BETWEEN_MS = 250
const between = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))

/**
 * `key`: of what is read; of another one nothing of before is shown. `everyMs`: read again and again. `version`: with another one it is read
 * again, and what was read before is shown until then.
 */
export const useLoaded = <A>(key: string, read: () => Promise<A>, everyMs?: number, version?: unknown): Loaded<A> => {
  const [state, setState] = useState<Read<A>>({ key, value: null, readAt: null, fault: null })
  const [round, setRound] = useState(0)
  const [isLoading, setLoading] = useState(true)
  const reader = useRef(read)
  reader.current = read
  const reads = useRef<OneAtATime | null>(null)
  useEffect(() => {
    let isOver = false
    const own = oneAtATime(async () => {
      setLoading(true)
      const readAt = Date.now()
      let fault: string | null = null
      let value: A | null = null
      try {
        value = await reader.current()
      } catch (error) {
        fault = wordsOf(error)
      }
      if (isOver) return
      setState((before) => {
        if (fault === null) return { key, value, readAt, fault }
        return before.key === key ? { ...before, fault } : { key, value: null, readAt: null, fault }
      })
      setLoading(false)
    }, between)
    reads.current = own
    return () => {
      isOver = true
      own.stop()
    }
  }, [key])
  // After the one above, which makes what is asked here.
  useEffect(() => reads.current?.ask(), [key, round, version])
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const timer = setInterval(() => {
      if (!isAway()) setRound((before) => before + 1)
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  const again = useCallback(() => setRound((before) => before + 1), [])
  const isOwn = state.key === key
  return {
    value: isOwn ? state.value : null,
    readAt: isOwn ? state.readAt : null,
    fault: isOwn ? state.fault : null,
    isLoading,
    again,
  }
}
