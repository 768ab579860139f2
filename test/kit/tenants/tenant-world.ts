/**
 * A whole gateway with two tenants that have one of everything each: the installation's own, and one that its operator made on the command
 * line. The one thing to know: what they do while they are set up meets nothing of the other, so that whatever meets later was an act of it.
 */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import pg from "pg"
import { readSettings } from "../../../src/config.ts"
import type { SessionEntry, SessionRecord } from "../../../src/domain/user/user.ts"
import { fuzzEnvironment } from "../http-fuzz/fuzz-gateway.ts"
import { scratchDirectory } from "../postgres.ts"
import { signUpFounder } from "../servers/founder.ts"
import { Api, type Ready, until } from "../servers/gateway.ts"
import { readyOf, startInside } from "../servers/gateway-inside.ts"
import { operatorOf } from "../servers/operator.ts"
import { furnish, type Member, type Tenant } from "./furnish.ts"

export interface World {
  readonly ready: Ready
  readonly sql: pg.Client
  readonly databaseUrl: string
  readonly nobody: Api
  readonly operator: ReturnType<typeof operatorOf>
  /** The installation's own, and another. */
  readonly tenants: readonly [Tenant, Tenant]
  /** A new user of that tenant, who has nothing yet. */
  readonly enter: (name: string, tenantId: string, isAdmin: boolean) => Promise<Member>
  /** The same user after a move. */
  readonly again: (member: Member, tenantId: string) => Promise<Member>
  readonly close: () => Promise<void>
}

const DEFAULT = "default"
const OTHER = "acme"

const memberOf = async (nobody: Api, name: string, session: SessionRecord): Promise<Member> => {
  const api = nobody.as(session.accessToken)
  const sessions = (await api.get<ReadonlyArray<SessionEntry>>("/auth/session/list")).record
  const { id: userId, email } = session.user
  return { name, email, userId, sessionId: sessions.find(({ current }) => current)!.sessionId, session, api }
}

export const startTenants = async (database: { readonly url: string; readonly adminUrl: string }): Promise<World> => {
  const dataDir = scratchDirectory("tenants")
  const scope = await Effect.runPromise(Scope.make())
  const settings = readSettings({
    ...fuzzEnvironment,
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    MOCK_TICK_MS: "0",
    // Nothing is stored but by what is asked: a desk's linked account is mirrored by itself else.
    EXCHANGE_MIRROR_MS: "3600000",
    FRESH_SECONDS: "86400",
  })
  const ready = readyOf(await Effect.runPromise(startInside(settings).pipe(Scope.extend(scope))))
  const nobody = new Api(ready.http)
  const sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
  const operator = operatorOf(database.url)

  const enter = async (name: string, tenantId: string, isAdmin: boolean): Promise<Member> => {
    const email = `${name}-${randomUUID()}@example.com`
    await nobody.signup(email)
    if (tenantId !== DEFAULT) await operator(`user move ${email} ${tenantId}`)
    if (isAdmin) await operator(`grant ${email} admin`)
    return loggedIn(name, email, tenantId)
  }

  /** The running gateway hears of what the operator did in a moment; a session that is older than a move is over. */
  const loggedIn = async (name: string, email: string, tenantId: string): Promise<Member> => {
    const session = await until(`${email} to be in ${tenantId}`, async () => {
      const { envelope } = await nobody.login(email)
      return envelope.data?.user.appMetadata.tenantId === tenantId && envelope.data
    })
    return memberOf(nobody, name, session)
  }

  const founder = await memberOf(nobody, "founder", await signUpFounder(ready, "founder@example.com"))
  await operator(`tenant create ${OTHER}`)
  const room = { ready, sql, operator, nobody }
  const home = await furnish(room, DEFAULT, {
    admin: founder,
    user: await enter("user", DEFAULT, false),
    careful: await enter("careful", DEFAULT, false),
  })
  const away = await furnish(room, OTHER, {
    admin: await enter("boss", OTHER, true),
    user: await enter("trader", OTHER, false),
    careful: await enter("wary", OTHER, false),
  })

  return {
    ...room,
    databaseUrl: database.url,
    tenants: [home, away],
    enter,
    again: ({ name, email }, tenantId) => loggedIn(name, email, tenantId),
    close: async () => {
      await sql.end()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
