/** The audit trail of authentication: every act has its row, and nothing that opens anything is in any log. */

import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { SessionEntry, SessionRecord } from "../../../../src/domain/user/user.ts"
import { signUpFounder } from "../../../kit/servers/founder.ts"
import { type Answer, api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { tokenTo } from "../../../kit/servers/mailbox.ts"

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ env: { SIGNUP: "confirm" } })
})
afterAll(endGateways)

interface AuditRow {
  readonly action: string
  readonly outcome: string
  readonly requestId: string
  readonly userId: string | null
  readonly targetUserId: string | null
  readonly subject: string | null
  readonly what: string | null
}

const rowsOf = (): ReadonlyArray<AuditRow> =>
  readFileSync(join(gateway.dataDir, "logs/audit.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRow)

it("every act of a user's life is in the audit trail, and no secret is in any log", async () => {
  const canary = () => `canary-${randomUUID()}`
  const secrets: Array<string> = []
  const secret = (text: string): string => {
    secrets.push(text)
    return text
  }
  const calls = api(gateway)
  const email = secret(`${canary()}@example.com`)
  const password = secret(canary())
  const verify = async (type: string, subject: string, address = email): Promise<Answer<SessionRecord>> =>
    calls.post("/auth/verify", { type, token: secret(await tokenTo(gateway.dataDir, address, subject)) })
  const keep = ({ record }: Answer<SessionRecord>): SessionRecord => {
    secret(record.accessToken)
    secret(record.refreshToken)
    return record
  }

  await calls.post("/auth/signup", { email, password, metadata: { note: secret(canary()) } })
  await calls.login(email, password)
  const first = keep(await verify("signup", "Confirm your e-mail address"))
  await calls.login(email, secret(canary()))
  // A password in the wrong field.
  await calls.login(secret(canary()), secret(canary()))
  const second = keep(await calls.login(email, password))
  keep(await calls.refresh(second.refreshToken))
  await calls.refresh(secret(canary()))
  const own = calls.as(first.accessToken)
  const { record: sessions } = await own.get<ReadonlyArray<SessionEntry>>("/auth/session/list")
  await own.post("/auth/session/revoke", { sessionId: sessions.find(({ current }) => !current)?.sessionId })
  await calls.post("/auth/recover", { email })
  await calls.post("/auth/resend", { type: "signup", email })
  const recovered = keep(await verify("recovery", "Recover your password"))
  await calls.post("/auth/verify", { type: "recovery", token: secret(canary()) })
  const other = secret(`${canary()}@example.com`)
  const update = { password: secret(canary()), email: other, metadata: { note: secret(canary()) } }
  await calls.as(recovered.accessToken).post("/auth/user/update", update)
  await verify("email_change", "Confirm your new e-mail address", other)
  if (gateway.setupToken === undefined) throw new Error("a fresh gateway has a set-up token")
  secret(gateway.setupToken)
  const root = await signUpFounder(gateway, secret(`${canary()}@example.com`))
  const ban = await calls.as(root.accessToken).post("/admin/user/ban", { email: canary() })
  expect(ban.status).toBe(404)
  const out = await calls.as(recovered.accessToken).post("/auth/logout")
  expect(out.status).toBe(200)

  const wanted: ReadonlyArray<readonly [action: string, outcome: string]> = [
    ["signup", "ok"],
    ["login", "EmailNotConfirmed"],
    ["verify", "ok"],
    ["login", "InvalidLoginCredentials"],
    ["login", "InvalidLoginCredentials"],
    ["login", "ok"],
    ["token.refresh", "ok"],
    ["session.revoke", "ok"],
    ["recover", "ok"],
    ["resend", "ok"],
    ["verify", "ok"],
    ["verify", "InvalidOneTimeToken"],
    ["user.update", "ok"],
    ["verify", "ok"],
    ["user.setup", "ok"],
    ["signup", "ok"],
    ["user.ban", "UserNotFound"],
    ["logout", "ok"],
  ]
  const rows = await until("all rows", () => rowsOf().length >= wanted.length && rowsOf())
  expect(rows.map(({ action, outcome }) => [action, outcome])).toEqual(wanted)
  const userId = first.user.id
  const isUnknown = ({ action, outcome }: AuditRow) => `${action} ${outcome}`
  const unknown = rows.filter((row) => row.userId === null).map(isUnknown)
  // The last: who holds the set-up token is no user yet; the one that it made is the act's object.
  expect(unknown).toEqual(["login InvalidLoginCredentials", "verify InvalidOneTimeToken", "user.setup ok"])
  expect(new Set(rows.flatMap((row) => row.userId ?? []))).toEqual(new Set([userId, root.user.id]))
  expect(rows.find(({ action }) => action === "user.update")?.what).toBe("email password metadata")
  expect(rows.at(-1)?.requestId).toBe(out.headers.get("x-request-id"))

  await gateway.stop()
  const logs = join(gateway.dataDir, "logs")
  const written = [...readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8")), gateway.stderr()].join(
    "\n",
  )
  expect(written).toContain('"route":"/api/v3/auth/login"')
  expect(secrets.length).toBeGreaterThan(20)
  expect(secrets.filter((text) => written.includes(text) || written.includes(encodeURIComponent(text)))).toEqual([])
})
