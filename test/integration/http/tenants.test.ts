/**
 * Tenants apart: every route with every field that names something, every channel, every wallet of the ledger, asked by members of one
 * tenant about what is another's. They hear what they would hear about a name of nobody's, and nothing of the other has changed. A new
 * table, route, field or kind of channel that nobody has judged fails here.
 */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CHANNEL_CATALOG, parametersOf } from "../../../src/ws/channels/catalog.ts"
import { type DeclaredRoute, declaredRoutes, fieldsOf } from "../../kit/http-fuzz/declared-routes.ts"
import { until } from "../../kit/servers/gateway.ts"
import {
  BTC,
  type Furnished,
  KEYS,
  type Member,
  type Own,
  PAIR,
  restingAtMock,
  type Tenant,
  type Things,
} from "../../kit/tenants/furnish.ts"
import { judgeNaming, namingCells } from "../../kit/tenants/tenant-cells.ts"
import { ledgerVerdicts } from "../../kit/tenants/tenant-ledger.ts"
import { askHttp, type Heard, rpcOf, TenantSockets } from "../../kit/tenants/tenant-lines.ts"
import { type Fields, namingsOf, unclassified } from "../../kit/tenants/tenant-names.ts"
import {
  changesOf,
  crossings,
  idsOf,
  readSchema,
  rowsOf,
  type Schema,
  sharedRows,
  UNFURNISHED,
} from "../../kit/tenants/tenant-tables.ts"
import { startTenants, type World } from "../../kit/tenants/tenant-world.ts"
import { withDatabaseServer } from "../gateway/running/database.ts"

const newDatabase = withDatabaseServer()
const routes = declaredRoutes()
let world: World
let schema: Schema
let sockets: TenantSockets

beforeAll(async () => {
  world = await startTenants(await newDatabase())
  schema = await readSchema(world.sql)
  sockets = new TenantSockets(world.ready)
})
afterAll(async () => {
  sockets?.close()
  await world?.close()
  // tidy: the figure of the matrix
  console.log(`tenants: ${cells} cells, wrong ${wrongCells}`)
})

let cells = 0
let wrongCells = 0
/** The wrong cells of one test, in words. */
class Judge {
  readonly wrong: Array<string> = []
  cell(what: string, fault: string | undefined, heard: unknown = ""): void {
    cells += 1
    if (fault === undefined) return
    wrongCells += 1
    this.wrong.push(`${what}: ${fault}, heard ${JSON.stringify(heard)?.slice(0, 300)}`)
  }
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi

type Teller = (text: string, but?: ReadonlyArray<string>) => string | undefined

/** Finds in a text what only the victim has; `but`: what was asked by. */
const teller = async (victim: Pick<Tenant, "tenantId">): Promise<Teller> => {
  const others = world.tenants.flatMap(({ tenantId }) => (tenantId === victim.tenantId ? [] : [tenantId]))
  const ids = await idsOf(world.sql, schema, victim.tenantId, others)
  const emails = (
    await world.sql.query<{ email: string }>("SELECT email FROM app_user WHERE tenant_id = $1", [victim.tenantId])
  ).rows.map(({ email }) => email)
  return (text, but = []) =>
    text.match(UUID)?.find((id) => ids.has(id.toLowerCase()) && !but.includes(id)) ??
    emails.find((email) => text.includes(email) && !but.includes(email))
}

/** What the victim's own members read, but for instants that pass by themselves. */
const viewsOf = async (victim: Tenant): Promise<Readonly<Record<string, ReadonlyArray<string>>>> => {
  const seen: Record<string, ReadonlyArray<string>> = {}
  for (const route of routes) {
    const [resource] = route.name.split(".")
    // Markets are the venues', health, status and the list of tenants the installation's; rows of the audit and of users are compared where they are stored.
    if (
      route.method !== "GET" ||
      ["root", "market", "audit", "adminUser", "adminStatus", "adminTenant"].includes(resource!)
    )
      continue
    if (fieldsOf(route.query).some(({ isOptional }) => !isOptional)) continue
    const limit = fieldsOf(route.query).some(({ name }) => name === "limit") ? { limit: 100 } : {}
    for (const who of [victim.user, victim.admin]) {
      const { text } = await http(route, who, limit)
      seen[`${route.name} × ${who.name}`] = [
        text.replace(/"(lastEventTimestamp(DateTime)?|request_id)":("[^"]*"|[^,}]*)/g, ""),
      ]
    }
  }
  return seen
}

/** Nothing of the victim's is another afterwards, in the database and in what its members read. */
const untouched = async (victim: Tenant, acts: () => Promise<void>, mayGrow = false): Promise<void> => {
  const look = async () => ({
    ...(await rowsOf(world.sql, schema, victim.tenantId)),
    ...(await sharedRows(world.sql)),
    ...(await viewsOf(victim)),
  })
  const before = await look()
  await acts()
  const changes = changesOf(before, await look())
  expect(mayGrow ? changes.filter((change) => change.includes(" had ")) : changes).toEqual([])
}

/** Both ways: members of the first act, the second's are theirs to leave alone. */
const directions = [
  [1, 0],
  [0, 1],
] as const
const bothWays = async (
  acts: (actor: Tenant, victim: Tenant, newcomers: ReadonlyArray<Member>) => Promise<void>,
  { newcomers = 0, mayGrow = false } = {},
): Promise<void> => {
  for (const [actor, victim] of directions) {
    const { tenantId } = world.tenants[actor]
    const made: Array<Member> = []
    // They sign up where everybody does, before they are moved.
    for (let n = 1; n <= newcomers; n++) made.push(await world.enter(`newcomer-${n}`, tenantId, false))
    await untouched(world.tenants[victim], () => acts(world.tenants[actor], world.tenants[victim], made), mayGrow)
  }
}
const membersOf = ({ user, admin }: Tenant) => [user, admin]

describe("what there is", () => {
  it("is classified: every table, and every route with every field", () => {
    expect(schema.faults).toEqual([])
    expect(unclassified(routes)).toEqual([])
  })

  it("is there twice: each tenant has rows in every table that holds a tenant's things", async () => {
    for (const { tenantId } of world.tenants) {
      const rows = await rowsOf(world.sql, schema, tenantId)
      const empty = Object.keys(rows).filter((table) => rows[table]!.length === 0)
      expect([tenantId, empty.sort()]).toEqual([tenantId, Object.keys(UNFURNISHED).sort()])
    }
  })
})

describe("a name of another tenant's", () => {
  it("is as one of nobody's, in every field of every route, alone and beside the caller's own", async () => {
    const judge = new Judge()
    await bothWays(async (actor, victim) => {
      await judgeNames(judge, membersOf(actor), victim.things, await teller(victim))
    })
    expect(judge.wrong).toEqual([])
  })

  it("is on no list, whatever is asked for", async () => {
    const judge = new Judge()
    await bothWays(async (actor, victim) => {
      await judgeLists(judge, membersOf(actor), await teller(victim))
    })
    expect(judge.wrong).toEqual([])
  })

  it("opens no page of another's list", async () => {
    const judge = new Judge()
    await bothWays(async (actor, victim) => {
      for (const route of routes) {
        if (!fieldsOf(route.query).some(({ name }) => name === "cursor")) continue
        const ofWallet = (tenant: Tenant): Fields =>
          route.name === "wallet.transferList" ? { walletId: tenant.user.own.internalWallet } : {}
        const several = route.name === "market.tickerList" ? { instrumentIds: `${BTC},MOCK:ETH/USDT` } : {}
        const pages = await Promise.all(
          membersOf(victim).map((who) => http(route, who, { ...ofWallet(victim), ...several, limit: 1 })),
        )
        const cursor = pages.map(({ envelope }) => envelope.pagination?.cursor).find((it) => typeof it === "string")
        if (cursor === undefined) judge.cell(`${route.name}.cursor`, "there is no second page to have a cursor of")
        for (const who of membersOf(actor)) {
          const heard = await askHttp(world.ready, route, who, { ...ofWallet(actor), cursor })
          const none = await askHttp(world.ready, route, who, { ...ofWallet(actor), cursor: `${cursor}A` })
          const isSame = heard.status === none.status && heard.envelope.errno === none.envelope.errno
          const isRefused = heard.status >= 400 && isSame
          judge.cell(`${route.name}.cursor × ${who.name}`, isRefused ? undefined : `as ${none.text}`, heard.text)
        }
      }
    })
    expect(judge.wrong).toEqual([])
  })
})

const http = (route: DeclaredRoute, who: Member, fields: Fields) => askHttp(world.ready, route, who, fields)
const rpc = (route: DeclaredRoute, who: Member, fields: Fields) => sockets.call(route, who, fields)

/** Each name of the victim's in each field, over HTTP and by its call, as each of these members. */
const judgeNames = async (judge: Judge, members: ReadonlyArray<Furnished>, things: Things, tells: Teller) => {
  for (const cell of namingCells(routes, things))
    for (const who of members)
      for (const ask of rpcOf(cell.route) === undefined ? [http] : [http, rpc])
        for (const { cell: what, fault, heard } of await judgeNaming(cell, who, ask, tells))
          judge.cell(ask === rpc ? `rpc ${what}` : what, fault, heard.text)
}

/** Every list and every record that is read without naming one. */
const judgeLists = async (judge: Judge, members: ReadonlyArray<Furnished>, tells: Teller) => {
  for (const route of routes) {
    if (route.method !== "GET") continue
    const fields = fieldsOf(route.query)
    const isOfWallet = fields.some(({ name, isOptional }) => name === "walletId" && !isOptional)
    const limit = fields.some(({ name }) => name === "limit") ? { limit: 100 } : {}
    const words: ReadonlyArray<Fields> = route.name === "wallet.list" ? WALLET_TYPES : [{}]
    for (const who of members)
      for (const word of words) {
        const own = isOfWallet ? { walletId: who.own.internalWallet } : {}
        const heard = await http(route, who, { ...own, ...limit, ...word })
        const told = tells(heard.text)
        judge.cell(`${route.name} × ${who.name}`, told === undefined ? undefined : `tells ${told}`, heard.text)
      }
  }
}

const WALLET_TYPES = ["CLIENT", "DEALER", "EXCHANGE", "ACCOUNTING"].map((walletType) => ({ walletType }))

describe("a name of one's own choice", () => {
  it("is kept apart: the same key, order name or quote name in another tenant is another's", async () => {
    const judge = new Judge()
    const bodies: Readonly<Record<string, Fields>> = {
      "wallet.create": { nickname: "savings" },
      "tradingAccount.connect": { venue: "MOCK", externalTradingAccountId: "trading" },
      "subscription.subscribe": { instrumentId: BTC },
    }
    await bothWays(
      async (actor, victim, [newcomer]) => {
        const fresh = newcomer!
        const tells = await teller(victim)
        const { rows } = await world.sql.query<{ operation: string; key: string }>(
          `SELECT DISTINCT operation, key FROM idempotent_answer JOIN app_user USING (user_id)
          WHERE tenant_id = $1 AND operation = ANY ($2) ORDER BY 1, 2`,
          [victim.tenantId, Object.keys(bodies)],
        )
        expect(rows.map(({ operation }) => operation)).toEqual(Object.keys(bodies).sort())
        for (const { operation, key } of rows) {
          const route = routes.find(({ name }) => name === operation)!
          const heard = await askHttp(world.ready, route, fresh, bodies[operation]!, { "idempotency-key": key })
          const fault = heard.status !== 200 || heard.isReplayed ? "should be an act of its own" : tells(heard.text)
          judge.cell(`${operation} under ${key} × ${fresh.name}`, fault, heard.text)
        }
        const tradingAccountId = (await fresh.api.connectMock("orders")).record.tradingAccountId
        const submit = routes.find(({ name }) => name === "tradeOrder.submit")!
        const names = [
          { clientOrderId: KEYS.order },
          { clientOrderId: victim.user.own.clientOrder },
          { idempotencyKey: KEYS.bought },
        ]
        for (const name of names) {
          const fields = { ...restingAtMock(tradingAccountId), ...name }
          const heard = await askHttp(world.ready, submit, fresh, fields)
          const fault = heard.status !== 200 || heard.isReplayed ? "should be an order of its own" : tells(heard.text)
          judge.cell(`tradeOrder.submit ${JSON.stringify(name)} × ${fresh.name}`, fault, heard.text)
        }
        const request = routes.find(({ name }) => name === "quote.request")!
        const { dealer, internal } = actor.user.own
        const again = await askHttp(world.ready, request, actor.user, {
          dealerAccountId: dealer,
          traderAccountId: internal,
          ...PAIR,
          orderSide: "BUY",
          quantity: "0.5",
          ttl: 300,
          quoteRequestId: KEYS.quote,
        })
        const isOwn = again.text.includes(actor.user.own.quote)
        judge.cell(
          `quote.request under ${KEYS.quote} × ${actor.user.name}`,
          isOwn ? tells(again.text) : "its own quote",
          again.text,
        )
      },
      { newcomers: 1 },
    )
    expect(judge.wrong).toEqual([])
  })
})

describe("a dealer's operators", () => {
  it("are users of its own tenant: one of another's who is named finds no such dealer", async () => {
    const judge = new Judge()
    for (const [actor, victim] of directions) {
      const [theirs, ours] = [world.tenants[actor], world.tenants[victim]]
      const made = await theirs.admin.api.post<{ dealerAccountId: string }>("/dealer/create", {
        name: "generous",
        baseCurrencies: ["USDT"],
        config: { operators: ours.things.user },
      })
      const { dealerAccountId } = made.record
      const named = routes.filter((route) => namingsOf(route).some(({ field }) => field === "dealerAccountId"))
      for (const cell of namingCells(named, { ...theirs.things, dealer: [dealerAccountId] }))
        if (cell.what === "dealerAccountId")
          for (const who of membersOf(ours))
            for (const { cell: what, fault, heard } of await judgeNaming(cell, who, http, () => undefined))
              judge.cell(`${what} that operates`, fault, heard.text)
    }
    expect(judge.wrong).toEqual([])
  })
})

describe("an address", () => {
  it("of another tenant's user is answered as any other, but where it is signed up with: it is one in the whole installation", async () => {
    const judge = new Judge()
    await bothWays(
      async (actor, victim, newcomers) => {
        const tells = await teller(victim)
        const password = "an other horse battery staple"
        const asks: Readonly<Record<string, (email: string) => Fields>> = {
          "auth.login": (email) => ({ email, password }),
          "auth.recover": (email) => ({ email }),
          "auth.resend": (email) => ({ type: "signup", email }),
          "auth.update": (email) => ({ email }),
          "auth.signup": (email) => ({ email, password }),
        }
        const addressed = routes.filter(({ body }) => fieldsOf(body).some(({ name }) => name === "email"))
        expect(addressed.map(({ name }) => name).sort()).toEqual(
          [
            ...Object.keys(asks),
            ...["ban", "grant", "resetSecondFactor", "revoke", "signOut", "unban"].map((name) => `adminUser.${name}`),
            "adminTenant.move",
            // Only the page of the gateway's own is heard there (test/integration/console).
            "console.open",
            "console.signup",
          ].sort(),
        )
        // Each asks once: a second change of address would have to wait.
        const [one, two] = newcomers
        for (const [name, body] of Object.entries(asks)) {
          const route = routes.find((it) => it.name === name)!
          const heard = await http(route, one!, body(victim.user.email))
          const none = await http(route, two!, body(`nobody-${randomUUID()}@example.com`))
          const isRight =
            name === "auth.signup"
              ? heard.envelope.errno === USER_EXISTS
              : heard.status === none.status && heard.envelope.errno === none.envelope.errno
          const fault = isRight ? tells(heard.text, [victim.user.email]) : `as ${none.text}`
          judge.cell(`${name} × ${actor.tenantId}`, fault, heard.text)
        }
      },
      { newcomers: 2, mayGrow: true },
    )
    expect(judge.wrong).toEqual([])
  })
})

const USER_EXISTS = -101_001
const DENIED = 103

/** What a client may say about a channel. */
const COMMANDS: ReadonlyArray<readonly [name: string, command: (channel: string) => Fields]> = [
  ["subscribe", (channel) => ({ subscribe: { channel } })],
  ["recover", (channel) => ({ subscribe: { channel, recover: true, epoch: "x", offset: 1 } })],
  ["map", (channel) => ({ subscribe: { channel, type: 1, phase: 2, limit: 10 } })],
  ["history", (channel) => ({ history: { channel, limit: 10 } })],
  ["presence", (channel) => ({ presence: { channel } })],
  ["presence_stats", (channel) => ({ presence_stats: { channel } })],
  ["publish", (channel) => ({ publish: { channel, data: {} } })],
  ["sub_refresh", (channel) => ({ sub_refresh: { channel, token: "x" } })],
]

/** By the parameters of a kind's address: whose its channels are. */
const OF_ACCOUNTS = ["tradingAccountId"]
const OF_MARKETS = [["venue", "symbol"], ["venue"], ["venue", "symbol", "interval"]]

describe("a channel", () => {
  it("of another tenant's account is refused as one of nobody's, of every kind and to every command", async () => {
    const judge = new Judge()
    const named = Object.entries(CHANNEL_CATALOG).map(([kind, { address }]) => ({
      kind,
      address,
      parameters: parametersOf(address),
    }))
    const accounts = named.filter(({ parameters }) => parameters.join() === OF_ACCOUNTS.join())
    const markets = named.filter(({ parameters }) => OF_MARKETS.some((some) => some.join() === parameters.join()))
    expect(named.length).toBe(accounts.length + markets.length)
    await bothWays(async (actor, victim) => {
      const tells = await teller(victim)
      for (const who of membersOf(actor))
        for (const { kind, address } of accounts)
          for (const [name, command] of COMMANDS) {
            const none = await sockets.command(who, command(address.replace("{tradingAccountId}", randomUUID())))
            for (const id of victim.things.account) {
              const heard = await sockets.command(who, command(address.replace("{tradingAccountId}", id)))
              const isSame = JSON.stringify(heard["error"]) === JSON.stringify(none["error"])
              const isDenied = (heard["error"] as { readonly code: number } | undefined)?.code === DENIED
              const fault =
                isDenied && isSame ? tells(JSON.stringify(heard), [id]) : `${DENIED}, as ${JSON.stringify(none)}`
              judge.cell(`${name} of ${kind} × ${who.name}`, fault, heard)
            }
          }
    })
    expect(judge.wrong).toEqual([])
  })

  it("of one's own hears nothing of what another tenant does", async () => {
    const judge = new Judge()
    for (const [listening, acting] of directions) {
      const [ears, hands] = [world.tenants[listening], world.tenants[acting]]
      const { user, admin } = hands
      // In a market that is everybody's a trade is news to everybody: what it says of the tenant is what counts.
      const channels = [
        ...ears.things.account.flatMap((id) => [
          `tradingAccount:${id}`,
          `tradingAccount:${id}:orders`,
          `tradingAccount:${id}:positions`,
        ]),
        ...["orderbook", "ticker", "trade"].map((kind) => `market:${kind}:${BTC}`),
        "market:ticker:MOCK",
        `market:kline:${BTC}:1m`,
      ]
      const own = `tradingAccount:${user.own.account}`
      await sockets.command(user, { subscribe: { channel: own } })
      for (const who of membersOf(ears))
        for (const channel of channels)
          for (const map of [{}, { type: 1, phase: 0, limit: 100 }])
            await sockets.command(who, { subscribe: { channel, ...map } })
      const { tradingAccountId, tradeOrderId } = (
        await user.api.submit({ ...restingAtMock(user.own.account), awaitAccepted: true })
      ).record
      await user.api.cancelled(tradingAccountId, tradeOrderId)
      await user.api.submitted({
        tradingAccountId,
        instrumentId: BTC,
        orderSide: "SELL",
        orderType: "MARKET",
        quantity: "0.001",
        awaitClosed: true,
      })
      const { walletId } = (await user.api.post<{ walletId: string }>("/wallet/create", {})).record
      await admin.api.post("/wallet/deposit", { walletId, asset: "USDT", amount: "5" })
      await admin.api.post("/wallet/freeze", { walletId })
      await admin.api.post("/dealer/pause", { dealerAccountId: user.own.dealer })
      await admin.api.post("/dealer/resume", { dealerAccountId: user.own.dealer })
      const gone = (await user.api.connectMock(`gone-${listening}`)).record.tradingAccountId
      await user.api.disconnect(gone)
      const tells = await teller(hands)
      const heardThere: Array<Fields> = []
      await until("the actor's own socket to hear of the trade", async () => {
        heardThere.push(...(await sockets.rest(user)))
        return JSON.stringify(heardThere).includes("TRADE_ORDER.FILLED")
      })
      for (const who of membersOf(ears))
        for (const push of await sockets.rest(who)) {
          const told = tells(JSON.stringify(push))
          judge.cell(`a push to ${who.name}`, told === undefined ? undefined : `tells ${told}`, push)
        }
      judge.cell(`the pushes to ${ears.tenantId}`, undefined)
    }
    expect(judge.wrong).toEqual([])
  })
})

describe("the ledger", () => {
  it("finds no wallet and no hold of another tenant, by whatever right, for whatever kind of transfer", async () => {
    const judge = new Judge()
    await bothWays(async (actor, victim) => {
      for (const { cell, fault, heard } of await ledgerVerdicts(world.sql, membersOf(actor), victim.tenantId))
        judge.cell(`ledger: ${cell}`, fault, heard)
    })
    expect(judge.wrong).toEqual([])
  })
})

describe("what is the installation's", () => {
  it("is changed by no member of a tenant that is not its own", async () => {
    const judge = new Judge()
    const [home, away] = world.tenants
    await untouched(home, async () => {
      const ask = async (
        name: string,
        who: Member,
        fields: Fields,
        isRight: (heard: Heard) => boolean,
      ): Promise<void> => {
        const heard = await askHttp(world.ready, routes.find((route) => route.name === name)!, who, fields)
        judge.cell(
          `${name} ${JSON.stringify(fields)} × ${who.name}`,
          isRight(heard) ? undefined : "is not right",
          heard.text,
        )
      }
      for (const tradingMode of ["cancel_only", "post_only", "maintenance", "online"])
        for (const who of membersOf(away))
          await ask("tradingMode.set", who, { tradingMode }, ({ status }) => status === 403)
      // What a venue lists is the venue's word, whoever asks for it: the same comes back.
      for (const venue of ["MOCK", "INTERNAL"])
        for (const symbols of [undefined, ["BTC/USDT"], ["BTC/USDT", "NONE/USDT"]])
          for (const who of membersOf(away)) {
            const fields = { venue, ...(symbols === undefined ? {} : { symbols }) }
            await ask("market.instrumentSync", who, fields, ({ envelope }) => envelope.success)
          }
      for (const who of membersOf(away))
        await ask("market.instrumentSync", who, { venue: "BINANCE_UAT" }, ({ status }) => status === 503)
    })
    const record = await home.admin.api.health()
    judge.cell("the trading mode in force", record.tradingMode === "online" ? undefined : "should be online", record)
    expect(judge.wrong).toEqual([])
  })
})

describe("the rows of one tenant", () => {
  it("hold the id of nothing of another's, after all of this", async () => {
    const tenants = world.tenants.map(({ tenantId }) => tenantId)
    const { asked, faults } = await crossings(world.sql, schema, tenants)
    cells += asked
    expect(faults).toEqual([])
  })
})

describe("a user who moved to another tenant", () => {
  it("has left all that was there behind: it names it no more, sees it on no list, and no key repeats it", async () => {
    const judge = new Judge()
    const [home, away] = world.tenants
    const left = await world.enter("mover", home.tenantId, false)
    const { api, email } = left
    const tradingAccountId = (await api.connectMock()).record.tradingAccountId
    const order = { ...restingAtMock(tradingAccountId), takeProfitPrice: "90000", clientOrderId: "of-the-mover" }
    const { tradeOrderId, orderListId } = await api.submitted({ ...order, awaitAccepted: true })
    await api.disconnect(tradingAccountId)
    const create = routes.find(({ name }) => name === "wallet.create")!
    const first = { "idempotency-key": "first" }
    const made = await askHttp(world.ready, create, left, {}, first)
    const { walletId } = made.envelope.data as { readonly walletId: string }
    await api.post("/wallet/close", { walletId })
    const credentialId = randomUUID()
    await world.sql.query(
      `INSERT INTO credential (credential_id, tenant_id, user_id, venue, name, type, masked_api_key, api_key_hash, status, created_at,
         updated_at, revoked_at) VALUES ($1, $2, $3, 'BINANCE_UAT', 'left', 'EXCHANGE', '****abcd', 'x', 'REVOKED', 1, 1, 1)`,
      [credentialId, home.tenantId, left.userId],
    )
    const { subscriptionId } = (await api.subscribeBook({ instrumentId: BTC })).record
    const move = () => world.operator(`user move ${email} ${away.tenantId}`)
    // It is all that is left: without it the move is done.
    const isRefused = await move().then(
      () => false,
      () => true,
    )
    judge.cell("a move with a subscription that is ACTIVE", isRefused ? undefined : "should be refused")
    await api.unsubscribeBook({ subscriptionId })
    if (isRefused) await move()
    const moved = await world.again(left, away.tenantId)
    const account = (await moved.api.connectMock("here")).record.tradingAccountId
    const internal = (await moved.api.connect({ venue: "INTERNAL" })).record
    const again = await askHttp(world.ready, create, moved, {}, first)
    const isNew = again.status === 200 && !again.isReplayed && !again.text.includes(walletId)
    judge.cell("wallet.create under the key of before", isNew ? undefined : "should be a wallet of its own", again.text)
    const wallet = (await moved.api.post<{ walletId: string }>("/wallet/create", {})).record.walletId
    const mover: Furnished = {
      ...moved,
      own: {
        ...away.user.own,
        account,
        order: (await moved.api.submitted({ ...restingAtMock(account), awaitAccepted: true })).tradeOrderId,
        internal: internal.tradingAccountId,
        internalWallet: internal.walletId!,
        wallet,
      },
    }
    const tells = await teller(home)
    await untouched(home, async () => {
      await judgeNames(
        judge,
        [mover],
        {
          ...home.things,
          account: [tradingAccountId],
          order: [tradeOrderId],
          clientOrder: [order.clientOrderId],
          orderList: [orderListId!],
          wallet: [walletId],
          credential: [credentialId],
          subscription: [subscriptionId],
        },
        tells,
      )
      await judgeLists(judge, [mover], tells)
    })
    expect(judge.wrong).toEqual([])
  })
})

/** Requests that name a market, by route. */
const marketAsks = (id: string, own: Own): Readonly<Record<string, Fields>> => ({
  "market.instrumentList": { instrumentId: id },
  "market.orderBookGet": { instrumentId: id },
  "market.orderBookList": { instrumentIds: id },
  "market.tickerGet": { instrumentId: id },
  "market.tickerList": { instrumentIds: id },
  "market.klineGet": { instrumentId: id, interval: "1m" },
  "subscription.subscribe": { instrumentId: id },
  "subscription.unsubscribe": { instrumentId: id },
  "subscription.list": { instrumentId: id },
  "tradeOrder.list": { instrumentId: id },
  "tradeOrder.cancelAll": { tradingAccountId: own.internal, instrumentId: id },
  "tradeOrder.submit": {
    tradingAccountId: own.internal,
    instrumentId: id,
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "1",
    limitPrice: "1",
  },
})

describe("a market of INTERNAL", () => {
  it("is its tenant's alone", async () => {
    const judge = new Judge()
    for (const [acting, owning] of directions) {
      const [actor, owner] = [world.tenants[acting], world.tenants[owning]]
      const solo = { baseAsset: `SOLO${owner.tenantId.toUpperCase()}`, quoteAsset: "USDT" }
      const terms = { ...solo, tickSize: "1", lotSize: "1" }
      const { record } = await owner.admin.api.post<{ instrumentId: string }>("/market/instrument/create", terms)
      const id = record.instrumentId
      const nobodys = id.replace("SOLO", "NONE")
      const { user } = actor
      const blind = (text: string) => text.replace(/"request_id":"[^"]*"/, "").replaceAll("SOLO", "NONE")
      const [asks, none] = [marketAsks(id, user.own), marketAsks(nobodys, user.own)]
      for (const [name, fields] of Object.entries(asks)) {
        const route = routes.find((it) => it.name === name)!
        const [heard, other] = [await http(route, user, fields), await http(route, user, none[name]!)]
        const isSame = heard.status === other.status && blind(heard.text) === blind(other.text)
        judge.cell(name, isSame ? undefined : `as ${other.text}`, heard.text)
      }
      for (const [kind, { address }] of Object.entries(CHANNEL_CATALOG)) {
        if (!address.includes("{symbol}")) continue
        const channel = (market: string) => address.replace("{venue}:{symbol}", market).replace("{interval}", "1m")
        const heard = await sockets.command(user, { subscribe: { channel: channel(id) } })
        const other = await sockets.command(user, { subscribe: { channel: channel(nobodys) } })
        const isSame = JSON.stringify(heard["error"]) === JSON.stringify(other["error"])
        judge.cell(`channel ${kind}`, isSame ? undefined : `as ${JSON.stringify(other)}`, heard)
      }
      const list = await actor.admin.api.post("/market/instrument/create", { ...terms, tickSize: "10" })
      judge.cell(
        "instrument.create of a pair that another tenant has",
        list.status === 200 ? undefined : "its own",
        list.text,
      )
    }
    expect(judge.wrong).toEqual([])
  })

  it("has its tenant's prices alone: whatever another one does at its own market, or with its own money, moves none", async () => {
    const judge = new Judge()
    for (const [acting, owning] of directions) {
      const [actor, owner] = [world.tenants[acting], world.tenants[owning]]
      const acts = await pricingActs(actor)
      let before = await pricesOf(owner)
      for (const [name, act] of Object.entries(acts)) {
        const { status, text } = await act()
        judge.cell(`${name}, by ${actor.tenantId}`, status === 200 ? undefined : "should be done", text)
        const after = await pricesOf(owner)
        for (const [view, seen] of Object.entries(after))
          judge.cell(`${view} after ${name}`, seen === before[view] ? undefined : `as ${before[view]}`, seen)
        before = after
      }
    }
    expect(judge.wrong).toEqual([])
  })
})

/** Whatever a market's price is told by, and what it is reckoned with. */
const pricesOf = async ({ user }: Tenant): Promise<Readonly<Record<string, string>>> => {
  const { market: id, internal } = user.own
  const asks: Readonly<Record<string, Fields>> = {
    "market.instrumentList": { instrumentId: id },
    "market.orderBookGet": { instrumentId: id },
    "market.tickerGet": { instrumentId: id },
    "market.klineGet": { instrumentId: id, interval: "1d" },
    "tradingAccount.portfolioList": { tradingAccountId: internal },
    "dealer.list": {},
  }
  const seen: Record<string, string> = {}
  for (const [name, fields] of Object.entries(asks)) {
    const { status, text } = await http(routes.find((it) => it.name === name)!, user, fields)
    // Candles are told with the instant of the telling.
    const passes = name === "market.klineGet" ? /"timestamp":\d+/ : /"request_id":"[^"]*"/
    seen[name] = `${status} ${text.replace(passes, "")}`
  }
  return seen
}

/** All that moves a price: on the market that the tenant has of the same pair. */
const pricingActs = async ({ user, admin }: Tenant) => {
  const order = ({ own }: Furnished, terms: Readonly<Record<string, unknown>>) => ({
    tradingAccountId: own.internal,
    instrumentId: user.own.market,
    quantity: "0.01",
    awaitAccepted: true,
    ...terms,
  })
  const send = (by: Furnished, terms: Readonly<Record<string, unknown>>) =>
    by.api.post<{ tradeOrderId: string }>("/tradeOrder/submit", order(by, terms))
  const limit = (by: Furnished, orderSide: string, limitPrice: string) =>
    send(by, { orderType: "LIMIT", orderSide, limitPrice })
  const money = { walletId: user.own.internalWallet, asset: "BTC", amount: "5" }
  const { api } = admin
  return {
    "wallet.deposit": () => api.post("/wallet/deposit", money),
    "an offer": () => limit(user, "SELL", "61000"),
    "what it is bought by": () => limit(admin, "BUY", "61000"),
    "an offer far away": () => limit(user, "SELL", "1200000"),
    "a bid": () => limit(user, "BUY", "3000"),
    "a better bid, and what ends it": async () => {
      const { record } = await limit(user, "BUY", "3100")
      return user.api.cancel(user.own.internal, record.tradeOrderId)
    },
    "a sale at market": () => send(admin, { orderType: "MARKET", orderSide: "SELL" }),
    "another market": () =>
      api.post("/market/instrument/create", { baseAsset: "USDT", quoteAsset: "BTC", tickSize: "0.01", lotSize: "1" }),
    "wallet.withdraw": () => api.post("/wallet/withdraw", money),
    "market.instrumentRetire": () => api.post("/market/instrument/retire", { instrumentId: user.own.market }),
    "other terms of the market": () =>
      api.post("/market/instrument/create", { ...PAIR, tickSize: "100", lotSize: "0.01" }),
  }
}
