/** One piece of work at a time: what is asked for meanwhile is done once more afterwards, however often it was asked. */
export interface OneAtATime {
  readonly ask: () => void
  /** What is at work ends by itself; nothing follows it. */
  readonly stop: () => void
}

/** `pause` is awaited between one and the next. `work` does not throw. */
export const oneAtATime = (work: () => Promise<void>, pause: () => Promise<void>): OneAtATime => {
  let isAsked = false
  let isAtWork = false
  let isOver = false
  const go = async (): Promise<void> => {
    isAtWork = true
    while (isAsked && !isOver) {
      isAsked = false
      await work()
      if (isAsked && !isOver) await pause()
    }
    isAtWork = false
  }
  return {
    ask: () => {
      isAsked = true
      if (!isAtWork) void go()
    },
    stop: () => {
      isOver = true
    },
  }
}
