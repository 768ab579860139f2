/**
 * Keys that change under a running gateway (scoreboard S7): every stored secret is read before, meanwhile and after, all of them come under
 * the new key, and nobody is logged out.
 */
import { createPublicKey, type JsonWebKey, randomBytes, randomUUID, verify } from "node:crypto"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type KeysReport, parseKeysCommand, runKeysCommand } from "../../../../src/admin/keys.ts"
import { derivedKeys, parseRootKeys, readKeys, withNewRoot } from "../../../../src/auth/keys/keys.ts"
import { open, placeIn, seal } from "../../../../src/auth/keys/secrets.ts"
import type { SigningJwk } from "../../../../src/auth/keys/signing-keys.ts"
import { readSettings } from "../../../../src/config.ts"
import { actsLayer } from "../../../../src/store/audit/acts.ts"
import { findEmbedded } from "../../../../src/store/embedded/running.ts"
import { sqlLayer } from "../../../../src/store/postgres/sql.ts"
import { Transactions } from "../../../../src/store/postgres/transactions.ts"
import { SealedRows, type SealedTable } from "../../../../src/store/users/sealed-rows.ts"
import { runAdmin } from "../../../kit/servers/admin-program.ts"
import { api, endGateways, type Gateway, launchGateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { OPERATOR } from "../../../kit/servers/operator.ts"
import { query } from "../../store/account-store-rig.ts"
import { closeClients, connectClient } from "../markets/socket.ts"
import { type Newcomer, signUp } from "./people.ts"

/** No venue is reached. */
const NOWHERE = JSON.stringify({ "api.binance.com:443": "http://127.0.0.1:9" })
let gateway: Gateway
beforeAll(async () => {
  // Nobody takes the mails: they wait in the outbox, sealed.
  gateway = await startGateway({ env: { SMTP_URL: "smtp://127.0.0.1:9", METRICS_PORT: "0", VENUE_ROUTES: NOWHERE } })
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

/** As operators do it. */
const commandLine = (words: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  runAdmin({ DATA_DIR: gateway.dataDir, ...env }, ["keys", ...words])

const databaseUrl = async (): Promise<string> => {
  const found = await findEmbedded(gateway.dataDir)
  if (found._tag !== "Running") throw new Error(`the gateway's database is ${found._tag}`)
  return found.url
}

/** The same without a process of its own, which takes seconds. */
const keys = (...words: ReadonlyArray<string>): Promise<KeysReport> => keysWith({}, ...words)
const keysWith = async (
  env: Readonly<Record<string, string>>,
  ...words: ReadonlyArray<string>
): Promise<KeysReport> => {
  const command = parseKeysCommand(["keys", ...words])
  if (command === undefined) throw new Error(`no command: ${words.join(" ")}`)
  const acts = actsLayer({ told: () => undefined, now: Date.now, uuid: randomUUID })
  const repositories = Layer.mergeAll(acts, SealedRows.Default, Transactions.Default)
  const settings = readSettings({ DATA_DIR: gateway.dataDir, ...env })
  return Effect.runPromise(
    runKeysCommand(command, settings, Date.now(), OPERATOR).pipe(
      Effect.mapError(({ message, ...rest }) => new Error("reason" in rest ? rest.reason : message)),
      Effect.provide(repositories.pipe(Layer.provide(sqlLayer(await databaseUrl())))),
    ),
  )
}
const refusal = (...words: ReadonlyArray<string>): Promise<string> =>
  keys(...words).then(
    () => "done",
    (error: Error) => error.message,
  )

const sql = async (text: string, values: ReadonlyArray<unknown> = []) => query(await databaseUrl(), text, values)

const TABLES = `SELECT kid, envelope FROM (
  SELECT kid, secret::text AS envelope FROM credential UNION ALL
  SELECT refresh_kid, convert_from(refresh_key, 'UTF8') FROM session UNION ALL
  SELECT kid, envelope::text FROM mail_outbox) AS sealed WHERE kid IS NOT NULL`

/** Ids of keys as the envelopes themselves say them, and as their rows do. */
const kidsInRows = async (): Promise<ReadonlyArray<string>> => {
  const rows = await sql(TABLES)
  return [...new Set(rows.flatMap(({ kid, envelope }) => [String(kid), String(JSON.parse(String(envelope)).kid)]))]
}

const auditRows = (action: string) =>
  readFileSync(join(gateway.dataDir, "logs/audit.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly action: string; readonly outcome: string; readonly what: string })
    .filter((row) => row.action === action)

const claimsHeader = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()) as { readonly kid: string }

const keysOnDisk = () => readKeys(readSettings({ DATA_DIR: gateway.dataDir }), { make: false })

/** Secrets of this user beside those of the load, sealed as the gateway seals them; by their rows. */
const plant = async (userId: string, count: number): Promise<ReadonlyMap<string, string>> => {
  const { encryption } = keysOnDisk()
  const planted = new Map<string, string>()
  const rows = (table: "credential" | "session") =>
    JSON.stringify(
      Array.from({ length: count }, () => {
        const [id, half] = [randomUUID(), () => randomBytes(16).toString("hex")]
        const secret = JSON.stringify({ apiKey: half(), apiSecret: half() })
        planted.set(id, secret)
        return { id, envelope: JSON.stringify(seal(encryption, placeIn(table, id, userId), Buffer.from(secret))) }
      }),
    )
  const kid = encryption.activeKid
  await sql(
    `INSERT INTO credential (credential_id, tenant_id, user_id, venue, name, type, masked_api_key, api_key_hash, secret, kid, status,
       created_at, updated_at)
     SELECT id, 'default', '${userId}', 'BINANCE', 'planted', 'API_KEY', '****0000', '', envelope::json, '${kid}', 'ACTIVE', 1, 1
     FROM json_to_recordset($1::json) AS n (id uuid, envelope text)`,
    [rows("credential")],
  )
  await sql(
    `INSERT INTO session (session_id, user_id, tenant_id, created_at, refreshed_at, not_after, refresh_counter, refresh_key, refresh_kid,
       proven_at)
     SELECT id, '${userId}', 'default', 1, 1, 9e15::bigint, 1, convert_to(envelope, 'UTF8'), '${kid}', 1
     FROM json_to_recordset($1::json) AS n (id uuid, envelope text)`,
    [rows("session")],
  )
  return planted
}

/** What the planted rows hold now, opened with the newest key alone. */
const unearthed = async (): Promise<ReadonlyMap<string, string>> => {
  const { activeKid, byKid } = keysOnDisk().encryption
  const newest = { activeKid, byKid: new Map([...byKid].filter(([kid]) => kid === activeKid)) }
  const rows = await sql(`
    SELECT 'credential' AS table, credential_id AS id, user_id, secret::text AS envelope FROM credential WHERE name = 'planted'
    UNION ALL SELECT 'session', session_id, user_id, convert_from(refresh_key, 'UTF8') FROM session WHERE created_at = 1`)
  return new Map(
    rows.map((row) => {
      const place = placeIn(row["table"] as SealedTable, String(row["id"]), String(row["user_id"]))
      return [String(row["id"]), open(newest, place, JSON.parse(String(row["envelope"]))).toString()]
    }),
  )
}

describe("a rotation of the encryption key", () => {
  it("brings every stored secret under the new key while all of them are read, and lets the old one go only then", async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => signUp(gateway)))
    for (const { email } of people) await api(gateway).post("/auth/recover", { email })
    const [before] = (await keys("status")).encryption.keys
    if (before === undefined) throw new Error("no key")
    expect(before).toMatchObject({ present: true, rows: { session: 6, mail_outbox: 6 } })

    const planted = await plant(people[0]?.session.user.id ?? "", 300)

    const active = { refreshed: 0, failed: [] as Array<string>, stopped: false }
    const refreshing = people.map(async ({ session, email }) => {
      let { refreshToken } = session
      while (!active.stopped) {
        const answer = await api(gateway).refresh(refreshToken)
        if (answer.status !== 200) return active.failed.push(answer.text)
        refreshToken = answer.record.refreshToken
        active.refreshed++
        if (active.refreshed % 10 === 0) {
          const login = await api(gateway).login(email)
          if (login.status !== 200) active.failed.push(login.text)
        }
      }
      return undefined
    })
    await until("a load of refreshes", () => active.refreshed > 50)
    const rotated = await commandLine(["rotate-encryption"])
    expect({ ...rotated, stdout: "" }).toEqual({ code: 0, stdout: "", stderr: "" })
    const { encryption } = JSON.parse(rotated.stdout) as KeysReport
    expect(encryption.active).not.toBe(before.kid)
    await until("all rows under the new key", async () => (await kidsInRows()).join() === encryption.active)
    const seen = active.refreshed
    await until("more of the load", () => active.refreshed > seen + 50)
    active.stopped = true
    await Promise.all(refreshing)
    expect(active.failed).toEqual([])
    expect(await unearthed()).toEqual(planted)

    const after = await keys("status")
    expect(after.encryption.keys.find(({ kid }) => kid === before.kid)?.rows).toEqual({
      credential: 0,
      session: 0,
      mail_outbox: 0,
      second_factor: 0,
    })
    await until("the end of the old key", async () => (await refusal("retire", before.kid)) === "done")
    expect((await keys("status")).encryption.keys.map(({ kid }) => kid)).toEqual([encryption.active])
    for (const { email } of people) expect((await api(gateway).login(email)).status).toBe(200)
    const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(gateway.stderr())?.[0] ?? ""
    const metrics = async () => (await fetch(url)).text()
    await until("the new key's name", async () =>
      (await metrics()).includes(`keys_in_force{encryption="${encryption.active}"`),
    )
    expect(Number(/keys_resealed_rows_total\{table="credential"\} (\d+)/.exec(await metrics())?.[1])).toBe(300)
    const told = await until("the audit's last word", () => {
      const rows = auditRows("keys.reseal").map(({ outcome, what }) => `${outcome} ${what}`)
      return ["session", "mail_outbox"].every((table) => rows.some((row) => row.startsWith(`ok ${table}`))) && rows
    })
    expect(told).toContainEqual(
      expect.stringMatching(`^ok session: \\d+ rows from ${before.kid} to ${encryption.active}`),
    )
    expect(told).toContainEqual(expect.stringMatching(/^ok mail_outbox: \d+ rows/))
    for (const action of ["keys.rotate_encryption", "keys.taken"])
      expect([action, auditRows(action).length > 0]).toEqual([action, true])
  })

  it("loses no key when several are made at once", async () => {
    const before = (await keys("status")).encryption.keys.map(({ kid }) => kid)
    const made = await Promise.all(Array.from({ length: 5 }, () => keys("rotate-encryption")))
    const held = (await keys("status")).encryption.keys.map(({ kid }) => kid)
    const wanted = [...before, ...made.map(({ encryption }) => encryption.active)]
    expect([...held].sort()).toEqual([...new Set(wanted)].sort())
    expect(held).toHaveLength(before.length + 5)
    const { active } = (await keys("status")).encryption
    await until("all rows under the newest", async () => (await kidsInRows()).join() === active)
    for (const kid of held)
      if (kid !== active) await until(`the end of ${kid}`, async () => (await refusal("retire", kid)) === "done")
  })

  it("keeps a key that is in force or that a row needs, and never a row without its key", async () => {
    await signUp(gateway)
    const { active } = (await keys("status")).encryption
    expect(await refusal("retire", active)).toContain("is the active key")
    expect(await refusal("retire", "k0")).toContain("there is no key k0")
    await expect(sql(`DELETE FROM encryption_key WHERE kid = '${active}'`)).rejects.toThrow("foreign key")
    await expect(sql(`UPDATE session SET refresh_kid = 'k0'`)).rejects.toThrow("foreign key")
  })

  it("keeps the bytes of a key whose retirement is taken back", async () => {
    await signUp(gateway)
    const old = (await keys("status")).encryption.active
    const { active } = (await keys("rotate-encryption")).encryption
    await until("all rows under the new key", async () => (await kidsInRows()).join() === active)
    await sql(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$`)
    await sql(`CREATE CONSTRAINT TRIGGER full_disk AFTER INSERT ON audit_row DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.action = 'keys.retire') EXECUTE FUNCTION full_disk()`)
    const before = keysOnDisk().encryption
    expect(await refusal("retire", old)).not.toBe("done")
    expect(keysOnDisk().encryption).toEqual(before)
    expect((await keys("status")).encryption.keys.find(({ kid }) => kid === old)?.inForceSince).not.toBe(null)
    await sql("DROP TRIGGER full_disk ON audit_row")
    await sql("DROP FUNCTION full_disk")
    await until("the end of the old key", async () => (await refusal("retire", old)) === "done")
    expect([...keysOnDisk().encryption.byKid.keys()]).toEqual([active])
  })

  it("takes nothing from a running gateway that has other keys than the command line", async () => {
    const { session } = await signUp(gateway)
    const { active } = (await keys("status")).encryption
    const others = { ENCRYPTION_KEYS: `other:${randomBytes(32).toString("base64url")}` }
    const abandoned = await commandLine(["abandon", active], others)
    expect([abandoned.code, abandoned.stdout]).toEqual([1, ""])
    expect(abandoned.stderr).toContain(`a gateway is running on this database and may have ${active}`)
    expect((await api(gateway).refresh(session.refreshToken)).status).toBe(200)
    const status = JSON.parse((await commandLine(["status"], others)).stdout) as KeysReport
    expect(status.encryption.keys.find(({ kid }) => kid === active)).toMatchObject({
      present: false,
      note: "unknown to this command line",
    })
    await sql("INSERT INTO encryption_key (kid, created_at) VALUES ('idle', 1)")
    expect(await refusal("retire", "idle"), "a gateway may seal with it at any time").toContain("a gateway is running")
    await sql("DELETE FROM encryption_key WHERE kid = 'idle'")
  })

  it("is refused where a ciphertext was moved or changed, which is told, counted and left as it is", async () => {
    const [one, two] = [await signUp(gateway), await signUp(gateway)]
    const [mine, theirs] = [one.session.user.id, two.session.user.id]
    const sessionOf = async (userId: string) =>
      String((await sql("SELECT session_id FROM session WHERE user_id = $1", [userId]))[0]?.["session_id"])
    const [first, second] = [await sessionOf(mine), await sessionOf(theirs)]
    await plant(mine, 6)
    const rows = await sql("SELECT credential_id FROM credential WHERE user_id = $1", [mine])
    const [sound, moved, given, flipped, renamed, swapped] = rows.map((row) => String(row["credential_id"]))
    const harm = (id: string | undefined, change: string) =>
      sql(`UPDATE credential SET ${change} WHERE credential_id = '${id}'`)
    // Another row's, another user's, a bit, another key's name, another table's.
    await harm(moved, `secret = (SELECT secret FROM credential WHERE credential_id = '${sound}')`)
    await harm(given, `user_id = '${theirs}'`)
    const flip = "chr(CASE WHEN left(secret ->> 'ct', 1) = 'A' THEN 66 ELSE 65 END) || substr(secret ->> 'ct', 2)"
    await harm(flipped, `secret = jsonb_set(secret::jsonb, '{ct}', to_jsonb(${flip}))::json`)
    await harm(renamed, `secret = jsonb_set(secret::jsonb, '{kid}', '"k0"')::json`)
    const elsewhere = "SELECT convert_from(refresh_key, 'UTF8')::json FROM session"
    await harm(swapped, `secret = (${elsewhere} WHERE session_id = '${first}')`)
    await sql(
      "UPDATE session SET refresh_key = (SELECT refresh_key FROM session WHERE session_id = $1) WHERE session_id = $2",
      [second, first],
    )

    const defect = [500, -190000]
    const openedBy = async ({ calls }: Newcomer, id: string | undefined) => {
      const { status, envelope } = await calls.connect({ venue: "BINANCE", credentialIds: [id ?? ""] })
      return [status, envelope.errno]
    }
    expect(await openedBy(one, sound), "only the venue is away").not.toEqual(defect)
    for (const id of [moved, flipped, renamed, swapped]) expect(await openedBy(one, id)).toEqual(defect)
    expect(await openedBy(two, given)).toEqual(defect)
    const refused = await api(gateway).refresh(one.session.refreshToken)
    expect([refused.status, refused.envelope.errno]).toEqual(defect)

    const { active: before } = (await keys("status")).encryption
    const { active } = (await keys("rotate-encryption")).encryption
    const harmed = [moved, given, flipped, renamed, swapped, first].map(String)
    await until("the rest under the new key", async () => {
      const left = await sql(
        "SELECT credential_id::text AS id FROM credential WHERE kid = $1 UNION ALL SELECT session_id::text FROM session WHERE refresh_kid = $1",
        [before],
      )
      return left.length === 6 && left.every(({ id }) => harmed.includes(String(id)))
    })
    await until("the word of it", () => auditRows("keys.reseal").some(({ outcome }) => outcome === "SecretUnreadable"))
    for (const id of harmed) await until(`the log to name ${id}`, () => gateway.stderr().includes(id))
    expect(await refusal("retire", before)).toContain(`stored secrets still need ${before}`)
    // Nothing but what no key opens is left under the old one: a start is not refused for that.
    await gateway.stop()
    gateway = await startGateway({ dataDir: gateway.dataDir })
    expect((await api(gateway).refresh(two.session.refreshToken)).status).toBe(200)
    await sql("DELETE FROM session WHERE session_id = $1", [first])
    for (const id of harmed) await sql("DELETE FROM credential WHERE credential_id = $1", [id])
    await until("the end of the old key", async () => (await refusal("retire", before)) === "done")
    expect((await keys("status")).encryption.keys.map(({ kid }) => kid)).toEqual([active])
  })

  it("goes on where a kill left it", async () => {
    const { session } = await signUp(gateway)
    const planted = await plant(session.user.id, 2000)
    const { active } = (await keys("rotate-encryption")).encryption
    const done = async () =>
      Number((await sql(`SELECT count(*) AS n FROM session WHERE refresh_kid = '${active}'`))[0]?.["n"])
    await until("some rows done", async () => (await done()) > 100)
    gateway.kill("SIGKILL")
    await gateway.exited
    gateway = await startGateway({ dataDir: gateway.dataDir })
    await until("all rows under the new key", async () => (await kidsInRows()).join() === active)
    const held = await unearthed()
    for (const [id, secret] of planted) expect(held.get(id)).toBe(secret)
    expect((await api(gateway).refresh(session.refreshToken)).status).toBe(200)
  })
})

describe("a start", () => {
  it("is refused while another key has the name of the one that sealed, and a running gateway does not take such a key", async () => {
    const { session } = await signUp(gateway)
    const path = join(gateway.dataDir, "keys/encryption.keys")
    const text = readFileSync(path, "utf8")
    const kid = text.split(":")[0] ?? ""
    writeFileSync(path, `${kid}:${randomBytes(32).toString("base64url")}`)
    await until("the log to tell of it", () => gateway.stderr().includes("their ids belong to other keys"))
    expect((await api(gateway).refresh(session.refreshToken)).status).toBe(200)
    await gateway.stop()
    const refused = launchGateway({ dataDir: gateway.dataDir })
    expect((await refused.exited).code).toBe(1)
    expect(refused.stderr()).toContain(`the encryption key ${kid} does not decrypt what was sealed under its id`)
    writeFileSync(path, text)
    gateway = await startGateway({ dataDir: gateway.dataDir })
    await signUp(gateway)
  })

  it("is refused while a stored secret needs a key that is not there, whatever its table; giving it up is an operator's word", async () => {
    const path = join(gateway.dataDir, "keys/encryption.keys")
    const text = readFileSync(path, "utf8")
    const kid = text.split(":")[0] ?? ""
    // It is the installation's only one: without it the database knows of none.
    await until("every secret under it", async () => (await kidsInRows()).join() === kid)
    await sql("DELETE FROM encryption_key WHERE kid <> $1", [kid])
    await gateway.stop()
    rmSync(path)
    const refused = launchGateway({ dataDir: gateway.dataDir })
    expect((await refused.exited).code).toBe(1)
    expect(refused.stderr()).toContain(`the encryption keys that stored secrets need are missing: ${kid}`)
    const gone = JSON.parse((await commandLine(["abandon", kid])).stdout) as KeysReport
    expect(gone.encryption.keys.map((key) => key.kid)).not.toContain(kid)
    gateway = await startGateway({ dataDir: gateway.dataDir })
    expect((await sql("SELECT DISTINCT status FROM credential")).map(({ status }) => status)).toEqual(["REVOKED"])
    await signUp(gateway)
    expect(await refusal("abandon", gone.encryption.active)).toContain("is not lost")
  })
})

describe("a rotation of the signing key", () => {
  it("logs nobody out: old tokens are good, new ones are of the new key, and the published set verifies both", async () => {
    const { session, calls } = await signUp(gateway)
    expect((await calls.user()).status).toBe(200)
    const { signing } = await keys("rotate-signing")
    const renewed = await until("a token of the new key", async () => {
      const { record } = await api(gateway).login((await calls.user()).record.email)
      return claimsHeader(record.accessToken).kid === signing.active && record
    })
    expect(claimsHeader(session.accessToken).kid).not.toBe(signing.active)
    for (const token of [session.accessToken, renewed.accessToken])
      expect((await api(gateway).as(token).user()).status).toBe(200)
    await connectClient(gateway, session.accessToken)

    const enveloped = await api(gateway).get<{ readonly keys: ReadonlyArray<SigningJwk> }>("/auth/jwks")
    const bare = await fetch(`${gateway.http}/.well-known/jwks.json`)
    expect([bare.headers.get("content-type"), bare.headers.get("cache-control")]).toEqual([
      "application/jwk-set+json",
      "public, max-age=300",
    ])
    const set = (await bare.json()) as { readonly keys: ReadonlyArray<SigningJwk> }
    expect(enveloped.record).toEqual(set)
    expect(set.keys).toHaveLength(2)
    expect(JSON.stringify(set)).not.toContain('"d"')
    for (const { accessToken } of [session, renewed]) {
      const [head, body, signature] = accessToken.split(".") as [string, string, string]
      const jwk = set.keys.find(({ kid }) => kid === claimsHeader(accessToken).kid)
      const publicKey = createPublicKey({ key: { ...jwk } as JsonWebKey, format: "jwk" })
      expect(verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, "base64url"))).toBe(true)
    }
    const folder = join(gateway.dataDir, "keys/signing")
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
      expect(readFileSync(join(folder, name), "utf8")).not.toContain("PRIVATE")
    }
  })

  it("refuses all older tokens when a key was stolen, and their users go on with a refresh", async () => {
    const { session, calls } = await signUp(gateway)
    expect((await calls.user()).status).toBe(200)
    await keys("rotate-signing", "--at-once")
    await until("the token to be refused", async () => (await calls.user()).envelope.errno === -100003)
    const { record } = await api(gateway).refresh(session.refreshToken)
    expect((await api(gateway).as(record.accessToken).user()).status).toBe(200)
  })

  it("is left to the operator where keys come from the environment", async () => {
    const given = await commandLine(["rotate-encryption"], {
      ENCRYPTION_KEYS: readFileSync(join(gateway.dataDir, "keys/encryption.keys"), "utf8"),
    })
    expect([given.code, given.stderr]).toEqual([1, expect.stringContaining("put a new kid:key first")])
    expect((await commandLine(["rotate"])).code).toBe(2)
    const cursors = { CURSOR_KEY: readFileSync(join(gateway.dataDir, "keys/cursor.key"), "utf8") }
    const { cursor } = await keysWith(cursors, "status")
    expect(cursor).toEqual({ ...(await keys("status")).cursor, from: "CURSOR_KEY" })
    await expect(keysWith(cursors, "rotate-cursor")).rejects.toThrow("put a new kid:key first")
  })

  it("is not taken up from files that make no keys, until they do", async () => {
    const path = join(gateway.dataDir, "keys/signing.pem")
    const pem = readFileSync(path, "utf8")
    writeFileSync(path, "not a key")
    await until("the word of it", () => gateway.stderr().includes("changed keys were not loaded"))
    await signUp(gateway)
    writeFileSync(path, pem)
    await signUp(gateway)
  })
})

describe("a new cursor key", () => {
  const KEPT = { "idempotency-key": "kept" }

  it("knows the cursors and the repeats of before, and makes none with the old one; at once, it knows nothing of before", async () => {
    const { calls } = await signUp(gateway)
    for (const label of ["a", "b", "c"]) await calls.connectMock(label)
    const page = async (cursor?: string) => calls.accounts({ limit: 1, cursor })
    const next = ({ envelope }: Awaited<ReturnType<typeof page>>) => envelope.pagination?.cursor ?? ""
    const wallet = (nickname: string) => calls.call<{ walletId: string }>("POST", "/wallet/create", { nickname }, KEPT)
    const before = next(await page())
    const { walletId } = (await wallet("one")).record

    const [old, { cursor }] = [await keys("status"), await keys("rotate-cursor")]
    expect(cursor.previous).toEqual([old.cursor.active])
    await until("the new key", () => auditRows("keys.taken").some(({ what }) => what.includes(cursor.active)))
    expect((await page(before)).status).toBe(200)
    expect((await wallet("one")).record.walletId).toBe(walletId)
    expect((await wallet("two")).envelope.errno).toBe(-104_011)
    const signatureOf = (text: string) => text.split(".")[1]
    expect(next(await page()).split(".")[0]).toBe(before.split(".")[0])
    expect(signatureOf(next(await page()))).not.toBe(signatureOf(before))

    const stolen = await keys("rotate-cursor", "--at-once")
    expect(stolen.cursor.previous).toEqual([])
    await until("nothing of before", async () => (await page(before)).envelope.errno === -104_008)
    expect((await page(next(await page()))).status).toBe(200)
    expect((await wallet("one")).envelope.errno).toBe(-104_011)
  })

  it("is one key for each purpose, and of a file of before there were several the repeats of before are known", () => {
    const text = randomBytes(32).toString("base64url")
    const roots = parseRootKeys(text, "keys/cursor.key")
    const purposes = (["cursor", "fingerprint", "audit"] as const).map((purpose) => derivedKeys(roots, purpose))
    const made = purposes.map(([first]) => first.toString("base64url"))
    expect(new Set([...made, text]).size).toBe(4)
    for (const known of purposes) expect(known.at(-1)?.toString("base64url")).toBe(text)
    const [week, now] = [8 * 86_400_000, Date.now()]
    const rotated = parseRootKeys(withNewRoot(roots, now, false), "keys/cursor.key")
    expect(rotated[1]).toEqual(roots[0])
    expect(parseRootKeys(withNewRoot(rotated, now + week, false), "keys/cursor.key").map(({ kid }) => kid)).toEqual([
      expect.any(String),
      rotated[0].kid,
    ])
  })
})
