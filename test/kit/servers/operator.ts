/** `gateway admin` without its process: the same words and the same transactions, on the database of a gateway that runs or rests. */
import { randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { runCommand } from "../../../src/admin/commands.ts"
import { parseCommand } from "../../../src/admin/words.ts"
import type { Actor } from "../../../src/domain/user/act.ts"
import { actsLayer } from "../../../src/store/audit/acts.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { Transactions } from "../../../src/store/postgres/transactions.ts"
import { AllowedNetworks } from "../../../src/store/users/allowed-networks.ts"
import { ApiKeyRows } from "../../../src/store/users/api-keys.ts"
import { OneTimeTokens } from "../../../src/store/users/one-time-tokens.ts"
import { SecondFactors } from "../../../src/store/users/second-factors.ts"
import { SessionRows } from "../../../src/store/users/sessions.ts"
import { Tenants } from "../../../src/store/users/tenants.ts"
import { UserChanges, UserNews } from "../../../src/store/users/user-changes.ts"
import { Users } from "../../../src/store/users/users.ts"

const repositories = Layer.mergeAll(
  actsLayer({ told: () => undefined, now: Date.now, uuid: randomUUID }),
  AllowedNetworks.Default,
  ApiKeyRows.Default,
  OneTimeTokens.Default,
  SecondFactors.Default,
  SessionRows.Default,
  Tenants.Default,
  Transactions.Default,
  UserChanges.Default,
  UserNews.Default,
  Users.Default,
)

export const OPERATOR: Actor = {
  kind: "OPERATOR",
  userId: null,
  sessionId: null,
  keyId: null,
  tenantId: null,
  ip: null,
  userAgent: "gateway admin, test",
  requestId: null,
  clientRequestId: null,
}

/** Each call is one command line; it answers the records that the program prints, and rejects with what it complains of. */
export const operatorOf =
  (databaseUrl: string) =>
  (line: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
    const command = parseCommand(line.split(" "))
    if (command === undefined) throw new Error(`no command: ${line}`)
    return Effect.runPromise(
      runCommand(command, Date.now(), OPERATOR).pipe(
        Effect.map(({ records }) => records as ReadonlyArray<Readonly<Record<string, unknown>>>),
        Effect.provide(repositories.pipe(Layer.provide(sqlLayer(databaseUrl)))),
      ),
    )
  }
