/**
 * The state of the database, for health: one query with everything in it, on a connection of its own, so that a busy pool does not make it look
 * down. The one thing to know: at most one query is in flight, however often it is requested and however long it stays unanswered.
 */
import type pg from "pg"
import { connectDedicated, newestMigration } from "./sql.ts"

export interface DatabaseFacts {
  /** The server's clock less ours, in ms; half of what the question took is its error. */
  readonly skewMillis: number
  readonly skewErrorMillis: number
  /** A COMMIT that returned survives a crash of the server. */
  readonly isDurable: boolean
  /** The schema is the one that this program was built for. */
  readonly isCurrent: boolean
  readonly mails: {
    readonly waiting: number
    /** Wall ms; null without any. */
    readonly oldestAt: number | null
    /** The most that one of them has been tried. */
    readonly attempts: number
  }
}

export interface DatabaseWatch {
  /** Null: no answer in time, or none at all. Never rejects. */
  readonly look: () => Promise<DatabaseFacts | null>
  readonly close: () => void
}

const ANSWER_MILLIS = 500
/** A question without an answer for so long: the connection may be what is broken, so it is made anew. */
const GIVE_UP_MILLIS = 5_000

const QUESTION = `
  SELECT current_setting('synchronous_commit') AS commit, (SELECT max(id) FROM schema_migration) AS migration,
    extract(epoch FROM clock_timestamp()) * 1000 AS clock, count(*) AS mails, min(created_at) AS oldest, max(attempts) AS attempts
  FROM mail_outbox WHERE envelope IS NOT NULL`

interface Row {
  readonly commit: string
  readonly migration: number | null
  readonly clock: string
  readonly mails: string
  readonly oldest: string | null
  readonly attempts: number | null
}

const factsOf = (row: Row, askedAt: number, answeredAt: number, newest: number): DatabaseFacts => ({
  skewMillis: Number(row.clock) - (askedAt + answeredAt) / 2,
  skewErrorMillis: (answeredAt - askedAt) / 2,
  isDurable: row.commit !== "off",
  isCurrent: row.migration === newest,
  mails: {
    waiting: Number(row.mails),
    oldestAt: row.oldest === null ? null : Number(row.oldest),
    attempts: row.attempts ?? 0,
  },
})

export const watchDatabase = (
  url: string,
  { now, monotonic }: { readonly now: () => number; readonly monotonic: () => number },
): DatabaseWatch => {
  const newest = newestMigration()
  let client: pg.Client | undefined
  let isClosed = false
  let asked: { readonly at: number; readonly answer: Promise<DatabaseFacts | null> } | undefined

  const connected = async (): Promise<pg.Client> => {
    if (client !== undefined) return client
    const fresh = await connectDedicated(url, { applicationName: "venue-gateway health" })
    fresh.once("end", () => {
      if (client === fresh) client = undefined
    })
    if (isClosed) void fresh.end().catch(() => undefined)
    else client = fresh
    return fresh
  }

  /** With a question on its way this destroys the socket, which answers the question with an error. */
  const drop = (): void => {
    const lost = client
    client = undefined
    void lost?.end().catch(() => undefined)
  }

  const ask = async (): Promise<DatabaseFacts | null> => {
    try {
      const on = await connected()
      const askedAt = now()
      const { rows } = await on.query<Row>(QUESTION)
      return rows[0] === undefined ? null : factsOf(rows[0], askedAt, now(), newest)
    } catch {
      drop()
      return null
    }
  }

  const atMost = (answer: Promise<DatabaseFacts | null>, millis: number): Promise<DatabaseFacts | null> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), millis)
    })
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }

  return {
    look: () => {
      if (isClosed) return Promise.resolve(null)
      if (asked === undefined) {
        const answer = ask().finally(() => {
          if (asked?.answer === answer) asked = undefined
        })
        asked = { at: monotonic(), answer }
      } else if (monotonic() - asked.at > GIVE_UP_MILLIS) drop()
      return atMost(asked.answer, Math.max(0, ANSWER_MILLIS - (monotonic() - asked.at)))
    },
    close: () => {
      isClosed = true
      drop()
    },
  }
}
