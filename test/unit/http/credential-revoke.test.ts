/** What the accounts of a revoked credential hear when the database takes longer to store it than anybody waits. */
import { Deferred, Effect, Either } from "effect"
import { expect, it } from "vitest"
import type { Credential } from "../../../src/domain/account/credential.ts"
import { StorageUnavailable } from "../../../src/domain/errors/service.ts"
import { type CredentialParts, credentialHandlers } from "../../../src/http/credential/handlers.ts"
import { orUnavailable, Patience } from "../../../src/store/postgres/storage-failure.ts"
import { principal } from "../../kit/servers/http-server.ts"

const caller = principal()
const credentialId = "7c1f9a52-6a0c-4a5d-9d0b-3f6b0f6f5c11"
const { userId, tenantId } = caller
const credential = { credentialId, userId, tenantId, status: "ACTIVE" } as unknown as Credential
const account = { tradingAccountId: "one", status: "ACTIVE", credentials: [credential] }

it("are told that it is gone once it is stored, whether or not the caller still waits", async () => {
  const stored = Deferred.unsafeMake<void>(await Effect.runPromise(Effect.fiberId))
  const told: Array<string> = []
  const parts = {
    credentials: {
      find: () => Effect.succeed({ credential, envelope: null }),
      revoke: () => orUnavailable(Effect.as(Deferred.await(stored), { ...credential, status: "REVOKED" })),
    },
    accounts: { all: () => [account] },
    tradingAccounts: {
      post: (id: string, command: { readonly _tag: string }) => told.push(`${id} ${command._tag}`),
    },
    acts: { commit: (_act: unknown, work: (learn: () => void) => unknown) => work(() => undefined) },
    now: () => 1,
    uuid: () => "act",
  } as unknown as CredentialParts
  const revoked = credentialHandlers(parts).revoke(
    { body: { credentialId, force: true }, principal: caller, request: { header: () => "" } } as never,
    { ok: () => undefined } as never,
  )
  const answer = Effect.either(revoked as Effect.Effect<void, unknown>)
  expect(await Effect.runPromise(Effect.provideService(answer, Patience, 20))).toEqual(
    Either.left(new StorageUnavailable()),
  )
  expect(told).toEqual([])
  await Effect.runPromise(Deferred.succeed(stored, undefined))
  await expect.poll(() => told).toEqual(["one CredentialGone"])
})
