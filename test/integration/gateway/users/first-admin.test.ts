/** Who becomes the admin of a fresh installation: who holds the token of its ready line, and no stranger, from wherever it calls. */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { request } from "node:http"
import { Effect, Exit, Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { readSettings } from "../../../../src/config.ts"
import type { SessionRecord } from "../../../../src/domain/user/user.ts"
import { scratchDirectory } from "../../../kit/postgres.ts"
import { cutProxy } from "../../../kit/proxies/cut-proxy.ts"
import {
  type Answer,
  type Api,
  api,
  type Envelope,
  endGateways,
  PASSWORD,
  type Ready,
  startGateway,
} from "../../../kit/servers/gateway.ts"
import { readyOf, startInside } from "../../../kit/servers/gateway-inside.ts"
import { operatorOf } from "../../../kit/servers/operator.ts"
import { query } from "../../store/account-store-rig.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"

const newDatabase = withDatabaseServer()

interface Installation extends Ready {
  readonly stop: () => Promise<void>
}

const directories: Array<string> = []
const scratch = (): string => {
  const directory = scratchDirectory("first-admin")
  directories.push(directory)
  return directory
}
afterAll(async () => {
  await endGateways()
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

const start = async (url: string, dataDir: string, signup = "open"): Promise<Installation> => {
  const scope = await Effect.runPromise(Scope.make())
  const settings = readSettings({
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    RATE_LIMITS: "off",
    SIGNUP: signup,
  })
  const gateway = await Effect.runPromise(startInside(settings).pipe(Scope.extend(scope)))
  return { ...readyOf(gateway), stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
const fresh = async (): Promise<Installation> => start((await newDatabase()).url, scratch())

/** An act of admins alone: 200, or 403 with -102003. */
const actsAsAdmin = async (calls: Api, email: string): Promise<readonly [status: number, errno: number]> => {
  const { status, envelope } = await calls.post("/admin/user/unban", { email })
  return [status, envelope.errno]
}
const NO_ADMIN = [403, -102_003] as const

describe("a stranger at a fresh installation", () => {
  it("is no admin by the address of BOOTSTRAP_ADMIN_EMAIL, in no case of letters", async () => {
    const env = { DATABASE_URL: (await newDatabase()).url, BOOTSTRAP_ADMIN_EMAIL: "Boss@example.com" }
    const gateway = await startGateway({ env })
    for (const email of ["bOSS@example.com", "BOSS@EXAMPLE.COM", "Boss@example.com"]) {
      const answer = await api(gateway).signup(email)
      if (!answer.envelope.success) continue
      expect(await actsAsAdmin(api(gateway).as(answer.record.accessToken), email), email).toEqual(NO_ADMIN)
    }
    expect(gateway.stderr()).toContain("BOOTSTRAP_ADMIN_EMAIL is no longer supported")
    expect(gateway.setupToken).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(gateway.stdout, "the operator's one line").toHaveLength(1)
    expect(gateway.stderr()).not.toContain(gateway.setupToken)
    await gateway.stop()
  })

  it("is no admin through a page that calls the loopback by a name of its own", async () => {
    const gateway = await fresh()
    const email = "rebound@example.com"
    const { port } = new URL(gateway.http)
    const session = await new Promise<Envelope<SessionRecord>>((resolve, reject) => {
      const headers = { host: `evil.example:${port}`, "content-type": "application/json" }
      const asked = request(
        { host: "127.0.0.1", port, method: "POST", path: "/api/v3/auth/signup", headers },
        (answer) => {
          let text = ""
          answer.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk
          })
          answer.on("end", () => resolve(JSON.parse(text)))
        },
      )
      asked.on("error", reject)
      asked.end(JSON.stringify({ email, password: PASSWORD }))
    })
    expect(await actsAsAdmin(api(gateway).as(session.data?.accessToken ?? null), email)).toEqual(NO_ADMIN)
    await gateway.stop()
  })

  it("is no admin through a proxy that tells no address", async () => {
    const gateway = await fresh()
    const { hostname, port } = new URL(gateway.http)
    const proxy = await cutProxy({ host: hostname, port: Number(port) })
    const outside = api({ ...gateway, http: `http://127.0.0.1:${proxy.port}` })
    const email = "tunnelled@example.com"
    const session = (await outside.signup(email)).record
    expect(await actsAsAdmin(outside.as(session.accessToken), email)).toEqual(NO_ADMIN)
    await proxy.close()
    await gateway.stop()
  })
})

describe("the set-up token", () => {
  const signUpWith = (
    gateway: Ready,
    setupToken: string | undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<SessionRecord>> => {
    const email = `user-${randomUUID()}@example.com`
    return api(gateway).call("POST", "/auth/signup", { email, password: PASSWORD, setupToken }, headers)
  }
  const heard = async (answer: Promise<Answer<unknown>>): Promise<readonly [status: number, errno: number]> => {
    const { status, envelope } = await answer
    return [status, envelope.errno]
  }
  const REFUSED = [400, -100_012] as const
  const countUsers = async ({ adminUrl }: OwnDatabase): Promise<unknown> =>
    (await query(adminUrl, "SELECT count(*)::int AS n FROM app_user"))[0]?.["n"]

  it("opens a closed signup to one of twenty at once, and dies with its process, its use, and another admin", async () => {
    const database = await newDatabase()
    const { url } = database
    const dataDir = scratch()
    const first = await start(url, dataDir, "closed")
    const { setupToken: old } = first
    expect(await heard(signUpWith(first, undefined))).toEqual([403, -101_006])
    expect(await heard(signUpWith(first, old, { origin: "https://evil.example" }))).toEqual([403, -102_000])
    await first.stop()

    const second = await start(url, dataDir, "closed")
    const { setupToken } = second
    expect(setupToken).not.toBe(old)
    expect(await heard(signUpWith(second, old))).toEqual(REFUSED)
    const many = await Promise.all(
      Array.from({ length: 20 }, () => signUpWith(second, setupToken, { origin: second.http })),
    )
    const [made, ...others] = many.filter(({ envelope }) => envelope.success)
    expect(others).toEqual([])
    expect(many.filter((one) => one !== made).map(({ status, envelope }) => [status, envelope.errno])).toEqual(
      Array.from({ length: 19 }, () => REFUSED),
    )
    expect(await countUsers(database)).toBe(1)
    const admin = made!.record
    expect(await actsAsAdmin(api(second).as(admin.accessToken), admin.user.email)).toEqual([200, 0])
    const operator = operatorOf(url)
    await operator(`revoke ${admin.user.email} admin`)
    expect(await heard(signUpWith(second, setupToken)), "used, whoever is admin now").toEqual(REFUSED)
    await second.stop()

    // Where addresses are confirmed the token is proof enough; and a grant by the operator ends it.
    const third = await start(url, dataDir, "confirm")
    await operator(`grant ${admin.user.email} admin`)
    expect(await heard(signUpWith(third, third.setupToken)), "beside an admin").toEqual(REFUSED)
    await operator(`revoke ${admin.user.email} admin`)
    expect(await heard(signUpWith(third, third.setupToken)), "after another admin").toEqual(REFUSED)
    expect(await countUsers(database)).toBe(1)
    await third.stop()

    const fourth = await start(url, dataDir, "confirm")
    const founded = (await signUpWith(fourth, fourth.setupToken)).record
    expect(await actsAsAdmin(api(fourth).as(founded.accessToken), founded.user.email)).toEqual([200, 0])
    await fourth.stop()
    const fifth = await start(url, dataDir)
    expect(fifth.setupToken, "there is an admin").toBeUndefined()
    await fifth.stop()
  })
})
