/** Secrets that come as files: read, refused in one line, and never repeated. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readSettings } from "../../src/config.ts"

let folder: string
const file = (name: string, contents: string): string => {
  const path = join(folder, name)
  writeFileSync(path, contents)
  return path
}
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "secret-files-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("a secret in a file", () => {
  it("is read without the line break at its end", () => {
    const DATABASE_URL_FILE = file("url", "postgresql://ada:secret@db/gateway\n")
    expect(readSettings({ DATABASE_URL_FILE }).databaseUrl).toBe("postgresql://ada:secret@db/gateway")
    const OTLP_HEADERS_FILE = file("headers", "authorization=Bearer abc\n")
    expect(readSettings({ OTLP_URL: "http://127.0.0.1:4318", OTLP_HEADERS_FILE }).otlp?.headers).toEqual({
      authorization: "Bearer abc",
    })
    const ENCRYPTION_KEYS_FILE = file("keys", "k1:abc\n")
    expect(readSettings({ ENCRYPTION_KEYS_FILE }).encryptionKeys).toBe("k1:abc")
  })

  it("may be the database's password alone, whatever signs it has", () => {
    const DATABASE_PASSWORD_FILE = file("password", "a/b@c:d e%\n")
    const { databaseUrl } = readSettings({ DATABASE_URL: "postgresql://ada@db:5432/gateway", DATABASE_PASSWORD_FILE })
    const { username, password, host, pathname } = new URL(databaseUrl ?? "")
    expect([username, decodeURIComponent(password), host, pathname]).toEqual([
      "ada",
      "a/b@c:d e%",
      "db:5432",
      "/gateway",
    ])
  })

  it("is refused when it cannot be read, is empty, or is given twice", () => {
    expect(() => readSettings({ SMTP_URL_FILE: join(folder, "absent") })).toThrow(/^SMTP_URL_FILE: .*\(ENOENT\)$/)
    expect(() => readSettings({ SIGNING_KEY_FILE: file("empty", " \n") })).toThrow("is empty")
    const twice = { DATABASE_URL: "postgresql://db/a", DATABASE_URL_FILE: file("other", "postgresql://db/b") }
    expect(() => readSettings(twice)).toThrow("set only one of them")
    const password = { DATABASE_PASSWORD: "hunter2" }
    expect(() => readSettings(password)).toThrow("DATABASE_PASSWORD requires DATABASE_URL")
    expect(() => readSettings({ ...password, DATABASE_URL: "postgresql://a:b@db/c" })).toThrow("already has a password")
  })

  it("never shows in the refusal of what it says", () => {
    const DATABASE_URL_FILE = file("wrong", "mysql://ada:hunter2@db/gateway")
    expect(() => readSettings({ DATABASE_URL_FILE })).toThrow("DATABASE_URL must start with postgresql://")
    expect(() => readSettings({ DATABASE_URL_FILE })).not.toThrow("hunter2")
  })
})
