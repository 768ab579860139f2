/**
 * A whole gateway with people of two tenants and of every right, and what they own. The one thing to know: the signing key is the test's
 * own, so that it can sign what the gateway never would.
 */

import { generateKeyPairSync, randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import pg from "pg"
import { readSettings } from "../../../src/config.ts"
import type { CreatedApiKey } from "../../../src/domain/user/api-key.ts"
import type { SessionEntry, SessionRecord } from "../../../src/domain/user/user.ts"
import { openDesk } from "../../kit/desks/quoting.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { signUpFounder } from "../../kit/servers/founder.ts"
import { Api, PASSWORD, type Ready, until } from "../../kit/servers/gateway.ts"
import { readyOf, startInside } from "../../kit/servers/gateway-inside.ts"
import { operatorOf } from "../../kit/servers/operator.ts"
import type { OwnDatabase } from "../gateway/running/database.ts"

/** What somebody has, by the names under which it is asked for. */
export interface Things {
  readonly userId: string
  readonly email: string
  readonly tenantId: string
  readonly sessionId: string
  /** On MOCK, with an open order. */
  readonly account: string
  readonly order: string
  readonly clientOrderId: string
  readonly orderListId: string
  /** On INTERNAL, with its wallet. */
  readonly internal: string
  readonly internalWallet: string
  readonly wallet: string
  readonly subscription: string
  readonly credential: string
  readonly apiKey: string
  /** Of the tenant; its own account and wallet are the admin's who made it. */
  readonly dealer: string
  /** Of nobody, where the person has none. */
  readonly quote: string
}

export interface Person {
  readonly name: string
  readonly api: Api
  readonly session: SessionRecord
  readonly things: Things
}

/** API keys, as their text. */
export interface Keys {
  /** Of ada, by their scopes. */
  readonly reading: string
  readonly trading: string
  /** To ada's MOCK account. */
  readonly limited: string
  /** Of the admin. */
  readonly admin: string
  readonly revoked: string
  readonly expired: string
  /** Of ada, that may not come from here. */
  readonly away: string
}

export interface People {
  readonly ready: Ready
  readonly database: OwnDatabase
  readonly dataDir: string
  readonly nobody: Api
  readonly privateKey: ReturnType<typeof generateKeyPairSync>["privateKey"]
  readonly publicKeyPem: string
  /** Whose things the others reach for: write, in the default tenant. */
  readonly ada: Person
  /** Of her tenant, by their rights. */
  readonly without: Person
  readonly reader: Person
  readonly writer: Person
  readonly admin: Person
  /** Of another tenant. */
  readonly strangerWriter: Person
  readonly strangerAdmin: Person
  /** Tokens of sessions that are over. */
  readonly loggedOut: string
  readonly banned: string
  /** A good one, of somebody who may not come from here. */
  readonly away: string
  readonly keys: Keys
  readonly close: () => Promise<void>
}

const ALL = ["read", "write", "admin"]

export const BTC = "MOCK:BTC/USDT"

const restingOrder = (account: string, clientOrderId: string) => ({
  tradingAccountId: account,
  instrumentId: BTC,
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.001",
  limitPrice: "20000",
  takeProfitPrice: "90000",
  clientOrderId,
  awaitAccepted: true,
})

export const startPeople = async (database: OwnDatabase): Promise<People> => {
  const dataDir = scratchDirectory("authorization")
  const keys = generateKeyPairSync("ed25519")
  const scope = await Effect.runPromise(Scope.make())
  const settings = readSettings({
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    MOCK_TICK_MS: "0",
    // Nothing is stored but by what is asked: a desk's linked account is mirrored by itself else.
    EXCHANGE_MIRROR_MS: "3600000",
    RATE_LIMITS: "off",
    FRESH_SECONDS: "86400",
    SIGNING_KEY: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  })
  const ready = readyOf(await Effect.runPromise(startInside(settings).pipe(Scope.extend(scope))))
  const nobody = new Api(ready.http)
  const sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()

  const root = await signUpFounder(ready, "root@example.com")
  const desk = await openDesk(ready, nobody.as(root.accessToken))

  /** As an operator would set them up before they log in. */
  const enter = async (name: string, permissions: ReadonlyArray<string>, tenant: string) => {
    const email = `${name}@example.com`
    await nobody.signup(email)
    await sql.query("INSERT INTO tenant (tenant_id, created_at) VALUES ($1, 0) ON CONFLICT DO NOTHING", [tenant])
    await sql.query("UPDATE app_user SET permissions = $2, tenant_id = $3 WHERE email = $1", [
      email,
      permissions,
      tenant,
    ])
    await sql.query(
      "UPDATE session SET revoked_at = 1 WHERE user_id = (SELECT user_id FROM app_user WHERE email = $1)",
      [email],
    )
    const session = (await nobody.login(email)).record
    return { name, session, api: nobody.as(session.accessToken) }
  }

  const credentialOf = async (userId: string, tenant: string): Promise<string> => {
    const id = randomUUID()
    await sql.query(
      `INSERT INTO credential (credential_id, tenant_id, user_id, venue, name, type, masked_api_key, api_key_hash, secret, kid, status,
         created_at, updated_at)
       SELECT $1, $2, $3, 'BINANCE_UAT', 'theirs', 'EXCHANGE', '****abcd', 'x', '{}', kid, 'ACTIVE', 1, 1 FROM encryption_key`,
      [id, tenant, userId],
    )
    return id
  }

  /** Whoever may write owns something. */
  const settle = async (
    entered: Awaited<ReturnType<typeof enter>>,
    dealer: string,
    quoted: (account: string, api: Api) => Promise<string> = async () => randomUUID(),
  ): Promise<Person> => {
    const { api, session, name } = entered
    const { id: userId, email, appMetadata } = session.user
    const { tenantId } = appMetadata
    const own = (await api.get<ReadonlyArray<SessionEntry>>("/auth/session/list")).record
    const none = { userId, email, tenantId, sessionId: own.find(({ current }) => current)!.sessionId, dealer }
    if (name === "without" || name === "reader") {
      const [account, order, orderListId, internal, internalWallet, wallet, subscription, credential, quote] =
        Array.from({ length: 9 }, () => randomUUID()) as [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      const things = {
        ...none,
        account,
        order,
        orderListId,
        internal,
        internalWallet,
        wallet,
        subscription,
        credential,
        apiKey: randomUUID(),
      }
      return { ...entered, things: { ...things, clientOrderId: `order-of-${name}`, quote } }
    }
    const account = (await api.connectMock()).record.tradingAccountId
    const clientOrderId = `order-of-${name}`
    const order = (await api.submit(restingOrder(account, clientOrderId))).record
    const internal = (await api.connect({ venue: "INTERNAL" })).record
    const things = {
      ...none,
      account,
      order: order.tradeOrderId,
      clientOrderId,
      orderListId: order.orderListId ?? "",
      internal: internal.tradingAccountId,
      internalWallet: internal.walletId ?? "",
      wallet: (await api.post<{ walletId: string }>("/wallet/create", {})).record.walletId,
      subscription: (await api.subscribeBook({ instrumentId: BTC })).record.subscriptionId,
      credential: await credentialOf(userId, tenantId),
      apiKey: (await api.post<{ apiKeyId: string }>("/apiKey/create", { name: "bot", scopes: ["read"] })).record
        .apiKeyId,
      quote: await quoted(internal.tradingAccountId, api),
    }
    return { ...entered, things }
  }

  const { dealerAccountId } = desk.dealer
  const quoteOf = async (traderAccountId: string, api: Api): Promise<string> => {
    // Quotes that bind for so long are for those who can pay.
    const [account] = (await api.accounts({ tradingAccountId: traderAccountId })).record
    await desk.deposit(account?.walletId ?? "", "USDT", "100000")
    const asked = { dealerAccountId, traderAccountId, instrumentId: "MOCK:BTC/USDT", orderSide: "BUY" }
    return (await api.post<{ quoteId: string }>("/quote/request", { ...asked, quantity: "0.5", ttl: 300 })).record
      .quoteId
  }
  const home = "default"
  const elsewhere = "elsewhere"
  const strangerAdmin = await enter("stranger-admin", ALL, elsewhere)
  const theirs = (
    await strangerAdmin.api.post<{ dealerAccountId: string }>("/dealer/create", { name: "B", baseCurrencies: ["USDT"] })
  ).record.dealerAccountId

  const leaver = (await nobody.signup("leaver@example.com")).record
  await nobody.as(leaver.accessToken).call("POST", "/auth/logout")
  const mallory = (await nobody.signup("mallory@example.com")).record
  await nobody.as(root.accessToken).post("/admin/user/ban", { email: "mallory@example.com" })

  const away = (await nobody.signup("away@example.com")).record
  await operatorOf(database.url)("ip-allow away@example.com add 203.0.113.0/24")
  await until("the list to hold", async () => (await nobody.as(away.accessToken).user()).status === 403)

  const people = {
    ada: await settle(await enter("ada", ["read", "write"], home), dealerAccountId, quoteOf),
    without: await settle(await enter("without", [], home), dealerAccountId),
    reader: await settle(await enter("reader", ["read"], home), dealerAccountId),
    writer: await settle(await enter("writer", ["read", "write"], home), dealerAccountId),
    admin: await settle(await enter("admin", ALL, home), dealerAccountId),
    strangerWriter: await settle(await enter("stranger", ["read", "write"], elsewhere), theirs),
    strangerAdmin: await settle(strangerAdmin, theirs),
  }
  const keyOf = async ({ api }: Person, terms: object) =>
    (await api.post<CreatedApiKey>("/apiKey/create", { name: "key", scopes: ["trade"], ...terms })).record
  const over = await keyOf(people.ada, {})
  await people.ada.api.post("/apiKey/revoke", { apiKeyId: over.apiKeyId })
  const brief = await keyOf(people.ada, { expiresAt: Date.now() + 500 })
  const apiKeys: Keys = {
    reading: (await keyOf(people.ada, { scopes: ["read"] })).apiKey,
    trading: (await keyOf(people.ada, {})).apiKey,
    limited: (await keyOf(people.ada, { tradingAccountIds: [people.ada.things.account] })).apiKey,
    admin: (await keyOf(people.admin, { scopes: ["admin"] })).apiKey,
    revoked: over.apiKey,
    expired: brief.apiKey,
    away: (await keyOf(people.ada, { ipAllow: ["203.0.113.0/24"] })).apiKey,
  }
  await until("a key to expire", async () => Date.now() > (brief.expiresAt ?? 0))
  // A second session of hers, for what ends one of them.
  await nobody.login(people.ada.things.email, PASSWORD)
  return {
    ...people,
    ready,
    database,
    dataDir,
    nobody,
    privateKey: keys.privateKey,
    publicKeyPem: keys.publicKey.export({ type: "spki", format: "pem" }).toString(),
    loggedOut: leaver.accessToken,
    banned: mallory.accessToken,
    away: away.accessToken,
    keys: apiKeys,
    close: async () => {
      await sql.end()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
