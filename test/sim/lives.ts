/**
 * The lives of a world's trading accounts: connected, disconnected (also by force), the exchange account connected again under another
 * name; credentials that the venue refuses, that are revoked here, and that are renewed. One exchange account has one live account.
 */
import type { Credential } from "../../src/domain/account/credential.ts"
import type { TradingAccount } from "../../src/domain/account/trading-account.ts"
import type { CredentialId, TradingAccountId } from "../../src/domain/ids.ts"
import { accountId, credentialId, simAccount, userId } from "./accounts.ts"
import type { Checks } from "./checks/checks.ts"
import { Client, type ClientTools } from "./client.ts"
import { SIM } from "./venue/listing.ts"

/** More would leave nothing of a world's time for their orders. */
const ACCOUNTS_MAX = 6
const USERS = 3

export class Lives {
  readonly clients: Array<Client> = []
  private accounts = 0
  private credentials = 0

  constructor(
    private readonly tools: ClientTools,
    /** Whether accounts have credentials of their own. */
    private readonly needsCredentials: boolean,
  ) {}

  /** A new account of an exchange account, not stored yet. */
  newAccount(exchange: string): TradingAccount {
    const { random, world } = this.tools
    const number = ++this.accounts
    const now = world.time.now
    return simAccount({
      tradingAccountId: accountId(number),
      userId: userId(random.between(1, USERS)),
      externalTradingAccountId: exchange,
      nickname: `account ${number}`,
      credentials: this.needsCredentials ? [this.newCredential()] : [],
      createdAt: now,
      updatedAt: now,
    })
  }

  join(checks: Checks, account: TradingAccount): void {
    this.clients.push(new Client(account.tradingAccountId, checks.join(account), this.tools))
  }

  private newCredential(): Credential {
    const { tenantId, userId: owner } = simAccount()
    return {
      credentialId: credentialId(++this.credentials),
      tenantId,
      userId: owner!,
      venue: SIM,
      name: `credential ${this.credentials}`,
      type: "API_KEY",
      maskedApiKey: "****0000",
      status: "ACTIVE",
      // The rows of worlds in PostgreSQL are there from the beginning.
      createdAt: 0,
      updatedAt: 0,
      revokedAt: null,
    }
  }

  /** As the vault sees it: the newest credential that works. */
  usableOf(id: TradingAccountId): CredentialId | null {
    const account = this.tools.world.database.accounts.get(id)
    return account?.credentials.findLast((it) => it.status === "ACTIVE")?.credentialId ?? null
  }

  connected(): ReadonlyArray<Client> {
    return this.clients.filter((it) => it.isConnected)
  }

  /** The exchange accounts that no live account is connected to. */
  private free(): ReadonlyArray<string> {
    const all = new Set(this.clients.map((it) => it.exchange))
    for (const { exchange } of this.connected()) all.delete(exchange)
    return [...all]
  }

  /** Something in the life of an account. */
  turn(checks: Checks): void {
    const { random, world } = this.tools
    if (!world.isRunning) return
    const free = this.free()
    if (free.length > 0 && this.clients.length < ACCOUNTS_MAX && random.chance(0.6))
      return this.connect(checks, random.pick(free))
    const connected = this.connected()
    if (connected.length === 0) return
    const client = random.pick(connected)
    const status = client.checks.view.status()
    if (status === "INACTIVE" && random.chance(0.7)) return this.renew(client)
    if (random.chance(0.5)) return client.disconnect()
    if (random.chance(0.6)) return this.refuse(client)
    this.revoke(client)
  }

  private connect(checks: Checks, exchange: string): void {
    const { world, note, tally } = this.tools
    const account = this.newAccount(exchange)
    tally.add("exchange account connected again")
    note(`${account.tradingAccountId} is connected to ${exchange}`)
    this.join(checks, account)
    world.connect(account)
  }

  /** The venue takes its credential no more. */
  private refuse(client: Client): void {
    const { world, tally } = this.tools
    tally.add("session refused")
    world.venue.sessions.revoke(client.exchange)
  }

  /** A credential is revoked here. */
  private revoke(client: Client): void {
    const { world, tally, note, random } = this.tools
    const credentials = world.database.accounts.get(client.id)?.credentials.filter((it) => it.status === "ACTIVE") ?? []
    if (credentials.length === 0) return
    const { credentialId: gone } = random.pick(credentials)
    tally.add("credential revoked")
    note(`${client.id}: credential ${gone} is revoked`)
    world.revoke(gone)
    client.ask((reply) => ({ _tag: "CredentialGone", credentialId: gone, reply }))
  }

  /** Connected again with another credential, which the venue takes. */
  private renew(client: Client): void {
    const { world, tally, note } = this.tools
    tally.add("credential renewed")
    const credential = this.newCredential()
    note(`${client.id}: credential ${credential.credentialId} is attached`)
    world.venue.sessions.accept(client.exchange)
    client.ask((reply) => ({ _tag: "UpdateAccount", nickname: null, attach: [credential], reply }))
  }

  /**
   * The faults are over: each exchange account is taken by its venue again, and has a live account. `mayForce`: an account that can cancel
   * nothing, since its credential is gone, waits for a word of its owner.
   */
  settle(checks: Checks, mayForce: boolean): void {
    const { world } = this.tools
    for (const client of this.connected()) {
      world.venue.sessions.accept(client.exchange)
      const status = client.checks.view.status()
      if (status === "INACTIVE") this.renew(client)
      else if (status === "LOCKED" && mayForce) client.disconnect(true)
    }
    for (const exchange of this.free()) this.connect(checks, exchange)
  }
}
