/**
 * Each action that the audit knows, done once over the interface that does it, leaves one row: by whom, from where, on what, how it ended.
 * An action without its doer here does not compile. And admins read the rows, each those of the own tenant.
 */
import { randomBytes, randomUUID } from "node:crypto"
import { Effect } from "effect"
import { Secret, TOTP } from "otpauth"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { KeysReport } from "../../../../src/admin/keys.ts"
import { taskOf } from "../../../../src/admin/tasks.ts"
import { readSettings } from "../../../../src/config.ts"
import type { DealerRecord } from "../../../../src/domain/dealer/dealer.ts"
import { ACTIONS, type Action } from "../../../../src/domain/user/act.ts"
import type { ApiKeyRecord } from "../../../../src/domain/user/api-key.ts"
import type { WalletRecord } from "../../../../src/domain/wallet/wallet.ts"
import type { Lane } from "../../../../src/store/audit/chain.ts"
import { migrate } from "../../../../src/store/postgres/sql.ts"
import { type BinanceExchange, startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { loseCredential, openClient, openDesk, tradeUnanswered } from "../../../kit/desks/hedging-desk.ts"
import {
  type Answer,
  type Api,
  api,
  endGateways,
  type Gateway,
  startGateway,
  until,
} from "../../../kit/servers/gateway.ts"
import { OPERATOR } from "../../../kit/servers/operator.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"
import { type Newcomer, signUp, signUpAdmin } from "./people.ts"

const newDatabase = withDatabaseServer()
let database: OwnDatabase
let gateway: Gateway
let exchange: BinanceExchange
let admin: Newcomer
let sql: pg.Client

beforeAll(async () => {
  exchange = await startBinanceExchange({ market: "still" })
  database = await newDatabase()
  const VENUE_ROUTES = JSON.stringify(exchange.routes)
  gateway = await startGateway({ env: { DATABASE_URL: database.url, MOCK_TICK_MS: "0", VENUE_ROUTES } })
  admin = await signUpAdmin(gateway)
  sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
})
afterAll(async () => {
  await sql?.end()
  await endGateways()
  await exchange?.stop()
})

type Row = Readonly<Record<string, unknown>>

const rowsOf = async (action: Action, where = sql): Promise<ReadonlyArray<Row>> =>
  (await where.query<Row>("SELECT * FROM audit_row WHERE action = $1 ORDER BY at, number", [action])).rows

/** A command line of `gateway admin`, without its process. */
const operate = (line: string, url = database.url): Promise<ReadonlyArray<unknown>> => {
  const task = taskOf(line.split(" "))
  if (task === undefined) throw new Error(`no command: ${line}`)
  const settings = readSettings({ DATA_DIR: gateway.dataDir, DATABASE_URL: url })
  const done = task.run(settings, url, Date.now(), { actor: OPERATOR, trail: null })
  return Effect.runPromise(Effect.map(done, ({ records }) => records))
}

interface Expected {
  /** Null: the command line; "gateway": the gateway itself; "nobody": who is no user yet. */
  readonly by: Newcomer | "gateway" | "nobody" | null
  readonly object: readonly [type: string | null, id: unknown, tenantId: string | null]
  /** Beside it. */
  readonly more?: Row
  /** Where it was done, when not on the gateway's database. */
  readonly where?: pg.Client
}

/** Prepared; does it once, and says what its row must be. */
type Doer = () => Promise<() => Promise<Expected>>

const HOME = "default"
const userObject = (it: Newcomer, tenantId = HOME) => ["USER", it.session.user.id, tenantId] as const

const done = <A>(answer: Answer<A>): A => answer.record

/** Of a new user each. */
const byOperator =
  (line: (email: string) => string, more: Row = {}, tenantId = HOME): Doer =>
  async () => {
    const user = await signUp(gateway)
    return async () => {
      await operate(line(user.email))
      return { by: null, object: userObject(user, tenantId), more }
    }
  }

const ban = (path: "ban" | "unban", more: Row): Doer => {
  return async () => {
    const user = await signUp(gateway)
    const { email } = user
    if (path === "unban") done(await admin.calls.post("/admin/user/ban", { email }))
    return async () => {
      done(await admin.calls.post(`/admin/user/${path}`, { email, ...(path === "ban" ? { reason: "stolen" } : {}) }))
      return { by: admin, object: userObject(user), more }
    }
  }
}

const enrolled = async () => {
  const user = await signUp(gateway)
  const { secret } = done(await user.calls.post<{ secret: string }>("/auth/totp/enrol"))
  const totp = new TOTP({ algorithm: "SHA1", digits: 6, period: 30, secret: Secret.fromBase32(secret) })
  return { user, code: () => totp.generate() }
}

const confirmed = async () => {
  const { user, code } = await enrolled()
  done(await user.calls.post("/auth/totp/confirm", { code: code() }))
  // Good once in its step: as if that were over.
  await sql.query("UPDATE second_factor SET last_step = 0 WHERE user_id = $1", [user.session.user.id])
  return { user, code }
}

const ofFactor = (act: (calls: Api, code: () => string) => Promise<Answer<unknown>>, prepared = confirmed): Doer => {
  return async () => {
    const { user, code } = await prepared()
    return async () => {
      done(await act(user.calls, code))
      return { by: user, object: userObject(user) }
    }
  }
}

const dealer = async (): Promise<string> =>
  done(await admin.calls.post<DealerRecord>("/dealer/create", { name: "Desk", baseCurrencies: ["USDT"] }))
    .dealerAccountId

const ofDealer =
  (path: string, before: ReadonlyArray<string> = []): Doer =>
  async () => {
    const dealerAccountId = await dealer()
    for (const each of before) done(await admin.calls.post(`/dealer/${each}`, { dealerAccountId }))
    return async () => {
      done(await admin.calls.post(`/dealer/${path}`, { dealerAccountId }))
      return { by: admin, object: ["DEALER", dealerAccountId, HOME] }
    }
  }

const linking =
  (path: "link" | "unlink"): Doer =>
  async () => {
    const dealerAccountId = await dealer()
    const { tradingAccountId } = done(await admin.calls.connectMock(randomUUID()))
    const link = { dealerAccountId, tradingAccountId }
    if (path === "unlink") done(await admin.calls.post("/dealer/account/link", link))
    return async () => {
      done(await admin.calls.post(`/dealer/account/${path}`, link))
      return { by: admin, object: ["DEALER", dealerAccountId, HOME], more: { other_id: tradingAccountId } }
    }
  }

const wallet = async (of: Newcomer): Promise<string> =>
  done(await of.calls.post<WalletRecord>("/wallet/create", {})).walletId

const USDT = { asset: "USDT", amount: "12.50" }
const MOVED = { asset: "USDT", amount: "12.5" }

const ofWallet =
  (path: string, before: ReadonlyArray<string> = [], money: typeof USDT | undefined = undefined): Doer =>
  async () => {
    const owner = await signUp(gateway)
    const walletId = await wallet(owner)
    for (const each of before)
      done(await admin.calls.post(`/wallet/${each}`, { walletId, ...(each === "deposit" ? USDT : {}) }))
    return async () => {
      done(await admin.calls.post(`/wallet/${path}`, { walletId, ...money }))
      return { by: admin, object: ["WALLET", walletId, HOME], more: money === undefined ? {} : MOVED }
    }
  }

const credentialOf = async (user: Newcomer): Promise<string> => {
  const [apiKey, apiSecret] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")]
  exchange.addUser({ apiKey, apiSecret, balances: { USDT: "1" } })
  return done(await user.calls.createCredential({ venue: "BINANCE", apiKey, apiSecret, name: "main" })).credentialId
}

const keysStatus = async (): Promise<KeysReport> => (await operate("keys status"))[0] as KeysReport

/** The gateway has taken up what the command line has made of the keys. */
const takenUp = async <A>(work: () => Promise<A>): Promise<A> => {
  const before = (await rowsOf("keys.taken")).length
  const answer = await work()
  await until("the gateway to take the key up", async () => (await rowsOf("keys.taken")).length > before)
  return answer
}

const rotating =
  (kind: "encryption" | "signing" | "cursor", words: string, more: Row): Doer =>
  async () =>
  async () => {
    const report = (await takenUp(() => operate(`keys ${words}`)))[0] as KeysReport
    return { by: null, object: ["KEY", report[kind].active, null], more }
  }

const DOERS: { readonly [A in Action]: Doer } = {
  "user.setup": async () => async () => ({ by: "nobody", object: userObject(admin) }),
  "user.grant": byOperator((email) => `grant ${email} admin`, { what: "admin" }),
  "user.revoke": byOperator((email) => `revoke ${email} write`, { what: "write" }),
  "user.environments": byOperator((email) => `environments ${email} UAT`, { what: "UAT" }),
  "user.move": async () => {
    await operate("tenant create moved-to")
    return byOperator((email) => `user move ${email} moved-to`, { what: "moved-to" })()
  },
  "user.signout": byOperator((email) => `sign-out ${email}`),
  "user.ban": ban("ban", { what: "stolen" }),
  "user.unban": ban("unban", { what: null }),
  "factor.enrol": async () => {
    const user = await signUp(gateway)
    return async () => {
      done(await user.calls.post("/auth/totp/enrol"))
      return { by: user, object: userObject(user) }
    }
  },
  "factor.confirm": ofFactor((calls, code) => calls.post("/auth/totp/confirm", { code: code() }), enrolled),
  "factor.remove": ofFactor((calls, code) => calls.post("/auth/totp/remove", { code: code() })),
  "factor.reset": async () => {
    const { user } = await confirmed()
    return async () => {
      await operate(`second-factor ${user.email} reset`)
      return { by: null, object: userObject(user) }
    }
  },
  "codes.renew": ofFactor((calls) => calls.post("/auth/recoveryCode/renew")),
  "ip.allow": byOperator((email) => `ip-allow ${email} add 127.0.0.0/8`, { what: "127.0.0.0/8" }),
  "ip.forget": async () => {
    const user = await signUp(gateway)
    await operate(`ip-allow ${user.email} add 127.0.0.0/8`)
    return async () => {
      await operate(`ip-allow ${user.email} remove 127.0.0.0/8`)
      return { by: null, object: userObject(user), more: { what: "127.0.0.0/8" } }
    }
  },
  "tenant.create": async () => async () => {
    await operate("tenant create made")
    return { by: null, object: ["TENANT", "made", "made"] }
  },
  "credential.create": async () => {
    const user = await signUp(gateway)
    return async () => ({ by: user, object: ["CREDENTIAL", await credentialOf(user), HOME], more: { what: "BINANCE" } })
  },
  "credential.revoke": async () => {
    const user = await signUp(gateway)
    const credentialId = await credentialOf(user)
    return async () => {
      // The second changes nothing.
      for (const _time of [1, 2]) done(await user.calls.post("/credential/revoke", { credentialId }))
      return { by: user, object: ["CREDENTIAL", credentialId, HOME], more: { what: "BINANCE" } }
    }
  },
  "apiKey.create": async () => {
    const user = await signUp(gateway)
    return async () => {
      const { apiKeyId } = done(
        await user.calls.post<ApiKeyRecord>("/apiKey/create", { name: "bot", scopes: ["trade"] }),
      )
      return { by: user, object: ["API_KEY", apiKeyId, HOME], more: { what: '"bot" read,trade' } }
    }
  },
  "apiKey.revoke": async () => {
    const user = await signUp(gateway)
    const { apiKeyId } = done(await user.calls.post<ApiKeyRecord>("/apiKey/create", { name: "bot", scopes: ["read"] }))
    return async () => {
      // The second changes nothing.
      for (const _time of [1, 2]) done(await user.calls.post("/apiKey/revoke", { apiKeyId }))
      return { by: user, object: ["API_KEY", apiKeyId, HOME], more: { what: '"bot" read' } }
    }
  },
  "account.connect": async () => {
    const user = await signUp(gateway)
    return async () => {
      // The second is the same account.
      const [account] = [await user.calls.connectMock(), await user.calls.connectMock()].map(done)
      return { by: user, object: ["ACCOUNT", account?.tradingAccountId, HOME], more: { what: "MOCK" } }
    }
  },
  "account.disconnect": async () => {
    const user = await signUp(gateway)
    const { tradingAccountId } = done(await user.calls.connectMock())
    return async () => {
      for (const _time of [1, 2]) done(await user.calls.disconnect(tradingAccountId))
      return { by: user, object: ["ACCOUNT", tradingAccountId, HOME], more: { what: "MOCK" } }
    }
  },
  "instrument.create": async () => async () => {
    const terms = { baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.01", lotSize: "0.001" }
    for (const _time of [1, 2]) done(await admin.calls.post("/market/instrument/create", terms))
    return { by: admin, object: ["INSTRUMENT", "INTERNAL:BTC/USDT", HOME], more: { what: "tick 0.01, lot 0.001" } }
  },
  "instrument.retire": async () => {
    const terms = { baseAsset: "ETH", quoteAsset: "USDT", tickSize: "0.01", lotSize: "0.001" }
    done(await admin.calls.post("/market/instrument/create", terms))
    return async () => {
      // The second changes nothing.
      for (const _time of [1, 2])
        done(await admin.calls.post("/market/instrument/retire", { instrumentId: "INTERNAL:ETH/USDT" }))
      return { by: admin, object: ["INSTRUMENT", "INTERNAL:ETH/USDT", HOME] }
    }
  },
  "instrument.sync": async () => {
    const user = await signUp(gateway)
    return async () => {
      done(await user.calls.post("/market/instrument/sync", { venue: "MOCK", symbols: ["BTC/USDT"] }))
      return { by: user, object: ["VENUE", "MOCK", null], more: { what: "added 0, updated 0 of BTC/USDT" } }
    }
  },
  "keys.rotate_encryption": rotating("encryption", "rotate-encryption", { what: null }),
  "keys.rotate_signing": rotating("signing", "rotate-signing", { what: null }),
  "keys.rotate_cursor": rotating("cursor", "rotate-cursor", { what: null }),
  "keys.retire": async () => {
    const old = (await keysStatus()).encryption.active
    await takenUp(() => operate("keys rotate-encryption"))
    await until("the end of its rows", async () => {
      const { keys } = (await keysStatus()).encryption
      return Object.values(keys.find(({ kid }) => kid === old)?.rows ?? {}).every((count) => count === 0)
    })
    return async () => {
      await operate(`keys retire ${old}`)
      return { by: null, object: ["KEY", old, null] }
    }
  },
  "keys.abandon": async () => {
    // One that no gateway works on.
    const other = await newDatabase()
    await migrate(other.url)
    const where = new pg.Client({ connectionString: other.adminUrl })
    await where.connect()
    await where.query("INSERT INTO encryption_key (kid, created_at) VALUES ('lost', 1)")
    return async () => {
      await operate("keys abandon lost", other.url)
      return { by: null, object: ["KEY", "lost", null], where }
    }
  },
  "keys.taken": async () => async () => {
    const report = (await takenUp(() => operate("keys rotate-encryption")))[0] as KeysReport
    const { encryption, signing, cursor } = report
    const what = `encryption ${encryption.active}, signing ${signing.active}, cursor ${cursor.active}`
    return { by: "gateway", object: ["KEY", encryption.active, null], more: { what } }
  },
  "tradingMode.set": async () => async () => {
    done(await admin.calls.post("/admin/tradingMode", { tradingMode: "cancel_only", reason: "halted" }))
    return { by: admin, object: ["MODE", "tradingMode", null], more: { what: "cancel_only: halted" } }
  },
  "orders.archive": async () => async () => {
    await operate("archive --before 2020-01-01")
    return { by: null, object: [null, null, null], more: { what: "ended before 2020-01-01" } }
  },
  "database.write": async () => async () => {
    // psql itself may not be installed here.
    await operate("psql --url")
    return { by: null, object: [null, null, null], more: { what: "psql --url" } }
  },
  "dealer.create": async () => async () => ({ by: admin, object: ["DEALER", await dealer(), HOME] }),
  "dealer.update": async () => {
    const made = await admin.calls.post<DealerRecord>("/dealer/create", { name: "Desk", baseCurrencies: ["USDT"] })
    const { dealerAccountId, updatedAt } = done(made)
    return async () => {
      const config = { pricing: { allowSimulatedVenues: true }, riskCurrency: "USDT" }
      done(await admin.calls.post("/dealer/update", { dealerAccountId, updatedAt, config }))
      const what = "config: riskCurrency, pricing"
      return { by: admin, object: ["DEALER", dealerAccountId, HOME], more: { what } }
    }
  },
  "dealer.pause": ofDealer("pause"),
  "dealer.resume": ofDealer("resume", ["pause"]),
  "dealer.archive": ofDealer("archive"),
  "dealer.link": linking("link"),
  "dealer.unlink": linking("unlink"),
  "dealer.fund": async () => {
    const desk = await openDesk(admin.calls, exchange)
    const { dealerAccountId, linkedAccountId: tradingAccountId } = desk
    const told = { dealerAccountId, tradingAccountId, ...USDT, direction: "WITHDRAWAL" }
    const begun = "SELECT FROM exchange_mirror WHERE trading_account_id = $1 AND opened"
    await until("its mirror to begin", async () => (await sql.query(begun, [tradingAccountId])).rowCount === 1)
    return async () => {
      const key = { "idempotency-key": randomUUID() }
      const [first, second] = [
        done(await admin.calls.call("POST", "/dealer/account/funding", told, key)),
        done(await admin.calls.call("POST", "/dealer/account/funding", told, key)),
      ]
      expect(first).toMatchObject({ ...told, amount: "12.5", settledAmount: "0" })
      expect(second).toEqual(first)
      const more = { other_id: tradingAccountId, ...MOVED, what: "WITHDRAWAL" }
      return { by: admin, object: ["DEALER", dealerAccountId, HOME], more }
    }
  },
  "dealer.resolve_hedge": async () => {
    // Another act has halted it.
    done(await admin.calls.post("/admin/tradingMode", { tradingMode: "online" }))
    const desk = await openDesk(admin.calls, exchange)
    const client = await openClient(gateway, desk)
    const { openHedgeIds } = await tradeUnanswered(client, desk, exchange)
    await loseCredential(desk)
    exchange.fault({ fault: "clear" })
    const { dealerAccountId } = desk
    const said = { dealerAccountId, tradeOrderId: openHedgeIds[0], executedQuantity: "0.04", averagePrice: "60000" }
    return async () => {
      for (let time = 0; time < 2; time++) done(await admin.calls.post("/dealer/hedge/resolve", said))
      const more = { other_id: openHedgeIds[0], amount: "0.04", what: "at 60000" }
      return { by: admin, object: ["DEALER", dealerAccountId, HOME], more }
    }
  },
  "wallet.create": async () => {
    const user = await signUp(gateway)
    return async () => ({ by: user, object: ["WALLET", await wallet(user), HOME] })
  },
  "wallet.freeze": ofWallet("freeze"),
  "wallet.unfreeze": ofWallet("unfreeze", ["freeze"]),
  "wallet.close": async () => {
    const user = await signUp(gateway)
    const walletId = await wallet(user)
    return async () => {
      done(await user.calls.post("/wallet/close", { walletId }))
      return { by: user, object: ["WALLET", walletId, HOME] }
    }
  },
  "wallet.deposit": ofWallet("deposit", [], USDT),
  "wallet.withdraw": ofWallet("withdraw", ["deposit"], USDT),
  "wallet.transfer": async () => {
    const user = await signUp(gateway)
    const [sourceWalletId, destWalletId] = [await wallet(user), await wallet(user)]
    done(await admin.calls.post("/wallet/deposit", { walletId: sourceWalletId, ...USDT }))
    return async () => {
      done(await user.calls.post("/wallet/transfer", { sourceWalletId, destWalletId, ...USDT }))
      return { by: user, object: ["WALLET", sourceWalletId, HOME], more: { ...MOVED, other_id: destWalletId } }
    }
  },
}

const NOBODY = { user_id: null, session_id: null, tenant_id: null }
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/
const OVER_HTTP = { actor_kind: "USER", ip: "127.0.0.1", user_agent: "node", request_id: expect.stringMatching(UUID) }

const actorColumns = async (by: Expected["by"]): Promise<Row> => {
  if (by === "nobody") return { ...NOBODY, ...OVER_HTTP }
  if (by === null)
    return { ...NOBODY, actor_kind: "OPERATOR", ip: null, user_agent: OPERATOR.userAgent, request_id: null }
  if (by === "gateway") return { ...NOBODY, actor_kind: "SYSTEM", ip: null, user_agent: null, request_id: null }
  const { id } = by.session.user
  const { rows } = await sql.query<{ session_id: string }>(
    "SELECT session_id FROM session WHERE user_id = $1 ORDER BY created_at",
    [id],
  )
  return { ...OVER_HTTP, user_id: id, session_id: rows[0]?.session_id, tenant_id: HOME }
}

describe("an act", () => {
  it.each(ACTIONS)("%s leaves one row", async (action) => {
    const act = await DOERS[action]()
    // The first admin was made before all tests.
    const before = action === "user.setup" ? 0 : (await rowsOf(action)).length
    const { by, object, more = {}, where = sql } = await act()
    const rows = await rowsOf(action, where)
    const mine = where === sql ? rows.slice(before) : rows
    if (where !== sql) await where.end()
    const [object_type, object_id, object_tenant_id] = object
    const wanted = { result: "ok", object_type, object_id, object_tenant_id, ...(await actorColumns(by)), ...more }
    expect(mine).toMatchObject([wanted])
  })
})

type Listed = Readonly<Record<string, unknown>>
const listed = async (query: Readonly<Record<string, string | number>> = {}, as = admin.calls) =>
  done(await as.get<ReadonlyArray<Listed>>("/audit/list", { limit: 1_000, ...query }))

describe("the list of acts", () => {
  it("shows admins what each row says, by actor, action, object, result and time", async () => {
    const user = await signUp(gateway)
    const [walletId, otherId] = [await wallet(user), await wallet(user)]
    const from = Date.now()
    done(await admin.calls.post("/wallet/deposit", { walletId, ...USDT }))
    const transfer = { sourceWalletId: walletId, destWalletId: otherId, ...USDT }
    done(await user.calls.call("POST", "/wallet/transfer", transfer, { "x-request-id": "mine" }))
    expect((await user.calls.post("/wallet/transfer", transfer)).envelope.errno).toBe(-111000)
    const [row] = await listed({ objectId: otherId, action: "wallet.transfer", result: "ok" })
    expect(row).toEqual({
      ...row,
      action: "wallet.transfer",
      result: "ok",
      lane: "ledger",
      actorKind: "USER",
      userId: user.session.user.id,
      tenantId: HOME,
      ip: "127.0.0.1",
      userAgent: "node",
      requestId: expect.stringMatching(UUID),
      clientRequestId: "mine",
      objectType: "WALLET",
      objectId: walletId,
      objectTenantId: HOME,
      otherId,
      asset: "USDT",
      amount: "12.5",
      what: null,
      keyId: null,
      atDateTime: new Date(Number(row?.["at"])).toISOString(),
    })
    const said = async (query: Parameters<typeof listed>[0]) =>
      (await listed(query)).map(({ action, result }) => `${action} ${result}`)
    const refused = "wallet.transfer InsufficientBalance"
    const moves = [refused, "wallet.transfer ok", "wallet.deposit ok"]
    expect(await said({ objectId: walletId })).toEqual([...moves, "wallet.create ok"])
    expect(await said({ userId: user.session.user.id, from })).toEqual(moves.slice(0, 2))
    expect(await said({ objectId: walletId, result: "InsufficientBalance" })).toEqual([refused])
    expect(await said({ objectId: walletId, to: from - 1 })).toEqual(["wallet.create ok"])
    expect(new Set(await said({ action: "user.ban" }))).toEqual(new Set(["user.ban ok"]))
    const kinds = new Set((await listed({ actorKind: "OPERATOR" })).map(({ actorKind }) => actorKind))
    expect(kinds).toEqual(new Set(["OPERATOR"]))
    const wrong = async (query: Readonly<Record<string, string | number>>) =>
      (await admin.calls.get("/audit/list", query)).envelope.errno
    expect(await wrong({ from: 2, to: 1 })).toBe(-104_010)
    expect(await wrong({ action: "wallet.steal" })).toBe(-104_003)
  })

  it("goes on by its cursor where it was, whatever is written meanwhile", async () => {
    const whole = await listed()
    const seen: Array<unknown> = []
    let page = await admin.calls.get<ReadonlyArray<Listed>>("/audit/list", { limit: 7 })
    for (;;) {
      seen.push(...done(page).map(({ actId }) => actId))
      expect(page.envelope.pagination).toMatchObject({ limit: 7, total: whole.length })
      const cursor = page.envelope.pagination?.cursor
      if (cursor == null) break
      await wallet(admin)
      page = await admin.calls.get("/audit/list", { cursor, limit: 7 })
    }
    expect(seen).toEqual(whole.map(({ actId }) => actId))
    const skipped = await listed({ offset: 3, to: Number(whole[0]?.["at"]) })
    expect(skipped.map(({ actId }) => actId)).toEqual(seen.slice(3))
  })

  it("is of the admin's own tenant; what is of none is the default tenant's admins'", async () => {
    const { email } = await signUp(gateway)
    await operate("tenant create apart")
    await operate(`user move ${email} apart`)
    await operate(`grant ${email} admin`)
    const elsewhere = api(gateway).as(done(await api(gateway).login(email)).accessToken)
    const walletId = done(await elsewhere.post<WalletRecord>("/wallet/create", {})).walletId
    done(await elsewhere.post("/wallet/freeze", { walletId }))
    const symbols = ["BTC/USDT"]
    done(await elsewhere.post("/market/instrument/sync", { venue: "MOCK", symbols }))
    done(await admin.calls.post("/market/instrument/sync", { venue: "MOCK", symbols }))
    expect((await elsewhere.post("/admin/tradingMode", { tradingMode: "online" })).status).toBe(403)
    const theirs = await listed({}, elsewhere)
    expect(theirs.map(({ action, result }) => `${action} ${result}`)).toEqual([
      "wallet.freeze ok",
      "wallet.create ok",
      "user.grant ok",
      "tenant.create ok",
    ])
    const ours = await listed()
    const shared = new Set(theirs.map(({ actId }) => actId))
    expect(ours.filter(({ actId }) => shared.has(actId))).toEqual([])
    expect(ours.map(({ action }) => action)).toEqual(expect.arrayContaining(["keys.taken", "user.move"]))
    // What all tenants share is nobody's but the installation's, of whichever tenant the actor is.
    const onShared = ours.map(({ action, result, tenantId }) => `${action} ${result} by ${tenantId}`)
    expect(onShared.slice(0, 3)).toEqual([
      "tradingMode.set TenantForbidden by apart",
      `instrument.sync ok by ${HOME}`,
      "instrument.sync ok by apart",
    ])
    expect(await listed({ objectId: "MOCK" }, elsewhere)).toEqual([])
    expect(await listed({ objectId: walletId })).toEqual([])
    const { calls } = await signUp(gateway)
    expect((await calls.get("/audit/list")).envelope.errno).toBe(-102_003)
  })

  it("is of a chain that is whole", async () => {
    const lanes = (await operate("audit verify")) as ReadonlyArray<Lane>
    expect(lanes.filter(({ broken }) => broken !== null)).toEqual([])
    expect(lanes.map(({ lane }) => lane)).toEqual(expect.arrayContaining(["accounts", "ledger", "operator", "system"]))
  })
})
