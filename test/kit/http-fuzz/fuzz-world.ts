/**
 * What a fuzzed gateway contains that requests can refer to: users with tokens, and the ids in its answers. Requests end sessions, ban users and
 * change passwords; an admin, whose own account the fuzz never attacks, restores users that are locked out.
 */

import { randomUUID } from "node:crypto"
import type { DealerRecord } from "../../../src/domain/dealer/dealer.ts"
import type { SessionRecord } from "../../../src/domain/user/user.ts"
import { signUpFounder } from "../servers/founder.ts"
import { type Api, api, PASSWORD, type Ready, until } from "../servers/gateway.ts"
import type { Random } from "../socket-fuzz/fuzz-commands.ts"

export interface FuzzUser {
  readonly name: string
  readonly isAdmin: boolean
  email: string
  calls: Api
}

const IDS_MAX = 200
/** So many newcomers may be banned one after the other before they have settled in. */
const NEWCOMERS_MAX = 5
/** How often a user asks about what is its own. */
const OWN_CHANCE = 0.8
/** How often ids that belong together are those that fit a request best: of a dealer and its `updatedAt`, say, else one request of 300 has both right. */
const FITTING_CHANCE = 0.7
const DEPTH_MAX = 5
const ITEMS_MAX = 5

/** Fields that take the same ids, by the name under which they are kept. */
const SAME: Readonly<Record<string, string>> = {
  sourceWalletId: "walletId",
  destWalletId: "walletId",
  traderAccountId: "tradingAccountId",
  orderListId: "tradeOrderId",
  // What the story of an order is asked for by.
  id: "tradeOrderId",
  credentialIds: "credentialId",
  tradingAccountIds: "tradingAccountId",
}

const KEPT: ReadonlySet<string> = new Set([
  "tradingAccountId",
  "tradeOrderId",
  "walletId",
  "quoteId",
  "dealerAccountId",
  "credentialId",
  "subscriptionId",
  "sessionId",
  "apiKeyId",
  "userId",
  "positionId",
  "cursor",
  "refreshToken",
  "externalTradingAccountId",
])

/** Ids that one record holds together: an order and its account, a quote and its dealer; and when it was changed, which a change must name. */
type Kin = Readonly<Record<string, string | number>>

/** What one user was told, or everybody. */
class Known {
  readonly ids = new Map<string, Array<string>>()
  readonly kin: Array<Kin> = []

  clear(): void {
    this.ids.clear()
    this.kin.length = 0
  }
}

export class FuzzWorld {
  readonly #everybody = new Known()
  readonly #own = new Map<FuzzUser, Known>()
  readonly #renewing = new Map<FuzzUser, Promise<void>>()
  #adminId = ""
  renewals = 0

  private constructor(
    private readonly gateway: Ready,
    readonly users: ReadonlyArray<FuzzUser>,
    private readonly random: Random,
  ) {}

  /** For a gateway without an admin. */
  static async open(gateway: Ready, random: Random): Promise<FuzzWorld> {
    const users: Array<FuzzUser> = []
    for (const name of ["admin", "ada", "bob"]) {
      const email = `${name}-${randomUUID()}@example.com`
      const isAdmin = name === "admin"
      const session = isAdmin ? await signUpFounder(gateway, email) : (await api(gateway).signup(email)).record
      users.push({ name, isAdmin, email, calls: api(gateway).as(session.accessToken) })
    }
    const world = new FuzzWorld(gateway, users, random)
    world.#adminId = (await users[0]!.calls.user()).record.id
    await world.#furnish()
    return world
  }

  get admin(): FuzzUser {
    return this.users[0]!
  }

  /** One of the ids that a field of this name may take, mostly of the user's own. */
  idFor(field: string, user: FuzzUser | undefined): string | undefined {
    const kept = SAME[field] ?? field
    const own = user && this.random() < OWN_CHANCE ? this.#own.get(user)?.ids.get(kept) : undefined
    return this.#one(own ?? this.#everybody.ids.get(kept))
  }

  /** Ids that belong together, of the user's own; mostly of one of those that fill most of these fields. */
  kinFor(user: FuzzUser | undefined, fields: ReadonlyArray<string>): Kin {
    const all = (user && this.#own.get(user)?.kin) ?? []
    if (this.random() >= FITTING_CHANCE) return this.#one(all) ?? {}
    const fillsOf = (kin: Kin): number => fields.filter((field) => field in kin).length
    const most = Math.max(0, ...all.map(fillsOf))
    return this.#one(all.filter((kin) => fillsOf(kin) === most)) ?? {}
  }

  /** A world like that of the beginning, and from now on the only one that is known. Nothing is asked meanwhile. */
  async refurnish(): Promise<void> {
    this.#everybody.clear()
    for (const user of this.users) {
      this.#known(user).clear()
      if (user.isAdmin) await this.#renew(user)
      else await this.#signUp(user)
    }
    await this.#furnish()
  }

  /** Keeps the ids that a successful answer tells. */
  learn(envelope: unknown, user: FuzzUser | undefined): void {
    this.#walk(envelope, user && this.#known(user), 0)
  }

  #known(user: FuzzUser): Known {
    const known = this.#own.get(user) ?? new Known()
    this.#own.set(user, known)
    return known
  }

  #one<A>(list: ReadonlyArray<A> | undefined): A | undefined {
    return list?.[Math.floor(this.random() * list.length)]
  }

  /** After a refused token: a new session, whatever became of the user. */
  renew(user: FuzzUser): Promise<void> {
    const under = this.#renewing.get(user)
    if (under !== undefined) return under
    const renewing = this.#renew(user).finally(() => this.#renewing.delete(user))
    this.#renewing.set(user, renewing)
    return renewing
  }

  async #renew(user: FuzzUser): Promise<void> {
    this.renewals += 1
    const nobody = api(this.gateway)
    if (!user.isAdmin) await this.admin.calls.post("/admin/user/unban", { email: user.email })
    const again = await nobody.login(user.email)
    if (again.envelope.success) {
      user.calls = nobody.as(again.record.accessToken)
      return
    }
    if (user.isAdmin) throw new Error(`the admin is locked out: ${again.text}`)
    for (let left = NEWCOMERS_MAX; ; left--) {
      const email = `${user.name}-${randomUUID()}@example.com`
      const calls = nobody.as((await nobody.signup(email)).record.accessToken)
      // Its address and token are known to the requests only when it is ready for them: they would end its session meanwhile.
      this.#known(user).clear()
      try {
        await this.#settleIn(user, email, calls)
      } catch (error) {
        // The audit tells its id before that, and by the id it may be banned: another one comes in its place.
        if (left === 0) throw error
        continue
      }
      user.email = email
      user.calls = calls
      return
    }
  }

  async #signUp(user: FuzzUser): Promise<void> {
    user.email = `${user.name}-${randomUUID()}@example.com`
    const calls = api(this.gateway)
    user.calls = calls.as((await calls.signup(user.email)).record.accessToken)
  }

  /** Accounts, orders, wallets, money and a dealer, so that valid requests have something to be about. */
  async #furnish(): Promise<void> {
    const { calls } = this.admin
    for (const user of this.users) await this.#settleIn(user, user.email, user.calls)
    const config = { pricing: { allowSimulatedVenues: true } }
    const dealer = await calls.post<DealerRecord>("/dealer/create", { name: "Desk", baseCurrencies: ["USDT"], config })
    const { dealerAccountId, walletId } = dealer.record
    const linked = (await calls.connectMock("desk")).record.tradingAccountId
    await calls.post("/dealer/account/link", { dealerAccountId, tradingAccountId: linked })
    // The link changed the dealer: an update must name its `updatedAt` of now, which an answer to another request may never tell.
    this.learn((await calls.get("/dealer/get", { dealerAccountId })).envelope, this.admin)
    this.learn({ dealerAccountId, tradingAccountId: linked }, this.admin)
    for (const asset of ["BTC", "USDT"]) await calls.post("/wallet/deposit", { walletId, asset, amount: "100000" })
    const terms = { baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.01", lotSize: "0.00001" }
    await calls.post("/market/instrument/create", terms)
    // Before its mirror has begun, which takes a look or two at the linked account, no request of this kind can succeed.
    const funding = { dealerAccountId, tradingAccountId: linked, asset: "USDT", amount: "1", direction: "DEPOSIT" }
    await until("deposits at the linked account to be accepted", async () => {
      const { envelope } = await calls.post("/dealer/account/funding", funding)
      return envelope.success
    })
  }

  async #settleIn(user: FuzzUser, email: string, calls: Api): Promise<void> {
    const mock = await calls.connectMock()
    const internal = await calls.connect({ venue: "INTERNAL" })
    for (const { envelope } of [mock, internal, await calls.post("/wallet/create", {})]) this.learn(envelope, user)
    const { walletId } = internal.record
    for (const asset of ["BTC", "USDT"])
      await this.admin.calls.post("/wallet/deposit", { walletId, asset, amount: "1000" })
    const order = await calls.submit({
      tradingAccountId: mock.record.tradingAccountId,
      instrumentId: "MOCK:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.001",
      limitPrice: "40000",
    })
    this.learn(order.envelope, user)
    const spare = await api(this.gateway).login(email)
    this.learn({ refreshToken: (spare.record as SessionRecord).refreshToken }, user)
  }

  #walk(value: unknown, own: Known | undefined, depth: number): void {
    if (value === null || typeof value !== "object" || depth > DEPTH_MAX) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, ITEMS_MAX)) this.#walk(item, own, depth + 1)
      return
    }
    const kin: Record<string, string | number> = {}
    for (const [name, item] of Object.entries(value)) {
      const kept = SAME[name] ?? name
      if (name === "updatedAt" && typeof item === "number") kin[name] = item
      else if (typeof item !== "string") this.#walk(item, own, depth + 1)
      // Who fuzzes must stay: against the admin nothing is sent.
      else if (KEPT.has(kept) && item !== this.#adminId) {
        this.#keep(this.#everybody, kept, item)
        if (own !== undefined) this.#keep(own, kept, item)
        kin[kept] = item
      }
    }
    if (own === undefined || Object.keys(kin).length < 2) return
    if (own.kin.length < IDS_MAX) own.kin.push(kin)
    else own.kin[Math.floor(this.random() * IDS_MAX)] = kin
  }

  #keep({ ids: all }: Known, name: string, text: string): void {
    const ids = all.get(name)
    if (ids === undefined) all.set(name, [text])
    else if (ids.includes(text)) return
    else if (ids.length < IDS_MAX) ids.push(text)
    // Old ones go by chance: those that the world began with are among the most useful.
    else ids[Math.floor(this.random() * IDS_MAX)] = text
  }
}

export { PASSWORD }
