/** The operators' command line against a real installation: a running gateway follows at once, and one at rest when it starts. */

import { randomUUID } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AdminUserRecord } from "../../../../src/domain/user/user.ts"
import { runAdmin } from "../../../kit/servers/admin-program.ts"
import { signUpFounder } from "../../../kit/servers/founder.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { closeClients, connectClient } from "../markets/socket.ts"
import { signUp } from "./people.ts"

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway()
  await signUpFounder(gateway, "first@example.com")
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

const admin = (dataDir: string, ...words: ReadonlyArray<string>) => runAdmin({ DATA_DIR: dataDir }, words)

const done = async (...words: ReadonlyArray<string>): Promise<AdminUserRecord> => {
  const { code, stdout, stderr } = await admin(gateway.dataDir, ...words)
  if (code !== 0) throw new Error(`admin ${words.join(" ")}: exit ${code}\n${stderr}`)
  return JSON.parse(stdout) as AdminUserRecord
}

describe("the command line", () => {
  it("gives and takes rights under a running gateway", async () => {
    const { email, calls } = await signUp(gateway)
    const isAdmin = async () => (await calls.post("/admin/user/unban", { email: "first@example.com" })).status === 200
    expect(await isAdmin()).toBe(false)
    expect((await done("grant", email, "admin")).permissions).toEqual(["read", "write", "admin"])
    await until("the session to know", isAdmin)
    expect((await done("revoke", email, "admin")).permissions).toEqual(["read", "write"])
    await until("the session to know", async () => !(await isAdmin()))
    expect((await calls.post("/admin/user/unban", { email: "first@example.com" })).envelope.errno).toBe(-102003)
    expect((await calls.accounts()).status).toBe(200)
  })

  it("bans under a running gateway: sessions and sockets end, until the ban is lifted", async () => {
    const { email, session, calls } = await signUp(gateway)
    const client = await connectClient(gateway, session.accessToken)
    const codes: Array<number> = []
    client.on("disconnected", ({ code }) => codes.push(code))
    expect(await done("ban", email, "stolen", "account")).toMatchObject({ email, banReason: "stolen account" })
    await until("the socket to close", () => codes.includes(3500))
    expect((await calls.user()).envelope.errno).toBe(-100005)
    expect((await api(gateway).login(email)).envelope.errno).toBe(-100010)
    expect(await done("unban", email)).toMatchObject({ bannedAt: null, banReason: null })
    expect((await api(gateway).login(email)).status).toBe(200)
  })

  it("answers a record a line, of users, tenants and addresses", async () => {
    const { email, session } = await signUp(gateway)
    const lines = async (...words: ReadonlyArray<string>) => {
      const { code, stdout } = await admin(gateway.dataDir, ...words)
      expect(code).toBe(0)
      return stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    }
    expect(await lines("user", "list", "default")).toContainEqual(expect.objectContaining({ email }))
    expect(await lines("tenant", "create", "b")).toMatchObject([{ tenantId: "b", users: 0 }, { tenantId: "default" }])
    const list = { email, userId: session.user.id, ipAllow: ["127.0.0.0/8"] }
    expect(await lines("ip-allow", email, "add", "127.0.0.1/8")).toEqual([list])
    expect(await admin(gateway.dataDir, "user", "move", email, "c")).toMatchObject({
      code: 1,
      stderr: "gateway admin: Invalid parameter tenant: there is no tenant c\n",
    })
    const rows = readFileSync(join(gateway.dataDir, "logs/audit.log"), "utf8").trim().split("\n")
    expect(rows.map((row) => JSON.parse(row)).filter(({ ip }) => ip === "local")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: "tenant.create", what: "b" }),
        expect.objectContaining({ action: "ip.allow", targetUserId: session.user.id, what: "127.0.0.1/8" }),
      ]),
    )
  })

  it("does nothing that cannot be audited", async () => {
    const path = join(gateway.dataDir, "logs/audit.log")
    renameSync(path, `${path}.kept`)
    mkdirSync(path)
    const refused = await admin(gateway.dataDir, "tenant", "create", "unaudited")
    expect([refused.code, refused.stdout]).toEqual([1, ""])
    rmSync(path, { recursive: true })
    renameSync(`${path}.kept`, path)
    expect((await admin(gateway.dataDir, "tenant", "list")).stdout).not.toContain('"unaudited"')
  })

  it("says what is wrong: unknown users, words that are no command, a place without a database", async () => {
    expect(await admin(gateway.dataDir, "grant", `${randomUUID()}@example.com`, "admin")).toMatchObject({
      code: 1,
      stderr: "gateway admin: User not found\n",
    })
    expect(await admin(gateway.dataDir, "remove", "a@example.com")).toMatchObject({ code: 2, stdout: "" })
    const nowhere = await admin(join(gateway.dataDir, "nowhere"), "user", "first@example.com")
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("start the gateway once")])
  })

  it("works while the gateway is at rest, and the next start knows", async () => {
    const { dataDir } = gateway
    const { email, session } = await signUp(gateway)
    await gateway.stop()
    expect((await done("ban", email, "stolen", "password")).bannedAt).not.toBeNull()
    expect((await done("user", "first@example.com")).permissions).toContain("admin")
    gateway = await startGateway({ dataDir })
    expect((await api(gateway).as(session.accessToken).user()).envelope.errno).toBe(-100005)
    expect((await api(gateway).login(email)).envelope.errno).toBe(-100010)
    const rows = readFileSync(join(dataDir, "logs/audit.log"), "utf8").trim().split("\n")
    const bans = rows.map((row) => JSON.parse(row)).filter(({ action }) => action === "user.ban")
    expect(bans.at(-1)).toMatchObject({
      outcome: "ok",
      targetUserId: session.user.id,
      what: "stolen password",
      ip: "local",
    })
  })
})
