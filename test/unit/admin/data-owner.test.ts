/** What the command line leaves in DATA_DIR, whoever runs it: the gateway's user reads it at the next start. */
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openTrail } from "../../../src/admin/log-lines.ts"
import { ENCRYPTION_FILE, keyFiles, PREVIOUS_FOLDER } from "../../../src/auth/keys/key-files.ts"
import { scratchDirectory } from "../../kit/postgres.ts"

/** Nobody of this machine. */
const GATEWAY = { uid: 61_234, gid: 61_235 }
const origin = { ip: "local", userAgent: "gateway admin, root", requestId: "" }

let dataDir: string
beforeEach(() => {
  dataDir = scratchDirectory("owner")
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const ownerOf = (...path: ReadonlyArray<string>) => {
  const { uid, gid } = statSync(join(dataDir, ...path))
  return { uid, gid }
}
const modeOf = (...path: ReadonlyArray<string>) => statSync(join(dataDir, ...path)).mode & 0o777
const linesOf = (name: string) =>
  readFileSync(join(dataDir, "logs", name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

// Root alone can give away; everybody else makes what is his.
describe.runIf(process.getuid?.() === 0)("a command that root runs", () => {
  beforeEach(() => chownSync(dataDir, GATEWAY.uid, GATEWAY.gid))

  it("makes keys that belong to the owner of DATA_DIR, and are readable for nobody else", () => {
    keyFiles(dataDir).replace(`${PREVIOUS_FOLDER}/k1.pem`, "public")
    keyFiles(dataDir).replace(ENCRYPTION_FILE, "k1:secret")
    for (const path of ["keys", `keys/${PREVIOUS_FOLDER}`, `keys/${ENCRYPTION_FILE}`, `keys/${PREVIOUS_FOLDER}/k1.pem`])
      expect(ownerOf(path), path).toEqual(GATEWAY)
    expect([modeOf("keys"), modeOf("keys", ENCRYPTION_FILE)]).toEqual([0o700, 0o600])
  })

  it("replaces a key of the gateway's by one that is the gateway's too", () => {
    keyFiles(dataDir).replace(ENCRYPTION_FILE, "k1:secret")
    keyFiles(dataDir).replace(ENCRYPTION_FILE, "k2:secret")
    expect(ownerOf("keys", ENCRYPTION_FILE)).toEqual(GATEWAY)
    expect(keyFiles(dataDir).read(ENCRYPTION_FILE)).toBe("k2:secret")
  })

  it("writes no key through a link that the gateway's user has put in its way", () => {
    const elsewhere = join(dataDir, "elsewhere")
    mkdirSync(join(dataDir, "keys"))
    writeFileSync(elsewhere, "root's own")
    symlinkSync(elsewhere, join(dataDir, "keys", `${ENCRYPTION_FILE}.${process.pid}`))
    keyFiles(dataDir).replace(ENCRYPTION_FILE, "k1:secret")
    expect(readFileSync(elsewhere, "utf8")).toBe("root's own")
    expect(ownerOf("elsewhere")).toEqual({ uid: 0, gid: 0 })
  })

  it("begins logs that the gateway goes on with", () => {
    openTrail(dataDir, () => 0).write({ action: "user.ban", outcome: "ok", origin })
    for (const path of ["logs", "logs/audit.log", "logs/security.log"]) expect(ownerOf(path), path).toEqual(GATEWAY)
  })

  it("leaves a log that is there to whom it belongs", () => {
    mkdirSync(join(dataDir, "logs"))
    writeFileSync(join(dataDir, "logs", "audit.log"), "")
    chownSync(join(dataDir, "logs", "audit.log"), 61_299, 61_299)
    openTrail(dataDir, () => 0).write({ action: "user.ban", outcome: "ok", origin })
    expect(ownerOf("logs", "audit.log")).toEqual({ uid: 61_299, gid: 61_299 })
  })

  it("appends to no log that is a link", () => {
    const elsewhere = join(dataDir, "elsewhere")
    mkdirSync(join(dataDir, "logs"))
    symlinkSync(elsewhere, join(dataDir, "logs", "audit.log"))
    expect(() => openTrail(dataDir, () => 0)).toThrow("ELOOP")
    expect(existsSync(elsewhere)).toBe(false)
  })
})

describe("an act of the command line", () => {
  it("is told to the audit and, as a gateway would, to whoever watches for attackers", () => {
    const audit = openTrail(dataDir, () => 0)
    audit.write({ action: "user.grant", outcome: "ok", what: "admin", origin })
    audit.write({ action: "keys.rotate_signing", outcome: "ok", origin })
    expect(linesOf("audit.log").map(({ action }) => action)).toEqual(["user.grant", "keys.rotate_signing"])
    expect(linesOf("security.log")).toMatchObject([
      { msg: "security", event: "permissions_changed", ip: "local", what: "admin" },
      { msg: "security", event: "keys_rotate_signing", ip: "local" },
    ])
  })
})
