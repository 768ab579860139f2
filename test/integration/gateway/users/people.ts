/** Users and accounts for the gateway tests: each call makes a new one, so that tests share a process and nothing else. */
import { randomUUID } from "node:crypto"
import type { SessionRecord } from "../../../../src/domain/user/user.ts"
import { signUpFounder } from "../../../kit/servers/founder.ts"
import { type Api, api, type Ready } from "../../../kit/servers/gateway.ts"

export interface Newcomer {
  readonly email: string
  readonly session: SessionRecord
  /** Speaks with the newcomer's access token. */
  readonly calls: Api
}

export const signUp = async (gateway: Ready): Promise<Newcomer> => {
  const email = `user-${randomUUID()}@example.com`
  const session = (await api(gateway).signup(email)).record
  return { email, session, calls: api(gateway).as(session.accessToken) }
}

/** The installation's admin. */
export const signUpAdmin = async (gateway: Ready): Promise<Newcomer> => {
  const session = await signUpFounder(gateway)
  return { email: session.user.email, session, calls: api(gateway).as(session.accessToken) }
}

export interface Trader extends Newcomer {
  readonly tradingAccountId: string
}

/** A newcomer with a MOCK account. */
export const signUpWithMock = async (gateway: Ready): Promise<Trader> => withMock(await signUp(gateway))

/** The same user with a MOCK account. */
export const withMock = async (newcomer: Newcomer): Promise<Trader> => {
  const { tradingAccountId } = (await newcomer.calls.connectMock()).record
  return { ...newcomer, tradingAccountId }
}

/** What it holds as `asset -> [balance, available, locked]`. */
export const holdings = async (
  trader: Pick<Trader, "calls" | "tradingAccountId">,
): Promise<Readonly<Record<string, readonly [balance: string, available: string, locked: string]>>> => {
  const positions = (await trader.calls.portfolio(trader.tradingAccountId)).record
  return Object.fromEntries(
    positions.map(({ currency, balance, available, locked }) => [currency, [balance, available, locked] as const]),
  )
}
