/**
 * The connection of a writer, of orders or of the ledger, and its lifetime. The one thing to know: `ask` returns only when the database has
 * answered, with rows or with a definite refusal; after a lost connection, a timeout or a transient error the very same query is resent for as
 * long as it takes. Once the session has ended nothing settles any more, and pending callers get the reason.
 */
import type pg from "pg"
import { isDefinite } from "./storage-failure.ts"

// The lifecycle of a writer (orders or ledger): waiting until it is idle, and the reason it ended. The one thing to know: when it is
// over nothing settles any more, and every caller that waited for it hears why.

interface WriterLife {
  /** A callback of an owner: what it throws is its defect, not the writer's. */
  readonly guarded: (run: () => void) => void
  readonly isOver: () => boolean
  /** Ends the connection. */
  readonly close: () => void
  /** Its own defect, not a callback's: memory can no longer be trusted, and nothing else would store anything. */
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
      const reason = `${options.name} failed with a defect`
      end(reason)
      options.lost(reason)
    },
    fenced: () => {
      const reason = `another process owns the database: node ${options.nodeId} no longer has epoch ${options.epoch}`
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

interface Query {
  /** Prepared once per connection under this name. */
  readonly name: string
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

type Answer =
  | { readonly _tag: "Rows"; readonly rows: ReadonlyArray<Record<string, unknown>> }
  /** The values are refused, now and for ever (SQLSTATE class 21, 22, 23, 54). */
  | { readonly _tag: "Refused"; readonly error: unknown }
  /** The session was closed before an answer came: nothing is known. */
  | { readonly _tag: "Closed" }

export interface WriterSession {
  /** `sent`: when the query has left this process, each time it does. */
  readonly ask: (query: Query, sent?: () => void) => Promise<Answer>
  /** How often a query was sent once more. */
  readonly retries: () => number
  /** Ends the connection; callers waiting in `ask` get Closed. */
  readonly close: () => void
}

const BACKOFF_MIN_MILLIS = 10
const BACKOFF_MAX_MILLIS = 1_000

export const openWriterSession = (options: {
  /** Whose it is, for warnings. */
  readonly name: string
  readonly connect: () => Promise<pg.Client>
  /** Without an answer for this long the connection counts as lost. */
  readonly timeoutMillis: number
  readonly warn: (message: string) => void
}): WriterSession => {
  let client: pg.Client | undefined
  let closed = false
  let retries = 0
  let wake: (() => void) | undefined

  const connected = async (): Promise<pg.Client> => {
    if (client !== undefined) return client
    const fresh = await options.connect()
    fresh.once("end", () => {
      if (client === fresh) client = undefined
    })
    // The writer's few statements suit every batch: planning 40 arrays again for each would cost more than running them.
    await fresh.query("SET plan_cache_mode = force_generic_plan")
    if (closed) drop(fresh)
    else client = fresh
    return fresh
  }

  /** With a query in flight pg's end() destroys the socket at once; the server finds out by itself and rolls back or commits. */
  const drop = (lost: pg.Client | undefined): void => {
    if (lost === undefined) return
    if (client === lost) client = undefined
    void lost.end().catch(() => undefined)
  }

  const once = (on: pg.Client, query: Query, sent?: () => void): Promise<ReadonlyArray<Record<string, unknown>>> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`no response within ${options.timeoutMillis} ms`))
        drop(on)
      }, options.timeoutMillis)
      on.query<Record<string, unknown>>({ name: query.name, text: query.text, values: [...query.values] }).then(
        (result) => {
          clearTimeout(timer)
          resolve(result.rows)
        },
        (error: unknown) => {
          clearTimeout(timer)
          reject(error)
        },
      )
      if (sent !== undefined) setImmediate(sent)
    })

  const pause = (millis: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, millis)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  return {
    ask: async (query, sent) => {
      let backoffMillis = BACKOFF_MIN_MILLIS
      while (!closed) {
        let used: pg.Client | undefined
        try {
          used = await connected()
          return { _tag: "Rows", rows: await once(used, query, sent) }
        } catch (error) {
          if (isDefinite(error)) return { _tag: "Refused", error }
          if (closed) break
          // A new connection even after an error that the server reported: its statements are prepared anew, which cures stale plans.
          drop(used)
          retries++
          options.warn(`the ${options.name} is retrying: ${error instanceof Error ? error.message : String(error)}`)
          await pause(backoffMillis)
          backoffMillis = Math.min(backoffMillis * 2, BACKOFF_MAX_MILLIS)
        }
      }
      return { _tag: "Closed" }
    },
    retries: () => retries,
    close: () => {
      closed = true
      drop(client)
      wake?.()
    },
  }
}
