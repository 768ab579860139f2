/** Secrets at rest: what opens where, and the key files of an installation. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type EncryptionKeys, loadKeys } from "../../../src/auth/keys/keys.ts"
import { type Envelope, open, type Place, SecretUnreadable, seal } from "../../../src/auth/keys/secrets.ts"
import { readSettings } from "../../../src/config.ts"

const keys = (kid: string): EncryptionKeys => ({ activeKid: kid, byKid: new Map([[kid, randomBytes(32)]]) })
const place: Place = { table: "credential", id: "c1", ownerId: "u1", field: "secret" }

describe("a sealed secret", () => {
  const own = keys("k1")
  const secret = Buffer.from("the api secret")
  const envelope = seal(own, place, secret)

  it("opens where it was put and shows nothing of itself", () => {
    expect(open(own, place, envelope)).toEqual(secret)
    expect(JSON.stringify(envelope)).not.toContain("api secret")
    expect(seal(own, place, secret).ct).not.toBe(envelope.ct)
  })

  it.each<[string, Place]>([
    ["another row", { ...place, id: "c2" }],
    ["another owner", { ...place, ownerId: "u2" }],
    ["another field", { ...place, field: "passphrase" }],
    ["another table", { ...place, table: "session" }],
  ])("does not open in %s", (_what, elsewhere) => {
    expect(() => open(own, elsewhere, envelope)).toThrow(SecretUnreadable)
  })

  it("does not open with a bit flipped, a cut tag, an unknown key or another key of that name", () => {
    const flipped = Buffer.from(envelope.ct, "base64url")
    flipped[0]! ^= 1
    const bad: ReadonlyArray<Envelope> = [
      { ...envelope, ct: flipped.toString("base64url") },
      { ...envelope, tag: envelope.tag.slice(0, 8) },
      { ...envelope, kid: "k9" },
    ]
    for (const one of bad) expect(() => open(own, place, one)).toThrow(SecretUnreadable)
    expect(() => open(keys("k1"), place, envelope)).toThrow(SecretUnreadable)
  })
})

describe("the keys of an installation", () => {
  it("are made once, stay the same and are readable by their owner only", () => {
    const dataDir = mkdtempSync(join(tmpdir(), "keys-"))
    try {
      const settings = readSettings({ DATA_DIR: dataDir })
      const first = loadKeys(settings)
      const second = loadKeys(settings)
      expect(second.signing.active.kid).toBe(first.signing.active.kid)
      expect(second.encryption.byKid).toEqual(first.encryption.byKid)
      expect(second.cursors).toEqual(first.cursors)
      for (const name of ["signing.pem", "encryption.keys", "cursor.key"])
        expect(statSync(join(dataDir, "keys", name)).mode & 0o777).toBe(0o600)
      expect(statSync(join(dataDir, "keys")).mode & 0o777).toBe(0o700)
      const given = readSettings({
        DATA_DIR: dataDir,
        SIGNING_KEY: readFileSync(join(dataDir, "keys", "signing.pem"), "utf8").replaceAll("\n", "\\n"),
        ENCRYPTION_KEYS: `new:${randomBytes(32).toString("base64url")},old:${randomBytes(32).toString("base64url")}`,
      })
      expect(loadKeys(given).signing.active.kid).toBe(first.signing.active.kid)
      expect(loadKeys(given).encryption.activeKid).toBe("new")
      const file = readFileSync(join(dataDir, "keys", "cursor.key"), "utf8")
      const elsewhere = (cursorKey: string) =>
        loadKeys(readSettings({ DATA_DIR: `${dataDir}/none`, CURSOR_KEY: cursorKey }))
      // As in the file; and behind a new one, which needs no time.
      expect(elsewhere(file).fingerprints).toEqual(first.fingerprints)
      const [made, known] = elsewhere(`new:${randomBytes(32).toString("base64url")},${file}`).cursors
      expect([made?.equals(first.cursors[0]), known]).toEqual([false, first.cursors[0]])
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  })

  it("are refused when they cannot be used", () => {
    expect(() => loadKeys(readSettings({ SIGNING_KEY: "nonsense" }))).toThrow("SIGNING_KEY")
    expect(() => loadKeys(readSettings({ ENCRYPTION_KEYS: "k1:short" }))).toThrow("ENCRYPTION_KEYS")
    expect(() => loadKeys(readSettings({ CURSOR_KEY: "k1:short" }))).toThrow(
      "CURSOR_KEY must be kid:base64url of 32 bytes, comma separated",
    )
  })
})
