/**
 * The audit under kill -9: clerks do acts of every kind over HTTP as fast as they are answered, while the gateway is killed again and again.
 * Each act that was acknowledged has its row, each effect in the database has one, no row has none, and the chain is whole.
 */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Layer } from "effect"
import pg from "pg"
import type { Action } from "../../../src/domain/user/act.ts"
import { AuditChain } from "../../../src/store/audit/chain.ts"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { founder } from "../../kit/servers/founder.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { type Answer, type Api, type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"

export interface AuditOptions {
  /** That are acknowledged. */
  readonly acts: number
  readonly kills: number
  readonly connections: number
  readonly seed: number
  /** Runs dist/; the sources take seconds to load after each kill. */
  readonly built: boolean | undefined
  readonly progress: (line: string) => void
}

const FETCH_MILLIS = 8_000
const FUNDS = "1000000"
const STARTS_MAX = 10
/** Dealers and live accounts, each: all of them wake when the gateway starts. */
const ACTORS_MAX = 40

/** One of each answered act, by action and object. */
type Told = Map<string, number>
type Ask = () => Promise<readonly [Action, string] | undefined>

interface Wallet {
  readonly walletId: string
}
interface Dealer {
  readonly dealerAccountId: string
}
interface Account {
  readonly tradingAccountId: string
}

/** An answer after which it is certain that the act was done; undefined: it was refused, or it is not known. */
const doneOr = async <A>(answer: Promise<Answer<A>>): Promise<A | undefined> => {
  const late = sleep(FETCH_MILLIS, undefined)
  const heard = await Promise.race([answer.catch(() => undefined), late])
  return heard !== undefined && heard.status === 200 ? (heard.envelope.data ?? undefined) : undefined
}

class Clerks {
  readonly told: Told = new Map()
  done = 0
  #isOpen = true
  readonly #wallets: Array<string> = []
  readonly #dealers: Array<string> = []
  readonly #accounts: Array<string> = []

  constructor(
    readonly admin: Api,
    readonly random: () => number,
  ) {}

  async run(connections: number): Promise<void> {
    await Promise.all(Array.from({ length: connections }, () => this.#work()))
  }

  end(): void {
    this.#isOpen = false
  }

  #pick(list: ReadonlyArray<string>): string | undefined {
    return list[Math.floor(this.random() * list.length)]
  }

  async #work(): Promise<void> {
    const kinds: ReadonlyArray<Ask> = [
      () => this.#made(this.#wallets, "wallet.create", "/wallet/create", {}, (it: Wallet) => it.walletId),
      () => this.#money("deposit"),
      () => this.#money("withdraw"),
      () => this.#transfer(),
      () => this.#status("freeze"),
      () => this.#status("unfreeze"),
      () => this.#dealer("pause"),
      () => this.#dealer("resume"),
      () => this.#mode(),
      () => {
        if (this.#accounts.length >= ACTORS_MAX) return this.#disconnect()
        const asked = { venue: "MOCK", externalTradingAccountId: randomUUID() }
        const id = (it: Account) => it.tradingAccountId
        return this.#made(this.#accounts, "account.connect", "/tradingAccount/connect", asked, id)
      },
      () => this.#disconnect(),
      () => {
        if (this.#dealers.length >= ACTORS_MAX) return this.#dealer("pause")
        const asked = { name: "Desk", baseCurrencies: ["USDT"] }
        return this.#made(this.#dealers, "dealer.create", "/dealer/create", asked, (it: Dealer) => it.dealerAccountId)
      },
    ]
    while (this.#isOpen) {
      const kind = Math.floor(this.random() ** 1.5 * kinds.length)
      const told = await kinds[kind]!()
      if (told === undefined) {
        await sleep(5)
        continue
      }
      const key = told.join(" ")
      this.told.set(key, (this.told.get(key) ?? 0) + 1)
      this.done += 1
    }
  }

  async #made<A>(
    into: Array<string>,
    action: Action,
    path: string,
    body: Record<string, unknown>,
    idOf: (it: A) => string,
  ) {
    const record = await doneOr(this.admin.post<A>(path, body))
    if (record === undefined) return undefined
    into.push(idOf(record))
    return [action, idOf(record)] as const
  }

  async #on(action: Action, id: string | undefined, path: string, body: Record<string, unknown>) {
    if (id === undefined) return undefined
    return (await doneOr(this.admin.post(path, body))) === undefined ? undefined : ([action, id] as const)
  }

  #money(operation: "deposit" | "withdraw") {
    const walletId = this.#pick(this.#wallets)
    const amount = operation === "deposit" ? FUNDS : "1"
    return this.#on(`wallet.${operation}`, walletId, `/wallet/${operation}`, { walletId, asset: "USDT", amount })
  }

  #transfer() {
    const [sourceWalletId, destWalletId] = [this.#pick(this.#wallets), this.#pick(this.#wallets)]
    const body = { sourceWalletId, destWalletId, asset: "USDT", amount: "1" }
    return this.#on("wallet.transfer", sourceWalletId, "/wallet/transfer", body)
  }

  #status(operation: "freeze" | "unfreeze") {
    const walletId = this.#pick(this.#wallets)
    return this.#on(`wallet.${operation}`, walletId, `/wallet/${operation}`, { walletId })
  }

  /** A dealer that is so already is answered without an act: of one at a time it is known. */
  async #dealer(operation: "pause" | "resume") {
    const dealerAccountId = this.#dealers.shift()
    if (dealerAccountId === undefined) return undefined
    const status = (await doneOr(this.admin.get<{ status: string }>("/dealer/get", { dealerAccountId })))?.status
    const isOther = status !== undefined && status !== (operation === "pause" ? "PAUSED" : "ACTIVE")
    const told = isOther
      ? await this.#on(`dealer.${operation}`, dealerAccountId, `/dealer/${operation}`, { dealerAccountId })
      : undefined
    this.#dealers.push(dealerAccountId)
    return told
  }

  #mode() {
    const tradingMode = this.random() < 0.5 ? "online" : "post_only"
    return this.#on("tradingMode.set", "tradingMode", "/admin/tradingMode", { tradingMode })
  }

  #disconnect() {
    const tradingAccountId = this.#accounts.shift()
    return this.#on("account.disconnect", tradingAccountId, "/tradingAccount/disconnect", { tradingAccountId })
  }
}

/** What is stored of each kind, and rows about it, each of which lacks the other. */
const UNPAIRED: Readonly<Record<string, string>> = {
  wallets: `SELECT wallet_id AS id FROM wallet w WHERE wallet_type = 'CLIENT'
    AND NOT EXISTS (SELECT FROM audit_row r WHERE r.act_id = w.wallet_id AND r.action = 'wallet.create' AND r.result = 'ok')
    UNION ALL SELECT act_id FROM audit_row r WHERE action = 'wallet.create' AND result = 'ok'
    AND NOT EXISTS (SELECT FROM wallet w WHERE w.wallet_id = r.act_id)`,
  accounts: `SELECT trading_account_id AS id FROM trading_account a WHERE user_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM audit_row r WHERE r.act_id = a.trading_account_id AND r.action = 'account.connect' AND r.result = 'ok')
    UNION ALL SELECT act_id FROM audit_row r WHERE action = 'account.connect' AND result = 'ok'
    AND NOT EXISTS (SELECT FROM trading_account a WHERE a.trading_account_id = r.act_id)
    UNION ALL SELECT trading_account_id FROM trading_account a WHERE status IN ('LOCKED', 'DISCONNECTED')
    AND NOT EXISTS (SELECT FROM audit_row r WHERE r.object_id = a.trading_account_id::text AND r.action = 'account.disconnect')
    UNION ALL SELECT trading_account_id FROM trading_account a WHERE status NOT IN ('LOCKED', 'DISCONNECTED')
    AND EXISTS (SELECT FROM audit_row r WHERE r.object_id = a.trading_account_id::text AND r.action = 'account.disconnect')`,
  dealers: `SELECT dealer_account_id AS id FROM dealer d
    WHERE NOT EXISTS (SELECT FROM audit_row r WHERE r.act_id = d.dealer_account_id AND r.action = 'dealer.create' AND r.result = 'ok')
    UNION ALL SELECT dealer_account_id FROM dealer d WHERE version - 1 <> (SELECT count(*) FROM audit_row r
      WHERE r.object_id = d.dealer_account_id::text AND r.action IN ('dealer.pause', 'dealer.resume') AND r.result = 'ok')`,
  moves: `SELECT t.request_id AS id FROM ledger_transfer t WHERE t.code IN ('DEPOSIT', 'WITHDRAWAL', 'TRANSFER') AND NOT EXISTS (
      SELECT FROM audit_row r WHERE r.act_id = t.request_id AND r.result = 'ok' AND (r.asset, r.amount) = (t.asset, t.amount))
    UNION ALL SELECT r.act_id FROM audit_row r
    WHERE r.action IN ('wallet.deposit', 'wallet.withdraw', 'wallet.transfer') AND r.result = 'ok'
      AND NOT EXISTS (SELECT FROM ledger_transfer t WHERE t.request_id = r.act_id)`,
}

const judge = async (clerks: Clerks, url: string, kills: number): Promise<ReadonlyArray<Verdict>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ key: string; count: number }>(
      "SELECT action || ' ' || object_id AS key, count(*)::int AS count FROM audit_row WHERE result = 'ok' GROUP BY 1",
    )
    const stored = new Map(rows.map(({ key, count }) => [key, count]))
    const missing = [...clerks.told].filter(([key, count]) => (stored.get(key) ?? 0) < count).map(([key]) => key)
    const verdicts: Array<Verdict> = [
      none("acknowledged acts whose row is missing", missing, `${clerks.done} acts over ${kills} kills`),
    ]
    for (const [what, text] of Object.entries(UNPAIRED)) {
      const unpaired = (await client.query<{ id: string }>(text)).rows.map(({ id }) => id)
      verdicts.push(none(`${what} without their row, or rows without theirs`, unpaired, "all"))
    }
    const chain = AuditChain.Default.pipe(Layer.provide(sqlLayer(url)))
    const lanes = await Effect.runPromise(
      Effect.flatMap(AuditChain, ({ verify }) => verify).pipe(Effect.provide(chain)),
    )
    const broken = lanes.flatMap((it) => (it.broken === null ? [] : [`${it.lane} ${JSON.stringify(it.broken)}`]))
    const all = lanes.reduce((sum, it) => sum + it.rows, 0)
    return [...verdicts, none("lanes that are broken", broken, `${lanes.length} of ${all} rows`)]
  } finally {
    await client.end()
  }
}

/** As an operator does: a start that fails is tried again. */
const startAgain = async (options: NonNullable<Parameters<typeof startGateway>[0]>): Promise<Gateway> => {
  for (let tries = 1; ; tries++) {
    try {
      return await startGateway(options)
    } catch (error) {
      if (tries === STARTS_MAX) throw error
    }
  }
}

export const audit = async (options: AuditOptions): Promise<ReadonlyArray<Verdict>> => {
  const { acts, kills, connections, progress, built } = options
  const directory = scratchDirectory("audit")
  const server = await startEmbeddedPostgres({ dataDir: directory })
  const many = { WALLETS_MAX: "100000", ACCOUNTS_MAX: "100000" }
  const env = { ...many, PORT: String(await freePort()), DATABASE_URL: server.url(), MOCK_TICK_MS: "0" }
  let gateway: Gateway = await startGateway({ env, built })
  const { dataDir } = gateway
  try {
    const clerks = new Clerks(await founder(gateway), seededRandom(options.seed))
    const working = clerks.run(connections)
    const share = acts / (kills + 1)
    for (let kill = 1; kill <= kills; kill++) {
      await until(`${share * kill} acts`, () => clerks.done >= share * kill, 3_600_000)
      gateway.kill("SIGKILL")
      await gateway.exited
      gateway = await startAgain({ env, built, dataDir })
      progress(`audit: killed ${kill} times, ${clerks.done} acts done`)
    }
    await until(`${acts} acts`, () => clerks.done >= acts, 3_600_000)
    clerks.end()
    await working
    await gateway.stop()
    progress(`audit: ${clerks.done} acts; judging`)
    return await judge(clerks, server.url(), kills)
  } finally {
    gateway.kill("SIGKILL")
    await gateway.exited
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
