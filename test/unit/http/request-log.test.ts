/** The access log: lines that are JSON whatever a client sends, and files that are turned over by size. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type AccessEntry, accessLine, openRequestLog } from "../../../src/http/watch/request-log.ts"

const entry: AccessEntry = {
  at: 0,
  requestId: "r-1",
  method: "GET",
  route: "/api/v3/health",
  status: 200,
  errno: 0,
  durationMillis: 1.23456,
  bytesIn: 0,
  bytesOut: 10,
  userId: null,
  sessionId: null,
  tradingAccountId: null,
  ip: "127.0.0.1",
  userAgent: "",
  secure: false,
  aborted: false,
}

describe("the access log", () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "access-"))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const fail = (error: Error): void => {
    throw error
  }

  it("writes JSON, also of a hostile user agent", () => {
    const line = accessLine({ ...entry, userAgent: `"},\n{"\u0000${"x".repeat(500)}` })
    expect(line).not.toContain("\n")
    const read = JSON.parse(line) as { ua: string; ts: string; durMs: number }
    expect(read.ua).toHaveLength(200)
    expect(read.ts).toBe("1970-01-01T00:00:00.000Z")
    expect(read.durMs).toBe(1.235)
  })

  it("has every line in the file once it is closed", async () => {
    const log = openRequestLog({ directory: join(directory, "logs"), onTrouble: fail })
    for (let i = 0; i < 2_000; i++) log.write(`line ${i}`)
    await log.close()
    const lines = readFileSync(join(directory, "logs", "access.log"), "utf8")
      .trim()
      .split("\n")
    expect(lines).toHaveLength(2_000)
    expect(lines.at(-1)).toBe("line 1999")
  })

  it("writes every line whole and in order, of any length and in any letters", async () => {
    const log = openRequestLog({ directory, onTrouble: fail })
    const lines = [
      "ü€😀".repeat(30_000),
      "",
      "x".repeat(1_000_000),
      ...Array.from({ length: 2_000 }, (_, i) => `ž ${i}`),
    ]
    for (const line of lines) log.write(line)
    await log.close()
    expect(readFileSync(join(directory, "access.log"), "utf8").split("\n")).toEqual([...lines, ""])
  })

  it("goes on in the file of an earlier run", async () => {
    for (const word of ["first", "second"]) {
      const log = openRequestLog({ directory, onTrouble: fail })
      log.write(word)
      await log.close()
    }
    expect(readFileSync(join(directory, "access.log"), "utf8")).toBe("first\nsecond\n")
  })

  it("turns over by size and keeps no more files than asked", async () => {
    const log = openRequestLog({ directory, bytesMax: 100_000, keep: 2, onTrouble: fail })
    const line = "x".repeat(999)
    for (let i = 0; i < 500; i++) log.write(line)
    await log.close()
    expect(readdirSync(directory).sort()).toEqual(["access.log", "access.log.1", "access.log.2"])
    for (const name of ["access.log.1", "access.log.2"])
      expect(readFileSync(join(directory, name), "utf8").length).toBeGreaterThanOrEqual(100_000)
  })

  it.each([
    ["the file", "access.log"],
    ["the whole folder", "."],
  ])("goes on in a new file when somebody moved %s away", async (_, name) => {
    const logs = join(directory, "logs")
    const log = openRequestLog({ directory: logs, gatherMillis: 0, bytesMax: 1_000, onTrouble: fail })
    log.write("before")
    renameSync(join(logs, name), join(directory, "moved"))
    log.write("x".repeat(999))
    log.write("after")
    await log.close()
    expect(readFileSync(join(logs, "access.log"), "utf8")).toBe("after\n")
  })

  it("turns over only what it can, is told of the rest, and loses no line", async () => {
    const troubles: Array<string> = []
    const log = openRequestLog({
      directory,
      gatherMillis: 0,
      bytesMax: 1_000,
      onTrouble: ({ message }) => troubles.push(message),
    })
    // A folder is not removed as the oldest file would be.
    mkdirSync(join(directory, "access.log.4"))
    const lines = ["first", "x".repeat(999), "last"]
    for (const line of lines) log.write(line)
    await log.close()
    expect(troubles).toHaveLength(1)
    expect(readFileSync(join(directory, "access.log"), "utf8")).toBe(`${lines.join("\n")}\n`)
  })

  it("goes on once a disk that was full has room again", async () => {
    const troubles: Array<string> = []
    symlinkSync("/dev/full", join(directory, "access.log"))
    const log = openRequestLog({ directory, gatherMillis: 0, onTrouble: ({ message }) => troubles.push(message) })
    log.write("lost")
    await vi.waitFor(() => expect(troubles).toEqual([expect.stringContaining("ENOSPC")]), 10_000)
    rmSync(join(directory, "access.log"))
    log.write("kept")
    await log.close()
    expect(readFileSync(join(directory, "access.log"), "utf8")).toBe("kept\n")
  })
})
