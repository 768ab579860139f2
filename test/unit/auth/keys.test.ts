/** The keys as they are read from DATA_DIR/keys. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { loadKeys } from "../../../src/auth/keys/keys.ts"
import { readSettings } from "../../../src/config.ts"
import { InvalidSetting } from "../../../src/settings/environment.ts"

describe("the cursor key", () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "keys-"))
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
  const load = () => loadKeys(readSettings({ DATA_DIR: dataDir }))

  it("is made once, of 32 bytes", () => {
    const { roots, cursors } = load()
    expect(roots.map(({ key }) => key.length)).toEqual([32])
    expect(load().cursors).toEqual(cursors)
  })

  it.each(["", "\n", "c2hvcnQ", "x".repeat(44), "no key at all, but as long as one would be"])(
    "is refused as %j",
    (text) => {
      load()
      writeFileSync(join(dataDir, "keys/cursor.key"), text)
      expect(load).toThrow(InvalidSetting)
      expect(load).toThrow("keys/cursor.key must be kid:base64url of 32 bytes")
    },
  )
})
