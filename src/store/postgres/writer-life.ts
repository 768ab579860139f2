/**
 * The lifecycle of a writer (orders or ledger): waiting until it is idle, and the reason it ended. The one thing to know: when it is
 * over nothing settles any more, and whoever waited for it hears why.
 */

export interface WriterLife {
  /** A callback of an owner: what it throws is its defect, not the writer's. */
  readonly guarded: (run: () => void) => void
  readonly isOver: () => boolean
  /** Ends the connection. */
  readonly close: () => void
  /** Its own defect, not a callback's: what is in memory is not to be trusted any more, and nobody else would store anything. */
  readonly broken: (error: unknown) => void
  /** The fence is gone: another process owns the database. */
  readonly fenced: () => void
  /** Nothing waits and nothing is in flight. */
  readonly idle: () => void
  /** Resolves when the writer is idle; rejects when it is over before. */
  readonly drain: (isIdle: boolean) => Promise<void>
}

export const writerLife = (options: {
  readonly name: string
  readonly nodeId: string
  readonly epoch: number
  readonly close: () => void
  readonly lost: (reason: string) => void
  readonly defect: (error: unknown) => void
}): WriterLife => {
  let ended: string | undefined
  let drains: Array<{ readonly resolve: () => void; readonly reject: (error: Error) => void }> = []

  /** The first reason counts. */
  const end = (reason: string): void => {
    if (ended !== undefined) return
    ended = reason
    options.close()
    for (const { reject } of drains) reject(new Error(reason))
    drains = []
  }
  return {
    guarded: (run) => {
      try {
        run()
      } catch (error) {
        options.defect(error)
      }
    },
    isOver: () => ended !== undefined,
    close: () => end(`${options.name} is closed`),
    broken: (error) => {
      options.defect(error)
      const reason = `${options.name} has a defect`
      end(reason)
      options.lost(reason)
    },
    fenced: () => {
      const reason = `another process owns the database: node ${options.nodeId} has no longer epoch ${options.epoch}`
      end(reason)
      options.lost(reason)
    },
    idle: () => {
      for (const { resolve } of drains) resolve()
      drains = []
    },
    drain: (isIdle) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) reject(new Error(ended))
        else if (isIdle) resolve()
        else drains.push({ resolve, reject })
      }),
  }
}
