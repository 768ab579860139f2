/** What a screen reads: loaded when it opens, again when it is asked to; what went wrong stands beside what was read before. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { wordsOf } from "../session.ts"

export interface Loaded<A> {
  readonly value: A | null
  readonly fault: string | null
  readonly isLoading: boolean
  readonly again: () => void
}

/** `key`: of what is read; another one is read anew, and the old one shown no more. `everyMs`: read again and again. */
export const useLoaded = <A>(key: string, read: () => Promise<A>, everyMs?: number): Loaded<A> => {
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
  }, [key, round])
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const timer = setInterval(() => setRound((before) => before + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  const again = useCallback(() => setRound((before) => before + 1), [])
  return { value: state.key === key ? state.value : null, fault: state.fault, isLoading, again }
}
