/** What a screen reads: loaded when it opens, again when it is asked to; what went wrong stands beside what was read before. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { isAway } from "../keyboard.ts"
import { wordsOf } from "../session.ts"

export interface Loaded<A> {
  readonly value: A | null
  readonly fault: string | null
  readonly isLoading: boolean
  readonly again: () => void
}

/**
 * `key`: of what is read; of another one nothing of before is shown. `everyMs`: read again and again. `version`: with another one it is read
 * again, and what was read before is shown until then.
 */
export const useLoaded = <A>(key: string, read: () => Promise<A>, everyMs?: number, version?: unknown): Loaded<A> => {
  const [state, setState] = useState<{ readonly key: string; readonly value: A | null; readonly fault: string | null }>(
    {
      key,
      value: null,
      fault: null,
    },
  )
  const [round, setRound] = useState(0)
  const [isLoading, setLoading] = useState(true)
  const reader = useRef(read)
  reader.current = read
  useEffect(() => {
    let isOver = false
    setLoading(true)
    reader.current().then(
      (value) => {
        if (isOver) return
        setState({ key, value, fault: null })
        setLoading(false)
      },
      (error: unknown) => {
        if (isOver) return
        setState((before) => ({ key, value: before.key === key ? before.value : null, fault: wordsOf(error) }))
        setLoading(false)
      },
    )
    return () => {
      isOver = true
    }
  }, [key, round, version])
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const timer = setInterval(() => {
      if (!isAway()) setRound((before) => before + 1)
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  const again = useCallback(() => setRound((before) => before + 1), [])
  return { value: state.key === key ? state.value : null, fault: state.fault, isLoading, again }
}
