/**
 * The access log: one JSON line per answer (specification, conventions 9), gathered in memory and written a few times a second.
 * Neither bodies nor query strings are ever in it; the path is the route's template.
 */
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  type WriteStream,
} from "node:fs"
import { join } from "node:path"
import { type LogLevel, logText } from "../../foundation/log-line.ts"
import { dateTime } from "../../foundation/time.ts"

// Buffers log lines until they are written. The one thing to know: they are bytes from the start. A text that waits keeps every piece it
// was joined of, and is walked through twice when it leaves: that cost more than all else of an access line.

const BLOCK_BYTES = 262_144
/** UTF-16 unit to UTF-8. */
const UNIT_BYTES_MAX = 3
const LINE_FEED = 0x0a

class GatheredLines {
  /** Written to behind `end` only: what was taken is still on its way to the file. */
  private block = Buffer.allocUnsafe(BLOCK_BYTES)
  private start = 0
  private end = 0
  private readonly full: Array<Buffer> = []

  /** As much as is worth a write of its own. */
  get isMuch(): boolean {
    return this.full.length > 0
  }

  /** One line without its line break. */
  add(line: string): void {
    const mostBytes = UNIT_BYTES_MAX * line.length + 1
    if (this.end + mostBytes > this.block.length) this.turn(Math.max(BLOCK_BYTES, mostBytes))
    this.end += this.block.write(line, this.end)
    this.block[this.end++] = LINE_FEED
  }

  /** Everything since the last time, in order. */
  take(): ReadonlyArray<Buffer> {
    if (this.end > this.start) this.full.push(this.block.subarray(this.start, this.end))
    this.start = this.end
    return this.full.splice(0)
  }

  private turn(bytes: number): void {
    if (this.end > this.start) this.full.push(this.block.subarray(this.start, this.end))
    this.block = Buffer.allocUnsafe(bytes)
    this.start = 0
    this.end = 0
  }
}

export interface RequestLog {
  /** One line without its line break. Never throws, never waits. */
  readonly write: (line: string) => void
  readonly close: () => Promise<void>
}

/** Takes one line with its level, and drops those that the operator does not want to see. */
export type AccessLog = (line: string, level: LogLevel) => void

export interface AccessEntry {
  readonly at: number
  readonly requestId: string
  /** Absent: equal to requestId. */
  readonly callId?: string | undefined
  readonly method: string
  readonly route: string
  readonly status: number
  readonly errno: number
  readonly durationMillis: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly userId: string | null
  readonly sessionId: string | null
  /** Of the API key that it came with; absent: none. */
  readonly keyId?: string | undefined
  readonly tradingAccountId: string | null
  /** Absent: the call is about no one order. */
  readonly tradeOrderId?: string | undefined
  readonly ip: string
  readonly userAgent: string
  readonly secure: boolean
  readonly aborted: boolean
  readonly traceId?: string | undefined
}

const quoted = (text: string | null): string => (text === null ? "null" : `"${text}"`)

/** Our own failures stand out; what clients do wrong is everyday life. */
export const levelOf = (status: number): LogLevel => (status >= 500 ? "error" : "info")

/** Most lines have the same client as the line before: its text is not escaped again. */
const remembered = (): ((text: string) => string) => {
  let known = ""
  let written = '""'
  return (text) => {
    if (text !== known) {
      known = text
      written = logText(text.slice(0, 200))
    }
    return written
  }
}
const addressText = remembered()
const agentText = remembered()

/** Everything but the user agent and the address is ours or of a checked form, so only those are escaped. */
export const accessLine = (e: AccessEntry): string =>
  `{"ts":"${dateTime(e.at)}","level":"${levelOf(e.status)}","msg":"access","requestId":"${e.requestId}",` +
  `${e.callId === undefined ? "" : `"callId":"${e.callId}",`}` +
  `${e.traceId === undefined ? "" : `"traceId":"${e.traceId}",`}"method":"${e.method}",` +
  `"route":"${e.route}","status":${e.status},"errno":${e.errno},"durMs":${Math.round(e.durationMillis * 1000) / 1000},` +
  `"bytesIn":${e.bytesIn},"bytesOut":${e.bytesOut},"userId":${quoted(e.userId)},"sessionId":${quoted(e.sessionId)},` +
  `${e.keyId === undefined ? "" : `"keyId":"${e.keyId}",`}` +
  `"tradingAccountId":${quoted(e.tradingAccountId)},${e.tradeOrderId === undefined ? "" : `"tradeOrderId":"${e.tradeOrderId}",`}"ip":${addressText(e.ip)},"ua":${agentText(e.userAgent)},` +
  `"tls":${e.secure},"aborted":${e.aborted}}`

const FLUSH_MILLIS = 250

interface RequestLogOptions {
  /** Made when it is not there. */
  readonly directory: string
  /** `NAME.log` in the directory. Default "access". */
  readonly name?: string
  /** Lines are gathered for so long, in ms; 0: each is handed over at once. Default 250. */
  readonly gatherMillis?: number
  /** Default 64 MiB a file. */
  readonly bytesMax?: number
  /** Files kept besides the current one: access.log.1 is the newest. Default 4. */
  readonly keep?: number
  /** Told once per trouble; lines that cannot be written are dropped, requests go on. */
  readonly onTrouble: (error: Error) => void
}

/** Writes to a file of lines in the directory, turned over by size. */
export const openRequestLog = (options: RequestLogOptions): RequestLog => {
  const {
    directory,
    name = "access",
    gatherMillis = FLUSH_MILLIS,
    bytesMax = 64 * 1024 * 1024,
    keep = 4,
    onTrouble,
  } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, `${name}.log`)
  const gathered = new GatheredLines()
  let size = existsSync(path) ? statSync(path).size : 0
  let stream = open()

  function open(): WriteStream {
    // Opened at once: a stream that opens later could meet the name after it was turned over.
    return createWriteStream(path, { fd: openSync(path, "a", 0o600) }).on("error", onTrouble)
  }

  /** Files turned over whose last lines are still on their way. */
  const ending = new Set<Promise<void>>()
  const ended = (old: WriteStream): Promise<void> => {
    const done = new Promise<void>((resolve) => {
      old.end(resolve)
    }).finally(() => ending.delete(done))
    ending.add(done)
    return done
  }

  const moveAside = (from: string, to: string): void => {
    try {
      renameSync(from, to)
    } catch (error) {
      // Missing: it was moved away, or there have not been that many files yet.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    }
  }

  const attempt = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      onTrouble(error instanceof Error ? error : new Error(String(error)))
    }
  }

  const openAnew = (): void => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const old = stream
    stream = open()
    if (!old.destroyed) void ended(old)
  }

  /** What fails leaves the stream as it was: a file that cannot be moved grows on. */
  const turnOver = (): void => {
    size = 0
    rmSync(`${path}.${keep}`, { force: true })
    for (let n = keep - 1; n >= 1; n--) moveAside(`${path}.${n}`, `${path}.${n + 1}`)
    moveAside(path, `${path}.1`)
    openAnew()
  }

  const flush = (): void => {
    const blocks = gathered.take()
    if (blocks.length === 0) return
    // A full disk ends a stream, not the log.
    if (stream.destroyed) attempt(openAnew)
    for (const block of blocks) {
      size += block.length
      stream.write(block)
    }
    if (size >= bytesMax) attempt(turnOver)
  }

  /** Set while lines are gathered. */
  let timer: NodeJS.Timeout | undefined
  const flushNow = (): void => {
    clearTimeout(timer)
    timer = undefined
    flush()
  }
  return {
    write: (line) => {
      gathered.add(line)
      if (gatherMillis === 0 || gathered.isMuch) flushNow()
      else timer ??= setTimeout(flushNow, gatherMillis).unref()
    },
    close: async () => {
      flushNow()
      await Promise.all(stream.destroyed ? ending : [...ending, ended(stream)])
    },
  }
}
