/**
 * A whole gateway for tables of bad values, whose Object.prototype is frozen: whoever writes to it throws, and a throw is a 500. The tables
 * take fields and routes from the declared schemas.
 */

import { afterAll, beforeAll } from "vitest"
import { startFuzzedGateway } from "../../kit/http-fuzz/fuzz-gateway.ts"
import { type Asked, spoken } from "../../kit/http-fuzz/table-run.ts"
import { signUpFounder } from "../../kit/servers/founder.ts"
import { type Api, api, endGateways, type Gateway } from "../../kit/servers/gateway.ts"
import { withDatabaseServer } from "../gateway/running/database.ts"

export interface Stage {
  readonly gateway: Gateway
  readonly port: number
  readonly admin: Api
  /** The admin's. */
  readonly token: string
  /** The admin's other session, which nothing is done with. */
  readonly unused: string
}

/** Frozen before anything of ours is loaded. */
const FREEZE = `data:text/javascript,${encodeURIComponent('Object.freeze(Object.prototype); process.stderr.write("frozen\\n")')}`

/** Before and after the file's tests; call what it answers inside them. */
export const withStage = (): (() => Stage) => {
  const newDatabase = withDatabaseServer()
  let stage: Stage | undefined
  beforeAll(async () => {
    const { url } = await newDatabase()
    const gateway = await startFuzzedGateway(url, { env: { NODE_OPTIONS: `--import ${FREEZE}` } })
    const email = "admin@example.com"
    const token = (await signUpFounder(gateway, email)).accessToken
    const unused = (await api(gateway).login(email)).record.accessToken
    stage = { gateway, port: Number(new URL(gateway.http).port), admin: api(gateway).as(token), token, unused }
  })
  afterAll(endGateways)
  return () => {
    if (stage === undefined) throw new Error("the stage exists only inside tests and hooks")
    return stage
  }
}

/** Nothing of the tables may end the session that asks, change what holds for the installation, or hash passwords by the thousand. */
export const isAskedHere = (name: string): boolean =>
  !/^(auth\.(logout|login|signup|update|sessionRevoke)|tradingMode\.set)$/.test(name)

/** The answers that are not right, in words. */
export const wrong = (answers: ReadonlyArray<Asked>, isRight: (answer: Asked) => boolean): ReadonlyArray<string> =>
  answers.filter((it) => !isRight(it)).map(spoken)
